"""Section on a file larger than memory: it is counted as it streams, and only the table grows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np

import bpe_studio as bpe
from tests.benchmarks import texts
from tests.benchmarks.child import peak_bytes, timed
from tests.benchmarks.measuring import Bench, call
from tests.benchmarks.tables import mib, table

BLOCK_BYTES = 1 << 16
QUICK_GB = 0.1


def count_streaming(path: str, warm: str) -> dict[str, Any]:
    """Ours: a file to its finished table, with what is resident before, meanwhile and at the end."""
    config = bpe.TrainingConfig.preset("gpt2", documents="file")
    bpe.Corpus.from_files([warm], config)
    outcome: dict[str, Any] = {"before_bytes": resident_bytes()}
    with timed(outcome):
        corpus = bpe.Corpus.from_files([path], config)
    outcome["n_words"] = corpus.n_words
    outcome["n_distinct"] = len(corpus)
    outcome["size_bytes"] = corpus.size_bytes
    outcome["table_bytes"] = corpus.blob.nbytes + corpus.offsets.nbytes + corpus.counts.nbytes
    return outcome


def resident_bytes() -> int:
    """What this process has resident now; its peak where that is not told."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return peak_bytes()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS:"))


def streaming(bench: Bench) -> str:
    """A text of many gigabytes, made by repeating and shuffling the blocks of the run's text."""
    size = int((QUICK_GB if bench.is_quick else bench.stream_gb) * 1e9)
    free = shutil.disk_usage(bench.folder).free
    if free < size * 1.1:
        return f"There is no room for a text of {size / 1e9:g} GB: {free / 1e9:.1f} GB are free.\n"
    path = bench.folder / "stream.txt"
    try:
        write_shuffled(path, texts.text(bench).read_bytes(), size)
        jobs = {"ours": call("streaming:count_streaming", path=str(path), warm=str(texts.warm_text(bench)))}
        ours = bench.measure(jobs, n_rounds=1)["ours"]
    finally:
        path.unlink(missing_ok=True)
    caption = f"A text of {size / 1e9:g} GB: the blocks of {texts.describe(bench)}, repeated and shuffled.\n\n"
    caption += "Counted once.\n\n"
    if ours.failure:
        return f"{caption}It {ours.failure}.\n"
    beyond = ours.median("peak_bytes") - ours.median("table_bytes")
    rows = [
        ["size", f"{ours.value('size_bytes') / 1e9:.2f} GB"],
        ["file to table", f"{ours.median():.1f} s, {ours.value('size_bytes') / 1e6 / ours.median():.0f} MB/s"],
        ["processor time", f"{ours.median('cpu_s'):.1f} s"],
        ["pre-tokens / distinct", f"{ours.value('n_words'):,} / {ours.value('n_distinct'):,}"],
        ["resident before", mib(ours.median("before_bytes"))],
        ["resident at most", mib(ours.median("peak_bytes"))],
        ["the finished table", mib(ours.median("table_bytes"))],
        ["resident beyond the table", mib(beyond)],
    ]
    return caption + table(["what", "measured"], rows)


def write_shuffled(path: Path, content: bytes, size: int) -> None:
    """Write blocks of whole lines of a text, each round in another order, until there are so many bytes."""
    bounds = [0]
    while bounds[-1] < len(content):
        end = content.rfind(b"\n", 0, bounds[-1] + BLOCK_BYTES) + 1
        bounds.append(end if end > bounds[-1] else min(bounds[-1] + BLOCK_BYTES, len(content)))
    blocks = [content[start:end] for start, end in zip(bounds, bounds[1:], strict=False)]
    rng = np.random.default_rng(0)
    left = size
    with path.open("wb") as stream:
        while left > 0:
            for number in rng.permutation(len(blocks)).tolist():
                stream.write(blocks[number][:left])
                left -= len(blocks[number])
                if left <= 0:
                    break
