"""The names of a large table's rows, by which they are filtered and sorted alphabetically.

Making, searching or sorting 250,000 names takes longer than the window may be blocked, so each is a generator that
yields between slices. numpy is imported where it is used, so that the window paints before it is loaded.
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

_MADE, _BUCKETED, _SEARCHED = 128, 512, 32_768
"""How many names are made, put into buckets and searched in a slice: 0.5 to 3 ms."""


class NameIndex:
    """Names, made in slices, with a search and their alphabetical ranks.

    Args:
        name_of: gives name `i`.

    Attributes:
        names: the names made so far.
        ranks: (n,) int32, the alphabetical rank of each name; equal names share one. None before `rank` has run.
    """

    def __init__(self, name_of: Callable[[int], str]) -> None:
        self._name_of = name_of
        self.names: list[str] = []
        self._lower: list[str] = []
        self.ranks: NDArray[np.int32] | None = None

    def name(self, i: int) -> str:
        """Name `i`, made now if it was not made yet."""
        return self.names[i] if i < len(self.names) else self._name_of(i)

    @property
    def n_ranked(self) -> int:
        """How many names have an alphabetical rank."""
        return 0 if self.ranks is None else len(self.ranks)

    def fill(self, n: int) -> Iterator[None]:
        """Make the first `n` names."""
        while len(self.names) < n:
            for i in range(len(self.names), min(n, len(self.names) + _MADE)):
                name = self._name_of(i)
                lower = name.lower()
                self.names.append(name)
                self._lower.append(name if lower == name else lower)
            yield

    def mask(self, pattern: str, start: int, end: int) -> Generator[None, None, NDArray[np.bool_]]:
        """Find the names that contain a pattern; its case matters only if it has capitals.

        Returns:
            (end - start,) bool, for the names from `start` up to `end`, which is excluded.
        """
        import numpy as np

        names = self._lower if pattern == pattern.lower() else self.names
        found = bytearray()
        for low in range(start, end, _SEARCHED):
            found.extend(map(contains, names[low : min(end, low + _SEARCHED)], repeat(pattern)))
            yield
        return np.frombuffer(found, np.bool_)

    def rank(self) -> Iterator[None]:
        """Compute `ranks` for the names made so far.

        Sorting 250,000 names at once would block the window for 200 ms, so they are put into buckets, whose borders
        come from a sample, and each bucket is sorted separately.
        """
        import numpy as np

        n, keys = len(self.names), self._lower
        borders = sorted(keys[: n : max(1, n // 4096)])[::16]
        buckets: list[list[int]] = [[] for _ in range(len(borders) + 1)]
        for start in range(0, n, _BUCKETED):
            for i in range(start, min(n, start + _BUCKETED)):
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
