"""Columns share the room that is left, keep their numbers whole, and have it back when the window is large again."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFontMetrics

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.corpus.words import WordsView
from bpe_studio.gui.corpus.words_model import WordsModel
from bpe_studio.gui.merges.candidates_model import CandidateModel
from bpe_studio.gui.merges.candidates_panel import CandidatesPanel
from bpe_studio.gui.tables.view import MARGIN

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
