"""Encodes pre-tokens for a finished tokenizer, with a cache."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np

from bpe_studio.engine.counting.plain_counting import to_bytes
from bpe_studio.engine.encoding.cut import cut_word
from bpe_studio.engine.encoding.gap_closing import LONG, PairTable, close_one, is_worth_a_kernel
from bpe_studio.engine.encoding.segmentation import FUSED, characters_of, close_gaps, symbol_places
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.alphabet import byte_to_stand_in
from bpe_studio.errors import VocabularyError

_MAX_CACHED = 100_000


class PreTokenEncoder:
    """Encodes pre-tokens with a tokenizer's merges.

    Args:
        model: the tokenizer.
        ids: the id of each token by its name.
    """

    def __init__(self, model: TokenizerModel, ids: Mapping[str, int]) -> None:
        self._model = model
        self._ids = ids
        self._specials = set(model.special_ids.values())
        self._made = [new for _, _, new in model.merges]
        self._ranks = {left << 32 | right: rank for rank, (left, right, _) in reversed(list(enumerate(model.merges)))}
        self._cache: dict[tuple[str, int], tuple[list[int], list[tuple[float, float]]]] = {}

    def cut(self, piece: str, limit: int) -> tuple[list[int], list[tuple[float, float]]]:
        """The ids of one pre-token, and their (start, end) within it as floats (see `symbol_places`).

        Raises:
            VocabularyError: a character is outside the alphabet and there is no unknown token.
        """
        key = piece, limit
        known = self._cache.get(key)
        if known is not None:
            return known
        symbols = self._symbols(piece)
        borders = symbol_places(piece, self._model.config)
        if self._model.rank_order == "pieces":
            ids, begins = self._join_pieces(symbols, limit)
            offsets = [(borders[i], borders[j]) for i, j in pairwise([*begins, len(symbols)])]
        else:
            if not is_worth_a_kernel(len(symbols)):
                gaps = close_gaps(symbols, self._ranks, self._made, limit=limit)
            else:
                gaps = close_one(symbols, self._pair_table, limit)[0].tolist()
            if self._model.config.split == "sentencepiece":
                for i in range(1, len(symbols)):
                    if symbols[i] == symbols[i - 1] == self._model.unknown_id:
                        gaps[i] = FUSED
            cut = cut_word(gaps, NEVER)
            ids = [symbols[first] if rank < 0 else self._made[rank] for first, _, rank in cut]
            offsets = [(borders[first], borders[end]) for first, end, _ in cut]
        found = ids, offsets
        if len(symbols) < LONG:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[key] = found
        return found

    def _join_pieces(self, symbols: list[int], limit: int) -> tuple[list[int], list[int]]:
        """Join neighbours whose texts together are a token, the lowest id first, and the leftmost of equal ones."""
        ids, begins = list(symbols), list(range(len(symbols)))
        highest = NEVER if limit == NEVER else self._made[limit - 1] if limit else -1
        if len(symbols) >= LONG:
            gaps, tokens = close_one(symbols, self._pair_table, min(highest + 1, NEVER))
            return tokens.tolist(), np.flatnonzero(gaps == NEVER).tolist()
        while True:
            best = (NEVER, -1)
            for i in range(len(ids) - 1):
                joined = self._ids.get(self._model.tokens[ids[i]] + self._model.tokens[ids[i + 1]], NEVER)
                if joined <= highest and joined not in self._specials:
                    best = min(best, (joined, i))
            if best[1] < 0:
                return ids, begins
            ids[best[1] : best[1] + 2] = [best[0]]
            del begins[best[1] + 1]

    @cached_property
    def _pair_table(self) -> PairTable:
        if self._model.rank_order == "pieces":
            return PairTable.of_pieces(self._model.tokens, self._ids, self._specials)
        return PairTable.of_merges(self._model.merges)

    def _symbols(self, piece: str) -> list[int]:
        config = self._model.config
        names: list[str] = (
            [byte_to_stand_in[byte] for byte in to_bytes(piece)]
            if config.units == "bytes"
            else list(characters_of(piece)[0])
        )
        if config.continuing is not None:
            names[1:] = [config.continuing + name for name in names[1:]]
        if config.word_end is not None:
            if config.word_end_as == "own-symbol":
                names.append(config.word_end)
            else:
                names[-1] += config.word_end
        symbols = []
        for name in names:
            number = self._ids.get(name)
            if number is None or number in self._specials:
                number = self._model.unknown_id
            if number is None:
                raise VocabularyError(
                    f"{name!r} in {piece!r} is outside the alphabet, and this tokenizer has no unknown token; "
                    "train it with an unknown token, or on text that holds this character"
                )
            symbols.append(number)
        return symbols
