"""A studio document is saved and opened by a fresh process: all is as it was, and it says what is inside.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from bpe_studio.workspace.state import State
from tests.gui.acceptance.compare_teach_take.comparer import Comparer
from tests.gui.acceptance.compare_teach_take.fresh_window import shown_by
from tests.gui.hand import CONTROL
from tests.gui.programs import run_programs

FRESH = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[4])!r})
from tests.gui.acceptance.compare_teach_take.fresh_window import main
main(*sys.argv[1:])
"""
TEXT = "the bridge, over the water\nسلام دنیا سلام 😄😄 the bridges\n" * 6


@pytest.fixture
def keeper(window, qtbot, monkeypatch, tmp_path):
    """A person who has learned a text, decided otherwise once, marked, typed and compared."""
    keeper = Comparer(window, qtbot)
    path = tmp_path / "mine.txt"
    path.write_text(TEXT, encoding="utf-8")
    keeper.open_file(monkeypatch, path)
    keeper.learn()
    keeper.type_text("the bridge\nسلام 😄")
    keeper.go_to(6)
    keeper.key(Qt.Key.Key_D, CONTROL)
    keeper.wait(lambda: len(keeper.workspace.marks.bookmarks) == 1)
    keeper.show_panel("Candidates")
    keeper.wait(lambda: keeper.panels["candidates"].is_up_to_date)
    keeper.click_row("candidates.table", 2)
    keeper.click("candidates.force")
    keeper.wait(lambda: len(keeper.workspace.runs.entries) == 2 and keeper.workspace.state is not State.loading)
    keeper.go_to(9)
    return keeper


def save(keeper, monkeypatch, path, entry):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, **__: (str(path) if path else "", ""))
    keeper.choose_from_menu("File", entry)
    keeper.wait(lambda: keeper.workspace.state not in (State.loading, State.running))


def opened_afresh(path, folder) -> dict:
    (end,) = run_programs(FRESH, [((str(path), str(folder)), {})], path.parent)
    assert end.status == 0, end.problems
    return json.loads(end.out)


@pytest.mark.parametrize("holds_text", [False, True], ids=["words only", "with its text"])
def test_a_fresh_start_shows_what_was_saved(keeper, monkeypatch, tmp_path, holds_text):
    path = tmp_path / "kept.bpestudio"
    save(keeper, monkeypatch, path, "Save document with its text…" if holds_text else "Save document…")
    keeper.wait(path.exists)
    keeper.wait(lambda: keeper.workspace.document is not None)
    keeper.wait(keeper.window.banner.isVisible)
    # The text is gone from where it was, so that only the document can have it.
    (tmp_path / "mine.txt").unlink()
    before = json.loads(json.dumps(shown_by(keeper.window)))
    after = opened_afresh(path, tmp_path / "other settings")
    after.pop("told")
    assert after.pop("has text") is holds_text
    assert after == before
    assert len(before["runs"]) == 2 and before["step"] == 9 and before["bookmarks"]
