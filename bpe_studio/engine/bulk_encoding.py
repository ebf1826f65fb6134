"""Encoding large texts with compiled kernels: bytes as units, one of the named splits, no marks.

Everything else, and small texts, are cut by `piece_cutter.py`; the ids are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt

from bpe_studio.engine import kernels
from bpe_studio.engine.alphabet import byte_to_stand_in
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.gap_closing import PairTable, Scratch, close_one, close_words
from bpe_studio.engine.kernels import closing
from bpe_studio.engine.kernels import encoding as k
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.layout import Int32Array, Int64Array
from bpe_studio.engine.pretokenization import PATTERNS
from bpe_studio.engine.split_automata import split_automaton
from bpe_studio.engine.tokenizer_model import TokenizerModel

_TAKES_LETTERS = frozenset({"gpt2", "cl100k", "llama3", "qwen2"})
"""Splits to which ASCII letters, with a blank before them or not, are one pre-token up to the first other character."""

_PADDING = 32


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


class BulkEncoder:
    """Encodes texts by a tokenizer's merges.

    Args:
        model: one that `is_bulk`.
        ids: the id of each token by its name.
    """

    def __init__(self, model: TokenizerModel, ids: Mapping[str, int]) -> None:
        self._model = model
        self._byte_values: Int64Array | None = None
        specials = set(model.special_ids.values())
        self._byte_ids = np.full(256, -1, np.int32)
        for byte, name in enumerate(byte_to_stand_in):
            number = ids.get(name)
            if number is not None and number not in specials:
                self._byte_ids[byte] = number

    def encode(self, text: bytes, limit: int) -> Int32Array | None:
        """The ids of a text, normalized already; `None` where it holds a byte that is no symbol.

        Args:
            text: the text's bytes.
            limit: merges of this rank and above do not apply.
        """
        kernel = kernels.compiled("encoding")
        pairs = self._pairs.filled(kernels.sibling(kernel, "closing"))
        if self._byte_values is None:
            self._byte_values = np.empty(1 << 16, np.int64)
            kernel.value_bytes(self._byte_ids, pairs, self._byte_values)
        n = len(text)
        padded = np.frombuffer(text + bytes(_PADDING - n % 8), np.uint8)
        split = self._model.config.split
        columns, moves, marks = self._automaton
        table = np.zeros((1 << 14) * k.ENTRY, np.int64)
        long_table = np.zeros((1 << 12) * k.LONG_ENTRY, np.int64)
        kept = np.empty(1 << 16, np.int32)
        scratch = Scratch(1 << 10)
        out = np.empty(n + 3, np.int32)
        state = np.zeros(k.N_STATE, np.int64)
        row = np.zeros(closing.ROW, np.int64)
        ends = np.empty((2, 1), np.int64)
        place = 0
        while True:
            place = kernel.encode(
                state, padded, padded.view(np.int64), place, n, split in _TAKES_LETTERS, columns, moves, marks,
                self._byte_ids, self._byte_values, pairs, limit, table, long_table, kept, row,
                scratch.tokens, scratch.gaps, scratch.numbers, scratch.links, *ends, out,
            )  # fmt: skip
            short_of = state[k.SHORT_OF]
            if short_of == k.ENOUGH:
                return out[: state[k.N_OUT]]
            if short_of == k.UNKNOWN_BYTE:
                return None
            if short_of == k.WORDS:
                old, table = table, np.zeros(4 * len(table), np.int64)
                kernel.refill(table, old)
            elif short_of == k.LONG_WORDS:
                old, long_table = long_table, np.zeros(4 * len(long_table), np.int64)
                kernel.refill_long(long_table, old)
            else:
                kernels.sibling(kernel, "scanning").scan(padded, place, n, columns, moves, marks, *ends)
                longest = int(ends[1, 0] - ends[0, 0])
                if short_of == k.SCRATCH:
                    scratch = Scratch(2 * longest)
                else:
                    kept = np.concatenate([kept, np.empty(len(kept) + longest, np.int32)])

    @cached_property
    def _pairs(self) -> PairTable:
        return PairTable.of_merges(self._model.merges)

    @cached_property
    def _automaton(self) -> tuple[npt.NDArray[np.uint8], ...]:
        found = split_automaton(self._model.config.split)
        return found.columns, found.moves, found.marks


def compile_kernels() -> None:
    """Have the kernels compiled, or read from disk."""
    names = [*byte_to_stand_in, "ab"]
    model = TokenizerModel(TrainingConfig.preset("gpt2"), tuple(names), ((97, 98, 256),))
    encoder = BulkEncoder(model, {name: number for number, name in enumerate(names)})
    encoder.encode(b"ab " * 9 + b"=" * 99, NEVER)
    kernel = kernels.compiled("encoding")
    kernel.refill(np.zeros(k.ENTRY, np.int64), np.zeros(k.ENTRY, np.int64))
    kernel.refill_long(np.zeros(k.LONG_ENTRY, np.int64), np.zeros(k.LONG_ENTRY, np.int64))
    close_words(np.zeros(2, np.int32), np.array([0, 2]), encoder._pairs)
    close_one([0, 0], encoder._pairs)
    kernels.mark_ready("encoding")
