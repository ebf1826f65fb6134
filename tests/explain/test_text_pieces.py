"""A typed text in pieces."""

from __future__ import annotations

import numpy as np
import pytest

import bpe_studio as bpe
from bpe_studio.explain.text_pieces import LONG_WORD, SkylinePieces, common_ends

TEXT = "low lower newest widest low low newest newest سلام دنیا 漢字 " * 10


def run_of(text=TEXT, preset="gpt2", **options):
    config = bpe.TrainingConfig.preset(preset, **({"merges": 40, "min_frequency": 1} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.fixture(scope="module")
def run():
    return run_of()


def text_of(run, typed):
    text = SkylinePieces(run.segmenter)
    text.set_text(typed)
    text.grow()
    return text


def test_common_ends():
    assert common_ends("lower", "lowest") == (4, 0)
    assert common_ends("aaa", "aaaa") == (3, 0)
    assert common_ends("abcd", "abXcd") == (2, 2)
    assert common_ends("", "x") == (0, 0)


def test_pieces_are_the_words_of_the_text(run):
    text = text_of(run, "low lower\n newest")
    assert [text.piece(k) for k in range(len(text))] == ["low", " lower", "\n", " newest"]
    assert text.paragraphs.tolist() == [0, 0, 0, 1]
    assert text.offsets.tolist() == [0, 3, 9, 10, 17]


def test_a_text_that_is_not_split_is_cut_where_nothing_joins():
    run = run_of(split="none", documents="line")
    typed = "low lower zzzz newest widest " * 20
    text = text_of(run, typed)
    assert len(typed) > LONG_WORD
    assert len(text) > 3
    assert "".join(text.piece(k) for k in range(len(text))) == typed
    assert not text.is_joined[0]
    assert text.is_joined[1:].all()
    sizes = np.diff(text.offsets)
    assert all(text.gaps[k] == 2**31 - 1 for k in text.offsets[:-1])
    assert sizes.sum() == len(text.symbols)
