"""Checks a written tokenizer: the program that the format belongs to must encode as the tokenizer
does.

The texts hold every added token. Each format has the encoding of its program (`ReadBack`): that of
the library where it is installed, otherwise our own in that program's way.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import Offsets
from bpe_studio.engine.presets import WORD_START
from bpe_studio.errors import BpeError, SaveError, VocabularyError
from bpe_studio.files.formats.broad_text import passages, texts_around

_MOST_GROUPS = 1000
_SPACES = re.compile(rf"\s|{WORD_START}")
_UNKNOWN_TO_SOME = "\u32ff"
"""A character of 2019; some libraries have older tables of Unicode."""


@dataclass(frozen=True)
class ReadBack:
    """The encoding by the program of a format, with the written tokenizer.

    Attributes:
        encode: returns the ids of a text, or the offsets of its tokens if the format holds no ids;
            the second argument tells whether special tokens are found in the text.
        added: the tokens that the program finds in a text first.
        finds_special: whether the program can find special tokens in a text.
        encodes_lines: see `Tokenizer.encodes_lines`.
        has_ids: whether the format holds ids.
    """

    encode: Callable[[str, bool], Sequence[int] | Offsets]
    added: Collection[str] = ()
    finds_special: bool = True
    encodes_lines: bool = False
    has_ids: bool = True


def of_library(library: Any) -> ReadBack:
    """The encoding of a `tokenizers.Tokenizer`."""

    def ids(text: str, recognizes: bool) -> list[int]:
        library.encode_special_tokens = not recognizes
        found: list[int] = library.encode(text, add_special_tokens=False).ids
        return found

    added = [token.content for token in library.get_added_tokens_decoder().values()]
    return ReadBack(ids, added)


def check(
    tokenizer: Tokenizer, back: ReadBack, what: str, texts: Iterable[str] | None = None
) -> None:
    """Makes sure that a tokenizer and a program encode texts alike: some that hold every added
    token of both, and others.

    Args:
        tokenizer: the written tokenizer.
        back: the encoding of the program.
        what: the written file, for a sentence.
        texts: the other texts; `None` for passages in many scripts.

    Raises:
        SaveError: they do not; the message names the text, and the added token in it.
    """
    texts = passages() if texts is None else texts
    are_lines = tokenizer.encodes_lines or back.encodes_lines
    recognizes = back.finds_special and not are_lines

    def differs(text: str) -> bool:
        text = "".join(filter(_is_known_to_all, text))
        if back.encodes_lines:
            text = _SPACES.sub(" ", text)
        try:
            found = tokenizer.encode(text, recognize_special=recognizes)
        except VocabularyError:
            # The tokenizer does not know a character, and raises an error where some programs leave
            # it out.
            known = {" ", "\n"}.union(*tokenizer.tokens.values())
            text = "".join(char for char in text if char in known)
            try:
                found = tokenizer.encode(text, recognize_special=recognizes)
            except VocabularyError:
                return False
        here = found.ids if back.has_ids else found.offsets
        return list(here) != list(back.encode(text, recognizes))

    added = dict.fromkeys((*tokenizer.added_ids, *back.added))
    try:
        different = next(_differing(differs, texts, added), None)
    except BpeError as error:
        raise SaveError(f"{what} cannot be compared with the tokenizer: {error}") from None
    if different is not None:
        token, text = different
        where = f"{text[:100]!r}, which holds the token {token!r}" if token else repr(text[:100])
        raise SaveError(f"{what} would give different ids for the text {where}")


def _is_known_to_all(char: str) -> bool:
    return unicodedata.category(char) != "Cn" and char not in _UNKNOWN_TO_SOME


def _differing(
    differs: Callable[[str], bool], texts: Iterable[str], added: Collection[str]
) -> Iterator[tuple[str, str]]:
    """The added token and the text, for each text that differs; "" for a text without one."""
    groups = texts_around(added)
    n_together = 1 + len(added) // _MOST_GROUPS
    while group := list(islice(groups, n_together)):
        whole = " ".join(chain.from_iterable(held for _, held in group))
        if differs(whole):
            for token, held in group:
                yield from ((token, text) for text in held if differs(text))
            yield group[0][0], whole
    yield from (("", text) for text in texts if differs(text))
