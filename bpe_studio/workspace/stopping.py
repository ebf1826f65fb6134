"""Breakpoints and bookmarks as a person sets them, and going from one stop to the next.

The third of five layers (values, transport, stopping, branching, workspace). What stops a run that is under way is the
transport's; here the merges that are learned already are searched, in the worker, for there may be hundreds of
thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.workspace.jobs import Ended, Outcome
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Watch, find_stop
from bpe_studio.workspace.sitting import Change
from bpe_studio.workspace.state import Notice
from bpe_studio.workspace.transport import RESTING, Transport

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


class Stopping(Transport):
    """Sets marks and goes from one to another."""

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Sets all breakpoints; can be taken back."""
        before = self.marks.breakpoints
        self._put_breakpoints(tuple(breakpoints))
        if self.marks.breakpoints != before:
            self.changed_by_hand.emit(
                Change("Change the breakpoints", before, lambda: self.marks.breakpoints, self._put_breakpoints)
            )

    def set_bookmarks(self, bookmarks: Iterable[Bookmark]) -> None:
        """Sets all bookmarks; can be taken back."""
        before = self.marks.bookmarks
        self._put_bookmarks(tuple(bookmarks))
        if self.marks.bookmarks != before:
            self.changed_by_hand.emit(
                Change("Change the bookmarks", before, lambda: self.marks.bookmarks, self._put_bookmarks)
            )

    def _put_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        self.marks.set_all(breakpoints, self.marks.bookmarks)

    def _put_bookmarks(self, bookmarks: tuple[Bookmark, ...]) -> None:
        self.marks.set_all(self.marks.breakpoints, bookmarks)

    def go_to_stop(self, *, is_back: bool = False) -> None:
        """Moves the step to the next learned merge that a breakpoint asks for, or to the one before."""
        self._leave_failure()
        run = self._run
        if run is None or self._state not in RESTING:
            return
        begin, end = (0, max(0, self._step - 1)) if is_back else (self._step, self._n_merges)
        search = partial(find_stop, Watch(run, self.marks.breakpoints), begin, end, is_back=is_back)
        self._jobs.start(search, self._on_search_news, partial(self._on_stop_found, run, is_back))

    def _on_search_news(self, _news: object) -> None:
        """Looking for a stop tells nothing on the way."""

    def _on_stop_found(self, run: Run, is_back: bool, ended: Ended) -> None:
        if run is not self._run or ended.outcome is not Outcome.finished:
            return
        if ended.result is None:
            where = "before this step" if is_back else "among the merges learned after this step"
            self.noticed.emit(Notice(f"No breakpoint stops {where}."))
        else:
            self._move_to(ended.result[0] + 1)
            self._tell_stop(ended.result)
