"""Section on the reasons: how long the answers to why this token, why this pair and what if take on a finished run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import bpe_studio as bpe
from bpe_studio.engine.analysis.concordance import find_lines
from bpe_studio.engine.analysis.derivation import derive
from bpe_studio.engine.analysis.run_difference import compare_runs
from bpe_studio.engine.analysis.token_life import token_life
from bpe_studio.engine.analysis.words_containing import words_with_pair, words_with_token
from tests.benchmarks import texts
from tests.benchmarks.measuring import Bench, call
from tests.benchmarks.tables import seconds, table

N_TOKENS, N_LINES = 24, 200
PARTS = {
    "life": "how often a token stood at every step",
    "derivation": "its derivation",
    "containing_words": "the words that hold it, at the end of the run",
    "pair": "the words that hold the pair that made it, before it was merged",
    "lines": f"its first {N_LINES} lines in the file",
    "symbol_life": "how often the most frequent symbol stood at every step",
    "whole_pass": "all lines of a rare token: the whole file is read",
    "comparing": "this run against one under another tie rule",
}


def look_for_reasons(path: str, vocab_size: int) -> dict[str, Any]:
    """Train twice, then ask about tokens of every rank."""
    config = bpe.TrainingConfig.preset("gpt2", vocab_size=vocab_size)
    run = bpe.train(bpe.Corpus.from_files([path], config), config)
    other = bpe.train(run.corpus, config.replace(ties="greatest-bytes"))
    n = len(run.merges)
    ranks = sorted({n * k // N_TOKENS for k in range(min(N_TOKENS, n))})
    counts = run.token_counts_at(n)
    standing = [token for token in range(run.n_alphabet, run.n_alphabet + n) if counts[token]]
    rare = min(standing, key=lambda token: int(counts[token]))
    letter = int(run.token_counts_at(0).argmax())
    _ask(run, path, ranks[0])  # what is laid out once, and kernels that are read from disk, come before the clock
    taken = [_ask(run, path, rank) for rank in ranks]
    taken[0] |= {
        "symbol_life": _time(lambda: token_life(run, letter)),
        "whole_pass": _time(lambda: _lines(run, path, rare, n)),
        "comparing": _time(lambda: compare_runs(run, other)),
    }
    outcome: dict[str, Any] = {"n_pre_tokens": len(run.corpus), "n_merges": n, "n_asked": len(ranks)}
    for part in PARTS:
        times = sorted(one[part] for one in taken if part in one)
        outcome |= {f"{part}_s": times[len(times) // 2], f"{part}_most_s": times[-1]}
    return outcome


def _ask(run: bpe.Run, path: str, rank: int) -> dict[str, float]:
    token, left, right = run.n_alphabet + rank, int(run.columns.left[rank]), int(run.columns.right[rank])
    return {
        "life": _time(lambda: token_life(run, token)),
        "derivation": _time(lambda: derive(run, token)),
        "containing_words": _time(lambda: words_with_token(run, token, len(run.merges))),
        "pair": _time(lambda: words_with_pair(run, left, right, rank)),
        "lines": _time(lambda: _lines(run, path, token, rank + 1)),
    }


def _lines(run: bpe.Run, path: str, token: int, step: int) -> int:
    from bpe_studio.files.text.sources import open_source

    n_found = 0
    for found in find_lines(run, token, step, open_source(path).contents()):
        n_found += found is not None
        if n_found == N_LINES:
            break
    return n_found


def _time(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def reasons(bench: Bench) -> str:
    """Why this token, why this pair, and what if, asked of a finished run."""
    job = call("reasons:look_for_reasons", path=str(texts.text(bench)), vocab_size=bench.vocab_size)
    series = bench.measure({"reasons": job})["reasons"]
    if series.failure:
        return series.failure
    rows = [
        [what, seconds(series.median(f"{p}_s")), seconds(max(series.values(f"{p}_most_s")))]
        for p, what in PARTS.items()
    ]
    return (
        f"Asked about {series.value('n_asked')} tokens of all ranks of a finished run on {texts.describe(bench)}: "
        f"{series.value('n_merges'):,} merges, {series.value('n_pre_tokens'):,} distinct pre-tokens. One token comes "
        "before the clock.\n\n" + table(["what", "median of the tokens", "slowest token of all rounds"], rows)
    )
