"""The facts about every token of a step, as columns, and a filter for them.

A row is a token: first the special ones, then the alphabet, then one for each merge. Counting the
tokens takes a pass over the corpus, so the window does it in its thread pool.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.analysis.rare_tokens import RARE_BELOW
from bpe_studio.engine.analysis.token_traits import TokenTraits
from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.text.unicode_scripts import ANY_SCRIPT, MIXED, NO_SCRIPT, SCRIPTS
from bpe_studio.errors import BpeError
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.wording import number, plural

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.doctor.examination import ExaminedToken

BEING_CHECKED = "the tokens are being checked"
FEW = 4_000
"""A vocabulary of at most this size is checked while it is counted."""
NO_COUNT = -1
"""Stands for a count that is not known: that of a special token, and any without a corpus."""
LENGTHS = ((1, 1), (2, 2), (3, 3), (4, 6), (7, 10), (11, 15), (16, 2**31 - 1))
"""The ranges of lengths, in characters, that can be chosen."""


class TokenState(Enum):
    """A kind of token, or its use. A token may be in several states at once.

    Attributes:
        unused: it does not occur in the corpus at the step.
        rare: it occurs less often than a number, or never.
        unreachable: no text is encoded as it, as the doctor finds.
        partial: it is part of a character.
        special: it is a special token.
        base: it is a symbol of the alphabet.
        reachable: it is not special, partial or unreachable.
    """

    unused = "never used"
    rare = "rare"
    unreachable = "unreachable"
    partial = "part of a character"
    special = "special"
    base = "alphabet"
    reachable = "reachable"


@dataclass(frozen=True)
class VocabularyFilter:
    """A filter that leaves the tokens for which all of its conditions hold.

    Attributes:
        state: a state; None for any.
        rare_below: the count below which a token is rare.
        script: the number of a script in `SCRIPTS`; None for any.
        length: the least and the greatest number of characters; None for any.
    """

    state: TokenState | None = None
    rare_below: int = RARE_BELOW
    script: int | None = None
    length: tuple[int, int] | None = None


@dataclass(frozen=True)
class Vocabulary:
    """Every token of a run at a step; each array has a row for each token.

    Attributes:
        run, step: the question.
        n_special: the number of special tokens, which are the first rows.
        ids: (r,) int64, the ids in the tokenizer of the step.
        counts: (r,) int64, the count of each token in the corpus at the step; `NO_COUNT` for
            special tokens.
        created: (r,) int64, the count of the token's pair when it was merged; for a symbol, its
            count before the first merge.
        n_bytes: (r,) int32.
        n_characters: (r,) int32, whole characters.
        scripts: (r,) int32, numbers in `SCRIPTS`.
        is_partial: (r,) bool, whether the token is part of a character.
        unreachable: the unreachable tokens with their reasons, by internal id; None while the
            tokens are being checked.
    """

    run: Run
    step: int
    n_special: int
    ids: Int64Array
    counts: Int64Array
    created: Int64Array
    n_bytes: Int32Array
    n_characters: Int32Array
    scripts: Int32Array
    is_partial: npt.NDArray[np.bool_]
    unreachable: Mapping[int, ExaminedToken] | None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def is_counted(self) -> bool:
        """Whether the counts of the tokens are known: a text is open."""
        return bool((self.counts != NO_COUNT).any())

    @cached_property
    def is_special(self) -> npt.NDArray[np.bool_]:
        """(r,) bool, whether each token is special."""
        special = np.arange(len(self)) < self.n_special
        added = self.n_special + self.run.added_tokens()
        special[added[added < len(self)]] = True
        return special

    @cached_property
    def is_unreachable(self) -> npt.NDArray[np.bool_]:
        """(r,) bool, whether each token is unreachable; all false while they are being checked."""
        found = np.zeros(len(self), np.bool_)
        found[[self.n_special + token for token in self.unreachable or ()]] = True
        return found

    def token(self, row: int) -> int:
        """The internal id of a row's token; -1 for a special one."""
        return row - self.n_special if row >= self.n_special else -1

    def holding(self, state: TokenState, rare_below: int = RARE_BELOW) -> npt.NDArray[np.bool_]:
        """(r,) bool, whether each token is in a state."""
        rows = np.arange(len(self))
        if state is TokenState.unused:
            return np.asarray(self.counts == 0)
        if state is TokenState.rare:
            return np.asarray((self.counts >= 0) & (self.counts < rare_below))
        if state is TokenState.partial:
            return self.is_partial
        if state is TokenState.unreachable:
            return self.is_unreachable
        if state is TokenState.special:
            return self.is_special
        if state is TokenState.reachable:
            return np.asarray(~(self.is_special | self.is_partial | self.is_unreachable))
        return np.asarray(~self.is_special & (rows < self.n_special + self.run.n_alphabet))

    def why_unknown(self, state: TokenState | None) -> str:
        """The reason why the tokens in a state are not known; "" if they are."""
        if state in (TokenState.unused, TokenState.rare) and not self.is_counted:
            return "no text is open to count the tokens in"
        is_checked = self.unreachable is not None or state not in (
            TokenState.unreachable,
            TokenState.reachable,
        )
        return "" if is_checked else BEING_CHECKED

    def never_used(self) -> str:
        """A sentence about the merges and symbols that are never used; "" if that is not known."""
        if not self.is_counted:
            return ""
        is_unused = self.holding(TokenState.unused)
        n_unused = int(is_unused.sum())
        n_merges = int(is_unused[self.n_special + self.run.n_alphabet :].sum())
        symbol = "byte" if self.run.config.units == "bytes" else "symbol"
        if not n_unused:
            return "Every token is used."
        parts = [
            plural(n, noun) for n, noun in ((n_merges, "merge"), (n_unused - n_merges, symbol)) if n
        ]
        are = "is" if n_unused == 1 else "are"
        return (
            f"{number(n_unused)} of {plural(len(self), 'token')} {are} never used:"
            f" {' and '.join(parts)}."
        )

    def states(self, row: int, rare_below: int = RARE_BELOW) -> list[TokenState]:
        """The states of one token, without `reachable`."""
        count = int(self.counts[row])
        is_special = bool(self.is_special[row])
        held = {
            TokenState.special: is_special,
            TokenState.unused: count == 0,
            TokenState.rare: 0 <= count < rare_below,
            TokenState.unreachable: bool(self.is_unreachable[row]),
            TokenState.partial: bool(self.is_partial[row]),
            TokenState.base: not is_special and row < self.n_special + self.run.n_alphabet,
        }
        return [state for state, holds in held.items() if holds]

    def matching(self, wanted: VocabularyFilter) -> npt.NDArray[np.bool_] | None:
        """(r,) bool, whether a filter leaves each token; None if it leaves all."""
        masks = []
        if wanted.state is not None:
            masks.append(self.holding(wanted.state, wanted.rare_below))
        if wanted.script is not None:
            masks.append(self.scripts == wanted.script)
        if wanted.length is not None:
            least, most = wanted.length
            masks.append((self.n_characters >= least) & (self.n_characters <= most))
        return np.logical_and.reduce(masks) if masks else None

    def present_scripts(self) -> list[int]:
        """The scripts that tokens are in, the most frequent first."""
        counts = np.bincount(self.scripts, minlength=len(SCRIPTS))
        order: list[int] = np.argsort(-counts, kind="stable").tolist()
        return [number for number in order if counts[number]]


