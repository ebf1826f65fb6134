"""Encoding large texts with compiled kernels: bytes as units, one of the named splits, no marks.

Everything else, and small texts, are cut by `piece_cutter.py`; the ids are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import as_strided

from bpe_studio.engine import kernels
from bpe_studio.engine.alphabet import byte_to_stand_in
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.gap_closing import PairTable, Scratch, close_one, close_words
from bpe_studio.engine.kernels import closing
from bpe_studio.engine.kernels import encoding as k
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.kernels.cutting import TURN
from bpe_studio.engine.layout import Int32Array, Int64Array
from bpe_studio.engine.pretokenization import PATTERNS
from bpe_studio.engine.split_flows import split_flow
from bpe_studio.engine.tokenizer_model import TokenizerModel

_PADDING = 32
_LINE = 8
"""How many numbers a line of the processor's cache holds."""
_BLOCK = 1 << 13
"""How many characters are turned into bytes at a time: one wide character makes its block slow, and not the text."""
_MOST_WORDS, _MOST_KEPT = 1 << 20, 1 << 23
"""The most entries of each table (32 MiB) and ids beside them (32 MiB): a cache that is full is emptied."""
_REMEMBERED_WORDS, _REMEMBERED_KEPT = 1 << 18, 1 << 20
"""What a cache may have at most to be kept for the next text: 8 MiB and 4 MiB of each."""


def is_bulk(model: TokenizerModel) -> bool:
    """Whether a model's texts can be encoded here."""
    config = model.config
    return (
        config.units == "bytes"
        and (config.split in PATTERNS or config.split == "none")
        and config.split != "sentencepiece"
        and config.word_end is None
        and config.continuing is None
        and model.rank_order == "merges"
    )


