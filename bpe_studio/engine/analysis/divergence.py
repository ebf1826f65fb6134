"""Finds where two runs over the same text diverge, and why.

Up to the first merge at which they differ, both runs have made the same tokens. There, each takes a
pair of its own, and the question is why it does not take the other's. Both pairs are counted in
both runs at that step, and the cause follows from the counts, the overrides and the settings. If
the counts differ, words of the text that show it are found, as each run splits and cuts them
(`divergence_words.py`). Nothing is guessed: if several causes cannot be distinguished, the result
is `together`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.analysis.divergence_words import (
    MeantPair,
    Side,
    WordCut,
    cuts_that_differ,
    group_that_differs,
    places_of,
)
from bpe_studio.engine.analysis.token_meaning import token_meanings
from bpe_studio.engine.options import ROLES
from bpe_studio.engine.training.candidates import is_new, left_out, rank_candidates, refusal
from bpe_studio.engine.training.corpus_array import Tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.analysis.run_difference import RunDifference
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.merge_log import Merge
    from bpe_studio.engine.training.overrides import Override

_TARGET_FIELDS = ("preset_name", "vocab_size", "merges")
_ALPHABET = (
    "units",
    "continuing",
    "word_end",
    "word_end_as",
    "limit_alphabet",
    "character_coverage",
)
_PIECES = (
    "split",
    "split_digits",
    "whole_characters",
    "one_script",
    "max_token_length",
    "superwords_words",
)
_CUT = ("split", "split_digits", "documents", "superwords_from", "superwords_split")
_ORDER = (
    "ties",
    "full_alphabet",
    "initial_alphabet",
    "special",
    *_ALPHABET,
    *_CUT,
    "normalize",
    "clean",
)


class Cause(StrEnum):
    """The cause of a divergence.

    `end`: one of them has no further merge at its step. `frequency`: in one of them no pair is as
    frequent as its settings require. `override`: the user forced, skipped or forbade a pair.
    `ties`: both pairs occur equally often in both, and the tie rule, or the order that it uses,
    differs. `special`: one run may not merge the other's pair, because it spells a special token.
    `pieces`: one run may not merge it because its options allow no such token. `weights`,
    `cleaning`, `normalization`, `cut`, `alphabet`: these settings make the counts differ.
    `together`: several settings do, and no single one could be distinguished.
    """

    end = "end"
    frequency = "frequency"
    override = "override"
    ties = "ties"
    special = "special"
    pieces = "pieces"
    weights = "weights"
    cleaning = "cleaning"
    normalization = "normalization"
    cut = "cut"
    alphabet = "alphabet"
    together = "together"


_FROM_COUNTS = (Cause.weights, Cause.cleaning, Cause.normalization, Cause.cut, Cause.alphabet)
"""The causes that make counts differ."""


@dataclass(frozen=True)
class DivergenceSide:
    """One of the runs at the divergence.

    Attributes:
        merge: the merge that it takes; `None` for none.
        own_count: how often its own pair occurs in it there; `None` without a merge.
        other_count: how often the other's pair occurs in it, added up if several of its pairs mean
            the same; `None` if the pair cannot occur there because a token is missing, or if the
            other run has no merge.
        ties: the tie rule at this step.
        leaves_out: "skip" or "forbid" if the user left the other's pair out here, else "".
        override: the override that applies to this merge in a branch; `None` for none.
    """

    merge: Merge | None
    own_count: int | None
    other_count: int | None
    ties: str
    leaves_out: str = ""
    override: Override | None = None


@dataclass(frozen=True)
class Divergence:
    """The place where two runs diverge, and the cause.

    Attributes:
        rank: the first merge that differs.
        a: the first run there.
        b: the second run there.
        cause: the cause.
        settings: the settings behind the cause that differ, by field name.
        differing: all settings that differ, except for the target.
        shown: the run whose pair the words show: "a", "b", or "" without words.
        words: up to 5 words that show the cause, the most frequent first.
    """

    rank: int
    a: DivergenceSide
    b: DivergenceSide
    cause: Cause
    settings: tuple[str, ...]
    differing: tuple[str, ...]
    shown: str = ""
    words: tuple[WordCut, ...] = ()


def explain_divergence(a: Run, b: Run, difference: RunDifference) -> Divergence | None:
    """The divergence of two runs over the same text.

    It takes passes over both corpora, so call it in a worker thread.

    Args:
        a: one run.
        b: the other.
        difference: the result of `compare_runs`.

    Returns:
        `None` if their merges are the same.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> from bpe_studio.engine.analysis.run_difference import compare_runs
    >>> config = TrainingConfig.preset("textbook", merges=2)
    >>> runs = [train(Corpus.from_text("Aha aha", c), c) for c in (config, config.replace(normalize="lowercase"))]
    >>> found = explain_divergence(*runs, compare_runs(*runs))
    >>> str(found.cause), found.b.merge.token, found.a.other_count, found.b.own_count, found.words[0].text
    ('normalization', 'ah', 1, 2, 'Aha')
    """  # noqa: E501
    rank = difference.rank
    if rank is None:
        return None
    meant_a, meant_b = token_meanings(a, b, rank, rank)
    one = _At(a, rank, difference.step_a, meant_a)
    other = _At(b, rank, difference.step_b, meant_b)
    one.look(other.pair)
    other.look(one.pair)
    differing = tuple(
        field.name
        for field in fields(a.config)
        if field.name not in _TARGET_FIELDS
        and getattr(a.config, field.name) != getattr(b.config, field.name)
    )
    found = Divergence(rank, one.side, other.side, Cause.together, differing, differing)
    cause = _cause_from_counts(one, other)
    if cause is not None:
        return replace(found, cause=cause, settings=_behind(cause, found))
    return _with_cause_from_words(found, one, other)


class _At:
    """A run at the step where it diverges from another.

    Attributes:
        run: the run.
        rank: the step.
        meant: the meaning of each of its tokens, by id.
        pair: the pair that it merges there; `None` for none.
        tokens: its corpus there.
        side: the facts of this run.
        n_exact: how many of its own pairs mean the same as the other's pair.
        refused: the reason why it may not merge the other's pair, "special" or "pieces", or "".
    """

    def __init__(self, run: Run, rank: int, step: int, meant: Sequence[str]) -> None:
        run = run.at(rank)
        self.run = run
        self.rank = rank
        self.meant = meant
        self.has_merge = rank < step
        columns = run.columns
        self.pair: MeantPair | None = None
        if self.has_merge:
            self.pair = (meant[columns.left[rank]], meant[columns.right[rank]])
        self.tokens: Tokens = run.tokens_at(rank)
        self.n_exact = 0
        self.refused = ""
        override = next((each for each in run.plan.overrides if each.step == rank), None)
        merge = run.merges[rank] if self.has_merge else None
        own = None if merge is None else merge.count
        self.side = DivergenceSide(merge, own, None, run.plan.ties_at(rank), override=override)

    def look(self, pair: MeantPair | None) -> None:
        """Count the other's pair here, and find out whether it is left out."""
        if pair is None:
            return
        if any(each not in self.meant for each in pair):
            return
        places = places_of(pair, self.tokens, self.meant)
        exact = np.unique(
            self.tokens.ids[places].astype(np.int64) << 32 | self.tokens.ids[places + 1]
        )
        self.n_exact = len(exact)
        if self.n_exact == 1:
            own = divmod(int(exact[0]), 1 << 32)
            if not is_new(self.run, own, self.rank):
                self.refused = "special"
            elif refusal(self.run, own):
                self.refused = "pieces"
        out = left_out(self.run, self.rank)
        how = [
            said for ids, said in out.items() if (self.meant[ids[0]], self.meant[ids[1]]) == pair
        ]
        count = int(self.run.layout.weights[self.tokens.words[places]].sum())
        leaves_out = how[0] if how else ""
        self.side = replace(self.side, other_count=count, leaves_out=leaves_out)

    @property
    def is_forced(self) -> bool:
        """Whether its merge was forced."""
        return self.side.merge is not None and self.side.merge.forced

    @property
    def is_tied(self) -> bool:
        """Whether the other's pair occurs as often as its own."""
        return self.side.own_count is not None and self.side.own_count == self.side.other_count

    def has_ended(self) -> bool:
        """Whether no pair occurs often enough to be merged here."""
        if self.rank < len(self.run.columns):
            return False
        least = max(1, self.run.config.min_frequency)
        return all(pair.count < least for pair in rank_candidates(self.run, self.rank, 1))


