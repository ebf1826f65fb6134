"""Writes a corpus as one array of symbol ids: `training/corpus_array.py` for a large corpus.

A unit is what distinguishes symbols: a byte, or a code of `text/alphabet.py`.
"""

from __future__ import annotations

from bpe_studio.engine.kernels.kinds import Bytes, Int32s, Int64s


def weigh(units: Bytes | Int32s | Int64s, lengths: Int64s, counts: Int64s, totals: Int64s) -> None:
    """Add up the occurrences of each unit in the text.

    Args:
        units: the units of the pre-tokens, end to end; negative ones are not counted.
        lengths: (w,) the number of units of each pre-token.
        counts: (w,) the count of each pre-token.
        totals: int64, by unit; receives the sums.
    """
    at = 0
    for word in range(len(lengths)):
        for i in range(at, at + lengths[word]):
            if units[i] >= 0:
                totals[units[i]] += counts[word]
        at += lengths[word]


def lay_out(
    units: Bytes | Int32s | Int64s, lengths: Int64s, ids: Int32s, symbols: Int32s, starts: Int64s
) -> None:
    """Write each pre-token's symbols, with -1 before, between and after.

    Args:
        units: the units of the pre-tokens, end to end.
        lengths: (w,) the number of units of each pre-token.
        ids: the symbol id of each unit.
        symbols: (n,) the symbols.
        starts: (w + 1,) the position of each pre-token's first symbol; n in the end.
    """
    at = 0
    place = 0
    for word in range(len(lengths)):
        symbols[place] = -1
        starts[word] = place + 1
        for i in range(lengths[word]):
            symbols[place + 1 + i] = ids[units[at + i]]
        at += lengths[word]
        place += lengths[word] + 1
    symbols[place] = -1
    starts[len(lengths)] = place + 1


def spread(starts: Int64s, values: Int32s, by_symbol: Int32s) -> None:
    """Write for each symbol the value of its pre-token; 0 for separators.

    Args:
        starts: (w + 1,) the position of each pre-token's first symbol.
        values: (w,) the values.
        by_symbol: (n,) receives the values.
    """
    by_symbol[0] = 0
    for word in range(len(starts) - 1):
        for i in range(starts[word], starts[word + 1] - 1):
            by_symbol[i] = values[word]
        by_symbol[starts[word + 1] - 1] = 0
