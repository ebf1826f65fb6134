"""The merge tree of a word from its gap ranks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.explain.merge_tree import NEVER, grow_tree, part_places
from tests.examples import examples

WORDS = st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=8)


def test_the_lowest_gap_is_joined_first():
    tree = grow_tree([NEVER, 0, 1])
    assert tree.ranks.tolist() == [0, 1]
    assert (tree.lefts.tolist(), tree.rights.tolist()) == ([-1, 0], [-2, -3])
    assert list(zip(tree.lows.tolist(), tree.highs.tolist(), strict=True)) == [(0, 2), (0, 3)]


def test_a_gap_that_never_closes_parts_two_trees():
    tree = grow_tree([NEVER, 5, NEVER, 3])
    assert tree.lefts.tolist() == [-1, -3]
    assert list(zip(tree.lows.tolist(), tree.highs.tolist(), strict=True)) == [(0, 2), (2, 4)]


def test_gaps_of_one_rank_are_joined_from_the_right():
    # A token that is taken whole though merges lead to it later: all its gaps close at its rank.
    tree = grow_tree([NEVER, 5, 5, 5, 7])
    assert list(zip(tree.lows.tolist(), tree.highs.tolist(), strict=True)) == [
        (0, 4),
        (1, 4),
        (2, 4),
        (0, 5),
    ]
    lefts, rights = part_places(tree, np.array([0.0, 8.0, 16.0, 24.0, 32.0]))
    assert (lefts.tolist(), rights.tolist()) == ([0.0, 8.0, 16.0, 7.0], [14.0, 20.0, 24.0, 32.0])


@settings(max_examples=examples(60))
@given(WORDS, st.text("abc", min_size=1, max_size=20))
def test_each_joint_is_the_merge_that_its_rank_names(words, word):
    config = bpe.TrainingConfig.preset("textbook", merges=30, min_frequency=1)
    run = bpe.train(bpe.Corpus.from_text(" ".join(words), config), config)
    run.segmenter.refresh()
    shape = run.segmenter.word(word)
    tree = grow_tree(shape.gaps.tolist())

    def token(part):
        return int(shape.symbols[-1 - part]) if part < 0 else run.token_of(int(tree.ranks[part]))

    for joint, rank in enumerate(tree.ranks.tolist()):
        pair = int(run.columns.left[rank]), int(run.columns.right[rank])
        assert pair == (token(int(tree.lefts[joint])), token(int(tree.rights[joint])))
    # What is joined below the line is a token.
    for step in (0, 1, len(run.merges) // 2, len(run.merges)):
        n_joined = int((tree.ranks < step).sum())
        assert len(shape.symbols) - n_joined == int((shape.gaps >= step).sum())


def test_legs_stand_on_the_middle_of_the_roof_below():
    left, right = part_places(grow_tree([NEVER, 0, 1]), np.array([0.0, 10.0, 20.0]))
    assert (left.tolist(), right.tolist()) == ([0.0, 5.0], [10.0, 20.0])