def _cause_from_counts(one: _At, other: _At) -> Cause | None:
    """The cause, if overrides and counts are enough to tell it."""
    if not (one.has_merge and other.has_merge):
        without = [at for at in (one, other) if not at.has_merge]
        if any(at.has_ended() for at in without):
            return Cause.frequency
        return Cause.end
    if one.is_forced or other.is_forced or one.side.leaves_out or other.side.leaves_out:
        return Cause.override
    refused = {
        at.refused for at in (one, other) if (at.side.other_count or 0) >= (at.side.own_count or 0)
    }
    for cause in (Cause.special, Cause.pieces):
        if cause.value in refused:
            return cause
    if one.is_tied and other.is_tied and max(one.n_exact, other.n_exact) < 2:
        return Cause.ties
    return None


def _behind(cause: Cause, found: Divergence) -> tuple[str, ...]:
    """The settings that differ and that belong to a cause."""
    differing = found.differing
    if cause is Cause.frequency:
        return tuple(name for name in differing if name == "min_frequency")
    if cause is Cause.override:
        return tuple(name for name in differing if name in ("force", "forbid"))
    if cause is Cause.ties:
        if found.a.ties != found.b.ties:
            return tuple(name for name in differing if name == "ties")
        return tuple(name for name in differing if name in _ORDER)
    groups = {
        Cause.special: ("special", "unknown", *ROLES, "template"),
        Cause.pieces: _PIECES,
        Cause.weights: ("weight", "alpha"),
        Cause.cleaning: ("clean",),
        Cause.normalization: ("normalize",),
        Cause.cut: _CUT,
        Cause.alphabet: _ALPHABET,
    }
    return tuple(name for name in differing if name in groups.get(cause, differing))


