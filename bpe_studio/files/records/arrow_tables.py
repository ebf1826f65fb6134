"""Reads Parquet, and Arrow files and streams, batch by batch, with pyarrow if it is installed.

The bytes of a batch are passed on as Arrow holds them; no text becomes an object of Python. Files
are hostile until they are read: offsets are validated before they are used.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import IO, Any

import numpy as np

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.errors import SourceError
from bpe_studio.files.extras import needed
from bpe_studio.files.records.broken_records import MAX_RECORD_BYTES, MOST_NAMED, RecordCount
from bpe_studio.files.records.pieces import NOTHING, Piece
from bpe_studio.files.records.recognition import ARROW_FILE, ARROW_STREAM, PARQUET, text_column

BATCH_BYTES = 4 << 20
_MOST_ROWS = 1 << 13
_FIRST_ROWS = 1 << 6
_BUFFER_BYTES = 1 << 20
_MOST_REPEATED_BYTES = 64 << 20
"""The most bytes of the rows of a batch if each is the longest text of a dictionary, which is
stored once.
"""
_PARTS = 1 << 10
_ARROW_END = b"ARROW1"


def read_table(
    stream: IO[bytes],
    kind: str,
    column: str | None,
    name: str,
    count: RecordCount,
    refuse: Callable[[int], None],
) -> Iterator[Piece]:
    """The texts of a table, each a document.

    Args:
        stream: the file; it can be read at any place.
        kind: `PARQUET`, `ARROW_FILE` or `ARROW_STREAM`.
        column: the column with the text; `None` to find it.
        name: the name of the file in messages.
        count: counts the records.
        refuse: raises an error if the texts have too many bytes.

    Raises:
        SourceError: pyarrow is not installed, the file is damaged or encrypted, or there is no such
            column.
    """
    arrow = needed("pyarrow", f"{name} is {kind}")
    with arrow_errors(arrow, kind, name):
        if kind == PARQUET:
            columns = _parquet_columns(arrow, stream, column, name, count, refuse)
        else:
            columns = _arrow_columns(arrow, stream, kind, column, name, count)
        for values in columns:
            n_rows = min(_PARTS, _most_rows(arrow, values))
            for start in range(0, len(values), n_rows):
                yield from _pieces(arrow, values.slice(start, n_rows), count)


def arrow_reader(arrow: Any, stream: IO[bytes], kind: str, fields: list[int] | None = None) -> Any:
    """Opens an Arrow file or stream at its beginning.

    Args:
        arrow: the module pyarrow.
        stream: the file; it can be read at any place.
        kind: `ARROW_FILE` or `ARROW_STREAM`.
        fields: the columns that its batches are to have; of a file, no others are read. `None` for
            all.

    Raises:
        ArrowInvalid: it was cut, or is damaged.
    """
    options = arrow.ipc.IpcReadOptions(included_fields=fields)
    if kind == ARROW_STREAM:
        stream.seek(0)
        return arrow.ipc.open_stream(stream, options=options)
    # WORKAROUND: https://github.com/apache/arrow/issues/34314. The footer is read by a thread of
    # pyarrow's own, which may end the process with an abort if Python exits at once, as a command
    # does after an error.
    stream.seek(-len(_ARROW_END), os.SEEK_END)
    if stream.read() != _ARROW_END:
        raise arrow.ArrowInvalid("its end is missing")
    return arrow.ipc.open_file(stream, options=options)


def _parquet_columns(
    arrow: Any,
    stream: IO[bytes],
    column: str | None,
    name: str,
    count: RecordCount,
    refuse: Callable[[int], None],
) -> Iterator[Any]:
    parquet = needed("pyarrow.parquet", f"{name} is a Parquet table")
    opened = partial(
        parquet.ParquetFile,
        stream,
        buffer_size=_BUFFER_BYTES,
        pre_buffer=False,
        page_checksum_verification=False,
    )
    table = opened()
    found = _chosen(table.schema_arrow, column, name)
    count.column = found
    place = next(i for i in range(len(table.schema)) if table.schema.column(i).path == found)
    dictionaries = opened(read_dictionary=[found])
    groups = [table.metadata.row_group(group) for group in range(table.num_row_groups)]
    refuse(sum(group.total_byte_size for group in groups))
    for number, about in enumerate(groups):
        # What is encrypted is an error here; the metadata of such a column would end the process.
        first = next(dictionaries.iter_batches(1, [number], [found], use_threads=False), None)
        mean = about.column(place).total_uncompressed_size // max(1, about.num_rows)
        most_rows = _FIRST_ROWS if mean > 1 << 10 else _MOST_ROWS
        rows = min(most_rows, BATCH_BYTES // max(1, mean))
        if first is not None:
            rows = min(rows, _most_rows(arrow, first.column(0)))
        n_rows = 0
        for batch in table.iter_batches(max(1, rows), [number], [found], use_threads=False):
            n_rows += batch.num_rows
            yield batch.column(0)
        if n_rows != about.num_rows:
            raise SourceError(
                f"{name} says that it has {about.num_rows:,} rows where {n_rows:,} are: it is"
                " damaged; save it again from the original"
            )


def _arrow_columns(
    arrow: Any, stream: IO[bytes], kind: str, column: str | None, name: str, count: RecordCount
) -> Iterator[Any]:
    with arrow_reader(arrow, stream, kind) as table:
        count.column = _chosen(table.schema, column, name)
        number = table.schema.names.index(count.column)
    with arrow_reader(arrow, stream, kind, [number]) as table:
        batches = table
        if kind == ARROW_FILE:
            batches = map(table.get_batch, range(table.num_record_batches))
        for batch in batches:
            yield batch.column(0)


def _chosen(schema: Any, column: str | None, name: str) -> str:
    columns = {field.name: is_text(field.type) for field in schema}
    return text_column(columns, column, name)


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is text, or bytes that may be text."""
    kind = getattr(kind, "value_type", kind) if str(kind).startswith("dictionary") else kind
    return str(kind) in (
        "string",
        "large_string",
        "string_view",
        "binary",
        "large_binary",
        "binary_view",
    )


