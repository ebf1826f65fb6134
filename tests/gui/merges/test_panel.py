"""The merges table: what stands in it, how it filters, sorts and grows, and how it and the step
follow each other.
"""

from __future__ import annotations

import random
from string import ascii_letters
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt

import bpe_studio as bpe
from bpe_studio.gui.merges.panel import MergeModel, MergesPanel
from bpe_studio.gui.tables.model import RowState, RowStateRole
from bpe_studio.workspace.state import State
from tests.engine.counting.test_source_weights import corpus_of
from tests.gui.stage import Stage
from tests.trained import run_of_words


@pytest.fixture(scope="module")
def long_run():
    """3,000 merges of made words, some of which have capitals."""
    rng = random.Random(0)
    words = {"Capital": 900}
    for count in range(1500):
        letters = rng.choices(ascii_letters, range(52, 0, -1), k=rng.randint(2, 7))
        words["".join(letters)] = 1 + count // 4
    run = run_of_words(words, merges=3000)
    assert len(run.merges) == 3000
    return run


@pytest.fixture
def stage(qtbot):
    return Stage()


@pytest.fixture
def panel(shown, stage):
    return shown(MergesPanel(stage), 420, 400)


def texts(model, column):
    return [model.index(row, column).data() for row in range(model.rowCount())]


def visible_rows(panel):
    return [row for row in range(panel.model.rowCount()) if panel.table.is_row_visible(row)]


def test_each_merge_is_a_row(panel, stage):
    stage.open(run_of_words(), 6, 6)
    assert texts(panel.model, MergeModel.RANK) == ["1", "2", "3", "4", "5", "6"]
    assert texts(panel.model, MergeModel.PAIR)[:3] == ["u + g", "u + n", "h + ug"]
    assert texts(panel.model, MergeModel.TOKEN)[:3] == ["ug", "un", "hug"]
    assert texts(panel.model, MergeModel.COUNT)[:3] == ["20", "16", "15"]


def test_the_filter_goes_with_the_text(panel, stage):
    stage.corpus = SimpleNamespace(request="first.txt")
    stage.corpus_changed.emit()
    stage.open(run_of_words(), 2, 2)
    panel.filter.setText("hug")
    stage.corpus_changed.emit()
    stage.open(run_of_words(), 3, 3)
    assert panel.filter.text() == "hug", "another run of the text keeps it"
    stage.corpus = SimpleNamespace(request="second.txt")
    stage.corpus_changed.emit()
    stage.open(run_of_words(), 3, 3)
    assert panel.filter.text() == "" and visible_rows(panel) == [0, 1, 2]


def test_the_model_keeps_qts_rules(panel, stage, qtmodeltester):
    stage.open(run_of_words(), 6, 3)
    qtmodeltester.check(panel.model)


def test_rows_say_what_they_are_to_the_step(panel, stage):
    stage.open(run_of_words(), 5, 2)

    def states():
        return [panel.model.index(row, 0).data(RowStateRole) for row in range(5)]

    assert states() == [RowState.APPLIED, RowState.CURRENT] + [RowState.AHEAD] * 3
    stage.go_to(0)
    assert states() == [RowState.AHEAD] * 5


def test_forced_merges_are_marked_with_a_word(panel, stage):
    stage.open(run_of_words(force=(("h", "u"),)), 3, 3)
    assert texts(panel.model, MergeModel.TIED)[0] == "forced"
    assert texts(panel.model, MergeModel.TIED)[1] == "", "no other pair was as frequent"


def test_a_token_is_found_by_its_name_and_gone_to_by_enter(panel, stage, qtbot):
    run = run_of_words()
    stage.open(run, len(run.merges), len(run.merges))
    wanted = run.merges[2].token
    chosen = []
    panel.filtered.chosen.connect(lambda index: chosen.append(panel.model.source_row(index.row())))
    panel.filter.setText(wanted)
    qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
    shown = texts(panel.model, MergeModel.TOKEN)
    assert chosen == [2] and wanted in shown
    row = shown.index(wanted)
    assert panel.table.is_row_visible(row) and panel.model.best_match() == row
    panel.filter.clear()
    assert panel.model.best_match() == 0
    panel.filter.setText("nothing of this name")
    qtbot.keyClick(panel.filter, Qt.Key.Key_Return)
    assert panel.model.best_match() == -1 and chosen == [2]


