"""Removes the tokens of a tokenizer that some text files use least, and writes the smaller tokenizer.

Only tokens that no other token is made from are removed, the least used first; where one occurred, its two parts occur.
Prints a row for each of them, with how often it was used; what it costs in all comes before the tokenizer is written.
With --dry-run nothing is written. Ids are numbered anew without gaps, in the same order.
"""

from __future__ import annotations

import argparse

from bpe_studio.commands import options as shared
from bpe_studio.commands.loading import add_split_option, load_tokenizer
from bpe_studio.commands.output import say, write_result
from bpe_studio.commands.reading import read_corpus
from bpe_studio.commands.saving import check_place, save_tokenizer, tokenizer_formats
from bpe_studio.engine.training.pruning import prune


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument("-t", "--tokenizer", metavar="TOK", required=True, help="The tokenizer to prune")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="The folder or file to write")
    parser.add_argument(
        "--vocab-size", metavar="N", type=shared.whole_number, required=True, help="The number of tokens that remain"
    )
    parser.add_argument(
        "--format", choices=tokenizer_formats(), default="huggingface", help="The format of OUT (default: huggingface)"
    )
    parser.add_argument("--dry-run", action="store_true", help="Only say what would be removed and what it costs")
    add_split_option(parser)
    shared.add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Prunes, says what it costs, and writes the tokenizer."""
    check_place(options.output, options.format)
    tokenizer = load_tokenizer(options.tokenizer, options.split)
    corpus, _ = read_corpus(options.files, tokenizer.model.config, shared.reading_from(options))
    found = prune(tokenizer, corpus, options.vocab_size)
    before, after = found.n_tokens
    share = f" ({(after - before) / before:+.2%})" if before else ""
    say(
        f"Without {len(found.removed):,} of {tokenizer.vocab_size:,} tokens the text has {after:,} tokens instead of "
        f"{before:,}{share}"
    )
    if options.output != "-":
        rows = ["id\ttoken\tused", *(f"{token.id}\t{token.token}\t{token.count}" for token in found.removed)]
        write_result("\n".join(rows) + "\n")
    if not options.dry_run:
        save_tokenizer(found.tokenizer, options.output, options.format)
        say(f"Wrote the vocabulary of {found.tokenizer.vocab_size:,} to {options.output}")
