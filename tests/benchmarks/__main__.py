"""`python -m tests.benchmarks [SECTION ...]`: measures, and prints tables in markdown."""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.measuring import Bench
from tests.benchmarks.tables import conditions, load
from tests.benchmarks.training import compile_kernels

SECTIONS = {
    "train": ("training:train", "file to finished merges, against every peer"),
    "memory": ("training:memory", "peak memory of each trainer"),
    "superwords": ("training:superwords", "two stages, from a file to finished merges"),
    "counting": ("counting:counting", "cutting and counting, by each named split"),
    "lines": ("encoding:lines_of_text", "encoding many lines, against every peer"),
    "calls": (
        "encoding:calls",
        "encoding texts in calls of 1, 32, 1,000 and 40,000, beside `encode_batch_fast`",
    ),
    "encoding": (
        "encoding:encoding",
        "encoding 10 MB, against every peer, and at every vocabulary size at once",
    ),
    "boundaries": (
        "encoding:boundaries",
        "borders of tokens inside gold words, at every vocabulary size at once",
    ),
    "processes": (
        "processes:processes",
        "whole commands from start to exit, beside scripts that do the same",
    ),
    "first-start": (
        "processes:first_start",
        "the first training on a machine, kernels built ahead or never compiled",
    ),
    "opening": ("opening:opening", "opening large tokenizers, beside the library and Transformers"),
    "window": (
        "window:window",
        "whether the window stays live while 100 MB are opened, trained and looked through",
    ),
    "live": (
        "live:live",
        "gaps in the window's thread from the first paint on, the program started on 40 MB",
    ),
}
QUICK_ROUNDS = 2
QUICK_VOCAB_SIZE = 4096


def main() -> int:
    """Measure the sections that are named, or all."""
    parser = _parser()
    options = parser.parse_args()
    sections = options.sections or list(SECTIONS)
    unknown = [name for name in sections if name not in SECTIONS]
    if unknown:
        parser.error(f"there is no section {unknown[0]!r}; choose from {', '.join(SECTIONS)}")
    if options.text is not None and not options.text.is_file():
        parser.error(f"there is no file {options.text}")
    with tempfile.TemporaryDirectory(prefix="bpe-studio-benchmarks-", dir=options.folder) as folder:
        bench = Bench(
            Path(folder),
            options.text and options.text.resolve(),
            options.rounds or (QUICK_ROUNDS if options.quick else 5),
            options.vocab_size or (QUICK_VOCAB_SIZE if options.quick else 32_768),
            options.quick,
            options.limit,
        )
        load_before = load()
        compile_kernels(bench)
        for name in sections:
            module, _, function = SECTIONS[name][0].partition(":")
            section = getattr(importlib.import_module(f"tests.benchmarks.{module}"), function)
            sys.stdout.write(f"### {name}\n\n{section(bench)}\n\n")
            sys.stdout.flush()
        sys.stdout.write(
            "How the figures were taken: "
            f"{conditions(bench.n_rounds, bench.is_quick, load_before)}\n"
        )
    return 0


def _parser() -> argparse.ArgumentParser:
    told = "\n".join(f"  {name:12} {what}" for name, (_, what) in SECTIONS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=f"Measures, and prints tables in markdown.\n\nsections (all, if none is named):\n{told}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="what to measure")
    parser.add_argument(
        "--text", type=Path, metavar="FILE", help="the text to train on; made if not given"
    )
    parser.add_argument(
        "--quick", action="store_true", help="small inputs and two rounds, to see that it works"
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="how often everything is measured (default: 5)"
    )
    parser.add_argument("--vocab-size", type=int, metavar="N", help="default: 32768")
    parser.add_argument(
        "--limit",
        type=float,
        default=900.0,
        metavar="S",
        help="give a measurement up after that long",
    )
    parser.add_argument(
        "--folder", type=Path, metavar="FOLDER", help="where texts are made for the time being"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
