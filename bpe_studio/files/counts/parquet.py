"""Counts as a Parquet table: `piece: binary, count: int64`, with the head among the metadata of the
file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.errors import SourceError
from bpe_studio.files.counts.head import Head, head_text, read_head
from bpe_studio.files.extras import needed
from bpe_studio.files.own_marks import COUNTS_KEY
from bpe_studio.files.records.arrow_tables import arrow_errors
from bpe_studio.files.records.recognition import PARQUET

_ROWS = 1 << 14


def write_parquet(stream: IO[bytes], counter: Counter, name: str) -> None:
    """Write a counter as a Parquet table.

    Raises:
        SourceError: pyarrow is not installed.
    """
    arrow, parquet = _modules(name)
    head = head_text(counter).encode()
    schema = arrow.schema(
        [("piece", arrow.binary()), ("count", arrow.int64())], metadata={COUNTS_KEY: head}
    )
    words = counter.words()
    with parquet.ParquetWriter(stream, schema) as writer:
        for low in range(0, len(words.counts), _ROWS):
            counts = words.counts[low : low + _ROWS]
            offsets = words.offsets[low : low + len(counts) + 1]
            content = words.blob[offsets[0] : offsets[-1]].tobytes()
            places = (offsets - offsets[0]).astype(np.int64)
            pieces = arrow.LargeBinaryArray.from_buffers(
                arrow.large_binary(),
                len(counts),
                [None, arrow.py_buffer(places.tobytes()), arrow.py_buffer(content)],
            )
            writer.write_batch(
                arrow.record_batch(
                    [pieces.cast(arrow.binary()), arrow.array(counts, arrow.int64())], schema=schema
                )
            )


def read_parquet(stream: IO[bytes], name: str) -> Iterator[Head | Words]:
    """The head of a table, if it has one, and its rows.

    Raises:
        SourceError: it is no table of pieces and counts.
    """
    arrow, parquet = _modules(name)
    with arrow_errors(arrow, PARQUET, name):
        table = parquet.ParquetFile(stream, buffer_size=1 << 20, pre_buffer=False)
        kinds = {field.name: str(field.type) for field in table.schema_arrow}
        if kinds.get("piece") not in ("binary", "large_binary") or kinds.get("count") != "int64":
            raise SourceError(
                f"{name} is not a table of counts: it needs the columns piece (binary) and count"
                " (int64), and has"
                f" {', '.join(f'{each} ({kind})' for each, kind in list(kinds.items())[:10])}"
            )
        about = (table.schema_arrow.metadata or {}).get(COUNTS_KEY)
        if about is not None:
            yield read_head(about, name)
        n_before = 0
        for batch in table.iter_batches(_ROWS, columns=["piece", "count"], use_threads=False):
            batch.validate(full=True)
            if any(column.null_count for column in batch.columns):
                raise SourceError(
                    f"{name} has rows without a piece or a count: make the table again"
                )
            pieces = batch.column(0).cast(arrow.large_binary())
            counts = batch.column(1).to_numpy()
            _, places, content = pieces.buffers()
            offsets = np.frombuffer(places, np.int64)[
                pieces.offset : pieces.offset + len(pieces) + 1
            ]
            wrong = np.flatnonzero((np.diff(offsets) == 0) | (counts < 0))
            if len(wrong):
                row = int(wrong[0])
                raise SourceError(
                    f"Row {n_before + row + 1:,} of {name} is {pieces[row].as_py()!r:.60} with"
                    f" count {counts[row]}: it is not a count"
                )
            n_before += len(pieces)
            blob = np.frombuffer(content or b"", np.uint8)[offsets[0] : offsets[-1]]
            yield Words(blob, offsets - offsets[0], counts)


def _modules(name: str) -> tuple[Any, Any]:
    what = f"{name} is a Parquet table"
    return needed("pyarrow", what), needed("pyarrow.parquet", what)
