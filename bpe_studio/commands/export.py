"""Writes a page that lives: one HTML file that needs no network and no installation.

`export page` trains on text files, as `train` does with the same options. Readers of the page type text, move through
the steps, and train texts of their own.

Example:
    bpe-studio export page corpus.txt -o page.html --preset textbook --merges 50
"""

from __future__ import annotations

import argparse
import os

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import say, write_result
from bpe_studio.commands.reading import read_corpus
from bpe_studio.commands.saving import check_place, name_of
from bpe_studio.commands.train import trained
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.exports.living_page import USUAL_WORDS, PageView, living_page
from bpe_studio.files.exports.living_page_settings import settings_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("what", metavar="page", choices=("page",), help="What to write")
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "-o", "--output", metavar="OUT", required=True, help='The HTML file to write; "-" is standard output'
    )
    parser.add_argument("--title", metavar="TITLE", help="The heading (default: the name of the first file)")
    parser.add_argument("--text", metavar="TEXT", default="", help="The text that the page shows first")
    parser.add_argument(
        "--step", metavar="K", type=shared.whole_number, default=0, help="The step that it shows first (default: 0)"
    )
    parser.add_argument(
        "--words", metavar="N", type=shared.whole_number, default=USUAL_WORDS,
        help=f"How many words of the corpus the page shows (default: {USUAL_WORDS})",
    )  # fmt: skip
    shared.add_input_options(parser)
    shared.add_cut_options(parser)
    shared.add_training_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Trains, and writes the page."""
    config = shared.config_from(options)
    settings_json(config.replace(clean=(), force=(), forbid=()))  # what a page cannot do is said before training
    check_place(options.output)
    corpus, _ = read_corpus(options.files, config, shared.reading_from(options))
    learned = trained(corpus, config).run_record
    title = options.title or name_of(options.files)
    page = living_page(learned, PageView(title, options.text, options.step, n_words=options.words))
    if options.output == "-":
        write_result(page)
        return
    atomic_write(options.output, page)
    say(f"Wrote {os.fspath(options.output)} with {len(learned.merges):,} merges: {len(page) / 1000:,.0f} kB")
