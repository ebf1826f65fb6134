"""Writes living web pages: each is one HTML file that needs no network and no installation.

`export page FILE...` trains on text files, as `train` does with the same options. Readers of the
page type text, move through the steps, and train texts of their own. `export page -t TOK` shows a
tokenizer. `export lessons FOLDER` writes a page for each lesson of a folder, and an index, into the
folder OUT. Without FOLDER, it takes the lessons of the program. `--language Persian` writes a page
in Persian, or each lesson once, in Persian if it is translated.

Example:
    bpe-studio export page corpus.txt -o page.html --preset textbook --merges 50
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import say
from bpe_studio.commands.reading import read_corpus
from bpe_studio.commands.saving import check_place, name_of, write_file
from bpe_studio.commands.train import trained
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.seeded_run import SeededRun
from bpe_studio.errors import LessonError, SaveError
from bpe_studio.files.atomic_file import atomic_write
from bpe_studio.files.exports.living_page import (
    USUAL_WORDS,
    PageView,
    data_beside,
    living_page,
    usual_title,
)
from bpe_studio.files.exports.living_page_settings import settings_json
from bpe_studio.files.languages import ENGLISH, translations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument(
        "what", choices=("page", "lessons"), help="Write one page, or a site of lessons"
    )
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help=f"For a page: {shared.FILE_HELP}. For lessons: their folder",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        required=True,
        help='The HTML file to write, or "-" for standard output; for lessons, the folder',
    )
    parser.add_argument(
        "-t",
        "--tokenizer",
        metavar="TOK",
        help="For a page: show this tokenizer instead of training",
    )
    parser.add_argument(
        "--beside",
        metavar="TOK",
        action="append",
        default=[],
        help="For a page: show its text in this tokenizer, too; repeat for more",
    )
    parser.add_argument(
        "--title", metavar="TITLE", help="The heading (default: from the name of the first file)"
    )
    parser.add_argument(
        "--text", metavar="TEXT", default="", help="The text that the page shows first"
    )
    parser.add_argument(
        "--step",
        metavar="K",
        type=shared.whole_number,
        default=0,
        help="The step that the page shows first (default: 0)",
    )
    parser.add_argument(
        "--words",
        metavar="N",
        type=shared.whole_number,
        default=USUAL_WORDS,
        help=f"The number of corpus words on the page (default: {USUAL_WORDS})",
    )
    parser.add_argument(
        "--language",
        metavar="NAME",
        help=(
            "The language of the page, English or Persian; for lessons: write each once, in this"
            " language if it is translated"
        ),
    )
    shared.add_input_options(parser)
    shared.add_cut_options(parser)
    shared.add_training_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Writes the page, or the pages of the lessons."""
    if options.what == "lessons":
        if len(options.files) > 1:
            parser.error("give one folder of lessons, or none for the lessons of the program")
        folder = Path(options.files[0]) if options.files else None
        _write_lessons(folder, Path(options.output), options.language)
        return
    if bool(options.files) == (options.tokenizer is not None):
        parser.error("give text files to train from, or a tokenizer with -t, and not both")
    language = options.language or ENGLISH
    known = (ENGLISH, *translations())
    if language not in known:
        parser.error(f"a page cannot be written in {language}: choose one of {', '.join(known)}")
    check_place(options.output)
    learned: Run
    if options.tokenizer is not None:
        tokenizer = shared.load_tokenizer(options.tokenizer, getattr(options, "split", None))
        learned = SeededRun.of_merges(tokenizer.model)
    else:
        config = shared.config_from(options)
        # It raises an error before training if a page cannot have these settings.
        settings_json(config.unweighted.replace(clean=(), force=(), forbid=()))
        corpus, _ = read_corpus(options.files, config, shared.reading_from(options))
        learned = trained(corpus, config).run_record
    title = options.title
    if not title and options.files:
        title = usual_title(name_of(options.files), language)
    elif not title:
        title = name_of([options.tokenizer])
    view = PageView(title, options.text, options.step, n_words=options.words, language=language)
    beside = [data_beside(name_of([each]), shared.load_tokenizer(each)) for each in options.beside]
    page = living_page(learned, view, beside=beside)
    write_file(options.output, page)
    if options.output != "-":
        say(
            f"Wrote {os.fspath(options.output)} with {len(learned.merges):,} merges:"
            f" {len(page) / 1000:,.0f} kB"
        )


def _write_lessons(folder: Path | None, output: Path, language: str | None) -> None:
    from bpe_studio.explain.lesson_pages import lesson_site

    if folder is not None and not folder.is_dir():
        raise LessonError(f"There is no folder {folder}: give the folder with the lesson files")
    pages = lesson_site(folder, language)
    try:
        output.mkdir(exist_ok=True)
    except OSError as error:
        raise SaveError(
            f"{output} cannot be made a folder ({error.strerror}); choose another name"
        ) from None
    for name, page in pages.items():
        atomic_write(output / name, page)
    say(f"Wrote {len(pages) - 1:,} lessons and an index to {output}")
