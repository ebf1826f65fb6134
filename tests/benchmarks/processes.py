"""Section on whole processes, from start to exit, beside a script that does the same."""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks import texts
from tests.benchmarks.measuring import ROOT, Bench, Value, call
from tests.benchmarks.tables import ratio, table, time_of

_TRAIN, _PEER = "`bpe-studio train`", "a script with `tokenizers`"
_ENCODE, _NUMPY = "`bpe-studio encode`, a sentence", "`python -c 'import numpy'`"
_SCRIPT = """
import os, sys
from tokenizers import ByteLevelBPETokenizer
tokenizer = ByteLevelBPETokenizer()
special = ["<|endoftext|>"]
tokenizer.train(sys.argv[1], vocab_size=int(sys.argv[3]), min_frequency=2, special_tokens=special, show_progress=False)
os.mkdir(sys.argv[2])
tokenizer.save(sys.argv[2] + "/tokenizer.json")
"""
_SENTENCE = "The quick brown fox jumps over the lazy dog, and nobody knows why."


def process(name: str, path: str, tokenizer: str, vocab_size: int) -> dict[str, Any]:
    """One of the commands, in a process of its own; what it writes is removed again."""
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out"
        command = {
            _TRAIN: ["-m", "bpe_studio", "train", path, "-o", out, "--vocab-size", str(vocab_size)],
            _PEER: ["-c", _SCRIPT, path, out, str(vocab_size)],
            _ENCODE: ["-m", "bpe_studio", "encode", "-t", tokenizer, "--text", _SENTENCE],
            _NUMPY: ["-c", "import numpy"],
        }[name]
        begun = time.perf_counter()
        subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)
        outcome: dict[str, Any] = {"seconds": time.perf_counter() - begun}
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        outcome["cpu_s"] = used.ru_utime + used.ru_stime
        if name in (_TRAIN, _PEER):
            model = json.loads(Path(out, "tokenizer.json").read_text("utf-8"))["model"]
            outcome["digest"] = hashlib.sha256(repr((model["vocab"], model["merges"])).encode()).hexdigest()
        return outcome


def make(path: str, folder: str, vocab_size: int) -> dict[str, Any]:
    """Train the tokenizer that encodes the sentence, and let Python write its compiled files for each process."""
    command = ["-m", "bpe_studio", "train", path, "-o", folder, "--vocab-size", str(vocab_size)]
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)
    for name in (_PEER, _ENCODE, _NUMPY):
        process(name, path, folder, vocab_size)
    return {}


def processes(bench: Bench) -> str:
    """Training on a text with the tokenizer written, and encoding a sentence with it."""
    path, tokenizer = str(texts.text(bench)), str(bench.folder / "sentence")
    # Python's own compiled files are there, as after any installation.
    environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(bench.folder / "compiled")}
    made = call("processes:make", environment, path=path, folder=tokenizer, vocab_size=bench.vocab_size)
    bench.measure({"training": made}, 1)
    what: dict[str, Value] = {"path": path, "tokenizer": tokenizer, "vocab_size": bench.vocab_size}
    jobs = {
        name: call("processes:process", environment, name=name, **what) for name in (_TRAIN, _PEER, _ENCODE, _NUMPY)
    }
    measured = bench.measure(jobs)
    rows = []
    for ours, other in ((_TRAIN, _PEER), (_ENCODE, _NUMPY)):
        one, two = measured[ours], measured[other]
        digests = {(series.rounds or [{}])[0].get("digest") for series in (one, two)}
        same = "" if digests == {None} else "same tokens and merges" if len(digests) == 1 else "differs"
        rows.append([ours, time_of(one), time_of(one, "cpu_s"), ratio(two, one), ratio(two, one, "cpu_s"), same])
        rows.append([other, time_of(two), time_of(two, "cpu_s"), "", "", ""])
    heads = ["process", "start to exit", "processor", "times as fast as the next", "by processor time", "result"]
    return (
        f"Whole processes, with imports: training on {texts.describe(bench)}, GPT-2 split, {bench.vocab_size:,} "
        "tokens, with the tokenizer written; and encoding a sentence with it.\n\n" + table(heads, rows)
    )
