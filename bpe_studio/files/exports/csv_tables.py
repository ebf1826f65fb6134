r"""A table as CSV, for programs and for spreadsheets: UTF-8, commas between cells, quoted as in RFC
4180.

Numbers are plain (no grouping, a decimal point, all digits), true and false are 1 and 0, and
unknown values are empty cells. A text that a spreadsheet would read as a formula, because it begins
with ``= + - @`` (or their wide forms), a tab or a line break, gets an apostrophe before it, and so
does one that begins with an apostrophe: removing one leading apostrophe gives the exact text again.
Tokens have the spelling of logs; several in one cell are separated by spaces, with a space, a line
break or a backslash *inside* a token escaped (``\s``, ``\n``, ``\r``, ``\t``, ``\\``). Columns "as
shown" have the spelling of the window. The module does not know where rows come from.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Generator, Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n", "'")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""The mark by which Excel recognizes UTF-8; without it, Excel misreads non-ASCII letters."""
_ROWS_AT_A_TIME = 50
_INSIDE = str.maketrans({"\\": "\\\\", " ": "\\s", "\n": "\\n", "\r": "\\r", "\t": "\\t"})

Value = str | int | float | bool | None


def cell(value: Value) -> str:
    """A value as the text of a cell.

    >>> cell(1234.5), cell(True), cell(None), cell("=1+1"), cell(-3)
    ('1234.5', '1', '', "'=1+1", '-3')
    """
    if isinstance(value, str):
        # The lone surrogates of stray bytes have no UTF-8.
        text = value.encode("utf-8", "replace").decode("utf-8") if not value.isascii() else value
        return "'" + text if text.startswith(FORMULA_STARTS) else text
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, bool) else repr(value)


def joined(tokens: Iterable[str]) -> str:
    r"""Several tokens as the text of one cell.

    >>> joined(["a b", "c"])
    'a\\sb c'
    """
    return " ".join(token.translate(_INSIDE) for token in tokens)


def csv_in_pieces(
    heads: Sequence[str], rows: Iterable[Sequence[Value]], n_rows: int, *, is_marked: bool = False
) -> Generator[tuple[int, int], None, bytes]:
    """The bytes of a CSV file; yields (rows done, rows in all) every few rows.

    Args:
        heads: the headings.
        rows: the cells of each row; iterated over while writing.
        n_rows: the number of rows, for the progress.
        is_marked: whether the file begins with a byte-order mark.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(heads)
    for done, row in enumerate(rows):
        cells = list(row)
        for column, value in enumerate(row):
            # The writer formats whole numbers as `cell` does, and most values are whole numbers.
            if type(value) is not int:
                cells[column] = cell(value)
        writer.writerow(cells)
        if done % _ROWS_AT_A_TIME == 0:
            yield done, n_rows
    content = stream.getvalue().encode("utf-8")
    return BYTE_ORDER_MARK + content if is_marked else content


def tab_separated(heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """A table with tabs, for the clipboard; cells with tabs or line breaks are quoted."""
    lines = ["\t".join(map(_pasted, heads))]
    for row in rows:
        cells = map(cell, row)
        lines.append("\t".join(map(_pasted, cells)))
    return "".join(f"{line}\n" for line in lines)


def _pasted(text: str) -> str:
    # Not every version of Python's writer quotes both kinds of line breaks if rows end with one of
    # them.
    if not any(char in text for char in '"\t\r\n'):
        return text
    quoted = text.replace('"', '""')
    return f'"{quoted}"'
