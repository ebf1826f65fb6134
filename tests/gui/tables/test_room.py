"""Columns share the room that is left, keep their numbers whole, and have it back when the window is large again."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.corpus.words import WordsView
from bpe_studio.gui.corpus.words_model import WordsModel
from bpe_studio.gui.merges.candidates_model import CandidateModel
from bpe_studio.gui.merges.candidates_panel import CandidatesPanel
from bpe_studio.gui.merges.model import MergeModel
from bpe_studio.gui.merges.panel import MergesPanel
from bpe_studio.gui.tables.view import MARGIN, N_FIRST

TEXT = "the other weather, together with another mother\n" * 40


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, TrainingConfig.preset("gpt2", merges=20))


@pytest.fixture
def show(qtbot):
    def shown(panel, width, height=400):
        qtbot.addWidget(panel)
        panel.setMinimumWidth(0)
        panel.resize(width, height)
        panel.show()
        return panel

    return shown


def widths(table):
    return [table.columnWidth(column) for column in range(table.model().columnCount())]


def test_the_chips_of_a_word_have_more_room_than_the_word(show, workspace):
    panel = show(WordsView(workspace), 300)
    table, model = panel.table, WordsModel
    assert table.columnWidth(model.CUT) > 1.3 * table.columnWidth(model.WORD)
    assert sum(widths(table)) == table.viewport().width()


def test_a_count_of_a_candidate_is_never_elided(show, workspace, qtbot):
    panel = show(CandidatesPanel(workspace), 420)
    qtbot.waitUntil(lambda: panel.is_up_to_date)
    rows = panel.model._rows
    from dataclasses import replace

    panel.model.show(tuple(replace(row, count=3_394_123_456) for row in rows))
    panel.table.fit_columns()
    text = panel.model.text(0, CandidateModel.COUNT)
    room = panel.table.columnWidth(CandidateModel.COUNT) - 2 * MARGIN
    assert QFontMetrics(panel.table.numeric_font).horizontalAdvance(text) <= room


@pytest.mark.parametrize(("text", "is_at_right"), [("سلام دنیا سلام کتاب باغ آب " * 9, True), (TEXT, False)])
def test_a_heading_is_on_the_side_of_most_of_its_rows(show, trained_workspace, qtbot, text, is_at_right):
    panel = show(WordsView(trained_workspace(text, TrainingConfig.preset("textbook", merges=20))), 500)
    merges = show(MergesPanel(panel._workspace), 500).table.horizontalHeader()
    # Sorted in slices of time: on a busy computer there are no rows yet.
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0 and not panel.model.is_busy)
    assert merges._is_at_right(MergeModel.PAIR) == merges._is_at_right(MergeModel.TOKEN) == is_at_right
    header = panel.table.horizontalHeader()
    assert header._is_at_right(WordsModel.WORD) == header._is_at_right(WordsModel.CUT) == is_at_right
    picture = header.grab().toImage()
    left, width = header.sectionPosition(WordsModel.WORD), header.sectionSize(WordsModel.WORD)
    ground = picture.pixelColor(left + 1, 3)
    inked = [
        x for x in range(width) for y in range(4, header.height() - 4) if picture.pixelColor(left + x, y) != ground
    ]
    assert (min(inked) > width / 2) == is_at_right


def test_the_rows_that_say_so_are_looked_at_once_until_they_change(show, workspace, monkeypatch):
    panel = show(MergesPanel(workspace), 500)
    header, looked_at = panel.table.horizontalHeader(), []
    plain = panel.model.alignment
    monkeypatch.setattr(panel.model, "alignment", lambda *cell: (looked_at.append(cell), plain(*cell))[1])
    panel.model.modelReset.emit()
    header.grab()
    n_looked_at = len(looked_at)
    assert n_looked_at >= 2 * min(panel.model.rowCount(), N_FIRST)
    header.grab()
    assert len(looked_at) == n_looked_at
    for signal in (panel.model.modelReset, panel.model.layoutChanged):
        signal.emit()
        header.grab()
        assert len(looked_at) == 2 * n_looked_at
        looked_at[n_looked_at:] = []
