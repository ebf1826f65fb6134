"""Loads the tokenizers that commands are given, and says what a person should know about how they were read."""

from __future__ import annotations

import argparse

from bpe_studio.commands.output import say
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.presets import KEEPING_SPLITS
from bpe_studio.files.foreign.opening import load


def add_split_option(parser: argparse.ArgumentParser) -> None:
    """Adds the option for ranks of tiktoken, which do not say how text is split."""
    parser.add_argument(
        "--split",
        metavar="SPLIT",
        help=f"How text is split, if the tokenizer's file does not say it: {', '.join(KEEPING_SPLITS)}, or "
        "regex:PATTERN",
    )


def load_tokenizer(path: str, split: str | None = None) -> Tokenizer:
    """A tokenizer; what was guessed is said on standard error.

    Raises:
        TokenizerFormatError: as for `load`.
    """
    tokenizer = load(path, split=split)
    for notice in tokenizer.notices:
        say(notice)
    return tokenizer
