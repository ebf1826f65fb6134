"""Counts the pre-tokens of text files and writes them as lines of pre-token, TAB, count.

Such files add up: counted on several machines and concatenated, they can be trained from with
`bpe-studio train --counts`. Count and train with the same options for splitting text.
"""

from __future__ import annotations

import argparse

from bpe_studio.commands import options as shared
from bpe_studio.commands.counts import counts_text
from bpe_studio.commands.output import say, write_result
from bpe_studio.commands.reading import read_corpus
from bpe_studio.commands.saving import check_place
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.files.atomic_file import atomic_write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "-o", "--output", metavar="OUT.tsv", required=True, help='Where to write; "-" is standard output'
    )
    shared.add_input_options(parser)
    shared.add_cut_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Counts the pre-tokens and writes the file."""
    config: TrainingConfig = shared.config_from(options)
    check_place(options.output)
    corpus, _ = read_corpus(options.files, config, shared.reading_from(options))
    data = counts_text(corpus)
    if options.output == "-":
        write_result(data)
        return
    atomic_write(options.output, data)
    say(f"Wrote {len(corpus):,} distinct pre-tokens ({corpus.n_words:,} in all) to {options.output}")
