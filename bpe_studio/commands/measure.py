"""Measures how tokenizers cut a text, at any numbers of merges, as a whole and by group.

Prints tab-separated rows with a header line, one for each tokenizer, step and group; the group
"all" is the whole text. White space separates words. single_token_words is the share of words
that are one token; renyi_... and shannon are efficiencies, the entropy of the tokens divided by the
largest possible entropy; vocabulary_used is the share of the vocabulary that occurs; gini says how
unevenly the tokens occur, from 0 (evenly) to 1.

With --by, a sentence on standard error compares what the groups pay. It counts tokens per
character, because some scripts are written without spaces. If files or column values have the same
number of lines, it compares all their tokens.

Example:
    bpe-studio measure -t tokenizer --by script corpus.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from bpe_studio.commands.loading import add_tokenizers_at_steps, tokenizers_at_steps
from bpe_studio.commands.options import FILE_HELP, add_input_options, reading_from
from bpe_studio.commands.output import ProgressBar, Value, say, write_rows
from bpe_studio.commands.reading import read_texts, read_texts_by_column, read_texts_by_file
from bpe_studio.explain.group_measures import ALL, GroupMeasures

SCRIPT = "script"
FILE = "file"
COLUMN = "column:"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=FILE_HELP)
    add_tokenizers_at_steps(parser)
    parser.add_argument(
        "--by",
        metavar="GROUP",
        type=_group,
        help=(
            'Also measure each group: "script" for the scripts of words, "file" for files, or'
            ' "column:NAME" for the values of a column'
        ),
    )
    parser.add_argument(
        "--json", action="store_true", help="Print a JSON list of objects instead of rows"
    )
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Measures the texts and prints the rows."""
    if (options.by or "").startswith(COLUMN) and "-" in options.files:
        parser.error("standard input can be read only once: give a file to group by a column")
    settings = tokenizers_at_steps(options)
    counting = [
        GroupMeasures(tokenizer.vocab_size, by_script=options.by == SCRIPT)
        for _, _, tokenizer in settings
    ]
    with ProgressBar("Measuring") as bar:
        for place, (group, text) in enumerate(_texts(options)):
            bar.update(place, 0, group)
            for (_, _, tokenizer), measures in zip(settings, counting, strict=True):
                found = tokenizer.encode(text)
                measures.add(text, found.id_array, found.offset_array, group)
    rows: list[dict[str, Value]] = []
    for (path, step, tokenizer), measures in zip(settings, counting, strict=True):
        about: dict[str, Value] = {
            "tokenizer": path,
            "step": step,
            "vocab_size": tokenizer.vocab_size,
        }
        rows += [{**about, "group": group, **row} for group, row in measures.rows()]
    write_rows(rows, options.json)
    for (path, step, _), measures in zip(settings, counting, strict=True):
        if measures.price:
            say(f"{path}, step {step:,}: {'. '.join(measures.price)}")


def _texts(options: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Each text with its group."""
    reading = reading_from(options)
    if options.by == FILE:
        return read_texts_by_file(options.files, reading)
    if options.by is not None and options.by.startswith(COLUMN):
        return read_texts_by_column(options.files, reading, options.by.removeprefix(COLUMN))
    return ((ALL, text) for text in read_texts(options.files, reading))


def _group(text: str) -> str:
    if text in (SCRIPT, FILE) or (text.startswith(COLUMN) and text != COLUMN):
        return text
    raise argparse.ArgumentTypeError(
        f'{text!r} is not a group: give "script", "file" or "column:NAME"'
    )