@pytest.mark.slow(buys="every filter with every order")
@pytest.mark.parametrize("pattern", ["", "ab", "e", "C", "capital", "nothing at all"])
@pytest.mark.parametrize("column", range(5))
@pytest.mark.parametrize("order", [Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder])
def test_filter_and_sort_are_those_of_a_plain_list(qtbot, long_run, pattern, column, order):
    run = long_run
    n = len(run.merges)
    model = MergeModel()
    model.set_run(run, n)
    model.sort(column, order)
    model.set_filter(pattern)
    qtbot.waitUntil(lambda: not model.is_busy)
    name = run.token_name
    columns = run.columns
    keys = {
        MergeModel.RANK: lambda r: r,
        MergeModel.PAIR: lambda r: (name(columns.left[r]).lower(), name(columns.right[r]).lower()),
        MergeModel.TOKEN: lambda r: name(run.token_of(r)).lower(),
        MergeModel.COUNT: lambda r: columns.count[r],
        MergeModel.TIED: lambda r: columns.tied[r],
    }
    tokens = [name(run.token_of(r)) for r in range(n)]
    found = [r for r in range(n) if pattern in (tokens[r] if pattern == "C" else tokens[r].lower())]
    expected = sorted(found, key=keys[column], reverse=order is Qt.SortOrder.DescendingOrder)
    shown = [model.source_row(row) for row in range(model.rowCount())]
    assert [keys[column](r) for r in shown] == [keys[column](r) for r in expected]
    assert sorted(shown) == sorted(found)


def test_the_table_follows_the_run_until_the_person_looks_away(panel, stage, long_run, qtbot):
    stage.open(long_run, 500, 500, State.running)
    stage.grow(1000)
    qtbot.waitUntil(lambda: 999 in visible_rows(panel))
    assert not panel.follow.isVisible()
    panel.table.verticalScrollBar().setValue(100)
    assert panel.follow.isVisible()
    stage.grow(1500)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1500)
    assert 100 in visible_rows(panel)
    assert not panel.table.isAncestorOf(panel.follow), "it covers no row"
    qtbot.mouseClick(panel.follow, Qt.MouseButton.LeftButton)
    assert 1499 in visible_rows(panel)
    assert not panel.follow.isVisible()
    stage.grow(2000)
    qtbot.waitUntil(lambda: 1999 in visible_rows(panel))


def test_a_click_and_enter_go_to_a_row(panel, stage, long_run, qtbot):
    stage.open(long_run, 3000, 1)
    table = panel.table

    def click(row):
        place = table.visualRect(panel.model.index(row, MergeModel.TOKEN)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)

    click(4)
    assert stage.step == 5
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert stage.step == 5, "the keys only choose"
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert stage.step == 6
    panel.filter.setText("ca")
    rank = panel.model.source_row(1)
    click(1)
    assert stage.step == rank + 1, "a row of a filtered table is still its own merge"


def test_another_run_replaces_the_rows(panel, stage, long_run):
    stage.open(long_run, 3000, 3000)
    panel.filter.setText("u")
    stage.open(run_of_words(), 6, 6)
    assert all("u" in token for token in texts(panel.model, MergeModel.TOKEN))
    assert panel.model.n_rows == 6
    stage.open(None, 0, 0, State.empty)
    assert panel.model.rowCount() == 0
    assert "Open a text" in panel.table.placeholder


def test_the_files_that_gave_the_counts_are_a_column_where_there_are_several(qtbot, panel, stage):
    stage.open(run_of_words(), 6, 6)
    assert panel.table.isColumnHidden(MergeModel.SOURCE)
    config = bpe.TrainingConfig.preset("textbook", merges=3)
    run = bpe.train(corpus_of([("x/low.txt", "low lower"), ("new.txt", "newer")], config))
    stage.open(run, 3, 3)
    assert panel.table.isColumnHidden(MergeModel.SOURCE)  # pair and token need the room
    panel.resize(900, 500)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(MergeModel.SOURCE))
    assert texts(panel.model, MergeModel.TOKEN) == ["lo", "low", "er"]
    cells = [text.strip("\u2068\u2069") for text in texts(panel.model, MergeModel.SOURCE)]
    assert [cell.replace("\u2068", "") for cell in cells] == ["low", "low", "50 % low"]
    assert "100 % in" in panel.model.tip(0, MergeModel.SOURCE)
    stage.open(run_of_words(), 6, 6)
    assert panel.table.isColumnHidden(MergeModel.SOURCE)
