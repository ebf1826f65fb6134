"""The panel Inspection: nothing before it is asked, its states, its places, and the run without a
finding.
"""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.modeltest import ModelTester

import bpe_studio as bpe
from bpe_studio.gui.corpus.concordance_panel import ConcordancePanel
from bpe_studio.gui.corpus.inspection_panel import (
    CausedModel,
    FindingsModel,
    InspectionPanel,
    PlacesModel,
)
from bpe_studio.workspace.corpus import inspector as module
from tests.facts import says

TEXT = "the wa\xadter and the wa\xadter سلام\u200b 👩‍👩‍👧\nan old cat, an old <s>\n" * 40
CONFIG = bpe.TrainingConfig.preset("gpt2", merges=30, vocab_size=None)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, CONFIG)


@pytest.fixture
def panel(shown, workspace):
    return shown(InspectionPanel(workspace), 420, 640)


def inspected(qtbot, panel, workspace):
    qtbot.mouseClick(panel.inspect, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: workspace.inspector.progress is None)
    return workspace.inspector.result


def choose(panel, name):
    row = [panel.findings.rows[row].name for row in range(panel.findings.rowCount())].index(name)
    panel.table.clicked.emit(panel.findings.index(row, 0))


def test_what_was_found_and_where(qtbot, panel, workspace):
    assert says(panel.said.text(), "See", "strange tokens") and panel.inspect.isDefault()
    assert not panel.copy.isVisible()
    found = inspected(qtbot, panel, workspace)
    assert says(panel.said.text(), "3 kinds") and not panel.inspect.isDefault()
    assert {each.name: each.count for each in found.findings} == {
        "zero_width": 40,
        "soft_hyphen": 80,
        "special_tokens": 40,
    }
    assert panel.state.text().startswith("3.3 kB, 1 document, 80 lines")
    assert not panel.inspect.isEnabled() and panel.copy.isVisible()
    choose(panel, "soft_hyphen")
    assert panel.sentence.text().startswith("80 soft hyphens: ")
    assert panel.places.rowCount() == 80
    assert panel.places.text(1, PlacesModel.PLACE) == "1:22", (
        "the name of the only file would leave no room"
    )
    assert "SHY" in panel.places.text(0, PlacesModel.TEXT)
    assert "line 1, column 7" in panel.places.tip(0, 0)
    assert panel.findings.text(1, FindingsModel.COUNT) == "80" and panel.findings.is_selected(1)
    panel.copy.click()
    assert len(json.loads(QGuiApplication.clipboard().text())["findings"]) == 3


def test_a_click_on_a_place_asks_for_its_lines(qtbot, panel, workspace):
    inspected(qtbot, panel, workspace)
    choose(panel, "soft_hyphen")
    with qtbot.waitSignal(panel.lines_requested) as asked:
        panel.place_table.clicked.emit(panel.places.index(61, 0))
    lines = ConcordancePanel(workspace)
    qtbot.addWidget(lines)
    lines.resize(700, 300)
    lines.show()
    workspace.selection.select_token(0)
    lines.show_places(asked.args[0])
    qtbot.waitUntil(lambda: lines.is_up_to_date and not lines.is_searching)
    rows = lines.table.lines
    assert rows.rowCount() == 80 and lines.status.text() == "Soft hyphens: 80 places"
    assert [
        (row.line, row.before, row.token, row.after[:6]) for row in map(rows.row, range(2))
    ] == [
        (1, "the wa", "⟨SHY⟩", "ter an"),
        (1, "the wa\xadter and the wa", "⟨SHY⟩", "ter سل"),
    ]
    assert [row for row in range(80) if rows.is_selected(row)] == [61]
    assert (
        lines.table.viewport()
        .rect()
        .contains(lines.table.visualRect(rows.index(61, rows.RIGHT)).center())
    )
    workspace.selection.select_token(0)
    qtbot.waitUntil(lambda: lines.is_up_to_date and not lines.is_searching)
    assert lines.status.text().startswith("none: it does not occur") and not any(
        map(rows.is_selected, range(rows.rowCount()))
    )
    lines.shutdown()


def test_a_run_without_a_finding_and_its_price(qtbot, panel, workspace):
    inspected(qtbot, panel, workspace)
    choose(panel, "special_tokens")
    assert panel.train.isEnabled()
    assert "“no special tokens”" in panel.price.text()
    choose(panel, "soft_hyphen")
    assert (
        panel.train.isEnabled() and not panel.compare.isVisible() and not panel.tabs.isTabEnabled(1)
    )
    assert "“no soft hyphens”" in panel.price.text()
    panel.train.click()
    qtbot.waitUntil(lambda: "would not be made with “no soft hyphens”" in panel.price.text())
    other = workspace.runs.entries[1]
    assert other.config.normalize == ("strip-soft-hyphens",)
    assert not panel.train.isEnabled() and panel.compare.isVisible()
    merges = panel.merges
    assert panel.tabs.currentWidget() is panel.merge_table, "what was asked for is in front"
    ranks = [merges.rows[row].rank for row in range(merges.rowCount())]
    made_there = {each.token for each in other.run.merges}
    assert ranks and {
        rank for rank in ranks if merges.rows[ranks.index(rank)].rank_without is None
    } == {rank for rank in ranks if workspace.run.merges[rank].token not in made_there}
    assert (
        merges.text(0, CausedModel.RANK) == str(ranks[0] + 1)
        and merges.text(0, CausedModel.WITHOUT) == "–"
    )
    assert f"merge {ranks[0] + 1}: its pair occurs" in merges.tip(0, 0)
    ModelTester(merges)
    with qtbot.waitSignal(panel.why_requested):
        panel.merge_table.clicked.emit(merges.index(0, 0))
    assert workspace.selection.current.token == workspace.run.token_of(ranks[0])
    assert merges.is_selected(0)
    with qtbot.waitSignal(panel.compare_requested) as asked:
        panel.compare.click()
    assert asked.args == [other.number]
    choose(panel, "zero_width")
    assert not merges.rowCount(), "what is shown is not of another finding"
    choose(panel, "special_tokens")
    assert (
        not panel.tabs.isTabEnabled(1)
        and panel.tabs.currentWidget() is panel.place_table
        and not merges.rowCount()
    )


def test_it_is_cancelled_and_its_failure_is_said(qtbot, panel, workspace, monkeypatch):
    panel.inspect.click()
    assert panel.cancel.isVisible() and panel.progress.isVisible() and not panel.inspect.isVisible()
    assert panel.state.text() == "Inspecting the text: 0 %"
    panel.cancel.click()
    assert panel.inspect.isVisible() and workspace.inspector.result is None
    assert says(panel.said.text(), "See", "strange tokens")

    def failing(*_):
        yield None
        raise bpe.SourceError("The text is gone: open another one")

    monkeypatch.setattr(module, "inspected", failing)
    panel.inspect.click()
    qtbot.waitUntil(lambda: workspace.inspector.problem != "")
    assert "The text is gone" in panel.state.text() and panel.inspect.isEnabled()
