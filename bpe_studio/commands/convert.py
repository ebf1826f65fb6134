"""Reads a tokenizer in any format, which is recognized by its content, and writes it in another.

With --corpus, the command reads the new file back, encodes each distinct word of the corpus with
both tokenizers, and prints the first words that differ.

Example:
    bpe-studio convert tokenizer tokenizer.tiktoken --to tiktoken
"""

from __future__ import annotations

import argparse
from functools import partial

from bpe_studio.commands.options import (
    add_input_options,
    add_split_option,
    add_summary_option,
    check_summary,
    load_tokenizer,
    reading_from,
)
from bpe_studio.commands.output import ProgressBar, on_one_line, say, write_result
from bpe_studio.commands.reading import read_corpus
from bpe_studio.commands.saving import FORMAT_NAMES, save_tokenizer
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.generators import result_of
from bpe_studio.explain.export_report import Tokens, reporting
from bpe_studio.explain.wording import json_line
from bpe_studio.files.formats.registry import kept

_WORDS = TrainingConfig.preset("gpt2", documents="file")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("input", metavar="IN", help="A tokenizer's folder or file")
    parser.add_argument(
        "output",
        metavar="OUT",
        help='Where to write; "-" is standard output, for formats of one file',
    )
    parser.add_argument(
        "--to", metavar="FORMAT", required=True, choices=FORMAT_NAMES, help=", ".join(FORMAT_NAMES)
    )
    parser.add_argument(
        "--corpus",
        metavar="FILE",
        action="append",
        help="Compare both tokenizers on the words of this text; repeat it for more files",
    )
    add_summary_option(parser, ", with the words that differ")
    add_split_option(parser)
    add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Reads the tokenizer, writes it and compares both."""
    if options.corpus and options.output == "-":
        parser.error("--corpus reads OUT again: name a file or folder")
    check_summary(parser, options.json, options.output)
    tokenizer = load_tokenizer(options.input, options.split)
    save_tokenizer(tokenizer, options.output, options.to)
    if options.output == "-":
        return
    say(f"Wrote {options.output} in the {options.to} format: {tokenizer.vocab_size:,} tokens")
    held = kept(tokenizer, options.to)
    say(held.sentence)
    summary: dict[str, object] = {
        "output": options.output,
        "format": options.to,
        "vocab_size": tokenizer.vocab_size,
        "keeps": held.keeps,
        "leaves_out": held.drops,
    }
    if not options.corpus:
        if options.json:
            write_result(json_line(summary))
        return
    # A tokenizer that is written as it is may cut texts as no split of ours does. Any words show
    # that it is the same.
    config = tokenizer.model.config if tokenizer.own_format is None else _WORDS
    corpus, _ = read_corpus(options.corpus, config, reading_from(options))
    read_again = partial(load_tokenizer, options.output, options.split)
    with ProgressBar("Comparing") as bar:
        job = reporting(lambda: tokenizer, read_again, options.output, options.to, corpus)
        report = result_of(job, lambda done: bar.update(*done))
    say(report.sentence)
    head = ("word", "before", "after")
    if options.json:
        differing = []
        for each in report.comparison.examples:
            differing.append({"word": each.word, "before": each.before, "after": each.after})
        write_result(json_line({**summary, "differing": differing}))
        return
    rows = [
        (on_one_line(each.word), _shown(each.before), _shown(each.after))
        for each in report.comparison.examples
    ]
    if rows:
        write_result("".join("\t".join(row) + "\n" for row in [head, *rows]))


def _shown(tokens: Tokens) -> str:
    return "cannot be encoded" if tokens is None else " ".join(map(on_one_line, tokens))
