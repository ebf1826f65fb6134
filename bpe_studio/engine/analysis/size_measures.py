"""The use of the vocabulary by a corpus or a text, at several vocabulary sizes.

Nothing is encoded again for a size. Each gap that a merge closes makes one token and uses up two,
so the number of occurrences of every token at every step follows from three things: how often each
symbol occurs, how many gaps each merge closes, and which two tokens each merge joins. One pass over
the text finds them; a size is then a few sums over the vocabulary. `size_curves.py` has the number
of tokens at every step.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.analysis.rare_tokens import RARE_BELOW
from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.bulk_encoding import n_by_rank
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.text.outside_alphabet import UNKNOWN

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

SHARE = 0.9
"""The share of all occurrences that the working tokens make up."""
_LOOKED = 64
_MOST_LOOKED = 20_000
"""The longest words that are checked for letters, at first and at most: 5 ms per thousand."""


@dataclass(frozen=True)
class VocabularyUse:
    """The part of a vocabulary that a text uses, without special tokens.

    Attributes:
        n_unused: tokens that do not occur in the text.
        n_rare: tokens that occur fewer times than a threshold, unused ones included.
        n_working: the fewest tokens that make up a share of all occurrences; 0 if there are none.
        working_share: their share of the vocabulary.
    """

    n_unused: int
    n_rare: int
    n_working: int
    working_share: float


@dataclass(frozen=True)
class TokenUses:
    """The use of a vocabulary by a text, from which the count of each token at every step follows.

    Attributes:
        symbols: (alphabet,) int64, the count of each symbol before the first merge.
        closed: (n_merges,) int64, the number of gaps that each merge closes.
        left: (n_merges,) int32, the left token of each merge.
        right: (n_merges,) int32, the right token.
        n_unknown: tokens that are not in the vocabulary at any step, or are special.
        first: the uses for the steps of the first of two stages; `None` if there is one stage.
        n_first: the step at which the second stage begins.
    """

    symbols: Int64Array
    closed: Int64Array
    left: Int32Array
    right: Int32Array
    n_unknown: int = 0
    first: TokenUses | None = None
    n_first: int = 0

    @classmethod
    def of_stages(
        cls, run: Run, n_merges: int, uses_of: Callable[[Run, int], TokenUses]
    ) -> TokenUses:
        """The uses of each stage, by a function that takes the run of a stage and its last step."""
        stage = run.at(n_merges)
        uses = uses_of(stage, n_merges)
        if stage is run.at(0):
            return uses
        first = uses_of(run.at(0), run.n_first)
        return replace(uses, first=first, n_first=run.n_first)

    @classmethod
    def of_corpus(cls, run: Run, n_merges: int) -> TokenUses:
        """The uses of the run's own corpus, whose gaps the trainer has counted."""
        run.check_step(n_merges)
        left = run.columns.left
        right = run.columns.right

        def uses_of(stage: Run, end: int) -> TokenUses:
            closed = -np.diff(stage.own_curve(end))
            return cls(stage.initial_counts, closed, left[:end], right[:end])

        return cls.of_stages(run, n_merges, uses_of)

    @classmethod
    def of_gaps(
        cls,
        run: Run,
        symbols: Int32Array,
        gaps: Int32Array,
        n_merges: int,
        weights: Int64Array | None = None,
    ) -> TokenUses:
        """The uses of any text.

        Args:
            run: the run whose merges apply.
            symbols: (n,) int32, the symbols of the text; below 0 for unknown ones and for special
                tokens.
            gaps: (n,) int32, the rank that closes the gap before each; below 0 if unknown symbols
                form one token.
            n_merges: the last step.
            weights: (n,) int64, the weight of each symbol; `None` for 1.
        """
        run.check_step(n_merges)
        begins_unknown = (symbols < 0) & (gaps >= 0)
        n_unknown = np.count_nonzero(begins_unknown)
        if weights is not None:
            n_unknown = weights[begins_unknown].sum()
        return cls(
            tally(np.maximum(symbols, UNKNOWN), weights, run.n_alphabet),
            tally(gaps, weights, n_merges),
            run.columns.left[:n_merges],
            run.columns.right[:n_merges],
            int(n_unknown),
        )

    def counts_at(self, steps: Iterable[int]) -> Iterator[tuple[int, Int64Array]]:
        """(step, counts) for each step in rising order.

        Counts is (alphabet + step,) int64, by token.
        """
        steps = sorted(set(steps))
        if self.first is not None:
            yield from self.first.counts_at(step for step in steps if step < self.n_first)
            steps = [step for step in steps if step >= self.n_first]
        counts = np.concatenate([self.symbols, self.closed])
        done = 0
        for step in steps:
            for side in (self.left, self.right):
                np.subtract.at(counts, side[done:step], self.closed[done:step])
            done = step
            yield step, counts[: len(self.symbols) + step]


