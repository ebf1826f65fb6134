"""Tries what a wheel has installed: its kernels are there, leave the interpreter free of its lock,
and give each of several threads the same result.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from bpe_studio.engine.kernels import built_ahead


def has_lock() -> bool:
    """Whether this Python runs one thread at a time."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def work(_: int) -> tuple[list[int], list[object]]:
    """The ids of a text, and the merges that it was trained to."""
    import bpe_studio as bpe

    config = bpe.TrainingConfig.preset("gpt2", merges=500)
    text = " ".join(f"{number} {number**2} {number:b}" for number in range(20_000))
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    return run.tokenizer().encode_ids(text).tolist(), [merge.to_log() for merge in run.merges]


had_lock = has_lock()
assert built_ahead.extension() is not None, "the wheel has no kernels for this Python"
assert has_lock() == had_lock, "the kernels switch the lock on"
first = work(0)
with ThreadPoolExecutor(4) as pool:
    assert all(result == first for result in pool.map(work, range(8)))
sys.stdout.write(
    f"{sys.version}: {len(first[0]):,} tokens, {len(first[1])} merges in each thread\n"
)
