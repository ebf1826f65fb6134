"""Trains more merges on top of an existing tokenizer, from text files, and writes the extended
tokenizer.

Old tokens keep their ids, and new ones follow them. A text in which no new merge applies keeps its
ids. The command prints a row for each new merge, with the number of tokens that it saves. If a
tokenizer runs in its own library, it is extended in its own file; everything else in it stays.

With --replace-unused, new tokens take the ids of tokens that the text does not use. So the
embedding of a model keeps its size. All other tokens keep their ids.

If OUT is a folder, it also gets `id_map.json`. The map has the kept ids, as [old, new]; the removed
ids; and the new ids, each with the old ids of its parts. --id-map FILE writes the map elsewhere, or
as an array of numpy: for each id the old one, or -1.

Example:
    bpe-studio extend -t tokenizer more.txt -o larger --vocab-size 10k
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, say, write_result
from bpe_studio.commands.reading import read_corpus, read_texts
from bpe_studio.commands.saving import (
    TOKENIZER_FORMATS,
    check_format,
    check_map_place,
    check_place,
    save_tokenizer,
    write_numbers,
)
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.wording import json_line, plural
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.changes.extend import extend
from bpe_studio.files.changes.id_map import IdMap
from bpe_studio.files.changes.kinds import changeable
from bpe_studio.files.formats.registry import FORMATS, kept

MAP_NAME = "id_map.json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    add_change_arguments(parser, "extend")
    parser.add_argument(
        "--vocab-size", metavar="N", type=shared.whole_number, help="The total number of tokens"
    )
    parser.add_argument(
        "--replace-unused",
        action="store_true",
        help="Give the ids of tokens that the text does not use to new ones; alone: keep the size",
    )


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Trains, writes the tokenizer and prints the new merges."""
    if options.vocab_size is None and not options.replace_unused:
        parser.error("give --vocab-size N, or --replace-unused to keep the present size")
    tokenizer, corpus = load_to_change(options, parser)
    with ProgressBar("Learning") as bar:
        found = extend(
            tokenizer,
            corpus,
            options.vocab_size,
            bar.update,
            replace_unused=options.replace_unused,
        )
    save_tokenizer(found.tokenizer, options.output, options.format)
    write_id_map(found.id_map, found.tokenizer, options)
    before, after = found.n_tokens
    if options.output != "-":
        rows = []
        for merge in found.merges:
            number = found.tokenizer.convert_tokens_to_ids(merge.token)
            rows.append((number, merge.token, merge.left, merge.right, merge.count))
        summary = {
            **summary_of_change(found.tokenizer, found.n_tokens, options),
            "n_left_out": found.n_left_out,
            "stop_reason": found.stop_reason,
        }
        write_change(summary, "merges", ("id", "token", "left", "right", "saves"), rows, options)
    left_out = ""
    if found.n_left_out:
        left_out = f"; skipped {found.n_left_out:,} words with unknown characters"
    if options.replace_unused:
        say(f"Replaced {plural(len(found.removed), 'token')} that the text does not use")
    say(
        f"Added {len(found.merges):,} merges to {tokenizer.vocab_size:,} tokens"
        f" ({found.stop_reason}): the text has {after:,} tokens instead of {before:,}{left_out};"
        f" wrote the vocabulary of {found.tokenizer.vocab_size:,} to {options.output}"
    )
    say_what_is_kept(tokenizer, found.tokenizer, options.format)


def summary_of_change(
    after: Tokenizer, n_tokens: tuple[int, int], options: argparse.Namespace
) -> dict[str, object]:
    """The summary of a change for --json, with the tokens of the text before and after."""
    return {
        "output": options.output,
        "format": options.format,
        "vocab_size": after.vocab_size,
        "n_tokens_before": n_tokens[0],
        "n_tokens": n_tokens[1],
    }


def write_change(
    summary: dict[str, object],
    what: str,
    head: Sequence[str],
    rows: Sequence[Sequence[object]],
    options: argparse.Namespace,
) -> None:
    """Prints the rows of a change; with --json, the summary with these rows as objects."""
    if options.json:
        listed = [dict(zip(head, row, strict=True)) for row in rows]
        write_result(json_line({**summary, what: listed}))
        return
    lines = ["\t".join(map(str, row)) for row in (head, *rows)]
    write_result("\n".join(lines) + "\n")


def add_change_arguments(parser: argparse.ArgumentParser, verb: str) -> None:
    """Adds the text files, the tokenizer that is read and the one that is written.

    Args:
        parser: the command's parser.
        verb: "extend" or "prune".
    """
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "-t", "--tokenizer", metavar="TOK", required=True, help=f"The tokenizer to {verb}"
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help="The folder or file to write"
    )
    parser.add_argument(
        "--id-map",
        metavar="FILE",
        help=(
            f"Write a map of old and new ids to a .json or .npy file (default: {MAP_NAME} in OUT,"
            " if that is a folder)"
        ),
    )
    parser.add_argument(
        "--format",
        choices=TOKENIZER_FORMATS,
        help=(
            "The format of OUT (default: that of TOK if its own library runs it, otherwise"
            " huggingface)"
        ),
    )
    shared.add_summary_option(parser, " instead of rows")
    shared.add_split_option(parser)
    shared.add_input_options(parser)


def load_to_change(
    options: argparse.Namespace, parser: argparse.ArgumentParser
) -> tuple[Tokenizer, Corpus | Iterable[str]]:
    """The tokenizer, and the text; checks first that the changed tokenizer can be written.

    Sets `options.format` if it was not given.

    Raises:
        BpeError: the output cannot be written, or the tokenizer or a file cannot be read.
    """
    shared.check_summary(parser, options.json, options.output)
    if options.id_map is not None:
        check_map_place(options.id_map, parser)
    if options.format is not None:
        check_place(options.output, options.format)
    tokenizer = shared.load_tokenizer(options.tokenizer, options.split)
    options.format = options.format or tokenizer.own_format or "huggingface"
    check_place(options.output, options.format)
    check_format(tokenizer, options.format)
    reading = shared.reading_from(options)
    cuts_as = changeable(tokenizer).cuts_as
    if cuts_as is None:
        return tokenizer, read_texts(options.files, reading)
    return tokenizer, read_corpus(options.files, cuts_as, reading)[0]


def write_id_map(id_map: IdMap, after: Tokenizer, options: argparse.Namespace) -> None:
    """Writes the map of old and new ids, if there is a place for it."""
    path = options.id_map
    if path is None and FORMATS[options.format].is_folder:
        path = os.path.join(options.output, MAP_NAME)
    if path is None:
        return
    if path.endswith(".npy"):
        write_numbers(id_map.old_ids, path)
    else:
        atomic_write(path, json_line(id_map.as_json(after)))


def say_what_is_kept(before: Tokenizer, after: Tokenizer, format_name: str) -> None:
    """Says what the file of a changed tokenizer keeps of the original one."""
    after.left_files = before.left_files
    say(kept(after, format_name).sentence)
