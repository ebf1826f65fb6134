"""A piece of text, and the ends of documents in it: every reader yields such pieces, and every
consumer takes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

PIECE_BYTES = 1 << 18


class Piece(NamedTuple):
    """A piece of text.

    Attributes:
        content: UTF-8 of whole characters, lone surrogates as three bytes.
        ends: the offsets in `content` at which documents end, in order; what follows the last one
            belongs to a document that goes on in the next piece. Equal ends are empty documents.
        records: the number of the record of each document that ends, from 1 in its file, broken
            records counted; empty if the file is plain text. It is the number that notices about
            broken records give.
        member: the name of the file in an archive that the text is from; "" outside of archives.
    """

    content: bytes
    ends: Sequence[int] = ()
    records: Sequence[int] = ()
    member: str = ""


END = Piece(b"", (0,))
"""The end of a document."""
NOTHING = Piece(b"")
"""An empty piece, so that the caller can stop at any time."""


class PieceBuilder:
    """Gathers short texts, each of which is a document, into pieces."""

    def __init__(self) -> None:
        self._texts: list[bytes] = []
        self._ends: list[int] = []
        self._records: list[int] = []
        self._size = 0

    @property
    def is_full(self) -> bool:
        """Whether the piece should be taken."""
        return self._size >= PIECE_BYTES or len(self._ends) >= PIECE_BYTES >> 4

    def add(self, text: bytes, record: int) -> None:
        """Add a document: its text, and the number of its record."""
        self._texts.append(text)
        self._size += len(text)
        self._ends.append(self._size)
        self._records.append(record)

    def take(self) -> Piece:
        """The piece so far; the builder is empty then."""
        piece = Piece(b"".join(self._texts), self._ends, self._records)
        self._texts = []
        self._ends = []
        self._records = []
        self._size = 0
        return piece


def documents_of(pieces: Iterable[Piece]) -> Iterator[Iterator[bytes]]:
    """The documents of a source, each as its content in parts; one must be read before the next is
    asked for.

    >>> [list(parts) for parts in documents_of([Piece(b"a"), Piece(b"bcd", (1, 3)), Piece(b"", (0,))])]
    [[b'a', b'b'], [b'cd'], [b'']]
    """  # noqa: E501
    parts = _parts(pieces)
    following = next(parts, None)

    def document() -> Iterator[bytes]:
        nonlocal following
        while following is not None:
            content, is_end = following
            yield content
            following = next(parts, None)
            if is_end:
                break
        # A piece that only lets the caller stop begins no document; there may be none after it.
        while following == (b"", False):
            yield b""
            following = next(parts, None)

    while following is not None:
        parts_of_one = document()
        yield parts_of_one
        for _ in parts_of_one:  # what the caller has left
            pass


def _parts(pieces: Iterable[Piece]) -> Iterator[tuple[bytes, bool]]:
    """Each part of a document, with whether it is its last."""
    for content, ends, *_ in pieces:
        start = 0
        for end in ends:
            yield content[start:end], True
            start = end
        if start < len(content) or not len(ends):
            yield content[start:], False
