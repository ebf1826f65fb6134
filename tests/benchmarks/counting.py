"""Section on cutting a text and counting its pre-tokens, beside the `regex` package and a
`Counter`.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import islice
from typing import Any

import numpy as np

import bpe_studio as bpe
from bpe_studio.engine.presets import NAMED_SPLITS, PATTERNS
from tests.benchmarks import texts
from tests.benchmarks.child import timed
from tests.benchmarks.measuring import Bench, Series, call
from tests.benchmarks.tables import mib, ratio, table, time_of

NEAREST = "gpt2"
_BATCH = 65_536


def count_ours(path: str, warm: str, split: str) -> dict[str, Any]:
    """Ours: a file to its finished table."""
    config = bpe.TrainingConfig.preset("gpt2", split=split, documents="file")
    bpe.Corpus.from_files([warm], config)
    outcome: dict[str, Any] = {}
    with timed(outcome):
        corpus = bpe.Corpus.from_files([path], config)
    return outcome | _described(corpus.blob.tobytes(), corpus.counts)


def count_with_regex(path: str, warm: str, split: str) -> dict[str, Any]:
    """The `regex` package finds the pieces and a `Counter` counts them."""
    _regex_counts(warm, split)
    outcome: dict[str, Any] = {}
    with timed(outcome):
        counted = _regex_counts(path, split)
    mark = "▁" if split == "sentencepiece" else ""
    blob = "".join(mark + piece for piece in counted).encode()
    return outcome | _described(blob, np.fromiter(counted.values(), np.int64, len(counted)))


def _regex_counts(path: str, split: str) -> Counter[str]:
    import regex

    with open(path, encoding="utf-8", newline="") as stream:
        text = stream.read()
    pattern = regex.compile(PATTERNS[split])
    found = (match.group() for match in pattern.finditer(text))
    counted: Counter[str] = Counter()
    while batch := list(islice(found, _BATCH)):
        counted.update(batch)
    # An empty match is no pre-token.
    del counted[""]
    return counted


def _described(blob: bytes, counts: Any) -> dict[str, Any]:
    digest = hashlib.sha256(blob + np.asarray(counts, np.int64).tobytes()).hexdigest()
    return {"n_words": int(counts.sum()), "n_distinct": len(counts), "digest": digest}


def counting(bench: Bench) -> str:
    """Cutting and counting by every named split."""
    path = texts.text(bench)
    warm = texts.warm_text(bench)
    size = path.stat().st_size
    splits = NAMED_SPLITS
    jobs = {}
    for split in splits:
        jobs[split] = call("counting:count_ours", path=str(path), warm=str(warm), split=split)
        if split != "none":
            name = f"{split}, by regex"
            jobs[name] = call(
                "counting:count_with_regex", path=str(path), warm=str(warm), split=split
            )
    measured = bench.measure(jobs)
    rows = []
    for split in splits:
        ours = measured[split]
        theirs = measured.get(f"{split}, by regex")
        if ours.failure:
            rows.append([f"`{split}`", ours.failure, *["-"] * 6])
            continue
        rows.append(
            [
                f"`{split}`",
                time_of(ours),
                f"{size / 1e6 / ours.median():.1f}",
                f"{ours.value('n_words'):,} / {ours.value('n_distinct'):,}",
                ratio(ours, measured[NEAREST]),
                mib(ours.median("peak_bytes")),
                *(
                    ["-", "-"]
                    if theirs is None
                    else [f"{time_of(theirs)}, {ratio(theirs, ours)}", _same(theirs, ours)]
                ),
            ]
        )
    heads = [
        "split",
        "file to table",
        "MB/s",
        "pre-tokens / distinct",
        f"times `{NEAREST}`",
        "peak memory",
    ]
    heads += ["`regex` and `Counter`, ours times as fast", "result"]
    return f"Cutting and counting {texts.describe(bench)}, as one document.\n\n" + table(
        heads, rows
    )


def _same(theirs: Series, ours: Series) -> str:
    if theirs.failure:
        return "-"
    return "same table, same order" if theirs.value("digest") == ours.value("digest") else "differs"
