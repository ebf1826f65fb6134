"""Reads CSV and TSV, whose first row names the columns. Line breaks in quoted fields stay as they are.

The first piece of a file, and every row that is broken, is read by the module csv; of a larger file, the other rows are
read by the kernel `separated_values`, which takes a fraction of the time and leaves the interpreter to others.
"""

from __future__ import annotations

import csv
import io
import re
import sys
import threading
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from bpe_studio.engine.counting.word_table import wide
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.warm_up import compile_separated_values
from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES, RecordCount
from bpe_studio.files.records.pieces import NOTHING, Piece, PieceBuilder
from bpe_studio.files.records.recognition import field_mark, text_column

_limit_lock = threading.Lock()
_PADDING = 32  # the kernel reads eight bytes at a time
_STOPS = np.frombuffer(b'"\n', np.uint8)
_MOST_AT_ONCE = 1 << 14
"""How many texts the kernel gives at once."""
_MOST_BYTES = 8 << 20
"""A longer row is left to the module csv, with all that follow: the kernel begins with it again at each piece."""
_MOST_IN_VAIN = 1000
"""So many rows may be left to the module csv, and one of five, before the kernel is used no more."""

_LINE_END = re.compile(rb"[\r\n]")
_BROKEN_LINE = '"a"b\n'
"""Stands for a line that is too long: it breaks the row that it is in, whether that is a quoted field or not."""


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
    contents = iter(contents)
    table = _Table(kind, column, name, count)
    parts = _Parts(contents)
    yield from table.read(parts, most_pieces=1)
    if parts.n_pieces > 1:
        for _ in loader.compile_in_thread("separated_values", compile_separated_values):
            yield NOTHING
        plain = _PlainRows(table, parts.unread())
        yield from plain.read(contents)
        yield from table.read(_Parts(chain([plain.unread()], contents)))
    if count.n_records and count.n_broken == count.n_records:
        raise SourceError(" ".join(count.notices(name)))
    yield table.builder.take()


class _Table:
    """The rows of a table, which the module csv reads, to its texts.

    Attributes:
        delimiter: what separates the fields; "" before the first row.
        n_columns: how many fields a row has; 0 before the first one.
        number: which of them is the text, from 0.
        count: counts the records.
        builder: gathers their texts.
    """

    def __init__(self, kind: str, column: str | None, name: str, count: RecordCount) -> None:
        self.delimiter = ""
        self.n_columns = self.number = 0
        self.count = count
        self.builder = PieceBuilder()
        self._kind, self._column, self._name = kind, column, name

    def read(self, parts: _Parts, most_pieces: int = sys.maxsize) -> Iterator[Piece]:
        """The texts of the rows: of all, or up to the first row that ends after so many pieces."""
        lines = chain.from_iterable(parts)
        if not self.delimiter:
            first = next(lines, "")
            self.delimiter = field_mark(first, self._kind, self._column)
            lines = chain([first], lines)
        n_pieces = 0
        for _ in self.add(lines):
            if self.builder.is_full:
                yield self.builder.take()
            elif parts.n_pieces > n_pieces:
                n_pieces = parts.n_pieces
                yield NOTHING
            if parts.n_pieces > most_pieces:
                return

    def add(self, lines: Iterable[str]) -> Iterator[None]:
        """Adds rows, one at each step."""
        rows = csv.reader(lines, delimiter=self.delimiter, strict=True)
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                if not self.n_columns:
                    raise SourceError(
                        f"The first row of {self._name} cannot be read as {self._kind} ({error}): open it as text"
                    ) from None
                self.count.add_broken(f"cannot be read ({error})")
                yield
                continue
            if row is None:
                return
            if not row:
                continue  # an empty line
            if not self.n_columns:
                self.n_columns = len(row)
                self.count.column = text_column(dict.fromkeys(row, True), self._column, self._name)
                self.number = row.index(self.count.column)
            elif len(row) != self.n_columns:
                n_fields = "1 field" if len(row) == 1 else f"{len(row):,} fields"
                self.count.add_broken(f"has {n_fields} and not {self.n_columns:,}", self.delimiter.join(row))
            else:
                self.count.add()
                self.builder.add(row[self.number].encode("utf-8", "surrogatepass"), self.count.n_records)
            yield