def vocabulary_use(counts: Int64Array, rare: int = RARE_BELOW) -> VocabularyUse:
    """The part of a vocabulary that is used, from (v,) int64, the count of each token in a text."""
    used = np.sort(counts[counts > 0])[::-1]
    sums = np.cumsum(used)
    n_working = 0
    if len(sums):
        # A share such as 0.9 is not exact in binary: rounding must not add one to a whole number of
        # occurrences.
        needed = min(int(sums[-1]), math.ceil(SHARE * int(sums[-1]) * (1 - 1e-12)))
        n_working = int(np.searchsorted(sums, needed)) + 1
    return VocabularyUse(
        n_unused=len(counts) - len(used),
        n_rare=int(np.count_nonzero(counts < rare)),
        n_working=n_working,
        working_share=n_working / max(len(counts), 1),
    )


def longest_words(run: Run, n: int = 8) -> Int64Array:
    """(k,) int64, the numbers of the longest pre-tokens, in characters.

    Among equally long ones, the more frequent comes first, then the one that was seen first. Those
    without a letter, such as ruled lines, come after all others. `Run.words_at` has their tokens at
    a step.
    """
    corpus = run.corpus
    if not len(corpus) or n < 1:
        return np.zeros(0, np.int64)
    begins: npt.NDArray[np.int32] = ((corpus.blob & 0xC0) != 0x80).astype(np.int32)
    lengths = np.add.reduceat(begins, corpus.offsets[:-1])
    n_looked = _LOOKED
    while True:
        # Only as many as are needed are sorted.
        n_looked = min(max(n, n_looked), len(lengths))
        least = np.partition(lengths, len(lengths) - n_looked)[len(lengths) - n_looked]
        words = np.flatnonzero(lengths >= least)
        words = words[np.lexsort((words, -corpus.counts[words], -lengths[words]))]
        spelt = np.array(
            [_has_letter(corpus.pre_token(word)) for word in words[:_MOST_LOOKED].tolist()],
            np.bool_,
        )
        words = words[: len(spelt)]
        if np.count_nonzero(spelt) >= n or len(words) == len(lengths) or len(words) >= _MOST_LOOKED:
            return np.concatenate([words[spelt], words[~spelt]])[:n].astype(np.int64)
        n_looked *= 8


def _has_letter(word: str) -> bool:
    return any(character.isalpha() for character in word)


def tally(values: Int32Array, weights: Int64Array | None, size: int) -> Int64Array:
    """(size,) int64, the count of each value from 0 to size - 1, exact for weights of any size.

    Args:
        values: (n,) int32, at least -1; -1, and values from `size` on, are not counted.
        weights: (n,) int64, the weight of each; `None` for 1.
        size: the number of values.
    """
    if weights is None and loader.choose("encoding", len(values))[1]:
        # -1 is counted in the last entry, with what is beyond the size.
        return n_by_rank(values, size)[:size]
    kept = (values >= 0) & (values < size)
    if weights is None:
        return np.bincount(values[kept], minlength=size).astype(np.int64)
    # Not by `bincount`, which adds weights up as floats.
    counts = np.zeros(size, np.int64)
    np.add.at(counts, values[kept], weights[kept])
    return counts
