"""The panel How much text: nothing before it is asked, its states, its curves and its table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester

import bpe_studio as bpe
from bpe_studio.gui.corpus.enough_panel import EnoughPanel
from tests.facts import says
from tests.gui.cells import column

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


def test_the_curves_are_those_of_runs_on_samples(qtbot, panel, workspace, tmp_path):
    assert says(panel.sentence.text(), "how much", "enough") and panel.measure.isDefault()
    assert not panel.copy.isVisible()
    assert workspace.sampler.result is None, "nothing is computed before it is asked for"
    found = measured(qtbot, panel, workspace).found
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    assert found == bpe.enough(path, CONFIG)
    said = panel.sentence.text()
    assert said.startswith(f"{found.sentence}.".replace(" %", "\u00a0%")) and " %" not in said
    (line,), last = panel.curve.lines, found.samples[-1]
    assert line.values.tolist() == [
        each.tokens_per_byte / last.tokens_per_byte - 1 for each in found.samples
    ]
    assert panel.curve.callout[0] == found.enough.n_bytes and "mark" in panel.state.text()
    assert not panel.measure.isDefault()
    assert not panel.measure.isEnabled() and not panel.stale.isVisible()
    assert column(panel.samples, "share") == [
        "1 %",
        "2 %",
        "5 %",
        "10 %",
        "20 %",
        "50 %",
        "100 %",
    ]
    assert [row for row in range(7) if panel.samples.is_selected(row)] == [
        found.samples.index(found.enough)
    ]
    ModelTester(panel.samples)
    panel.copy.click()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert (
        lines[0].split("\t") == ["share", "text", "merges", "common", "tokens/byte"]
        and len(lines) == 8
    )
