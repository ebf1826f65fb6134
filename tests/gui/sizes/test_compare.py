"""The comparison: measures, differences, where painted tokens stand, and the columns that follow the workspace."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView

import bpe_studio as bpe
from bpe_studio.explain.sizes.measures import TextCounts, measure
from bpe_studio.gui.sizes.numbers_model import COLUMNS, NumbersModel
from bpe_studio.gui.sizes.panel import SizesPanel, default_step
from bpe_studio.workspace.state import State

# The offscreen platform says this whenever a window is shown.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
TEXT = "low lower newest widest low low newest newest " * 10
MIXED = [
    "the river",
    "سلام دنیا، می‌خواهم",
    "abc سلام 12 def",
    "漢字かな 한국어",
    "नमस्ते",
    "👨‍👩‍👧‍👦🇮🇷é e\u0301",
    "لا لله",
    "a\tb",
]


@pytest.fixture(scope="module")
def run():
    config = bpe.TrainingConfig.preset("gpt2", merges=30)
    return bpe.train(bpe.Corpus.from_text(TEXT, config), config)


@pytest.fixture
def panel(qtbot, workspace):
    panel = SizesPanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(800, 500)
    panel.show()
    return panel


@pytest.fixture
def trained(qtbot, workspace, panel):
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    panel.refresh()
    return workspace


def show_text(panel: SizesPanel) -> None:
    """Bring the columns of text to the front."""
    panel.tabs.setCurrentIndex([panel.tabs.tabText(k) for k in range(panel.tabs.count())].index("Text"))
    panel.refresh()


def cells(panel: SizesPanel, row: int) -> list[str]:
    return [panel.model.data(panel.model.index(row, column)) for column in range(panel.model.columnCount())]


def test_the_model_is_sound(qtmodeltester, run):
    model = NumbersModel()
    qtmodeltester.check(model)
    counts = TextCounts.of("low", run)
    model.set_rows([measure(run, run.live("low"), counts, step, step == 9) for step in (0, 9)])
    qtmodeltester.check(model)
    assert model.columnCount() == len(COLUMNS)
    assert model.rowCount(model.index(0, 0)) == 0


def test_without_a_run_it_says_what_to_do(panel):
    assert panel.model.rowCount() == 0
    assert "Open a text" in panel.which.text()
    assert not panel.add.isEnabled() and panel.add.toolTip()
    assert panel.findChild(QAbstractItemView, "compare.table") is panel.table


def test_two_sizes_stand_side_by_side_from_the_start(trained, panel):
    show_text(panel)
    assert panel.model.rowCount() == 2
    assert "a text" in panel.which.text()
    steps = [row.step for row in panel.model.rows]
    assert steps[0] < steps[1] == trained.step == trained.n_merges
    assert all(column.text.content is not None for column in panel.texts.columns)


def test_before_anything_is_learned_step_0_is_there_once(qtbot, workspace, panel):
    workspace.settings.apply(bpe.TrainingConfig.preset(merges=30))
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    show_text(panel)
    qtbot.waitUntil(lambda: [(row.step, row.is_current) for row in panel.model.rows] == [(0, True)])
    assert not panel.add.isEnabled() and "No merges yet" in panel.add.toolTip()
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    panel.refresh()
    assert len(panel.model.rows) == 2 and panel.model.rows[0].step < panel.model.rows[1].step == workspace.n_merges


def test_the_typed_text_is_compared_when_there_is_one(qtbot, trained, panel):
    trained.set_typed_text("newest lower")
    qtbot.waitUntil(lambda: "Your text" in panel.which.text())
    assert panel.model.rows[1].n_tokens == len(trained.run.tokenizer().encode("newest lower").ids)
    assert cells(panel, 0)[3] == "–"
    assert cells(panel, 1)[3].startswith("−")


def test_the_last_column_is_the_step_of_the_window(qtbot, trained, panel):
    show_text(panel)
    trained.transport.go_to(3)
    qtbot.waitUntil(lambda: panel.model.rows[-1].step == 3)
    panel.texts.columns[-1].spin.setValue(4)
    assert trained.step == 4
    panel.texts.columns[-1].slider.setValue(5)
    assert trained.step == 5


def test_adding_choosing_and_removing_columns(qtbot, trained, panel):
    show_text(panel)
    trained.transport.go_to(6)
    panel.refresh()
    panel.add.click()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    assert trained.compared_steps[-1] == 6
    panel.refresh()
    assert not panel.add.isEnabled(), "this step is among the sizes now"
    panel.texts.columns[1].spin.setValue(4)
    assert trained.compared_steps[-1] == 4
    first = trained.compared_steps[0]
    panel.texts.columns[1].spin.setValue(first)
    assert trained.compared_steps[-1] == 4, "two columns at one step would become one"
    qtbot.waitUntil(lambda: panel.model.rows[1].step == 4)
    panel.texts.columns[0].remove.click()
    assert trained.compared_steps == (4,)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    assert not panel.texts.columns[0].remove.isEnabled()


def test_a_double_click_goes_to_the_row_s_step(trained, panel):
    panel.table.doubleClicked.emit(panel.model.index(0, 0))
    assert trained.step == panel.model.rows[0].step


@pytest.mark.slow(buys="which token is at each pixel of a painted text")
def test_tokens_are_found_under_the_mouse(qtbot, trained, panel):
    show_text(panel)
    trained.set_typed_text("newest سیب\nlow 😀")
    panel.refresh()
    text = panel.texts.columns[0].text
    text.grab()
    content = text.content
    found = set()
    for y in range(0, text.viewport().height(), 8):
        for x in range(0, text.viewport().width(), 2):
            found.add(text.token_at(QPoint(x, y)))
    assert found - {None} == set(range(len(content.starts)))


def test_a_word_end_of_its_own_is_drawn_as_a_stripe(qtbot, workspace, panel):
    workspace.settings.apply(bpe.TrainingConfig.preset("sennrich", merges=5))
    workspace.opener.open_text("low lower newest", "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    show_text(panel)
    content = panel.texts.columns[0].text.content
    assert np.any(content.starts == content.ends)
    panel.grab()


def test_every_text_can_be_painted(qtbot, trained, panel):
    show_text(panel)
    for text in [*MIXED, "\r\n\u2028\x00", "\n\n", "\ud800", "x" * 5000]:
        trained.set_typed_text(text)
        panel.refresh()
        assert panel.model.rowCount() == 2
        panel.grab()


@pytest.mark.parametrize(
    ("n_merges", "target", "state", "step"),
    [(8000, 8000, State.done, 800), (400, 8000, State.running, 400), (9, 8000, State.done, 4), (0, 0, State.empty, 0)],
)
def test_where_the_first_column_stands(n_merges, target, state, step):
    assert default_step(n_merges, target, state) == step


def test_the_table_reads_right_aligned(panel):
    alignment = panel.model.headerData(0, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
    assert alignment & int(Qt.AlignmentFlag.AlignRight)
