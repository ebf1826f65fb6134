r"""A table as CSV, for programs and for spreadsheets: UTF-8, a comma between cells, quoted as RFC 4180 says.

Numbers are plain (no grouping, a point before decimals, all their digits), true and false are 1 and 0, and what is not
known is an empty cell. A text that a spreadsheet would take for a formula, as it begins with ``= + - @`` (or the wide
forms of these), a tab or a line break, gets an apostrophe before it, and so does one that begins with an apostrophe:
whoever takes one leading apostrophe away has the exact text again. Tokens are written as logs write them; several in
one cell have a space between them, with a space, a line break or a backslash *inside* a token escaped (``\s``, ``\n``,
``\r``, ``\t``, ``\\``). What is called "as shown" is what a person reads in the window. It knows nothing of where rows
come from.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Generator, Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n", "'")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What Excel knows UTF-8 by; without it every letter beyond ASCII is another there. Programs have no use for it."""
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
    heads: Sequence[str], rows: Iterable[Sequence[Value]], n_rows: int, *, is_marked: bool = False
) -> Generator[tuple[int, int], None, bytes]:
    """The bytes of a CSV file; yields (rows done, of how many) every few of them.

    Args:
        heads: the headings.
        rows: the cells of each row; asked for as they are written.
        n_rows: how many there will be, for the progress.
        is_marked: whether the file begins with a byte-order mark.
    """
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(heads)
    for done, row in enumerate(rows):
        # The writer writes whole numbers as `cell` does, and they are most of what there is.
        writer.writerow([value if type(value) is int else cell(value) for value in row])
        if done % _ROWS_AT_A_TIME == 0:
            yield done, n_rows
    content = stream.getvalue().encode("utf-8")
    return BYTE_ORDER_MARK + content if is_marked else content


def tab_separated(heads: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """The same with tabs, for the clipboard; cells with tabs or line breaks are quoted."""
    lines = ["\t".join(map(_pasted, heads)), *("\t".join(_pasted(cell(value)) for value in row) for row in rows)]
    return "".join(f"{line}\n" for line in lines)


def _pasted(text: str) -> str:
    # Not every version of Python's writer quotes both kinds of line breaks where rows end with one of them.
    return '"' + text.replace('"', '""') + '"' if any(char in text for char in '"\t\r\n') else text
