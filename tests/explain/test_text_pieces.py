"""A typed text in pieces."""

from __future__ import annotations

import numpy as np
import pytest

from bpe_studio.explain.text_pieces import LONG_WORD, common_ends
from tests.trained import run_of_text, skyline_text


@pytest.fixture(scope="module")
def run():
    return run_of_text()


def test_common_ends():
    assert common_ends("lower", "lowest") == (4, 0)
    assert common_ends("aaa", "aaaa") == (3, 0)
    assert common_ends("abcd", "abXcd") == (2, 2)
    assert common_ends("", "x") == (0, 0)


def test_pieces_are_the_words_of_the_text(run):
    text = skyline_text(run, "low lower\n newest")
    assert [text.piece(k) for k in range(len(text))] == ["low", " lower", "\n", " newest"]
    assert text.paragraphs.tolist() == [0, 0, 0, 1]
    assert text.offsets.tolist() == [0, 3, 9, 10, 17]


def test_a_text_that_is_not_split_is_cut_where_nothing_joins():
    run = run_of_text(split="none", documents="line")
    typed = "low lower zzzz newest widest " * 20
    text = skyline_text(run, typed)
    assert len(typed) > LONG_WORD
    assert len(text) > 3
    assert "".join(text.piece(k) for k in range(len(text))) == typed
    assert not text.is_joined[0]
    assert text.is_joined[1:].all()
    sizes = np.diff(text.offsets)
    assert all(text.gaps[k] == 2**31 - 1 for k in text.offsets[:-1])
    assert sizes.sum() == len(text.symbols)


def test_a_list_of_words_is_cut_word_by_word_and_follows_a_text(run):
    text = skyline_text(run, "low lower low\n lower newest")
    assert text.distinct_words() == ["low", " lower", " low", " newest"]
    words = [" lower", "low", "west"]
    assert text.follow(words) == (0, 3)
    assert [text.piece(k) for k in range(len(text))] == words
    for number, word in enumerate(words):
        alone = skyline_text(run, word)
        gaps = text.gaps[text.offsets[number] : text.offsets[number + 1]]
        assert gaps.tolist() == alone.gaps.tolist()
    text.follow("low lower")
    assert [text.piece(k) for k in range(len(text))] == ["low", " lower"]


def test_a_word_holds_a_pair_until_the_pair_is_merged(run):
    text = skyline_text(run, "low")
    pair = int(run.columns.left[0]), int(run.columns.right[0])
    name = run.token_content(run.n_alphabet).decode()
    assert text.holds_pair(name, pair, 0) and not text.holds_pair(name, pair, 1)
