"""Lines of the corpus with the picked token: what is found and how it lies, progress, stopping,
searching on.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt, Signal

from bpe_studio.engine.analysis.concordance import Found
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui.corpus.concordance_panel import AT_ONCE, ConcordancePanel
from bpe_studio.gui.corpus.concordance_table import ConcordanceModel, line_row
from bpe_studio.workspace.corpus.concordance_search import FoundLine, SearchEnd, SearchOutcome
from bpe_studio.workspace.state import Progress, State
from bpe_studio.workspace.workspace import Workspace
from tests.facts import says

TEXT = (
    "hug the pug\nand the pun\n\nسلام کتاب ما سلام کتاب\n"
    + "the theme of the theatre\n" * 150
    + "😀 😃 😀\n"
)


class Search(QObject):
    """A search that finds what the test tells it."""

    found = Signal(object)
    progressed = Signal(object)
    ended = Signal(object)

    def __init__(self):
        super().__init__()
        self.is_searching = False
        self.started = []

    def start(self, run, info, token, step, most):
        self.is_searching = True
        self.started.append((token, step, most))

    def find(self, *lines, share=0.5):
        self.found.emit(lines)
        self.progressed.emit(Progress("Looking", round(100 * share), 100, "bytes"))

    def end(self, outcome, n_found, n_in_corpus=0, message=""):
        self.is_searching = False
        self.ended.emit(SearchEnd(outcome, n_found, n_in_corpus, message))

    def cancel(self):
        self.end(SearchOutcome.cancelled, 0)

    def abandon(self):
        self.is_searching = False

    def shutdown(self):
        self.is_searching = False


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(config=TrainingConfig.preset("gpt2", vocab_size=256 + 60))
    workspace.opener.open_text(TEXT)
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=20_000)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=20_000)
    yield workspace
    workspace.shutdown()


def shown(qtbot, workspace, search=None):
    panel = ConcordancePanel(workspace, search=search)
    qtbot.addWidget(panel)
    panel.resize(900, 300)
    panel.show()
    return panel


@pytest.fixture
def panel(qtbot, workspace):
    panel = shown(qtbot, workspace)
    yield panel
    panel.shutdown()


@pytest.fixture
def search():
    return Search()


@pytest.fixture
def held(qtbot, workspace, search):
    return shown(qtbot, workspace, search)


def rows(panel):
    return [panel.table.lines.row(place) for place in range(panel.table.lines.rowCount())]


def settled(qtbot, panel):
    qtbot.waitUntil(lambda: panel.is_up_to_date and not panel.is_searching)


def token(workspace, name):
    return workspace.run.find_token(name)


def a_line(text="one the two", start=4.0, end=7.0, line=3, **more):
    cut = {"is_cut_before": False, "is_cut_after": False} | more
    return FoundLine(0, "a.txt", Found(text, start, end, line, 0, **cut))


def test_without_a_pick_it_says_what_to_do(panel):
    assert panel.table.placeholder.startswith("Select a token")
    assert not panel.cancel.isVisible()
    assert not panel.more.isVisible()


def test_a_picked_token_is_found_in_its_lines(panel, workspace, qtbot):
    workspace.selection.select_token(token(workspace, "Ġthe"))
    settled(qtbot, panel)
    rows = [panel.table.lines.row(k) for k in range(3)]
    assert [(row.line, row.before, row.token, row.after) for row in rows[:2]] == [
        (1, "hug", "␣the", " pug"),
        (2, "and", "␣the", " pun"),
    ]
    assert rows[2].line == 5
    n = int(workspace.run.token_counts_at(workspace.step)[token(workspace, "Ġthe")])
    assert panel.table.lines.rowCount() == n <= AT_ONCE
    assert panel.status.text() == f"all {n} occurrences in the corpus"
    assert [link.text for link in panel.token.links] == ["␣the"]


def test_what_is_common_is_shown_in_parts_and_searched_on(panel, workspace, qtbot):
    letter = token(workspace, "e")
    workspace.transport.go_to(0)
    workspace.selection.select_token(letter)
    settled(qtbot, panel)
    n = int(workspace.run.token_counts_at(0)[letter])
    assert panel.table.lines.rowCount() == AT_ONCE < n
    assert panel.status.text() == f"the first 200 of {n} occurrences in the corpus".replace(
        str(n), f"{n:,}"
    )
    first = panel.table.lines.row(0)
    qtbot.mouseClick(panel.more, Qt.MouseButton.LeftButton)
    settled(qtbot, panel)
    assert panel.table.lines.rowCount() == 2 * AT_ONCE
    assert panel.table.lines.row(0) == first
    places = [
        (panel.table.lines.row(k).line, panel.table.lines.row(k).before) for k in range(2 * AT_ONCE)
    ]
    assert len(set(places)) == 2 * AT_ONCE, "none twice"


def test_a_token_that_is_gone_and_one_that_is_not_there_yet_are_told(panel, workspace, qtbot):
    run = workspace.run
    counts = run.token_counts_at(workspace.step)
    gone = next(k for k in range(run.n_alphabet, len(counts)) if counts[k] == 0)
    workspace.selection.select_token(gone)
    settled(qtbot, panel)
    assert panel.status.text() == f"none: it does not occur in the corpus at step {workspace.step}"
    assert "inside a longer token" in panel.table.placeholder
    workspace.transport.go_to(0)
    qtbot.waitUntil(lambda: "does not exist yet at step 0" in panel.table.placeholder)
    assert says(panel.table.placeholder, run.rank_of(gone) + 1)
    assert panel.status.text() == ""


def test_lines_that_run_to_the_left_are_mirrored():
    found = line_row(a_line("این کتاب ماست", 4.0, 8.0))
    assert found.is_rtl
    assert (found.left, found.right) == (" ماست", "این ")
    english = line_row(a_line("کلمه hello است", 7.0, 9.0))
    assert not english.is_rtl, "an English word in a Persian line is read to the right"
    assert line_row(a_line("سلام 12 کتاب", 5.0, 7.0)).is_rtl, (
        "what has no direction goes with what is beside it"
    )


def test_progress_is_told_and_the_search_can_be_stopped(held, search, workspace, qtbot):
    workspace.selection.select_token(token(workspace, "Ġthe"))
    qtbot.waitUntil(lambda: bool(search.started))
    assert held.cancel.isVisible()
    search.find(a_line(), a_line(line=9), share=0.4)
    assert says(held.status.text(), 2, "40 %")
    assert held.progress.value() == 40
    qtbot.mouseClick(held.cancel, Qt.MouseButton.LeftButton)
    assert says(held.status.text(), "stopped", 2, "40 %")
    assert held.table.lines.rowCount() == 2
    assert not held.cancel.isVisible()
    assert held.more.isVisible()
    qtbot.mouseClick(held.more, Qt.MouseButton.LeftButton)
    assert search.started[-1][2] == 2 * AT_ONCE
    search.find(a_line(), a_line(line=9), a_line(line=12))
    assert [held.table.lines.row(k).line for k in range(3)] == [3, 9, 12]


def test_a_line_of_a_record_says_which_and_the_only_file_is_not_repeated(
    workspace, qtbot, tmp_path
):
    path = tmp_path / "a.jsonl"
    path.write_text(
        '{"text": "one"}\n{"text": "a\\nthe cat"}\n{"text": "b\\nthe dog"}\n', encoding="utf-8"
    )
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    panel = shown(qtbot, workspace)
    workspace.selection.select_token(token(workspace, "t"))
    settled(qtbot, panel)
    table = panel.table
    rows = [table.lines.row(row) for row in range(table.lines.rowCount())]
    assert [(row.source, row.line) for row in rows] == [
        ("text 2", 2),
        ("text 2", 2),
        ("text 3", 2),
    ], "line 2 alone may be of any record"
    assert not table.isColumnHidden(ConcordanceModel.FILE)
    panel.shutdown()


def test_any_text_is_searched_until_a_token_is_selected(panel, workspace, qtbot):
    qtbot.keyClicks(panel.text, "hug the")
    settled(qtbot, panel)
    assert [row.line for row in rows(panel)] == [1] and "only occurrence" in panel.status.text()
    qtbot.keyClicks(panel.text, "s")
    settled(qtbot, panel)
    assert not rows(panel) and "does not contain" in panel.status.text()
    workspace.selection.select_token(token(workspace, "Ġthe"))
    settled(qtbot, panel)
    assert panel.text.text() == "" and rows(panel)[0].token == "␣the"


def test_lines_are_sorted_by_what_is_next_to_the_token(held, search, workspace, qtbot):
    workspace.selection.select_token(token(workspace, "Ġthe"))
    qtbot.waitUntil(lambda: bool(search.started))
    ends = [a_line("go on the End", 6.0, 9.0, 1), a_line("be at the door", 6.0, 9.0, 2)]
    search.find(*ends, a_line("all on the cat", 7.0, 10.0, 3))
    held.table.sortByColumn(ConcordanceModel.LEFT, Qt.SortOrder.AscendingOrder)
    assert [row.line for row in rows(held)] == [2, 3, 1]
    held.table.sortByColumn(ConcordanceModel.RIGHT, Qt.SortOrder.AscendingOrder)
    assert [row.line for row in rows(held)] == [3, 2, 1]
    search.find(a_line("be at the bay", 6.0, 9.0, 4))
    assert [row.line for row in rows(held)] == [4, 3, 2, 1]
    held.table.sortByColumn(ConcordanceModel.LINE, Qt.SortOrder.AscendingOrder)
    assert [row.line for row in rows(held)] == [1, 2, 3, 4]
