"""The word table: order, filter, cuts at a step made only for the rows that show, and the direction
of words.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.corpus.words import WordsModel, WordsView
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, State
from bpe_studio.workspace.workspace import Workspace
from tests.gui.stage import put_run
from tests.trained import WORDS, run_of_words


class Stage(Workspace):
    """A workspace whose values the test sets."""

    def __init__(self) -> None:
        super().__init__(config=TrainingConfig.preset("textbook"))

    def open(self, run, step=0, state=State.paused):
        corpus = run.corpus
        info = CorpusInfo("words", corpus, (), (), OpeningRequest("words"))
        put_run(self, run, len(run.merges), step, info)
        self.corpus_changed.emit()
        self.run_changed.emit()
        self.set_state(state)


@pytest.fixture
def stage(qtbot):
    return Stage()


@pytest.fixture
def view(shown, stage):
    return shown(WordsView(stage), 360, 240)


def column(model, number):
    return [model.index(row, number).data() for row in range(model.rowCount())]


def test_the_most_frequent_words_come_first(view, stage):
    stage.open(run_of_words(WORDS))
    assert column(view.model, WordsModel.WORD) == ["pun", "hug", "pug", "hugs", "bun"]
    assert column(view.model, WordsModel.COUNT) == ["12", "10", "5", "5", "4"]


def test_words_are_cut_as_they_stand_at_the_step(view, stage, qtbot):
    stage.open(run_of_words(WORDS))
    assert column(view.model, WordsModel.CUT) == [
        "p | u | n",
        "h | u | g",
        "p | u | g",
        "h | u | g | s",
        "b | u | n",
    ]
    stage.set_step(3)
    cuts = ["p | un", "hug", "p | ug", "hug | s", "b | un"]
    qtbot.waitUntil(lambda: column(view.model, WordsModel.CUT) == cuts)
    assert column(view.model, WordsModel.TOKENS) == ["2", "1", "2", "2", "2"]


def test_only_rows_that_show_are_cut(view, stage, qtbot, monkeypatch):
    words = {
        f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}": 5000 - i
        for i in range(5000)
    }
    run = run_of_words(words, merges=30)
    cut = []
    make_table = run.words_at

    def counting_table(step):
        table = make_table(step)
        plain = table.cut
        table.cut = lambda i, most=None: cut.append(i) or plain(i, most)
        return table

    monkeypatch.setattr(run, "words_at", counting_table)
    stage.open(run)
    qtbot.waitUntil(lambda: bool(cut) and not view.model.is_busy)
    for step in range(1, 31):
        stage.set_step(step)
    qtbot.waitUntil(lambda: view.is_up_to_date)
    view.table.viewport().repaint()
    assert 0 < len(set(cut)) < 60


def test_filter_and_order(view, stage, qtbot):
    stage.open(run_of_words(WORDS))
    view.filter.setText("UG")
    qtbot.waitUntil(
        lambda: column(view.model, WordsModel.WORD) == []
    )  # capitals in the filter make it exact
    view.filter.setText("ug")
    qtbot.waitUntil(lambda: column(view.model, WordsModel.WORD) == ["hug", "pug", "hugs"])
    assert view.count.text() == "3 of 5"
    view.table.sortByColumn(WordsModel.WORD, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: column(view.model, WordsModel.WORD) == ["hug", "hugs", "pug"])
    view.table.sortByColumn(WordsModel.CUT, Qt.SortOrder.AscendingOrder)
    assert view.table.horizontalHeader().sortIndicatorSection() == WordsModel.WORD, (
        "cuts have no order"
    )


def test_the_model_keeps_qts_rules(view, stage, qtmodeltester):
    stage.open(run_of_words(WORDS), 2)
    qtmodeltester.check(view.model)
