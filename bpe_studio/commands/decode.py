"""Turns token ids into text and prints it exactly.

The command adds no line break at the end. Bytes that are not valid UTF-8 become U+FFFD.

Example:
    bpe-studio decode -t tokenizer 71 68 75
"""

from __future__ import annotations

import argparse
import re
import sys

from bpe_studio.commands.options import load_tokenizer
from bpe_studio.commands.output import write_result
from bpe_studio.errors import BpeError, VocabularyError

MOST_DIGITS = 18


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "-t", "--tokenizer", metavar="TOKENIZER", required=True, help="A tokenizer's folder or file"
    )
    parser.add_argument(
        "ids", metavar="ID", nargs="*", help="Token ids; read from standard input if none is given"
    )
    parser.add_argument("--skip-special-tokens", action="store_true", help="Omit special tokens")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Decodes the ids and prints the text."""
    tokenizer = load_tokenizer(options.tokenizer)
    given = options.ids if options.ids not in ([], ["-"]) else [_standard_input()]
    ids: list[int] = []
    for part in given:
        words = re.split(r"[\s,]+", part.strip(" \t\r\n[]"))
        ids += [_id(word) for word in words if word]
    write_result(tokenizer.decode(ids, skip_special_tokens=options.skip_special_tokens))


def _id(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise VocabularyError(
            f"{word[:40]!r} is not a token id; ids are whole numbers, separated by spaces"
        )
    digits = word.lstrip("0") or "0"
    if len(digits) > MOST_DIGITS:
        raise VocabularyError(
            f"There is no token with the id {digits[:20]}…, a number of {len(digits):,} digits"
        )
    return int(digits)


def _standard_input() -> str:
    text = "" if sys.stdin is None else sys.stdin.read()
    if not text:
        raise BpeError("There are no ids on standard input: give them after the tokenizer")
    return text
