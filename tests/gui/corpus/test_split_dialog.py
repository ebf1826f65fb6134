"""The question how a tokenizer splits text: the likely split first, a preview of each, and an
answer that is kept.
"""

from __future__ import annotations

from bpe_studio.engine.presets import KEEPING_SPLITS
from bpe_studio.gui.corpus.split_dialog import SplitDialog


def test_the_likely_split_is_chosen_and_the_others_are_offered(qtbot):
    dialog = SplitDialog("my.tiktoken", "o200k")
    qtbot.addWidget(dialog)
    values = [dialog.choice.itemData(place) for place in range(dialog.choice.count())]
    assert values[0] == "o200k" == dialog.choice.currentData() and sorted(values) == sorted(
        KEEPING_SPLITS
    )
    assert "my.tiktoken" in dialog.findChild(object, "split.question").text()
    before = dialog.preview.text()
    dialog.choice.setCurrentIndex(values.index("none"))
    assert (
        before.count("|") > dialog.preview.text().count("|") == 0
        and "你好世界" in dialog.preview.text()
    )


def test_the_answer_is_what_is_chosen(qtbot):
    dialog = SplitDialog("my.tiktoken", "gpt2")
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.chosen) as answered:
        dialog.choice.setCurrentIndex(dialog.choice.findData("llama3"))
        dialog.open_button.click()
    assert answered.args == ["llama3"]
