"""Added tokens as the library `tokenizers` numbers them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from bpe_studio.errors import TokenizerFormatError
from bpe_studio.files.third_party.hugging_face import MAX_ADDED

FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
"""The flags of an added token, in the order of a `tokenizer.json`."""


@dataclass(frozen=True)
class AddedToken:
    """A token that is found in a text first.

    Attributes:
        content: its text.
        single_word: whether it is found only as a word by itself.
        lstrip, rstrip: whether it takes the white space on that side.
        normalized: whether it is found in the normalized text; `None` for the opposite of
            `special`.
        special: whether it is a special token.
    """

    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool | None = None
    special: bool = False

    def __str__(self) -> str:
        return self.content

    @classmethod
    def of(cls, value: Mapping[str, Any], **flags: bool) -> AddedToken:
        """The token that a file describes.

        Raises:
            TokenizerFormatError: a flag is not true or false, or the text is missing.
        """
        found = {key: value[key] for key in FLAGS if key in value} | flags
        content = value.get("content", "")
        name = repr(content)[:40]
        if not isinstance(content, str):
            raise TokenizerFormatError(f"an added token is {name}, not a text")
        for key, flag in found.items():
            if not isinstance(flag, bool) and not (key == "normalized" and flag is None):
                raise TokenizerFormatError(
                    f"{key!r} of the added token {name} is {repr(flag)[:40]}, not true or false"
                )
        return cls(content, **found)

    def entry(self, number: int) -> dict[str, Any]:
        """The token as a `tokenizer.json` lists it."""
        flags = {key: getattr(self, key) for key in FLAGS}
        normalized = not self.special if self.normalized is None else self.normalized
        return {"id": number, "content": self.content, **flags, "normalized": normalized}


class AddedTokens:
    """The added tokens of a vocabulary.

    Args:
        vocab: the ids of the model's tokens.
        n_tokens: the number of the model's tokens: more than ids if a list has a token twice.
        entries: the tokens that a `tokenizer.json` lists.
    """

    def __init__(
        self, vocab: Mapping[str, int], n_tokens: int, entries: Iterable[Mapping[str, Any]] = ()
    ) -> None:
        self._vocab = vocab
        self._n_tokens = n_tokens
        self._numbers: dict[str, int] = {}
        self._tokens: dict[int, AddedToken] = {}
        self._highest = -1
        self.add(AddedToken.of(one) for one in entries)

    def __contains__(self, name: str) -> bool:
        return name in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def id_of(self, name: str) -> int | None:
        """The id of a token; `None` if there is no such token."""
        return self._numbers.get(name, self._vocab.get(name))

    def add(self, tokens: Iterable[AddedToken], *, special: bool = False) -> None:
        """Adds tokens: one that the model has keeps its id, and any other gets the next one.

        A token that is special once stays special.

        Args:
            tokens: the tokens.
            special: whether all of them are special.

        Raises:
            TokenizerFormatError: two tokens get the same id, or there are more than any tokenizer
                has.
        """
        for token in tokens:
            name = token.content
            if not name:
                continue
            number = self.id_of(name)
            if number is None:
                number = max(self._n_tokens, self._highest + 1)
            before = self._tokens.get(number)
            if before is not None and before.content != name:
                names = f"{before.content[:40]!r} and {name[:40]!r}"
                raise TokenizerFormatError(
                    f"its ids have gaps, so that {names} are both numbered {number}"
                )
            is_special = special or token.special
            normalized = not is_special if token.normalized is None else token.normalized
            was_special = before is not None and before.special
            self._numbers[name] = number
            self._tokens[number] = replace(
                token, normalized=normalized, special=is_special or was_special
            )
            self._highest = max(self._highest, number)
            if len(self._numbers) > MAX_ADDED:
                raise TokenizerFormatError(
                    f"it has more than {MAX_ADDED:,} added tokens, and no tokenizer has so many"
                )

    def entries(self) -> list[dict[str, Any]]:
        """The tokens as a `tokenizer.json` lists them."""
        return [self._tokens[number].entry(number) for number in sorted(self._tokens)]
