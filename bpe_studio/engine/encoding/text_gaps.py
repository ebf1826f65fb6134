"""A whole text's symbols and gap ranks as arrays: its tokens at every step are one comparison.

Texts that `bulk_encoding.py` can cut go there once they are large; of others each distinct pre-token is cut once and
laid out wherever it occurs. A text that is being edited is `editable_text.py`'s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.cut import cut_at


@dataclass(frozen=True)
class TextGaps:
    """A text, cut at every step.

    Attributes:
        symbols: (n,) int32, internal symbol ids, from left to right; `UNKNOWN` outside the alphabet.
        gaps: (n,) int32, the rank that closes the gap before each symbol; `NEVER` where none does, and at the first
            symbol of a pre-token.
        n_alphabet: how many initial symbols there are.
    """

    symbols: Int32Array
    gaps: Int32Array
    n_alphabet: int

    def __len__(self) -> int:
        return len(self.symbols)

    def opens(self, step: int) -> npt.NDArray[np.bool_]:
        """(n,) whether a token begins at each symbol at a step."""
        return np.asarray(self.gaps >= step)

    def n_tokens(self, step: int) -> int:
        """How many tokens the text has at a step."""
        return int(np.count_nonzero(self.opens(step)))

    def ids(self, step: int) -> Int32Array:
        """(m,) int32, the internal ids of the tokens at a step; `UNKNOWN` for symbols outside the alphabet."""
        return cut_at(self.gaps, step).ids(self.symbols, self.n_alphabet)


@dataclass(frozen=True)
class CutWords:
    """Distinct pre-tokens, cut.

    Attributes:
        symbols: (n,) int32, their symbols, end to end.
        gaps: (n,) int32, as in `TextGaps`.
        lengths: (w,) int64, how many symbols each has.
    """

    symbols: Int32Array
    gaps: Int32Array
    lengths: Int64Array

    def places(self, numbers: Int64Array) -> Int64Array:
        """Where the symbols of a text are among these, whose pre-tokens have these numbers."""
        lengths = self.lengths[numbers]
        firsts = np.cumsum(self.lengths)[numbers] - lengths
        befores = np.cumsum(lengths) - lengths
        return np.asarray(np.repeat(firsts - befores, lengths) + np.arange(lengths.sum()))


def number_distinct(pieces: list[str]) -> tuple[list[str], Int64Array]:
    """The distinct ones of a text's pre-tokens, as they are first seen, and (m,) int64 the number of each."""
    numbers: dict[str, int] = {}
    number: Callable[[str, int], int] = numbers.setdefault
    found = np.fromiter((number(piece, len(numbers)) for piece in pieces), np.int64, len(pieces))
    return list(numbers), found
