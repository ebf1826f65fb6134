"""Trains a tokenizer from text files, or from counted pre-tokens, and writes it.

Defaults come from the preset; each option overrides one of them. The command writes the tokenizer
to OUT, one line for each merge to the file of --log, and progress and messages to standard error.

Example:
    bpe-studio train corpus.txt -o tokenizer --vocab-size 8k
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from functools import partial

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import ProgressBar, say, write_result
from bpe_studio.commands.reading import read_corpus, read_one
from bpe_studio.commands.saving import (
    FORMAT_NAMES,
    TOKENIZER_FORMATS,
    check_format,
    check_place,
    name_of,
    save_document,
    save_tokenizer,
    small_tokenizer,
    write_file,
)
from bpe_studio.engine import warm_up
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer, TokenizerModel
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.training.seeded_run import check_can_continue, continued
from bpe_studio.engine.training.trainer import Trainer, compile_kernels
from bpe_studio.errors import ConfigError
from bpe_studio.explain.wording import json_line, plural
from bpe_studio.files import chat_templates
from bpe_studio.files.counts.files import load_counter
from bpe_studio.files.formats.registry import holds_chat_template
from bpe_studio.files.text.reading import Reading
from bpe_studio.files.text.sources import Source

SLICE_MERGES = 10_000
SLICE_S = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="*", help=shared.FILE_HELP)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help='The folder or file to write; "-" is standard output, for formats of one file',
    )
    parser.add_argument(
        "--format",
        choices=FORMAT_NAMES,
        default="huggingface",
        help="The format of OUT (default: huggingface)",
    )
    parser.add_argument(
        "--log", metavar="FILE", help="Write the run as JSON lines, one line for each merge"
    )
    parser.add_argument(
        "--counts", metavar="FILE", help="Train from a table that `count` wrote, instead of text"
    )
    parser.add_argument(
        "--seed-tokenizer", metavar="T", help="Continue from the merges of an existing tokenizer"
    )
    parser.add_argument(
        "--chat-template",
        metavar="FILE",
        help="A Jinja template that makes one text of the messages of a chat, as in Transformers",
    )
    shared.add_summary_option(parser)
    shared.add_input_options(parser)
    shared.add_cut_options(parser)
    shared.add_training_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Trains a tokenizer and writes it."""
    if bool(options.files) == (options.counts is not None):
        parser.error("give text files to train from, or --counts FILE, and not both")
    if options.output == "-" == options.log:
        parser.error("the tokenizer and the log cannot both go to standard output")
    if options.log is not None and _is_same_file(options.output, options.log):
        parser.error("the tokenizer and the log cannot both go to the same file")
    shared.check_summary(parser, options.json, options.output, options.log)
    seed = None
    if options.seed_tokenizer is not None:
        seed = shared.load_tokenizer(options.seed_tokenizer).model
    config = _config(options, parser, seed)
    if config.min_frequency == 0:
        say("A minimum frequency of 0 is the same as 1: all pairs that occur are merged")
    template = None
    if options.chat_template is not None:
        template = "".join(read_one(options.chat_template, Reading(is_plain=True)))
        chat_templates.check(template)
        if not holds_chat_template(options.format, template):
            parser.error(f"the format {options.format} holds no chat template: use huggingface")
    check_place(options.output, options.format)
    if options.format in TOKENIZER_FORMATS:
        like = small_tokenizer(config) if seed is None else Tokenizer(seed)
        if like is not None:
            check_format(like, options.format)
    if options.log is not None:
        check_place(options.log)
    if options.counts is not None:
        counter = load_counter(options.counts, config)
        for notice in counter.notices:
            say(f"Warning: {notice}")
        corpus = counter.corpus(config)
        sources: list[Source] = []
    else:
        corpus, sources = read_corpus(options.files, config, shared.reading_from(options))
    trainer = trained(corpus, config)
    learned = trainer.run_record
    tokenizer = learned.tokenizer() if seed is None else Tokenizer(continued(seed, learned))
    if template is not None:
        tokenizer.chat_template = template
    if options.format == "studio":
        from bpe_studio.files.document.writing import document_of

        name = name_of(options.files or [options.counts])
        document = document_of(trainer, name, sources, shared.reading_from(options))
        save_document(document, options.output)
    else:
        save_tokenizer(tokenizer, options.output, options.format)
    if options.log is not None:
        write_file(options.log, "".join(json_line(merge.to_log()) for merge in learned.merges))
    n_merges = len(learned.merges)
    if options.json:
        summary = {
            "output": options.output,
            "format": options.format,
            "vocab_size": tokenizer.vocab_size,
            "n_merges": n_merges,
            "n_words": corpus.n_words,
            "n_tokens": learned.n_tokens_at(n_merges),
            "stop_reason": trainer.stop_reason,
        }
        write_result(json_line(summary))
    where = "standard output" if options.output == "-" else options.output
    say(
        f"Learned {plural(n_merges, 'merge')} from {plural(corpus.n_words, 'word')} "
        f"({trainer.stop_reason}); wrote the "
        f"vocabulary of {tokenizer.vocab_size:,} to {where}"
    )


def _is_same_file(path: str, other: str) -> bool:
    is_file = os.path.isfile(path) or not os.path.exists(path)
    return is_file and os.path.realpath(path) == os.path.realpath(other)


def _config(
    options: argparse.Namespace, parser: argparse.ArgumentParser, seed: TokenizerModel | None
) -> TrainingConfig:
    if seed is None:
        return shared.config_from(options)
    given = vars(options)
    if options.preset is None and "vocab_size" not in given and "merges" not in given:
        parser.error("--seed-tokenizer needs --vocab-size or --merges")
    check_can_continue(seed)
    misplaced = seed.misplaced_merge
    if misplaced is not None:
        raise ConfigError(
            f"Merge {misplaced:,} of the tokenizer uses a token that only a later merge makes, so"
            " training cannot repeat its merges step by step: use bpe-studio extend"
        )
    learned = tuple((seed.tokens[left], seed.tokens[right]) for left, right, _ in seed.merges)
    config = shared.config_from(options, seed.config)
    return config.replace(force=(*learned, *given.get("force", ())))


def trained(corpus: Corpus, config: TrainingConfig) -> Trainer:
    """A trainer that has reached its target, with a progress bar."""
    trainer = Trainer(corpus, config)
    with ProgressBar("Preparing") as bar:
        if loader.is_worth_compiling(len(corpus.blob), loader.PLAIN_WORK):
            get_ready: Callable[[], None] = partial(warm_up.wait_for, "merging")
            if loader.is_on_disk():
                get_ready = compile_kernels
            for _ in loader.compile_in_thread("merging", get_ready):
                bar.update(0, 1)
        for share in trainer.prepare():
            bar.update(share, 1)
    with ProgressBar("Learning") as bar:
        while not trainer.finished:
            trainer.advance(SLICE_MERGES, SLICE_S)
            n_merges = len(trainer.run_record.merges)
            bar.update(n_merges, trainer.target, f"{n_merges:,} of {trainer.target:,} merges")
    return trainer