def _most_rows(arrow: Any, values: Any) -> int:
    """The most rows of an array that may be read together: few, if a long text of its dictionary
    may be in each.
    """
    if not arrow.types.is_dictionary(values.type) or not len(values.dictionary):
        return _MOST_ROWS
    values.dictionary.validate(full=True)
    longest = int(np.diff(offsets_of(values.dictionary.cast(arrow.large_binary()))).max())
    return max(1, _MOST_REPEATED_BYTES // max(1, longest))


def _pieces(arrow: Any, values: Any, count: RecordCount) -> Iterator[Piece]:
    """The texts of some rows."""
    first = count.n_records
    if arrow.types.is_dictionary(values.type):
        values.validate(full=True)
        values = values.dictionary_decode()
    # Texts as bytes, so that only the offsets are validated; the bytes are below.
    if values.type == arrow.string():
        values = values.view(arrow.binary())
    elif values.type == arrow.large_string():
        values = values.view(arrow.large_binary())
    values.validate(full=True)
    values = values.cast(arrow.large_binary())
    if not len(values):
        return
    count.add(len(values))
    lengths = np.diff(offsets_of(values))
    has_text = values.is_valid().to_numpy(zero_copy_only=False)
    is_read = has_text & (lengths <= MAX_RECORD_BYTES)
    broken = np.flatnonzero(~is_read)
    for row in broken[:MOST_NAMED].tolist():
        why = "has no text (null)"
        if has_text[row]:
            why = f"is longer than {MAX_RECORD_BYTES >> 20} MB"
        count.name_broken(first + row + 1, why)
    count.n_broken += len(broken[MOST_NAMED:])
    if not is_read.all():
        values = values.filter(arrow.array(is_read))
    if not len(values):
        yield NOTHING
        return
    records = np.flatnonzero(is_read) + first + 1
    offsets = offsets_of(values)
    data = values.buffers()[2]
    start = 0
    while start < len(values):
        enough = int(np.searchsorted(offsets, offsets[start] + BATCH_BYTES, "right")) - 1
        end = max(start + 1, enough)
        content = b""
        if data is not None:
            content = data[int(offsets[start]) : int(offsets[end])].to_pybytes()
        piece = _as_utf8(content, offsets[start + 1 : end + 1] - offsets[start], count)
        yield piece._replace(records=records[start:end].tolist())
        start = end


def offsets_of(values: Any) -> Int64Array:
    """(n + 1,) int64, the start of each text of an array of large_binary in its data, and the end.

    An empty array that was read from a file may lack them.
    """
    offsets = np.frombuffer(values.buffers()[1], np.int64)
    return offsets[values.offset : values.offset + len(values) + 1]


def _as_utf8(content: bytes, ends: Any, count: RecordCount) -> Piece:
    """The texts as UTF-8; invalid bytes as lone surrogates of three bytes."""
    with contextlib.suppress(UnicodeDecodeError):
        content.decode()
        inner = ends[ends < len(content)]
        if not (np.frombuffer(content, np.uint8)[inner] & 0xC0 == 0x80).any():
            return Piece(content, ends.tolist())
    texts = []
    start = 0
    size = 0
    new_ends = []
    for end in ends.tolist():
        decoded = content[start:end].decode("utf-8", "surrogateescape")
        text = decoded.encode("utf-8", "surrogatepass")
        if len(text) != end - start:
            count.n_invalid += 1
        texts.append(text)
        size += len(text)
        new_ends.append(size)
        start = end
    return Piece(b"".join(texts), new_ends)


@contextlib.contextmanager
def arrow_errors(arrow: Any, kind: str, name: str) -> Iterator[None]:
    """Makes errors of pyarrow one sentence."""
    try:
        yield
    except arrow.ArrowMemoryError:
        raise SourceError(
            f"{name} asks for more memory than there is: it is damaged, or too large"
        ) from None
    except (
        arrow.ArrowException,
        OSError,
        OverflowError,
        RecursionError,
        UnicodeDecodeError,
    ) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        reason = str(error).partition("\n")[0][:200]
        if "crypt" in reason:
            raise SourceError(f"{name} is encrypted: save it without encryption") from None
        raise SourceError(
            f"{name} cannot be read as {kind} ({reason}): save it again from the original"
        ) from None
