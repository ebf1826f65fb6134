"""Sections on encoding a long text, and many lines, beside tiktoken, gigatoken and tokenizers with
the same ranks.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

import bpe_studio as bpe
from bpe_studio.engine.analysis.size_curves import text_curve
from bpe_studio.engine.encoding.boundaries import GoldWord, boundaries_of
from tests.benchmarks import texts
from tests.benchmarks.child import timed
from tests.benchmarks.measuring import Bench, call, is_installed
from tests.benchmarks.tables import megabytes, mib, ratio, seconds, table, time_of
from tests.benchmarks.trainers import GPT2

ENCODED_MB = 10.0
QUICK_ENCODED_MB = 0.5
ONE_THREAD = {
    "RAYON_NUM_THREADS": "1",
    "NUMBA_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "OMP_NUM_THREADS": "1",
}
_WARM_BYTES = 1_000_000
N_LINES = 73_811
QUICK_N_LINES = 5_000

N_TEXTS = 40_000
QUICK_N_TEXTS = 8_000
_TEXT_CHARACTERS = 150
CALL_SIZES = 1, 32, 1_000, 40_000
_MOST_CALLS = 4_000
"""Of one text each."""
_NOT_MADE = "The tokenizer to encode with could not be made."

Encode = Callable[[str], Any]
EncodeLines = Callable[[list[str]], Any]


def make(path: str, folder: str, vocab_size: int) -> dict[str, Any]:
    """Train the tokenizer that all encode with, and write it in the formats that they read."""
    tokenizer = _trained(path, vocab_size).tokenizer()
    tokenizer.save(Path(folder) / "huggingface")
    tokenizer.save(Path(folder) / "ranks.tiktoken", format="tiktoken")
    return {}


def _is_made(bench: Bench) -> bool:
    """Makes the tokenizer of a section."""
    source = str(texts.text(bench))
    made = call("encoding:make", path=source, folder=str(bench.folder), vocab_size=bench.vocab_size)
    measured = bench.measure({"training what is encoded with": made}, 1)
    (series,) = measured.values()
    return not series.failure


def _trained(path: str, vocab_size: int) -> bpe.Run:
    # Without special tokens, ids are the ranks of a tiktoken file.
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=vocab_size, special=(), ties="raw-ids")
    return bpe.train(bpe.Corpus.from_files([path], config), config)


def encode(name: str, path: str, warm: str, folder: str) -> dict[str, Any]:
    """Load the tokenizer, encode another text to get warm, then the text."""
    run = ENCODERS[name](Path(folder))
    if name not in EVERY_PROCESSOR and hasattr(os, "sched_setaffinity"):
        # Whatever threads an encoder has, they get one processor.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    run(_read(warm)[:_WARM_BYTES])
    text = _read(path)
    outcome: dict[str, Any] = {}
    with timed(outcome):
        ids = run(text)
    digest = hashlib.sha256(np.asarray(ids, np.uint32).tobytes()).hexdigest()
    return outcome | {"n_ids": len(ids), "digest": digest}


def encode_at_every_size(path: str, train_on: str, warm: str, vocab_size: int) -> dict[str, Any]:
    """One pass that counts the tokens at every step, one that cuts at every step, and one encoding,
    in one process.
    """
    run = _trained(train_on, vocab_size)
    tokenizer = run.tokenizer()
    text = _read(path)
    other = _read(warm)[:_WARM_BYTES]
    segmenter = run.new_segmenter()
    n_merges = len(run.merges)
    text_curve(segmenter.text_gaps(other), n_merges)
    tokenizer.encode_ids(other)
    outcome: dict[str, Any] = {}
    with timed(outcome):
        found = text_curve(segmenter.text_gaps(text), n_merges)
    with timed(outcome, "once_s"):
        tokenizer.encode_ids(text)
    with timed(outcome, "cut_s"):
        every = segmenter.text_gaps(text)
    same = True
    for step in (0, 1, n_merges // 100, n_merges // 3, n_merges - 1, n_merges):
        # Without special tokens, the ids of a `raw-ids` tokenizer are the run's own.
        ids = tokenizer.encode_ids(text, step=step)
        same = same and int(found[step]) == len(ids) and np.array_equal(every.ids(step), ids)
    return outcome | {"is_same": same, "n_sizes": n_merges + 1}


def boundaries_at_every_size(train_on: str, vocab_size: int, n_words: int) -> dict[str, Any]:
    """Borders inside gold words at every step: words of the text, each in two parts."""
    run = _trained(train_on, vocab_size)
    distinct = dict.fromkeys(re.findall(r"[a-z]{4,}", _read(train_on)))
    words = [GoldWord(word, (word[:-2], word[-2:])) for word in list(distinct)[:n_words]]
    run.boundaries(words[:100])
    outcome: dict[str, Any] = {}
    with timed(outcome):
        found = run.boundaries(words)
    alone = boundaries_of(run.tokenizer(), words)
    same = found.at(len(run.merges)) == alone.at(0)
    return outcome | {"is_same": same, "n_words": len(words), "n_sizes": len(found.f1)}


def boundaries(bench: Bench) -> str:
    """Whether tokens end where the parts of words do, at every vocabulary size."""
    source = texts.text(bench)
    jobs = {
        f"{n:,}": call(
            "encoding:boundaries_at_every_size",
            train_on=str(source),
            vocab_size=bench.vocab_size,
            n_words=n,
        )
        for n in (10_000, 100_000)
    }
    rows = []
    for name, series in bench.measure(jobs).items():
        if series.failure:
            rows.append([name, series.failure, "-", "-"])
            continue
        told = "same as alone" if series.value("is_same") else "differs"
        n_sizes = f"{series.value('n_sizes'):,}"
        rows.append([f"{series.value('n_words'):,}", time_of(series), n_sizes, told])
    return f"Gold words, with a run on {texts.describe(bench)}.\n\n" + table(
        ["gold words", "all sizes", "sizes", "result"], rows
    )


def _ours(folder: Path) -> Encode:
    return bpe.load(folder / "huggingface").encode_ids


def _ours_as_list(folder: Path) -> Encode:
    tokenizer = bpe.load(folder / "huggingface")
    return lambda text: tokenizer.encode_ids(text).tolist()


def _ours_encode(folder: Path) -> Encode:
    tokenizer = bpe.load(folder / "huggingface")
    return lambda text: tokenizer.encode(text).ids


def _tiktoken(folder: Path) -> Encode:
    return _tiktoken_encoding(folder).encode_ordinary  # type: ignore[no-any-return]


def _tiktoken_encoding(folder: Path) -> Any:
    import tiktoken

    lines = (folder / "ranks.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in lines)}
    return tiktoken.Encoding("ours", pat_str=GPT2, mergeable_ranks=ranks, special_tokens={})


def _gigatoken(folder: Path) -> Encode:
    from gigatoken.gigatoken_rs import BPETokenizer

    return BPETokenizer.from_tiktoken(folder / "ranks.tiktoken", "gpt2").encode


def _tokenizers(folder: Path) -> Encode:
    tokenizer = _library(folder)
    return lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def _library(folder: Path) -> Any:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(folder / "huggingface" / "tokenizer.json"))


def _many(folder: Path) -> EncodeLines:
    return bpe.load(folder / "huggingface").encode_many


def _many_as_arrays(folder: Path) -> EncodeLines:
    tokenizer = bpe.load(folder / "huggingface")
    return lambda lines: tokenizer.encode_many(lines, as_arrays=True)


def _called(folder: Path) -> EncodeLines:
    tokenizer = bpe.load(folder / "huggingface")
    return lambda lines: tokenizer(lines)["input_ids"]


def _library_batch(folder: Path) -> EncodeLines:
    tokenizer = _library(folder)
    return lambda lines: [one.ids for one in tokenizer.encode_batch(lines)]


def _library_batch_fast(folder: Path) -> EncodeLines:
    tokenizer = _library(folder)
    return lambda lines: [one.ids for one in tokenizer.encode_batch_fast(lines)]


def _transformers(folder: Path) -> EncodeLines:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder / "huggingface")
    return lambda lines: tokenizer(lines)["input_ids"]


def _tiktoken_batch(folder: Path) -> EncodeLines:
    encoding = _tiktoken_encoding(folder)
    n_threads = os.cpu_count() or 1
    return lambda lines: encoding.encode_ordinary_batch(lines, num_threads=n_threads)


CALLED: dict[str, Callable[[Path], EncodeLines]] = {
    "`encode_many(..., as_arrays=True)`": _many_as_arrays,
    "`encode_many`": _many,
    "`encode_batch_fast`": _library_batch_fast,
}
ENCODERS: dict[str, Callable[[Path], Encode]] = {
    "ours": _ours,
    "ours, as a list": _ours_as_list,
    "ours, `encode(text).ids`": _ours_encode,
    "ours, every processor": _ours,
    "tiktoken": _tiktoken,
    "gigatoken": _gigatoken,
    "tokenizers": _tokenizers,
}
EVERY_PROCESSOR = {"ours, every processor"}
LINE_ENCODERS: dict[str, tuple[str, Callable[[Path], EncodeLines]]] = {
    "ours: `encode_many`": ("", _many),
    "ours: `encode_many(..., as_arrays=True)`": ("", _many_as_arrays),
    "ours: `tokenizer(lines)`": ("", _called),
    "tokenizers: `encode_batch`": ("tokenizers", _library_batch),
    "tokenizers: `encode_batch_fast`": ("tokenizers", _library_batch_fast),
    "Transformers: `tokenizer(lines)`": ("transformers", _transformers),
    "tiktoken: `encode_ordinary_batch`": ("tiktoken", _tiktoken_batch),
}
"""How many lines are encoded: the package that does it, and what makes the function."""


def _read(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as stream:
        return stream.read()


def encode_lines(name: str, path: str, folder: str, n_lines: int) -> dict[str, Any]:
    """Load the tokenizer, encode lines twice to get warm, then once more."""
    run = LINE_ENCODERS[name][1](Path(folder))
    lines = _read(path).split("\n")[:n_lines]
    run(lines), run(lines)
    outcome: dict[str, Any] = {}
    with timed(outcome):
        rows: Sequence[Sequence[int]] = run(lines)
    ids = np.fromiter(chain.from_iterable(rows), np.uint32)
    digest = hashlib.sha256(ids.tobytes() + np.array(list(map(len, rows))).tobytes()).hexdigest()
    return outcome | {"n_ids": len(ids), "n_lines": len(lines), "digest": digest}


def encode_in_calls(name: str, path: str, folder: str, n_texts: int) -> dict[str, Any]:
    """Load the tokenizer, encode texts in calls of a thousand to get warm, then in calls of each
    size.
    """
    run = CALLED[name](Path(folder))
    text = _read(path)
    texts = [
        text[place : place + _TEXT_CHARACTERS] for place in range(0, len(text), _TEXT_CHARACTERS)
    ][:n_texts]
    outcome: dict[str, Any] = {}
    for first in range(0, len(texts), 1000):
        run(texts[first : first + 1000])
    for size in CALL_SIZES:
        calls = [texts[first : first + size] for first in range(0, len(texts), size)][:_MOST_CALLS]
        begun = time.process_time()
        found = [run(some) for some in calls]
        took = time.process_time() - begun
        rows = [list(map(int, ids)) for some in found for ids in some]
        outcome[f"{size}_s"] = took / len(rows)
        outcome[f"{size}_digest"] = hashlib.sha256(repr(rows).encode()).hexdigest()
    return outcome


def calls(bench: Bench) -> str:
    """Calls: the processor time of a text in a call with one text, with some, and with many."""
    source = str(texts.text(bench))
    if not _is_made(bench):
        return _NOT_MADE
    n_texts = QUICK_N_TEXTS if bench.is_quick else N_TEXTS
    measured = bench.measure(
        {
            name: call(
                "encoding:encode_in_calls",
                name=name,
                path=source,
                folder=str(bench.folder),
                n_texts=n_texts,
            )
            for name in CALLED
        }
    )
    *ours, library = (measured[name] for name in CALLED)
    rows = []
    for size in CALL_SIZES:
        cells = [f"{size:,}"]
        for series in ours:
            if series.failure or library.failure:
                cells.append(series.failure or library.failure)
                continue
            same = series.value(f"{size}_digest") == library.value(f"{size}_digest")
            times_as_fast = library.times_slower_than(series, f"{size}_s")
            cells.append(
                f"{1e6 * series.median(f'{size}_s'):.1f} µs, {times_as_fast:.1f} times,"
                f" {_told(same)}"
            )
        cells.append("-" if library.failure else f"{1e6 * library.median(f'{size}_s'):.1f} µs")
        rows.append(cells)
    return (
        f"Encoding {n_texts:,} texts of {_TEXT_CHARACTERS} characters of {texts.describe(bench)}, "
        "or the first "
        f"{_MOST_CALLS:,} calls, on all processors, with a tokenizer of {bench.vocab_size:,} "
        "tokens: the processor "
        "time for a text, and how many times as fast as `encode_batch_fast` of tokenizers. Each "
        "has encoded the texts "
        "before, in calls of a thousand.\n\n" + table(["texts in a call", *CALLED], rows)
    )


def lines_of_text(bench: Bench) -> str:
    """Lines: each encoder loads what we trained and encodes the same lines on all processors."""
    source = str(texts.text(bench))
    if not _is_made(bench):
        return _NOT_MADE
    n_lines = QUICK_N_LINES if bench.is_quick else N_LINES
    names = [
        name for name, (package, _) in LINE_ENCODERS.items() if not package or is_installed(package)
    ]
    measured = bench.measure(
        {
            name: call(
                "encoding:encode_lines",
                name=name,
                path=source,
                folder=str(bench.folder),
                n_lines=n_lines,
            )
            for name in names
        }
    )
    ours = measured[names[0]]
    rows = []
    for name in names:
        series = measured[name]
        if series.failure:
            rows.append([name, series.failure, "-", "-"])
            continue
        same = not ours.failure and ours.value("digest") == series.value("digest")
        rows.append(
            [name, time_of(series), _told(same), "" if name == names[0] else ratio(series, ours)]
        )
    heads = ["encoder", "lines to ids", "result", "`encode_many` times as fast"]
    return (
        f"Encoding {n_lines:,} lines of {texts.describe(bench)} on all processors, with a "
        "tokenizer of "
        f"{bench.vocab_size:,} tokens trained on it; loading is not in the time, and each has "
        "encoded the lines twice "
        "before. The time of `encode_batch` and `encode_batch_fast` includes taking `ids` of each "
        "line.\n\n" + table(heads, rows)
    )


def encoding(bench: Bench) -> str:
    """Encoding: each encoder loads what we trained and encodes the same text."""
    source = texts.text(bench)
    warm = texts.warm_text(bench)
    sample = bench.folder / "encoded.txt"
    wanted = int((QUICK_ENCODED_MB if bench.is_quick else ENCODED_MB) * 1e6)
    content = source.read_bytes()
    sample.write_bytes(content[: content.rfind(b"\n", 0, wanted) + 1] or content)
    size = sample.stat().st_size
    if not _is_made(bench):
        return _NOT_MADE
    paths = {"path": str(sample), "warm": str(warm)}
    names = [name for name in ENCODERS if name.startswith("ours") or is_installed(name)]
    jobs = {
        n: call("encoding:encode", ONE_THREAD, name=n, folder=str(bench.folder), **paths)
        for n in names
    }
    every = "ours, at every size"
    jobs[every] = call(
        "encoding:encode_at_every_size",
        ONE_THREAD,
        train_on=str(source),
        vocab_size=bench.vocab_size,
        **paths,
    )
    measured = bench.measure(jobs)
    ours = measured["ours"]
    rows = []
    for name in names:
        series = measured[name]
        if series.failure:
            rows.append([name, series.failure, *["-"] * 5])
            continue
        same = not ours.failure and ours.value("digest") == series.value("digest")
        speed = f"{size / 1e6 / series.median():.1f}"
        peak = mib(series.median("peak_bytes"))
        ids = f"{series.value('n_ids'):,}"
        beside = "" if name == "ours" else ratio(series, ours)
        rows.append(
            [name, time_of(series), speed, peak, ids, "" if name == "ours" else _told(same), beside]
        )
    series = measured[every]
    if series.failure:
        rows.append([every, series.failure, *["-"] * 5])
    else:
        told = f"{series.value('n_sizes'):,} sizes, " + _told(series.value("is_same"))
        once = series.median("once_s")
        for what, measure in (("number of tokens", "seconds"), ("text as cut", "cut_s")):
            took = series.median(measure)
            beside = f"{took / once:.2f} times one `encode_ids` beside it ({seconds(once)})"
            speed = f"{size / 1e6 / took:.1f}"
            rows.append(
                [f"{every}: {what}", time_of(series, measure), speed, "-", "-", told, beside]
            )
    heads = ["encoder", "text to ids", "MB/s", "peak memory", "ids", "result", "ours times as fast"]
    return (
        f"Encoding {megabytes(size)} of {texts.describe(bench)}, with a tokenizer of "
        f"{bench.vocab_size:,} tokens "
        "trained on it, on one processor where nothing else is said; loading is not in the time, "
        "and each has "
        "encoded 1 MB of another text. "
        "`tiktoken.encode_ordinary` gives a list, as `encode` of tokenizers does; ours is "
        "`Tokenizer.encode_ids`, "
        "which gives an array, as `encode` of gigatoken does. At every size: how many tokens the "
        "text has after each "
        "number of merges, and how it is cut after each, each in one pass, beside one `encode_ids` "
        "in the same "
        "process.\n\n" + table(heads, rows)
    )


def _told(same: bool) -> str:
    return "same ids" if same else "differs"
