"""A tokenizer that another program made: ids and text by its library, steps and gap ranks by its merges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import Int32Array
from bpe_studio.engine.encoding.tokenizer_model import Encoding
from bpe_studio.errors import VocabularyError
from bpe_studio.files.foreign.library import Library, Pieces, as_valid_text, check_ids
from bpe_studio.files.foreign.piece_merges import PieceMerges


class ForeignTokenizer:
    """Encodes and decodes as the library that defines the tokenizer, and shows the tokens at any step.

    Attributes:
        library: does what comes before and after the merges.
        merges: the merges; `None` if there are none, or if they do not give the library's ids.
        why_no_merges: the reason for that, as a sentence; empty if there are merges.
    """

    def __init__(self, library: Library, merges: PieceMerges | None, why_no_merges: str = "") -> None:
        self.library = library
        self.merges = merges
        self.why_no_merges = why_no_merges

    @property
    def tokens(self) -> Mapping[int, str]:
        """The tokens by id, from the lowest id; ids may have gaps."""
        return self.library.tokens

    @property
    def special_ids(self) -> Mapping[str, int]:
        """The id of each special token."""
        return self.library.special_ids

    @property
    def vocab_size(self) -> int:
        """The number of tokens, with special tokens."""
        return len(self.tokens)

    @property
    def n_merges(self) -> int:
        """The number of merges, which is the last step; 0 for a tokenizer without."""
        return 0 if self.merges is None else len(self.merges)

    def encode(
        self,
        text: str | bytes,
        *,
        step: int | None = None,
        add_special_tokens: bool = False,
        recognize_special: bool = True,
    ) -> Encoding:
        """The tokens of a text.

        Args:
            text: the text; bytes must be valid UTF-8.
            step: how many merges apply; `None` for all, by the library alone.
            add_special_tokens: whether to put the template's special tokens around the text.
            recognize_special: whether the text of a special token becomes that token, and is not text like any other.

        Raises:
            VocabularyError: the text cannot be encoded, or there is no such step.
        """
        text = as_valid_text(text)
        if step is None:
            return self.library.encode(text, add_special_tokens=add_special_tokens, recognize_special=recognize_special)
        limit = self._limit(step)
        pieces = self.library.pieces(text, recognize_special=recognize_special)
        ids, begins = self._merged(pieces, limit)
        places = pieces.offsets
        offsets = [
            (places[first][0], places[max(first, end - 1)][1]) for first, end in pairwise([*begins, len(places)])
        ]
        if add_special_tokens:
            before, after = self.library.around()
            ids = [*before, *ids, *after]
            offsets = [(0, 0)] * len(before) + offsets + [(0, 0)] * len(after)
        return Encoding(ids, [self.tokens[number] for number in ids], offsets, [1] * len(ids), [0] * len(ids))

    def encode_ids(self, text: str | bytes, *, step: int | None = None, recognize_special: bool = True) -> Int32Array:
        """(n,) int32, the ids of a text, without special tokens around it.

        Raises:
            VocabularyError: as for `encode`.
        """
        text = as_valid_text(text)
        if step is None:
            return np.array(self.library.ids(text, recognize_special=recognize_special), np.int32)
        limit = self._limit(step)
        pieces = self.library.pieces(text, recognize_special=recognize_special)
        return np.array(self._merged(pieces, limit)[0], np.int32)

    def tokenize(self, text: str, *, step: int | None = None) -> list[str]:
        """The tokens of a text, as the file writes them."""
        return self.encode(text, step=step).tokens

    def gap_ranks(self, text: str, *, recognize_special: bool = True) -> list[Int32Array]:
        """The gap ranks of each piece of a text, without its first symbol.

        -1 is a gap inside a piece that is taken whole at every step. If merges are not in order
        (`PieceMerges.are_in_order`), the tokens at a step are those of `encode`.

        Raises:
            VocabularyError: there are no merges, or the text cannot be encoded.
        """
        merges = self._the_merges()
        pieces = self.library.pieces(as_valid_text(text), recognize_special=recognize_special)
        found = []
        for (first, end), whole in zip(pieces.bounds(), pieces.wholes, strict=True):
            ranks = np.array(merges.gap_ranks(pieces.symbols[first:end]), np.int32)
            found.append(ranks if whole is None else np.minimum(ranks, np.int32(merges.rank_of(whole))))
        return found

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """The text of token ids, as the library decodes them.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        return self.library.decode(check_ids(ids, self.tokens), skip_special_tokens=skip_special_tokens)

    def convert_tokens_to_ids(self, tokens: str | Sequence[str]) -> Any:
        """The id of each token; for other texts, the id of the unknown token.

        Raises:
            VocabularyError: a text is not a token, and there is no unknown token.
        """
        if not isinstance(tokens, str):
            return [self.convert_tokens_to_ids(token) for token in tokens]
        number = self.library.id_of(tokens)
        if number is None:
            raise VocabularyError(f"{tokens!r} is not a token of this tokenizer; `tokenize` gives the tokens of a text")
        return number

    def convert_ids_to_tokens(self, ids: int | Sequence[int]) -> Any:
        """The token of each id, as the file writes it.

        Raises:
            VocabularyError: an id is not in the vocabulary.
        """
        if isinstance(ids, int):
            return self.convert_ids_to_tokens([ids])[0]
        return [self.tokens[number] for number in check_ids(ids, self.tokens)]

    def _the_merges(self) -> PieceMerges:
        if self.merges is None:
            raise VocabularyError(self.why_no_merges)
        return self.merges

    def _limit(self, step: int) -> int:
        if not 0 <= step <= len(self._the_merges()):
            raise VocabularyError(f"There is no step {step:,}; the tokenizer's steps go from 0 to {self.n_merges:,}")
        return step

    def _merged(self, pieces: Pieces, limit: int) -> tuple[list[int], list[int]]:
        """The ids of a text's tokens when merges below a rank apply, and the first symbol of each."""
        merges, library = self._the_merges(), self.library
        ids: list[int] = []
        begins: list[int] = []
        for (first, end), whole in zip(pieces.bounds(), pieces.wholes, strict=True):
            if whole is not None and merges.rank_of(whole) < limit:
                found, places = [whole], [0]
            else:
                found, places = merges.tokens(pieces.symbols[first:end], limit)
            for number, place in zip(found, places, strict=True):
                for one in library.unmerged.get(number, (number,)):
                    if not (one == library.fused and ids and ids[-1] == one):
                        ids.append(one)
                        begins.append(first + place)
        return ids, begins
