"""Trains more merges on top of an existing tokenizer, from text files, and writes the extended tokenizer.

Old tokens keep their ids, and new ones follow them. A text in which no new merge applies keeps its ids. A row is
printed for each new merge, with the number of tokens that it saves. A tokenizer that runs in its own library is
extended in its own file; everything else in the file stays.

Example:
    bpe-studio extend -t tokenizer more.txt -o larger --vocab-size 10k
"""

from __future__ import annotations

import argparse

from bpe_studio.commands.changing import add_change_arguments, load_to_change, say_what_is_kept
from bpe_studio.commands.output import ProgressBar, say, write_result
from bpe_studio.commands.saving import save_tokenizer
from bpe_studio.files.changes.extend import extend


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    add_change_arguments(parser, "extend", "The total number of tokens")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Trains, writes the tokenizer and prints the new merges."""
    tokenizer, corpus = load_to_change(options)
    with ProgressBar("Learning") as bar:
        found = extend(tokenizer, corpus, options.vocab_size, bar.update)
    save_tokenizer(found.tokenizer, options.output, options.format)
    if options.output != "-":
        rows = ["id\ttoken\tleft\tright\tsaves"]
        for merge in found.merges:
            number = found.tokenizer.convert_tokens_to_ids(merge.token)
            rows.append(f"{number}\t{merge.token}\t{merge.left}\t{merge.right}\t{merge.count}")
        write_result("\n".join(rows) + "\n")
    before, after = found.n_tokens
    left_out = f"; skipped {found.n_left_out:,} words with unknown characters" if found.n_left_out else ""
    say(
        f"Added {len(found.merges):,} merges to {tokenizer.vocab_size:,} tokens ({found.stop_reason}): the text has "
        f"{after:,} tokens instead of {before:,}{left_out}; wrote the vocabulary of {found.tokenizer.vocab_size:,} to "
        f"{options.output}"
    )
    say_what_is_kept(tokenizer, found.tokenizer, options.format)
