"""The data of a tokenizer, which file formats read and write, and of an encoded text."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.text.normalization import AlignedText, normalize, normalize_aligned

RANK_ORDERS = ("merges", "pieces")


@dataclass(frozen=True)
class Template:
    """The special tokens that are added around a text on request.

    Attributes:
        before: the names of the special tokens before the text.
        after: the names of those after it.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class TokenizerModel:
    """A tokenizer as data.

    Attributes:
        config: units, normalization, split and marks; training options are not used.
        tokens: (n,) the tokens by id, in the spelling of logs (byte units: GPT-2's stand-ins); special tokens as text.
        merges: (left id, right id, new id) in rank order.
        special_ids: the id of each special token by its text.
        unknown_id: the id for what is outside the alphabet; `None` if that is an error.
        template: the special tokens added on request; `None` for none.
        pad_token: the special token that fills up a batch; `None` if there is none.
        model_max_length: the maximum length of the model in tokens; `None` if it is not known.
        rank_order: `merges`: pairs are merged by their rank in `merges`; `pieces`: any neighbours whose texts together
            are a token are joined, the lowest id first.
        replacements: characters of the text and what replaces them before normalization.
    """

    config: TrainingConfig
    tokens: tuple[str, ...]
    merges: tuple[tuple[int, int, int], ...]
    special_ids: dict[str, int] = field(default_factory=dict)
    unknown_id: int | None = None
    template: Template | None = None
    pad_token: str | None = None
    model_max_length: int | None = None
    rank_order: str = "merges"
    replacements: tuple[tuple[str, str], ...] = ()

    def normalized_text(self, text: str) -> str:
        """The normalized text without places, which is many times faster."""
        table = {ord(old): new for old, new in self.replacements if len(old) == 1}
        return normalize(text.translate(table) if table else text, self.config.normalize)

    def normalized(self, text: str) -> AlignedText | None:
        """The normalized text with places in the given text; `None` if they are the same text."""
        names = self.config.normalize
        if not self.replacements:
            return normalize_aligned(text, names) if names else None
        table = dict(self.replacements)
        changed = [table.get(char, char) for char in text]
        origin = np.array([i for i, piece in enumerate(changed) for _ in piece] + [len(text)], np.float64)
        aligned = normalize_aligned("".join(changed), names) if any(changed) else AlignedText("", np.zeros(1))
        return AlignedText(aligned.text, np.interp(aligned.starts, np.arange(len(origin)), origin))


@dataclass(frozen=True)
class Encoding:
    """An encoded text.

    Attributes:
        ids: token ids.
        tokens: each token, in the spelling of logs.
        offsets: (start, end) of each token in the given text, in code points; a token that holds part of a character
            covers that character; tokens without text have start = end.
        attention_mask: 1 for tokens, 0 for padding.
        token_type_ids: all 0: one text.
    """

    ids: list[int]
    tokens: list[str]
    offsets: list[tuple[int, int]]
    attention_mask: list[int]
    token_type_ids: list[int]

    def __len__(self) -> int:
        return len(self.ids)
