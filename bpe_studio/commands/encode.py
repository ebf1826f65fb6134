"""Turns text into token ids and prints them on one line, separated by spaces. Each record of a file
has a line of its own.

With --lines, each line of the text has a line of ids. With --output, the ids go to a numpy file: a
.npy file has all ids, as int32. A .npz file also has `offsets`; the ids of text i are
ids[offsets[i]:offsets[i + 1]].

With --json, prints one object: ids, tokens, offsets (code-point positions in the given text),
attention_mask and token_type_ids. Lengths, sides, special tokens and second texts work as in
Transformers.

Example:
    bpe-studio encode -t tokenizer --text "hello world"
"""

from __future__ import annotations

import argparse
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from bpe_studio.commands.options import (
    add_input_options,
    add_split_option,
    add_through_option,
    at_step,
    check_one_text,
    load_tokenizer,
    reading_from,
    text_argument,
    whole_number,
)
from bpe_studio.commands.output import say, write_result
from bpe_studio.engine.encoding.batching import BatchOptions, text_tuples
from bpe_studio.engine.encoding.encoded_texts import EncodedTexts
from bpe_studio.engine.encoding.tokenizer import Encoding, Tokenizer
from bpe_studio.explain.wording import json_line, plural

STRATEGIES = {
    "--padding": ("longest", "max_length", "do_not_pad"),
    "--truncation": ("longest_first", "only_first", "only_second", "do_not_truncate"),
}
SIDES = ("right", "left")
_LINES_TOGETHER = 100_000
COLUMNS = ("ids", "tokens", "offsets", "attention_mask", "token_type_ids")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "-t", "--tokenizer", metavar="TOKENIZER", required=True, help="A tokenizer's folder or file"
    )
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help='The text to encode; "-", or no file, is standard input',
    )
    parser.add_argument("--text", type=text_argument, help="The text itself instead of a file")
    parser.add_argument(
        "--chat",
        action="store_true",
        help="Read messages as JSON, and encode them with the chat template",
    )
    parser.add_argument(
        "--lines", action="store_true", help="Encode each line by itself, without its line break"
    )
    parser.add_argument(
        "-o", "--output", metavar="OUT", help="Write the ids to a .npy or .npz file of numpy"
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="Print ids, tokens, offsets and masks as one JSON object",
    )
    parser.add_argument(
        "--step", metavar="K", type=whole_number, help="Use only the first K merges (default: all)"
    )
    parser.add_argument(
        "--dropout",
        metavar="P",
        type=float,
        help="Drop each merge with this probability (BPE-dropout), such as 0.1",
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=whole_number,
        help="The seed of --dropout; the same seed gives the same ids",
    )
    parser.add_argument(
        "--add-special-tokens",
        action="store_true",
        help="Add the special tokens that the tokenizer puts around a text",
    )
    parser.add_argument(
        "--recognize-special",
        action=argparse.BooleanOptionalAction,
        help=(
            "Treat the text of a special token as that token, or as text (default: as that token,"
            " unless the tokenizer's files say otherwise)"
        ),
    )
    parser.add_argument(
        "--max-length", metavar="N", type=whole_number, help="The length to truncate or pad to"
    )
    _add_strategy(
        parser, "--padding", "Pad to max_length; longest, the default, leaves one text as it is"
    )
    _add_strategy(parser, "--truncation", "Cut off tokens beyond the maximum length")
    parser.add_argument(
        "--text-pair", metavar="TEXT", type=text_argument, help="A second text for the same input"
    )
    parser.add_argument(
        "--padding-side", choices=SIDES, help="The side to pad (default: that of the tokenizer)"
    )
    parser.add_argument(
        "--truncation-side",
        choices=SIDES,
        help="The side from which --truncation cuts (default: that of the tokenizer)",
    )
    parser.add_argument(
        "--pad-to-multiple-of", metavar="N", type=whole_number, help="Pad to a multiple of N tokens"
    )
    parser.add_argument(
        "--special-tokens-mask", action="store_true", help="Add special_tokens_mask to the object"
    )
    parser.add_argument(
        "--overflowing",
        action="store_true",
        help="Add to the object a list of the parts that are cut off",
    )
    parser.add_argument(
        "--stride",
        metavar="N",
        type=whole_number,
        default=0,
        help="Let the parts of --overflowing overlap by N tokens (default: 0)",
    )
    add_split_option(parser)
    add_through_option(parser)
    add_input_options(parser)


