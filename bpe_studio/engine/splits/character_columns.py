"""The columns of an automaton: kinds of characters, told apart by asking `regex` about every code point."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import regex

from bpe_studio.engine.kernels.scanning import COLUMNS, FIRST_CLASS, STRAY

MOST_SETS = 62
"""How many character sets one automaton may tell apart."""


def columns_of(sets: tuple[str, ...]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Columns that tell apart what some character sets tell apart.

    Args:
        sets: at most `MOST_SETS`, in the spelling of `regex`.

    Returns:
        (0x110000,) uint8, the column of each code point, and (sets, COLUMNS) bool, which columns' characters are in
        each set.

    Raises:
        OverflowError: there are more kinds of characters than columns.
    """
    # Planes 4 to 13 are unassigned and 15 and 16 are for private use; all of their characters are alike.
    first, second = 0x40000, 0xE1000
    codes = np.concatenate([np.arange(first + 1), np.arange(0xE0000, second)]).astype("<u4")
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    signature = np.zeros(len(text), np.int64)
    for bit, chars in enumerate(sets):
        for match in regex.finditer(f"(?:{chars})+", text):
            signature[match.start() : match.end()] |= 1 << bit
    distinct, found = _numbered(signature[FIRST_CLASS:])
    if len(distinct) > STRAY - FIRST_CLASS:
        raise OverflowError(f"{len(distinct)} kinds of characters")
    found = np.concatenate([np.arange(FIRST_CLASS), FIRST_CLASS + found]).astype(np.uint8)
    columns = np.full(0x110000, found[first], np.uint8)
    columns[:first] = found[:first]
    columns[0xE0000:second] = found[first + 1 :]
    signatures = np.zeros(COLUMNS, np.int64)
    signatures[:FIRST_CLASS] = signature[:FIRST_CLASS]
    signatures[FIRST_CLASS : FIRST_CLASS + len(distinct)] = distinct
    signatures[STRAY] = signature[0xDC80]
    return columns, (signatures >> np.arange(len(sets))[:, None] & 1).astype(np.bool_)


def _numbered(values: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The distinct values, and which of them each is. Long runs are alike, so that only their beginnings are sorted."""
    begins = np.flatnonzero(np.diff(values, prepend=~values[:1]))
    distinct, numbers = np.unique(values[begins], return_inverse=True)
    return distinct, np.repeat(numbers, np.diff(begins, append=len(values)))
