"""Reads a tokenizer in any format, recognized by its content, and writes it in another."""

from __future__ import annotations

import argparse

from bpe_studio.commands.loading import add_split_option, load_tokenizer
from bpe_studio.commands.output import say
from bpe_studio.commands.saving import format_names, save_tokenizer
from bpe_studio.files.formats.registry import FORMATS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("input", metavar="IN", help="A tokenizer's folder or file")
    parser.add_argument("output", metavar="OUT", help='Where to write; "-" is standard output, for formats of one file')
    parser.add_argument("--to", metavar="FORMAT", required=True, choices=format_names(), help=", ".join(format_names()))
    add_split_option(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Reads the tokenizer and writes it."""
    tokenizer = load_tokenizer(options.input, options.split)
    save_tokenizer(tokenizer, options.output, options.to)
    if options.output != "-":
        say(f"Wrote {options.output} in the {options.to} format: {tokenizer.vocab_size:,} tokens")
        say(FORMATS[options.to].kept)
