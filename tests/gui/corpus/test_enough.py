"""The panel How much text: nothing before it is asked, its states, its curves and its table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from pytestqt.modeltest import ModelTester

import bpe_studio as bpe
from bpe_studio.gui.corpus.enough_panel import EnoughPanel
from bpe_studio.gui.plots.enough_curve import EnoughPlot
from bpe_studio.workspace.corpus import sampler as module

WORDS = ("the", "old", "باغ", "water", "سبز", "bridge", "under", "stone", "and", "river")
TEXT = "".join(f"{WORDS[i % 10]} {WORDS[i * 7 % 9]} {WORDS[i * i % 10]}\n" for i in range(2000))
CONFIG = bpe.TrainingConfig.preset("gpt2", merges=40, vocab_size=None)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, CONFIG)


@pytest.fixture
def panel(shown, workspace):
    return shown(EnoughPanel(workspace), 340, 560)


def measured(qtbot, panel, workspace):
    qtbot.mouseClick(panel.measure, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: workspace.sampler.progress is None)
    return workspace.sampler.result


def test_without_a_text_it_says_what_to_do(shown, workspace):
    from bpe_studio.workspace.workspace import Workspace

    empty = Workspace()
    panel = shown(EnoughPanel(empty), 340, 560)
    assert panel.state.text() == "Samples of the text cannot be trained on: open a text first."
    assert not panel.measure.isEnabled() and not panel.table.isVisible()
    empty.shutdown()


def test_the_curves_are_those_of_runs_on_samples(qtbot, panel, workspace, tmp_path):
    assert panel.state.text().startswith("Trains runs on samples") and not panel.copy.isVisible()
    assert workspace.sampler.result is None, "nothing is computed before it is asked for"
    found = measured(qtbot, panel, workspace).found
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert found == bpe.enough(path, CONFIG)
    assert panel.state.text() == f"{found.sentence}.".replace(" %", "\u00a0%") and " %" not in panel.state.text()
    assert not panel.measure.isEnabled() and not panel.stale.isVisible()
    assert [panel.samples.text(row, 0) for row in range(7)] == ["1 %", "2 %", "5 %", "10 %", "20 %", "50 %", "100 %"]
    assert [row for row in range(7) if panel.samples.is_selected(row)] == [found.samples.index(found.enough)]
    ModelTester(panel.samples)
    panel.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["share", "text", "merges", "common", "tokens/byte"] and len(lines) == 8


def test_the_values_at_a_sample_are_shown_under_the_mouse_and_by_keys(qtbot, panel, workspace):
    found = measured(qtbot, panel, workspace).found
    curve = panel.curve
    curve.ensure_plot()
    assert isinstance(curve.plot, EnoughPlot) and curve.message() is None
    place = QPointF(curve.x_of(3) + 2, 60)
    none = Qt.MouseButton.NoButton
    curve.mouseMoveEvent(QMouseEvent(QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier))
    assert curve.hovered == 3
    before = curve.grab().toImage()
    qtbot.keyClick(curve, Qt.Key.Key_Right)
    assert curve.hovered == 4 and curve.grab().toImage() != before
    curve.leaveEvent(QEvent(QEvent.Type.Leave))
    assert curve.hovered == -1
    assert curve.words(found.samples[0]) in curve.accessibleDescription()
    assert not curve.export_size().isEmpty()


def test_it_is_cancelled_and_its_failure_is_said(qtbot, panel, workspace, monkeypatch):
    panel.measure.click()
    assert panel.cancel.isVisible() and panel.progress.isVisible() and not panel.measure.isVisible()
    assert panel.state.text() == "Training on samples: 0 %"
    panel.cancel.click()
    assert panel.measure.isVisible() and workspace.sampler.result is None and panel.state.text().startswith("Trains")

    def failing(*_):
        yield None
        raise bpe.SourceError("The text is gone: open another one")

    monkeypatch.setattr(module, "sampled", failing)
    panel.measure.click()
    qtbot.waitUntil(lambda: workspace.sampler.problem != "")
    assert "The text is gone" in panel.state.text() and panel.measure.isEnabled()


def test_it_is_out_of_date_for_another_run_and_gone_for_another_text(qtbot, panel, workspace):
    result = measured(qtbot, panel, workspace)
    workspace.side_runs.train(CONFIG.replace(ties="raw-ids"))
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and workspace.progress is None)
    workspace.runs.show(workspace.runs.entries[1].number)
    assert panel.stale.text() == "Of other settings: the shown run has ties raw-ids. Measure again for this run."
    assert panel.measure.isEnabled() and panel.curve.found is result.found
    again = measured(qtbot, panel, workspace)
    assert again.config.ties == "raw-ids" and not panel.stale.isVisible() and not panel.measure.isEnabled()
    workspace.opener.open_text("a\n")
    qtbot.waitUntil(lambda: workspace.state.name == "ready")
    assert workspace.sampler.result is None and not panel.table.isVisible() and panel.curve.found is None
    panel.measure.click()
    qtbot.waitUntil(lambda: workspace.sampler.problem != "")
    assert "This text has too few lines for samples of it: choose a longer text" in panel.state.text()
