"""A tokenizer is chosen by its name, by OWNER/NAME, or as a file or a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from bpe_studio.gui.corpus import tokenizer_dialog
from bpe_studio.gui.corpus.tokenizer_dialog import TokenizerDialog
from bpe_studio.gui.widgets.window_settings import WindowSettings
from tests.files.third_party.made import content_of


@pytest.fixture
def dialog(qtbot, tmp_path, monkeypatch, request):
    folder = tmp_path / "hub" / "models--someone--kept" / "snapshots" / "a1"
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_text(content_of("gpt2"), encoding="utf-8")
    (folder / "config.json").write_text(getattr(request, "param", "{}"), encoding="utf-8")
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    made = TokenizerDialog("Look at a tokenizer", "&Open", WindowSettings())
    qtbot.addWidget(made)
    made.taken = []
    made.chosen.connect(made.taken.extend)
    made.show()
    qtbot.waitUntil(lambda: made.list.topLevelItemCount() > 0)
    return made


def names(dialog):
    items = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
    return [item.text(0) for item in items if item.flags() & Qt.ItemFlag.ItemIsEnabled]


def test_what_is_kept_comes_first_and_enter_opens_it(dialog, qtbot):
    assert names(dialog)[:2] == ["someone/kept", "GPT-2"]
    assert "from this computer" in dialog.about.text()
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Return)
    assert [path.name for path in dialog.taken] == ["a1"] and not dialog.isVisible()


def test_a_row_says_how_large_a_tokenizer_is_and_for_which_languages_if_that_is_known(dialog):
    rows = {
        item.text(0): item
        for item in map(dialog.list.topLevelItem, range(dialog.list.topLevelItemCount()))
    }
    assert (rows["someone/kept"].text(1), rows["someone/kept"].text(2)) == ("", "")
    assert (rows["GPT-2"].text(1), rows["GPT-2"].text(2)) == ("about 50,000 tokens", "English")
    assert dialog.list.visualItemRect(rows["GPT-2"]).height() >= 36


@pytest.mark.parametrize(
    ("dialog", "said"),
    [
        ('{"vocab_size": 30522}', "about 31,000 tokens"),
        ('{"vocab_size": "many"}', ""),
        ('{"vocab_size": 1e400}', ""),
        ("[1]", ""),
        ("{", ""),
    ],
    indirect=["dialog"],
)
def test_the_size_of_a_kept_one_is_that_of_its_model(dialog, said):
    assert dialog.list.topLevelItem(1).text(1) == said


def test_a_name_is_found_and_the_arrow_keys_choose(dialog, qtbot):
    qtbot.keyClicks(dialog.filter, "gpt")
    assert names(dialog) == ["GPT-2", "GPT-4", "GPT-4o"]
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Down)
    qtbot.keyClick(dialog.filter, Qt.Key.Key_Return)
    assert dialog.taken == [Path("hf:Xenova/gpt-4")]


def test_any_model_can_be_named_and_nothing_else_is_invented(dialog, qtbot):
    qtbot.keyClicks(dialog.filter, "hf:me/mine")
    assert names(dialog) == ["me/mine"] and dialog.place == "hf:me/mine"
    dialog.filter.setText("nothing")
    for modifier in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.AltModifier):
        qtbot.keyClick(dialog.filter, Qt.Key.Key_Down, modifier)  # the list can do nothing with it
    assert (
        not names(dialog) and not dialog.open_it.isEnabled() and "OWNER/NAME" in dialog.about.text()
    )


def test_without_the_package_it_says_what_to_do(dialog, qtbot, monkeypatch):
    monkeypatch.setattr(tokenizer_dialog.hub, "is_installed", lambda: False)
    dialog.filter.setText("qwen")
    assert not dialog.open_it.isEnabled() and "pip install huggingface_hub" in dialog.about.text()
    assert "Qwen/Qwen2.5-7B" in dialog.about.text()


def test_a_file_can_be_chosen_instead(dialog, monkeypatch):
    monkeypatch.setattr(
        tokenizer_dialog,
        "ask_for_tokenizer",
        lambda *_, is_folder: None if is_folder else Path("x"),
    )
    dialog.folder.click()
    assert dialog.isVisible()
    dialog.file.click()
    assert dialog.taken == [Path("x")]
