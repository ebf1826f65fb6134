"""Cells of tables that are taken away: exact for programs, harmless in spreadsheets."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.files.exports.csv_tables import (
    FORMULA_STARTS,
    Value,
    csv_in_pieces,
    joined,
    tab_separated,
)

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from("=+-@'\t\r\n\",;＝＋－＠"),
    max_size=8,
)


def made(heads: list[str], rows: list[list[Value]], *, is_marked: bool = False) -> bytes:
    making = csv_in_pieces(heads, rows, len(rows), is_marked=is_marked)
    while True:
        try:
            next(making)
        except StopIteration as stop:
            content: bytes = stop.value
            return content


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=5))
def test_texts_are_exact_but_for_one_apostrophe_and_none_is_a_formula(
    rows: list[list[str]],
) -> None:
    content = made(["a", "b"], [list(row) for row in rows])
    heads, *found = csv.reader(io.StringIO(content.decode("utf-8"), newline=""))
    assert heads == ["a", "b"]
    assert [[each.removeprefix("'") for each in row] for row in found] == rows
    assert not [
        each for row in found for each in row if each.startswith(tuple(set(FORMULA_STARTS) - {"'"}))
    ]
    pasted = csv.reader(
        io.StringIO(tab_separated(["a", "b"], rows), newline=""), dialect="excel-tab"
    )
    assert list(pasted)[1:] == found


def test_numbers_keep_their_sign_and_all_their_digits() -> None:
    rows: list[list[Value]] = [[-3, 0.1 + 0.2], [1 << 60, None], [True, -0.5]]
    assert (
        made(["=n", "x"], rows)
        == b"=n,x\r\n-3,0.30000000000000004\r\n1152921504606846976,\r\n1,-0.5\r\n"
    )


def test_a_mark_for_excel_stands_once_before_the_headings() -> None:
    plain = made(["é"], [["é"]])
    marked = made(["é"], [["é"]], is_marked=True)
    assert marked == b"\xef\xbb\xbf" + plain and plain.decode("utf-8") == "é\r\né\r\n"


@pytest.mark.parametrize("tokens", [["a b", "c"], ["\\s", " ", "\n"], ["\\", "\t\r"], []])
def test_tokens_in_one_cell_can_be_told_apart(tokens: list[str]) -> None:
    escapes = {"\\\\": "\\", "\\s": " ", "\\n": "\n", "\\r": "\r", "\\t": "\t"}
    found = []
    for word in joined(tokens).split(" ") if tokens else []:
        parts = ""
        rest = word
        while rest:
            size = 2 if rest[0] == "\\" else 1
            parts += escapes.get(rest[:size], rest[:size])
            rest = rest[size:]
        found.append(parts)
    assert found == tokens
