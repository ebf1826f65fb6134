"""Measures how tokenizers cut a text, at any numbers of merges, as a whole and by group.

Prints tab-separated rows with a header line, one for each tokenizer, step and group; the group
"all" is the whole text. White space separates words. single_token_words is the share of words that
are one token; renyi_... and shannon are efficiencies, the entropy of the tokens divided by the
largest possible entropy; vocabulary_used is the share of the vocabulary that occurs; gini says how
unevenly the tokens occur, from 0 (evenly) to 1.

--width, --layers and --context describe a model. Each row then has its parameters, and the
operations of a forward pass for each byte of the text. A token takes 2 (12 L d² + V d) + 2 L c d
operations (Kaplan et al. 2020, with the output layer added).

With --gold, each row says how well the tokens inside words agree with the parts of these words. The
file has a line for each word: the word, a tab, its parts with spaces between them, and perhaps a
tab and its group. The row of a group uses the words of that group, or of its script.

With --by, a sentence on standard error compares what the groups pay. It counts tokens per
character, because some scripts are written without spaces. If files or column values have the same
number of lines, it compares all their tokens.

Example:
    bpe-studio measure -t tokenizer --by script corpus.txt
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from bpe_studio.commands.options import (
    FILE_HELP,
    add_input_options,
    add_tokenizers_at_steps,
    reading_from,
    text_argument,
    tokenizers_at_steps,
    whole_number,
)
from bpe_studio.commands.output import ProgressBar, say, write_rows
from bpe_studio.commands.reading import read_texts, read_texts_by_column, read_texts_by_file
from bpe_studio.engine.analysis.size_advice import ModelShape
from bpe_studio.engine.encoding.boundaries import GoldWord, boundaries_of, load_gold
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.group_measures import ALL, GroupMeasures, Row, script_of_word
from bpe_studio.explain.wording import plural

if TYPE_CHECKING:
    from bpe_studio.commands.output import Value

SCRIPT = "script"
FILE = "file"
COLUMN = "column:"
AGREEMENT = ("boundary_precision", "boundary_recall", "boundary_f1", "whole_stems")
MODEL = {
    "width": "The size of its hidden states, d",
    "layers": "The number of its layers, L",
    "context": "The number of tokens that attend to each other, c",
}


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
        "--gold",
        metavar="FILE",
        type=text_argument,
        help="Words and their parts, to see whether tokens end where parts do",
    )
    model = parser.add_argument_group("what a size costs a model")
    for name, what in MODEL.items():
        model.add_argument(f"--{name}", metavar="N", type=whole_number, help=what)
    model.add_argument(
        "--tied", action="store_true", help="Input and output embeddings share one table"
    )
    parser.add_argument(
        "--json", action="store_true", help="Print a JSON list of objects instead of rows"
    )
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Measures the texts and prints the rows."""
    if (options.by or "").startswith(COLUMN) and "-" in options.files:
        parser.error("standard input can be read only once: give a file to group by a column")
    shape = _shape(options, parser)
    words = _gold_words(options.gold, by_script=options.by == SCRIPT)
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
        for group, row in measures.rows():
            gold = _agreement(tokenizer, words, group)
            rows.append({**about, "group": group, **row, **_costs(shape, tokenizer, row), **gold})
    write_rows(rows, options.json)
    for (path, step, _), measures in zip(settings, counting, strict=True):
        if measures.price:
            say(f"{path}, step {step:,}: {'. '.join(measures.price)}")


def _shape(options: argparse.Namespace, parser: argparse.ArgumentParser) -> ModelShape | None:
    """The model that the options describe; `None` for none."""
    numbers = [getattr(options, name) for name in MODEL]
    if numbers.count(None) == len(numbers) and not options.tied:
        return None
    if None in numbers:
        parser.error("a model has --width, --layers and --context: give all three")
    width, layers, context = numbers
    return ModelShape(width, layers, context, options.tied)


def _gold_words(path: str | None, *, by_script: bool) -> dict[str, list[GoldWord]]:
    """The gold words of each group, all of them first; none without a file."""
    if path is None:
        return {}
    words, n_left_out = load_gold(path)
    if n_left_out:
        say(
            f"{path}: {plural(n_left_out, 'line')} left out, because the word appeared before, or"
            " its parts do not add up to it"
        )
    groups = {ALL: words}
    for gold in words:
        group = script_of_word(gold.word) if by_script else gold.group
        if group:
            groups.setdefault(group, []).append(gold)
    return groups


def _agreement(
    tokenizer: Tokenizer, words: Mapping[str, Sequence[GoldWord]], group: str
) -> dict[str, Value]:
    """The agreement of the borders of tokens with the gold words of a group.

    A file is matched with a group by its name without folders and suffixes.
    """
    if not words:
        return {}
    of_group = words.get(group) or words.get(PurePath(group).name.partition(".")[0])
    if of_group is None:
        return {**dict.fromkeys(AGREEMENT), "n_gold_words": 0}
    found = boundaries_of(tokenizer, of_group)
    return {
        **dict(zip(AGREEMENT, found.at(0), strict=True)),
        "n_gold_words": found.n_words,
    }


def _costs(shape: ModelShape | None, tokenizer: Tokenizer, row: Row) -> Row:
    """The costs of the vocabulary for a model."""
    if shape is None:
        return {}
    size = tokenizer.vocab_size
    bytes_per_token = float(row["bytes_per_token"])
    flops = shape.flops_per_token(size) / bytes_per_token if bytes_per_token else 0.0
    return {"parameters": shape.parameters(size), "flops_per_byte": flops}


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
