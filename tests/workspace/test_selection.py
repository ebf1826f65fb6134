"""What is picked, the way back and forward through it, and the same in another run."""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import train
from bpe_studio.workspace.selection import Kind, Selected, Selection

CONFIG = TrainingConfig.preset("textbook", merges=12)
CORPUS = Corpus.from_text("hug pug pun bun hugs hug hug pun the cat sat\n" * 3, CONFIG)


@pytest.fixture(scope="module")
def run() -> Run:
    return train(CORPUS, CONFIG)


@pytest.fixture
def selection(qapp, run):
    selection = Selection()
    selection.follow(run)
    selection.announce()
    selection.seen = []
    selection.changed.connect(selection.seen.append)
    return selection


def test_each_kind_says_what_it_is_made_of(selection, run):
    left = int(run.columns.left[2])
    right = int(run.columns.right[2])
    selection.select_merge(2)
    assert selection.current == Selected(Kind.merge, run.token_of(2), left, right)
    selection.select_token(run.token_of(2))
    assert selection.current == Selected(Kind.token, run.token_of(2), left, right)
    selection.select_token(0)
    assert selection.current == Selected(Kind.token, 0)
    selection.select_pair(left, right)
    assert selection.current == Selected(Kind.pair, run.token_of(2), left, right)
    selection.select_pair(right, right)
    assert selection.current == Selected(Kind.pair, -1, right, right)
    selection.select_word(1)
    assert selection.current == Selected(Kind.word, word=1)
    assert selection.seen[-1] == selection.current and len(selection.seen) == 6


def test_what_is_not_there_is_let_be(selection, run):
    for pick, number in (
        (selection.select_token, -1),
        (selection.select_token, 10**6),
        (selection.select_merge, 12),
        (selection.select_merge, -1),
        (selection.select_word, len(CORPUS)),
        (selection.select_word, -1),
    ):
        pick(number)
    assert selection.current is None and selection.seen == []
    nothing = Selection()
    nothing.select_token(0)
    nothing.select_pair(0, 1)
    nothing.select_word(0)
    assert nothing.current is None


def test_back_and_forward_and_a_new_way(selection):
    for rank in (1, 2, 3):
        selection.select_merge(rank)
    selection.go_back()
    selection.go_back()
    assert selection.current.token == selection.seen[0].token
    assert not selection.can_go_back and selection.can_go_forward
    selection.go_back()
    selection.go_forward()
    assert selection.current == selection.seen[1]
    selection.select_word(0)
    assert not selection.can_go_forward
    selection.go_back()
    assert selection.current == selection.seen[1]


def test_another_run_of_the_corpus_keeps_what_it_has_by_name(selection, run):
    first = run.merges[0]
    other = train(CORPUS, CONFIG.replace(forbid=((first.left, first.right),)))
    names = {merge.token for merge in other.merges}
    kept = next(merge for merge in run.merges if merge.token in names)
    lost = next(merge for merge in run.merges if merge.token not in names)
    selection.select_word(2)
    selection.select_merge(kept.rank)
    selection.select_merge(lost.rank)
    selection.follow(other)
    selection.announce()
    assert selection.current is None and selection.seen[-1] is None
    selection.go_back()
    assert other.token_name(selection.current.token) == kept.token
    assert selection.current.left == int(other.columns.left[other.rank_of(selection.current.token)])
    selection.go_back()
    assert selection.current == Selected(Kind.word, word=2)
    selection.go_forward()
    selection.follow(run)
    selection.announce()
    assert selection.current.token == run.token_of(kept.rank)
