"""Loads the tokenizers that commands are given, and says what a person should know about how they
were read.
"""

from __future__ import annotations

import argparse

from bpe_studio.commands.options import whole_number
from bpe_studio.commands.output import ProgressBar, say
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.presets import KEEPING_SPLITS
from bpe_studio.files.loading import loading


def add_split_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option for files that do not say how text is split: ranks of tiktoken, and words of
    characters.
    """
    parser.add_argument(
        "--split",
        metavar="SPLIT",
        help=(
            "The split, if the tokenizer's file does not name it: for a tiktoken file"
            f" {', '.join(KEEPING_SPLITS)}, or regex:PATTERN; for vocab.json and merges.txt with"
            " </w>, whitespace"
        ),
    )


def add_through_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option for the ids of Transformers, instead of those of the library that defines the
    file.
    """
    parser.add_argument(
        "--through",
        choices=("transformers",),
        help="Take the ids from the installed Transformers (AutoTokenizer)",
    )


def add_tokenizers_at_steps(parser: argparse.ArgumentParser) -> None:
    """Adds the options for several tokenizers, each at several numbers of merges."""
    parser.add_argument(
        "-t",
        "--tokenizer",
        metavar="TOK",
        action="append",
        required=True,
        help="A tokenizer (repeat it for more)",
    )
    parser.add_argument(
        "--steps", metavar="K,K,...", type=_steps, help="Numbers of merges (default: all merges)"
    )
    add_split_option(parser)
    add_through_option(parser)


def tokenizers_at_steps(options: argparse.Namespace) -> list[tuple[str, int, Tokenizer]]:
    """The path, the step and the tokenizer at that step, for each that was asked for.

    Raises:
        TokenizerFormatError: one cannot be read.
        VocabularyError: one has no such step.
    """
    found = [
        (path, load_tokenizer(path, options.split, options.through)) for path in options.tokenizer
    ]
    at_steps = []
    for path, tokenizer in found:
        for step in options.steps or [tokenizer.n_merges]:
            at_steps.append((path, step, tokenizer.at(step)))
    return at_steps


def load_tokenizer(path: str, split: str | None = None, through: str | None = None) -> Tokenizer:
    """A tokenizer; what was guessed is said on standard error.

    Args:
        path: a folder, a file or an address.
        split: how text is split, if the file does not say it.
        through: the library that opens it; `None` for the one that defines the file.

    Raises:
        TokenizerFormatError: as for `load`.
    """
    if through:
        from bpe_studio.explain.tokenizer_diff.through import (
            loading_through,
        )  # most calls do without its modules

        job = loading_through(through, path, split)
    else:
        job = loading(path, split=split)
    with ProgressBar(f"Fetching {path}") as bar:
        tokenizer = result_of(job, lambda fetched: bar.update(*fetched))
    for notice in tokenizer.notices:
        say(notice)
    return tokenizer


def _steps(text: str) -> list[int]:
    return [whole_number(part.strip()) for part in text.split(",")]
