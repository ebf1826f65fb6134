"""Removes the tokens of a tokenizer that some text files use least, and writes the smaller
tokenizer.

Only tokens that no other token is made from are removed, the least used first. The command prints a
row for each, with its uses at that moment. It prints the total cost before it writes the tokenizer.
The cost may be less than the sum of the rows, because the parts of a removed token may merge with
their neighbours. The remaining tokens get new ids without gaps, in the same order. With --dry-run,
nothing is written.

If OUT is a folder, it also gets `id_map.json`, a map of old and new ids. --id-map FILE writes the
map elsewhere, or as an array of numpy: for each id the old one.

Example:
    bpe-studio prune -t tokenizer corpus.txt -o smaller --vocab-size 500
"""

from __future__ import annotations

import argparse

from bpe_studio.commands.extend import (
    add_change_arguments,
    load_to_change,
    say_what_is_kept,
    summary_of_change,
    write_change,
    write_id_map,
)
from bpe_studio.commands.options import whole_number
from bpe_studio.commands.output import say
from bpe_studio.commands.saving import save_tokenizer
from bpe_studio.files.changes.prune import prune


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    add_change_arguments(parser, "prune")
    parser.add_argument(
        "--vocab-size",
        metavar="N",
        type=whole_number,
        required=True,
        help="The number of tokens to keep",
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="Only print the tokens to remove and their cost"
    )


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Prunes, prints the cost, and writes the tokenizer."""
    tokenizer, corpus = load_to_change(options, parser)
    found = prune(tokenizer, corpus, options.vocab_size)
    before, after = found.n_tokens
    share = f" ({(after - before) / before:+.2%})" if before else ""
    say(
        f"Without {len(found.removed):,} of {tokenizer.vocab_size:,} tokens the text has {after:,}"
        f" tokens instead of {before:,}{share}"
    )
    if options.output != "-":
        rows = [(token.id, token.token, token.count) for token in found.removed]
        summary = summary_of_change(found.tokenizer, found.n_tokens, options)
        if options.dry_run:
            summary["output"] = None
        write_change(summary, "removed", ("id", "token", "used"), rows, options)
    if not options.dry_run:
        save_tokenizer(found.tokenizer, options.output, options.format)
        write_id_map(found.id_map, found.tokenizer, options)
        say(f"Wrote the vocabulary of {found.tokenizer.vocab_size:,} to {options.output}")
        say_what_is_kept(tokenizer, found.tokenizer, options.format)
