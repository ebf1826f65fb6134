"""Counts the tokens of a text under several tokenizers, or under one at several numbers of merges.

Prints tab-separated rows with a header line; several files count as one text. Fertility is tokens per word separated by
white space.

Example:
    bpe-studio compare -t tokenizer --steps 100,200 corpus.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from bpe_studio.commands.loading import add_tokenizers_at_steps, tokenizers_at_steps
from bpe_studio.commands.options import FILE_HELP, add_input_options, reading_from
from bpe_studio.commands.output import ProgressBar, write_rows
from bpe_studio.commands.reading import read_texts
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.group_measures import Row, ratio
from bpe_studio.files.third_party.piece_counting import tokens_in_texts
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_LARGE = 1_000_000
"""From so many characters on, the distinct pieces of a text take less time than the text, and to prove them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=FILE_HELP)
    add_tokenizers_at_steps(parser)
    parser.add_argument("--json", action="store_true", help="Print a JSON list of objects instead of rows")
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
    counts = token_counts(tokenizer, texts)
    n_tokens, unknown = int(counts.sum()), tokenizer.unknown_id
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
        "n_unknown": 0 if unknown is None else int(counts[unknown]),
        "n_types_used": int(np.count_nonzero(counts)),
    }


def token_counts(tokenizer: Tokenizer, texts: Sequence[str]) -> Int64Array:
    """(n,) int64, how often each token occurs."""
    counts = np.zeros(max(tokenizer.tokens, default=0) + 1, np.int64)
    if isinstance(tokenizer, ThirdPartyTokenizer) and sum(map(len, texts)) >= _LARGE:
        found = tokens_in_texts(tokenizer, texts)
        if found is not None:
            return found
    for text in texts:
        counts += np.bincount(tokenizer.encode_ids(text), minlength=len(counts))
    return counts
