"""The word table: order, filter, cuts at a step made only for the rows that show, and the direction of words."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import Qt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.trainer import train
from bpe_studio.gui.corpus import words
from bpe_studio.gui.corpus.words import WordsView
from bpe_studio.gui.corpus.words_model import WordsModel
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, State
from bpe_studio.workspace.workspace import Workspace
from tests.gui.stage import put_run
from tests.trained import WORDS, run_of_words

# The offscreen platform says so for each window that is shown.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)


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
def view(qtbot, stage):
    view = WordsView(stage)
    qtbot.addWidget(view)
    view.resize(360, 240)
    view.show()
    return view


def column(model, number):
    return [model.index(row, number).data() for row in range(model.rowCount())]


def test_the_most_frequent_words_come_first(view, stage):
    stage.open(run_of_words(WORDS))
    assert column(view.model, WordsModel.WORD) == ["pun", "hug", "pug", "hugs", "bun"]
    assert column(view.model, WordsModel.COUNT) == ["12", "10", "5", "5", "4"]


def test_many_words_that_are_first_shown_are_painted_after_the_other_panels_of_the_view(
    view, stage, qtbot, monkeypatch
):
    monkeypatch.setattr(words, "N_INSTANT", 3)
    view.hide()
    stage.open(run_of_words(WORDS))
    painted: list[int] = []
    monkeypatch.setattr(view.table, "_paint_rows", lambda *given: painted.append(view.model.rowCount()))
    qtbot.waitUntil(lambda: view.model.rowCount() == len(WORDS))
    view.show()
    view.table.viewport().grab()
    assert painted == []
    qtbot.waitUntil(lambda: painted == [len(WORDS)])
    view.hide()
    view.show()
    view.table.viewport().grab()
    assert len(painted) > 1


def test_words_are_cut_as_they_stand_at_the_step(view, stage, qtbot):
    stage.open(run_of_words(WORDS))
    assert column(view.model, WordsModel.CUT) == ["p | u | n", "h | u | g", "p | u | g", "h | u | g | s", "b | u | n"]
    stage.set_step(3)
    cuts = ["p | un", "hug", "p | ug", "hug | s", "b | un"]
    qtbot.waitUntil(lambda: column(view.model, WordsModel.CUT) == cuts)
    assert column(view.model, WordsModel.TOKENS) == ["2", "1", "2", "2", "2"]


def test_a_corpus_without_a_run_shows_its_words(view, stage):
    stage.open(run_of_words(WORDS))
    stage.run = None
    stage.run_changed.emit()
    assert column(view.model, WordsModel.WORD)[0] == "pun"
    assert set(column(view.model, WordsModel.CUT)) == {""}


def test_the_run_of_another_corpus_cuts_nothing(view, stage):
    stage.open(run_of_words(WORDS))
    view.model.set_run(run_of_words({"other": 1}), 0)
    assert set(column(view.model, WordsModel.CUT)) == {""}


def test_only_rows_that_show_are_cut(view, stage, qtbot, monkeypatch):
    words = {f"{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}": 5000 - i for i in range(5000)}
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
    qtbot.waitUntil(lambda: view._step == 30)
    view.table.viewport().repaint()
    assert 0 < len(set(cut)) < 60


def test_filter_and_order(view, stage, qtbot):
    stage.open(run_of_words(WORDS))
    view.filter.setText("UG")
    qtbot.waitUntil(lambda: column(view.model, WordsModel.WORD) == [])  # capitals in the filter make it exact
    view.filter.setText("ug")
    qtbot.waitUntil(lambda: column(view.model, WordsModel.WORD) == ["hug", "pug", "hugs"])
    assert view.count.text() == "3 of 5"
    view.table.sortByColumn(WordsModel.WORD, Qt.SortOrder.AscendingOrder)
    qtbot.waitUntil(lambda: column(view.model, WordsModel.WORD) == ["hug", "hugs", "pug"])
    view.table.sortByColumn(WordsModel.CUT, Qt.SortOrder.AscendingOrder)
    assert view.table.horizontalHeader().sortIndicatorSection() == WordsModel.WORD, "cuts have no order"


def test_right_to_left_words_lie_right(view, stage, qtbot):
    stage.open(run_of_words({"سلام": 3, "salam": 2}, merges=2))
    qtbot.waitUntil(lambda: view.model.rowCount() == 2)
    alignments = [view.model.index(r, 0).data(Qt.ItemDataRole.TextAlignmentRole) for r in range(2)]
    assert alignments[0] & int(Qt.AlignmentFlag.AlignRight)
    assert alignments[1] & int(Qt.AlignmentFlag.AlignLeft)
    assert [view.model.cut(view.model.source_row(r)).is_rtl for r in range(2)] == [True, False]
    assert not view.grab().isNull()


def test_the_model_keeps_qts_rules(view, stage, qtmodeltester):
    stage.open(run_of_words(WORDS), 2)
    qtmodeltester.check(view.model)


def test_controls_have_names_and_tips(view):
    assert (view.table.objectName(), view.filter.objectName()) == ("corpus.words", "corpus.filter")
    for widget in (view.table, view.filter, view.count):
        assert widget.accessibleName()
    for number in range(view.model.columnCount()):
        assert view.model.headerData(number, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)


def test_a_word_as_long_as_a_text_is_shown_by_its_ends(qtbot):
    config = TrainingConfig.preset("raw", vocab_size=260)
    run = train(Corpus.from_text("ab" * 500_000, config), config)
    model = WordsModel()
    model.set_corpus(run.corpus)
    model.set_run(run, len(run.merges))
    cut = model.cut(0)
    assert cut.n_tokens == run.n_tokens_at(len(run.merges))
    assert cut.names[-1] == "…"
    assert 1 < len(cut.names) <= 301
    assert len(model.index(0, 0).data()) < 1000
