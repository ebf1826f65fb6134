"""Checks somebody's own trainer: finds its first wrong merge, and names the mistake that explains
the rest.

GIVEN is a list of merges, or a Python function `train(text, vocab_size, special_tokens)` as FILE.py
or FILE.py:NAME, which runs in a process of its own. The options say which merges are right. Without
--vocab-size and --merges, a list may have any length. The exit status is 0 if all merges are right,
and 1 otherwise.

Example:
    bpe-studio check merges.txt corpus.txt --preset cs336
"""

from __future__ import annotations

import argparse

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, json_line, write_result
from bpe_studio.commands.reading import read_texts
from bpe_studio.commands.saving import check_place, name_of, save_document
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.check import grading
from bpe_studio.explain.check.check import checking
from bpe_studio.explain.check.function import SECONDS
from bpe_studio.files.merge_lists import read_encoded

FAILED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "given",
        metavar="GIVEN",
        help=(
            "A list of merges (merges.txt, a Python or JSON list, pairs of ids, any tokenizer), or"
            " a Python function"
        ),
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
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
        help=f"The seconds that a function may run (default: {SECONDS})",
    )
    shared.add_input_options(parser)
    shared.add_cut_options(parser)
    shared.add_training_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Checks the merges and prints what is wrong."""
    config = shared.config_from(options)
    if options.document is not None:
        check_place(options.document, "studio")
    rubric = None if options.grade is None else grading.read_rubric(options.grade)
    texts = tuple(read_texts(options.files, shared.reading_from(options)))
    has_size = "vocab_size" in options or "merges" in options
    encoded = [] if options.encoded is None else read_encoded(options.encoded)
    job = checking(
        options.given, texts, config, encoded=encoded, seconds=options.seconds, as_many=not has_size
    )
    if rubric is not None:
        write_result(json_line(grading.results(rubric, job)))
        return
    with ProgressBar("Looking for the mistake") as bar:
        found = result_of(job, lambda share: bar.update(share, 1))
    if options.document is not None and found.trainer is not None:
        document = found.document(name_of(options.files), shared.reading_from(options))
        save_document(document, options.document)
    result = json_line(found.as_json()) if options.json else f"{found}\n"
    write_result(result)
    if not found.correct:
        raise SystemExit(FAILED)
