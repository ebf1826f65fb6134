"""Draws a worksheet and its key as a PDF, with Qt's rich text.

The key begins on a page of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from html import escape
from itertools import zip_longest

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QLocale, QMarginsF
from PySide6.QtGui import QFont, QGuiApplication, QPageLayout, QPageSize, QPdfWriter, QTextDocument

from bpe_studio.explain.names import any_right_to_left
from bpe_studio.explain.wording import number, plural
from bpe_studio.explain.worksheet import SheetMerge, Tokens, Worksheet

PAPERS = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}
_LETTER = ["BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"]
"""The countries that print on Letter, as the Unicode locale data lists them."""
_MOST_OTHERS = 6
_FIRST_ROWS = 8
_MORE_ROWS = 14
"""The merges that have room on the first page, below the words, and on each page after it."""
_HEAD = ("", "pair", "count", "new token", "the words with the new token, rewritten")
_WIDTHS = {"pair": "15%", "count": "9%", "new token": "14%"}
_BETWEEN = "\N{NO-BREAK SPACE} "
_LEFT_TO_RIGHT = "\u2066"
_RIGHT_TO_LEFT = "\u2067"
_ISOLATE = "\u2068"
_END = "\u2069"
_application: QGuiApplication | None = None
"""Kept for as long as the process lives, as Qt needs it; made only for the command."""
_STYLE = """
body, td, th { font-size: 10.5pt; }
h1 { font-size: 17pt; }
table { border-collapse: collapse; border-color: #888888; margin-top: 8px; }
th { background-color: #eeeeee; text-align: left; }
td, th { padding: 4px 7px; }
td.empty { padding: 15px 7px; }
.key, .page { page-break-before: always; }
.note { color: #555555; }
"""


def paper_of(locale: QLocale) -> str:
    """The paper that people print on where a locale is used: "a4" or "letter"."""
    return "letter" if locale.name().rpartition("_")[2] in _LETTER else "a4"


def worksheet_pdf(sheet: Worksheet, paper: str = "") -> bytes:
    """The PDF of a sheet.

    Args:
        sheet: the sheet.
        paper: "a4" or "letter"; "" for that of the system's locale.
    """
    if QGuiApplication.instance() is None:
        _make_application()
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(f"Worksheet: {sheet.title}")
    writer.setCreator("BPE Studio")
    writer.setPageSize(QPageSize(PAPERS[paper or paper_of(QLocale.system())]))
    writer.setPageMargins(
        QMarginsF(), QPageLayout.Unit.Millimeter
    )  # the document adds its own of 2 cm
    document = QTextDocument()
    document.setDefaultFont(QFont(QGuiApplication.font().family(), 10))
    document.setDefaultStyleSheet(_STYLE)
    document.setHtml(worksheet_html(sheet))
    document.print_(writer)
    buffer.close()
    return bytes(written.data())


def _make_application() -> None:
    """Fonts need an application, but no screen."""
    global _application
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QGuiApplication([])


def worksheet_html(sheet: Worksheet) -> str:
    """The sheet and its key in the HTML that Qt's rich text knows."""
    asked = plural(len(sheet.merges), "merge")
    note = f"<p class='note'>{escape(sheet.note)}</p>" if sheet.note else ""
    cells = [(_tokens(word), number(count)) for word, count in sheet.words]
    half = -(-len(cells) // 2)
    pairs_of_words = [
        left + right for left, right in zip_longest(cells[:half], cells[half:], fillvalue=("", ""))
    ]
    words = _table(("word", "count") * 2, pairs_of_words)
    places = range(1, len(sheet.merges) + 1)
    starts = range(_FIRST_ROWS, len(places), _MORE_ROWS)
    more_pages = [
        f"<div class='page'>{_empty_table(places[start : start + _MORE_ROWS])}</div>"
        for start in starts
    ]
    tables = _empty_table(places[:_FIRST_ROWS]) + "".join(more_pages)
    key_rows = [_key_row(place, merge) for place, merge in enumerate(sheet.merges, 1)]
    key = _table((*_HEAD, "ties"), key_rows)
    return f"""<body>
<h1>{asked[:1].upper()}{asked[1:]} by hand: {escape(sheet.title)}</h1>
<p>Name: ______________________________ &nbsp; &nbsp; Date: ______________</p>
<p>These words are cut into their symbols. In each round, count every pair of neighbours: a pair counts as often as the
words that it is in, and twice in a word like aaa. Merge the most frequent pair into one new token wherever it occurs,
and write it down. Then count again. If several pairs are equally frequent, merge {escape(sheet.tie_rule)}.</p>
{note}{words}
{tables}
<h1 class='key'>Key: {escape(sheet.title)}</h1>
<p>If several pairs are equally frequent, {escape(sheet.tie_rule)} is merged.</p>
{key}
</body>"""  # noqa: E501


def _key_row(place: int, merge: SheetMerge) -> tuple[str, ...]:
    words = "<br>".join(_tokens(word) for word in merge.words)
    others = ", ".join(_tokens(other, " + ") for other in merge.others[:_MOST_OTHERS])
    if len(merge.others) > _MOST_OTHERS:
        others += f" and {number(len(merge.others) - _MOST_OTHERS)} more"
    return (
        str(place),
        _tokens(merge.pair, " + "),
        number(merge.count),
        _tokens((merge.token,)),
        words,
        others,
    )


def _empty_table(places: Iterable[int]) -> str:
    rows_of_places = [
        f"<tr><td class='empty'>{place}</td>{'<td></td>' * (len(_HEAD) - 1)}</tr>"
        for place in places
    ]
    rows = "".join(rows_of_places)
    return f"<table border='1' cellspacing='0' width='100%'>{_head(_HEAD)}{rows}</table>"


def _table(head: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    body = "".join(map(_row, rows))
    return f"<table border='1' cellspacing='0'><thead>{_head(head)}</thead>{body}</table>"


def _row(texts: Iterable[str]) -> str:
    cells = "".join(f"<td>{text}</td>" for text in texts)
    return f"<tr>{cells}</tr>"


def _head(names: Sequence[str]) -> str:
    cells = ""
    for name in names:
        width = f" width='{_WIDTHS[name]}'" if name in _WIDTHS else ""
        cells += f"<th{width}>{name}</th>"
    return f"<tr>{cells}</tr>"


def _tokens(tokens: Tokens, between: str = _BETWEEN) -> str:
    """Tokens next to each other in the direction of their letters, each with its own form."""
    # Isolates, because the paragraph runs from left to right; joiners would connect the letters of
    # two tokens.
    start = _RIGHT_TO_LEFT if any_right_to_left(*tokens) else _LEFT_TO_RIGHT
    return start + between.join(f"{_ISOLATE}{escape(token)}{_END}" for token in tokens) + _END
