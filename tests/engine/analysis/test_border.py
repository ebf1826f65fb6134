"""Borders between tokens, against words that are cut one by one and runs that are trained to their
end.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine import textbook
from bpe_studio.engine.analysis.border import (
    Border,
    BorderKind,
    Meeting,
    Obstacle,
    explain_border,
    meetings_at,
)
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.training.candidates import rank_candidates
from tests.engine import corpora
from tests.engine.rules import RULES, Rule, every_rule, trained
from tests.examples import IN_EACH_OF_MANY, examples

FEW = ("first-seen", "huggingface", "sentencepiece", "subword-nmt")
few_rules = pytest.mark.parametrize("rule", [RULES[name] for name in FEW], ids=FEW)
_train = partial(trained, merges=6)


def _cut(run: bpe.Run, step: int) -> list[list[int]]:
    return [run.words_at(step).cut(word) for word in range(len(run.corpus))]


def _sizes(run: bpe.Run, ids: list[int]) -> list[int]:
    """How many symbols each token has, found by taking it apart."""
    columns = run.columns

    def size(token: int) -> int:
        rank = run.rank_of(token)
        return 1 if rank < 0 else size(int(columns.left[rank])) + size(int(columns.right[rank]))

    return [size(token) for token in ids]


def _pair_at(run: bpe.Run, ids: list[int], place: int) -> tuple[int, int] | None:
    """The two tokens of a word that meet before a symbol; None where one token holds both sides."""
    at = 0
    for (left, right), size in zip(pairwise(ids), _sizes(run, ids), strict=False):
        at += size
        if at == place:
            return left, right
    return None


def _explain(run: bpe.Run, word: int, place: int, step: int) -> Border:
    start = run.layout.word_starts[word]
    stop = run.layout.word_starts[word + 1] - 1
    return explain_border(run, run.layout.symbols[start:stop], run.gaps[start:stop], place, step)


def _meetings(run: bpe.Run, word: int, place: int) -> tuple[Meeting, ...]:
    start = run.layout.word_starts[word]
    stop = run.layout.word_starts[word + 1] - 1
    symbols = run.layout.symbols[start:stop]
    gaps = run.gaps[start:stop]
    return meetings_at(run, symbols, gaps, place, len(run.merges))


def _borders(run: bpe.Run) -> list[tuple[int, int]]:
    lengths = [int(b - a) - 1 for a, b in pairwise(run.layout.word_starts)]
    return [(word, place) for word, length in enumerate(lengths) for place in range(1, length)]


@every_rule
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=corpora.texts(max_words=6))
@example(text="aaaa aaaaa aaaa")
@example(text="abab abab")
def test_the_meetings_of_a_border_are_the_tokens_there_at_every_step(rule: Rule, text: str) -> None:
    run = _train(rule, text)
    cuts = [_cut(run, step) for step in range(len(run.merges) + 1)]
    merged = list(zip(run.columns.left.tolist(), run.columns.right.tolist(), strict=True))
    for word, place in _borders(run):
        expected = [_pair_at(run, cut[word], place) for cut in cuts]
        n_open = len(expected) - expected.count(None)
        assert None not in expected[:n_open]
        meetings = _meetings(run, word, place)
        found = [
            next(m for m in reversed(meetings) if m.first_step <= step) for step in range(n_open)
        ]
        assert [(meeting.left, meeting.right) for meeting in found] == expected[:n_open]
        assert (
            meetings[-1].ended_by == (n_open - 1 if None in expected else NEVER)
            and meetings[-1].is_last
        )
        for before, after in pairwise(meetings):
            assert (before.takes_left, before.takes_right) == (
                before.left != after.left,
                before.right != after.right,
            )
            assert after.first_step == before.ended_by + 1 and not before.is_last
        for meeting in meetings:
            pair = (meeting.left, meeting.right)
            assert meeting.merge == (merged.index(pair) if pair in merged else NEVER)
            assert meeting.merge >= meeting.ended_by


@few_rules
@given(text=corpora.texts(max_words=6), step=st.integers(0, 6), number=st.integers(0, 99))
@example(text="aaaa aaaaa aaaa", step=1, number=1)
def test_a_pair_is_counted_as_in_the_textbook(
    rule: Rule, text: str, step: int, number: int
) -> None:
    run = _train(rule, text)
    step = min(step, len(run.merges))
    borders = _borders(run)
    counts = run.corpus.counts.tolist()

    def counted(at: int, pair: tuple[int, int]) -> tuple[int, int]:
        times = [sum(two == pair for two in pairwise(ids)) for ids in _cut(run, at)]
        return sum(n * count for n, count in zip(times, counts, strict=True)), sum(map(bool, times))

    for word, place in borders[number % len(borders) :][:3] if borders else ():
        border = _explain(run, word, place, step)
        assert border.pair == _pair_at(run, run.words_at(step).cut(word), place)
        if border.pair is not None:
            assert (border.now.count, border.now.n_words) == counted(step, border.pair)
        if border.rank is None:
            last = border.meetings[-1]
            assert (border.at_end.count, border.at_end.n_words) == counted(
                len(run.merges), (last.left, last.right)
            )
            assert border.at_end.count > 0


@few_rules
@given(text=corpora.texts(max_words=8), n_merges=st.integers(0, 5), is_forbidden=st.booleans())
@example(text="aaaa aaaaa aaaa", n_merges=1, is_forbidden=False)
@example(text="abab ab b", n_merges=0, is_forbidden=True)
def test_what_is_said_of_training_on_holds_when_it_goes_on(
    rule: Rule, text: str, n_merges: int, is_forbidden: bool
) -> None:
    """The borders of a short run, against the same run trained until nothing is left to merge."""
    whole = _train(rule, text, merges=10_000)
    forbid = (
        [(merge.left, merge.right) for merge in whole.merges[n_merges : n_merges + 1]]
        if is_forbidden
        else []
    )
    run = _train(rule, text, merges=n_merges, forbid=forbid)
    if forbid:
        whole = _train(rule, text, merges=10_000, forbid=forbid)
    end = len(run.merges)
    merged = {
        (int(whole.columns.left[rank]), int(whole.columns.right[rank])): rank
        for rank in range(end, len(whole.merges))
    }
    candidates = rank_candidates(run, end, 10_000)
    for word, place in _borders(run):
        if _meetings(run, word, place)[-1].ended_by != NEVER:
            continue
        border = _explain(run, word, place, end)
        later = _meetings(whole, word, place)
        pair = border.pair
        assert pair is not None and len(later) >= len(border.meetings)
        assert [(m.left, m.right) for m in later[: len(border.meetings)]] == [
            (m.left, m.right) for m in border.meetings
        ]
        if border.obstacle is not None:
            assert pair not in merged and border.about_rank is None
            # Of a word with one border nothing else can take one of the two.
            if len(run.words_at(end).cut(word)) == 2:
                assert later[-1].ended_by == NEVER
            assert (border.obstacle is Obstacle.forbidden) == (
                tuple(map(run.token_name, pair)) in forbid
            )
            continue
        assert border.n_ahead == sum(each.count > border.at_end.count for each in candidates)
        assert border.n_tied == sum(each.count == border.at_end.count for each in candidates) - 1
        if border.n_ahead == border.n_tied == 0:
            assert merged[pair] == end == border.about_rank


@given(text=corpora.texts(max_words=6), n_merges=st.integers(0, 8))
def test_a_border_closes_where_the_textbook_closes_the_gap(text: str, n_merges: int) -> None:
    config = bpe.TrainingConfig.preset("textbook", merges=n_merges, split="whitespace")
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    merges = [textbook.Merge(m.left, m.right, m.token, m.count) for m in run.merges]
    for word in run.corpus.pre_tokens():
        for place, rank in enumerate(textbook.gap_ranks(word, merges), 1):
            assert bpe.why_border(run, word, place).rank == (
                None if rank == textbook.NEVER else rank
            )


def _hugs(**options: object) -> bpe.Run:
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    config = bpe.TrainingConfig.preset("textbook", **({"merges": 3} | options))
    return bpe.train(bpe.Corpus.from_counts(counts, config), config)


def test_a_border_names_the_earlier_merge_that_took_a_side() -> None:
    run = _hugs()
    border = bpe.why_border(run, "hugs", 1, step=1)
    assert [(run.token_name(m.left), run.token_name(m.right)) for m in border.meetings] == [
        ("h", "u"),
        ("h", "ug"),
    ]
    assert (border.at_step, border.rank) == (1, 2)
    first = border.meetings[0]
    assert (first.ended_by, first.takes_left, first.takes_right, first.merge) == (
        0,
        False,
        True,
        NEVER,
    )
    # The run merges u + n, but the u is taken by u + g in "ugn": the border before n stays.
    border = bpe.why_border(run, "bugn", 3)
    assert run.token_name(border.meetings[0].left) == "g" and border.meetings[0].merge == NEVER


def test_special_tokens_and_splits_are_never_crossed() -> None:
    config = bpe.TrainingConfig.preset("gpt2", merges=20)
    run = bpe.train(bpe.Corpus.from_text("a hug hugs\na hug\n" * 4, config), config)
    assert bpe.why_border(run, "a hug", 1).kind is BorderKind.split
    text = "hug<|endoftext|>hug"
    assert bpe.why_border(run, text, 3).kind is BorderKind.special
    assert bpe.why_border(run, text, 16).kind is BorderKind.special
    assert bpe.why_border(run, text, 3, recognize_special=False).kind is BorderKind.split
    assert bpe.why_border(run, text, 17) == bpe.why_border(run, "hug", 1)
    with pytest.raises(
        bpe.VocabularyError,
        match=r"Place 5 of the text is inside the special token '<\|endoftext\|>'",
    ):
        bpe.why_border(run, text, 5)
