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
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_SPACES = " \t\r"
_parsed = json.JSONDecoder().raw_decode


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
    for found in _lines(contents):
        if found is None:
            yield builder.take() if builder.is_full else NOTHING
            continue
        values, line = found
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


def _lines(contents: Iterable[bytes]) -> Iterator[tuple[dict[str, Any] | str, bytes | str] | None]:
    """The object of each line, or why it is none, with the line; and `None` after each piece."""
    parts: list[bytes] = []  # the beginning of a line; of one that is too long, no more than shows that
    size = 0
    for content in contents:
        start = 0
        if parts and (start := content.find(b"\n") + 1):
            parts.append(content[: min(start - 1, MAX_RECORD_BYTES + 1)])
            yield from _line(b"".join(parts))
            parts, size = [], 0
        end = max(start, content.rfind(b"\n") + 1)
        yield from _whole_lines(content[start:end].decode("utf-8", "surrogatepass"))
        if end < len(content) and size <= MAX_RECORD_BYTES:
            parts.append(content[end:])
            size += len(content) - end
        yield None
    yield from _line(b"".join(parts))


def _whole_lines(text: str) -> Iterator[tuple[dict[str, Any] | str, bytes | str]]:
    """The same of lines that end. Objects are parsed where they are; what is none is looked at apart."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        try:
            values, stop = _parsed(text, start)
        except (ValueError, RecursionError):
            values, stop = None, end
        line = text[start:end]
        if isinstance(values, dict) and stop <= end and not text[stop:end].strip(_SPACES):
            yield values, line
        else:
            yield from _line(line.encode("utf-8", "surrogatepass"))
        start = end + 1


def _line(line: bytes) -> Iterator[tuple[dict[str, Any] | str, bytes]]:
    """The same of one line; nothing if it is empty."""
    if len(line) > MAX_RECORD_BYTES:
        yield f"is longer than {MAX_RECORD_BYTES >> 20} MB", line
    elif line and not line.isspace():
        yield _object(line), line


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


def _encoded(text: str, line: bytes | str, count: RecordCount) -> bytes:
    """A text as UTF-8. Half a character that was written as an escape becomes U+FFFD, for it has no bytes."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        if _ESCAPED_HALF.search(line if isinstance(line, str) else line.decode("utf-8", "surrogatepass")):
            text, n_replaced = _HALF_CHARACTER.subn("\ufffd", text)
            count.n_replaced += n_replaced
        return text.encode("utf-8", "surrogatepass")
