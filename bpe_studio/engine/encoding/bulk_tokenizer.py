"""Encodes large texts with a finished tokenizer: the ids and the places of the tokens, as arrays.

It serves models whose texts `bulk_encoding.py` can encode; `pre_token_encoder.py` serves all others, and small texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.bulk_encoding import BulkEncoder, Content, compile_kernels, is_bulk
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels import loader

_WORTH = 16
"""Training one symbol takes as long as encoding this many characters."""


class BulkTokenizer:
    """Encodes large texts.

    Args:
        model: a model for which `is_possible` is true.
    """

    def __init__(self, model: TokenizerModel) -> None:
        self._model = model
        self._encoder = BulkEncoder.of_model(model)

    @staticmethod
    def is_possible(model: TokenizerModel) -> bool:
        """Whether a model's texts can be encoded here."""
        return is_bulk(model.config)

    def ids(self, text: str, limit: int) -> Int32Array | None:
        """(n,) int32, the ids of a text; `None` if the kernels cannot encode it, or the plain way is faster.

        Args:
            text: the text.
            limit: merges of this rank and above do not apply.
        """
        if not _is_worth(text):
            return None
        content = Content.of(self._model.normalized_text(text))
        return None if content is None else self._encoder.encode(content, limit)

    def single_ids(self, texts: Sequence[str]) -> Int32Array | None:
        """(n,) int32, the token that each text becomes by itself; -1 for one that becomes several, or none.

        `None` if the kernels cannot encode them, or the plain way is faster.
        """
        n_characters = sum(map(len, texts))
        if not loader.choose("encoding", n_characters)[1] or self._model.misplaced_merge is not None:
            return None
        compile_kernels()
        normalized = [self._model.normalized_text(text) for text in texts]
        content = Content.of("".join(normalized))
        if content is None:
            return None
        ids = np.full(len(texts), -1, np.int32)
        sizes = np.fromiter((len(text.encode()) for text in normalized), np.int64, len(texts))
        found = self._encoder.single_ids(content, np.cumsum(sizes[sizes > 0]))
        if found is not None:
            ids[sizes > 0] = found
        return None if found is None else ids

    def places(self, text: str, ids: Int32Array) -> tuple[Int64Array, Int64Array] | None:
        """(n,) int64 each, the starts and ends of the tokens in code points, as in `Encoding.offsets`.

        Args:
            text: the text.
            ids: what `ids` gave for it.

        Returns:
            `None` if normalization changes the text, or if the lengths of the tokens are not known.
        """
        if not self._are_sizes_known or self._model.replacements or self._model.normalized_text(text) != text:
            return None
        content = Content.of(text)
        assert content is not None  # or there would be no ids
        sizes = self._sizes[ids]
        lasts = np.cumsum(sizes) - 1
        firsts = lasts - sizes + 1
        kept = self._encoder.kept_places(content)
        if kept is not None:
            firsts, lasts = kept[firsts], kept[lasts]
        if content.n == len(text):
            return firsts, lasts + 1
        # A byte belongs to the character of the last first byte before it.
        characters = np.cumsum((content.padded[: content.n] & 0xC0) != 0x80) - 1
        return characters[firsts], characters[lasts] + 1

    @cached_property
    def _sizes(self) -> Int64Array:
        """(t,) int64, the length of each token in bytes; with byte units, a name has one character for each byte."""
        return np.fromiter(map(len, self._model.tokens), np.int64, len(self._model.tokens))

    @cached_property
    def _are_sizes_known(self) -> bool:
        """Whether each merge makes a token as long as its parts: other programs may name their tokens differently."""
        left, right, made = np.array(self._model.merges, np.int64).reshape(-1, 3).T
        return bool((self._sizes[left] + self._sizes[right] == self._sizes[made]).all())


def _is_worth(text: str) -> bool:
    return loader.choose("encoding", len(text) // _WORTH)[1]
