"""What the commands share that change a tokenizer by what occurs in a text: their arguments, and what they read."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from bpe_studio.commands import options as shared
from bpe_studio.commands.loading import add_split_option, load_tokenizer
from bpe_studio.commands.output import say
from bpe_studio.commands.reading import read_corpus, read_texts
from bpe_studio.commands.saving import TOKENIZER_FORMATS, check_format, check_place
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.files.changes.kinds import changeable
from bpe_studio.files.formats.registry import kept


def add_change_arguments(parser: argparse.ArgumentParser, verb: str, size_help: str) -> None:
    """Adds the text files, the tokenizer that is read and the one that is written.

    Args:
        parser: the command's parser.
        verb: what is done to the tokenizer, such as "extend".
        size_help: what its number of tokens means.
    """
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument("-t", "--tokenizer", metavar="TOK", required=True, help=f"The tokenizer to {verb}")
    parser.add_argument("-o", "--output", metavar="OUT", required=True, help="The folder or file to write")
    parser.add_argument("--vocab-size", metavar="N", type=shared.whole_number, required=True, help=size_help)
    parser.add_argument(
        "--format",
        choices=TOKENIZER_FORMATS,
        help="The format of OUT (default: that of TOK if its library is to run it, otherwise huggingface)",
    )
    add_split_option(parser)
    shared.add_input_options(parser)


def load_to_change(options: argparse.Namespace) -> tuple[Tokenizer, Corpus | Iterable[str]]:
    """The tokenizer, once it is certain that the changed one can be written, and the text; the options get its format.

    Raises:
        BpeError: the output cannot be written, or the tokenizer or a file cannot be read.
    """
    if options.format is not None:
        check_place(options.output, options.format)
    tokenizer = load_tokenizer(options.tokenizer, options.split)
    options.format = options.format or tokenizer.own_format or "huggingface"
    check_place(options.output, options.format)
    check_format(tokenizer, options.format)
    reading, cuts_as = shared.reading_from(options), changeable(tokenizer).cuts_as
    text = read_texts(options.files, reading) if cuts_as is None else read_corpus(options.files, cuts_as, reading)[0]
    return tokenizer, text


def say_what_is_kept(before: Tokenizer, after: Tokenizer, format_name: str) -> None:
    """Says what the file of a changed tokenizer keeps of the one that it was made of."""
    after.left_files = before.left_files
    say(kept(after, format_name).sentence)
