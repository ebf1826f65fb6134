"""Two tokenizers side by side: the ids of a text under each, and whether they are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import BpeError
from bpe_studio.files.third_party.hugging_face import HuggingFaceLibrary
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

Key = str | bytes | int
"""A key by which two tokenizers call the same token: its name, or its bytes if they write names
differently; an id that has neither is its own key.
"""


def ids_of(
    tokenizer: Tokenizer,
    text: str,
    *,
    add_special_tokens: bool = False,
    recognize_special: bool | None = None,
) -> list[int] | None:
    """The ids of a text as the library of a tokenizer gives them; `None` if it cannot be encoded.

    Args:
        tokenizer: the tokenizer.
        text: the text.
        add_special_tokens: put special tokens around the text.
        recognize_special: find special tokens in the text; `None` for the default.
    """
    try:
        if isinstance(tokenizer, ThirdPartyTokenizer) and not add_special_tokens:
            ids: list[int] = tokenizer.encode_ids(
                text, recognize_special=recognize_special
            ).tolist()
            return ids
        found = tokenizer.encode(
            text, add_special_tokens=add_special_tokens, recognize_special=recognize_special
        )
    except BpeError:
        return None
    return found.ids


def _library(tokenizer: Tokenizer) -> str:
    if not isinstance(tokenizer, ThirdPartyTokenizer):
        return ""
    # A tokenizer of Transformers or tiktoken has the parts of a `tokenizer.json`, too.
    if isinstance(tokenizer.native, HuggingFaceLibrary):
        return HuggingFaceLibrary.name
    return tokenizer.native.name


class TokenizerPair:
    """Two tokenizers, A and B.

    Tokens of the two are matched by name, or by the bytes that they stand for if that matches more
    of them: GPT-2's stand-ins and SentencePiece's marks differ in their names alone.
    """

    def __init__(self, a: Tokenizer, b: Tokenizer) -> None:
        self.sides = (a, b)

    @cached_property
    def keys(self) -> tuple[dict[int, Key], dict[int, Key]]:
        """For A and B, the key of each id."""
        names: list[dict[int, Key]] = [dict(side.tokens) for side in self.sides]
        contents: list[dict[int, Key]] = []
        for side in self.sides:
            content_of: dict[int, Key] = {n: side.content(n) for n in side.tokens}
            contents.append(content_of)
        a, b = max((names, contents), key=_n_in_both)
        return a, b

    @cached_property
    def ids(self) -> tuple[dict[Key, int], dict[Key, int]]:
        """For A and B, the first id with each key."""
        a, b = map(_first_ids, self.keys)
        return a, b

    @cached_property
    def is_one_library(self) -> bool:
        """Whether the two have the same kinds of parts."""
        a, b = map(_library, self.sides)
        return a == b

    @cached_property
    def renumbered(self) -> list[Key]:
        """The tokens that have another id in B, in the order of A."""
        a, b = self.ids
        return [
            key
            for key, number in sorted(a.items(), key=lambda item: item[1])
            if b.get(key, number) != number
        ]

    def keys_of(self, side: int, ids: Sequence[int] | None) -> list[Key] | None:
        """The keys of ids of A (side 0) or of B (side 1)."""
        if ids is None:
            return None
        known = self.keys[side]
        return [known.get(number, number) for number in ids]

    def differs(self, text: str) -> bool:
        """Whether the tokens of a text differ."""
        a, b = (ids_of(side, text) for side in self.sides)
        if a == b and not self.renumbered:
            return False
        return self.keys_of(0, a) != self.keys_of(1, b)

    def differs_in_ids(self, text: str) -> bool:
        """Whether the ids of a text differ."""
        return ids_of(self.sides[0], text) != ids_of(self.sides[1], text)


def _first_ids(keys: dict[int, Key]) -> dict[Key, int]:
    return {key: number for number, key in reversed(keys.items())}


def _n_in_both(keys: Sequence[Mapping[int, Key]]) -> int:
    a, b = (set(each.values()) for each in keys)
    return len(a & b)
