"""Reads CSV and TSV, whose first row names the columns.

Line breaks in quoted fields stay as they are.
"""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Iterable, Iterator
from itertools import chain

from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES, RecordCount
from bpe_studio.files.records.pieces import NOTHING, Piece, PieceBuilder
from bpe_studio.files.records.recognition import field_mark, text_column

_limit_lock = threading.Lock()
_LINE_END = re.compile(rb"[\r\n]")
_BROKEN_LINE = '"a"b\n'
"""Stands for a line that is too long: it breaks the row that it is in, whether that is a quoted
field or not.
"""
_ROWS = 1 << 10
"""The most rows after which the caller can stop."""


def read_separated_values(
    contents: Iterable[bytes], kind: str, column: str | None, name: str, count: RecordCount
) -> Iterator[Piece]:
    """The texts of a table, each a document.

    Args:
        contents: the file as UTF-8, in pieces; lone surrogates, which stand for stray bytes, as
            three bytes.
        kind: `CSV` or `TSV`.
        column: the column with the text; `None` to find it in the first row.
        name: the name of the file in messages.
        count: counts the records, without the first row.

    Raises:
        SourceError: there is no such column.
    """
    _allow_long_fields()
    lines = chain.from_iterable(_lines(iter(contents)))
    first = next(lines, "")
    mark = field_mark(first, kind, column)
    rows = csv.reader(chain([first], lines), delimiter=mark, strict=True)
    builder = PieceBuilder()
    n_columns = 0
    number = 0
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            if not n_columns:
                raise SourceError(
                    f"The first row of {name} cannot be read as {kind} ({error}): open it as text"
                ) from None
            count.add_broken(f"cannot be read ({error})")
            row = []
        if row is None:
            break
        if row and not n_columns:
            n_columns = len(row)
            count.column = text_column(dict.fromkeys(row, True), column, name)
            number = row.index(count.column)
        elif row and len(row) != n_columns:
            n_fields = "1 field" if len(row) == 1 else f"{len(row):,} fields"
            count.add_broken(f"has {n_fields} and not {n_columns:,}", mark.join(row))
        elif row:
            count.add()
            builder.add(row[number].encode("utf-8", "surrogatepass"), count.n_records)
        if builder.is_full:
            yield builder.take()
        elif not count.n_records % _ROWS:
            yield NOTHING
    if count.n_records and count.n_broken == count.n_records:
        raise SourceError(" ".join(count.notices(name)))
    yield builder.take()


def _lines(contents: Iterator[bytes]) -> Iterator[io.StringIO]:
    """The lines of a file with their ends (line feed, carriage return or both), in parts of whole
    lines.
    """
    rest = ""
    for content in contents:
        text = rest + content.decode("utf-8", "surrogatepass")
        # A carriage return at the end may be half of a line's end.
        end = max(text.rfind("\n"), text.rfind("\r", 0, max(0, len(text) - 1))) + 1
        if len(text) - end > MAX_RECORD_BYTES:
            text = text[:end] + _BROKEN_LINE + _after_line(contents)
            end += len(_BROKEN_LINE)
        yield io.StringIO(text[:end], newline="")
        rest = text[end:]
    yield io.StringIO(rest, newline="")


def _after_line(contents: Iterator[bytes]) -> str:
    """The text after the next line end, up to the end of its piece."""
    for content in contents:
        if found := _LINE_END.search(content):
            return content[found.end() :].decode("utf-8", "surrogatepass")
    return ""


def _allow_long_fields() -> None:
    with _limit_lock:
        if csv.field_size_limit() < MAX_RECORD_BYTES:
            csv.field_size_limit(MAX_RECORD_BYTES)
