"""Tells whether a file holds records, by its first bytes, then by its name; and finds the column
that holds the text.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from bpe_studio.errors import SourceError
from bpe_studio.files.records.json_array import complete_elements, inside
from bpe_studio.files.records.text_columns import TEXT_COLUMNS

PARQUET = "a Parquet table"
ARROW_FILE = "an Arrow file"
ARROW_STREAM = "an Arrow stream"
JSON_LINES = "JSON lines"
JSON_ARRAY = "a JSON array"
CSV = "CSV"
TSV = "TSV"
MARKS = ",;\t|"
"""The characters that may separate the fields of a row."""
_PARQUET_START = re.compile(rb"PAR[1E].{0,3}[\x00-\x08\x0e-\x1a\x1c-\x1f]", re.DOTALL)
"""The mark and a header or a length, which have control characters: "PARENTS" begins a text."""
_STREAM_START = b"\xff\xff\xff\xff"
_LINE_SUFFIXES = (".jsonl", ".ndjson", ".jl")
_SEPARATED_SUFFIXES = {".csv": CSV, ".tsv": TSV, ".tab": TSV}
_PACKED_SUFFIXES = (".gz", ".bz2", ".xz", ".lzma", ".zst", ".zstd")
_FEW_LINES = 20
_MOST_NAMES = 20
_TEXT_MEMBER = re.compile(rf'"(?:{"|".join(TEXT_COLUMNS)})"\s*:')
_RECORD = re.compile(r"\s*(?:\[\s*)?\{")
_ARRAY = re.compile(r"\s*\[\s*\{")
_OBJECT = re.compile(r"[ \t\n\r]*\{")


def binary_kind(head: bytes) -> str:
    """The kind of a table in a binary format, by its first bytes; "" for none."""
    if _PARQUET_START.match(head):
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
        column: the column that the user has chosen; `None` for none.
    """
    suffix = suffix_of(name)
    if suffix in _SEPARATED_SUFFIXES:
        return _SEPARATED_SUFFIXES[suffix]
    kind, objects = objects_of(beginning, is_whole)
    if suffix in _LINE_SUFFIXES:
        return kind or JSON_LINES
    if objects and (column is not None or column_of_objects(objects, None)):
        return kind
    first = beginning.partition("\n")[0]
    if column is not None and first:
        return next(
            (kind for kind, mark in ((TSV, "\t"), (CSV, ",")) if column in _fields(first, mark)), ""
        )
    return ""


def objects_of(beginning: str, is_whole: bool) -> tuple[str, list[dict[str, Any]]]:
    """`JSON_LINES` or `JSON_ARRAY`, and the objects at the beginning of a text; "" and none for any
    other text.

    It holds them if it begins with an array of objects, or if most of its first lines are objects,
    two at least.
    """
    kind = JSON_ARRAY if _ARRAY.match(beginning) else JSON_LINES
    first = list(islice(values_of(beginning, is_whole, kind), _FEW_LINES))
    objects = [values for values in first if isinstance(values, dict)]
    if 2 * len(objects) > len(first) and (kind == JSON_ARRAY or len(objects) > 1):
        return kind, objects
    return "", []


def values_of(beginning: str, is_whole: bool, kind: str) -> Iterator[object]:
    """The values of the complete lines of JSON lines, `None` for one that is not an object, or the
    elements of a JSON array.

    Args:
        beginning: the first characters of a file.
        is_whole: whether that is all of it; if not, the last line is left out.
        kind: `JSON_LINES` or `JSON_ARRAY`.
    """
    if kind == JSON_ARRAY:
        return (value for value, _ in complete_elements(inside(beginning))[0])
    lines = beginning.split("\n")
    if not is_whole:
        lines.pop()
    return map(_object, filter(str.strip, lines))


def needs_more(beginning: str) -> bool:
    """Whether the beginning of a text is that of an object, and too short to have all of it."""
    if not _RECORD.match(beginning):
        return False
    kind = JSON_ARRAY if _ARRAY.match(beginning) else JSON_LINES
    return not any(True for _ in values_of(beginning, False, kind))


def is_other_json(beginning: str) -> bool:
    """Whether a text that is not recognized as records looks like JSON with texts in it."""
    return beginning.lstrip()[:1] in ("{", "[") and _TEXT_MEMBER.search(beginning) is not None


def field_mark(first: str, kind: str, column: str | None) -> str:
    """The separator of fields in CSV or TSV: one by which the first row names the column, or else
    that of the kind.

    Args:
        first: the first row.
        kind: `CSV` or `TSV`.
        column: the column with the text; `None` for one of the usual names.
    """
    usual = "\t" if kind == TSV else ","
    wanted = TEXT_COLUMNS if column is None else (column,)
    for mark in usual + MARKS:
        fields = _fields(first, mark)
        if any(each in fields for each in wanted):
            return mark
    return usual


def column_of_lines(beginning: str, column: str | None) -> str | None:
    """The column of JSON lines that holds the text, by the complete lines of their beginning;
    `None` if no line has it.
    """
    return column_of_objects(map(_object, beginning.split("\n")[:-1]), column) or None


def column_of_objects(objects: Iterable[object], column: str | None) -> str:
    """The column with the text, in the first object that has one; "" if none has.

    Values that are not objects have none.
    """
    wanted = TEXT_COLUMNS if column is None else (column,)
    for values in objects:
        if isinstance(values, dict):
            for name in wanted:
                if isinstance(values.get(name), str):
                    return name
    return ""


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
        column: the column that the user has chosen; `None` to find one.
        name: the name of the file in messages.

    Raises:
        SourceError: there is no such column, or it holds no text.
    """
    if column is not None:
        if column not in columns:
            raise SourceError(
                f"{name} has no column {column!r}: choose one of {_names(list(columns))} with"
                " --column"
            )
        if not columns[column]:
            raise SourceError(f"The column {column!r} of {name} contains no text: {_ways(columns)}")
        return column
    found = next((each for each in TEXT_COLUMNS if columns.get(each)), None)
    if found is None:
        raise SourceError(
            f"{name} has no column named {', '.join(TEXT_COLUMNS[:-1])} or {TEXT_COLUMNS[-1]} that"
            f" contains text: {_ways(columns)}"
        )
    return found


def _ways(columns: Mapping[str, bool]) -> str:
    texts = [each for each, is_text in columns.items() if is_text]
    if not texts:
        return "none of its columns does"
    return f"name the column with --column, such as {_names(texts)}"


def _names(names: Sequence[str]) -> str:
    shown = ", ".join(repr(each[:60]) for each in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _object(line: str) -> dict[str, Any] | None:
    # Most lines of plain text are no objects, and json takes ten times as long to say so.
    if _OBJECT.match(line) is None:
        return None
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
