"""Reads the columns and the first rows of a file with records, so that a person can choose the column with the text.

It is given a stream at the beginning of the file, as the readers are. Nothing is read beyond the first rows.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import IO

from bpe_studio.files.records.arrow_tables import arrow_errors, arrow_reader, is_text, needed
from bpe_studio.files.records.recognition import (
    ARROW_FILE,
    JSON_ARRAY,
    JSON_LINES,
    PARQUET,
    TEXT_COLUMNS,
    field_mark,
    values_of,
)

MOST_ROWS, MOST_COLUMNS, MOST_CHARACTERS = 20, 200, 2000


@dataclass(frozen=True)
class Column:
    """A column of a file.

    Attributes:
        name: its name.
        kind: what it holds, such as "text" or "int64".
        is_text: whether it can be read as the text.
        cells: the first rows; None where a row has no value, or the column is not text.
    """

    name: str
    kind: str
    is_text: bool
    cells: tuple[str | None, ...]


def best_column(columns: tuple[Column, ...]) -> tuple[int, bool]:
    """The number of the column that is probably the text (-1 for none), and whether that is certain.

    It is certain if exactly one column of text has one of the usual names.
    """
    names = {column.name: number for number, column in enumerate(columns) if column.is_text}
    usual = [names[name] for name in TEXT_COLUMNS if name in names]
    if usual:
        return usual[0], len(usual) == 1
    return max(names.values(), key=lambda number: _length(columns[number]), default=-1), False


def _length(column: Column) -> int:
    return sum(len(cell or "") for cell in column.cells)


def columns_of_text(beginning: str, is_whole: bool, kind: str) -> tuple[Column, ...]:
    """The columns of JSON lines, a JSON array, CSV or TSV.

    Args:
        beginning: the first characters of the file.
        is_whole: whether that is all of it; if not, the last line is left out.
        kind: `JSON_LINES`, `JSON_ARRAY`, `CSV` or `TSV`.
    """
    if kind in (JSON_LINES, JSON_ARRAY):
        return _of_objects(values_of(beginning, is_whole, kind))
    return _of_fields(beginning, kind, is_whole)


def _of_objects(values_of_records: Iterable[object]) -> tuple[Column, ...]:
    rows = list(islice((values for values in values_of_records if isinstance(values, dict)), MOST_ROWS))
    names = list(dict.fromkeys(name for row in rows for name in row))[:MOST_COLUMNS]
    found = []
    for name in names:
        values = [row.get(name) for row in rows]
        given = next((value for value in values if value is not None), None)
        cells = tuple(None if value is None else _cell(value) for value in values)
        found.append(Column(name, _KINDS.get(type(given), "nothing"), isinstance(given, str), cells))
    return tuple(found)


_KINDS = {str: "text", bool: "true or false", int: "numbers", float: "numbers", list: "lists", dict: "objects"}


def _of_fields(text: str, kind: str, is_whole: bool) -> tuple[Column, ...]:
    rows: list[list[str]] = []
    try:
        mark = field_mark(text.partition("\n")[0].rstrip("\r"), kind, None)
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark):
            if row:
                rows.append(row)
            if len(rows) > MOST_ROWS:
                break
        else:
            if not is_whole and len(rows) > 1:
                rows.pop()  # it may be cut
    except csv.Error:
        pass  # what was read so far
    if not rows:
        return ()
    return tuple(
        Column(name, "text", True, tuple(_cell(row[number]) if number < len(row) else None for row in rows[1:]))
        for number, name in enumerate(rows[0][:MOST_COLUMNS])
    )


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
            batches = table.iter_batches(MOST_ROWS, columns=texts, use_threads=False) if texts else iter(())
            batch = next(batches, None) if table.metadata.num_rows else None
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
                cells = tuple(None if value is None else _cell(value) for value in values.to_pylist())
            found.append(
                Column(field.name, "text" if field.name in texts else str(field.type)[:40], field.name in texts, cells)
            )
        return tuple(found)


def _cell(value: object) -> str:
    if isinstance(value, bytes):
        value = value[: 4 * MOST_CHARACTERS].decode("utf-8", "replace")
    return (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:MOST_CHARACTERS]
