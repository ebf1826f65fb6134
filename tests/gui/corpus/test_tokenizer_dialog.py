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
def dialog(qtbot, tmp_path, monkeypatch):
    folder = tmp_path / "hub" / "models--someone--kept" / "snapshots" / "a1"
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_text(content_of("gpt2"), encoding="utf-8")
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
    assert not names(dialog) and not dialog.open_it.isEnabled() and "OWNER/NAME" in dialog.about.text()


def test_without_the_package_it_says_what_to_do(dialog, qtbot, monkeypatch):
    monkeypatch.setattr(tokenizer_dialog.hub, "is_installed", lambda: False)
    dialog.filter.setText("qwen")
    assert not dialog.open_it.isEnabled() and "pip install huggingface_hub" in dialog.about.text()
    assert "Qwen/Qwen2.5-7B" in dialog.about.text()


def test_a_file_can_be_chosen_instead(dialog, monkeypatch):
    monkeypatch.setattr(tokenizer_dialog, "ask_for_tokenizer", lambda *_, is_folder: None if is_folder else Path("x"))
    dialog.folder.click()
    assert dialog.isVisible()
    dialog.file.click()
    assert dialog.taken == [Path("x")]
