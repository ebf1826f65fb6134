"""Reads CSV and TSV, whose first row names the columns. Line breaks in quoted fields stay as they are."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterable, Iterator
from itertools import chain

from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES, RecordCount
from bpe_studio.files.records.pieces import NOTHING, Piece, PieceBuilder
from bpe_studio.files.records.recognition import field_mark, text_column

_limit_lock = threading.Lock()


def read_separated_values(
    contents: Iterable[bytes], kind: str, column: str | None, name: str, count: RecordCount
) -> Iterator[Piece]:
    """The texts of a table, each a document.

    Args:
        contents: the file as UTF-8, in pieces; lone surrogates, which stand for stray bytes, as three bytes.
        kind: `CSV` or `TSV`.
        column: the column with the text; None to find it in the first row.
        name: the name of the file in messages.
        count: counts the records, without the first row.

    Raises:
        SourceError: there is no such column.
    """
    _allow_long_fields()
    builder = PieceBuilder()
    parts = _Parts(contents)
    lines = chain.from_iterable(parts)
    number = n_columns = n_pieces = 0
    first = next(lines, "")
    delimiter = field_mark(first, kind, column)
    rows = csv.reader(chain([first], lines), delimiter=delimiter, strict=True)
    while True:
        try:
            row = next(rows, None)
        except csv.Error as error:
            if not n_columns:
                raise SourceError(
                    f"The first row of {name} cannot be read as {kind} ({error}): open it as text"
                ) from None
            count.add_broken(f"cannot be read ({error})")
            continue
        if row is None:
            break
        if not row:
            continue  # an empty line
        if not n_columns:
            n_columns = len(row)
            found = text_column(dict.fromkeys(row, True), column, name)
            number = row.index(found)
            count.column = found
        elif len(row) != n_columns:
            n_fields = "1 field" if len(row) == 1 else f"{len(row):,} fields"
            count.add_broken(f"has {n_fields} and not {n_columns:,}", delimiter.join(row))
        else:
            count.add()
            builder.add(row[number].encode("utf-8", "surrogatepass"), count.n_records)
        if builder.is_full:
            yield builder.take()
        elif parts.n_pieces > n_pieces:
            n_pieces = parts.n_pieces
            yield NOTHING
    if count.n_records and count.n_broken == count.n_records:
        raise SourceError(" ".join(count.notices(name)))
    yield builder.take()


class _Parts:
    """The text of a file in parts of whole lines, with their ends (line feed, carriage return or both).

    The lines of a part are found in C, which takes half as long as a loop over them.

    Attributes:
        n_pieces: how many pieces of the file have been read.
    """

    def __init__(self, contents: Iterable[bytes]) -> None:
        self.n_pieces = 0
        self._contents = contents

    def __iter__(self) -> Iterator[io.StringIO]:
        rest = ""
        for content in self._contents:
            self.n_pieces += 1
            text = rest + content.decode("utf-8", "surrogatepass")
            # A carriage return at the end may be half of a line's end.
            end = max(text.rfind("\n"), text.rfind("\r", 0, max(0, len(text) - 1))) + 1
            if len(text) - end > MAX_RECORD_BYTES:
                end = len(text)
            yield io.StringIO(text[:end], newline="")
            rest = text[end:]
        yield io.StringIO(rest, newline="")


def _allow_long_fields() -> None:
    with _limit_lock:
        if csv.field_size_limit() < MAX_RECORD_BYTES:
            csv.field_size_limit(MAX_RECORD_BYTES)
