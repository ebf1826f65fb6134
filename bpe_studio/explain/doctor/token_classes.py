"""The class of each token of a tokenizer.

A token is *special* if it is found in a text before anything else is done, *partial* if its bytes are no valid UTF-8 by
themselves, *reachable* if encoding its own text gives just this token, and *unreachable* otherwise.

The own text of a token is what it decodes to. Some tokenizers write the beginning or the end of a word into their
tokens (`</w>`, `▁`, `##`), so that a token inside a word has no text that can be encoded alone: it is reachable if it
is made inside a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import cached_property

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import VocabularyError

_BLOCK = 1 << 16

_HEADS = (b"", b"\xc3", b"\xe3", b"\xf1")
"""What makes a character with as many following bytes."""
_RESTS = (b"", b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xa0\x80", b"\x90\x80\x80")
"""What makes a character of any beginning; some beginnings allow only some bytes after them."""


class TokenClass(Enum):
    """What can become of a token."""

    reachable = "reachable"
    unreachable = "unreachable"
    partial = "partial"
    special = "special"


def classes_of(tokenizer: Tokenizer) -> Iterator[tuple[int, TokenClass]]:
    """The class of each token, by id, from the lowest id; in blocks, so that a job can be paused between them."""
    added = set(tokenizer.added_ids.values())
    words = _InsideWords(tokenizer)
    numbers = list(tokenizer.tokens)
    for begin in range(0, len(numbers), _BLOCK):
        block = [number for number in numbers[begin : begin + _BLOCK] if number not in added]
        whole = [number for number in block if _is_valid(tokenizer.content(number))]
        found = tokenizer.single_ids([own_text(tokenizer, number) for number in whole]).tolist()
        becomes = dict(zip(whole, found, strict=True))
        for number in numbers[begin : begin + _BLOCK]:
            if number in added:
                yield number, TokenClass.special
            elif number not in becomes:
                yield number, TokenClass.partial
            elif becomes[number] == number or words.holds(number):
                yield number, TokenClass.reachable
            else:
                yield number, TokenClass.unreachable


def own_text(tokenizer: Tokenizer, number: int) -> str:
    """What a token decodes to."""
    return tokenizer.decode([number])


def ids_of(tokenizer: Tokenizer, text: str) -> list[int] | None:
    """The ids of a text; `None` if it cannot be encoded."""
    try:
        ids: list[int] = tokenizer.encode_ids(text).tolist()
    except VocabularyError:
        return None
    return ids


def is_part_of_a_text(content: bytes) -> bool:
    """Whether bytes, which are no valid UTF-8 by themselves, can be part of a text.

    >>> is_part_of_a_text("é".encode()[1:] + b"a"), is_part_of_a_text("日".encode()[:2])
    (True, True)
    >>> is_part_of_a_text(bytes([0xFF])), is_part_of_a_text("日".encode()[:2] + b"a")
    (False, False)
    """
    n_tail = next((i for i, byte in enumerate(content) if byte & 0xC0 != 0x80), len(content))
    return n_tail < len(_HEADS) and any(_is_valid(_HEADS[n_tail] + content + rest) for rest in _RESTS)


def _is_valid(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


class _InsideWords:
    """Finds out whether a token is made inside a word.

    Args:
        tokenizer: any tokenizer; in one that writes its tokens alike everywhere, no other text than its own is tried.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def holds(self, number: int) -> bool:
        """Whether some word contains a token."""
        if not self._has_marks:
            return False
        text = self._tokenizer.content(number).decode()
        texts = dict.fromkeys((text.strip(" "), text))  # in a text, a space may be made only between words
        return any(number in (ids_of(self._tokenizer, a + each + b) or ()) for each in texts for a, b in self._around)

    @cached_property
    def _plain_tokens(self) -> list[int]:
        added = set(self._tokenizer.added_ids.values())
        contents = ((number, self._tokenizer.content(number)) for number in self._tokenizer.tokens)
        return [number for number, content in contents if number not in added and _is_valid(content)]

    @cached_property
    def _has_marks(self) -> bool:
        """Whether some tokens are written in another way inside a word than alone."""
        tokenizer = self._tokenizer
        return any(
            content != tokenizer.decode_bytes([number])
            # A mark for the end of a word, which is a space in a text, though the token is made without one.
            or (content.endswith(b" ") and ids_of(tokenizer, content.decode().rstrip(" ")) == [number])
            for number, content in ((number, tokenizer.content(number)) for number in self._plain_tokens)
        )

    @cached_property
    def _around(self) -> list[tuple[str, str]]:
        """Neighbours to try: characters of the vocabulary, most of them rare ones, which merge with little."""
        texts = {self._tokenizer.content(number).decode() for number in self._plain_tokens}
        single = sorted(text for text in texts if len(text) == 1 and not text.isspace())
        letters = [char for char in single if char.isalnum()]
        others = [char for char in single if not char.isalnum()]
        chosen = [*letters[:3], *letters[-5:], *others[:2], *others[-3:]]
        return [pair for char in dict.fromkeys(chosen) for pair in ((char, ""), ("", char), (char, char))]
