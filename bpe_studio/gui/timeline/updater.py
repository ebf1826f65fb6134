"""Updates the timeline from the workspace: marks, bookmarks, the selection, the menu of a step.

The thread pool collects marks after a delay, and at most once a second while a run trains.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Slot
from PySide6.QtWidgets import QMenu

from bpe_studio.explain.merges import bookmark_name, step_in_words
from bpe_studio.explain.names import elided
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.workspace.marks import Breakpoint, Question
from bpe_studio.workspace.selection import Selected
from bpe_studio.workspace.timeline_marks import TimelineMarks, collect_marks

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.gui.timeline.slider import StepSlider
    from bpe_studio.workspace.workspace import Workspace

REST_MS = 150
NAME_CHARACTERS = 24


class TimelineUpdater(QObject):
    """Keeps a timeline up to date.

    Args:
        workspace: the source of the run and the marks.
        slider: the timeline.
    """

    def __init__(self, workspace: Workspace, slider: StepSlider) -> None:
        super().__init__(slider)
        self._workspace = workspace
        self._slider = slider
        self._job = LatestAnswer(collect_marks, self, rest_ms=REST_MS)
        self._connect()
        self._show_bookmarks()
        self._show_selected()

    def _connect(self) -> None:
        workspace = self._workspace
        self._job.answered.connect(self._on_collected)
        workspace.run_changed.connect(self._on_run_changed)
        workspace.run_grew.connect(self._ask)
        workspace.marks.changed.connect(self._on_marks_changed)
        workspace.selection.changed.connect(self._show_selected)
        workspace.step_changed.connect(self._say)
        self._slider.menu_requested.connect(self._on_menu_requested)
        self._slider.words_end_moved.connect(self._end_words_at)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the marks are those of all merges of the run."""
        marks = self._slider.marks
        workspace = self._workspace
        return (
            marks is not None
            and (marks.run, marks.n_merges) == (workspace.run, workspace.n_merges)
            and [point for point, *_ in marks.stops]
            == [point for point in workspace.marks.breakpoints if point.is_on]
        )

    @Slot()
    def _on_run_changed(self) -> None:
        self._job.forget()
        self._slider.show_marks(None)
        self._ask()
        self._show_selected()

    @Slot()
    def _on_marks_changed(self) -> None:
        self._show_bookmarks()
        self._ask()

    @Slot()
    def _ask(self) -> None:
        run = self._workspace.run
        if run is None or self.is_up_to_date:
            self._job.forget()
        else:
            points = self._workspace.marks.breakpoints
            self._job.ask(run, self._workspace.n_merges, points, self._slider.marks)

    @Slot(object)
    def _on_collected(self, marks: TimelineMarks) -> None:
        self._slider.show_marks(marks)
        if not self.is_up_to_date:
            self._ask()

    def _show_bookmarks(self) -> None:
        self._slider.show_bookmarks(self._workspace.marks.bookmarks)

    @Slot()
    def _show_selected(self) -> None:
        run = self._workspace.run
        selected = self._workspace.selection.current
        rank = -1 if run is None or selected is None else rank_of(run, selected)
        self._slider.show_selected(rank)

    @Slot()
    def _say(self) -> None:
        """Describe the step to screen readers."""
        run = self._workspace.run
        step = self._workspace.step
        said = "" if run is None else step_in_words(run, step)
        self._slider.setAccessibleDescription(said)

    @Slot(object, object)
    def _on_menu_requested(self, step: int, place: QPoint) -> None:
        menu = self.menu_of(step)
        menu.popup(place)

    def menu_of(self, step: int) -> QMenu:
        """The menu of a step; it is deleted when it is closed."""
        workspace = self._workspace
        menu = QMenu(self._slider)
        menu.setObjectName("timeline.menu")
        menu.aboutToHide.connect(menu.deleteLater)
        _add(menu, "go", f"Go to step {number(step)}", partial(workspace.transport.go_to, step))
        bookmark = next((each for each in workspace.marks.bookmarks if each.step == step), None)
        if bookmark is None:
            _add(menu, "bookmark", f"Bookmark step {number(step)}", partial(self._bookmark, step))
        else:
            name = elided(bookmark.name, NAME_CHARACTERS).replace("&", "&&")
            _add(
                menu,
                "unmark",
                f"Remove the bookmark “{name}”",
                partial(workspace.marks.remove_bookmark, step),
            )
        menu.addSeparator()
        run = workspace.run
        has_words_end = run is not None and run.config.superwords_from is not None
        if run is not None and has_words_end and step not in (0, run.n_first):
            words = f"Compare with words that end at step {number(step)}"
            _add(menu, "words_end", words, partial(self._end_words_at, step))
        if run is not None and step > 0:
            count = int(run.columns.count[step - 1])
            below = Breakpoint(Question.count_below, number=count)
            _add(
                menu,
                "below",
                f"Stop when the count falls below {number(count)}",
                partial(_stop_at, workspace, below),
            )
        _add(
            menu,
            "tie",
            "Stop when a tie decides",
            partial(_stop_at, workspace, Breakpoint(Question.tie)),
        )
        if any(point.is_on for point in workspace.marks.breakpoints):
            menu.addSeparator()
            _add(menu, "next", "Go to the next stop", workspace.transport.go_to_stop)
            _add(
                menu,
                "previous",
                "Go to the previous stop",
                partial(workspace.transport.go_to_stop, is_back=True),
            )
        menu.addSeparator()
        menu.addActions(self._slider.actions())
        return menu

    @Slot(int)
    def _end_words_at(self, step: int) -> None:
        """Train another run whose words end at a step of this one."""
        run = self._workspace.run
        assert run is not None
        size = run.vocab_size_at(step)
        self._workspace.side_runs.train(self._workspace.config.replace(superwords_from=size))

    def _bookmark(self, step: int) -> None:
        self._workspace.marks.add_bookmark(step, bookmark_name(self._workspace.run, step))


def rank_of(run: Run, selected: Selected) -> int:
    """The rank of the merge that made the selected token; -1 if none did."""
    return run.rank_of(selected.token)


def _stop_at(workspace: Workspace, point: Breakpoint) -> None:
    workspace.marks.set_breakpoints([*workspace.marks.breakpoints, point])


def _add(menu: QMenu, name: str, text: str, act: Callable[[], None]) -> None:
    action = menu.addAction(text)
    action.setObjectName(f"timeline.{name}")
    action.triggered.connect(lambda: act())
