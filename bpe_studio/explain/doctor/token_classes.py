"""The class of each token of a tokenizer.

A *special* token is found in a text before anything else is done. The bytes of a *partial* token
are no valid UTF-8 by themselves. A *reachable* token is made in some text; an *unreachable* one is
not.

The text that a token decodes to is usually encoded as just this token. But some tokens are made
only inside a word or between words. This happens if tokens hold marks (`</w>`, `▁`, `##`), if
something is put before a text, or if encoding or decoding drops the spaces at its ends. So the text
that a token stands for is also tried between neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cached_property
from itertools import chain, pairwise

from bpe_studio.engine.encoding.gap_closing import close_word
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import apply_in_order
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.errors import VocabularyError

_BLOCK = 1 << 13
"""The number of tokens that are tried at once; a job can be paused between them."""
_FIRST = 96
_LAST = 4
"""The numbers of characters of a vocabulary that are tried as neighbours: about those of ASCII, and
some rare ones.
"""
_TOGETHER = 256
"""The number of tokens that are tried with many neighbours at once."""
_LONG = 64
"""Longer texts, in characters, are tried only with few neighbours."""

_HEADS = (b"", b"\xc3", b"\xe3", b"\xf1")
"""By the number of continuation bytes, a first byte that makes a character with them."""
_RESTS = (b"", b"\x80", b"\x80\x80", b"\x80\x80\x80", b"\xa0\x80", b"\x90\x80\x80")
"""Continuation bytes that may complete a character; each first byte allows some of them."""


class TokenClass(Enum):
    """The kind of a token: whether a text can be encoded as it, and why not."""

    reachable = "reachable"
    unreachable = "unreachable"
    partial = "partial"
    special = "special"


def classes_of(
    tokenizer: Tokenizer, numbers: Sequence[int] | None = None
) -> Iterator[tuple[int, TokenClass]]:
    """The id and the class of each token, in the order of the ids.

    Tokens are tried in blocks; a job can be paused between them.

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
    """The text that a token decodes to."""
    return tokenizer.decode([number])


def ids_of(tokenizer: Tokenizer, text: str) -> list[int] | None:
    """The ids of a text; `None` if it cannot be encoded."""
    try:
        ids: list[int] = tokenizer.encode_ids(text).tolist()
    except VocabularyError:
        return None
    return ids


def ids_of_each(tokenizer: Tokenizer, texts: Sequence[str]) -> list[list[int] | None]:
    """The ids of each of several texts; `None` for a text that cannot be encoded."""
    try:
        return list(tokenizer.encode_many(texts))
    except VocabularyError:
        if len(texts) == 1:
            return [None]
    half = len(texts) // 2
    return ids_of_each(tokenizer, texts[:half]) + ids_of_each(tokenizer, texts[half:])


def _made_of(tokenizer: Tokenizer, texts: Sequence[str]) -> set[int]:
    """The ids that several texts are encoded as, without the lines that cannot be encoded."""
    made: set[int] = set()
    for text, ids in zip(texts, ids_of_each(tokenizer, texts), strict=True):
        if ids is not None:
            made.update(ids)
        elif "\n" in text:
            made |= _made_of(tokenizer, text.split("\n"))
    return made


def is_part_of_a_text(content: bytes) -> bool:
    """Whether bytes that are no valid UTF-8 by themselves can be part of a text.

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
    """Tries tokens between neighbours.

    Args:
        tokenizer: any tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer

    def never_making(self, numbers: Sequence[int]) -> set[int]:
        """The tokens that are made neither from the text they stand for nor from their names, alone
        or between other characters.
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
        """Neighbours to try: a few that usually suffice, and many, tried as the lines of a text."""
        added = self._tokenizer.added_ids
        contents = {
            self._tokenizer.content(number)
            for number in self._tokenizer.tokens.keys() - set(added.values())
        }
        texts = sorted(content.decode() for content in contents if _is_valid(content))
        chars = [text for text in texts if len(text) == 1 and text.isprintable() and text != " "]
        letters = [char for char in chars if char.isalpha()]
        # If a tokenizer takes the longest token, a new token begins after each of these.
        longest = [
            one
            for one, after in pairwise([*texts, ""])
            if one.isalpha() and not after.startswith(one)
        ]
        words = sorted(longest, key=lambda one: (not one.isascii(), len(one)))
        # The last characters are rare, and merge with few others.
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


class MergedAlone:
    """The merges inside each token of a tokenizer.

    If a token occurs in a text, no merge has crossed its ends. So the merges inside it came in the
    same order as if its symbols were a whole word: a token that they do not make there, they make
    nowhere.

    Args:
        tokenizer: any tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        merges = tokenizer.merges
        self._symbols, self._unsure = _symbols_of_made(tokenizer, merges)
        self._made = [new for _, _, new in merges]
        self._ranks: dict[int, int] = {}
        for rank, (left, right, _) in enumerate(merges):
            self._ranks.setdefault(left << 32 | right, rank)

    def makes(self, number: int) -> bool:
        """Whether a token is a symbol, or merges make it from its symbols.

        True for each token if there are no merges.
        """
        if not self._made:
            return True
        own = self._symbols.get(number)
        if own is None:
            return len(self._tokenizer.content(number).decode("utf-8", "replace")) < 2
        if number in self._unsure:
            return True
        gaps, tokens = close_word(own, self._ranks, self._made)
        return NEVER not in gaps[1:] and tokens[0] == number


def _symbols_of_made(
    tokenizer: Tokenizer, merges: Sequence[tuple[int, int, int]]
) -> tuple[dict[int, list[int]], set[int]]:
    """The symbols of each token that a merge makes, and the tokens that other symbols make, too."""
    parts = {left for left, _, _ in merges} | {right for _, right, _ in merges}
    there = (parts | tokenizer.tokens.keys()) - {new for _, _, new in merges}
    symbols: dict[int, list[int]] = {}
    unsure = set()
    for rank in apply_in_order(merges, there):
        left, right, new = merges[rank]
        own = [*symbols.get(left, [left]), *symbols.get(right, [right])]
        if symbols.setdefault(new, own) != own:
            unsure.add(new)
    return symbols, unsure
