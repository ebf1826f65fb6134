"""Reads the columns and the first rows of a file with records, so that a person can choose the
column with the text.

It is given a stream at the beginning of the file, as the readers are. Nothing is read beyond the
first rows.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from typing import IO, Any

from bpe_studio.files.extras import needed
from bpe_studio.files.records.arrow_tables import arrow_errors, arrow_reader, is_text
from bpe_studio.files.records.recognition import (
    ARROW_FILE,
    JSON_ARRAY,
    JSON_LINES,
    PARQUET,
    field_mark,
    values_of,
)
from bpe_studio.files.records.text_columns import TEXT_COLUMNS

MOST_ROWS = 20
MOST_COLUMNS = 200
MOST_CHARACTERS = 2000
_NUMBER = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", re.ASCII)


@dataclass(frozen=True)
class Column:
    """A column of a file.

    Attributes:
        name: its name.
        kind: what it holds, such as "text" or "int64".
        is_text: whether it can be read as the text.
        cells: the first rows; `None` where a row has no value, or the column is not text.
    """

    name: str
    kind: str
    is_text: bool
    cells: tuple[str | None, ...]


def best_column(columns: tuple[Column, ...]) -> tuple[int, bool]:
    """The number of the column that is probably the text (-1 for none), and whether that is
    certain.

    It is certain if exactly one column of text has one of the usual names.
    """
    names = {column.name: number for number, column in enumerate(columns) if column.is_text}
    usual = [names[name] for name in TEXT_COLUMNS if name in names]
    if usual:
        return usual[0], len(usual) == 1
    sizes = {}
    for number in names.values():
        sizes[number] = sum(len(cell or "") for cell in columns[number].cells)
    return max(sizes, key=sizes.__getitem__, default=-1), False


def columns_of_text(
    beginning: str, is_whole: bool, kind: str, column: str | None
) -> tuple[Column, ...]:
    """The columns of JSON lines, a JSON array, CSV or TSV; none if not even the first record is
    complete.

    Args:
        beginning: the first characters of the file.
        is_whole: whether that is all of it; if not, the last line is left out.
        kind: `JSON_LINES`, `JSON_ARRAY`, `CSV` or `TSV`.
        column: the column that the user has chosen; `None` for none.
    """
    if kind in (JSON_LINES, JSON_ARRAY):
        values = values_of(beginning, is_whole, kind)
        objects = [each for each in values if isinstance(each, dict)]
        return _of_objects(objects)
    return _of_fields(beginning, kind, is_whole, column)


def _of_objects(rows: list[dict[str, Any]]) -> tuple[Column, ...]:
    found = []
    for name in dict.fromkeys(chain.from_iterable(rows)):
        values = [row.get(name) for row in rows]
        given = [value for value in values if value is not None]
        is_text = any(isinstance(value, str) for value in given)
        kind = "nothing"
        if is_text:
            kind = "text"
        elif given:
            kind = _KINDS.get(type(given[0]), "nothing")
        cells = tuple(map(_cell_if_any, values[:MOST_ROWS]))
        found.append(Column(name, kind, is_text, cells))
    return tuple(found)


_KINDS = {
    str: "text",
    bool: "true or false",
    int: "numbers",
    float: "numbers",
    list: "lists",
    dict: "objects",
}


def _of_fields(text: str, kind: str, is_whole: bool, column: str | None) -> tuple[Column, ...]:
    rows: list[list[str]] = []
    try:
        mark = field_mark(text.partition("\n")[0].rstrip("\r"), kind, column)
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark):
            if row:
                rows.append(row)
            if len(rows) > MOST_ROWS:
                break
        else:
            if not is_whole and rows:
                rows.pop()  # it may be cut
    except csv.Error:
        pass  # what was read so far
    if not rows:
        return ()
    columns = []
    for name, *cells in zip_longest(*rows):
        if name is None:
            break  # what follows is under no name
        columns.append(Column(name, "text", True, tuple(map(_cell_if_any, cells))))
    return tuple(columns)


def holds_numbers(column: Column) -> bool:
    """Whether the first rows have nothing but numbers in a column."""
    cells = [cell for cell in column.cells if cell]
    return bool(cells) and all(map(_NUMBER.fullmatch, cells))


def columns_of_table(stream: IO[bytes], kind: str, name: str) -> tuple[Column, ...]:
    """The columns of a Parquet or Arrow table; only those of text have cells.

    Args:
        stream: the file; it can be read at any place.
        kind: `PARQUET`, `ARROW_FILE` or `ARROW_STREAM`.
        name: the name of the file in messages.

    Raises:
        SourceError: pyarrow is not installed, or the file is damaged.
    """
    arrow = needed("pyarrow", f"{name} is {kind}")
    with arrow_errors(arrow, kind, name):
        if kind == PARQUET:
            table = needed("pyarrow.parquet", name).ParquetFile(stream, pre_buffer=False)
            schema = table.schema_arrow
            texts = [field.name for field in schema if is_text(field.type)][:MOST_COLUMNS]
            batch = None
            if texts and table.metadata.num_rows:
                batch = next(table.iter_batches(MOST_ROWS, columns=texts, use_threads=False), None)
        else:
            with arrow_reader(arrow, stream, kind) as reader:
                schema = reader.schema
            texts = [field.name for field in schema if is_text(field.type)][:MOST_COLUMNS]
            with arrow_reader(arrow, stream, kind, list(map(schema.names.index, texts))) as reader:
                if not texts:
                    batch = None
                elif kind == ARROW_FILE:
                    batch = reader.get_batch(0) if reader.num_record_batches else None
                else:
                    batch = next(iter(reader), None)
        found = []
        for field in islice(schema, MOST_COLUMNS):
            cells: tuple[str | None, ...] = ()
            if field.name in texts and batch is not None:
                values = batch.column(batch.schema.names.index(field.name)).slice(0, MOST_ROWS)
                values.validate(full=True)
                cells = tuple(map(_cell_if_any, values.to_pylist()))
            has_text = field.name in texts
            type_name = "text" if has_text else str(field.type)[:40]
            found.append(Column(field.name, type_name, has_text, cells))
        return tuple(found)


def _cell_if_any(value: object) -> str | None:
    return None if value is None else _cell(value)


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        value = value[: 4 * MOST_CHARACTERS].decode("utf-8", "replace")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:MOST_CHARACTERS]
