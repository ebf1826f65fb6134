"""The growth curves: what they draw, the line that is the step, both axes, both themes, and the late import."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QThreadPool
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import train
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.growth_panel import GrowthPanel
from tests.gui.stage import Stage

# The offscreen platform says so for each window that is shown.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
TEXT = "the cat sat on the mat, and the rat that ate the oats was chased by a dog over several hills and brooks " * 3


@pytest.fixture(scope="module")
def run():
    config = TrainingConfig.preset("textbook")
    return train(Corpus.from_text(TEXT, config), config)


@pytest.fixture
def stage(qtbot):
    return Stage()


@pytest.fixture
def panel(qtbot, stage):
    panel = GrowthPanel(stage)
    qtbot.addWidget(panel)
    panel.resize(560, 400)
    yield panel
    QThreadPool.globalInstance().waitForDone()


@pytest.fixture
def drawn(panel, stage, run, qtbot):
    """The panel with a whole run at step 5, on the screen."""
    stage.open(run, len(run.merges), 5)
    panel.show()
    panel.ensure_plot()
    qtbot.waitExposed(panel)
    return panel


def line_step(panel):
    """The step at which the line is painted, in all areas alike."""
    plot, image = panel.plot, panel.plot.viewport().grab().toImage()
    accent, found = theme.accent(plot.palette()), []
    for area in plot.areas:
        room = area.getViewBox().sceneBoundingRect()
        rows = range(round(room.top()) + 2, round(room.bottom()) - 2, 3)
        columns = [
            x
            for x in range(round(room.left()) - 2, round(room.right()) + 2)
            if sum(image.pixelColor(x, y) == accent for y in rows) > len(rows) / 2
        ]
        assert columns
        middle = QPointF((columns[0] + columns[-1] + 1) / 2, room.top())
        found.append(plot.scale.step(area.getViewBox().mapSceneToView(middle).x()))
    assert len(set(found)) == 1
    return found[0]


def test_showing_the_panel_builds_the_curves_by_and_by(panel, stage, run, qtbot):
    stage.open(run, 5, 5)
    panel.show()
    assert panel.plot is None, "the window is painted first"
    qtbot.waitUntil(lambda: panel.plot is not None, timeout=20_000)
    assert panel.plot.n_merges == 5


@pytest.mark.parametrize("log_merges", [False, True])
@pytest.mark.parametrize("log_counts", [False, True])
def test_the_curves_are_the_runs_numbers(drawn, run, log_merges, log_counts):
    drawn.log_merges.setChecked(log_merges)
    drawn.log_counts.setChecked(log_counts)
    n = len(run.merges)
    x, y = drawn.plot.curves[0].getData()
    assert y.tolist() == [run.initial_n_tokens, *run.columns.n_tokens.tolist()]
    assert [drawn.plot.scale.step(place) for place in x] == list(range(n + 1))
    positions = np.log10(np.maximum(np.arange(n + 1), 0.5)) if log_merges else np.arange(n + 1)
    np.testing.assert_allclose(x, (positions - positions[0]) / (positions[-1] - positions[0]), err_msg="by this axis")
    x, y = drawn.plot.curves[1].getData()
    assert np.round(10**y if log_counts else y).tolist() == run.columns.count.tolist()


def test_the_line_stands_at_the_step(drawn, stage):
    for step in (0, 1, 7, stage.n_merges):
        stage.go_to(step)
        assert line_step(drawn) == step
    assert f"{stage.run.vocab_size_at(stage.n_merges)}" in drawn.area.accessibleDescription()


@pytest.mark.parametrize("log_merges", [False, True])
def test_dragging_the_line_moves_the_step(drawn, stage, log_merges):
    drawn.log_merges.setChecked(log_merges)
    plot = drawn.plot
    middle = plot.counts.getViewBox().sceneBoundingRect().center().y()

    def at(step, shift=0):
        return QPoint(round(plot.place(plot.counts, plot.scale.x(step), 0).x()) + shift, round(middle))

    QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=at(5, 2))
    assert stage.step == 5, "it is held where the hand took it"
    QTest.mouseMove(plot.viewport(), at(9, 2))
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=at(9, 2))
    assert stage.step == 9
    assert line_step(drawn) == 9


def test_pressing_in_the_plot_moves_the_step(drawn, stage, qtbot):
    plot = drawn.plot
    box = plot.tokens.getViewBox()
    scene = box.mapViewToScene(box.viewRect().center())
    qtbot.mouseClick(plot.viewport(), Qt.MouseButton.LeftButton, pos=plot.mapFromScene(scene))
    qtbot.waitUntil(lambda: stage.step != 5)
    middle = box.viewRect().center().x()
    assert stage.step == plot.scale.step(middle)


# Under the mouse, and other runs.


def test_what_is_under_the_mouse_is_written_in_each_area_and_goes_with_it(drawn, stage, run, qtbot):
    plot, step = drawn.plot, 7
    for area in plot.areas:
        room = area.getViewBox().sceneBoundingRect()
        x = plot.place(area, plot.scale.x(step), 0).x()
        before = plot.viewport().grab().toImage()
        qtbot.mouseMove(plot.viewport(), QPoint(round(x), round(room.center().y())))
        assert stage.step == 5, "nothing moves"
        n_tokens, count = int(run.columns.n_tokens[step - 1]), int(run.columns.count[step - 1])
        size = run.vocab_size_at(step)
        assert f"vocabulary {size}" in plot.readout[0] and f"{n_tokens} tokens" in plot.readout[0]
        assert plot.readout[1] == f"step {step} · {count} times"
        assert plot.viewport().grab().toImage() != before
        QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
        assert plot.readout == ()
        assert plot.viewport().grab().toImage() == before


def names(plot):
    return [label.text.strip("\u2068\u2069") for _, label in plot.legend.items]


def test_the_runs_of_a_text_have_curves_and_a_legend_in_one_plot(qtbot, trained_workspace):
    workspace = trained_workspace(TEXT, TrainingConfig.preset("textbook", merges=30))
    panel = GrowthPanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(800, 400)
    panel.show()
    panel.ensure_plot()
    plot = panel.plot
    assert not plot.legend.items and not panel.other_runs.isVisible(), "one run needs no legend"
    third = workspace.run.merges[3]
    workspace.runs.branch_off(Override(3, OverrideKind.forbid, third.left, third.right), name="without it")
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2)
    main, branch = (entry.run for entry in workspace.runs.entries)
    assert panel.other_runs.isVisible()
    assert names(plot) == ["without it", "Main run"], "the shown one first"
    assert plot.curves[0].getData()[1].tolist() == [branch.initial_n_tokens, *branch.columns.n_tokens.tolist()]
    assert plot.curves[2].getData()[1].tolist() == [main.initial_n_tokens, *main.columns.n_tokens.tolist()]
    assert plot.curves[2].zValue() < plot.curves[0].zValue(), "and in front"
    pens = [curve.opts["pen"].style() for curve in plot.curves[:4:2]]
    assert pens[0] is Qt.PenStyle.SolidLine and pens[1] is not Qt.PenStyle.SolidLine
    room = plot.tokens.getViewBox().sceneBoundingRect()
    at = plot.place(plot.tokens, plot.scale.x(20), 0).x()
    qtbot.mouseMove(plot.viewport(), QPoint(round(at), round(room.center().y())))
    assert plot.readout[0] == f"step 20 · {branch.n_tokens_at(20)} tokens · {main.n_tokens_at(20)} tokens"
    workspace.runs.rename(0, "First run")
    assert names(plot) == ["without it", "First run"]
    panel.other_runs.setChecked(False)
    assert len(plot.curves[2].getData()[0] or ()) == 0
    panel.other_runs.setChecked(True)
    workspace.runs.show(0)
    assert names(plot) == ["First run", "without it"]
    workspace.runs.remove(1)
    assert not plot.legend.items and not panel.other_runs.isVisible()
    QThreadPool.globalInstance().waitForDone()
