"""The buffers of a training run: made from a laid-out corpus, grown when the merge loop asks for room.

The loop itself is `kernels/merging.py`; who calls it is `trainer.py`. Buffers are numpy arrays for the compiled
kernels, or lists for the plain ones, which index lists several times faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bpe_studio.engine.alphabet import Alphabet
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.kernels import merging as k
from bpe_studio.engine.layout import Int32Array, Layout, tokens_at
from bpe_studio.engine.scripts import script_of

MAX_PIECE_CHARACTERS = 16
"""SentencePiece makes no longer pieces."""

_RULES = {
    "first-seen": k.FIRST_SEEN,
    "huggingface": k.SMALLEST_IDS,
    "raw-ids": k.SMALLEST_IDS,
    "greatest-bytes": k.GREATEST_TEXTS,
    "subword-nmt": k.GREATEST_TEXTS,
    "sentencepiece": k.SHORTEST_TEXT,
}
_BY_TOKEN = ("lengths", "text_starts", "scripts_first", "scripts_last", "characters", "merge_left", "merge_right",
             "merge_count", "merge_tied", "merge_tokens", "left_sum", "right_sum", "right_lost", "left_n", "right_n",
             "left_fill", "right_fill", "left_seen", "right_seen")  # fmt: skip
_BY_PLACE = ("left_ids", "left_places", "right_ids", "right_places")
_BY_PAIR = ("pair_left", "pair_right", "pair_from", "pair_to")
_BY_HEAP = ("heap_pairs", "heap_counts", "heap_keys")
_LONG = {"text_starts", "merge_count", "merge_tied", "merge_tokens", "left_sum", "right_sum", "right_lost", "left_fill",
         "right_fill", "pair_from", "pair_to", "heap_counts", "heap_keys"}  # fmt: skip


class TrainingState:
    """The buffers, and the work of making room in them.

    Attributes:
        buffers: what the kernels read and write; replaced as a whole when something grows.
        gaps: (n,) int32 gap ranks, written by the merge loop, always a numpy array.
    """

    def __init__(
        self,
        layout: Layout,
        config: TrainingConfig,
        texts: Sequence[bytes],
        *,
        gaps: Int32Array,
        n_merges: int,
        keep_count: int,
        n_tokens: int,
    ) -> None:
        self.gaps = gaps
        n_vocab = len(texts)
        room = n_vocab + 1024
        reserved = [token.encode("utf-8", "surrogatepass") for token in config.all_special]
        reserved_starts = np.cumsum([0, *map(len, reserved)]).astype(np.int64)
        offsets = np.cumsum([reserved_starts[-1], *map(len, texts)]).astype(np.int64)
        numbers = np.zeros(k.N_NUMBERS, np.int64)
        numbers[k.N_VOCAB], numbers[k.N_MERGES], numbers[k.N_TOKENS] = n_vocab, n_merges, n_tokens
        numbers[k.MIN_COUNT], numbers[k.KEEP_COUNT] = max(1, config.min_frequency), keep_count
        numbers[k.RULE] = _RULES[config.ties]
        numbers[k.PREFIX_CUT] = len((config.continuing or "").encode())
        by_token = {name: np.zeros(room, np.int64 if name in _LONG else np.int32) for name in _BY_TOKEN}
        by_token["text_starts"][: n_vocab + 1] = offsets
        arena = np.zeros(int(offsets[-1]) * 2 + 65536, np.uint8)
        arena[: offsets[-1]] = np.frombuffer(b"".join([*reserved, *texts]), np.uint8)
        symbols = layout.symbols
        if n_merges:
            tokens = tokens_at(layout, gaps, n_merges)
            symbols = np.where(symbols >= 0, -2, -1).astype(np.int32)
            symbols[tokens.starts] = tokens.ids
            ends = np.append(tokens.starts[1:], layout.word_starts[-1])
            # A token ends before the next one, or before the sentinel between.
            ends = ends - np.append(tokens.words[1:] != tokens.words[:-1], True) - 1
            symbols[ends] = tokens.ids
        self.buffers = k.Buffers(
            numbers=numbers,
            symbols=symbols.copy(),
            words=layout.words,
            weights=layout.weights,
            gaps=gaps,
            texts=arena,
            reserved_starts=reserved_starts,
            text_table=np.zeros(_power(4 * room), np.int32),
            places=np.zeros(len(symbols), np.int32),
            table_keys=np.zeros(4096, np.int64),
            table_counts=np.zeros(4096, np.int64),
            table_pairs=np.zeros(4096, np.int32),
            tie_counts=np.zeros(k.TIE_DENSE, np.int64),
            tie_keys=np.zeros(4096, np.int64),
            tie_values=np.zeros(4096, np.int64),
            **by_token,
            **{name: np.zeros(1024, np.int64 if name in _LONG else np.int32) for name in (*_BY_PLACE, *_BY_PAIR, *_BY_HEAP)},
        )

    @property
    def is_plain(self) -> bool:
        """Whether the buffers are lists, for the plain kernels."""
        return isinstance(self.buffers.symbols, list)

    def to_lists(self) -> None:
        """Turn the buffers into lists; the gap ranks stay an array, for they are read from outside."""
        self.buffers = k.Buffers(
            *(value if name == "gaps" else value.tolist() for name, value in self.buffers._asdict().items())
        )

    def to_arrays(self) -> None:
        """Turn lists back into arrays."""
        kinds = {"symbols": np.int32, "words": np.int32, "texts": np.uint8, "places": np.int32, "text_table": np.int32,
                 "table_pairs": np.int32}  # fmt: skip
        short = {*_BY_TOKEN, *_BY_PLACE, *_BY_PAIR, *_BY_HEAP} - _LONG
        self.buffers = k.Buffers(
            *(
                value if name == "gaps" else np.array(value, kinds.get(name, np.int32 if name in short else np.int64))
                for name, value in self.buffers._asdict().items()
            )
        )

    def make_room(self, kernel: Any, status: int) -> None:
        """Grow what the merge loop found too small."""
        b = self.buffers
        if status == k.GROW_SCRATCH:
            self._enlarge(*_BY_PLACE, to=_wanted(b))
            if b.numbers[k.N_VOCAB] + 2 > len(b.lengths):
                self._enlarge(*_BY_TOKEN)
        elif status == k.GROW_PAIRS:
            self._enlarge(*_BY_PAIR)
        elif status == k.GROW_PLACES:
            self._enlarge("places")
        elif status == k.GROW_HEAP:
            self._enlarge(*_BY_HEAP)
        elif status == k.GROW_TABLE:
            old = b.table_keys, b.table_counts, b.table_pairs
            # Pairs that are gone leave the table when it is filled anew, so it may not have to grow.
            size = len(b.table_keys) * 2
            self._replace(table_keys=size, table_counts=size, table_pairs=size)
            kernel.refill_table(self.buffers, *old)
        elif status == k.GROW_TIES:
            old_ties = b.tie_keys, b.tie_values
            size = len(b.tie_keys) * 2
            self._replace(tie_keys=size, tie_values=size)
            kernel.refill_ties(self.buffers, *old_ties)
        else:
            if (b.numbers[k.N_VOCAB] + 2) * 2 > len(b.text_table):
                self._replace(text_table=len(b.text_table) * 2)
                kernel.refill_texts(self.buffers)
            else:
                self._enlarge("texts")

    def make_scratch(self, n_places: int) -> None:
        """Grow the scratch buffers for a merge of so many places."""
        self._enlarge(*_BY_PLACE, to=n_places)

    def _enlarge(self, *names: str, to: int = 0) -> None:
        grown = {}
        for name in names:
            old = getattr(self.buffers, name)
            size = max(2 * len(old), to)
            if isinstance(old, list):
                grown[name] = [*old, *[0] * (size - len(old))]
            else:
                grown[name] = np.zeros(size, old.dtype)
                grown[name][: len(old)] = old
        self.buffers = self.buffers._replace(**grown)

    def _replace(self, **sizes: int) -> None:
        empty = {}
        for name, size in sizes.items():
            old = getattr(self.buffers, name)
            empty[name] = [0] * size if isinstance(old, list) else np.zeros(size, old.dtype)
        self.buffers = self.buffers._replace(**empty)


def _wanted(b: Any) -> int:
    """The number of places of the pair on top of the heap."""
    if not b.numbers[k.N_HEAP]:
        return 0
    pair = b.heap_pairs[0]
    return int(b.pair_to[pair] - b.pair_from[pair])


def _power(size: int) -> int:
    return 1 << max(8, (size - 1).bit_length())


def symbol_texts(alphabet: Alphabet, config: TrainingConfig) -> list[bytes]:
    """Each symbol's text as the tie rules compare it: its raw bytes, or its name where the rule compares strings."""
    if config.units == "characters" or config.ties in ("subword-nmt", "sentencepiece"):
        return [name.encode("utf-8", "surrogatepass") for name in alphabet.names]
    prefix, mark = (config.continuing or "").encode(), (config.word_end or "").encode()
    return [
        (b"" if starts else prefix) + content + (mark if ends else b"")
        for content, starts, ends in zip(alphabet.contents, alphabet.starts_word, alphabet.ends_word, strict=True)
    ]


def describe_symbols(state: TrainingState, alphabet: Alphabet, config: TrainingConfig) -> None:
    """Fill in what the tie rules and the piece rules know of each symbol: length, characters, script."""
    b = state.buffers
    n = len(alphabet)
    b.lengths[:n] = 1
    b.characters[:n] = [len(name) for name in alphabet.names]
    if config.split != "sentencepiece":
        return
    b.numbers[k.MAX_CHARACTERS] = MAX_PIECE_CHARACTERS
    for symbol, name in enumerate(alphabet.names):
        script = 0 if name == "▁" else script_of(name[0])
        b.scripts_first[symbol] = b.scripts_last[symbol] = script
        if name == "\t":
            # No piece holds a tab: as long as a piece may be, it fits no other.
            b.characters[symbol] = MAX_PIECE_CHARACTERS
