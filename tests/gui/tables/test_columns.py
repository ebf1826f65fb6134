"""A column is one record: adding it to a model adds its heading, its cells, its order, its width
and its export.
"""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from bpe_studio.gui.tables.model import NUMBER, WORD, Column, Export, each_row
from bpe_studio.gui.tables.name_index import NameIndex
from bpe_studio.gui.tables.sorted_model import SortedTableModel
from tests.gui.cells import column, place_of

NAMES = ("low", "newest", "شب")


class WordTable(SortedTableModel):
    """Three words."""

    def name(self, row):
        return NAMES[self.source_row(row)]

    def is_rtl(self, row):
        return not self.name(row).isascii()

    columns = (
        Column(
            "number",
            "From 0",
            lambda model, row: str(model.source_row(row)),
            sort_key=lambda model, n: np.arange(n),
        ),
        Column("word", "The word", name, is_number=False, is_rtl=is_rtl),
    )


class WithLength(WordTable):
    """The same with one more column, which is this record alone."""

    columns = (
        *WordTable.columns,
        Column(
            "length",
            "Characters of the word",
            lambda model, row: f"{len(model.name(row)):,}",
            sample="000",
            sort_key=lambda model, n: np.array([len(name) for name in NAMES[:n]]),
            exports=(
                Export("length", each_row(lambda model, row: len(model.name(row)))),
                Export("bytes", each_row(lambda model, row: len(model.name(row).encode()))),
            ),
        ),
    )


@pytest.fixture(params=(WordTable, WithLength))
def model(request, qtbot):
    model = request.param()
    model.reset_rows(len(NAMES), NameIndex(NAMES.__getitem__))
    return model


@pytest.fixture
def longer(qtbot):
    model = WithLength()
    model.reset_rows(len(NAMES), NameIndex(NAMES.__getitem__))
    return model


def test_qt_finds_nothing_wrong_with_it(qtmodeltester, model):
    qtmodeltester.check(model)


def test_its_heading_and_its_cells_are_there(longer):
    assert longer.columnCount() == 3
    length = place_of(longer, "length")
    tip = longer.headerData(length, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == "Characters of the word"
    assert column(longer, "length") == ["3", "6", "2"]
    words = [longer.index(row, place_of(longer, "word")) for row in range(3)]
    alignments = [word.data(Qt.ItemDataRole.TextAlignmentRole) for word in words]
    assert alignments == [WORD, WORD, NUMBER], (
        "a word that runs to the left is aligned to the right"
    )


def test_rows_are_sorted_by_it(longer, qtbot):
    longer.sort(place_of(longer, "length"), Qt.SortOrder.DescendingOrder)
    qtbot.waitUntil(lambda: not longer.is_busy)
    assert [longer.name(row) for row in range(3)] == ["newest", "low", "شب"]
    assert longer.source_rows(range(3)) == [1, 0, 2]


def test_a_column_without_a_key_is_not_sorted_by(longer):
    word = place_of(longer, "word")
    longer.sort(word, Qt.SortOrder.DescendingOrder)
    assert not longer.can_sort(word)
    assert longer.sorted_by == (place_of(longer, "number"), Qt.SortOrder.AscendingOrder)


def test_it_is_exported(model, longer):
    assert longer.plain_heads() == ["number", "word", "length", "bytes"]
    assert longer.plain_rows(1, 3, None) == [(1, "newest", 6, 6), (2, "شب", 2, 4)]
    assert model.plain_row(0, None)[:2] == (0, "low"), (
        "a column without exports of its own exports its texts"
    )