class _Cache:
    """The pre-tokens that were encoded before, and what room encoding takes beside them."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.state = np.zeros(k.N_STATE, np.int64)
        self.slots = np.zeros(1 << 13, np.int32)
        self.words = on_lines((1 << 12) * k.ENTRY)
        self.long_table = np.zeros((1 << 8) * k.LONG_ENTRY, np.int64)
        self.kept, self.long_kept = np.empty(1 << 12, np.int32), np.empty(1 << 12, np.int32)
        self.row = np.zeros(closing.ROW, np.int64)
        self.scratch = Scratch(1 << 8)
        self.turn, self.few = np.empty((6, TURN + 2), np.int64), np.empty(4, np.int64)

    def make_room(self, kernel: Any, longest: int) -> None:
        """Make room for what there is too little of, or forget what is remembered where that is much already.

        Args:
            kernel: the kernels.
            longest: how many bytes the pre-token has that is next.
        """
        short_of = self.state[k.SHORT_OF]
        if short_of == k.SCRATCH:
            self.scratch = Scratch(2 * longest)
        elif short_of == k.WORDS and len(self.words) < _MOST_WORDS * k.ENTRY:
            old, self.words = self.words, on_lines(2 * len(self.words))
            self.words[: len(old)] = old
            self.slots = np.zeros(2 * len(self.slots), np.int32)
            kernel.refill(self.slots, self.words, self.state[k.N_WORDS])
        elif short_of == k.LONG_WORDS and len(self.long_table) < _MOST_WORDS * k.LONG_ENTRY:
            old, self.long_table = self.long_table, np.zeros(4 * len(self.long_table), np.int64)
            kernel.refill_long(self.long_table, old)
        elif short_of == k.KEPT and len(self.kept) < _MOST_KEPT:
            self.kept = np.concatenate([self.kept, np.empty(3 * len(self.kept), np.int32)])
        elif short_of == k.LONG_KEPT and len(self.long_kept) < max(_MOST_KEPT, longest):
            self.long_kept = np.concatenate([self.long_kept, np.empty(len(self.long_kept) + longest, np.int32)])
        elif short_of in (k.WORDS, k.KEPT):
            self.forget()
        else:
            self.forget_long()

    def forget(self) -> None:
        """Forget the short pre-tokens."""
        self.slots[:] = 0
        self.state[[k.N_WORDS, k.N_KEPT]] = 0

    def forget_long(self) -> None:
        """Forget the long ones, which are compared where they stand in one text."""
        if self.state[k.N_LONG]:
            self.long_table[:] = 0
            self.state[[k.N_LONG, k.N_LONG_KEPT]] = 0

    @property
    def is_small(self) -> bool:
        """Whether it may be kept for the next text."""
        return (
            len(self.words) <= _REMEMBERED_WORDS * k.ENTRY
            and len(self.long_table) <= _REMEMBERED_WORDS * k.LONG_ENTRY
            and max(len(self.kept), len(self.long_kept), len(self.scratch.tokens)) <= _REMEMBERED_KEPT
        )


class BulkEncoder:
    """Encodes texts by a tokenizer's merges; what it has met is remembered for the next text, within bounds.

    Args:
        model: one that `is_bulk`.
        ids: the id of each token by its name.
    """

    def __init__(self, model: TokenizerModel, ids: Mapping[str, int]) -> None:
        self._model = model
        self._byte_values: Int64Array | None = None
        self._caches: list[_Cache] = []
        specials = set(model.special_ids.values())
        self._byte_ids = np.full(256, -1, np.int32)
        for byte, name in enumerate(byte_to_stand_in):
            number = ids.get(name)
            if number is not None and number not in specials:
                self._byte_ids[byte] = number

    def encode(self, text: str, limit: int) -> Int32Array | None:
        """The ids of a text, normalized already; `None` where it holds a stray byte, or a byte that is no symbol.

        Args:
            text: the text.
            limit: merges of this rank and above do not apply.
        """
        try:
            parts = [text[i : i + _BLOCK].encode() for i in range(0, len(text), _BLOCK)]
        except UnicodeEncodeError:
            return None
        padded = b"".join([*parts, bytes(_PADDING)])
        try:
            # One thread's at a time: taking it off the list and putting it back are one step each.
            cache = self._caches.pop()
        except IndexError:
            cache = _Cache(limit)
        if cache.limit != limit:
            cache = _Cache(limit)
        found = self._encode(padded, len(padded) - _PADDING, cache)
        cache.forget_long()
        if cache.is_small and not self._caches:
            self._caches.append(cache)
        return found

    def _encode(self, padded: bytes, n: int, cache: _Cache) -> Int32Array | None:
        kernel = kernels.compiled("encoding")
        pairs = self._pairs.filled(kernels.sibling(kernel, "closing"))
        if self._byte_values is None:
            byte_values = np.empty(1 << 16, np.int64)
            kernel.value_bytes(self._byte_ids, pairs, byte_values)
            self._byte_values = byte_values
        flow = split_flow(self._model.config.split).tables
        content = np.frombuffer(padded, np.uint8)
        eight = eight_bytes_from_each(content)
        out = np.empty(n + 3, np.int32)
        cache.state[k.N_OUT] = place = 0
        while True:
            scratch = cache.scratch
            place = kernel.encode(
                cache.state, content, eight, place, n, *flow,
                self._byte_ids, self._byte_values, pairs, cache.limit, cache.slots, cache.words, cache.long_table,
                cache.kept, cache.long_kept, cache.row, scratch.tokens, scratch.gaps, scratch.numbers, scratch.links,
                cache.turn, cache.few, out,
            )  # fmt: skip
            short_of = cache.state[k.SHORT_OF]
            if short_of == k.ENOUGH:
                return out[: cache.state[k.N_OUT]]
            if short_of == k.UNKNOWN_BYTE:
                return None
            cut = kernels.sibling(kernel, "cutting").cut
            cut(content, place, n, *flow, cache.turn[0], cache.turn[1], cache.few[:2], cache.few[2:])
            cache.make_room(kernel, int(cache.turn[1, 0] - cache.turn[0, 0]))

    @cached_property
    def _pairs(self) -> PairTable:
        return PairTable.of_merges(self._model.merges)


def eight_bytes_from_each(content: npt.NDArray[np.uint8]) -> Int64Array:
    """The eight bytes from each place of a text on as one number: the same memory, read at every place."""
    return as_strided(content[: len(content) // 8 * 8].view("<i8"), (len(content) - 7,), (1,), writeable=False)


def on_lines(n: int) -> Int64Array:
    """(n,) int64 that begin with a line of the processor's cache, so that no entry lies across two; the first is 0."""
    room = np.empty(n + _LINE, np.int64)
    first = -room.ctypes.data // 8 % _LINE
    room[first : first + k.ENTRY] = 0
    return room[first : first + n]


def compile_kernels() -> None:
    """Have the kernels compiled, or read from disk."""
    names = [*byte_to_stand_in, "ab"]
    model = TokenizerModel(TrainingConfig.preset("gpt2"), tuple(names), ((97, 98, 256),))
    encoder = BulkEncoder(model, {name: number for number, name in enumerate(names)})
    encoder.encode("ab " * 9 + "=" * 99, NEVER)
    kernel = kernels.compiled("encoding")
    kernel.refill(np.zeros(1, np.int32), np.zeros(k.ENTRY, np.int64), 0)
    kernel.refill_long(np.zeros(k.LONG_ENTRY, np.int64), np.zeros(k.LONG_ENTRY, np.int64))
    close_words(np.zeros(2, np.int32), np.array([0, 2]), encoder._pairs)
    close_one([0, 0], encoder._pairs)
    kernels.mark_ready("encoding")
