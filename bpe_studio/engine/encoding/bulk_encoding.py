"""Encodes large texts with compiled kernels, at one step or at every step: byte units without marks
only.

The split must have an automaton (`splits/automaton.py`): every named split but `digits-right` has
one, and so do plain regular expressions. Other texts, and small ones, are encoded by
`pre_token_encoder.py` and `text_gaps.py`, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import pairwise
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.word_table import cache_aligned
from bpe_studio.engine.encoding.gap_closing import (
    PairArrays,
    PairTable,
    Scratch,
    close_one,
    close_words,
)
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels import closing, loader
from bpe_studio.engine.kernels import encoding as k
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.kernels.dividing import N_WHOLES
from bpe_studio.engine.kernels.scanning import N_CUTTING
from bpe_studio.engine.presets import KEEPING_SPLITS
from bpe_studio.engine.processors import n_processors
from bpe_studio.engine.splits.automaton import find_automaton
from bpe_studio.engine.text.alphabet import byte_to_stand_in, has_bytes_as_units, is_plain_symbol
from bpe_studio.engine.text.utf8 import start_of_character
from bpe_studio.errors import VocabularyError

MOST_BYTES = 2**31 - 1
"""The longest text, because places within a pre-token are numbers of 31 bits."""
_PADDING = 32
_LEAST_BITS = 10
_BLOCK = 1 << 14
"""Characters that are encoded as UTF-8 at a time: a wide one makes only its own block slow."""
_PART_BYTES = 1 << 20
"""The least that is worth a thread of its own."""
_BOUNDARY_BYTES = 1 << 16
"""The distance before the end of a part in which a place to divide the text is sought."""
_MOST_WORDS = 1 << 20
_MOST_KEPT = 1 << 23
"""The most entries of each table (32 MiB), and the most ids (32 MiB): a full cache is cleared."""
_REMEMBERED_WORDS = 1 << 18
_REMEMBERED_KEPT = 1 << 20
"""The largest cache that is kept for the next text: 8 MiB, and 4 MiB of ids."""


def is_bulk(config: TrainingConfig) -> bool:
    """Whether texts can be encoded here, provided that the split has an automaton."""
    return has_bytes_as_units(config) and not config.word_start


def byte_ids_of(model: TokenizerModel) -> Int32Array:
    """(256,) int32, the symbol of each byte in a model whose options satisfy `is_bulk`; -1 for
    none.
    """
    specials = {
        number
        for name, number in model.special_ids.items()
        if not is_plain_symbol(name, model.config)
    }
    single = [
        (name, number)
        for number, name in enumerate(model.tokens)
        if len(name) == 1 and number not in specials
    ]
    named = dict(reversed(single))
    return np.array([named.get(name, -1) for name in byte_to_stand_in], np.int32)


@dataclass(frozen=True)
class Content:
    """One text or several as bytes.

    Attributes:
        padded: (n + 32,) uint8, the texts as UTF-8, end to end, then zeros.
        n: their length in bytes.
        stops: (t,) int64, the end of each text; no pre-token crosses it.
    """

    padded: ByteArray
    n: int
    stops: Int64Array

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Content | None:
        """Several texts as bytes; `None` if one contains a stray byte (a lone surrogate)."""
        content = cls.of("".join(texts))
        if content is None or len(texts) == 1:
            return content
        sizes = np.fromiter(map(len, texts), np.int64, len(texts))
        if sizes.sum() < content.n:
            sizes = np.fromiter(map(len, map(str.encode, texts)), np.int64, len(texts))
        return replace(content, stops=np.cumsum(sizes))

    @classmethod
    def of(cls, text: str) -> Content | None:
        """A text as bytes; `None` if it contains a stray byte (a lone surrogate)."""
        if len(text) <= _BLOCK:
            try:
                content = bytearray(text.encode() + bytes(_PADDING))
            except UnicodeEncodeError:
                return None
            n = len(content) - _PADDING
            return cls(np.frombuffer(content, np.uint8), n, np.array([n]))
        padded = np.empty(len(text) + len(text) // 8 + _PADDING, np.uint8)
        n = 0
        for i in range(0, len(text), _BLOCK):
            try:
                block = text[i : i + _BLOCK].encode()
            except UnicodeEncodeError:
                return None
            end = n + len(block)
            if end + _PADDING > len(padded):
                small = padded
                padded = np.empty(2 * len(small) + len(block), np.uint8)
                padded[:n] = small[:n]
            padded[n:end] = np.frombuffer(block, np.uint8)
            n = end
        padded[n : n + _PADDING] = 0
        return cls(padded[: n + _PADDING], n, np.array([n]))


class _Cache:
    """Encoded pre-tokens, and the working memory of the kernel.

    Args:
        limit: merges of this rank and above do not apply.
        is_ranks: whether gap ranks are stored instead of ids.
    """

    def __init__(self, limit: int, is_ranks: bool) -> None:
        self.key = limit, is_ranks
        self.state = np.zeros(k.N_STATE, np.int64)
        self.state[k.IS_RANKS] = is_ranks
        self.slots = np.zeros(1 << 13, np.int32)
        self.words = cache_aligned((1 << 12) * k.ENTRY)
        self.long_table = np.zeros((1 << 8) * k.LONG_ENTRY, np.int64)
        self.kept = np.empty(1 << 12, np.int32)
        self.long_kept = np.empty(1 << 12, np.int32)
        self.row = np.zeros(closing.ROW, np.int64)
        self.scratch = Scratch(1 << 8)
        self.turn = np.zeros((8, k.TURN), np.int64)

    def make_room(self, kernel: Any) -> None:
        """Grow the array that was too small, or clear the cache if it has its full size."""
        short_of = self.state[k.SHORT_OF]
        longest = int(self.state[k.LONGEST])
        if short_of == k.SCRATCH:
            self.scratch = Scratch(2 * longest)
        elif short_of == k.WORDS and len(self.words) < _MOST_WORDS * k.ENTRY:
            old = self.words
            self.words = cache_aligned(2 * len(self.words))
            self.words[: len(old)] = old
            self.slots = np.zeros(2 * len(self.slots), np.int32)
            kernel.refill(self.slots, self.words, self.state[k.N_WORDS])
        elif short_of == k.LONG_WORDS and len(self.long_table) < _MOST_WORDS * k.LONG_ENTRY:
            old = self.long_table
            self.long_table = np.zeros(4 * len(self.long_table), np.int64)
            kernel.refill_long(self.long_table, old)
        elif short_of == k.KEPT and len(self.kept) < _MOST_KEPT:
            self.kept = np.concatenate([self.kept, np.empty(3 * len(self.kept), np.int32)])
        elif short_of == k.LONG_KEPT and len(self.long_kept) < max(_MOST_KEPT, longest):
            self.long_kept = np.concatenate(
                [self.long_kept, np.empty(len(self.long_kept) + longest, np.int32)]
            )
        elif short_of in (k.WORDS, k.KEPT):
            self.forget()
        else:
            self.forget_long()

    def forget(self) -> None:
        """Remove the short pre-tokens."""
        self.slots[:] = 0
        self.state[[k.N_WORDS, k.N_KEPT]] = 0

    def forget_long(self) -> None:
        """Remove the long pre-tokens, which are stored as places in one text."""
        if self.state[k.N_LONG]:
            self.long_table[:] = 0
            self.state[[k.N_LONG, k.N_LONG_KEPT]] = 0

    @property
    def is_small(self) -> bool:
        """Whether the cache may be kept for the next text."""
        return (
            len(self.words) <= _REMEMBERED_WORDS * k.ENTRY
            and len(self.long_table) <= _REMEMBERED_WORDS * k.LONG_ENTRY
            and max(len(self.kept), len(self.long_kept), len(self.scratch.tokens))
            <= _REMEMBERED_KEPT
        )


class BulkEncoder:
    """Encodes texts with merges; pre-tokens are cached from one text to the next, up to a limit.

    Args:
        split: a split; see `find_automaton`.
        byte_ids: (256,) int32, the symbol of each byte; -1 for none.
        pairs: makes the table of the merges; called when it is first needed.
    """

    def __init__(self, split: str, byte_ids: Int32Array, pairs: Callable[[], PairTable]) -> None:
        self._split = split
        self._byte_ids = byte_ids
        self._make_pairs = pairs
        self._caches: list[_Cache] = []

    @classmethod
    def of_model(cls, model: TokenizerModel) -> BulkEncoder:
        """The encoder of a tokenizer whose options satisfy `is_bulk`."""
        return cls(
            model.config.cutting, byte_ids_of(model), lambda: PairTable.of_merges(model.merges)
        )

    def encode(self, content: Content, limit: int) -> tuple[Int32Array, Int64Array] | None:
        """The ids of normalized texts, and (t,) int64, the end of each text's ids.

        `None` if the kernels cannot encode them: a byte is not a symbol, the split has no
        automaton, a regular expression backtracks so much that it would take too long, or the texts
        have more than 2 GB together. Parts of large content are encoded by several threads.

        Args:
            content: the texts.
            limit: merges of this rank and above do not apply.
        """
        n_threads = n_processors() if content.n >= 2 * _PART_BYTES else 1
        return self._cut(content, limit, False, n_threads)

    def gap_ranks(self, content: Content) -> Int32Array | None:
        """The gap rank before each symbol of a text, end to end; `None` as for `encode`."""
        found = self._cut(content, NEVER, True, n_threads=1)
        return None if found is None else found[0]

    def symbols(self, content: Content) -> Int32Array:
        """The symbols of a text, in the order of `gap_ranks`."""
        places = self.kept_places(content)
        kept = content.padded[: content.n] if places is None else content.padded[places]
        found = np.empty(len(kept), np.int32)
        loader.compiled("encoding").symbols_of(kept, len(kept), self._byte_ids, found)
        return found

    def kept_places(self, content: Content) -> Int64Array | None:
        """(n,) int64, the byte offset of each symbol of the texts.

        `None` if every byte is a symbol.
        """
        if self._split in KEEPING_SPLITS:
            return None
        found = np.empty(content.n, np.int64)
        turn = np.zeros((2, k.TURN), np.int64)
        walk = np.zeros(N_CUTTING, np.int64)
        kernel = loader.compiled("scanning")
        kernel.begin(walk, 0)
        return found[: kernel.keep(walk, content.padded, content.stops, self._tables, *turn, found)]

    def _cut(
        self, content: Content, limit: int, is_ranks: bool, n_threads: int
    ) -> tuple[Int32Array, Int64Array] | None:
        if find_automaton(self._split) is None:
            return None
        if content.n > MOST_BYTES:
            if len(content.stops) > 1:
                return None
            raise VocabularyError(
                f"The text has {content.n:,} bytes, more than 2 GB; encode it in parts"
            )
        bounds = [0, content.n] if n_threads == 1 else self._bounds(content, n_threads)
        if len(bounds) == 2:
            return self._cut_part(content.padded, 0, content.stops, limit, is_ranks)
        # Imported here, because small texts, and the start of the window, do not need it.
        from concurrent.futures import ThreadPoolExecutor

        # The threads share these tables, which are made when they are first needed.
        _ = self._pair_tables
        # A text may end in a later part than it begins.
        ended = np.searchsorted(content.stops, bounds[1:], "right").tolist()
        stops = [
            np.append(content.stops[first:last], end)
            for (first, last), end in zip(pairwise([0, *ended]), bounds[1:], strict=True)
        ]
        with ThreadPoolExecutor(len(stops), "encoding") as pool:
            cut = partial(self._cut_part, content.padded, limit=limit, is_ranks=is_ranks)
            parts = list(pool.map(cut, bounds[:-1], stops))
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return None
        begins = np.cumsum([0, *(len(ids) for ids, _ in found)])
        ends = [ends[:-1] + begin for (_, ends), begin in zip(found, begins[:-1], strict=True)]
        return np.concatenate([ids for ids, _ in found]), np.concatenate(ends)

    def _bounds(self, content: Content, n_threads: int) -> list[int]:
        """The start of each part that is encoded by a thread of its own, and the end."""
        automaton = find_automaton(self._split)
        assert automaton is not None
        n_parts = max(1, min(n_threads, content.n // _PART_BYTES))
        bounds = [0]
        for number in range(1, n_parts):
            # The last end of a text, or the last boundary in one, before an equal share.
            share = number * content.n // n_parts
            n_ended = int(np.searchsorted(content.stops, share, "right"))
            place = content.stops[n_ended - 1] if n_ended else 0
            if place < share - _BOUNDARY_BYTES:
                # Both ends of the search are starts of characters.
                low = start_of_character(content.padded, share - _BOUNDARY_BYTES)
                high = start_of_character(content.padded, share)
                place = loader.compiled("scanning").last_boundary(
                    content.padded, max(low, bounds[-1]), high, automaton.columns, automaton.parts
                )
            if place > bounds[-1]:
                bounds.append(int(place))
        return [*bounds, content.n]

    def _cut_part(
        self, padded: ByteArray, begin: int, stops: Int64Array, limit: int, is_ranks: bool
    ) -> tuple[Int32Array, Int64Array] | None:
        """The ids, or the gap ranks, of content from a place on, and the end of those before each
        stop.
        """
        try:
            # A cache serves one thread at a time: pop and append are atomic.
            cache = self._caches.pop()
        except IndexError:
            cache = _Cache(limit, is_ranks)
        if cache.key != (limit, is_ranks):
            cache = _Cache(limit, is_ranks)
        try:
            found = self._cut_with(padded, begin, stops, cache)
        except TimeoutError:
            found = None
        cache.forget_long()
        if cache.is_small and (not self._caches or len(self._caches) < n_processors()):
            self._caches.append(cache)
        return found

    def _cut_with(
        self, padded: ByteArray, begin: int, stops: Int64Array, cache: _Cache
    ) -> tuple[Int32Array, Int64Array] | None:
        kernel = loader.compiled("encoding")
        pairs, byte_values, bits, wholes = self._pair_tables
        if cache.key[1]:
            wholes = wholes[:0]  # every byte has a gap rank
        walk = np.zeros(N_CUTTING, np.int64)
        ends = np.zeros(len(stops), np.int64)
        loader.compiled("scanning").begin(walk, begin)
        eight = eight_bytes_from_each(padded)
        out = np.empty(stops[-1] - begin + k.INLINE, np.int32)
        cache.state[[k.N_OUT, k.N_DIVIDED, k.N_BATCH, k.N_WRITTEN, k.N_ENDED]] = 0
        while True:
            scratch = cache.scratch
            kernel.encode(
                cache.state,
                padded,
                eight,
                walk,
                stops,
                self._tables,
                self._byte_ids,
                byte_values,
                wholes,
                pairs,
                cache.key[0],
                bits,
                cache.slots,
                cache.words,
                cache.long_table,
                cache.kept,
                cache.long_kept,
                cache.row,
                scratch.tokens,
                scratch.gaps,
                scratch.numbers,
                scratch.links,
                cache.turn,
                out,
                ends,
            )
            short_of = cache.state[k.SHORT_OF]
            if short_of == k.ENOUGH:
                return out[: cache.state[k.N_OUT]], ends
            if short_of == k.UNKNOWN_BYTE:
                return None
            cache.make_room(kernel)

    @cached_property
    def _tables(self) -> tuple[Any, ...]:
        automaton = find_automaton(self._split)
        assert automaton is not None
        return automaton.tables

    @cached_property
    def _pair_tables(self) -> tuple[PairArrays, Int64Array, ByteArray, Int64Array]:
        """The merges; (65536,) int64, the value of each pair of bytes; and the tables of
        `kernels/dividing.py`.
        """
        kernel = loader.compiled("encoding")
        byte_values = np.empty(1 << 16, np.int64)
        pairs = self._pairs.filled(loader.sibling(kernel, "closing"))
        kernel.value_bytes(self._byte_ids, pairs, byte_values)
        return pairs, byte_values, *self._dividing_tables(pairs)

    def _dividing_tables(self, pairs: PairArrays) -> tuple[ByteArray, Int64Array]:
        """The places where pre-tokens cannot be divided, and the characters that are one symbol;
        see `kernels/dividing.py`.
        """
        kernel = loader.compiled("dividing")
        columns = (self._pairs.lefts, self._pairs.rights, self._pairs.made)
        n_tokens = 1 + max(int(column.max(initial=0)) for column in (self._byte_ids, *columns))
        bits = np.zeros(1 << max(_LEAST_BITS, len(self._pairs).bit_length()), np.uint8)
        heads, tails, sizes, more, others = np.zeros((5, n_tokens), np.int64)
        if not kernel.mark_places(*columns, self._byte_ids, heads, tails, sizes, bits):
            return np.full(1, 0xFF, np.uint8), np.zeros(0, np.int64)
        wholes = np.zeros(N_WHOLES, np.int64)
        kernel.find_letters(*columns[:2], self._byte_ids, tails, sizes, pairs, more, others, wholes)
        kernel.find_wholes(*columns, self._byte_ids, heads, sizes, pairs, tails, more, wholes)
        return bits, wholes

    @cached_property
    def _pairs(self) -> PairTable:
        return self._make_pairs()


def eight_bytes_from_each(content: ByteArray) -> Int64Array:
    """(n - 7,) int64, the eight bytes that begin at each byte: an overlapping view."""
    whole = content[: len(content) // 8 * 8].view("<i8")
    return np.lib.stride_tricks.as_strided(whole, (len(content) - 7,), (1,), writeable=False)


def n_by_rank(gaps: Int32Array, n_merges: int) -> Int64Array:
    """(n_merges + 1,) int64: the number of gaps that each merge closes and, last, of those that
    stay open or have a rank below 0.
    """
    counts = np.zeros(n_merges + 1, np.int64)
    loader.compiled("encoding").tally(gaps, counts)
    return counts


def compile_kernels() -> None:
    """Compile the kernels, or load them from disk, unless they are ready."""
    if loader.is_ready("encoding"):
        return
    names = [*byte_to_stand_in, "ab"]
    model = TokenizerModel(TrainingConfig.preset("gpt2"), tuple(names), ((97, 98, 256),))
    encoder = BulkEncoder.of_model(model)
    content = Content.of("ab " * 9 + "=" * 99)
    assert content is not None
    encoder.encode(content, NEVER)
    find = loader.compiled("scanning").last_boundary
    automaton = find_automaton("gpt2")
    assert automaton is not None
    find(content.padded, 0, content.n, automaton.columns, automaton.parts)
    encoder.symbols(content)
    BulkEncoder("whitespace", encoder._byte_ids, lambda: encoder._pairs).kept_places(content)
    n_by_rank(np.zeros(1, np.int32), 0)
    kernel = loader.compiled("encoding")
    kernel.refill(np.zeros(1, np.int32), np.zeros(k.ENTRY, np.int64), 0)
    kernel.refill_long(np.zeros(k.LONG_ENTRY, np.int64), np.zeros(k.LONG_ENTRY, np.int64))
    close_words(np.zeros(2, np.int32), np.array([0, 2]), encoder._pairs, work=loader.ANY_WORK)
    close_one([0, 0], encoder._pairs)
    loader.mark_ready("encoding")
