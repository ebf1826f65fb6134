"""Large texts by a finished tokenizer: ids, and where each token is, as arrays.

It is for models whose texts `bulk_encoding.py` can cut; others, and small texts, are cut by `pre_token_encoder.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.bulk_encoding import BulkEncoder, Content, is_bulk
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels import loader

_WORTH = 16
"""How many characters of text take as long to encode as a symbol takes to train."""


class BulkTokenizer:
    """Encodes large texts.

    Args:
        model: one of which `is_possible` is true.
        ids: the id of each token by its name.
    """

    def __init__(self, model: TokenizerModel, ids: Mapping[str, int]) -> None:
        self._model = model
        self._encoder = BulkEncoder.of_model(model, ids)

    @staticmethod
    def is_possible(model: TokenizerModel) -> bool:
        """Whether a model's texts can be encoded here."""
        return model.rank_order == "merges" and is_bulk(model.config)

    def ids(self, text: str, limit: int) -> Int32Array | None:
        """(n,) int32, the ids of a text; `None` where the plain way is needed, or faster.

        Args:
            text: the text.
            limit: merges of this rank and above do not apply.
        """
        if not _is_worth(text):
            return None
        content = Content.of(self._model.normalized_text(text))
        return None if content is None else self._encoder.encode(content, limit)

    def places(self, text: str, limit: int) -> tuple[Int32Array, Int64Array, Int64Array] | None:
        """The ids, and (n,) int64 each in which code points the tokens begin and end, as `Encoding.offsets` has them.

        `None` as in `ids`, and where normalization changes the text.
        """
        if not _is_worth(text) or not self._are_sizes_known:
            return None
        if self._model.replacements or self._model.normalized_text(text) != text:
            return None
        content = Content.of(text)
        ids = None if content is None else self._encoder.encode(content, limit)
        if content is None or ids is None:
            return None
        sizes = self._sizes[ids]
        lasts = np.cumsum(sizes) - 1
        firsts = lasts - sizes + 1
        kept = self._encoder.kept_places(content)
        if kept is not None:
            firsts, lasts = kept[firsts], kept[lasts]
        if content.n == len(text):
            return ids, firsts, lasts + 1
        # A byte belongs to the character whose first byte came last.
        characters = np.cumsum((content.padded[: content.n] & 0xC0) != 0x80) - 1
        return ids, characters[firsts], characters[lasts] + 1

    @cached_property
    def _sizes(self) -> Int64Array:
        """(t,) int64, of how many bytes each token is made; byte units are written with one character each."""
        return np.fromiter(map(len, self._model.tokens), np.int64, len(self._model.tokens))

    @cached_property
    def _are_sizes_known(self) -> bool:
        """Whether each merge makes a token of the size of both: a model from elsewhere may name tokens as it likes."""
        left, right, made = np.array(self._model.merges, np.int64).reshape(-1, 3).T
        return bool((self._sizes[left] + self._sizes[right] == self._sizes[made]).all())


def _is_worth(text: str) -> bool:
    return loader.choose("encoding", len(text) // _WORTH)[1]
