"""Section on sizes: how long it takes to compare vocabulary sizes on a finished run, and what the advisor reads."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import bpe_studio as bpe
from bpe_studio.engine.analysis.size_advice import Reach, knee, largest_vocabulary
from bpe_studio.engine.analysis.size_curves import corpus_curve, table_curve, text_curve
from bpe_studio.engine.analysis.size_measures import longest_words, measure_corpus, measure_text
from tests.benchmarks import texts
from tests.benchmarks.measuring import Bench, call
from tests.benchmarks.tables import seconds, table

N_SIZES = 10
TYPED_CHARACTERS = 10_000_000
PARTS = {
    "opening": "reading, cutting and counting the text",
    "holding_out": "the same with 5 % of it set aside",
    "ten": f"{N_SIZES} sizes measured on the corpus, the first time",
    "ten_again": f"{N_SIZES} sizes, every time after that",
    "longest": "the longest words",
    "curve": "the curve of the corpus over all sizes",
    "knee": "its knee",
    "held_out_curve": "the curve of the part that was set aside",
    "typed": f"cutting the first {TYPED_CHARACTERS / 1e6:.0f} million characters of the text at every step at once",
    "typed_curve": "their curve over all sizes",
    "typed_ten": f"{N_SIZES} sizes measured on them",
    "reach": "the largest vocabulary that the corpus can reach",
}


def compare_sizes(path: str, vocab_size: int) -> dict[str, Any]:
    """Set a part of a text aside, train on the rest, and ask all that the advisor is asked."""
    from bpe_studio.workspace.backend import Backend

    config = bpe.TrainingConfig.preset("gpt2", vocab_size=vocab_size)
    _open(Backend(), path, config, 0.05)  # kernels that are read from disk come before the clock
    opening_s, _ = _timed(lambda: _open(Backend(), path, config, 0.0))
    holding_out_s, opened = _timed(lambda: _open(Backend(), path, config, 0.05))
    opened.trainer.run()
    run, held_out = opened.trainer.run_record, opened.info.held_out.corpus
    n = len(run.merges)
    steps = [n * (k + 1) // N_SIZES for k in range(N_SIZES)]
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        typed = file.read(TYPED_CHARACTERS)
    run.text_gaps(typed[:1_000_000])
    typed_s, gaps = _timed(lambda: run.text_gaps(typed))
    sizes = run.vocab_size_at(0) + np.arange(n + 1)
    work: dict[str, Callable[[], Any]] = {
        "ten": lambda: measure_corpus(run, steps),
        "ten_again": lambda: measure_corpus(run, steps),
        "longest": lambda: longest_words(run),
        "curve": lambda: corpus_curve(run, n),
        "knee": lambda: knee(sizes, corpus_curve(run, n), "linear"),
        "held_out_curve": lambda: table_curve(run, held_out, n),
        "typed_curve": lambda: text_curve(gaps, n),
        "typed_ten": lambda: measure_text(gaps, run, steps, typed),
        "reach": lambda: _reach(run),
    }
    taken = {name: _timed(each) for name, each in work.items()}
    return {
        "n_pre_tokens": len(run.corpus),
        "n_merges": n,
        "n_reached": taken["reach"][1].n_merges,
        "opening_s": opening_s,
        "holding_out_s": holding_out_s,
        "typed_s": typed_s,
        **{f"{name}_s": each[0] for name, each in taken.items()},
    }


def _open(parts: Any, path: str, config: bpe.TrainingConfig, share: float) -> Any:
    from pathlib import Path

    from bpe_studio.workspace.corpus.reading import open_corpus
    from bpe_studio.workspace.state import OpeningRequest

    return _result(open_corpus(parts, OpeningRequest("text", (Path(path),), held_out=share), config))


def _reach(run: bpe.Run) -> Reach:
    reach: Reach = _result(largest_vocabulary(run))
    return reach


def _result(work: Any) -> Any:
    while True:
        try:
            next(work)
        except StopIteration as stop:
            return stop.value


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def sizes(bench: Bench) -> str:
    """Ten sizes, the curves over all of them and what the advisor reads, asked of a finished run."""
    job = call("sizes:compare_sizes", path=str(texts.text(bench)), vocab_size=bench.vocab_size)
    series = bench.measure({"sizes": job})["sizes"]
    if series.failure:
        return series.failure
    rows = [
        [what, seconds(series.median(f"{p}_s")), seconds(max(series.values(f"{p}_s")))] for p, what in PARTS.items()
    ]
    return (
        f"Asked of a finished run on {texts.describe(bench)}, 5 % of it set aside: {series.value('n_merges'):,} "
        f"merges, {series.value('n_pre_tokens'):,} distinct pre-tokens; {series.value('n_reached'):,} merges can be "
        "reached.\n\n" + table(["what", "median", "slowest round"], rows)
    )
