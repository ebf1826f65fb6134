"""The question which column holds the text: asked where it is not certain, and kept with what was
opened.
"""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt

from bpe_studio.files.records.first_rows import Column
from bpe_studio.files.text.columns import ColumnChoice
from bpe_studio.gui.corpus.column_dialog import ColumnDialog
from bpe_studio.gui.corpus.panel import CorpusPanel
from bpe_studio.workspace.state import State
from tests.facts import says

ROWS = [{"n": k, "title": "pug", "body": "hug hugs\nسلام"} for k in range(30)]


@pytest.fixture(params=[True])
def dialog(qtbot, request):
    columns = (
        Column("n", "numbers", False, ("1", "2")),
        Column("title", "text", True, ("pug", None)),
        Column("body", "text", True, ("hug\nhugs", "سلام")),
    )
    dialog = ColumnDialog(
        ColumnChoice("rows.jsonl", "JSON lines", columns, 2, can_be_plain=request.param)
    )
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def test_the_best_column_is_chosen_and_its_text_shown(dialog):
    assert dialog.column == "body"
    assert dialog.text.toPlainText() == "hug\nhugs"
    assert dialog.table.item(0, 2).text() == "hug⏎hugs"
    assert dialog.table.item(1, 2).textAlignment() & Qt.AlignmentFlag.AlignRight
    assert "3 columns" in dialog.about.text()
    dialog.table.setCurrentCell(1, 1)
    assert says(dialog.status.text(), "title", "record 2")


def test_a_column_without_text_cannot_be_chosen(qtbot, dialog):
    dialog.table.setCurrentCell(0, 0)
    dialog.table.selectColumn(0)
    assert dialog.column in ("body", None)
    assert dialog.open_column.isEnabled() == (dialog.column is not None)
    assert says(dialog.table.horizontalHeaderItem(0).toolTip(), "numbers")


@pytest.mark.parametrize("dialog", [True, False], indirect=True)
def test_only_a_text_can_be_opened_as_plain_text(request, dialog):
    assert dialog.plain.isVisible() == request.node.callspec.params["dialog"]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS) + '{"body": "cut\n')
    return path


def test_the_choice_is_asked_for_used_shown_and_kept(qtbot, workspace, rows, tmp_path):
    asked = []
    workspace.opener.choose_column = lambda choice, go_on: asked.append((choice, go_on))
    panel = CorpusPanel(workspace)
    qtbot.addWidget(panel)
    workspace.opener.open_files([rows])
    qtbot.waitUntil(lambda: bool(asked))
    assert workspace.state is State.empty
    choice, go_on = asked.pop()
    assert choice.columns[choice.best].name == "body"
    go_on("title")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    assert not asked
    assert set(workspace.corpus.corpus.named_items()) == {("pug", 30)}
    numbers = panel.facts.numbers
    assert (numbers["form"].text(), numbers["column"].text()) == ("JSON lines", "title")
    assert 'record 31 is not JSON ({"body": "cut)' in panel.facts.notices.text()
    workspace.saver.save_document(tmp_path / "kept.bpestudio")
    with qtbot.waitSignal(workspace.saver.ended):
        pass
    workspace.opener.open_files([tmp_path / "kept.bpestudio"])
    qtbot.waitUntil(lambda: workspace.document is not None and workspace.state is not State.loading)
    assert workspace.corpus.request.reading.column == "title"
    assert numbers["column"].text() == "title"
    workspace.opener.locate_text([rows])
    qtbot.waitUntil(lambda: workspace.corpus.request.paths == (rows,))
