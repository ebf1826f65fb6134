"""Section on starting: whole processes, from nothing to the first result, with kernels compiled before or not."""

from __future__ import annotations

from tests.benchmarks import texts
from tests.benchmarks.measuring import FRESH_FOLDER, ROOT, Bench, call, command, is_installed
from tests.benchmarks.tables import ratio, table, time_of

SAMPLE = ROOT / "resources" / "samples" / "bridge_story.txt"
UNCOMPILED = {"NUMBA_CACHE_DIR": FRESH_FOLDER}
_TOKENIZERS = (
    "import sys; from tokenizers import ByteLevelBPETokenizer; "
    "ByteLevelBPETokenizer().train(sys.argv[1], vocab_size=int(sys.argv[2]), min_frequency=2, show_progress=False)"
)


def first_start(bench: Bench) -> str:
    """Processes from start to end, nothing warm but the system's file cache."""
    text, size = str(texts.text(bench)), str(bench.vocab_size)
    train = ["-m", "bpe_studio", "train", "--vocab-size"]
    out = ["-o", str(bench.folder / "out")]
    jobs = {
        "Python itself": command("-c", "pass"),
        "`import bpe_studio`": command("-c", "import bpe_studio"),
        "`bpe-studio --version`": command("-m", "bpe_studio", "--version"),
        "file to first merge on a sample, Python started, kernels never compiled": call(
            "first_merge:first_merge", UNCOMPILED, path=str(SAMPLE)
        ),
        "`train` on a sample, kernels never compiled": command(
            *train, "1000", str(SAMPLE), *out, environment=UNCOMPILED
        ),
        "`train` on a sample": command(*train, "1000", str(SAMPLE), *out),
        "`train` on the text, kernels never compiled": command(*train, size, text, *out, environment=UNCOMPILED),
        "`train` on the text": command(*train, size, text, *out),
    }
    if is_installed("tokenizers"):
        jobs["tokenizers on a sample"] = command("-c", _TOKENIZERS, str(SAMPLE), "1000")
        jobs["tokenizers on the text"] = command("-c", _TOKENIZERS, text, size)
    measured = bench.measure(jobs)
    base = measured["Python itself"]
    rows = [[name, time_of(series), ratio(series, base)] for name, series in measured.items()]
    return (
        f"Whole processes from start to end: the sample is {SAMPLE.name}, the text {texts.describe(bench)}, "
        f"{bench.vocab_size:,} tokens; `train` also writes the tokenizer.\n\n"
        + table(["what", "time", "times Python itself"], rows)
    )
