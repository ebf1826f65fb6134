"""Sizes next to each other on the typed text and on the corpus, and another tokenizer next to them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from bpe_studio import Corpus, TrainingConfig, load, train
from tests.gui.acceptance.conftest import recount_of, text_of
from tests.gui.acceptance.recount import SPECIAL, Measured, plain
from tests.gui.hand import CONTROL

ALPHABET = 256 + SPECIAL
"""The vocabulary before the first merge, in the settings that the window begins with."""
TEN = (270, 300, 333, 350, 400, 430, 500, 512, 600, 650)
PHRASES = {
    "english": "the old bridge over the river, and the water below the bridges",
    "persian": "مادربزرگ در باغ نشسته بود و آب از جوی می‌گذشت",
}


def number(text: str) -> float:
    """A number that the window shows, whatever unit follows it."""
    return float(re.sub(r"[^\d.+-]", "", plain(text).replace("−", "-").removesuffix(".")))


def compare_ten(comparer, sample):
    comparer.click("text.input")
    comparer.type(PHRASES[sample])
    comparer.show_sizes("Numbers")
    comparer.write_sizes(", ".join(map(str, TEN)))
    return recount_of(sample)


def is_share(cell, share):
    return abs(number(cell) - 100 * share) <= 0.0501


def is_ratio(cell, ratio):
    return abs(number(cell) - ratio) <= 0.00501


def held_to(row, group, measured):
    assert number(row[f"{group}: tokens"]) == measured.n_tokens
    assert is_ratio(row[f"{group}: bytes/token"], measured.n_bytes / measured.n_tokens)
    assert is_ratio(row[f"{group}: fertility"], measured.n_tokens / measured.n_words)
    assert number(row[f"{group}: unused"]) == measured.n_unused
    assert is_share(row[f"{group}: 90 % coverage"], measured.n_working / measured.n_entries)


@pytest.mark.parametrize("sample", PHRASES)
def test_ten_sizes_say_of_text_and_corpus_what_a_recount_says(opened, sample):
    comparer = opened(sample)
    plain_run = compare_ten(comparer, sample)
    table = comparer.table("compare.table")
    assert [int(number(row["vocabulary"])) for row in table] == [*TEN, ALPHABET + len(plain_run.merges)]
    text, phrase = text_of(sample), PHRASES[sample]
    first_text, first_corpus = (number(table[0][f"{group}: tokens"]) for group in ("typed text", "corpus"))
    for k, row in enumerate(table):
        step = int(number(row["step"]))
        assert number(row["vocabulary"]) == ALPHABET + step
        vocabulary = plain_run.vocabulary(step)
        corpus = Measured.of(plain_run.tokens(step), text, vocabulary)
        held_to(row, "corpus", corpus)
        assert number(row["corpus: rare"]) == corpus.n_rare(20)
        typed = Measured.of(plain_run.tokens_of(phrase, step), phrase, vocabulary)
        held_to(row, "typed text", typed)
        assert is_ratio(row["typed text: chars/token"], len(phrase) / typed.n_tokens)
        if k:
            assert is_share(row["typed text: change"], typed.n_tokens / first_text - 1)
            assert is_share(row["corpus: change"], corpus.n_tokens / first_corpus - 1)


def test_is_mine_better_than_another_in_three_actions(reader, monkeypatch, tmp_path):
    config = TrainingConfig.preset("cl100k", merges=120)
    train(Corpus.from_text(text_of("persian"), config), config).tokenizer().save(tmp_path / "theirs")
    file = tmp_path / "theirs" / "tokenizer.json"
    reader.workspace.set_typed_text(PHRASES["english"])
    reader.rest()
    before = (reader.workspace.run, reader.workspace.config, reader.workspace.step)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(file), ""))  # the third: a file
    reader.key(Qt.Key.Key_3, CONTROL)
    reader.add("Tokenizer…")
    reader.click("tokenizer.file")
    panel = reader.panels["compare"]
    reader.wait(lambda: panel.model.rowCount() == 3 and panel.is_up_to_date)
    reader.settle()
    mine, theirs = reader.table("compare.table")[1:]
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
    assert (reader.workspace.run, reader.workspace.config, reader.workspace.step) == before
    reader.click_tab("compare.tab_bar", "Text")
    reader.settle()
    assert len(reader.find("compare.text_3").content.starts) == of_text
    reader.click("compare.remove_item_3")
    reader.wait(lambda: panel.model.rowCount() == 2)
    assert not reader.workspace.tokenizers.entries


def test_what_is_no_tokenizer_is_said_there_and_nothing_is_lost(reader, monkeypatch, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("not a tokenizer", encoding="utf-8")
    run = reader.workspace.run
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_, **__: (str(file), ""))
    reader.key(Qt.Key.Key_3, CONTROL)
    reader.add("Tokenizer…")
    reader.click("tokenizer.file")
    reader.wait(lambda: reader.window.findChild(object, "compare.problem").isVisible())
    assert "notes.txt" in reader.text("compare.problem")
    assert reader.workspace.run is run and reader.workspace.state.name == "done"