def prepared(arguments: list[str]) -> list[str]:
    """The arguments with each strategy joined to its option, so that argparse does not take a file
    as the strategy.
    """
    joined: list[str] = []
    waiting = list(arguments)
    while waiting:
        word = waiting.pop(0)
        values = STRATEGIES.get(word)
        if values is not None:
            value = waiting.pop(0) if waiting and waiting[0] in values else values[0]
            word = f"{word}={value}"
        joined.append(word)
    return joined


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Encodes the text and prints the result."""
    check_one_text(options, parser)
    if options.output is not None:
        _check_output(options, parser)
    strategies = BatchOptions(
        options.padding or False,
        options.truncation,
        options.max_length,
        stride=options.stride,
        pad_to_multiple_of=options.pad_to_multiple_of,
        padding_side=options.padding_side,
        truncation_side=options.truncation_side,
        keeps_rest=options.overflowing,
    )
    tokenizer = load_tokenizer(options.tokenizer, options.split, options.through)
    if options.step is not None:
        tokenizer = at_step(options.tokenizer, tokenizer, options.step)
    if options.dropout is not None:
        tokenizer = tokenizer.with_dropout(options.dropout, options.seed)
    texts = _texts_together(options)
    if options.chat:
        texts = _chats(tokenizer, options)
    if options.json:
        for text in chain.from_iterable(texts):
            write_result(json_line(_described(tokenizer, text, strategies, options)))
        return
    found = (_ids(tokenizer, together, strategies, options) for together in texts)
    if options.output is not None:
        _write_arrays(EncodedTexts.joined(list(found)), options.output)
        return
    for some in found:
        write_result("".join(" ".join(map(str, ids)) + "\n" for ids in some.tolist()))


def _check_output(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    suffix = os.path.splitext(options.output)[1]
    if options.json:
        parser.error("--output writes ids alone: leave out --json")
    if suffix not in (".npy", ".npz"):
        parser.error("--output takes the name of a file that ends in .npy or .npz")
    if options.lines and suffix == ".npy":
        parser.error(
            "--output with --lines needs a file that ends in .npz, which also holds where each line"
            " begins"
        )
    from bpe_studio.commands.saving import check_place  # most calls do not need its modules

    check_place(options.output)


def _texts(options: argparse.Namespace) -> Iterable[str]:
    """The text to encode, or each text of a file with records."""
    if options.text is not None:
        return [options.text]
    # Imported here, because a text on the command line does not need its modules.
    from bpe_studio.commands.reading import read_one

    reading = reading_from(options)
    if options.chat:
        reading = replace(reading, is_plain=True)
    return read_one(options.file, reading)


def _texts_together(options: argparse.Namespace) -> Iterator[list[str]]:
    """Each text by itself; with --lines, many lines of a text together."""
    for text in _texts(options):
        if not options.lines:
            yield [text]
            continue
        lines = text.removesuffix("\n").split("\n") if text else []
        for first in range(0, len(lines), _LINES_TOGETHER):
            yield [line.removesuffix("\r") for line in lines[first : first + _LINES_TOGETHER]]


def _chats(tokenizer: Tokenizer, options: argparse.Namespace) -> Iterator[list[str]]:
    """The texts of the chats in a JSON file."""
    from bpe_studio.files.json_parts import parse_json

    for text in _texts(options):
        messages = parse_json(text.encode("utf-8", "surrogateescape"), "The chat")
        found = tokenizer.apply_chat_template(messages, tokenize=False)
        if isinstance(found, str):
            found = [found]
        yield found


def _ids(
    tokenizer: Tokenizer,
    texts: Sequence[str],
    strategies: BatchOptions,
    options: argparse.Namespace,
) -> EncodedTexts:
    is_plain = not (options.add_special_tokens or options.text_pair)
    if not is_plain or strategies.truncates or options.padding is not None:
        inputs = [_inputs(tokenizer, text, strategies, options)[0] for text in texts]
        return EncodedTexts.of_encodings(inputs)
    # Only ids are requested, which is many times faster.
    return tokenizer.encode_many(texts, as_arrays=True, recognize_special=options.recognize_special)


def _write_arrays(found: EncodedTexts, path: str) -> None:
    data = io.BytesIO()
    if path.endswith(".npz"):
        np.savez(data, ids=found.ids, offsets=found.offsets)
    else:
        np.save(data, found.ids)
    from bpe_studio.files.atomic_file import atomic_write

    atomic_write(path, data.getvalue())
    say(f"Wrote {plural(len(found.ids), 'id')} of {plural(len(found), 'text')} to {path}")


def _inputs(
    tokenizer: Tokenizer, text: str, strategies: BatchOptions, options: argparse.Namespace
) -> Sequence[Encoding]:
    """The input of a model, followed by the parts that were cut off."""
    return tokenizer.inputs(
        text_tuples(text, options.text_pair),
        strategies,
        add_special_tokens=options.add_special_tokens,
        recognize_special=options.recognize_special,
    ).encodings()


def _described(
    tokenizer: Tokenizer, text: str, strategies: BatchOptions, options: argparse.Namespace
) -> dict[str, Any]:
    kept, *cut_off = _inputs(tokenizer, text, strategies, options)
    columns = (*COLUMNS, "special_tokens_mask") if options.special_tokens_mask else COLUMNS
    found: dict[str, Any] = _columns(kept, columns)
    if options.overflowing:
        found["overflowing"] = [_columns(each, columns) for each in cut_off]
    return found


def _add_strategy(parser: argparse.ArgumentParser, option: str, words: str) -> None:
    values = STRATEGIES[option]
    parser.add_argument(
        option,
        nargs="?",
        const=values[0],
        choices=values,
        metavar="STRATEGY",
        help=f"{words} ({', '.join(values)}; alone: {values[0]})",
    )


def _columns(encoding: Encoding, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(encoding, name) for name in names}
