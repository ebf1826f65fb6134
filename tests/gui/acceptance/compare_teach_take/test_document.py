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
from tests.gui.acceptance.compare_teach_take.fresh_window import shown_by
from tests.gui.acceptance.compare_teach_take.learner import Learner
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
    keeper = Learner(window, qtbot)
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
    said = "holds the text of the corpus" if holds_text else "without its text"
    keeper.wait(lambda: keeper.window.banner.isVisible() and said in keeper.told())
    # The text is gone from where it was, so that only the document can have it.
    (tmp_path / "mine.txt").unlink()
    before = json.loads(json.dumps(shown_by(keeper.window)))
    after = opened_afresh(path, tmp_path / "other settings")
    assert said in after.pop("told")
    assert after.pop("has text") is holds_text
    assert after == before
    assert len(before["runs"][0][1]) == 1 and before["step"] == 9 and before["bookmarks"]


def test_what_cannot_be_saved_or_opened_leaves_all_as_it_is(keeper, monkeypatch, tmp_path):
    before = shown_by(keeper.window)
    save(keeper, monkeypatch, None, "Save document…")
    assert keeper.workspace.document is None, "a cancelled dialog saves nothing"
    (tmp_path / "file").write_text("x", encoding="utf-8")
    places = [tmp_path / "file" / "a.bpestudio"]
    if Path("/dev/full").exists():
        places.append(tmp_path / "full.bpestudio")
        places[-1].symlink_to("/dev/full")
    for place in places:
        save(keeper, monkeypatch, place, "Save document…")
        keeper.wait(lambda: keeper.window.banner.isVisible())
        said = keeper.told()
        assert "Traceback" not in said and "Errno" not in said and keeper.workspace.document is None
        keeper.click("banner.dismiss")
    wrong = tmp_path / "wrong.bpestudio"
    for content in (b"", b"no document", b"PK\x03\x04 broken"):
        wrong.write_bytes(content)
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(wrong)], ""))
        keeper.choose_from_menu("File", "Open…")
        keeper.wait(lambda: keeper.window.banner.isVisible() and keeper.workspace.state is not State.loading)
        assert "wrong.bpestudio" in keeper.told() and "Traceback" not in keeper.told()
        keeper.click("banner.dismiss")
    assert shown_by(keeper.window) == before
