"""Sections on whole processes, from start to exit, beside a script that does the same, and the
first time.
"""

from __future__ import annotations

import hashlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.benchmarks import texts
from tests.benchmarks.measuring import FRESH_FOLDER, ROOT, Bench, Value, call
from tests.benchmarks.tables import ratio, table, time_of

_TRAIN = "`bpe-studio train`"
_PEER = "a script with `tokenizers`"
_ENCODE = "`bpe-studio encode`, a sentence"
_NUMPY = "`python -c 'import numpy'`"
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
            outcome["digest"] = hashlib.sha256(
                repr((model["vocab"], model["merges"])).encode()
            ).hexdigest()
        return outcome


def make(path: str, folder: str, vocab_size: int) -> dict[str, Any]:
    """Train the tokenizer that encodes the sentence, and let Python write its compiled files for
    each process.
    """
    command = ["-m", "bpe_studio", "train", path, "-o", folder, "--vocab-size", str(vocab_size)]
    subprocess.run([sys.executable, *command], cwd=ROOT, check=True, capture_output=True)
    for name in (_PEER, _ENCODE, _NUMPY):
        process(name, path, folder, vocab_size)
    return {}


def processes(bench: Bench) -> str:
    """Training on a text with the tokenizer written, and encoding a sentence with it."""
    path = str(texts.text(bench))
    tokenizer = str(bench.folder / "sentence")
    # Python's own compiled files are there, as after any installation.
    environment = {
        "PYTHONDONTWRITEBYTECODE": "",
        "PYTHONPYCACHEPREFIX": str(bench.folder / "compiled"),
    }
    made = call(
        "processes:make", environment, path=path, folder=tokenizer, vocab_size=bench.vocab_size
    )
    bench.measure({"training": made}, 1)
    what: dict[str, Value] = {"path": path, "tokenizer": tokenizer, "vocab_size": bench.vocab_size}
    jobs = {
        name: call("processes:process", environment, name=name, **what)
        for name in (_TRAIN, _PEER, _ENCODE, _NUMPY)
    }
    measured = bench.measure(jobs)
    rows = []
    for ours, other in ((_TRAIN, _PEER), (_ENCODE, _NUMPY)):
        one = measured[ours]
        two = measured[other]
        digests = {(series.rounds or [{}])[0].get("digest") for series in (one, two)}
        same = (
            ""
            if digests == {None}
            else "same tokens and merges"
            if len(digests) == 1
            else "differs"
        )
        rows.append(
            [
                ours,
                time_of(one),
                time_of(one, "cpu_s"),
                ratio(two, one),
                ratio(two, one, "cpu_s"),
                same,
            ]
        )
        rows.append([other, time_of(two), time_of(two, "cpu_s"), "", "", ""])
    heads = [
        "process",
        "start to exit",
        "processor",
        "times as fast as the next",
        "by processor time",
        "result",
    ]
    return (
        f"Whole processes, with imports: training on {texts.describe(bench)}, GPT-2 split, "
        f"{bench.vocab_size:,} "
        "tokens, with the tokenizer written; and encoding a sentence with it.\n\n"
        + table(heads, rows)
    )


_COMPILED = "kernels as they are built here"
_NEVER = "kernels never compiled"


def first_train(program: str, path: str, out: str, vocab_size: int) -> dict[str, Any]:
    """The program's first training with the cache that the environment names, in a process of its
    own.
    """
    shutil.rmtree(out, ignore_errors=True)
    command = [
        sys.executable,
        "-m",
        "bpe_studio",
        "train",
        path,
        "-o",
        out,
        "--vocab-size",
        str(vocab_size),
    ]
    begun = time.perf_counter()
    subprocess.run(command, cwd=program, check=True, capture_output=True)
    return {"seconds": time.perf_counter() - begun}


def first_start(bench: Bench) -> str:
    """The first training on a machine: with an empty cache, and the kernels built ahead or never
    compiled.
    """
    large = texts.text(bench)
    small = bench.folder / "small.txt"
    fresh = bench.folder / "program"
    content = large.read_bytes()
    small.write_bytes(content[: content.rfind(b"\n", 0, len(content) // 10) + 1])
    shutil.copytree(
        ROOT / "bpe_studio",
        fresh / "bpe_studio",
        ignore=shutil.ignore_patterns("*.so", "*.pyd", "__pycache__"),
    )
    is_built = {".so", ".pyd"} & {
        path.suffix for path in (ROOT / "bpe_studio" / "engine" / "kernels").iterdir()
    }
    jobs = {}
    for path, vocab_size in ((small, bench.vocab_size // 4), (large, bench.vocab_size)):
        what = f"`train`, {path.stat().st_size / 1e6:.1f} MB, {vocab_size:,} tokens"
        for kernels, program in ((_COMPILED, ROOT), (_NEVER, fresh)):
            jobs[f"{what}, {kernels}"] = call(
                "processes:first_train",
                {"XDG_CACHE_HOME": FRESH_FOLDER},
                program=str(program),
                path=str(path),
                out=str(bench.folder / "first"),
                vocab_size=vocab_size,
            )
    rows = [[name, time_of(series)] for name, series in bench.measure(jobs).items()]
    return (
        "The first training on a machine, whole processes, the cache empty: "
        f"{texts.describe(bench)}, and a tenth of "
        f"it. Kernels are {'built ahead' if is_built else 'not built ahead'} here.\n\n"
        + table(["what", "start to exit"], rows)
    )
