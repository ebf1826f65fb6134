"""Tells whether a file holds records: by its first bytes, then by its name. Finds the column that holds the text."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from bpe_studio.errors import SourceError

TEXT_COLUMNS = ("text", "content", "sentence", "document", "passage")
"""Names of the column with the text, in the order in which they are looked for."""

PARQUET, ARROW_FILE, ARROW_STREAM = "a Parquet table", "an Arrow file", "an Arrow stream"
JSON_LINES, CSV, TSV = "JSON lines", "CSV", "TSV"
MARKS = ",;\t|"
"""What may separate the fields of a row."""
_STREAM_START = b"\xff\xff\xff\xff"
_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jl")
_SEPARATED_SUFFIXES = {".csv": CSV, ".tsv": TSV, ".tab": TSV}
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".zstd")
_FEW_LINES = 20
_MOST_NAMES = 20
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", re.ASCII)


def binary_kind(head: bytes) -> str:
    """The kind of a table in a binary format, by its first bytes; "" for none."""
    if head.startswith((b"PAR1", b"PARE")):
        return PARQUET
    if head.startswith(b"ARROW1\0\0"):
        return ARROW_FILE
    if head.startswith(_STREAM_START) and 0 < int.from_bytes(head[4:8], "little") < 1 << 30:
        return ARROW_STREAM
    return ""


def text_kind(beginning: str, is_whole: bool, name: str, column: str | None) -> str:
    """The kind of records in a text, by its beginning and by its name; "" for plain text.

    Args:
        beginning: the first characters.
        is_whole: whether that is all of the text.
        name: the name of the file; a suffix such as .gz is not looked at.
        column: the column that the user has chosen; None for none.
    """
    suffix = suffix_of(name)
    if suffix in _SEPARATED_SUFFIXES:
        return _SEPARATED_SUFFIXES[suffix]
    if suffix in _LINE_SUFFIXES:
        return JSON_LINES
    objects = objects_of(beginning, is_whole)
    if objects:
        return JSON_LINES if column_of_objects(objects, column) else ""
    first = beginning.partition("\n")[0]
    if column is not None and first:
        return next((kind for kind, mark in ((TSV, "\t"), (CSV, ",")) if column in _fields(first, mark)), "")
    return ""


def objects_of(beginning: str, is_whole: bool) -> list[dict[str, Any]]:
    """The objects on the first lines of a text; none if one of the lines is not an object, or there is only one."""
    lines = beginning.split("\n")
    complete = list(islice(filter(str.strip, lines if is_whole else lines[:-1]), _FEW_LINES))
    objects = [values for line in complete if (values := _object(line)) is not None]
    return objects if len(objects) > 1 and len(objects) == len(complete) else []


def field_mark(first: str, kind: str, column: str | None) -> str:
    """What separates the fields of CSV or TSV: where the first row then names the column, or else what the kind says.

    Args:
        first: the first row.
        kind: `CSV` or `TSV`.
        column: the column with the text; None for one of the usual names.
    """
    usual = "\t" if kind == TSV else ","
    wanted = TEXT_COLUMNS if column is None else (column,)
    return next((mark for mark in usual + MARKS if any(each in _fields(first, mark) for each in wanted)), usual)


def has_text_column(beginning: str, kind: str, is_whole: bool, column: str | None) -> bool:
    """Whether the first record of a text names a column with the text; true where it is not known yet."""
    first, feed, _ = beginning.partition("\n")
    if not feed and not is_whole:
        return True
    if kind == JSON_LINES:
        return column_of_lines(beginning + ("\n" if is_whole else ""), column) is not None
    wanted = TEXT_COLUMNS if column is None else (column,)
    return any(each in _fields(first.rstrip("\r"), mark) for each in wanted for mark in MARKS)


def column_of_lines(beginning: str, column: str | None) -> str | None:
    """The column of JSON lines that holds the text, by the complete lines of their beginning; None if none has it."""
    return column_of_objects(map(_object, beginning.split("\n")[:-1]), column) or None


def column_of_objects(objects: Iterable[object], column: str | None) -> str:
    """The column with the text of the first objects that has one; "" if none has. What is no object has none."""
    wanted = TEXT_COLUMNS if column is None else (column,)
    texts = (
        [each for each in wanted if isinstance(values.get(each), str)] for values in objects if isinstance(values, dict)
    )
    return next(filter(None, texts), [""])[0]


def refuse_numbers(beginning: str, is_whole: bool, kind: str, column: str, name: str) -> None:
    """Refuses CSV or TSV if the first rows have nothing but numbers in the column that the user has chosen.

    Args:
        beginning: the first characters of the file.
        is_whole: whether that is all of it; if not, the last row is left out.
        kind: `CSV` or `TSV`.
        column: the column.
        name: the name of the file in messages.

    Raises:
        SourceError: they have.
    """
    mark = field_mark(beginning.partition("\n")[0].rstrip("\r"), kind, column)
    rows = csv.reader(
        io.StringIO(beginning if is_whole else beginning[: beginning.rfind("\n") + 1], newline=""), delimiter=mark
    )
    with contextlib.suppress(csv.Error):
        names = next(rows, [])
        if column not in names:
            return
        place = names.index(column)
        n_numbers = 0
        for row in rows:
            if len(row) > place and row[place] and not _NUMBER.fullmatch(row[place]):
                return
            n_numbers += len(row) > place and bool(row[place])
        if n_numbers:
            text_column({each: each != column for each in names}, column, name)


def suffix_of(name: str) -> str:
    """The suffix of a name in lower case, without that of a compression.

    >>> suffix_of("corpus.JSONL.gz")
    '.jsonl'
    """
    stem, suffix = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if suffix in _PACKED_SUFFIXES else suffix


def text_column(columns: Mapping[str, bool], column: str | None, name: str) -> str:
    """The name of the column with the text.

    Args:
        columns: the names of all columns, each with whether it holds text, as far as that is known.
        column: the column that the user has chosen; None to find one.
        name: the name of the file in messages.

    Raises:
        SourceError: there is no such column, or it holds no text.
    """
    if column is not None:
        if column not in columns:
            raise SourceError(f"{name} has no column {column!r}: choose one of {_names(list(columns))} with --column")
        if not columns[column]:
            raise SourceError(f"The column {column!r} of {name} holds no text: {_ways(columns)}")
        return column
    found = next((each for each in TEXT_COLUMNS if columns.get(each)), None)
    if found is None:
        raise SourceError(
            f"{name} has no column named {', '.join(TEXT_COLUMNS[:-1])} or {TEXT_COLUMNS[-1]} that holds text: "
            f"{_ways(columns)}"
        )
    return found


def _ways(columns: Mapping[str, bool]) -> str:
    texts = [each for each, is_text in columns.items() if is_text]
    return f"name the column with --column, such as {_names(texts)}" if texts else "none of its columns does"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(each[:60]) for each in names[:_MOST_NAMES])
    return shown + (f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else "")


def _object(line: str) -> dict[str, Any] | None:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _fields(line: str, mark: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line, newline=""), delimiter=mark), [])
    except csv.Error:
        return []
