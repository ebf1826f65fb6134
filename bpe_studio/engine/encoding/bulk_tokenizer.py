"""Encodes large texts, and many at once, with a finished tokenizer: the ids and the places of the
tokens, as arrays.

It serves models whose texts `bulk_encoding.py` can encode; `pre_token_encoder.py` serves all
others, and small texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.bulk_encoding import BulkEncoder, Content, compile_kernels, is_bulk
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel


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

    def ids(self, texts: Sequence[str], limit: int) -> tuple[Int32Array, Int64Array] | None:
        """(n,) int32, the ids of texts, and (t,) int64, the end of each text's ids.

        `None` if the kernels cannot encode them.

        Args:
            texts: the texts, one or more.
            limit: merges of this rank and above do not apply.
        """
        compile_kernels()
        content = Content.of_texts(self._normalized(texts))
        return None if content is None else self._encoder.encode(content, limit)

    def places(self, texts: Sequence[str], ids: Int32Array, ends: Int64Array) -> Int64Array | None:
        """(n, 2) int64, the starts and ends of the tokens in code points of their texts, as in
        `Encoding.offsets`.

        Args:
            texts: the texts.
            ids: the ids that `ids` gave for them.
            ends: the ends that it gave.

        Returns:
            `None` if normalization changes a text, or if the lengths of the tokens are not known.
        """
        if not self._are_sizes_known or self._normalized(texts) != texts:
            return None
        content = Content.of_texts(texts)
        assert content is not None  # or there would be no ids
        sizes = self._sizes[ids]
        lasts = np.cumsum(sizes) - 1
        firsts = lasts - sizes + 1
        kept = self._encoder.kept_places(content)
        if kept is not None:
            firsts = kept[firsts]
            lasts = kept[lasts]
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        if content.n > lengths.sum():
            # A byte belongs to the character of the last first byte before it.
            characters = np.cumsum((content.padded[: content.n] & 0xC0) != 0x80) - 1
            firsts = characters[firsts]
            lasts = characters[lasts]
        begins = np.repeat(np.cumsum(lengths) - lengths, np.diff(ends, prepend=0))
        return np.stack([firsts - begins, lasts + 1 - begins], 1)

    def _normalized(self, texts: Sequence[str]) -> Sequence[str]:
        if not self._model.config.normalize:
            return texts
        return [self._model.normalized_text(text) for text in texts]

    @cached_property
    def _sizes(self) -> Int64Array:
        """(t,) int64, the length of each token in bytes.

        With byte units, a name has one character for each byte.
        """
        return np.fromiter(map(len, self._model.tokens), np.int64, len(self._model.tokens))

    @cached_property
    def _are_sizes_known(self) -> bool:
        """Whether each merge makes a token as long as its parts together, which other programs need
        not do.
        """
        left, right, made = np.array(self._model.merges, np.int64).reshape(-1, 3).T
        return bool((self._sizes[left] + self._sizes[right] == self._sizes[made]).all())
