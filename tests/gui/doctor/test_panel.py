"""The panel "doctor": nothing before it is asked, its states, and where its numbers and tokens
lead.
"""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester

import bpe_studio as bpe
from bpe_studio.explain.vocabulary import TokenState
from bpe_studio.gui.doctor.panel import DoctorPanel
from bpe_studio.gui.doctor.panel import ExaminedModel as M
from bpe_studio.workspace.selection import Kind
from tests.facts import says

TEXT = "aab ab aa سلام سلام 漢字 漢字 👩‍👩‍👧 👩‍👩‍👧\n" * 3
FORCED = bpe.TrainingConfig.preset(
    "gpt2", merges=12, vocab_size=None, force=(("a", "a"), ("a", "b"), ("a", "ab"))
)
pytestmark = pytest.mark.usefixtures("few_characters")


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, FORCED)


@pytest.fixture
def panel(shown, workspace):
    return shown(DoctorPanel(workspace), 864, 520)


def examined(qtbot, panel):
    qtbot.mouseClick(panel.examine, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.shown is not None and not panel.model.is_busy)
    qtbot.waitUntil(lambda: panel.examine.isVisible())


def rows(panel):
    return [panel.model.name(row) for row in range(panel.model.rowCount())]


def test_without_a_run_it_says_what_to_do(shown):
    from bpe_studio.workspace.workspace import Workspace

    workspace = Workspace()
    panel = shown(DoctorPanel(workspace), 864, 520)
    assert says(panel.state.text(), "Open")
    assert not panel.examine.isEnabled() and "open a text" in panel.examine.toolTip()
    workspace.shutdown()


def test_nothing_is_examined_before_it_is_asked_for(panel, workspace):
    assert says(panel.verdict.text(), "which tokens", "never made") and panel.examine.isDefault()
    assert (
        workspace.examiner.progress is None
        and not panel.table.isVisible()
        and not panel.copy.isVisible()
    )


def test_while_it_runs_it_shows_progress_and_can_be_cancelled(qtbot, panel, workspace):
    panel.examine.click()
    assert panel.progress.isVisible() and panel.cancel.isVisible() and not panel.examine.isVisible()
    panel.cancel.click()
    assert panel.examine.isVisible() and not panel.progress.isVisible() and panel.shown is None


def test_classes_and_checks_are_those_of_the_report(qtbot, panel, workspace):
    examined(qtbot, panel)
    found = bpe.doctor(workspace.run.tokenizer(), workspace.run.corpus)
    ModelTester(panel.model)
    for kind, n in found.counts.items():
        assert panel.classes[kind.value].text().endswith(f"  {n}")
    assert panel.classes["unused"].text() == f"Never used  {workspace.examiner.result.n_unused}"
    assert {gate.name: gate.passed for gate in panel.gates.gates} == {
        gate.name: gate.passed for gate in found.gates
    }
    assert f"1 of {found.n_tokens} tokens is never made" in panel.verdict.text()
    assert "passed" in panel.verdict.text() and "12" in panel.state.text()
    assert rows(panel) == ["aab"]
    why = panel.model.text(0, M.WHY).translate({0x2068: None, 0x2069: None})
    assert why.startswith("merge 1") and why.endswith("a + a")
    panel.copy.click()
    assert json.loads(QGuiApplication.clipboard().text()) == found.as_json()


def test_checks_that_failed_are_first_with_examples(qtbot, shown, trained_workspace):
    workspace = trained_workspace("ab ab", bpe.TrainingConfig.preset("textbook", merges=1))
    panel = shown(DoctorPanel(workspace), 864, 520)
    examined(qtbot, panel)
    passed = [gate.passed for gate in panel.gates.gates]
    assert passed == sorted(passed) and not passed[0]
    assert "of 9 checks failed" in panel.verdict.text()
    detail = panel.findChild(object, f"doctor.gate_{panel.gates.gates[0].name}")
    assert detail.text() == panel.gates.gates[0].detail and detail.accessibleName().endswith(
        ": failed"
    )


def test_without_an_unreachable_token_there_is_no_table(qtbot, shown, trained_workspace):
    workspace = trained_workspace(TEXT, bpe.TrainingConfig.preset("gpt2", merges=3))
    panel = shown(DoctorPanel(workspace), 864, 520)
    examined(qtbot, panel)
    assert panel.gates.isVisible() and not panel.table.isVisible()
    assert not panel.examine.isDefault()


def test_a_number_leads_to_the_tokens_that_it_counts(qtbot, panel):
    examined(qtbot, panel)
    asked = []
    panel.tokens_requested.connect(asked.append)
    for button in panel.classes.values():
        button.click()
    assert asked == [
        TokenState[key] for key in ("reachable", "unreachable", "partial", "special", "unused")
    ]


def test_a_token_is_selected_by_a_click_and_its_merge_by_a_click_on_it(qtbot, panel, workspace):
    examined(qtbot, panel)
    with qtbot.waitSignal(panel.why_requested):
        panel.table.clicked.emit(panel.model.index(0, M.TOKEN))
    token = workspace.run.find_token("aab")
    assert (workspace.selection.current.kind, workspace.selection.current.token) == (
        Kind.token,
        token,
    )
    assert panel.model.is_selected(0)
    assert panel.model.is_link(0, M.WHY)
    with qtbot.waitSignal(panel.why_requested):
        panel.table.clicked.emit(panel.model.index(0, M.WHY))
    assert workspace.selection.current.kind is Kind.merge
    assert workspace.selection.current.token == workspace.run.n_alphabet
    thing = panel.table.target_of(panel.model.index(0, 0), None)
    assert thing.token == token and thing.run is workspace.run
