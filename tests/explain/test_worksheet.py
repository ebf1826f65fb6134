"""Worksheets: what is asked for can be done by hand, and the key is what the engine trains."""

from __future__ import annotations

from dataclasses import astuple

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.textbook import train
from bpe_studio.errors import CorpusError
from bpe_studio.explain.worksheet import MOST_COUNT, MOST_WORDS, make_worksheet
from tests.engine.counting.test_source_weights import corpus_of

LOW = "low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3


def sheet_of(text, n_merges=8, preset="textbook", **options):
    config = TrainingConfig.preset(preset, **options)
    return make_worksheet(Corpus.from_text(text, config), config, "a text", n_merges)


def test_the_key_is_the_textbook_algorithm_with_its_ties_and_rewritten_words():
    sheet = sheet_of(LOW)
    assert sheet.words[0] == (("l", "o", "w"), 5) and len(sheet.words) == 4 and sheet.note == ""
    expected = train([(list(word), count) for word, count in sheet.words], n_merges=8)
    assert [(*merge.pair, merge.token, merge.count) for merge in sheet.merges] == [
        astuple(each) for each in expected
    ]
    first = sheet.merges[0]
    assert (first.token, first.others) == ("es", (("s", "t"),))
    assert first.words == (("n", "e", "w", "es", "t"), ("w", "i", "d", "es", "t"))
    assert sheet_of(LOW, ties="greatest-bytes").merges[0].pair == ("s", "t")


def test_a_large_text_is_made_small_and_the_sheet_says_so():
    words = [
        "the",
        "then",
        "there",
        "other",
        "they",
        "them",
        "weather",
        "that",
        "hat",
        "cat",
        "sat",
        "mat",
    ]
    sheet = sheet_of(" ".join(word for n, word in enumerate(words, 2) for _ in range(n * 100)), 3)
    assert len(sheet.words) == MOST_WORDS and len(sheet.merges) == 3
    assert max(count for _, count in sheet.words) <= MOST_COUNT
    assert "12" in sheet.note and "divided" in sheet.note


@pytest.mark.parametrize(
    ("text", "n_merges", "said"),
    [
        ("a", 8, "letters or more"),
        ("a b c a b", 8, "letters or more"),
        ("a" * 40, 8, "shorter words"),
        (LOW, 0, "1 to"),
        (LOW, 1000, "1 to"),
    ],
)
def test_what_cannot_be_done_by_hand_is_refused(text, n_merges, said):
    with pytest.raises(CorpusError, match=said):
        sheet_of(text, n_merges)


def test_a_word_of_two_letters_gives_one_merge():
    assert [merge.token for merge in sheet_of("ab").merges] == ["ab"]


def test_counts_with_weights_are_taken_as_they_are():
    config = TrainingConfig.preset("textbook", weight="b=2")
    corpus = corpus_of([("a", "low low"), ("b", "newest newest")], config)
    sheet = make_worksheet(corpus, config, "a text", 3)
    assert sorted(count for _, count in sheet.words) == [2, 4]
