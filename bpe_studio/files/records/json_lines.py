"""Reads JSON lines: one object a line, one of whose members is the text; and a JSON array as the lines of its objects.

The first piece of a file, and every line that is not plain, is read by the module json; of a larger file, plain lines
are read by the kernel `json_lines`, which takes a third of the time and leaves the interpreter to others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from bpe_studio.engine.counting.word_table import wide
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.warm_up import compile_json_lines
from bpe_studio.errors import SourceError
from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES, RecordCount
from bpe_studio.files.records.json_array import ArrayLines
from bpe_studio.files.records.pieces import NOTHING, Piece, PieceBuilder
from bpe_studio.files.records.recognition import column_of_objects, text_column

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ESCAPED_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_SPACES = " \t\r"
_parsed = json.JSONDecoder().raw_decode
_PADDING = 32  # the kernel reads eight bytes at a time
_MOST_IN_VAIN = 1000
"""So many more lines than plain ones may be left to the module json before the kernel is used no more."""
_MOST_WAITING, _MOST_WAITING_BYTES = 1000, 8 << 20
"""How many of the first lines may have no text in the column before it is said that none does."""


def read_json_lines(
    contents: Iterable[bytes], column: str | None, name: str, count: RecordCount, is_later: bool = False
) -> Iterator[Piece]:
    """The texts of JSON lines, each a document.

    Args:
        contents: the file as UTF-8, in pieces; lone surrogates, which stand for stray bytes, as three bytes.
        column: the member that is the text; None to find it in the first objects.
        name: the name of the file in messages.
        count: counts the records.
        is_later: whether it is a later part of a file, whose column has been found.

    Raises:
        SourceError: none of the first objects has such a member that is text.
    """
    builder = PieceBuilder()
    first_lines = _FirstLines(column, name)
    if is_later and column is not None:
        count.column = column
    plain: _PlainLines | None = None
    for n_pieces, lines in enumerate(_whole(contents)):
        start = 0
        if plain is None and n_pieces and count.column and _PlainLines.can_read(count.column):
            for _ in loader.compile_in_thread("json_lines", compile_json_lines):
                yield NOTHING
            plain = _PlainLines(count.column)
        while start < len(lines):
            end = len(lines)
            if plain is not None and plain.is_worth_it and lines.endswith(b"\n"):
                texts, ends, start = plain.read(lines, start)
                if ends:
                    yield builder.take()
                    yield Piece(texts, ends, range(count.n_records + 1, count.n_records + 1 + len(ends)))
                    count.add(len(ends))
                end = lines.find(b"\n", start) + 1
            for values, line in first_lines.followed_by(_objects(lines[start:end]), count):
                if isinstance(values, str):
                    count.add_broken(values, line)
                    continue
                text = values.get(count.column)
                if not isinstance(text, str):
                    count.add_broken(_why_no_text(values, count.column), line)
                    continue
                count.add()
                builder.add(_encoded(text, line, count), count.n_records)
                if builder.is_full:
                    yield builder.take()
            start = max(start, end)
        yield builder.take() if builder.is_full else NOTHING
    first_lines.end(count)
    if count.n_records and count.n_broken == count.n_records and not is_later:
        raise SourceError(" ".join(count.notices(name)))
    yield builder.take()


def read_json_array(contents: Iterable[bytes], column: str | None, name: str, count: RecordCount) -> Iterator[Piece]:
    """The texts of the objects in a JSON array, each a document; as `read_json_lines`."""
    lines = ArrayLines(contents)
    yield from read_json_lines(lines, column, name, count)
    if lines.is_cut:
        count.add_broken("is missing, as the array has no end: it was cut, or a bracket is missing in a record before")


_Line = tuple[dict[str, Any] | str, bytes | str]
"""The object of a line, or why it is none, with the line."""


class _FirstLines:
    """The lines before the first one that has the text, which tells its column.

    Args:
        column: the member that is the text; None to find it.
        name: the name of the file in messages.
    """

    def __init__(self, column: str | None, name: str) -> None:
        self._wanted, self._name = column, name
        self._waiting: list[_Line] = []
        self._n_bytes = 0

    def followed_by(self, lines: Iterator[_Line], count: RecordCount) -> Iterator[_Line]:
        """Lines as they are, once the column is known; it is set in `count`.

        Raises:
            SourceError: too many lines do not have it.
        """
        for each in lines:
            if count.column:
                yield each
                continue
            self._waiting.append(each)
            self._n_bytes += len(each[1])
            count.column = column_of_objects(each[:1], self._wanted)
            if count.column:
                yield from self._waiting
                self._waiting = []
            elif len(self._waiting) == _MOST_WAITING or self._n_bytes > _MOST_WAITING_BYTES:
                self.end(count)

    def end(self, count: RecordCount) -> None:
        """No other line will tell the column; those that waited are counted as broken.

        Raises:
            SourceError: none of the objects has it.
        """
        objects = [values for values, _ in self._waiting if isinstance(values, dict)]
        if objects:
            columns = {key: isinstance(value, str) for values in objects for key, value in values.items()}
            text_column(columns, self._wanted, self._name)
        for why, line in self._waiting:
            count.add_broken(str(why), line)
        self._waiting, self._n_bytes = [], 0


class _PlainLines:
    """Reads lines by the kernel.

    Args:
        column: the member that is the text, of which `can_read` is true.
    """

    def __init__(self, column: str) -> None:
        self._read = loader.compiled("json_lines").read_texts
        self._key = np.frombuffer(column.encode(), np.uint8)
        self._lines = b""
        self._contents = self._texts = np.zeros(_PADDING, np.uint8)
        self._n_read = self._n_left = 0

    @staticmethod
    def can_read(column: str) -> bool:
        """Whether lines with such a member may be plain."""
        return column.isascii() and json.dumps(column) == f'"{column}"'

    @property
    def is_worth_it(self) -> bool:
        """Whether enough of the lines are plain."""
        return self._n_left <= self._n_read + _MOST_IN_VAIN

    def read(self, lines: bytes, start: int) -> tuple[bytes, list[int], int]:
        """The texts of the next plain lines, with their ends, and the start of the line that is not plain.

        Args:
            lines: whole lines.
            start: the first of them to read.
        """
        if lines is not self._lines:
            self._lines = lines
            if len(lines) + _PADDING > len(self._contents):
                self._contents, self._texts = (np.zeros(len(lines) + _PADDING, np.uint8) for _ in range(2))
                # No line is shorter than {"text":""} and its line feed.
                self._ends = np.empty(len(lines) // (len(self._key) + 8) + 1, np.int64)
            self._contents[: len(lines)] = np.frombuffer(lines, np.uint8)
        state = np.array([start, 0], np.int64)
        contents, texts = wide(self._contents), wide(self._texts)
        n = self._read(state, self._contents, contents, len(lines), self._key, self._texts, texts, self._ends)
        self._n_read += n
        self._n_left += int(state[0]) < len(lines)
        return self._texts[: state[1]].tobytes(), self._ends[:n].tolist(), int(state[0])


def _whole(contents: Iterable[bytes]) -> Iterator[bytes]:
    """Whole lines, as many together as a piece has; the last one of a file, and a long one, without its line feed."""
    parts: list[bytes] = []  # the beginning of a line; of one that is too long, no more than shows that
    size = 0
    for content in contents:
        start = 0
        if parts and (start := content.find(b"\n") + 1):
            parts.append(content[: min(start - 1, MAX_RECORD_BYTES + 1)])
            yield b"".join(parts)
            parts, size = [], 0
        end = max(start, content.rfind(b"\n") + 1)
        yield content[start:end]
        if end < len(content) and size <= MAX_RECORD_BYTES:
            parts.append(content[end:])
            size += len(content) - end
    yield b"".join(parts)


def _objects(lines: bytes) -> Iterator[_Line]:
    """The object of each of some whole lines, or why it is none, with the line."""
    if lines.endswith(b"\n"):
        return _whole_lines(lines.decode("utf-8", "surrogatepass"))
    return _line(lines)


def _whole_lines(text: str) -> Iterator[_Line]:
    """The same of lines that end. Objects are parsed where they are; what is none is looked at apart."""
    start = 0
    while (end := text.find("\n", start)) >= 0:
        while text[start] in _SPACES:
            start += 1
        try:
            values, stop = _parsed(text, start) if text[start] == "{" else (None, end)
        except (ValueError, RecursionError):
            values, stop = None, end
        line = text[start:end]
        if isinstance(values, dict) and stop <= end and not text[stop:end].strip(_SPACES):
            yield values, line
        else:
            yield from _line(line.encode("utf-8", "surrogatepass"))
        start = end + 1


def _line(line: bytes) -> Iterator[_Line]:
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
