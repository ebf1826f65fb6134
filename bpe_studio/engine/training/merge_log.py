"""The merges of a run: one record each, stored as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, fields
from functools import partial
from typing import Any, ClassVar, overload

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.file_access import file_access


@dataclass(frozen=True)
class Merge:
    """One merge.

    Attributes:
        rank: its 0-based place in the list.
        left: the left token, in the spelling of logs (byte units: GPT-2's stand-ins).
        right: the right token.
        token: the token that it made.
        count: how often the pair occurred in the corpus when it was merged, every occurrence
            counted.
        tied: the number of pairs that had this count then; 1 means no tie.
        forced: whether it was forced, whatever its count.
        n_tokens: tokens in the whole corpus after it.
        sources_now: finds `sources` in the run.
    """

    rank: int
    left: str
    right: str
    token: str
    count: int
    tied: int
    forced: bool
    n_tokens: int
    sources_now: InitVar[Callable[[], Mapping[str, float]]] = dict

    def __post_init__(self, sources_now: Callable[[], Mapping[str, float]]) -> None:
        # No field, so that neither `asdict` nor `pickle` has the run that it asks.
        object.__setattr__(self, "sources_now", sources_now)

    def __getstate__(self) -> dict[str, Any]:
        return self.to_log()

    @property
    def sources(self) -> Mapping[str, float]:
        """The share of the count that each file of the corpus gave, by the name of the file.

        They add up to 1. Empty if the files are not known, if they are more than 100 without
        weights, if the pair does not occur, or if the merge is a copy without its run, as from
        `pickle`.
        """
        found: Mapping[str, float] = vars(self).get("sources_now", dict)()
        return found

    def to_log(self) -> dict[str, Any]:
        """The merge as a line of the JSON log."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


class MergeColumns:
    """Merges as growing columns; rows are only appended and never change.

    The attributes are views of the rows so far: `left`, `right` (int32 token ids), `count`, `tied`,
    `n_tokens` (int64) and `forced` (bool).
    """

    _TYPES: ClassVar[dict[str, Any]] = {
        "left": np.int32,
        "right": np.int32,
        "count": np.int64,
        "tied": np.int64,
        "n_tokens": np.int64,
        "forced": np.bool_,
    }

    NAMES: ClassVar[tuple[str, ...]] = tuple(_TYPES)

    def __init__(self) -> None:
        self._store: dict[str, npt.NDArray[Any]] = {
            name: np.zeros(1024, kind) for name, kind in self._TYPES.items()
        }
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, **columns: Any) -> None:
        """Append rows; all columns have the same length."""
        n = len(columns["left"])
        if self._size + n > len(self._store["left"]):
            room = 2 * (self._size + n)
            for name, old in self._store.items():
                new = np.zeros(room, old.dtype)
                new[: self._size] = old[: self._size]
                self._store[name] = new
        for name, values in columns.items():
            self._store[name][self._size : self._size + n] = values
        self._size += n

    @property
    def left(self) -> npt.NDArray[np.int32]:
        """(n,) int32, left token ids."""
        return self._store["left"][: self._size]

    @property
    def right(self) -> npt.NDArray[np.int32]:
        """(n,) int32, right token ids."""
        return self._store["right"][: self._size]

    @property
    def count(self) -> npt.NDArray[np.int64]:
        """(n,) int64, the occurrences of the pair when it was merged."""
        return self._store["count"][: self._size]

    @property
    def tied(self) -> npt.NDArray[np.int64]:
        """(n,) int64, the number of pairs that had that count."""
        return self._store["tied"][: self._size]

    @property
    def n_tokens(self) -> npt.NDArray[np.int64]:
        """(n,) int64, tokens in the corpus after the merge."""
        return self._store["n_tokens"][: self._size]

    @property
    def forced(self) -> npt.NDArray[np.bool_]:
        """(n,) bool, whether the merge was forced."""
        return self._store["forced"][: self._size]


class MergeList(Sequence[Merge]):
    """The merges of a run as a sequence of records, which are made on request."""

    def __init__(
        self,
        columns: MergeColumns,
        name: Callable[[int], str],
        token_of: Callable[[int], int],
        sources_of: Callable[[int], Mapping[str, float]],
    ) -> None:
        self._columns = columns
        self._name = name
        self._token_of = token_of
        self._sources_of = sources_of

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} merges>"

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    @overload
    def __getitem__(self, rank: int) -> Merge: ...
    @overload
    def __getitem__(self, rank: slice) -> list[Merge]: ...
    def __getitem__(self, rank: int | slice) -> Merge | list[Merge]:
        if isinstance(rank, slice):
            return list(self._records(rank))
        place = rank + len(self) if rank < 0 else rank
        if not 0 <= place < len(self):
            raise IndexError(f"There is no merge {rank}; the run has {len(self):,}")
        return next(self._records(slice(place, place + 1)))

    def __iter__(self) -> Iterator[Merge]:
        return self._records(slice(len(self)))

    def _records(self, ranks: slice) -> Iterator[Merge]:
        """The merges of some ranks; each column is converted to Python's numbers at once."""
        columns = self._columns
        name = self._name
        n = len(self)
        parts = (
            columns.left,
            columns.right,
            columns.count,
            columns.tied,
            columns.forced,
            columns.n_tokens,
        )
        rows = zip(
            range(*ranks.indices(n)), *(part[:n][ranks].tolist() for part in parts), strict=True
        )
        for rank, left, right, count, tied, forced, n_tokens in rows:
            token = name(self._token_of(rank))
            sources = partial(self._sources_of, rank)
            yield Merge(
                rank, name(left), name(right), token, count, tied, forced, n_tokens, sources
            )
