"""Section on starting: whole processes, from nothing to the first result, with kernels compiled before or not."""

from __future__ import annotations

from collections.abc import Mapping

from tests.benchmarks import texts
from tests.benchmarks.measuring import FRESH_FOLDER, ROOT, Bench, Job, call, command, is_installed
from tests.benchmarks.tables import ratio, table, time_of
from tests.benchmarks.window import screen

SAMPLE = ROOT / "resources" / "samples" / "bridge_story.txt"
STEPS = {
    "the sample chosen to shown": "opened_s",
    "Step pressed to the merge shown": "stepped_s",
    "from choosing the sample until then": "both_s",
}
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
    with screen() as environment:
        first_paints = bench.measure(
            {
                "an empty window of PySide6 and pyqtgraph": _painted("empty", environment),
                "the program's window": _painted("ours", environment),
            }
        )
        shown = bench.measure({"a step": call("window_driving:first_step", {**UNCOMPILED, **environment})})["a step"]
    empty = first_paints["an empty window of PySide6 and pyqtgraph"]
    paints = [[name, time_of(series), ratio(series, empty)] for name, series in first_paints.items()]
    steps = [[what, time_of(shown, key)] for what, key in STEPS.items()]
    return (
        f"Whole processes from start to end: the sample is {SAMPLE.name}, the text {texts.describe(bench)}, "
        f"{bench.vocab_size:,} tokens; `train` also writes the tokenizer.\n\n"
        + table(["what", "time", "times Python itself"], rows)
        + "\n\nFrom the process' start to the first paint of a window; the goal is 1.5 times the empty one.\n\n"
        + table(["what", "time", "times the empty window"], paints)
        + f"\n\nIn a window that has just opened on {SAMPLE.name}, while the kernels are compiled for the first time; "
        "the goal is 300 ms.\n\n" + table(["what", "time"], steps)
    )


def _painted(what: str, environment: Mapping[str, str]) -> Job:
    return command("-m", "tests.benchmarks.first_paint", what, environment=environment)
