"""Measures of how evenly a text uses its tokens: the efficiencies of Shannon and Rényi, and the
Gini coefficient.

An efficiency is the entropy of the tokens of a text, divided by the most that it could be with as
many distinct ones: 1 if all occur equally often. Source: Zouhar et al. 2023, *Tokenization and the
Noiseless Channel*, which recommends the order 2.5. Only tokens that occur count as vocabulary, as
in the program published with the paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arguments import shown
from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.errors import ConfigError

Float64Array = npt.NDArray[np.float64]
SHANNON = 1.0
"""The order at which the entropy of Rényi is that of Shannon."""
_SUMMED_AGAIN = 1024
"""Steps after which a running sum is made anew, so that errors of rounding do not add up."""


def efficiency(counts: Int64Array, alpha: float) -> float:
    """The efficiency of a text's tokens.

    Args:
        counts: (v,) int64, how often each token occurs; those that do not occur make no difference.
        alpha: the order of the entropy; 1 for Shannon's.

    Returns:
        From 0 to 1; 0 if fewer than two distinct tokens occur.

    >>> round(efficiency(np.array([4, 1, 1, 1, 1]), 2.5), 4)
    0.669
    >>> efficiency(np.array([3, 3, 3, 0]), 2.0)
    1.0
    """
    used = counts[counts > 0].astype(np.float64)
    return _efficiency(float(_terms(used, alpha).sum()), float(used.sum()), len(used), alpha)


def gini(counts: Int64Array, n_vocabulary: int) -> float:
    """The Gini coefficient of how often the tokens of a vocabulary occur.

    Args:
        counts: (v,) int64, how often tokens occur.
        n_vocabulary: the size of the vocabulary; tokens that are not among the counts do not occur.

    Returns:
        From 0, if all occur equally often, to almost 1, if one of them is the whole text.

    >>> gini(np.array([2, 2]), 2), gini(np.array([4]), 4)
    (0.0, 0.75)
    """
    used = np.sort(counts[counts > 0]).astype(np.float64)
    size = max(n_vocabulary, len(used))
    if not len(used):
        return 0.0
    places = np.arange(size - len(used) + 1, size + 1)
    return max(0.0, float(((2 * places - size - 1) * used).sum() / (size * used.sum())))


_MOST_ORDER = 16
"""The largest order: to a higher power, the largest count does not fit a float."""


def checked_order(alpha: float) -> float:
    """The order of an entropy.

    Raises:
        ConfigError: it is not a number above 0.
    """
    if (
        isinstance(alpha, bool)
        or not isinstance(alpha, int | float)
        or not 0 < alpha <= _MOST_ORDER
    ):
        raise ConfigError(
            f"alpha is a number above 0 and at most {_MOST_ORDER}, not {shown(alpha)}"
        )
    return float(alpha)


@dataclass(frozen=True)
class CorpusSteps:
    """The tokens of a corpus at every step, from which the measures of each step follow.

    Attributes:
        symbols: (alphabet,) int64, the count of each symbol before the first merge.
        left: (n_merges,) int32, the left token of each merge.
        right: (n_merges,) int32, the right token.
        n_tokens: (n_merges + 1,) int64, the tokens of the corpus at each step.
    """

    symbols: Int64Array
    left: Int32Array
    right: Int32Array
    n_tokens: Int64Array

    def efficiencies(self, alpha: float) -> Float64Array:
        """(n_merges + 1,) float64, the efficiency at each step; see `efficiency`."""
        found = zip(self._sums(alpha), self.n_tokens.tolist(), strict=True)
        return np.array(
            [_efficiency(total, n_tokens, n_used, alpha) for (total, n_used), n_tokens in found]
        )

    def n_used(self) -> Int64Array:
        """(n_merges + 1,) int64, how many tokens occur at each step."""
        return np.array([n_used for _, n_used in self._sums(SHANNON)], np.int64)

    def _sums(self, alpha: float) -> Iterator[tuple[float, int]]:
        """The sum of the terms of all tokens at each step, and how many tokens occur."""
        counts: list[int] = self.symbols.tolist()
        total, n_used = _summed(counts, alpha)
        yield total, n_used
        closed = (self.n_tokens[:-1] - self.n_tokens[1:]).tolist()
        for step, (left, right, made) in enumerate(
            zip(self.left.tolist(), self.right.tolist(), closed, strict=True), 1
        ):
            for token in (left, right):
                before = counts[token]
                after = counts[token] - made
                counts[token] = after
                total += _term(after, alpha) - _term(before, alpha)
                if after <= 0 < before:
                    n_used -= 1
            counts.append(made)
            total += _term(made, alpha)
            if made > 0:
                n_used += 1
            if not step % _SUMMED_AGAIN:
                total, n_used = _summed(counts, alpha)
            yield total, n_used


def _summed(counts: list[int], alpha: float) -> tuple[float, int]:
    used = [count for count in counts if count > 0]
    return float(_terms(np.array(used, np.float64), alpha).sum()), len(used)


def _terms(used: Float64Array, alpha: float) -> Float64Array:
    found: Float64Array = used * np.log(used) if alpha == SHANNON else used**alpha
    return found


def _term(count: int, alpha: float) -> float:
    if count <= 0:
        return 0.0
    return count * math.log(count) if alpha == SHANNON else float(count) ** alpha


def _efficiency(total: float, n_tokens: float, n_used: int, alpha: float) -> float:
    if n_used < 2:
        return 0.0
    if alpha == SHANNON:
        entropy = math.log(n_tokens) - total / n_tokens
    else:
        entropy = (math.log(total) - alpha * math.log(n_tokens)) / (1 - alpha)
    return min(1.0, max(0.0, entropy / math.log(n_used)))
