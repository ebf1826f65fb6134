"""The growth curves: what they draw, the line that is the step, and both axes."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt, QThreadPool
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
    qtbot.waitExposed(panel)
    return panel


def line_step(panel):
    """The step at which the line is painted, in both areas alike."""
    plot, image = panel.plot, panel.plot.grab().toImage()
    accent, found = theme.accent(plot.palette()), []
    for area, room in enumerate(plot.rooms):
        rows = range(round(room.top()) + 2, round(room.bottom()) - 2, 3)
        columns = [
            x
            for x in range(round(room.left()) - 2, round(room.right()) + 2)
            if sum(image.pixelColor(x, y) == accent for y in rows) > len(rows) / 2
        ]
        assert columns
        middle, scale = (columns[0] + columns[-1] + 1) / 2, plot.scale(area)
        found.append(min(range(plot.n_merges + 1), key=lambda step: abs(scale.x(step) - middle)))
    assert len(set(found)) == 1
    return found[0]


@pytest.mark.parametrize("log_merges", [False, True])
@pytest.mark.parametrize("log_counts", [False, True])
def test_the_curves_are_the_runs_numbers(drawn, run, log_merges, log_counts):
    drawn.log_merges.setChecked(log_merges)
    drawn.log_counts.setChecked(log_counts)
    tokens = [run.initial_n_tokens, *run.columns.n_tokens.tolist()]
    counts = np.log10(run.columns.count) if log_counts else run.columns.count
    plot = drawn.plot
    for area, (values, first) in enumerate(((np.array(tokens), 0), (counts, 1))):
        (curve,) = plot.curves[area]
        points = curve.toList()
        assert [plot.scale(area).step(point.x()) for point in points] == list(range(first, len(run.merges) + 1))
        np.testing.assert_allclose([point.y() for point in points], plot.y_of(area, values))
    xs = [plot.scale(0).x(step) for step in (1, 2, 4)]
    assert (xs[2] - xs[1] == pytest.approx(xs[1] - xs[0])) is log_merges, "by this axis"


def test_the_line_stands_at_the_step(drawn, stage):
    for step in (0, 1, 7, stage.n_merges):
        stage.go_to(step)
        assert line_step(drawn) == step
    assert f"{stage.run.vocab_size_at(stage.n_merges)}" in drawn.plot.accessibleDescription()


@pytest.mark.parametrize("log_merges", [False, True])
def test_dragging_the_line_moves_the_step(drawn, stage, log_merges):
    drawn.log_merges.setChecked(log_merges)
    plot = drawn.plot
    middle = plot.rooms[1].center().y()

    def at(step, shift=0):
        return QPoint(round(plot.scale(1).x(step)) + shift, round(middle))

    QTest.mousePress(plot, Qt.MouseButton.LeftButton, pos=at(5, 2))
    assert stage.step == 5, "it is held where the hand took it"
    QTest.mouseMove(plot, at(9, 2))
    QTest.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=at(9, 2))
    assert stage.step == 9
    assert line_step(drawn) == 9


def test_pressing_in_the_plot_and_keys_move_the_step(drawn, stage, qtbot):
    plot = drawn.plot
    middle = plot.rooms[0].center().toPoint()
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=middle)
    assert stage.step == plot.scale(0).step(middle.x()) != 5
    before = stage.step
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert stage.step == before + 1


# Under the mouse, and other runs.


def test_what_is_under_the_mouse_is_written_in_each_area_and_goes_with_it(drawn, stage, run, qtbot):
    plot, step = drawn.plot, 7
    for area, room in enumerate(plot.rooms):
        x = plot.scale(area).x(step)
        before = plot.grab().toImage()
        qtbot.mouseMove(plot, QPoint(round(x), round(room.center().y())))
        assert stage.step == 5, "nothing moves"
        n_tokens, count = int(run.columns.n_tokens[step - 1]), int(run.columns.count[step - 1])
        size = run.vocab_size_at(step)
        assert f"vocabulary {size}" in plot.readout[0] and f"{n_tokens} tokens" in plot.readout[0]
        assert plot.readout[1] == f"step {step} · {count} times"
        assert plot.grab().toImage() != before
        QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
        assert plot.readout == ()
        assert plot.grab().toImage() == before


def names(plot):
    return [each.name for each in plot.runs]


def test_the_runs_of_a_text_have_curves_and_a_legend_in_one_plot(qtbot, trained_workspace):
    workspace = trained_workspace(TEXT, TrainingConfig.preset("textbook", merges=30))
    panel = GrowthPanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(800, 400)
    panel.show()
    plot = panel.plot
    assert len(plot.runs) == 1 and not panel.other_runs.isVisible()
    third = workspace.run.merges[3]
    workspace.runs.branch_off(Override(3, OverrideKind.forbid, third.left, third.right), name="without it")
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2)
    main, branch = (entry.run for entry in workspace.runs.entries)
    assert panel.other_runs.isVisible()
    assert names(plot) == ["without it", "Main run"], "the shown one first"
    for each, shown in zip((branch, main), plot.runs, strict=True):
        assert shown.n_tokens.tolist() == [each.initial_n_tokens, *each.columns.n_tokens.tolist()]
    room = plot.rooms[0]
    qtbot.mouseMove(plot, QPoint(round(plot.scale(0).x(20)), round(room.center().y())))
    assert plot.readout[0] == f"step 20 · {branch.n_tokens_at(20)} tokens · {main.n_tokens_at(20)} tokens"
    workspace.runs.rename(0, "First run")
    assert names(plot) == ["without it", "First run"]
    panel.other_runs.setChecked(False)
    assert names(plot) == ["without it"]
    panel.other_runs.setChecked(True)
    workspace.runs.show(0)
    assert names(plot) == ["First run", "without it"]
    workspace.runs.remove(1)
    assert names(plot) == ["First run"] and not panel.other_runs.isVisible()
    QThreadPool.globalInstance().waitForDone()
