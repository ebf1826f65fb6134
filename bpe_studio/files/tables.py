r"""A table as CSV, for programs and for spreadsheets: UTF-8, a comma between cells, quoted as RFC 4180 says.

Numbers are plain (no grouping, a point before decimals, all their digits), true and false are 1 and 0, and what is not
known is an empty cell. A text that a spreadsheet would take for a formula, as it begins with ``= + - @``, a tab or a
carriage return, gets an apostrophe before it, and so does one that begins with an apostrophe: whoever takes one
leading apostrophe away has the exact text again. Tokens are written as logs write them; several in one cell have a
space between them, with a space, a line break or a backslash *inside* a token escaped (``\s``, ``\n``, ``\r``,
``\t``, ``\\``). It knows nothing of where rows come from.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Generator, Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")
_ROWS_AT_A_TIME = 50
_INSIDE = str.maketrans({"\\": "\\\\", " ": "\\s", "\n": "\\n", "\r": "\\r", "\t": "\\t"})

Value = str | int | float | bool | None


def cell(value: Value) -> str:
    """A value as a cell's text.

    >>> cell(1234.5), cell(True), cell(None), cell("=1+1"), cell(-3)
    ('1234.5', '1', '', "'=1+1", '-3')
    """
    if isinstance(value, str):
        # Stray bytes of a text, which are half surrogates, have no UTF-8.
        text = value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value
        return "'" + text if text.startswith(FORMULA_STARTS) else text
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else repr(value)


def joined(tokens: Iterable[str]) -> str:
    r"""Tokens in one cell.

    >>> joined(["a b", "c"])
    'a\\sb c'
    """
    return " ".join(token.translate(_INSIDE) for token in tokens)


def csv_in_pieces(
    heads: Sequence[str], rows: Iterable[Sequence[Value]], n_rows: int
) -> Generator[tuple[int, int], None, bytes]:
    """The bytes of a CSV file; yields (rows done, of how many) every few of them.

    Args:
        heads: the headings.
        rows: the cells of each row; asked for as they are written.
        n_rows: how many there will be, for the progress.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(heads)
    for done, row in enumerate(rows):
        # The writer writes whole numbers as `cell` does, and they are most of what there is.
        writer.writerow([value if type(value) is int else cell(value) for value in row])
        if done % _ROWS_AT_A_TIME == 0:
            yield done, n_rows
    return stream.getvalue().encode("utf-8")


def tab_separated(heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """The same with tabs, for the clipboard; cells with tabs or line breaks are quoted."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, dialect="excel-tab", lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([cell(value) for value in row] for row in rows)
    return stream.getvalue()
