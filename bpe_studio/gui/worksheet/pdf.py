"""Draws a worksheet and its key as a PDF, with Qt's rich text.

The key begins on a page of its own.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from html import escape
from itertools import pairwise, zip_longest

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QLocale, QMarginsF, Qt
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPdfWriter,
    QTextDocument,
    QTextOption,
)

from bpe_studio.explain.names import any_right_to_left
from bpe_studio.explain.wording import number
from bpe_studio.explain.worksheet import SheetMerge, Tokens, Worksheet
from bpe_studio.files.languages import digits_in, direction_of, in_language

PAPERS = {"a4": QPageSize.PageSizeId.A4, "letter": QPageSize.PageSizeId.Letter}
_LETTER = ["BZ", "CA", "CL", "CO", "CR", "GT", "MX", "NI", "PA", "PH", "PR", "SV", "US", "VE"]
"""The countries that print on Letter, as the Unicode locale data lists them."""
_MOST_OTHERS = 6
_FIRST_ROWS = 8
_MORE_ROWS = 14
"""The merges that have room on the first page, below the words, and on each page after it."""
_HEAD = ("", "pair", "count", "new token", "the words with the new token, rewritten")
_WIDTHS = ("", " width='15%'", " width='9%'", " width='14%'")
_TASK = (
    "These words are cut into their symbols. In each round, count every pair of neighbours: a pair"
    " counts as often as the words that it is in, and twice in a word like aaa. Merge the most"
    " frequent pair into one new token wherever it occurs, and write it down. Then count again."
)
_PADDINGS = range(8, 120, 2)
"""The room above and below a row, in pixels; the largest that needs no further page is used."""
_BETWEEN = "\N{NO-BREAK SPACE} "
_LEFT_TO_RIGHT = "\u2066"
_RIGHT_TO_LEFT = "\u2067"
_ISOLATE = "\u2068"
_END = "\u2069"
_application: QGuiApplication | None = None
"""Made only for the command, and kept until the process ends, because Qt needs it."""
_STYLE = """
body, td, th { font-size: 10.5pt; }
h1 { font-size: 17pt; }
table { border-collapse: collapse; border-color: #888888; margin-top: 8px; }
th { background-color: #eeeeee; text-align: left; }
td, th { padding: 4px 7px; }
td.empty { padding: PADDINGpx 7px; color: #555555; }
.key, .page { page-break-before: always; }
.note { color: #555555; }
"""


def paper_of(locale: QLocale) -> str:
    """The usual paper where a locale is used: "a4" or "letter"."""
    return "letter" if locale.name().rpartition("_")[2] in _LETTER else "a4"


def worksheet_pdf(sheet: Worksheet, paper: str = "") -> bytes:
    """The PDF of a sheet.

    Args:
        sheet: the sheet.
        paper: "a4" or "letter"; "" for that of the system's locale.
    """
    if QGuiApplication.instance() is None:
        _make_application()
    html = worksheet_html(sheet)
    # A row that is cut by the end of the first page would be hard to write in.
    first = re.split("<div class='page'>|<h1 class='key'>", html)[0]
    size = PAPERS[paper or paper_of(QLocale.system())]

    def printed(padding: int) -> tuple[bytes, tuple[int, int]]:
        content = _printed(sheet, html, size, padding)
        return content, (_n_pages(content), _n_pages(_printed(sheet, first, size, padding)))

    found, n_pages = printed(_PADDINGS[0])
    low = 0
    high = len(_PADDINGS)
    while high - low > 1:
        middle = (low + high) // 2
        content, its_pages = printed(_PADDINGS[middle])
        if its_pages == n_pages:
            found = content
            low = middle
        else:
            high = middle
    return found


def _n_pages(content: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", content))


def _printed(sheet: Worksheet, html: str, size: QPageSize.PageSizeId, padding: int) -> bytes:
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(f"Worksheet: {sheet.title}")
    writer.setCreator("BPE Studio")
    writer.setPageSize(QPageSize(size))
    # The document adds its own margins of 2 cm.
    writer.setPageMargins(QMarginsF(), QPageLayout.Unit.Millimeter)
    document = QTextDocument()
    document.setDefaultFont(QFont(QGuiApplication.font().family(), 10))
    document.setDefaultStyleSheet(_STYLE.replace("PADDING", str(padding)))
    if direction_of(sheet.language) == "rtl":
        option = QTextOption(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute)
        option.setTextDirection(Qt.LayoutDirection.RightToLeft)
        document.setDefaultTextOption(option)
    document.setHtml(html)
    document.print_(writer)
    buffer.close()
    return bytes(written.data())


def _make_application() -> None:
    """Make the application that fonts need; it needs no screen."""
    global _application
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    _application = QGuiApplication([])


def worksheet_html(sheet: Worksheet) -> str:
    """The sheet and its key in the HTML that Qt's rich text knows; the first merge is done."""
    say = partial(in_language, sheet.language)
    count = partial(_number, sheet.language)
    head = ["", *map(say, _HEAD[1:])]
    note = f"<p class='note'>{escape(sheet.note)}</p>" if sheet.note else ""
    cells = [(_tokens(word), count(each)) for word, each in sheet.words]
    half = -(-len(cells) // 2)
    pairs = zip_longest(cells[:half], cells[half:], fillvalue=("", ""))
    rows = [left + right for left, right in pairs]
    words = _table((say("word"), say("count")) * 2, rows, sheet.language)
    key = [_key_row(place, merge, sheet) for place, merge in enumerate(sheet.merges, 1)]
    empty_rows = [(row[0], "", "", "", "") for row in key[1:]]
    asked = [key[0][:-1], *empty_rows]
    tables = []
    starts = (0, *range(_FIRST_ROWS, len(asked), _MORE_ROWS))
    for start, end in pairwise((*starts, len(asked))):
        table = _table(head, asked[start:end], sheet.language, "empty")
        if start:
            table = f"<div class='page'>{table}</div>"
        tables.append(table)
    title = escape(sheet.title)
    rule = escape(sheet.tie_rule)
    name = say("Name")
    date = say("Date")
    tie = say("If several pairs are equally frequent, the sheet merges {}.").format(rule)
    return f"""<body>
<h1>{say("{} merges by hand: {}").format(count(len(key)), title)}</h1>
<p>{name}: ______________________________ &nbsp; &nbsp; {date}: ______________</p>
<p>{say(_TASK)} {tie}
{say("The first merge is done for you.")}</p>
{note}{words}
{"".join(tables)}
<h1 class='key'>{say("Key: {}").format(title)}</h1>
<p>{tie}</p>
{_table((*head, say("ties")), key, sheet.language)}
</body>"""


def _number(language: str, value: float) -> str:
    return digits_in(language, number(value))


def _key_row(place: int, merge: SheetMerge, sheet: Worksheet) -> tuple[str, ...]:
    words = "<br>".join(_tokens(word) for word in merge.words)
    others = ", ".join(_tokens(other, " + ") for other in merge.others[:_MOST_OTHERS])
    if len(merge.others) > _MOST_OTHERS:
        n_more = _number(sheet.language, len(merge.others) - _MOST_OTHERS)
        others += " " + in_language(sheet.language, "and {} more").format(n_more)
    return (
        _number(sheet.language, place),
        _tokens(merge.pair, " + "),
        _number(sheet.language, merge.count),
        _tokens((merge.token,)),
        words,
        others,
    )


def _table(
    head: Sequence[str], rows: Iterable[Sequence[str]], language: str, name: str = ""
) -> str:
    """A table; with the name of a class for its cells, it is as wide as the page."""
    widths: tuple[str, ...] = ()
    kind = ""
    whole = ""
    if name:
        widths = _WIDTHS
        kind = f" class='{name}'"
        whole = " width='100%'"
    heads = [f"<th{width}>{cell}</th>" for cell, width in zip_longest(head, widths, fillvalue="")]
    lines = [_line(heads, language)]
    for row in rows:
        cells = [f"<td{kind}>{cell}</td>" for cell in row]
        lines.append(_line(cells, language))
    return f"<table border='1' cellspacing='0'{whole}>{''.join(lines)}</table>"


def _line(cells: Sequence[str], language: str) -> str:
    """A row; its first cell is at the right in a language that is written from there."""
    ordered = reversed(cells) if direction_of(language) == "rtl" else cells
    return f"<tr>{''.join(ordered)}</tr>"


def _tokens(tokens: Tokens, between: str = _BETWEEN) -> str:
    """Tokens next to each other in the direction of their letters, each with its own form."""
    # Isolates, because the paragraph runs from left to right; joiners would connect the letters of
    # two tokens.
    start = _RIGHT_TO_LEFT if any_right_to_left(*tokens) else _LEFT_TO_RIGHT
    return start + between.join(f"{_ISOLATE}{escape(token)}{_END}" for token in tokens) + _END
