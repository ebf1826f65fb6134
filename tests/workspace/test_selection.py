"""What is picked, the way back and forward through it, and the same in another run."""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.trainer import train
from bpe_studio.workspace.selection import MOST_REMEMBERED, Kind, Pick, Picks

CONFIG = TrainingConfig.preset("textbook", merges=12)
CORPUS = Corpus.from_text("hug pug pun bun hugs hug hug pun the cat sat\n" * 3, CONFIG)


@pytest.fixture(scope="module")
def run() -> Run:
    return train(CORPUS, CONFIG)


@pytest.fixture
def picks(qapp, run):
    picks = Picks()
    picks.follow(run)
    picks.tell()
    picks.seen = []
    picks.changed.connect(picks.seen.append)
    return picks


def test_each_kind_says_what_it_is_made_of(picks, run):
    left, right = int(run.columns.left[2]), int(run.columns.right[2])
    picks.pick_merge(2)
    assert picks.current == Pick(Kind.merge, run.n_alphabet + 2, left, right)
    picks.pick_token(run.n_alphabet + 2)
    assert picks.current == Pick(Kind.token, run.n_alphabet + 2, left, right)
    picks.pick_token(0)
    assert picks.current == Pick(Kind.token, 0)
    picks.pick_pair(left, right)
    assert picks.current == Pick(Kind.pair, run.n_alphabet + 2, left, right)
    picks.pick_pair(right, right)
    assert picks.current == Pick(Kind.pair, -1, right, right)
    picks.pick_word(1)
    assert picks.current == Pick(Kind.word, word=1)
    assert picks.seen[-1] == picks.current and len(picks.seen) == 6


def test_what_is_not_there_is_let_be(picks, run):
    for pick, number in ((picks.pick_token, -1), (picks.pick_token, 10**6), (picks.pick_merge, 12),
                         (picks.pick_merge, -1), (picks.pick_word, len(CORPUS)), (picks.pick_word, -1)):  # fmt: skip
        pick(number)
    assert picks.current is None and picks.seen == []
    nothing = Picks()
    nothing.pick_token(0)
    nothing.pick_pair(0, 1)
    nothing.pick_word(0)
    assert nothing.current is None


def test_picking_the_same_again_says_nothing(picks):
    picks.pick_merge(1)
    picks.pick_merge(1)
    assert len(picks.seen) == 1 and not picks.can_go_back


def test_back_and_forward_and_a_new_way(picks):
    for rank in (1, 2, 3):
        picks.pick_merge(rank)
    picks.go_back()
    picks.go_back()
    assert picks.current.token == picks.seen[0].token
    assert not picks.can_go_back and picks.can_go_forward
    picks.go_back()
    picks.go_forward()
    assert picks.current == picks.seen[1]
    picks.pick_word(0)
    assert not picks.can_go_forward
    picks.go_back()
    assert picks.current == picks.seen[1]


def test_after_clearing_one_goes_back_to_the_last_pick(picks):
    picks.pick_merge(1)
    picks.clear()
    assert picks.current is None and picks.can_go_back and not picks.can_go_forward
    picks.go_back()
    assert picks.current == picks.seen[0]
    picks.pick_merge(2)
    picks.go_back()
    picks.clear()
    picks.clear()
    assert picks.seen.count(None) == 2
    picks.go_forward()
    assert picks.current == picks.seen[3]
    picks.clear()
    picks.pick_merge(2)
    assert picks.current is not None and picks.seen[-1] == picks.current
    picks.go_back()
    assert picks.current == picks.seen[0]


def test_only_so_many_are_remembered(picks):
    for k in range(MOST_REMEMBERED + 50):
        picks.pick_merge(k % 2)
    for _ in range(2 * MOST_REMEMBERED):
        picks.go_back()
    assert len(picks.seen) == 2 * MOST_REMEMBERED + 49


def test_another_run_of_the_corpus_keeps_what_it_has_by_name(picks, run):
    first = run.merges[0]
    other = train(CORPUS, CONFIG.replace(forbid=((first.left, first.right),)))
    names = {merge.token for merge in other.merges}
    kept = next(merge for merge in run.merges if merge.token in names)
    lost = next(merge for merge in run.merges if merge.token not in names)
    picks.pick_word(2)
    picks.pick_merge(kept.rank)
    picks.pick_merge(lost.rank)
    picks.follow(other)
    picks.tell()
    assert picks.current is None and picks.seen[-1] is None
    picks.go_back()
    assert other.token_name(picks.current.token) == kept.token
    assert picks.current.left == int(other.columns.left[picks.current.token - other.n_alphabet])
    picks.go_back()
    assert picks.current == Pick(Kind.word, word=2)
    picks.go_forward()
    picks.follow(run)
    picks.tell()
    assert picks.current.token == run.n_alphabet + kept.rank


def test_another_corpus_forgets_everything(picks, run):
    picks.pick_merge(1)
    picks.clear()
    picks.follow(train(Corpus.from_text("other text text", CONFIG), CONFIG.replace(merges=1)))
    picks.tell()
    assert picks.current is None and not picks.can_go_back and not picks.can_go_forward
    assert picks.seen[-1] is None
    picks.follow(None)
    picks.tell()
    assert len(picks.seen) == 3
