"""Items: symbols that white space separates, such as notes, codons, events or parts of molecules.

Each distinct item has a number, which is its unit in an alphabet as a code point is that of a
character. Numbers are given in the order in which the process meets the items and mean nothing
outside it: alphabets are sorted by name, and files hold the items themselves.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import regex

from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.errors import CorpusError

MOST_KINDS = 1 << 20
"""The most distinct items that a process may meet: fewer than there are code points."""
_ITEM = regex.compile(r"\S+")


class _Numbers(dict[str, int]):
    """The number of each item; one that is not known yet gets the next number."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self._lock = threading.Lock()

    def __missing__(self, item: str) -> int:
        with self._lock:
            if item in self:
                return self[item]
            if len(self.names) >= MOST_KINDS:
                raise CorpusError(
                    f"There are more than {MOST_KINDS:,} kinds of items in the texts that were read"
                    " since the program started: choose units bytes or characters for this text,"
                    " or start the program again"
                )
            number = len(self.names)
            self.names.append(item)
            self[item] = number
            return number


_numbers = _Numbers()


def item_number(item: str) -> int:
    """The number of an item.

    Raises:
        CorpusError: there are too many kinds of items.
    """
    return _numbers[item]


def item_name(number: int) -> str:
    """The item with a number."""
    return _numbers.names[number]


def items_of(line: str) -> list[str]:
    r"""The items of a line.

    >>> items_of("C4  E4\tG4")
    ['C4', 'E4', 'G4']
    """
    found: list[str] = _ITEM.findall(line)
    return found


def item_spans(line: str) -> list[tuple[int, int]]:
    """The start and end of each item of a line, in characters.

    >>> item_spans("C4  E4")
    [(0, 2), (4, 6)]
    """
    return [match.span() for match in _ITEM.finditer(line)]


def item_numbers(blob: ByteArray, offsets: Int64Array) -> tuple[Int64Array, Int64Array]:
    """The numbers of the items of many lines, end to end.

    Args:
        blob: (size,) uint8, the UTF-8 bytes of the lines, end to end.
        offsets: (n + 1,) int64, the start of each in `blob`, and the end.

    Returns:
        The numbers; and (n,) int64, the number of items of each line.

    Raises:
        CorpusError: a line has no item, or there are too many kinds of items.
    """
    content = blob.tobytes()
    bounds = offsets.tolist()
    parts = [np.zeros(0, np.int64)]
    for start, end in zip(bounds[:-1], bounds[1:], strict=True):
        items = items_of(content[start:end].decode("utf-8", "replace"))
        if not items:
            raise CorpusError(
                f"{content[start:end].decode('utf-8', 'replace')[:40]!r} is a pre-token without"
                " items: leave it out"
            )
        parts.append(_as_numbers(items))
    lengths = np.fromiter(map(len, parts[1:]), np.int64, len(parts) - 1)
    return np.concatenate(parts), lengths


def _as_numbers(items: Sequence[str]) -> Int64Array:
    return np.fromiter(map(_numbers.__getitem__, items), np.int64, len(items))
