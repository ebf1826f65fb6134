"""Encodes pre-tokens for a finished tokenizer, with a cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.arguments import shown
from bpe_studio.engine.encoding.gap_closing import (
    FUSED,
    LONG,
    PairTable,
    close_at_random,
    close_one,
    close_word,
    is_worth_a_kernel,
)
from bpe_studio.engine.encoding.symbol_places import (
    characters_of,
    divided_places,
    item_ends,
    symbol_places,
)
from bpe_studio.engine.encoding.token_marks import Marks, TokenMarks
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.alphabet import FALLBACK_NAMES, byte_to_stand_in, is_plain_symbol
from bpe_studio.engine.text.items import items_of
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.errors import VocabularyError

if TYPE_CHECKING:
    from random import Random

_MAX_CACHED = 100_000


class PreTokenEncoder:
    """Encodes pre-tokens with a tokenizer's merges.

    Args:
        model: the tokenizer.
        ids: the id of each token by its name.
        marks: the marks of its tokens.
        dropout: the probability with which a merge is dropped each time that it has its turn.
        random: the random numbers for it.
    """

    def __init__(
        self,
        model: TokenizerModel,
        ids: Mapping[str, int],
        marks: TokenMarks,
        dropout: float = 0.0,
        random: Random | None = None,
    ) -> None:
        self._dropout = dropout
        self._random = random
        self._model = model
        self._marks = marks
        self._ids = ids
        # A special token that is a symbol as well is found in texts.
        self._specials = {
            number
            for number in model.special_ids.values()
            if not is_plain_symbol(model.tokens[number], model.config)
        }
        self._made = [new for _, _, new in model.merges]
        ranks = reversed(range(len(model.merges)))
        self._ranks = {
            a << 32 | b: rank for rank, (a, b, _) in zip(ranks, reversed(model.merges), strict=True)
        }
        self._cache: dict[tuple[str, int], tuple[list[int], list[tuple[float, float]]]] = {}

    def cut(self, piece: str, limit: int) -> tuple[list[int], list[tuple[float, float]]]:
        """The ids of one pre-token, and their (start, end) within it as floats (see
        `symbol_places`).

        A mark alone, which has no place in the text, gets that of the character beside it, as in
        `tokenizers`.

        Raises:
            VocabularyError: a character is outside the alphabet and there is no unknown token.
        """
        key = piece, limit
        known = self._cache.get(key)
        if known is not None:
            return known
        symbols, sizes = self._symbols(piece)
        borders = divided_places(symbol_places(piece, self._model.config), sizes)
        ids, begins = self._merge(symbols, limit)
        offsets = [
            _place(borders[i], borders[j], borders) for i, j in pairwise([*begins, len(symbols)])
        ]
        if self._model.config.units == "items":
            ends = item_ends(piece)
            offsets = [(borders[i], ends[j - 1]) for i, j in pairwise([*begins, len(symbols)])]
        found = ids, offsets
        if len(symbols) < LONG and self._random is None:
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[key] = found
        return found

    def gap_ranks(self, piece: str) -> list[int]:
        """The rank of the merge that closes each gap of one pre-token; `NEVER` for none, `FUSED` in
        an unknown token.

        Raises:
            VocabularyError: as for `cut`.
        """
        symbols, sizes = self._symbols(piece)
        ranks = iter(close_word(symbols, self._ranks, self._made)[0])
        found: list[int] = []
        for size in sizes:
            found += islice(ranks, size) if size else (FUSED,)
        if self._model.finals:
            found[-1] = FUSED
        return found[1:]

    def _merge(self, symbols: list[int], limit: int) -> tuple[list[int], list[int]]:
        """Merge the pair of lowest rank, the leftmost among equals, until none is left below the
        limit.

        The merges may be in any order: see `textbook.encode_by_rank`.
        """
        if self._random is None and is_worth_a_kernel(len(symbols)):
            gaps, tokens = close_one(symbols, self._pair_table, limit)
            ids = tokens.tolist()
            begins = np.flatnonzero(gaps == NEVER).tolist()
        else:
            if self._random is None:
                ranks, firsts = close_word(symbols, self._ranks, self._made, limit=limit)
            else:
                ranks, firsts = close_at_random(
                    symbols, self._ranks, self._made, self._dropout, self._random, limit
                )
            begins = [place for place, rank in enumerate(ranks) if rank == NEVER]
            ids = [firsts[place] for place in begins]
        finals = self._model.finals
        if finals and begins[-1] == len(symbols) - 1:
            # The mark at the end is alone.
            ids[-2:] = [finals[ids[-2]]]
            begins.pop()
        return ids, begins

    @cached_property
    def _pair_table(self) -> PairTable:
        return PairTable.of_merges(self._model.merges)

    def _symbols(self, piece: str) -> tuple[list[int], list[int]]:
        """The ids of the symbols of one pre-token, and the number of symbols of each of its units.

        A unit that is fused with the unknown character before it has no symbol.
        """
        names, numbers = self._units(piece)
        known = [number for number in numbers if number is not None]
        if len(known) == len(numbers):
            return known, [1] * len(known)
        unknown = self._model.unknown_id
        fuses = self._model.config.fuses_unknown
        symbols: list[int] = []
        sizes = []
        was_unknown = False
        for name, number in zip(names, numbers, strict=True):
            found = self._bytes(name) if number is None else [number]
            is_unknown = found is None
            if found is None:
                if unknown is None:
                    raise VocabularyError(
                        f"{name!r} in {shown(piece)} is outside the alphabet, and this tokenizer"
                        " has no unknown token; train it with an unknown token, or on text that"
                        " holds it"
                    )
                found = [] if fuses and was_unknown else [unknown]
            was_unknown = is_unknown
            symbols += found
            sizes.append(len(found))
        return symbols, sizes

    def _units(self, piece: str) -> tuple[list[str], list[int | None]]:
        """The units of a pre-token, with their marks, and the id of each.

        `None` outside the alphabet.
        """
        config = self._model.config
        if config.units == "bytes":
            names = [byte_to_stand_in[byte] for byte in to_bytes(piece)]
        else:
            names = list(characters_of(piece)[0])
            if config.units == "items":
                names = items_of("".join(names))
        if not self._marks.has_any:
            return names, [self._symbol(name) for name in names]
        prefix = config.continuing or ""
        mark = config.word_end or ""
        names[1:] = [prefix + name for name in names[1:]]
        if config.word_end_as == "own-symbol":
            names.append(mark)
        else:
            names[-1] += mark
        marks = [
            (bool(prefix) and place > 0, bool(mark) and place == len(names) - 1)
            for place in range(len(names))
        ]
        return names, [
            self._symbol(name, wanted) for name, wanted in zip(names, marks, strict=True)
        ]

    def _bytes(self, name: str) -> list[int] | None:
        """The ids of a character's bytes; `None` if it has none."""
        if not self._model.config.byte_fallback:
            return None
        found = [self._ids.get(FALLBACK_NAMES[byte]) for byte in to_bytes(name)]
        numbers = [number for number in found if number is not None]
        return numbers if len(numbers) == len(found) else None

    def _symbol(self, name: str, marks: Marks | None = None) -> int | None:
        """The id of a symbol with these marks; `None` if there is none."""
        number = self._ids.get(name)
        if (
            number is None
            or number in self._specials
            or (marks is not None and self._marks.of(number) != marks)
        ):
            return None
        return number


def _place(start: float, end: float, borders: Sequence[float]) -> tuple[float, float]:
    """The place of a token between two borders of symbols.

    A mark alone has the place of the first or the last character.
    """
    if start < end or borders[-1] == 0:
        return start, end
    if start == 0:
        return 0.0, next(border for border in borders if border > 0)
    return next(border for border in reversed(borders) if border < end), end
