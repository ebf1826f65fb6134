"""Section on the past of a finished run: how long the state at any step takes."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import bpe_studio as bpe
from bpe_studio.engine.training.candidates import rank_candidates
from tests.benchmarks import texts
from tests.benchmarks.measuring import Bench, call
from tests.benchmarks.tables import seconds, table

ROWS_SHOWN, N_CANDIDATES, N_STEPS = 200, 50, 24
PARTS = {
    "words": f"word table, {ROWS_SHOWN} rows of it cut",
    "candidates": f"top {N_CANDIDATES} candidates with counts",
    "counts": "how often each token stands in the corpus",
    "all": "all three",
    "cut": "the whole corpus cut into tokens",
}


def look_back(path: str, vocab_size: int) -> dict[str, Any]:
    """Train, then jump about in the run, never twice to the same step."""
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=vocab_size)
    run = bpe.train(bpe.Corpus.from_files([path], config), config)
    n_merges = len(run.merges)
    rng = random.Random(0)
    steps = {0, 1, 10, 100, 1000, n_merges - 1, n_merges} & set(range(n_merges + 1))
    while len(steps) < min(N_STEPS, n_merges + 1):
        steps.add(rng.randint(0, n_merges))
    steps.discard(n_merges // 2)
    order = sorted(steps)
    rng.shuffle(order)
    _state(run, n_merges // 2)  # the kernels are read from disk at the first call
    taken = [_state(run, step) for step in order]
    outcome: dict[str, Any] = {"n_pre_tokens": len(run.corpus), "n_merges": n_merges, "n_steps": len(order)}
    for part in PARTS:
        outcome[f"{part}_s"] = statistics.median(times[part] for times in taken)
        outcome[f"{part}_most_s"] = max(times[part] for times in taken)
    return outcome


def _state(run: bpe.Run, step: int) -> dict[str, float]:
    taken = {
        "words": _time(lambda: _rows(run, step)),
        "candidates": _time(lambda: rank_candidates(run, step, N_CANDIDATES)),
        "counts": _time(lambda: run.token_counts_at(step)),
    }
    taken["all"] = sum(taken.values())
    taken["cut"] = _time(lambda: run.tokens_at(step))
    return taken


def _rows(run: bpe.Run, step: int) -> list[list[int]]:
    words = run.words_at(step)
    return [words.cut(index) for index in range(min(ROWS_SHOWN, len(words)))]


def _time(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def steps(bench: Bench) -> str:
    """The state at steps all over a finished run."""
    job = call("looking_back:look_back", path=str(texts.text(bench)), vocab_size=bench.vocab_size)
    series = bench.measure({"looking back": job})["looking back"]
    if series.failure:
        return series.failure
    rows = [
        [what, seconds(series.median(f"{p}_s")), seconds(max(series.values(f"{p}_most_s")))]
        for p, what in PARTS.items()
    ]
    return (
        f"The state at {series.value('n_steps')} steps from first to last, in no order, of a finished run on "
        f"{texts.describe(bench)}: {series.value('n_merges'):,} merges, {series.value('n_pre_tokens'):,} distinct "
        "pre-tokens. One look at another step comes before the clock.\n\n"
        + table(["what", "median of the steps", "slowest step of all rounds"], rows)
    )
