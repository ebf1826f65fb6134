"""Counts the tokens of a text under several tokenizers, or under one at several numbers of merges.

Prints tab-separated rows with a header line; several files count as one text. Fertility is tokens per word separated by
white space.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bpe_studio.commands.loading import add_tokenizers_at_steps, tokenizers_at_steps
from bpe_studio.commands.options import FILE_HELP, add_input_options, reading_from
from bpe_studio.commands.output import ProgressBar, write_rows
from bpe_studio.commands.reading import read_texts
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.group_measures import Row, ratio


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=FILE_HELP)
    add_tokenizers_at_steps(parser)
    parser.add_argument("--json", action="store_true", help="Print a list of objects instead of rows")
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Counts the tokens and prints the rows."""
    settings = tokenizers_at_steps(options)
    texts = list(read_texts(options.files, reading_from(options)))
    rows = []
    with ProgressBar("Comparing") as bar:
        for place, (path, step, tokenizer) in enumerate(settings):
            bar.update(place, len(settings), path)
            rows.append(_row(path, step, tokenizer, texts))
    write_rows(rows, options.json)


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
        "bytes_per_token": ratio(n_bytes, n_tokens),
        "chars_per_token": ratio(sum(map(len, texts)), n_tokens),
        "fertility": ratio(n_tokens, n_words),
        "n_unknown": n_unknown,
        "n_types_used": len(used),
    }