def _with_cause_from_words(found: Divergence, one: _At, other: _At) -> Divergence:
    """The divergence with the cause of different counts, and words that show it."""
    sides = [
        Side(at.run, found.rank, at.tokens, at.meant, number)
        for number, at in enumerate((one, other))
    ]
    counts = ((found.a.own_count, found.b.other_count), (found.a.other_count, found.b.own_count))
    gaps = [(pair[0] or 0) - (pair[1] or 0) for pair in counts]
    assert one.pair is not None and other.pair is not None
    pairs = one.pair, other.pair
    # The pair whose counts differ more; if equal, the more frequent one, so that the order of the
    # runs does not matter.
    number = max(
        (0, 1),
        key=lambda side: (abs(gaps[side]), max(count or 0 for count in counts[side]), pairs[side]),
    )
    pair = pairs[number]
    # Words are taken from the run in which it occurs more often.
    more = number
    if gaps[number] > 0:
        more = 0
    elif gaps[number] < 0:
        more = 1
    words = cuts_that_differ(sides[more], sides[1 - more], pair)
    groups = [
        cause
        for cause in _FROM_COUNTS
        if _behind(cause, found)
        and (cause is Cause.alphabet or one.run.corpus is not other.run.corpus)
    ]
    if len(groups) == 1:
        cause = groups[0]
    elif max(one.n_exact, other.n_exact) > 1 and Cause.alphabet in groups:
        cause = Cause.alphabet
    else:
        cause = Cause.together
        if groups:
            name = group_that_differs(sides[more], sides[1 - more], pair, words)
            if name and Cause(name) in groups:
                cause = Cause(name)
    shown = "ab"[number] if words else ""
    return replace(found, cause=cause, settings=_behind(cause, found), shown=shown, words=words)
