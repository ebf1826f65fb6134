"""Tokens from gap ranks: the idea behind every view of a text, a word or the corpus at any step.

Each gap between two symbols has the rank of the merge that closes it. The gaps whose rank is at
least `step` separate the tokens after `step` merges, and the highest rank inside a token is that of
the merge that made it. The definition is `engine/textbook.py`; `kernels/states.py` is the same for
the whole corpus, compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from bpe_studio.engine.arrays import Int64Array

if TYPE_CHECKING:
    import numpy.typing as npt

Whole = TypeVar("Whole", "np.int32", "np.int64")


class Cut(NamedTuple, Generic[Whole]):
    """Symbols, cut into tokens.

    Attributes:
        firsts: (t,) int64, the index of each token's first symbol.
        last_ranks: (t,) the rank of the merge that made each token, with the dtype of the gap
            ranks; below 0 for a single symbol.
    """

    firsts: Int64Array
    last_ranks: npt.NDArray[Whole]

    def ids(self, symbols: npt.NDArray[Any], n_alphabet: int) -> npt.NDArray[Whole]:
        """(t,) the internal ids of the tokens, with the dtype of the gap ranks.

        Args:
            symbols: (n,) the ids of the symbols.
            n_alphabet: the id of the token that the first merge makes.
        """
        return np.where(self.last_ranks < 0, symbols[self.firsts], self.last_ranks + n_alphabet)


def cut_at(gaps: npt.NDArray[Whole], step: int) -> Cut[Whole]:
    """Cut symbols at every gap that is open after `step` merges.

    Args:
        gaps: (n,) int32 or int64, the rank of the gap before each symbol; `NEVER` at the first
            symbol of a pre-token.
        step: how many merges apply; gaps that later merges close are open.

    >>> gaps = np.array([9, 2, 0, 9, 1])
    >>> symbols = np.array([5, 6, 7, 5, 6])
    >>> cut_at(gaps, 2).ids(symbols, n_alphabet=100)
    array([  5, 100, 101])
    """
    is_open = gaps >= step
    firsts = np.flatnonzero(is_open)
    if not len(firsts):
        return Cut(firsts, gaps[:0])
    return Cut(firsts, np.maximum.reduceat(np.where(is_open, -1, gaps), firsts))


def cut_word(gaps: Sequence[int], step: int) -> list[tuple[int, int, int]]:
    """Cut one pre-token, in plain Python, which is faster for so few symbols than `cut_at`.

    Returns:
        (first symbol, end, last rank) of each token.

    >>> cut_word([9, 2, 0, 9, 1], 2)
    [(0, 1, -1), (1, 3, 0), (3, 5, 1)]
    """
    firsts = [place for place, rank in enumerate(gaps) if rank >= step]
    ends = [*firsts[1:], len(gaps)]
    return [
        (first, end, max(gaps[first + 1 : end], default=-1))
        for first, end in zip(firsts, ends, strict=True)
    ]
