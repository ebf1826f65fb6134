"""The names of a large table's rows, by which they are filtered and sorted alphabetically.

Making, searching or sorting 250,000 names takes longer than the window may be blocked, so each is a
generator that yields between slices. numpy is imported where it is used, so that the window paints
before it is loaded.
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

_BUCKETED = 512
"""The number of names that are put into buckets in a slice."""
_BLOCK = 128
"""The number of names that are made, or searched, in a slice, and kept as one string.

One string takes a fifth of the memory of so many strings.
"""
_END = "\0"
"""The end of each name; no name contains it, because `explain/names.py` replaces it."""


class NameIndex:
    """Names, made in slices, with a search and their alphabetical ranks.

    Args:
        name_of: gives name `i`.

    Attributes:
        n_made: the number of names made so far.
        ranks: (n,) int32, the alphabetical rank of each name; equal names share one. None before
            `rank` has run.
    """

    def __init__(self, name_of: Callable[[int], str]) -> None:
        self._name_of = name_of
        self._blocks: list[str] = []
        self.n_made = 0
        self.ranks: NDArray[np.int32] | None = None

    def name(self, i: int) -> str:
        return self._name_of(i)

    @property
    def n_ranked(self) -> int:
        """The number of names that have an alphabetical rank."""
        return 0 if self.ranks is None else len(self.ranks)

    def fill(self, n: int) -> Iterator[None]:
        """Make the first `n` names."""
        while self.n_made < n:
            # Up to the end of a block; the last one may be incomplete, from when there were fewer
            # names.
            end = min(n, (self.n_made // _BLOCK + 1) * _BLOCK)
            made = "".join(f"{self._name_of(i)}{_END}" for i in range(self.n_made, end))
            if self.n_made % _BLOCK:
                made = self._blocks.pop() + made
            self._blocks.append(made)
            self.n_made = end
            yield

    def places(self, name: str) -> Iterator[int]:
        """The places of a name among those made so far."""
        whole = f"{_END}{name}{_END}"
        for number, block in enumerate(self._blocks):
            if name in block:
                text = _END + block
                at = text.find(whole)
                while at >= 0:
                    yield number * _BLOCK + text.count(_END, 0, at)
                    at = text.find(whole, at + 1)

    def mask(self, pattern: str, start: int, end: int) -> Generator[None, None, NDArray[np.bool_]]:
        """Find the names that contain a pattern; its case matters only if it has capitals.

        Returns:
            (end - start,) bool, for the names from `start` up to `end`, which is excluded.
        """
        import numpy as np

        folds = pattern == pattern.lower()
        found = bytearray()
        for number in range(start // _BLOCK, -(-end // _BLOCK)):
            block = self._blocks[number].lower() if folds else self._blocks[number]
            names = block.split(_END)[:-1]
            first = number * _BLOCK
            names = names[max(0, start - first) : end - first]
            if pattern in block:
                found.extend(map(contains, names, repeat(pattern)))
            else:
                found.extend(bytes(len(names)))
            yield
        return np.frombuffer(found, np.bool_)

    def rank(self) -> Iterator[None]:
        """Compute `ranks` for the names made so far.

        Sorting 250,000 names at once would block the window for 200 ms. So they are put into
        buckets, whose borders come from a sample, and each bucket is sorted separately.
        """
        import numpy as np

        keys: list[str] = []
        for block in self._blocks:
            keys += block.lower().split(_END)[:-1]
            yield
        n = len(keys)
        borders = sorted(keys[: n : max(1, n // 4096)])[::16]
        buckets: list[list[int]] = [[] for _ in range(len(borders) + 1)]
        for start in range(0, n, _BUCKETED):
            for i in range(start, min(n, start + _BUCKETED)):
                buckets[bisect_right(borders, keys[i])].append(i)
            yield
        ranks = np.empty(n, np.int32)
        place = -1
        last = None
        for bucket in buckets:
            for i in sorted(bucket, key=keys.__getitem__):
                if keys[i] != last:
                    place = place + 1
                    last = keys[i]
                ranks[i] = place
            yield
        self.ranks = ranks
        yield
