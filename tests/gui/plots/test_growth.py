"""The growth charts: what they draw, the line that is the step, and other runs."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt, QThreadPool
from PySide6.QtTest import QTest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import train
from bpe_studio.gui.plots.growth_panel import GrowthPanel
from tests.gui.stage import Stage

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog over several hills"
    " and brooks " * 3
)


@pytest.fixture(scope="module")
def run():
    config = TrainingConfig.preset("textbook")
    return train(Corpus.from_text(TEXT, config), config)


@pytest.fixture
def stage(qtbot):
    return Stage()


@pytest.fixture
def drawn(qtbot, run, stage):
    """The panel with a whole run at step 5, on the screen."""
    panel = GrowthPanel(stage)
    qtbot.addWidget(panel)
    panel.resize(560, 400)
    stage.open(run, len(run.merges), 5)
    panel.show()
    qtbot.waitExposed(panel)
    yield panel
    QThreadPool.globalInstance().waitForDone()


@pytest.mark.parametrize("is_log", [False, True])
def test_the_curves_are_the_runs_numbers(drawn, run, is_log):
    drawn.plot.tokens.log_places.setChecked(is_log)
    (tokens,), (counts,) = (chart.lines for chart in drawn.plot.charts)
    assert tokens.sizes.tolist() == list(range(len(run.merges) + 1))
    assert tokens.values.tolist() == [run.initial_n_tokens, *run.columns.n_tokens.tolist()]
    assert counts.sizes.tolist() == tokens.sizes[1:].tolist()
    assert counts.values.tolist() == run.columns.count.tolist()
    for chart in drawn.plot.charts:
        xs = [chart.x_of(step) for step in (1, 2, 4)]
        assert (xs[2] - xs[1] == pytest.approx(xs[1] - xs[0])) is is_log, "by this axis"
        assert not chart.grab().isNull()


def test_the_line_is_at_the_step_and_the_mouse_and_keys_move_it(drawn, stage):
    for chart in drawn.plot.charts:
        stage.go_to(7)
        assert chart.current == 7
        place = QPoint(round(chart.x_of(20)), chart.height() // 2)
        QTest.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=place)
        assert stage.step == chart.place_at(place.x()) == chart.current
        before = stage.step
        QTest.keyClick(chart, Qt.Key.Key_Right)
        assert stage.step == before + 1
        QTest.keyClick(chart, Qt.Key.Key_PageUp)
        assert stage.step == stage.n_merges
    assert f"{stage.run.vocab_size_at(stage.n_merges)}" in drawn.plot.accessibleDescription()


def test_the_runs_of_a_text_have_curves_with_their_names(qtbot, trained_workspace):
    workspace = trained_workspace(TEXT, TrainingConfig.preset("textbook", merges=30))
    panel = GrowthPanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(800, 400)
    panel.show()

    def names():
        return [line.name.strip("\u2068\u2069") for line in panel.plot.tokens.lines]

    assert names() == [""] and not panel.other_runs.isVisible()
    third = workspace.run.merges[3]
    workspace.runs.branch_off(
        Override(3, OverrideKind.forbid, third.left, third.right), name="without it"
    )
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2)
    main, branch = (entry.run for entry in workspace.runs.entries)
    assert panel.other_runs.isVisible()
    assert names() == ["without it", "Main run"], "the shown one first"
    for each, shown in zip((branch, main), panel.plot.tokens.lines, strict=True):
        assert shown.values.tolist() == [each.initial_n_tokens, *each.columns.n_tokens.tolist()]
    workspace.runs.rename(0, "First run")
    assert names() == ["without it", "First run"]
    panel.other_runs.setChecked(False)
    assert names() == [""]
    panel.other_runs.setChecked(True)
    workspace.runs.show(0)
    assert names() == ["First run", "without it"]
    workspace.runs.remove(1)
    assert names() == [""] and not panel.other_runs.isVisible()
    QThreadPool.globalInstance().waitForDone()
