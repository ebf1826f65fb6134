"""The panel Concordance: the lines of the corpus that contain the selected token, or a typed text.

The panel Inspection shows the lines of a finding here, until a token is selected.

When the panel is visible and a token is selected or a text is typed, a search starts after a short
delay. It runs in its own thread and can be cancelled. Only the lines that are shown are held in
memory.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, Qt, Slot
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.names import (
    display_items,
    display_name,
    display_text,
    visible_white_space,
)
from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.background.panel import Needs, Panel, resting
from bpe_studio.gui.corpus.concordance_table import ConcordanceTable, line_row
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.workspace.corpus.concordance_search import (
    ConcordanceSearch,
    FoundLine,
    SearchEnd,
    SearchOutcome,
)
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.selection import Selected
from bpe_studio.workspace.state import Progress, State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.corpus.place_lines import FoundPlaces
    from bpe_studio.workspace.workspace import Workspace

REST_MS = 150
AT_ONCE = 200


class ConcordancePanel(Panel):
    """The token, the progress of the search, and the lines.

    Args:
        workspace: the workspace.
        search: searches the corpus; tests replace it.
    """

    at_rest = resting(REST_MS)
    needs = Needs.sight | Needs.no_run

    def __init__(
        self,
        workspace: Workspace,
        parent: QWidget | None = None,
        *,
        search: ConcordanceSearch | None = None,
    ) -> None:
        super().__init__(workspace, parent)
        self.setObjectName("lines")
        self._search = search if search is not None else ConcordanceSearch(self)
        self._searched: tuple[Run, int, int] | FoundPlaces | str | None = None
        self._places: FoundPlaces | None = None
        self._most = AT_ONCE
        self._n_reported = 0
        self._is_stale = False
        self._progress: Progress | None = None
        self._end: SearchEnd | None = None
        self._build()
        self._connect()
        self._show_status()

    def _build(self) -> None:
        self.token = named(
            TokenLinks(self),
            "lines.token",
            "The token that is searched for",
            "The selected token; the search looks for it in the corpus as it is cut at this step",
        )
        self.token.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.status = named(
            Note("", "help", self),
            "lines.status",
            "Progress of the search",
            "The number of occurrences found in the corpus",
        )
        self.text = named(
            QLineEdit(self),
            "lines.text",
            "Text to search for",
            "Shows the lines of the corpus that contain exactly this text, instead of a token",
        )
        self.text.setPlaceholderText("Search the text")
        self.text.setClearButtonEnabled(True)
        self.progress = named(
            ProgressLine(self), "lines.progress", "The share of the corpus that has been read"
        )
        self.progress.setFixedSize(140, 8)
        self.cancel = _button(
            "Cancel", "lines.cancel", "Cancels the search; the lines found so far stay", self
        )
        self.more = _button("Find more", "lines.more", f"Finds {AT_ONCE} more lines", self)
        self.table = named(
            ConcordanceTable(self),
            "lines.table",
            "Lines of the corpus that contain the token (concordance)",
        )
        self.table.target_of = self._target_of
        for widget in (self.progress, self.cancel, self.more):
            widget.hide()
        top = row((self.token, 1), (self.status, 3), self.more, self.progress, self.cancel)
        column(self.text, top, (self.table, 1), parent=self, margins=PANEL_MARGINS)

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.run_changed.connect(self._on_run_changed)
        workspace.step_changed.connect(self._on_moved)
        workspace.state_changed.connect(self._on_moved)
        workspace.selection.changed.connect(self._on_selected)
        workspace.corpus_changed.connect(self._on_moved)
        self.text.textEdited.connect(self._on_typed)
        self.token.selected.connect(workspace.selection.select_token)
        self._search.found.connect(self._on_found)
        self._search.progressed.connect(self._on_progressed)
        self._search.ended.connect(self._on_ended)
        self.cancel.clicked.connect(self._search.cancel)
        self.more.clicked.connect(self._on_more_clicked)

    @property
    def is_searching(self) -> bool:
        """Whether a search is running."""
        return self._search.is_searching

    @property
    def is_up_to_date(self) -> bool:
        """Whether the panel shows, or searches for, the selected token at the current step."""
        return self._searched == self._wanted()

    def show_places(self, places: FoundPlaces) -> None:
        """Clear the selection, and show the lines at places of the corpus until a token is
        selected.
        """
        self._workspace.selection.clear()
        self.text.clear()
        self._places = places
        self._on_moved()

    def shutdown(self) -> None:
        """Stop the search and end its thread, as when the window closes."""
        self.cancel_refresh()
        self._search.shutdown()

    # Slots.

    @Slot()
    def _on_run_changed(self) -> None:
        self._search.abandon()
        self._forget()
        self._places = None
        self._on_moved()

    @Slot(object)
    def _on_selected(self, _selected: object = None) -> None:
        self._places = None
        self.text.clear()
        self._on_moved()

    @Slot()
    def _on_typed(self) -> None:
        self._places = None
        self._on_moved()

    @Slot(object)
    def _on_moved(self, _what: object = None) -> None:
        self.request_refresh()
        self._show_status()

    @Slot()
    def _on_more_clicked(self) -> None:
        self._most += AT_ONCE
        self._start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_moved()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if self.is_searching:
            # It starts again when the panel becomes visible.
            self._search.abandon()
            self._searched = None

    # Searching.

    def _wanted(self) -> tuple[Run, int, int] | FoundPlaces | str | None:
        """The places; or the typed text; or the run, the token and the step.

        None if no token is selected, or if the token does not exist yet at the step.
        """
        run = self._workspace.run
        token = _token_of(self._workspace.selection.current)
        step = self._workspace.step
        if self._why_no_lines:
            return None
        if self._places is not None:
            return self._places
        if self.text.text() and run is not None:
            return self.text.text()
        if run is None or not 0 <= token < run.token_of(step):
            return None
        return run, token, step

    @property
    def _why_no_lines(self) -> str:
        return why_no_text(self._workspace.corpus)

    def show_state(self) -> None:
        wanted = self._wanted()
        if wanted == self._searched:
            return
        before = self._searched
        if (
            not isinstance(wanted, tuple)
            or not isinstance(before, tuple)
            or wanted[:2] != before[:2]
        ):
            self._most = AT_ONCE
        if wanted is None:
            self._search.abandon()
            self._forget()
            self._show_status()
            return
        self._searched = wanted
        self._is_stale = True
        self._start()

    def _start(self) -> None:
        info = self._workspace.corpus
        if self._searched is None or info is None:
            return
        self._n_reported = 0
        self._progress = None
        self._end = None
        self.table.show_files(
            len(info.sources) > 1
            or any(each.column or "archive" in each.form for each in info.sources)
        )
        if isinstance(self._searched, tuple):
            run, token, step = self._searched
            self._search.start(run, info, token, step, self._most)
        elif isinstance(self._searched, str):
            self._search.start_text(info, self._searched, self._most)
        else:
            self._search.start_places(info, self._searched)
        self._show_status()

    def _forget(self) -> None:
        self._searched = None
        self._progress = None
        self._end = None
        self._most = AT_ONCE
        self._n_reported = 0
        self.table.clear()

    @Slot(object)
    def _on_found(self, lines: tuple[FoundLine, ...]) -> None:
        self._clear_stale()
        # A search for more lines starts from the beginning, so skip those that are shown.
        n_known = max(0, self.table.lines.rowCount() - self._n_reported)
        self._n_reported += len(lines)
        info = self._workspace.corpus
        if info is not None and len(info.sources) == 1:
            # The name of the only file is known, so only the record is shown.
            only = f"{info.sources[0].name}, "
            lines = tuple(replace(line, name=line.name.removeprefix(only)) for line in lines)
        if self._places is None:
            run = self._workspace.run
            has_items = run is not None and run.config.units == "items"
            visible = display_items if has_items else visible_white_space
            found = [line_row(line, visible) for line in lines[n_known:]]
            self.table.add(found)
            return
        rows = [line_row(line, display_text) for line in lines]
        self.table.add(rows)
        for row_found, line in zip(rows, lines, strict=True):
            if line.is_chosen:
                self.table.choose(row_found)

    @Slot(object)
    def _on_progressed(self, progress: Progress) -> None:
        self._progress = progress
        self._show_status()

    @Slot(object)
    def _on_ended(self, end: SearchEnd) -> None:
        self._end = end
        self._clear_stale()
        self._show_status()

    def _clear_stale(self) -> None:
        """Remove the lines of the previous search before the first new ones are shown."""
        if self._is_stale:
            self._is_stale = False
            self.table.clear()

    def _target_of(self, _index: QModelIndex, _place: QPoint | None) -> Target | None:
        """The token that the lines contain."""
        return token_target(*self._searched[:2]) if isinstance(self._searched, tuple) else None

    # Showing the state.

    def _show_status(self) -> None:
        run = self._workspace.run
        selected = _token_of(self._workspace.selection.current)
        links = []
        self.token.setVisible(self._places is None and not self.text.text())
        if run is not None and 0 <= selected < run.token_of(len(run.merges)):
            links = [Link(display_name(run, selected), selected)]
        self.token.set_links(links)
        is_searching = self.is_searching
        self.progress.setVisible(is_searching)
        self.cancel.setVisible(is_searching)
        is_token = self._places is None
        self.more.setVisible(
            is_token
            and not is_searching
            and self._end is not None
            and self._end.outcome in _UNFINISHED
        )
        fraction = self._progress.fraction if self._progress is not None else None
        self.progress.setRange(0, 100)
        self.progress.setValue(round(100 * (fraction or 0.0)))
        is_failed = self._end is not None and self._end.outcome is SearchOutcome.failed
        role = "error" if is_failed and not is_searching else "help"
        self.status.set_message(self._status(), role)
        self.table.set_placeholder(self._placeholder())

    def _status(self) -> str:
        n = self.table.lines.rowCount()
        end = self._end
        if self._wanted() is None:
            return ""
        if not self.is_up_to_date:
            is_running = self._workspace.state is State.running
            return "updates when paused" if is_running else "searching …"
        if end is None:
            n_found = 0 if self._is_stale else n
            return f"{number(n_found)} found in {self._share()} of the corpus"
        if end.outcome is SearchOutcome.failed:
            return end.message
        if self._places is not None and end.outcome is SearchOutcome.complete:
            return f"{self._places.title}: {plural(end.n_found, 'place')}"
        if end.outcome is SearchOutcome.enough:
            of_all = f" of {_places(end.n_in_corpus)}" if end.n_in_corpus else ""
            return f"the first {number(end.n_found)}{of_all} in the corpus"
        if end.outcome is SearchOutcome.cancelled:
            return f"stopped: {number(n)} found in {self._share()} of the corpus"
        if end.n_found == 0 and isinstance(self._searched, str):
            return "none: the corpus does not contain this text"
        if end.n_found == 0:
            return f"none: it does not occur in the corpus at step {number(self._workspace.step)}"
        if end.n_found == 1:
            return "the only occurrence in the corpus"
        return f"all {_places(end.n_found)} in the corpus"

    def _share(self) -> str:
        """The share of the corpus that was searched."""
        fraction = None if self._progress is None else self._progress.fraction
        return percent(fraction or 0.0, 0)

    def _placeholder(self) -> str:
        run = self._workspace.run
        selected = _token_of(self._workspace.selection.current)
        if run is None:
            return "Open a text to search for tokens in it"
        if self._why_no_lines:
            return f"There are no lines to show: {self._why_no_lines}"
        if self.text.text():
            return ""
        if selected < 0 and self._places is None:
            return (
                "Select a token in any panel, or type a text above, to see the lines of the corpus"
                " that contain it"
            )
        if self._wanted() is None:
            first = number(run.rank_of(selected) + 1)
            return (
                f"The token does not exist yet at step {number(self._workspace.step)}. Go to step"
                f" {first} or later."
            )
        if self._places is not None:
            return ""
        is_over = (
            self._end is not None
            and self._end.outcome is SearchOutcome.complete
            and not self.is_searching
        )
        if is_over and run.rank_of(selected) >= 0:
            return (
                "At this step, every occurrence is inside a longer token. Go to an earlier step to"
                " see them."
            )
        return ""


_UNFINISHED = (SearchOutcome.enough, SearchOutcome.cancelled)


def _token_of(selected: Selected | None) -> int:
    return -1 if selected is None else selected.token


def _places(n: int) -> str:
    return plural(n, "occurrence")


def _button(text: str, name: str, tip: str, parent: QWidget) -> QPushButton:
    button = named(QPushButton(text, parent), name, tip.partition(";")[0], tip)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
