"""Checks somebody's own trainer: finds its first wrong merge, and names the mistake that explains
the rest.

GIVEN is a list of merges, or a Python function `train(text, vocab_size, special_tokens)` as FILE.py
or FILE.py:NAME. A function runs in a process of its own. The options say which merges are right.
Without --vocab-size and --merges, a list may have any length. The exit status is 0 if all merges
are right, and 1 otherwise.

--split GIVEN checks a split instead: GIVEN is a list of pieces, or a Python function `split(text)`.

Example:
    bpe-studio check merges.txt corpus.txt --preset cs336
    bpe-studio check --split split.py --split-name cl100k corpus.txt
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Generator
from typing import TypeVar

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, write_result
from bpe_studio.commands.reading import read_texts
from bpe_studio.commands.saving import check_place, name_of, save_document
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.check import grading
from bpe_studio.explain.check.check import Check, checking
from bpe_studio.explain.check.function import SECONDS
from bpe_studio.explain.check.split import SplitCheck, checking_split
from bpe_studio.explain.wording import json_line
from bpe_studio.files.merge_lists import read_encoded

FAILED = 1
Found = TypeVar("Found", Check, SplitCheck)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "given",
        metavar="GIVEN",
        help=(
            "A list of merges (merges.txt, a Python or JSON list, pairs of ids, any tokenizer), or"
            " a Python function; left out after --split GIVEN"
        ),
    )
    parser.add_argument("files", metavar="FILE", nargs="*", help=shared.FILE_HELP)
    parser.add_argument(
        "--split-name",
        metavar="S",
        dest="split_name",
        type=shared.split_argument,
        help="The right split, as in --split for a trainer",
    )
    parser.add_argument(
        "--json", action="store_true", help="Print one JSON object instead of sentences"
    )
    parser.add_argument(
        "--grade",
        metavar="RUBRIC.yaml",
        type=shared.text_argument,
        help="Print the points of a rubric, as Gradescope's results.json",
    )
    parser.add_argument(
        "--encoded",
        metavar="FILE",
        type=shared.text_argument,
        help='Also check an encoder: JSON lines such as {"text": "lower", "tokens": ["low", "er"]}',
    )
    parser.add_argument(
        "--document",
        metavar="OUT",
        type=shared.text_argument,
        help=(
            "Write both runs as a studio document, which the window opens at the first wrong merge"
        ),
    )
    parser.add_argument(
        "--seconds",
        metavar="N",
        type=shared.whole_number,
        default=SECONDS,
        help=f"The number of seconds that a function may run (default: {SECONDS})",
    )
    shared.add_input_options(parser)
    shared.add_cut_options(parser, {"split": _split_or_given})
    shared.add_training_options(parser, weighs_files=False)


def _split_or_given(text: str) -> str:
    """A split, or a file with a split to check."""
    text = shared.text_argument(text)
    is_file = os.path.exists(text) or bool(os.path.splitext(text)[1])
    return text if is_file else shared.split_argument(text)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Checks the merges or the pieces, and prints the answer."""
    split = None
    if not shared.is_split(vars(options).get("split", "regex:")):
        split = options.split
        del options.split
    if options.split_name is not None:
        options.split = options.split_name
    if split is None and not options.files:
        parser.error("the following arguments are required: FILE")
    config = shared.config_from(options)
    rubric = None if options.grade is None else grading.read_rubric(options.grade)
    if split is None:
        _check_trainer(options, config, rubric)
        return
    texts = read_texts([options.given, *options.files], shared.reading_from(options))
    job = checking_split(split, "".join(texts), config, seconds=options.seconds)
    _say(options, _found(rubric, job))


def _check_trainer(
    options: argparse.Namespace, config: TrainingConfig, rubric: list[grading.Test] | None
) -> None:
    if options.document is not None:
        check_place(options.document, "studio")
    reading = shared.reading_from(options)
    texts = tuple(read_texts(options.files, reading))
    has_size = "vocab_size" in options or "merges" in options
    encoded = [] if options.encoded is None else read_encoded(options.encoded)
    job = checking(
        options.given, texts, config, encoded=encoded, seconds=options.seconds, as_many=not has_size
    )
    found = _found(rubric, job)
    if found is not None and options.document is not None and found.trainer is not None:
        document = found.document(name_of(options.files), reading)
        save_document(document, options.document)
    _say(options, found)


def _found(rubric: list[grading.Test] | None, job: Generator[float, None, Found]) -> Found | None:
    """The answer; `None` if the points of a rubric are written instead."""
    if rubric is not None:
        write_result(json_line(grading.results(rubric, job)))
        return None
    with ProgressBar("Looking for the mistake") as bar:
        return result_of(job, lambda share: bar.update(share, 1))


def _say(options: argparse.Namespace, found: Check | SplitCheck | None) -> None:
    if found is None:
        return
    result = json_line(found.as_json()) if options.json else f"{found}\n"
    write_result(result)
    if not found.correct:
        raise SystemExit(FAILED)
