"""Counts as a Parquet table: `piece: binary, count: int64`, with the head among the metadata of the
file. With superwords, a column `stage: int8` says of which stage a piece is, 1 or 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import numpy as np

from bpe_studio.engine.counting.counter import Counter
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.errors import SourceError
from bpe_studio.files.counts.head import Head, Rows, head_text, read_head
from bpe_studio.files.extras import needed
from bpe_studio.files.own_marks import COUNTS_KEY
from bpe_studio.files.records.arrow_tables import arrow_errors, offsets_of
from bpe_studio.files.records.recognition import PARQUET

_ROWS = 1 << 14


def write_parquet(stream: IO[bytes], counter: Counter, name: str) -> None:
    """Write a counter as a Parquet table.

    Raises:
        SourceError: pyarrow is not installed.
    """
    arrow, parquet = _modules(name)
    head = head_text(counter).encode()
    tables = counter.tables()
    columns = [("piece", arrow.binary()), ("count", arrow.int64())]
    if len(tables) > 1:
        columns.append(("stage", arrow.int8()))
    schema = arrow.schema(columns, metadata={COUNTS_KEY: head})
    with parquet.ParquetWriter(stream, schema) as writer:
        for stage, words in enumerate(tables, 1):
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
                values = [pieces.cast(arrow.binary()), arrow.array(counts, arrow.int64())]
                if len(tables) > 1:
                    values.append(arrow.array(np.full(len(counts), stage, np.int8)))
                writer.write_batch(arrow.record_batch(values, schema=schema))


def read_parquet(stream: IO[bytes], name: str) -> Iterator[Head | Rows]:
    """The head of a table, if it has one, and its rows.

    Raises:
        SourceError: it is not a table of pieces and counts.
    """
    arrow, parquet = _modules(name)
    with arrow_errors(arrow, PARQUET, name):
        table = parquet.ParquetFile(stream, buffer_size=1 << 20, pre_buffer=False)
        kinds = {field.name: str(field.type) for field in table.schema_arrow}
        if kinds.get("piece") not in ("binary", "large_binary") or kinds.get("count") != "int64":
            columns = [f"{each} ({kind})" for each, kind in kinds.items()]
            raise SourceError(
                f"{name} is not a table of counts: it needs the columns piece (binary) and count"
                f" (int64), and has {', '.join(columns[:10])}"
            )
        about = (table.schema_arrow.metadata or {}).get(COUNTS_KEY)
        if about is not None:
            yield read_head(about, name)
        columns = ["piece", "count"]
        if "stage" in kinds:
            if not arrow.types.is_integer(table.schema_arrow.field("stage").type):
                raise SourceError(
                    f"The column stage of {name} is {kinds['stage']}, which is no integer: make the"
                    " table again"
                )
            columns.append("stage")
        n_before = 0
        for batch in table.iter_batches(_ROWS, columns=columns, use_threads=False):
            batch.validate(full=True)
            if any(column.null_count for column in batch.columns):
                raise SourceError(
                    f"{name} has rows without a piece or a count: make the table again"
                )
            words = _words_of(batch, arrow)
            wrong = np.flatnonzero((np.diff(words.offsets) == 0) | (words.counts < 0))
            if len(wrong):
                row = int(wrong[0])
                raise SourceError(
                    f"Row {n_before + row + 1:,} of {name} is {batch[0][row].as_py()!r:.60} with"
                    f" count {words.counts[row]}: it is not a count"
                )
            n_before += len(batch)
            if len(columns) == 2:
                yield Rows(0, words)
                continue
            stages = batch.column(2).to_numpy()
            if stages.min(initial=1) < 1 or stages.max(initial=1) > 2:
                raise SourceError(f"{name} has a stage that is not 1 or 2: make the table again")
            for stage in (1, 2):
                own = batch.filter(arrow.array(stages == stage))
                yield Rows(stage - 1, _words_of(own, arrow))


def _words_of(batch: Any, arrow: Any) -> Words:
    pieces = batch.column(0).cast(arrow.large_binary())
    offsets = offsets_of(pieces)
    content = pieces.buffers()[2] or b""
    blob = np.frombuffer(content, np.uint8)[offsets[0] : offsets[-1]]
    return Words(blob, offsets - offsets[0], batch.column(1).to_numpy())


def _modules(name: str) -> tuple[Any, Any]:
    what = f"{name} is a Parquet table"
    return needed("pyarrow", what), needed("pyarrow.parquet", what)
