"""Reads JSON lines, one object a line, and JSON arrays of objects.

One member of each object is the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES, RecordCount
from bpe_studio.files.records.json_array import elements_of
from bpe_studio.files.records.pieces import NOTHING, Piece, PieceBuilder
from bpe_studio.files.records.recognition import column_of_objects, text_column

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_Record = tuple[dict[str, Any] | str, str | bytes]
"""An object, or a phrase that says why it is none, and how it is written."""


def read_json_lines(
    contents: Iterable[bytes],
    column: str | None,
    name: str,
    count: RecordCount,
    is_later: bool = False,
) -> Iterator[Piece]:
    """The texts of JSON lines, each a document.

    Args:
        contents: the file as UTF-8, in pieces; lone surrogates, which stand for stray bytes, as
            three bytes.
        column: the member that is the text; `None` to find it in the objects of the first megabyte.
        name: the name of the file in messages.
        count: counts the records.
        is_later: whether it is a later part of a file, whose column has been found.

    Raises:
        SourceError: none of the first objects has such a member that is text.
    """
    if is_later and column is not None:
        count.column = column
    yield from _texts(map(_records_of_lines, _whole_lines(contents)), column, name, count)
    if count.n_records and count.n_broken == count.n_records and not is_later:
        raise SourceError(" ".join(count.notices(name)))


def read_json_array(
    contents: Iterable[bytes], column: str | None, name: str, count: RecordCount
) -> Iterator[Piece]:
    """The texts of the objects in a JSON array, each a document; as `read_json_lines`."""
    yield from _texts(map(_records_of_elements, elements_of(contents)), column, name, count)
    if count.n_records and count.n_broken == count.n_records:
        raise SourceError(" ".join(count.notices(name)))


def _texts(
    batches: Iterable[Iterator[_Record]], column: str | None, name: str, count: RecordCount
) -> Iterator[Piece]:
    builder = PieceBuilder()
    for records in batches:
        if not count.column:
            first = list(records)
            objects = [values for values, _ in first if isinstance(values, dict)]
            count.column = column_of_objects(objects, column)
            if objects and not count.column:
                # None has it, which is an error that names those that they have.
                columns: dict[str, bool] = {}
                for each in objects:
                    columns |= {key: isinstance(value, str) for key, value in each.items()}
                text_column(columns, column, name)
            records = iter(first)
        for values, written in records:
            text = values.get(count.column) if isinstance(values, dict) else None
            if not isinstance(text, str):
                count.add_broken(_why_no_text(values, count.column), written)
                continue
            count.add()
            builder.add(_encoded(text, written, count), count.n_records)
            if builder.is_full:
                yield builder.take()
        yield NOTHING
    yield builder.take()


def _whole_lines(contents: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, as many together as a piece has; of a line that is too long, just enough to show
    that it is.
    """
    parts: list[bytes] = []
    size = 0
    for content in contents:
        start = 0
        if parts and (start := content.find(b"\n") + 1):
            parts.append(content[: min(start, MAX_RECORD_BYTES + 1)])
            yield b"".join(parts)
            parts = []
            size = 0
        end = max(start, content.rfind(b"\n") + 1)
        yield content[start:end]
        if end < len(content) and size <= MAX_RECORD_BYTES:
            parts.append(content[end:])
            size += len(content) - end
    yield b"".join(parts)


def _records_of_lines(lines: bytes) -> Iterator[_Record]:
    for line in lines.split(b"\n"):
        if len(line) > MAX_RECORD_BYTES:
            yield f"is longer than {MAX_RECORD_BYTES >> 20} MB", line
        elif line and not line.isspace():
            yield _object(line), line


def _object(line: bytes) -> dict[str, Any] | str:
    """The object of a line, or a phrase that says why it is none."""
    try:
        values = json.loads(line.decode("utf-8", "surrogatepass"))
    except RecursionError:
        return "is nested too deep"
    except ValueError:
        return "is not JSON"
    return values if isinstance(values, dict) else "is not a JSON object"


def _records_of_elements(elements: Iterable[tuple[object, str] | str]) -> Iterator[_Record]:
    for each in elements:
        if isinstance(each, str):
            yield each, ""
        else:
            value, written = each
            if not isinstance(value, dict):
                value = "is not a JSON object"
            yield value, written


def _why_no_text(values: dict[str, Any] | str, column: str) -> str:
    if isinstance(values, str):
        return values
    if column not in values:
        return f"has no {column!r}"
    return f"has null as {column!r}" if values[column] is None else f"has no text as {column!r}"


def _encoded(text: str, written: bytes | str, count: RecordCount) -> bytes:
    """A text as UTF-8; half a character that was written as an escape has no bytes, and becomes
    U+FFFD.
    """
    try:
        return text.encode()
    except UnicodeEncodeError:
        if isinstance(written, bytes):
            written = written.decode("utf-8", "surrogatepass")
        if _ESCAPED_HALF.search(written):
            text, n_replaced = _HALF_CHARACTER.subn("\ufffd", text)
            count.n_replaced += n_replaced
        return text.encode("utf-8", "surrogatepass")
