"""Is mine better than another on my text: a person adds a tokenizer to the comparison, in the whole window."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from bpe_studio import Corpus, TrainingConfig, load, train
from tests.gui.acceptance.compare_teach_take.comparer import PHRASES, number, plain, text_of
from tests.gui.hand import CONTROL

PERSIAN = text_of("persian")


def test_is_mine_better_than_another_in_three_actions(comparer, monkeypatch, tmp_path):
    config = TrainingConfig.preset("cl100k", merges=120)
    train(Corpus.from_text(PERSIAN, config), config).tokenizer().save(tmp_path / "theirs")
    file = tmp_path / "theirs" / "tokenizer.json"
    comparer.opened("english")
    comparer.workspace.set_typed_text(PHRASES["english"])
    comparer.rest()
    before = (comparer.workspace.run, comparer.workspace.config, comparer.workspace.step)
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(file)], ""))  # the third: a file
    comparer.key(Qt.Key.Key_3, CONTROL)
    comparer.add("Tokenizer from a file…")
    panel = comparer.panels["compare"]
    comparer.wait(lambda: panel.model.rowCount() == 3 and panel.is_up_to_date)
    comparer.settle()
    mine, theirs = comparer.table("compare.table")[1:]
    other = load(file)
    assert plain(theirs["step"]).strip("\u2068\u2069") == "theirs"
    assert int(number(theirs["vocabulary"])) == other.vocab_size
    said = {title: value for title, value in theirs.items() if title.endswith("tokens")}
    of_text, of_corpus = (int(number(value)) for value in said.values())
    assert of_text == len(other.encode(PHRASES["english"]).ids)
    lines = text_of("english").splitlines(keepends=True)
    assert of_corpus == sum(len(other.encode_ids(line)) for line in lines)
    assert of_corpus > int(number([value for title, value in mine.items() if title.endswith("tokens")][1]))
    unused = [value for title, value in theirs.items() if title.endswith("unused")][1]
    used = np.unique(np.concatenate([other.encode_ids(line) for line in lines]))
    assert int(number(unused)) == len(set(other.tokens) - set(other.special_ids.values()) - set(used.tolist()))
    assert (comparer.workspace.run, comparer.workspace.config, comparer.workspace.step) == before
    comparer.click_tab("compare.tab_bar", "Text")
    comparer.settle()
    assert len(comparer.find("compare.text_3").content.starts) == of_text
    comparer.click("compare.remove_item_3")
    comparer.wait(lambda: panel.model.rowCount() == 2)
    assert not comparer.workspace.tokenizers.entries


def test_what_is_no_tokenizer_is_said_there_and_nothing_is_lost(comparer, monkeypatch, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("not a tokenizer", encoding="utf-8")
    comparer.opened("english")
    run = comparer.workspace.run
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(file)], ""))
    comparer.key(Qt.Key.Key_3, CONTROL)
    comparer.add("Tokenizer from a file…")
    comparer.wait(lambda: comparer.window.findChild(object, "compare.problem").isVisible())
    assert "notes.txt" in comparer.text("compare.problem")
    assert comparer.workspace.run is run and comparer.workspace.state.name == "done"
