"""The beginning of the open corpus, shown while nothing is typed.

It is kept when the text is read, so nothing is read here.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.workspace.state import CorpusInfo

MOST_CHARACTERS = 4000
_MOST_BYTES = 4 * MOST_CHARACTERS


def corpus_excerpt(info: CorpusInfo | None, n_characters: int = MOST_CHARACTERS) -> str:
    """The first characters of a corpus, up to the last line break or space that fits.

    Each line break is one LF.
    """
    if info is None:
        return ""
    beginning = (info.request.text or info.beginning)[: 2 * n_characters]
    return shortened(beginning.replace("\r\n", "\n").replace("\r", "\n"), n_characters)


def beginning_of(content: bytes) -> str:
    """The part of the first piece of a text that is kept.

    Args:
        content: UTF-8 of whole characters; lone surrogates as three bytes.
    """
    return codecs.getincrementaldecoder("utf-8")("surrogatepass").decode(content[:_MOST_BYTES])


def shortened(text: str, n_characters: int) -> str:
    """The text, or its beginning up to a line break or a space if it is longer than that."""
    if len(text) <= n_characters:
        return text
    head = text[:n_characters]
    for mark in ("\n", " "):
        place = head.rfind(mark)
        if place > n_characters // 2:
            return head[:place]
    return head


def pieces_of(text: str, n_characters: int = 160) -> list[str]:
    """The lines of a text, with long lines divided at spaces, and without empty ones."""
    pieces = []
    for line in text.split("\n"):
        while line.strip():
            piece = shortened(line, n_characters)
            pieces.append(piece.strip())
            line = line[len(piece) :]
    return pieces
