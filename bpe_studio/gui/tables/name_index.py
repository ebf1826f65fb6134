"""The names of a big table's things, by which its rows are searched and put in alphabetical order.

Making 250,000 names, searching and sorting them each take longer than a window may stand still, so all of it is done in
slices, with a `yield` between. numpy is imported where it is used, so that the window paints before it is loaded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from itertools import repeat
from operator import contains
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MADE, _DEALT, _SEARCHED = 128, 512, 32_768
"""How many names are made, dealt into buckets and searched at a time: half a millisecond to three."""


class NameIndex:
    """The names of many things, made little by little, to be searched and put in alphabetical order.

    Args:
        name_of: gives the name of thing `i`.
    """

    def __init__(self, name_of: Callable[[int], str]) -> None:
        self._name_of = name_of
        self.names: list[str] = []
        self._lower: list[str] = []
        self.ranks: NDArray[np.int32] | None = None

    def name(self, i: int) -> str:
        """The name of thing `i`, made now if it is not there yet."""
        return self.names[i] if i < len(self.names) else self._name_of(i)

    @property
    def n_ranked(self) -> int:
        """How many names have a place in the alphabetical order."""
        return 0 if self.ranks is None else len(self.ranks)

    def fill(self, n: int) -> Iterator[None]:
        """Make the names of the first `n` things."""
        while len(self.names) < n:
            for i in range(len(self.names), min(n, len(self.names) + _MADE)):
                name = self._name_of(i)
                lower = name.lower()
                self.names.append(name)
                self._lower.append(name if lower == name else lower)
            yield

    def mask(self, pattern: str, start: int, end: int) -> Generator[None, None, NDArray[np.bool_]]:
        """Which of the things `start` to `end` hold the pattern; capitals in it make it exact."""
        import numpy as np

        names = self._lower if pattern == pattern.lower() else self.names
        found = bytearray()
        for low in range(start, end, _SEARCHED):
            found.extend(map(contains, names[low : min(end, low + _SEARCHED)], repeat(pattern)))
            yield
        return np.frombuffer(found, np.bool_)

    def rank(self) -> Iterator[None]:
        """Put the names known by now in order: `ranks[i]` becomes the place of thing `i`; equal names share a place.

        One sort of 250,000 names would hold the window up for 200 ms, so they are dealt into buckets whose borders
        come from a sample, and each bucket is sorted by itself.
        """
        import numpy as np

        n, keys = len(self.names), self._lower
        borders = sorted(keys[: n : max(1, n // 4096)])[::16]
        buckets: list[list[int]] = [[] for _ in range(len(borders) + 1)]
        for start in range(0, n, _DEALT):
            for i in range(start, min(n, start + _DEALT)):
                buckets[bisect_right(borders, keys[i])].append(i)
            yield
        ranks = np.empty(n, np.int32)
        place, last = -1, None
        for bucket in buckets:
            for i in sorted(bucket, key=keys.__getitem__):
                if keys[i] != last:
                    place, last = place + 1, keys[i]
                ranks[i] = place
            yield
        self.ranks = ranks
        yield
