"""Trains more merges on top of an existing tokenizer, from text files, and writes the extended
tokenizer.

Old tokens keep their ids, and new ones follow them. A text in which no new merge applies keeps its
ids. The command prints a row for each new merge, with the number of tokens that it saves. If a
tokenizer runs in its own library, it is extended in its own file; everything else in it stays.

Example:
    bpe-studio extend -t tokenizer more.txt -o larger --vocab-size 10k
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, say, write_result
from bpe_studio.commands.reading import read_corpus, read_texts
from bpe_studio.commands.saving import TOKENIZER_FORMATS, check_format, check_place, save_tokenizer
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.changes.extend import extend
from bpe_studio.files.changes.kinds import changeable
from bpe_studio.files.formats.registry import kept


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
    left_out = (
        f"; skipped {found.n_left_out:,} words with unknown characters" if found.n_left_out else ""
    )
    say(
        f"Added {len(found.merges):,} merges to {tokenizer.vocab_size:,} tokens"
        f" ({found.stop_reason}): the text has {after:,} tokens instead of {before:,}{left_out};"
        f" wrote the vocabulary of {found.tokenizer.vocab_size:,} to {options.output}"
    )
    say_what_is_kept(tokenizer, found.tokenizer, options.format)


def add_change_arguments(parser: argparse.ArgumentParser, verb: str, size_help: str) -> None:
    """Adds the text files, the tokenizer that is read and the one that is written.

    Args:
        parser: the command's parser.
        verb: what is done to the tokenizer, such as "extend".
        size_help: what its number of tokens means.
    """
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "-t", "--tokenizer", metavar="TOK", required=True, help=f"The tokenizer to {verb}"
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="The folder or file to write"
    )
    parser.add_argument(
        "--vocab-size", metavar="N", type=shared.whole_number, required=True, help=size_help
    )
    parser.add_argument(
        "--format",
        choices=TOKENIZER_FORMATS,
        help=(
            "The format of OUT (default: that of TOK if its library is to run it, otherwise"
            " huggingface)"
        ),
    )
    shared.add_split_option(parser)
    shared.add_input_options(parser)


def load_to_change(options: argparse.Namespace) -> tuple[Tokenizer, Corpus | Iterable[str]]:
    """The tokenizer, once it is certain that the changed one can be written, and the text; the
    options get its format.

    Raises:
        BpeError: the output cannot be written, or the tokenizer or a file cannot be read.
    """
    if options.format is not None:
        check_place(options.output, options.format)
    tokenizer = shared.load_tokenizer(options.tokenizer, options.split)
    options.format = options.format or tokenizer.own_format or "huggingface"
    check_place(options.output, options.format)
    check_format(tokenizer, options.format)
    reading = shared.reading_from(options)
    cuts_as = changeable(tokenizer).cuts_as
    text = (
        read_texts(options.files, reading)
        if cuts_as is None
        else read_corpus(options.files, cuts_as, reading)[0]
    )
    return tokenizer, text


def say_what_is_kept(before: Tokenizer, after: Tokenizer, format_name: str) -> None:
    """Says what the file of a changed tokenizer keeps of the one that it was made of."""
    after.left_files = before.left_files
    say(kept(after, format_name).sentence)