def vocabulary_at(run: Run, step: int, traits: TokenTraits) -> Vocabulary:
    """Every token of a run at a step; a pass over the corpus.

    This also finds the unreachable tokens of a small vocabulary. Those of a large one are known
    once `finding_unreachable` has found them.
    """
    from bpe_studio.explain.doctor.unreachable import finding_unreachable, known_unreachable

    n = run.token_of(step)
    specials = list(run.lone_specials)
    own = traits.first(n)
    counts = run.token_counts_at(step)
    created = np.concatenate([run.initial_counts, run.columns.count[:step].astype(np.int64)])
    if not has_pairs(run):
        counts = created = np.full(n, NO_COUNT, np.int64)
    if n <= FEW:
        with suppress(BpeError):  # the last step has a tokenizer, whatever this one has
            result_of(finding_unreachable(run, step))
    none = np.full(len(specials), NO_COUNT, np.int64)
    contents = [name.encode("utf-8", "surrogatepass") for name in specials]
    sizes = np.array(list(map(len, contents)), np.int32)
    lengths = np.array(list(map(len, specials)), np.int32)
    return Vocabulary(
        run,
        step,
        len(specials),
        run.external_ids(step),
        np.concatenate([none, counts]),
        np.concatenate([none, created]),
        np.concatenate([sizes, own.n_bytes]),
        np.concatenate([lengths, own.n_characters]),
        np.concatenate([np.full(len(specials), NO_SCRIPT, np.int32), own.scripts]),
        np.concatenate([np.zeros(len(specials), np.bool_), own.is_partial]),
        known_unreachable(run, step),
    )


def script_text(number: int) -> str:
    """The name of a script for people.

    >>> [script_text(number) for number in (NO_SCRIPT, ANY_SCRIPT, MIXED)]
    ['no whole character', 'Common (digits, signs, spaces)', 'Mixed']
    """
    if number == NO_SCRIPT:
        return "no whole character"
    if number == ANY_SCRIPT:
        return "Common (digits, signs, spaces)"
    return SCRIPTS[number].replace("_", " ")


def length_text(length: tuple[int, int]) -> str:
    """A range of lengths in words.

    >>> length_text((1, 1)), length_text((4, 6)), length_text(LENGTHS[-1])
    ('1 character', '4 to 6 characters', '16 characters or more')
    """
    least, most = length
    if least == most:
        return plural(least, "character")
    if most == LENGTHS[-1][1]:
        return f"{least} characters or more"
    return f"{least} to {most} characters"


__all__ = [
    "BEING_CHECKED",
    "LENGTHS",
    "MIXED",
    "NO_COUNT",
    "RARE_BELOW",
    "TokenState",
    "TokenTraits",
    "Vocabulary",
    "VocabularyFilter",
    "length_text",
    "script_text",
    "vocabulary_at",
]
