"""Counts the tokens of a text under several tokenizers, or under one at several numbers of merges.

Prints tab-separated rows with a header line; several files count as one text. Fertility is tokens per word separated by
white space.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bpe_studio.commands.loading import add_split_option, load_tokenizer
from bpe_studio.commands.options import FILE_HELP, add_input_options, reading_from, whole_number
from bpe_studio.commands.output import ProgressBar, json_line, write_result
from bpe_studio.commands.reading import read_texts
from bpe_studio.engine.encoding.tokenizer import Tokenizer

Row = dict[str, str | int | float]
DIGITS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=FILE_HELP)
    parser.add_argument(
        "-t",
        "--tokenizer",
        metavar="TOK",
        action="append",
        required=True,
        help="A tokenizer (repeat it for more)",
    )
    parser.add_argument(
        "--steps", metavar="K,K,...", type=_steps, help="Numbers of merges to compare at (default: all merges)"
    )
    parser.add_argument("--json", action="store_true", help="Print a list of objects instead of rows")
    add_split_option(parser)
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Counts the tokens and prints the rows."""
    tokenizers = [(path, load_tokenizer(path, options.split)) for path in options.tokenizer]
    # The tokenizers come before the texts: a step that does not exist is an error at once.
    settings = [
        (path, step, tokenizer.at(step))
        for path, tokenizer in tokenizers
        for step in options.steps or [tokenizer.n_merges]
    ]
    texts = list(read_texts(options.files, reading_from(options)))
    rows = []
    with ProgressBar("Comparing") as bar:
        for place, (path, step, tokenizer) in enumerate(settings):
            bar.update(place, len(settings), path)
            rows.append(_row(path, step, tokenizer, texts))
    if options.json:
        write_result(json_line(rows))
        return
    lines = ["\t".join(rows[0]), *("\t".join(map(str, row.values())) for row in rows)]
    write_result("\n".join(lines) + "\n")


def _row(path: str, step: int, tokenizer: Tokenizer, texts: Sequence[str]) -> Row:
    n_tokens = n_unknown = 0
    used: set[int] = set()
    for text in texts:
        ids = tokenizer.encode_ids(text)
        n_tokens += len(ids)
        n_unknown += int((ids == tokenizer.unknown_id).sum()) if tokenizer.unknown_id is not None else 0
        used.update(set(ids.tolist()))
    n_bytes = sum(len(text.encode("utf-8", "surrogateescape")) for text in texts)
    n_words = sum(len(text.split()) for text in texts)
    return {
        "tokenizer": path,
        "step": step,
        "vocab_size": tokenizer.vocab_size,
        "n_tokens": n_tokens,
        "bytes_per_token": _ratio(n_bytes, n_tokens),
        "chars_per_token": _ratio(sum(map(len, texts)), n_tokens),
        "fertility": _ratio(n_tokens, n_words),
        "n_unknown": n_unknown,
        "n_types_used": len(used),
    }


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, DIGITS) if whole else 0.0


def _steps(text: str) -> list[int]:
    return [whole_number(part.strip()) for part in text.split(",")]
