"""Sizes that the run does not have yet: offered, learned with one click, undone as a setting is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.workspace.state import State

TEXT = (
    " ".join(f"{begin}{middle}{end}" for begin in "abcdefgh" for middle in ("low", "new") for end in ("er", "est")) * 9
)
BASE = 257
"""Bytes and a special token."""


@pytest.fixture(params=["vocab_size", "merges"])
def workspace(trained_workspace, request):
    target = {"vocab_size": 270} if request.param == "vocab_size" else {"vocab_size": None, "merges": 270 - BASE}
    return trained_workspace(TEXT, TrainingConfig.preset("gpt2").replace(**target))


@pytest.fixture
def panel(qtbot, workspace):
    panel = ComparePanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(700, 520)
    panel.show()
    panel.refresh()
    return panel


def write(panel, text):
    panel.bar.ask()
    panel.bar.field.setText("")
    QTest.keyClicks(panel.bar.field, text)
    QTest.keyClick(panel.bar.field, Qt.Key.Key_Return)


def test_one_click_trains_on_and_adds_the_sizes(qtbot, panel, workspace):
    offer = panel.continue_training
    assert not offer.isVisible()
    write(panel, "265, 290")
    assert "290 is out of reach" in panel.bar.bad.text()
    assert offer.train.isVisible() and offer.train.text() == "Train on to 290" and offer.train.isEnabled()
    assert "Undo restores the target" in offer.cost.text()
    changes = []
    workspace.undo_step_added.connect(changes.append)
    QTest.mouseClick(offer.train, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: workspace.state is State.done)
    assert workspace.n_merges == workspace.target == 290 - BASE
    assert workspace.compared_steps == (265 - BASE, 290 - BASE)
    assert not offer.isVisible() and not panel.bar.bad.isVisible() and panel.bar.field.text() == ""
    assert len(changes) == 1
    changes[0].undo()
    assert workspace.target == 270 - BASE and workspace.n_merges == 290 - BASE


def test_the_offer_goes_when_something_else_is_written(panel):
    write(panel, "290")
    assert panel.continue_training.isVisible()
    QTest.keyClick(panel.bar.field, Qt.Key.Key_Backspace)
    assert not panel.continue_training.isVisible()


def test_a_run_that_ends_before_says_so_and_adds_what_it_has(qtbot, panel, workspace):
    write(panel, "280 90k")
    panel.continue_training.train.click()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    assert workspace.stop_reason and workspace.compared_steps == (280 - BASE,)
    size = f"{BASE + workspace.n_merges:,}"
    assert panel.continue_training.cost.text() == f"This run ends at {size}: {workspace.stop_reason}"
    assert not panel.continue_training.train.isEnabled() and "This run ends" in panel.continue_training.train.toolTip()
