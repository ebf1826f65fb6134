"""Reads JSON lines: one object a line, one of whose members is the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES, RecordCount
from bpe_studio.files.records.pieces import NOTHING, Piece, PieceBuilder
from bpe_studio.files.records.recognition import text_column

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json_lines(
    contents: Iterable[bytes], column: str | None, name: str, count: RecordCount, is_later: bool = False
) -> Iterator[Piece]:
    """The texts of JSON lines, each a document.

    Args:
        contents: the file as UTF-8, in pieces; lone surrogates, which stand for stray bytes, as three bytes.
        column: the member that is the text; None to find it in the first object.
        name: the name of the file in messages.
        count: counts the records.
        is_later: whether it is a later part of a file, whose column has been found.

    Raises:
        SourceError: the first object has no such member, or it is no text.
    """
    builder = PieceBuilder()
    for line in _lines(contents):
        if line is None:
            yield builder.take() if builder.is_full else NOTHING
            continue
        if not line or line.isspace():
            continue
        if len(line) > MAX_RECORD_BYTES:
            count.add_broken(f"is longer than {MAX_RECORD_BYTES >> 20} MB", line)
            continue
        values = _object(line)
        if isinstance(values, str):
            count.add_broken(values, line)
            continue
        if column is None or not (is_later or count.n_records - count.n_broken):
            column = text_column({key: isinstance(value, str) for key, value in values.items()}, column, name)
            count.column = column
        text = values.get(column)
        if not isinstance(text, str):
            count.add_broken(_why_no_text(values, column), line)
            continue
        count.add()
        builder.add(_encoded(text, line, count), count.n_records)
        if builder.is_full:
            yield builder.take()
    if count.n_records and count.n_broken == count.n_records and not is_later:
        raise SourceError(" ".join(count.notices(name)))
    yield builder.take()


def _lines(contents: Iterable[bytes]) -> Iterator[bytes | None]:
    """The lines without line feeds, and `None` after each piece; of a line that is too long, only its beginning."""
    parts: list[bytes] = []
    size = 0
    for content in contents:
        *complete, rest = content.split(b"\n")
        for line in complete:
            if parts:
                parts.append(line[: MAX_RECORD_BYTES + 1])
                line = b"".join(parts)
                parts, size = [], 0
            yield line
        if rest and size <= MAX_RECORD_BYTES:
            parts.append(rest)
            size += len(rest)
        yield None
    if parts:
        yield b"".join(parts)


def _object(line: bytes) -> dict[str, Any] | str:
    """The object of a line, or why it is none."""
    try:
        values = json.loads(line.decode("utf-8", "surrogatepass"))
    except RecursionError:
        return "is nested too deep"
    except ValueError:
        return "is not JSON"
    return values if isinstance(values, dict) else "is not a JSON object"


def _why_no_text(values: dict[str, Any], column: str) -> str:
    if column not in values:
        return f"has no {column!r}"
    value = values[column]
    return f"has null as {column!r}" if value is None else f"has no text as {column!r}"


def _encoded(text: str, line: bytes, count: RecordCount) -> bytes:
    """A text as UTF-8. Half a character that was written as an escape becomes U+FFFD, for it has no bytes."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        if _ESCAPED_HALF.search(line):
            text, n_replaced = _HALF_CHARACTER.subn("\ufffd", text)
            count.n_replaced += n_replaced
        return text.encode("utf-8", "surrogatepass")
