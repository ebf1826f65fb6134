"""Makes a worksheet from a text, as a PDF: a few words with their counts, to be merged by hand, and
the key.

The sheet has an empty row for each merge. The key is on a page of its own, and shows ties. If a
text is too large to do by hand, the sheet has some frequent words with smaller counts, and says so.

Example:
    bpe-studio worksheet corpus.txt --merges 8 -o sheet.pdf
"""

from __future__ import annotations

import argparse
import importlib
import os

from bpe_studio.commands import options as shared
from bpe_studio.commands.output import say
from bpe_studio.commands.reading import read_corpus
from bpe_studio.commands.saving import check_place, name_of, write_file
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.presets import PRESETS
from bpe_studio.engine.tie_rules import TIES
from bpe_studio.explain.wording import plural
from bpe_studio.explain.worksheet import MOST_MERGES, make_worksheet
from bpe_studio.files.extras import needed
from bpe_studio.files.languages import ENGLISH, translations


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the command's arguments to its parser."""
    parser.add_argument("files", metavar="FILE", nargs="+", help=shared.FILE_HELP)
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT.pdf",
        required=True,
        help='The PDF to write; "-" is standard output',
    )
    parser.add_argument(
        "--merges",
        metavar="N",
        type=shared.whole_number,
        default=8,
        help=f"The number of merges on the sheet, at most {MOST_MERGES} (default: 8)",
    )
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default="textbook",
        help="The settings of a trainer (default: textbook)",
    )
    parser.add_argument(
        "--ties", choices=TIES, help="The pair to merge when several share the highest count"
    )
    parser.add_argument(
        "--language",
        metavar="NAME",
        default=ENGLISH,
        choices=(ENGLISH, *translations()),
        help="The language of the sheet: English or Persian (default: English)",
    )
    parser.add_argument(
        "--paper", choices=("a4", "letter"), help="The paper (default: that of your country)"
    )
    shared.add_input_options(parser)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Makes the sheet and writes it."""
    suffix = os.path.splitext(options.output)[1]
    if suffix.lower() not in ("", ".pdf"):
        parser.error(f"a worksheet is a PDF, not {suffix}: give a name that ends in .pdf")
    needed("PySide6.QtGui", "A worksheet is drawn by Qt")
    check_place(options.output)
    config = TrainingConfig.preset(options.preset)
    if options.ties is not None:
        config = config.replace(ties=options.ties)
    corpus, _ = read_corpus(options.files, config, shared.reading_from(options))
    sheet = make_worksheet(corpus, config, name_of(options.files), options.merges, options.language)
    # The window's package cannot be imported without Qt.
    pdf = importlib.import_module("bpe_studio.gui.worksheet.pdf")
    write_file(options.output, pdf.worksheet_pdf(sheet, options.paper or ""))
    fewer = "; its words allow no more" if len(sheet.merges) < options.merges else ""
    where = "standard output" if options.output == "-" else options.output
    say(f"Wrote a worksheet of {plural(len(sheet.merges), 'merge')} and its key to {where}{fewer}")
