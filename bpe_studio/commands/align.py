"""Lines up the tokens of a text in two tokenizers, A and B.

Prints the shortest groups of tokens that begin and end together, one JSON object a line: `start`
and `end` are code points of the text, `a` and `b` are ids. The groups cover the whole text. Where a
tokenizer leaves text out, its list of ids is empty. With several records, each line also has the
number of its record, `document`, from 0. A message says how many groups are one token in both.

--id-map writes, for each id of B, the id of the same token in A, or -1 if A does not have it: as a
list in a .json file, or as an array in a .npy file of numpy. Without a text, only the map is
written. `diff` lists the tokens that only one has.

Example:
    bpe-studio align tokenizer other --text "hello world"
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from bpe_studio.commands.options import (
    FILE_HELP,
    add_input_options,
    add_split_option,
    check_one_text,
    load_tokenizer,
    reading_from,
    text_argument,
)
from bpe_studio.commands.output import say, write_result
from bpe_studio.commands.reading import read_one
from bpe_studio.commands.saving import check_map_place, write_numbers
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.alignment import align, alone_sentences, id_map, summary
from bpe_studio.explain.wording import json_line, number, plural


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("a", metavar="A", help="A tokenizer's folder or file")
    parser.add_argument("b", metavar="B", help="Another tokenizer")
    parser.add_argument("file", metavar="FILE", nargs="?", help=FILE_HELP)
    parser.add_argument("--text", type=text_argument, help="The text itself instead of a file")
    parser.add_argument(
        "--id-map",
        metavar="FILE",
        help="Write the id in A of each token of B to a .json or .npy file",
    )
    add_split_option(parser)
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Lines up the text, and writes the map."""
    check_one_text(options, parser, is_needed=options.id_map is None)
    if options.id_map is not None:
        check_map_place(options.id_map, parser)
    has_text = options.text is not None or options.file is not None
    a = load_tokenizer(options.a, options.split)
    b = load_tokenizer(options.b, options.split)
    if options.id_map is not None:
        _write_map(a, b, options.id_map)
    if has_text or options.id_map is None:
        _line_up(a, b, _texts(options))


def _texts(options: argparse.Namespace) -> list[str]:
    if options.text is not None:
        return [options.text]
    return list(read_one(options.file, reading_from(options)))


def _write_map(a: Tokenizer, b: Tokenizer, path: str) -> None:
    found = id_map(a, b)
    write_numbers(found, path)
    n_common = int(np.count_nonzero(found >= 0))
    say(
        f"Wrote {path}: {number(n_common)} of the {plural(b.vocab_size, 'token')} of B are in A,"
        f" which has {number(a.vocab_size)}"
    )


def _line_up(a: Tokenizer, b: Tokenizer, texts: Sequence[str]) -> None:
    found = []
    for document, text in enumerate(texts):
        alignment = align(a, b, text)
        found.append(alignment)
        head = {"document": document} if len(texts) > 1 else {}
        lines = [json_line({**head, **group._asdict()}) for group in alignment]
        write_result("".join(lines))
    say(summary(found))
    for sentence in alone_sentences(found, a, b):
        say(sentence)
