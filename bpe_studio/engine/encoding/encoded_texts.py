"""Many encoded texts as two arrays: the ids end to end, and the start of each text's ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, chain, pairwise
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.tokenizer_model import Encoding
from bpe_studio.engine.file_access import file_access

if TYPE_CHECKING:
    import numpy.typing as npt


class EncodedTexts:
    """The ids of several texts, as `Tokenizer.encode_many(texts, as_arrays=True)` returns them.

    `found[i]` is the ids of one text, a view of `ids`; `len(found)` is the number of texts.

    Args:
        ids: (n,) int32 or another type that was asked for; or a list, of which an array is made
            when it is first read.
        offsets: (texts + 1,) int64, or a list.
        char_offsets: (n, 2) int64, or a function that makes it when it is first read.
    """

    def __init__(
        self,
        ids: Int32Array | list[int],
        offsets: Int64Array | list[int],
        char_offsets: Int64Array | Callable[[], Int64Array],
    ) -> None:
        self._ids = ids
        self._offsets = offsets
        self._char_offsets = char_offsets

    @classmethod
    def of_lists(
        cls, rows: Sequence[Sequence[int]], char_offsets: Callable[[], Int64Array]
    ) -> EncodedTexts:
        """Texts of which each is a list of ids."""
        offsets = list(accumulate(map(len, rows), initial=0))
        ids = np.fromiter(chain.from_iterable(rows), np.int32, offsets[-1])
        return cls(ids, np.array(offsets, np.int64), char_offsets)

    @classmethod
    def of_encodings(cls, texts: Sequence[Encoding]) -> EncodedTexts:
        """Texts that were encoded one by one."""
        places = [np.zeros((0, 2), np.int64)]
        return cls.of_lists(
            [text.ids for text in texts],
            lambda: np.concatenate([*places, *(text.offset_array for text in texts)]),
        )

    @classmethod
    def joined(cls, parts: Sequence[EncodedTexts]) -> EncodedTexts:
        """The texts of all parts, one after another."""
        begins = accumulate((len(part.ids) for part in parts), initial=0)
        ends = (part.offsets[1:] + begin for part, begin in zip(parts, begins, strict=False))
        return cls(
            np.concatenate([np.zeros(0, np.int32), *(part.ids for part in parts)]),
            np.concatenate([np.zeros(1, np.int64), *ends]),
            lambda: np.concatenate([part.char_offsets for part in parts]),
        )

    def grouped(self, sizes: Sequence[int]) -> EncodedTexts:
        """The same ids for fewer texts: each takes the place of as many as `sizes` says."""
        firsts = np.array([0, *accumulate(sizes)])
        return EncodedTexts(self._ids, self.offsets[firsts], self._char_offsets)

    def astype(self, dtype: npt.DTypeLike) -> EncodedTexts:
        """The same texts with ids of another type."""
        return EncodedTexts(self.ids.astype(dtype), self._offsets, self._char_offsets)

    @cached_property
    def ids(self) -> Int32Array:
        """(n,) int32, the ids of all texts, end to end."""
        return self._ids if isinstance(self._ids, np.ndarray) else np.array(self._ids, np.int32)

    @cached_property
    def offsets(self) -> Int64Array:
        """(texts + 1,) int64, the start of each text's ids in `ids`, and the end."""
        return np.asarray(self._offsets, np.int64)

    @cached_property
    def char_offsets(self) -> Int64Array:
        """(n, 2) int64, the start and end of each token in its own text, as in
        `Encoding.offsets`.
        """
        return self._char_offsets() if callable(self._char_offsets) else self._char_offsets

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> Int32Array:
        place = range(len(self))[index(number)]
        return self.ids[self.offsets[place] : self.offsets[place + 1]]

    def __iter__(self) -> Iterator[Int32Array]:
        return (self.ids[start:end] for start, end in pairwise(self.offsets.tolist()))

    def tolist(self) -> list[list[int]]:
        """The ids of each text as a list."""
        ids = self._ids if isinstance(self._ids, list) else self._ids.tolist()
        offsets = self._offsets if isinstance(self._offsets, list) else self._offsets.tolist()
        return [ids[start:end] for start, end in pairwise(offsets)]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} texts, {len(self.ids):,} tokens>"

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def __reduce__(self) -> tuple[type[EncodedTexts], tuple[Any, ...]]:
        return EncodedTexts, (self.ids, self.offsets, self.char_offsets)
