"""The beginning of the open corpus, to be shown where the person has typed nothing yet.

Reads at most the first block of the first file; a file that has gone since gives an empty excerpt, as an excerpt is
never worth a failure.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from bpe_studio.errors import BpeError

if TYPE_CHECKING:
    from bpe_studio.workspace.state import CorpusInfo

MOST_CHARACTERS = 4000


def corpus_excerpt(info: CorpusInfo | None, n_characters: int = MOST_CHARACTERS) -> str:
    """The first characters of a corpus, up to the last line break or space that fits."""
    if info is None:
        return ""
    request = info.request
    text = request.text or ""
    if not text and request.paths:
        from bpe_studio.files.text.sources import open_source

        try:
            source = open_source(request.paths[0], request.encoding)
            text = "".join(islice(source.blocks(), 1))
        except (BpeError, OSError):
            return ""
    return shortened(text, n_characters)


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
    """A text in stretches of one line each, long lines cut at spaces; lines without text are left out."""
    pieces = []
    for line in text.split("\n"):
        while line.strip():
            piece = shortened(line, n_characters)
            pieces.append(piece.strip())
            line = line[len(piece) :]
    return pieces
