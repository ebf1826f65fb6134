"""Counts the tokens of a text under several tokenizers, or under one at several numbers of merges.

Prints tab-separated rows with a header line. Several files count as one text. Fertility is tokens
per word, where white space separates words.

Example:
    bpe-studio compare -t tokenizer --steps 100,200 corpus.txt
"""

from __future__ import annotations

import argparse

from bpe_studio.commands.options import (
    FILE_HELP,
    add_input_options,
    add_tokenizers_at_steps,
    reading_from,
    tokenizers_at_steps,
)
from bpe_studio.commands.output import ProgressBar, write_rows
from bpe_studio.commands.reading import read_texts
from bpe_studio.explain.comparison.token_counts import compared_row


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=FILE_HELP)
    add_tokenizers_at_steps(parser)
    parser.add_argument(
        "--json", action="store_true", help="Print a JSON list of objects instead of rows"
    )
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Counts the tokens and prints the rows."""
    settings = tokenizers_at_steps(options)
    texts = list(read_texts(options.files, reading_from(options)))
    rows = []
    with ProgressBar("Comparing") as bar:
        for place, (path, step, tokenizer) in enumerate(settings):
            bar.update(place, len(settings), path)
            rows.append(compared_row(path, step, tokenizer, texts))
    write_rows(rows, options.json)