class _PlainRows:
    """Reads the rows of a table by the kernel.

    Args:
        table: whose columns are known.
        beginning: what it has not read of its last piece.
    """

    def __init__(self, table: _Table, beginning: str) -> None:
        self._table = table
        self._read_rows = loader.compiled("separated_values").read_rows
        self._contents = self._texts = np.zeros(_PADDING, np.uint8)
        self._ends = np.empty(_MOST_AT_ONCE, np.int64)
        self._place = self._size = 0
        self._n_read = self._n_left = 0
        self._add(beginning.encode("utf-8", "surrogatepass"))

    def read(self, contents: Iterator[bytes]) -> Iterator[Piece]:
        """The texts of the rows that end in these pieces, or in fewer if too little of them is for the kernel."""
        yield from self._pieces()
        while self._is_worth_it and self._size - self._place < _MOST_BYTES:
            content = next(contents, None)
            if content is None:
                return
            self._add(content)
            yield from self._pieces()

    def unread(self) -> bytes:
        """What follows the last row that was read."""
        return self._contents[self._place : self._size].tobytes()

    @property
    def _is_worth_it(self) -> bool:
        return self._n_left <= self._n_read // 4 + _MOST_IN_VAIN

    def _add(self, content: bytes) -> None:
        rest = self.unread()
        self._place, self._size = 0, len(rest) + len(content)
        if self._size + _PADDING > len(self._contents):
            self._contents, self._texts = (np.zeros(self._size + _PADDING, np.uint8) for _ in range(2))
        self._contents[: len(rest)] = np.frombuffer(rest, np.uint8)
        self._contents[len(rest) : self._size] = np.frombuffer(content, np.uint8)
        self._contents[self._size : self._size + len(_STOPS)] = _STOPS

    def _pieces(self) -> Iterator[Piece]:
        table, count = self._table, self._table.count
        contents, texts = wide(self._contents), wide(self._texts)
        fields = (ord(table.delimiter), table.n_columns, table.number)
        state = np.array([self._place, 0, 0], np.int64)
        while self._is_worth_it:
            state[1] = 0
            n = self._read_rows(state, self._contents, contents, self._size, *fields, self._texts, texts, self._ends)
            place, size, end = state.tolist()
            self._n_read += n
            if n:
                yield table.builder.take()
                yield Piece(
                    self._texts[:size].tobytes(),
                    self._ends[:n].tolist(),
                    range(count.n_records + 1, count.n_records + 1 + n),
                )
                count.add(n)
            if end > place:
                row = self._contents[place:end].tobytes().decode("utf-8", "surrogatepass")
                for _ in table.add(io.StringIO(row, newline="")):
                    self._n_left += 1
                state[0] = end
            elif n < _MOST_AT_ONCE:
                break
        self._place = int(state[0])
        yield NOTHING


class _Parts:
    """The text of a file in parts of whole lines, with their ends (line feed, carriage return or both).

    The lines of a part are found in C, which takes half as long as a loop over them.

    Attributes:
        n_pieces: how many pieces of the file have been read.
    """

    def __init__(self, contents: Iterator[bytes]) -> None:
        self.n_pieces = 0
        self._contents = contents
        self._part = io.StringIO()
        self._rest = ""

    def __iter__(self) -> Iterator[io.StringIO]:
        for content in self._contents:
            self.n_pieces += 1
            text = self._rest + content.decode("utf-8", "surrogatepass")
            # A carriage return at the end may be half of a line's end.
            end = max(text.rfind("\n"), text.rfind("\r", 0, max(0, len(text) - 1))) + 1
            if len(text) - end > MAX_RECORD_BYTES:
                text = text[:end] + _BROKEN_LINE + self._after_line()
                end += len(_BROKEN_LINE)
            self._part, self._rest = io.StringIO(text[:end], newline=""), text[end:]
            yield self._part
        self._part, self._rest = io.StringIO(self._rest, newline=""), ""
        yield self._part

    def _after_line(self) -> str:
        """What follows the next line end, without the text before it."""
        for content in self._contents:
            self.n_pieces += 1
            if found := _LINE_END.search(content):
                return content[found.end() :].decode("utf-8", "surrogatepass")
        return ""

    def unread(self) -> str:
        """What follows the last line that was read in the pieces so far."""
        return self._part.read() + self._rest


def _allow_long_fields() -> None:
    with _limit_lock:
        if csv.field_size_limit() < MAX_RECORD_BYTES:
            csv.field_size_limit(MAX_RECORD_BYTES)
