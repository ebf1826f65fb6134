"""The verdict about two tokenizers on a text, against counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.explain.comparison.verdict import KindsOfWords, Side, by_kind, verdict


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
        (
            74,
            100,
            (650, 1000),
            "On all, A needs 26 % fewer tokens than B, with a vocabulary 35 % smaller.",
        ),
        (
            125,
            100,
            (3000, 1000),
            "On all, A needs 25 % more tokens than B, with a vocabulary 3.0 times as large.",
        ),
        (
            100,
            100,
            (1000, 1000),
            "On all, A needs as many tokens as B, with an equally large vocabulary.",
        ),
        (0, 0, (1200, 1000), "On all, A needs as many tokens as B, with a vocabulary 20 % larger."),
    ],
)
def test_the_headline_has_tokens_and_entries(n_a, n_b, sizes, said):
    on_corpus = Side("A", sizes[0], 1, n_a), Side("B", sizes[1], 1, n_b)
    on_text = Side("A", sizes[0], n_a), Side("B", sizes[1], n_b)
    assert verdict(*on_corpus, "all", "your text")[0] == verdict(*on_text, "", "all")[0] == said


def test_the_corpus_comes_before_the_text():
    kinds = {"Latin": 120, "numbers": 13}, {"Latin": 90, "numbers": 20}
    a = Side("A", 1, 133, 74, kinds[0])
    b = Side("B", 1, 110, 100, kinds[1])
    headline, details = verdict(a, b, "the corpus", "your text", trained="A")
    assert "the corpus" in headline and "26 % fewer" in headline and "your text" not in headline
    assert details.startswith(
        "On your text, A needs 21 % more tokens than B. It is better on numbers"
    )
    assert details.endswith("Only A was trained on the corpus.")
    headline, details = verdict(a, b, "the corpus", "your text", is_counting=True)
    assert "26 %" not in headline and "21 % more" in details


def test_a_text_that_one_cannot_encode_says_nothing_of_the_corpus():
    a = Side("A", 1, None, 74)
    b = Side("B", 1, 110, 100)
    headline, details = verdict(a, b, "the corpus", "your text")
    assert "26 % fewer" in headline and details == "A cannot encode your text."
    assert (
        verdict(Side("A", 1, None), Side("B", 1, 110), "", "your text")[0]
        == "A cannot encode your text."
    )


def test_kinds_of_words_are_told_where_they_differ_most_first():
    b = {"Latin": 100, "Arabic": 200, "Han": 50, "numbers": 40, "signs and emoji": 3}
    a = {"Latin": 80, "Arabic": 100, "Han": 60, "numbers": 40, "signs and emoji": 30}
    said = by_kind(Side("A", 1, 310, kinds=a), Side("B", 1, 393, kinds=b))
    assert said.startswith("It is better on Arabic (−50 %) and Latin (−20 %), and worse on signs")
    assert said.endswith("and Han (+20 %)")
    of_one = Side("A", 1, 10, kinds={"Latin": 10}), Side("B", 1, 20, kinds={"Latin": 20})
    assert by_kind(*of_one) == "", "the sentence before says it"
    assert "alike" in by_kind(Side("A", 1, 310, kinds=b), Side("B", 1, 393, kinds=b))
