"""Lists the tokens of a tokenizer, by id.

Prints tab-separated rows with a header line. The column rank is that of the merge that makes the
token; symbols of the alphabet and special tokens have none. If you name text files, the column
count says how often each token occurs in them.

Example:
    bpe-studio vocab -t tokenizer corpus.txt
"""

from __future__ import annotations

import argparse

from bpe_studio.commands.options import (
    FILE_HELP,
    add_input_options,
    add_split_option,
    load_tokenizer,
    reading_from,
    whole_number,
)
from bpe_studio.commands.output import on_one_line, write_rows
from bpe_studio.commands.reading import read_texts
from bpe_studio.explain.comparison.token_counts import token_counts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="*", help=FILE_HELP)
    parser.add_argument("-t", "--tokenizer", metavar="TOK", required=True, help="The tokenizer")
    parser.add_argument(
        "--step", metavar="K", type=whole_number, help="Use only the first K merges (default: all)"
    )
    parser.add_argument(
        "--json", action="store_true", help="Print a JSON list of objects instead of rows"
    )
    add_split_option(parser)
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Prints the tokens."""
    tokenizer = load_tokenizer(options.tokenizer, options.split)
    if options.step is not None:
        tokenizer = tokenizer.at(options.step)
    ranks = {new: rank for rank, (_, _, new) in reversed(list(enumerate(tokenizer.merges)))}
    shown = str if options.json else on_one_line
    rows: list[dict[str, str | int | None]] = [
        {"id": number, "token": shown(name), "rank": ranks.get(number)}
        for number, name in tokenizer.tokens.items()
    ]
    if options.files:
        counts = token_counts(tokenizer, list(read_texts(options.files, reading_from(options))))
        for number, row in zip(tokenizer.tokens, rows, strict=True):
            row["count"] = int(counts[number])
    write_rows(rows, options.json)
