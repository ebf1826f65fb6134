"""Breakpoints and bookmarks as a person sets them, and going from one stop to the next.

The third of seven layers, `open_state.py` to `workspace.py`. What stops a run that is under way is the
transport's; here the merges that are learned already are searched, in the worker, for there may be hundreds of
thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.workspace.jobs import Ended, Outcome
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Watch, find_stop
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.runs.session import UndoStep
from bpe_studio.workspace.runs.transport import RESTING, Transport
from bpe_studio.workspace.state import Notice

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

FEW = 512
"""How many merges are stepped over in the window's thread at most: a few ms."""


class Stopping(Transport):
    """Sets marks and goes from one to another."""

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Sets all breakpoints; can be taken back."""
        before = self.marks.breakpoints
        self._put_breakpoints(tuple(breakpoints))
        if self.marks.breakpoints != before:
            self.changed_by_hand.emit(
                UndoStep("Change the breakpoints", before, lambda: self.marks.breakpoints, self._put_breakpoints)
            )

    def set_bookmarks(self, bookmarks: Iterable[Bookmark]) -> None:
        """Sets all bookmarks; can be taken back."""
        before = self.marks.bookmarks
        self._put_bookmarks(tuple(bookmarks))
        if self.marks.bookmarks != before:
            self.changed_by_hand.emit(
                UndoStep("Change the bookmarks", before, lambda: self.marks.bookmarks, self._put_bookmarks)
            )

    def _put_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        self.marks.set_all(breakpoints, self.marks.bookmarks)

    def _put_bookmarks(self, bookmarks: tuple[Bookmark, ...]) -> None:
        self.marks.set_all(self.marks.breakpoints, bookmarks)

    def step_forward(self, n: int = 1) -> None:
        """As the transport's; where thousands of learned merges are stepped over, the worker asks the breakpoints."""
        goal = self._step + n
        is_long = n > FEW and self._state in RESTING and goal <= self._n_merges
        if is_long and self._run is not None and self._watched():
            self._leave_failure()
            self._search(self._step, goal, goal)
        else:
            super().step_forward(n)

    def go_to_stop(self, *, is_back: bool = False) -> None:
        """Moves the step to the next learned merge that a breakpoint asks for, or to the one before."""
        self._leave_failure()
        if self._run is None or self._state not in RESTING:
            return
        if not self._watched():
            self.noticed.emit(Notice("No breakpoint is on: set one to go from stop to stop."))
            return
        begin, end = (0, max(0, self._step - 1)) if is_back else (self._step, self._n_merges)
        self._search(begin, end, None, is_back=is_back)

    def _search(self, begin: int, end: int, otherwise: int | None, *, is_back: bool = False) -> None:
        """Looks among learned merges, in the worker.

        Args:
            begin: the first merge to ask of.
            end: one behind the last.
            otherwise: the step to go to where no breakpoint stops; without it, that is said.
            is_back: take the last of them in place of the first.
        """
        run = self._run
        assert run is not None
        search = partial(find_stop, Watch(run, self.marks.breakpoints), begin, end, is_back=is_back)
        on_end = partial(self._on_searched, (run, self._step), otherwise, is_back)
        self._jobs.start(search, self._on_search_news, on_end)

    def _on_search_news(self, _news: object) -> None:
        """Looking for a stop tells nothing on the way."""

    def _on_searched(self, place: tuple[Run, int], otherwise: int | None, is_back: bool, ended: Ended) -> None:
        """Goes there, unless the person has gone elsewhere meanwhile."""
        if place != (self._run, self._step) or self._state not in RESTING:
            return
        if ended.error is not None:
            self._fail(failure_of("Look for a stop", ended.error))
        elif ended.outcome is Outcome.finished and ended.result is not None:
            self._move_to(ended.result[0] + 1)
            self._tell_stop(ended.result)
        elif ended.outcome is Outcome.finished and otherwise is not None:
            self._move_to(otherwise)
        elif ended.outcome is Outcome.finished:
            where = "before this step" if is_back else "among the merges learned after this step"
            self.noticed.emit(Notice(f"No breakpoint stops {where}."))
