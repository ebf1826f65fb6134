"""Finds how much of a text is enough to train on.

The command holds out one line in twenty. It trains runs with the given settings on 1, 2, 5, 10, 20,
50 and 100 % of the other lines. For each run, the table shows its share of the full run's
vocabulary, and its tokens per byte of the held-out text.

Example:
    bpe-studio enough corpus.txt --vocab-size 8k
"""

from __future__ import annotations

import argparse

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, say, write_result
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.inspection.enough import measuring_enough, pieces_of
from bpe_studio.explain.wording import json_line
from bpe_studio.files.text.sources import Sources


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "--json", action="store_true", help="Print one JSON object instead of a table"
    )
    shared.add_input_options(parser)
    shared.add_cut_options(parser)
    shared.add_training_options(parser, weighs_files=False)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Trains on samples of the files, and prints a row for each."""
    config = shared.config_from(options)
    sources = Sources(options.files, shared.reading_from(options))
    job = measuring_enough(pieces_of(sources), config)
    with ProgressBar("Training on samples") as bar:
        found = result_of(job, lambda share: bar.update(share, 1))
    if options.json:
        write_result(json_line(found.as_json()))
        return
    rows = ["share\tbytes\tmerges\toverlap\ttokens_per_byte"]
    rows += [
        f"{each.share:g}\t{each.n_bytes}\t{each.n_merges}\t{each.overlap:.4f}\t{each.tokens_per_byte:.5f}"
        for each in found.samples
    ]
    write_result("\n".join(rows) + "\n")
    say(found.sentence)
