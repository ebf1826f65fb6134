"""Reads the texts of a file's records with the values of another column that belong to them."""

from __future__ import annotations

from collections.abc import Iterator

from bpe_studio.errors import SourceError
from bpe_studio.files.text.sources import Source


def texts_by_value(source: Source, other: Source) -> Iterator[tuple[str, str]]:
    """The value of another column, and the text of each record; "" for a record without a value.

    Args:
        source: the file.
        other: the same file, read for the other column.

    Raises:
        SourceError: the file has no such column, or is plain text.
    """
    if not source.has_records:
        raise SourceError(
            f"{source.name} is plain text, which has no columns: group by file or by script"
        )
    values = dict(_records(other))
    for place, text in _records(source):
        yield values.get(place, ""), text


def _records(source: Source) -> Iterator[tuple[tuple[str, int], str]]:
    """The file in an archive and the number of each record, and its text."""
    parts: list[bytes] = []
    for piece in source.pieces():
        start = 0
        for end, number in zip(piece.ends, piece.records or [0] * len(piece.ends), strict=True):
            parts.append(piece.content[start:end])
            yield (piece.member, number), b"".join(parts).decode("utf-8", "surrogatepass")
            parts = []
            start = end
        parts.append(piece.content[start:])
