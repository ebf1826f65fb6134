"""What a tokenizer is made of, which formats write and read, and what it makes of a text: plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.text.normalization import AlignedText, normalize, normalize_aligned

RANK_ORDERS = ("merges", "pieces")


@dataclass(frozen=True)
class Template:
    """What is added around a text when special tokens are asked for.

    Attributes:
        before: names of the special tokens put before the text.
        after: names of those put after it.
    """

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class TokenizerModel:
    """A tokenizer as data.

    Attributes:
        config: units, normalization, split and marks; what concerns training only is not used.
        tokens: (n,) the tokens by id, as logs write them (byte units: GPT-2's stand-ins); specials as their text.
        merges: (left id, right id, new id) in rank order.
        special_ids: the id of each special token by its text.
        unknown_id: the id for what is outside the alphabet; `None` where that is an error.
        template: what is added when special tokens are asked for; `None` where nothing is.
        pad_token: the special token that fills up a batch; `None` where none is set.
        model_max_length: tokens that the model takes; `None` where no limit is known.
        rank_order: `merges`: a pair is merged by its rank in `merges`; `pieces`: any neighbours whose texts together
            are a token, that of the lowest id first.
        replacements: characters of the text that become others, or nothing, before it is normalized.
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
        """The text that is cut, without its places: many times as fast."""
        table = {ord(old): new for old, new in self.replacements if len(old) == 1}
        return normalize(text.translate(table) if table else text, self.config.normalize)

    def normalized(self, text: str) -> AlignedText | None:
        """The text that is cut, with its places in the text as given; `None` where it is that text itself."""
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
    """A text as tokens.

    Attributes:
        ids: token ids.
        tokens: each token as logs write it.
        offsets: (start, end) of each token in the given text, in code points; a token that holds part of a character
            covers that character; tokens that stand for no text have start = end.
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
