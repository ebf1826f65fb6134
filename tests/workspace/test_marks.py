"""What breakpoints ask of merges, held to a plain reading of the same merges, and how marks are
kept.
"""

from __future__ import annotations

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Marks, Question, Watch, as_written

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog over several hills\n"
    * 5
)


@pytest.fixture(scope="module")
def run():
    config = TrainingConfig.preset("gpt2", vocab_size=257 + 70)
    return train(
        Corpus.from_text(TEXT + "naïve naïve café café café 語語語 語語\n" * 3, config), config
    )


def content(run, rank):
    return run.token_content(run.token_of(rank))


def n_characters(content):
    return len(content.decode("utf-8", "replace"))


def ranks_where(run, holds):
    return [merge.rank for merge in run.merges if holds(merge)]


CASES = [
    (Breakpoint(Question.token, "␣the"), lambda run, merge: content(run, merge.rank) == b" the"),
    (Breakpoint(Question.token, "th"), lambda run, merge: content(run, merge.rank) == b"th"),
    (Breakpoint(Question.contains, "th"), lambda run, merge: b"th" in content(run, merge.rank)),
    (Breakpoint(Question.contains, "␣t"), lambda run, merge: b" t" in content(run, merge.rank)),
    (
        Breakpoint(Question.contains, "é"),
        lambda run, merge: "é".encode() in content(run, merge.rank),
    ),
    (
        Breakpoint(Question.length, number=4),
        lambda run, merge: n_characters(content(run, merge.rank)) >= 4,
    ),
    (Breakpoint(Question.tie), lambda run, merge: merge.tied > 1),
]


@pytest.mark.parametrize(("point", "holds"), CASES, ids=[point.describe() for point, _ in CASES])
def test_a_breakpoint_asks_what_it_says(run, point, holds):
    wanted = ranks_where(run, lambda merge: holds(run, merge))
    assert wanted, "the text has such a merge"
    watch = Watch(run, [point])
    n = len(run.merges)
    assert watch.ranks(0, n) == wanted
    assert watch.first(0, n) == (wanted[0], point)
    assert watch.last(0, n) == (wanted[-1], point)
    assert watch.ranks(wanted[0] + 1, n) == wanted[1:]
    assert watch.first(wanted[-1] + 1, n) is None


@pytest.mark.parametrize("number", [1, 3, 4, 10, 10**9])
def test_a_count_falls_below_a_number_once(run, number):
    counts = [merge.count for merge in run.merges]
    wanted = (
        [next(rank for rank, count in enumerate(counts) if count < number)]
        if min(counts) < number
        else []
    )
    watch = Watch(run, [Breakpoint(Question.count_below, number=number)])
    n = len(counts)
    assert watch.ranks(0, n) == wanted
    assert [
        rank for begin in range(0, n, 7) for rank in watch.ranks(begin, min(n, begin + 7))
    ] == wanted
    for rank in wanted:
        assert watch.first(rank + 1, n) is None
        assert watch.ranks(0, rank) == []


@pytest.mark.parametrize(
    ("word", "is_window"), [("that", False), ("that", True), ("␣the", True), ("café", False)]
)
def test_a_word_becomes_one_token_at_the_merge_that_makes_it(run, word, is_window):
    watch = Watch(run, [Breakpoint(Question.word, word)], is_window=is_window)
    n = len(run.merges)
    (rank,) = watch.ranks(0, n)
    assert content(run, rank).decode().strip() == word.removeprefix("␣")
    bare = as_written(word)
    assert min(run.live(bare).n_tokens(rank + 1), run.live(" " + bare).n_tokens(rank + 1)) == 1
    assert min(run.live(bare).n_tokens(rank), run.live(" " + bare).n_tokens(rank)) > 1


def test_of_several_the_nearest_stops_and_those_that_are_off_do_not(run):
    length = Breakpoint(Question.length, number=4)
    tie = Breakpoint(Question.tie)
    n = len(run.merges)
    firsts = {point: Watch(run, [point]).first(0, n)[0] for point in (length, tie)}
    rank, point = Watch(run, [length, tie]).first(0, n)
    assert rank == min(firsts.values()) and firsts[point] == rank
    off = Watch(run, [Breakpoint(Question.tie, is_on=False), length])
    assert off.breakpoints == (length,)
    assert not Watch(run, [Breakpoint(Question.tie, is_on=False)])


def test_marks_are_kept_once_and_in_order(qtbot):
    marks = Marks()
    a = Breakpoint(Question.tie)
    b = Breakpoint(Question.contains, "a")
    with qtbot.waitSignal(marks.changed):
        marks.set_all(
            [a, b, Breakpoint(Question.tie, is_on=False)],
            [Bookmark(9, "x"), Bookmark(3, "y"), Bookmark(9, "z")],
        )
    assert marks.breakpoints == (Breakpoint(Question.tie, is_on=False), b)
    assert marks.bookmarks == (Bookmark(3, "y"), Bookmark(9, "z"))
    with qtbot.assertNotEmitted(marks.changed):
        marks.set_all(marks.breakpoints, marks.bookmarks)


def test_conditions_in_words():
    said = [
        point.describe()
        for point in (
            Breakpoint(Question.contains, "th"),
            Breakpoint(Question.length, number=1000),
            Breakpoint(Question.tie),
            Breakpoint(Question.count_below, number=12),
            Breakpoint(Question.word, "the"),
        )
    ]
    assert said == [
        "the token contains “th”",
        "the token has 1,000 or more characters",
        "a tie decides",
        "the pair's count falls below 12",
        "“the” becomes one token",
    ]
