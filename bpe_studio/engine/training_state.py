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
from bpe_studio.engine.kernels import buffers as k
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
_KINDS = {"symbols": np.int32, "weights": np.int32, "tokens": np.int32, "texts": np.uint8, "text_table": np.int32,
          "places": np.int32, "seen": np.int32, "near": np.int32}  # fmt: skip


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
        text_starts = np.zeros(room, np.int64)
        text_starts[: n_vocab + 1] = np.cumsum([reserved_starts[-1], *map(len, texts)])
        arena = np.frombuffer(b"".join([*reserved, *texts]), np.uint8)
        numbers = np.zeros(k.N_NUMBERS, np.int64)
        numbers[k.N_VOCAB], numbers[k.N_MERGES], numbers[k.N_TOKENS] = n_vocab, n_merges, n_tokens
        numbers[k.MIN_COUNT], numbers[k.KEEP_COUNT] = max(1, config.min_frequency), keep_count
        numbers[k.FLOOR] = 2**62
        numbers[k.RULE] = _RULES[config.ties]
        numbers[k.PREFIX_CUT] = len((config.continuing or "").encode())
        symbols = layout.symbols
        if n_merges:
            tokens = tokens_at(layout, gaps, n_merges)
            symbols = np.where(symbols >= 0, -2, -1).astype(np.int32)
            symbols[tokens.starts] = tokens.ids
            ends = np.append(tokens.starts[1:], layout.word_starts[-1])
            # A token ends before the next one, or before the sentinel between.
            ends = ends - np.append(tokens.words[1:] != tokens.words[:-1], True) - 1
            symbols[ends] = tokens.ids
        weights, heavy = layout.weights_by_symbol()
        self.buffers = k.Buffers(
            numbers=numbers,
            symbols=symbols.copy(),
            weights=weights,
            heavy=heavy,
            gaps=gaps,
            tokens=np.zeros(room * k.TOKEN, np.int32),
            text_starts=text_starts,
            texts=np.concatenate([arena, np.zeros(len(arena) + 65536, np.uint8)]),
            reserved_starts=reserved_starts,
            text_table=np.zeros(_power(4 * room), np.int32),
            pairs=np.zeros(1024 * k.PAIR, np.int64),
            places=np.zeros(len(symbols), np.int32),
            table=np.zeros(4096 * k.TABLE, np.int64),
            heap=np.zeros(1024 * k.HEAP, np.int64),
            tie_counts=np.zeros(k.TIE_DENSE, np.int64),
            tie_table=np.zeros(4096 * k.TIE, np.int64),
            log=np.zeros(room * k.LOG, np.int64),
            lefts=np.zeros(room * k.SUM, np.int64),
            rights=np.zeros(room * k.SUM, np.int64),
            seen=np.zeros(room * 2, np.int32),
            near=np.zeros(1024 * k.NEAR, np.int32),
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
        self.buffers = k.Buffers(
            *(
                value if name == "gaps" else np.array(value, _KINDS.get(name, np.int64))
                for name, value in self.buffers._asdict().items()
            )
        )

    def make_room(self, kernel: Any, status: int) -> None:
        """Grow what the merge loop found too small."""
        b = self.buffers
        if status == k.GROW_SCRATCH:
            if b.numbers[k.N_VOCAB] + 2 > len(b.text_starts):
                self._enlarge("tokens", "log", "lefts", "rights", "seen", "text_starts")
            else:
                self._enlarge("near")
        elif status == k.GROW_PAIRS:
            self._enlarge("pairs")
        elif status == k.GROW_PLACES:
            self._enlarge("places")
        elif status == k.GROW_HEAP:
            self._enlarge("heap")
        elif status == k.GROW_TABLE:
            # Pairs that are gone leave the table when it is filled anew.
            old = b.table
            self._replace("table", 2 * len(old))
            kernel.refill_table(self.buffers, old)
        elif status == k.GROW_TIES:
            old = b.tie_table
            self._replace("tie_table", 2 * len(old))
            kernel.refill_ties(self.buffers, old)
        elif (b.numbers[k.N_VOCAB] + 2) * 2 > len(b.text_table):
            self._replace("text_table", 2 * len(b.text_table))
            kernel.refill_texts(self.buffers)
        else:
            self._enlarge("texts")

    def _enlarge(self, *names: str) -> None:
        grown: dict[str, Any] = {}
        for name in names:
            old = getattr(self.buffers, name)
            if isinstance(old, list):
                grown[name] = old + [0] * len(old)
            else:
                grown[name] = np.concatenate([old, np.zeros_like(old)])
        self.buffers = self.buffers._replace(**grown)

    def _replace(self, name: str, size: int) -> None:
        empty: Any = [0] * size if self.is_plain else np.zeros(size, _KINDS.get(name, np.int64))
        self.buffers = self.buffers._replace(**{name: empty})


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
    fields = b.tokens[: n * k.TOKEN].reshape(n, k.TOKEN)
    fields[:, k.LENGTH] = 1
    fields[:, k.CHARACTERS] = [len(name) for name in alphabet.names]
    if config.split == "sentencepiece":
        b.numbers[k.MAX_CHARACTERS] = MAX_PIECE_CHARACTERS
        scripts = [0 if name == "▁" else script_of(name[0]) for name in alphabet.names]
        fields[:, k.SCRIPT_FIRST] = scripts
        fields[:, k.SCRIPT_LAST] = scripts
