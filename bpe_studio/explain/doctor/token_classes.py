"""The class of each token of a tokenizer.

A token is *special* if it is found in a text before anything else is done, *partial* if its bytes
are no valid UTF-8 by themselves, *reachable* if some text becomes it, and *unreachable* otherwise.

The own text of a token, which it decodes to, usually becomes just this token. But it may be made
only inside a word or between words: if tokens hold marks (`</w>`, `▁`, `##`), if something is put
before a text, if spaces at its ends are dropped, or if decoding drops them. So what the token
stands for is tried between neighbours, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from itertools import chain, pairwise

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.errors import VocabularyError
from bpe_studio.explain.doctor.merged_alone import MergedAlone

_BLOCK = 1 << 13
"""So many tokens are tried at once; a job can be paused between them."""
_FIRST = 96
_LAST = 4
"""How many characters of a vocabulary are tried as neighbours: about those of ASCII, and some rare
ones.
"""
_TOGETHER = 256
"""So many tokens are tried with many neighbours at once."""
_LONG = 64
"""So many characters and more are tried with few neighbours."""

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


def classes_of(
    tokenizer: Tokenizer, numbers: Sequence[int] | None = None
) -> Iterator[tuple[int, TokenClass]]:
    """The class of each token, by id, from the lowest id; in blocks, so that a job can be paused
    between them.

    Args:
        tokenizer: any tokenizer.
        numbers: the ids of the tokens that are wanted; `None` for all.
    """
    added = set(tokenizer.added_ids.values())
    neighbours = _Neighbours(tokenizer)
    numbers = list(tokenizer.tokens) if numbers is None else numbers
    for begin in range(0, len(numbers), _BLOCK):
        block = numbers[begin : begin + _BLOCK]
        whole = [
            number
            for number in block
            if number not in added and _is_valid(tokenizer.content(number))
        ]
        unreachable = neighbours.never_making(whole)
        known = set(whole)
        for number in block:
            if number in added:
                yield number, TokenClass.special
            elif number not in known:
                yield number, TokenClass.partial
            elif number in unreachable:
                yield number, TokenClass.unreachable
            else:
                yield number, TokenClass.reachable


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


def ids_of_each(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int] | None]:
    """The ids of each of several texts, in one call; `None` for one that cannot be encoded."""
    try:
        return list(tokenizer.encode_many(texts))
    except VocabularyError:
        if len(texts) == 1:
            return [None]
    half = len(texts) // 2
    return ids_of_each(tokenizer, texts[:half]) + ids_of_each(tokenizer, texts[half:])


def _made_of(tokenizer: Tokenizer, texts: Sequence[str]) -> set[int]:
    """The ids that several texts become; lines that cannot be encoded become none."""
    made: set[int] = set()
    for text, ids in zip(texts, ids_of_each(tokenizer, texts), strict=True):
        if ids is not None:
            made.update(ids)
        elif "\n" in text:
            made |= _made_of(tokenizer, text.split("\n"))
    return made


def is_part_of_a_text(content: bytes) -> bool:
    """Whether bytes, which are no valid UTF-8 by themselves, can be part of a text.

    >>> is_part_of_a_text("é".encode()[1:] + b"a"), is_part_of_a_text("日".encode()[:2])
    (True, True)
    >>> is_part_of_a_text(bytes([0xFF])), is_part_of_a_text("日".encode()[:2] + b"a")
    (False, False)
    """
    n_tail = next((i for i, byte in enumerate(content) if byte & 0xC0 != 0x80), len(content))
    if n_tail >= len(_HEADS):
        return False
    begun = _HEADS[n_tail] + content
    return any(_is_valid(begun + rest) for rest in _RESTS)


def _is_valid(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


class _Neighbours:
    """Finds out whether a token is made next to others.

    Args:
        tokenizer: any tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def never_making(self, numbers: Sequence[int]) -> set[int]:
        """Those of some tokens that no text becomes: neither what they stand for nor their names
        are in one.
        """
        few, many = self._around
        own_texts = [own_text(self._tokenizer, number) for number in numbers]
        made = _made_of(self._tokenizer, own_texts)
        texts = {number: self._texts_of(number) for number in numbers if number not in made}
        for before, after in few:
            every = chain.from_iterable(texts.values())
            tried = [before + one + after for one in every]
            made = _made_of(self._tokenizer, tried)
            texts = {number: own for number, own in texts.items() if number not in made}
        made = set()
        merged = [number for number in texts if self._merged_alone.makes(number)]
        short = [number for number in merged if len(texts[number][0]) <= _LONG]
        for begin in range(0, len(short), _TOGETHER):
            block = [number for number in short[begin : begin + _TOGETHER] if number not in made]
            pages = []
            for number in block:
                lines: list[str] = []
                for before, after in many:
                    lines += [before + one + after for one in texts[number]]
                pages.append("\n".join(lines))
            made |= _made_of(self._tokenizer, pages)
        return texts.keys() - made

    @cached_property
    def _merged_alone(self) -> MergedAlone:
        return MergedAlone(self._tokenizer)

    def _texts_of(self, number: int) -> tuple[str, ...]:
        text = self._tokenizer.content(number).decode()
        # In a text, a space may be made only between words.
        return tuple(
            dict.fromkeys(
                (text, text.removesuffix(" "), text.strip(" "), self._tokenizer.tokens[number])
            )
        )

    @cached_property
    def _around(self) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Neighbours to try: a few that usually do, and many, which are tried as the lines of one
        text.
        """
        added = self._tokenizer.added_ids
        contents = {
            self._tokenizer.content(number)
            for number in self._tokenizer.tokens.keys() - set(added.values())
        }
        texts = sorted(content.decode() for content in contents if _is_valid(content))
        chars = [text for text in texts if len(text) == 1 and text.isprintable() and text != " "]
        letters = [char for char in chars if char.isalpha()]
        # Where the longest token is taken, what follows one of these is a token by itself.
        longest = [
            one
            for one, after in pairwise([*texts, ""])
            if one.isalpha() and not after.startswith(one)
        ]
        words = sorted(longest, key=lambda one: (not one.isascii(), len(one)))
        # The last characters are rare ones, which merge with little.
        usual = dict.fromkeys([*letters[-1:], *words[:1], *letters[:2]])
        more = dict.fromkeys([*chars[:_FIRST], *chars[-_LAST:], *letters[-_LAST:], *words[:_LAST]])
        few = [("", ""), *_beside(usual), (" ", ""), ("", " ")]
        few += [(name, "") for name in [*added][:1]]
        many = _beside(more)
        for one in letters[:1]:
            many += [(f"{one} ", one), (one, f" {one}"), (f"{one} ", f" {one}")]
        return few, many


def _beside(ones: Iterable[str]) -> list[tuple[str, str]]:
    """Each text as the neighbour before, as the one after, and as both."""
    pairs = []
    for one in ones:
        pairs += [(one, ""), ("", one), (one, one)]
    return pairs
