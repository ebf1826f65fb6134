"""The symbols and gap ranks of a whole text as arrays: its tokens at any step are one comparison.

`bulk_encoding.py` encodes large texts, if it can; of other texts, each distinct pre-token is
encoded once and copied to its occurrences. `editable_text.py` holds a text that is being edited.
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
    """A text and its gap ranks.

    Attributes:
        symbols: (n,) int32, internal symbol ids, from left to right; `UNKNOWN` outside the
            alphabet, and less for a special token (`LAST_SPECIAL`).
        gaps: (n,) int32, the rank that closes the gap before each symbol; `NEVER` if no merge does,
            and at the first symbol of a pre-token.
        n_alphabet: the number of initial symbols.
        first: the same text as the first of two stages cuts it; `None` if there is one stage.
        n_first: the step from which on the second stage cuts it.
    """

    symbols: Int32Array
    gaps: Int32Array
    n_alphabet: int
    first: TextGaps | None = None
    n_first: int = 0

    def at(self, step: int) -> TextGaps:
        """The text of the stage to which a step belongs."""
        return self if self.first is None or step >= self.n_first else self.first

    def __len__(self) -> int:
        return len(self.symbols)

    def opens(self, step: int) -> npt.NDArray[np.bool_]:
        """(n,) bool, whether a token begins at each symbol at a step."""
        return np.asarray(self.at(step).gaps >= step)

    def n_tokens(self, step: int) -> int:
        """The number of tokens at a step."""
        return int(np.count_nonzero(self.opens(step)))

    def ids(self, step: int) -> Int32Array:
        """(m,) int32, the internal ids of the tokens at a step; `UNKNOWN` outside the alphabet."""
        text = self.at(step)
        return cut_at(text.gaps, step).ids(text.symbols, self.n_alphabet)


@dataclass(frozen=True)
class CutWords:
    """Distinct pre-tokens and their gap ranks.

    Attributes:
        symbols: (n,) int32, their symbols, end to end.
        gaps: (n,) int32, as in `TextGaps`.
        lengths: (w,) int64, the number of symbols of each.
    """

    symbols: Int32Array
    gaps: Int32Array
    lengths: Int64Array

    def places(self, numbers: Int64Array) -> Int64Array:
        """(m,) int64, the indices into `symbols` for a text whose pre-tokens have these numbers."""
        lengths = self.lengths[numbers]
        firsts = np.cumsum(self.lengths)[numbers] - lengths
        befores = np.cumsum(lengths) - lengths
        return np.asarray(np.repeat(firsts - befores, lengths) + np.arange(lengths.sum()))


def number_distinct(pieces: list[str]) -> tuple[list[str], Int64Array]:
    """The distinct pre-tokens in first-seen order, and (m,) int64, the number of each pre-token of
    the text.
    """
    numbers: dict[str, int] = {}
    number: Callable[[str, int], int] = numbers.setdefault
    found = np.fromiter((number(piece, len(numbers)) for piece in pieces), np.int64, len(pieces))
    return list(numbers), found
