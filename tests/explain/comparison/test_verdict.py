"""The verdict about two tokenizers on a text, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.explain.comparison.verdict import KindsOfWords, Side, by_kind, headline


def test_a_token_belongs_to_the_kind_of_the_word_in_which_it_begins():
    text = "(hello) سلام 1,000 😀 \n"
    starts = np.array([0, 1, 6, 7, 8, 9.5, 12, 14, 18, 19, 20])  # " سلام" begins at 7
    found = KindsOfWords(text).count(starts)
    assert found == {"Latin": 3, "Arabic": 3, "numbers": 2, "signs and emoji": 3}
    assert sum(found.values()) == len(starts)
    assert KindsOfWords("").count(np.zeros(0)) == {} == KindsOfWords(" \n").count(np.zeros(1))


@pytest.mark.parametrize(
    ("n_a", "n_b", "sizes", "said"),
    [
        (74, 100, (650, 1000), "On your text, A needs 26 % fewer tokens than B, with 35 % fewer entries"),
        (125, 100, (3000, 1000), "On your text, A needs 25 % more tokens than B, with 3.0 times as many entries"),
        (100, 100, (1000, 1000), "On your text, A needs as many tokens as B, with as many entries"),
        (None, 100, (1000, 1000), "A cannot encode your text"),
        (0, 0, (1200, 1000), "On your text, A needs as many tokens as B, with 20 % more entries"),
    ],
)
def test_the_headline_has_tokens_and_entries(n_a, n_b, sizes, said):
    assert headline(Side("A", sizes[0], n_a), Side("B", sizes[1], n_b), "your text") == said


def test_kinds_of_words_are_told_where_they_differ_most_first():
    b = {"Latin": 100, "Arabic": 200, "Han": 50, "numbers": 40, "signs and emoji": 3}
    a = {"Latin": 80, "Arabic": 100, "Han": 60, "numbers": 40, "signs and emoji": 30}
    said = by_kind(Side("A", 1, 310, a), Side("B", 1, 393, b))
    assert said.startswith("It is better on Arabic (−50 %) and Latin (−20 %), and worse on signs")
    assert said.endswith("and Han (+20 %)")
    assert by_kind(Side("A", 1, 10, {"Latin": 10}), Side("B", 1, 20, {"Latin": 20})) == "", "the headline says it"
    assert "alike" in by_kind(Side("A", 1, 310, b), Side("B", 1, 393, b))
