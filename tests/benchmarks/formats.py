"""Section on the formats of a corpus: counting a file on two cores, and unpacking or parsing it and nothing else."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import bpe_studio as bpe
from tests.benchmarks import texts
from tests.benchmarks.child import timed
from tests.benchmarks.measuring import Bench, call, is_installed
from tests.benchmarks.tables import mib, ratio, table, time_of

MEGABYTES, QUICK_MB = 80.0, 4.0
RECORD_BYTES = 1500
_READ = 1 << 20
_MEMBER_RECORDS = 5000
FORMATS = {
    "txt": "plain text",
    "txt.gz": "plain text in gzip",
    "txt.bz2": "plain text in bzip2",
    "txt.xz": "plain text in xz",
    "txt.zst": "plain text in Zstandard",
    "zip": "files in a zip",
    "tar": "files in a tar",
    "jsonl": "JSON lines",
    "jsonl.gz": "JSON lines in gzip",
    "jsonl.zst": "JSON lines in Zstandard",
    "csv": "CSV",
    "parquet": "Parquet (Snappy)",
    "arrow": "Arrow file",
}


def count_ours(path: str, warm: str) -> dict[str, Any]:
    """Ours: a file to its finished table."""
    config = bpe.TrainingConfig.preset("gpt2", documents="file")
    bpe.Corpus.from_files([warm], config)
    outcome: dict[str, Any] = {}
    with timed(outcome):
        corpus = bpe.Corpus.from_files([path], config)
    return outcome | {"n_words": corpus.n_words, "size_bytes": corpus.size_bytes}


def read_ours(path: str) -> dict[str, Any]:
    """Ours: the texts of a file, not counted."""
    from bpe_studio.files.text.sources import open_source

    outcome: dict[str, Any] = {}
    with timed(outcome):
        for _ in open_source(path).pieces():
            pass
    return outcome


def bare(path: str) -> dict[str, Any]:
    """The libraries: a file unpacked or parsed, and nothing done with it."""
    work = _bare(path)
    outcome: dict[str, Any] = {}
    with timed(outcome):
        work()
    return outcome


def _bare(path: str) -> Callable[[], None]:
    kind = path.rpartition("/")[2].partition(".")[2]
    if kind == "parquet":
        import pyarrow.parquet as parquet

        return lambda: _drain(parquet.ParquetFile(path).iter_batches(columns=["text"], use_threads=False))
    if kind == "arrow":
        import pyarrow as arrow

        return lambda: _drain(batch.column(1) for batch in arrow.ipc.open_stream(path))
    if kind == "zip":
        return lambda: _drain(_members(path))
    if kind == "tar":
        return lambda: _drain(_tar_members(path))
    opened = _opener(kind.rpartition(".")[2])
    if kind.startswith("jsonl"):
        return lambda: _drain(json.loads(line) for line in opened(path))
    if kind == "csv":
        return lambda: _drain(csv.reader(io.TextIOWrapper(opened(path), "utf-8", newline="")))
    return lambda: _drain(iter(partial(opened(path).read, _READ), b""))


def _opener(packing: str) -> Callable[[str], Any]:
    if packing == "zst":
        import zstandard

        return lambda path: io.BufferedReader(zstandard.open(path, "rb"), _READ)
    return {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}.get(packing, partial(open, mode="rb"))


def _drain(things: Iterable[object]) -> None:
    for _ in things:
        pass


def _members(path: str) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            yield archive.read(name)


def _tar_members(path: str) -> Iterator[bytes]:
    with tarfile.open(path) as archive:
        for info in archive:
            stream = archive.extractfile(info)
            assert stream is not None
            yield stream.read()


def formats(bench: Bench) -> str:
    """The same text in every format."""
    source = texts.grown(bench, QUICK_MB if bench.is_quick else MEGABYTES)
    records = list(_records(source.read_text("utf-8")))
    size = source.stat().st_size
    warm = str(texts.warm_text(bench))
    rows = []
    for suffix, name in FORMATS.items():
        if suffix in ("parquet", "arrow") and not is_installed("pyarrow"):
            continue
        if suffix.endswith("zst") and not is_installed("zstandard"):
            continue
        path = bench.folder / f"corpus.{suffix}"
        _write(path, suffix, records)
        jobs = {
            f"{name}, alone": call("formats:bare", path=str(path)),
            f"{name}, read": call("formats:read_ours", path=str(path)),
            f"{name}, counted": call("formats:count_ours", path=str(path), warm=warm),
        }
        measured = bench.measure(jobs)
        path.unlink()
        alone, read, counted = measured.values()
        if counted.failure:
            rows.append([name, counted.failure, *["-"] * 8])
            continue
        rows.append(
            [
                name,
                time_of(counted),
                time_of(alone),
                ratio(counted, alone),
                f"{size / 1e6 / counted.median():.0f}",
                f"{counted.median('cpu_s'):.2f} s",
                f"{alone.median('cpu_s'):.2f} s",
                f"{read.median('cpu_s'):.2f} s",
                f"{max(counted.median('cpu_s') / 2, read.median('cpu_s')) / alone.median('cpu_s'):.2f}",
                mib(counted.median("peak_bytes")),
            ]
        )
    heads = ["format", "counting", "unpacking or parsing alone", "ratio", "MB/s", "processor time of counting"]
    heads += ["of unpacking or parsing", "of reading without counting"]
    heads += ["half of counting, or reading if more, to unpacking or parsing", "peak memory"]
    return f"{size / 1e6:.0f} MB of text in {len(records):,} records, as documents.\n\n" + table(heads, rows)


def _records(text: str) -> Iterator[str]:
    lines: list[str] = []
    size = 0
    for line in text.splitlines(keepends=True):
        lines.append(line)
        size += len(line)
        if size > RECORD_BYTES:
            yield "".join(lines)
            lines, size = [], 0
    if lines:
        yield "".join(lines)


def _write(path: Path, suffix: str, records: list[str]) -> None:
    kind, _, packing = suffix.partition(".")
    if kind == "parquet":
        import pyarrow.parquet as parquet

        parquet.write_table(_arrow_table(records), path, row_group_size=20_000)
        return
    if kind == "arrow":
        import pyarrow as arrow

        made = _arrow_table(records)
        with arrow.ipc.new_stream(path, made.schema) as out:
            out.write_table(made, max_chunksize=10_000)
        return
    parts = [
        "".join(records[start : start + _MEMBER_RECORDS]).encode() for start in range(0, len(records), _MEMBER_RECORDS)
    ]
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
            for number, part in enumerate(parts):
                packed.writestr(f"{number}.txt", part)
        return
    if kind == "tar":
        with tarfile.open(path, "w") as archive:
            for number, part in enumerate(parts):
                info = tarfile.TarInfo(f"{number}.txt")
                info.size = len(part)
                archive.addfile(info, io.BytesIO(part))
        return
    if kind == "jsonl":
        rows = ({"id": number, "text": text} for number, text in enumerate(records))
        parts = [(json.dumps(row, ensure_ascii=False) + "\n").encode() for row in rows]
    elif kind == "csv":
        stream = io.StringIO(newline="")
        writer = csv.writer(stream)
        writer.writerow(["id", "text"])
        writer.writerows(enumerate(records))
        parts = [stream.getvalue().encode()]
    content = b"".join(parts)
    if packing == "zst":
        import zstandard

        content = zstandard.ZstdCompressor(3).compress(content)
    elif packing:
        pack = {
            "gz": partial(gzip.compress, compresslevel=6),
            "bz2": bz2.compress,
            "xz": partial(lzma.compress, preset=1),
        }
        content = pack[packing](content)
    path.write_bytes(content)


def _arrow_table(records: list[str]) -> Any:
    import pyarrow as arrow

    return arrow.table({"id": range(len(records)), "text": records})
