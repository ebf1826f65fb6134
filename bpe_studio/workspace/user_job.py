"""A job that the user asks for, in a thread of its own, whose result is kept: examining,
inspecting, sampling.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.workspace.jobs import Ended, Jobs, Work
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.thread_job import run_in_thread

R = TypeVar("R")


class UserJob(QObject, Generic[R]):
    """Runs a job on request, and keeps its result.

    Signals:
        changed: the result or the problem has changed.
        progress_changed: Progress, or None if no job is running.
    """

    changed = Signal()
    progress_changed = Signal(object)

    def __init__(self, title: str, what: str, parent: QObject | None = None) -> None:
        """There is no result yet.

        Args:
            title: the name of the action, for the message about a failure.
            what: the job in words, for the progress.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._title = title
        self._what = what
        self._jobs = Jobs(self)
        self._job: int | None = None
        self._result: R | None = None
        self._progress: Progress | None = None
        self._problem = ""

    @property
    def result(self) -> R | None:
        """The last result; None for none."""
        return self._result

    @property
    def progress(self) -> Progress | None:
        """The progress; None if no job is running."""
        return self._progress

    @property
    def problem(self) -> str:
        """The reason why the last job failed; "" if it did not."""
        return self._problem

    @Slot()
    def cancel(self) -> None:
        """Stops the job; the last result stays."""
        if self._job is not None:
            self._jobs.abandon(self._job)
            self._job = None
            self._set_progress(None)
            self.changed.emit()

    def shutdown(self) -> None:
        """Ends the thread; may be called again."""
        self._jobs.shutdown()

    def _start(self, make: Callable[[], Work]) -> None:
        self._problem = ""
        self._set_progress(Progress(self._what, 0, 100, "%"))
        self._job = self._jobs.start(partial(run_in_thread, make), self._set_progress, self._on_end)
        self.changed.emit()

    def _on_end(self, ended: Ended) -> None:
        self._job = None
        if ended.error is not None:
            self._problem = failure_of(self._title, ended.error).message
        elif ended.result is not None:
            self._result = ended.result
        self._set_progress(None)
        self.changed.emit()

    def _set_progress(self, progress: Progress | None) -> None:
        if progress != self._progress:
            self._progress = progress
            self.progress_changed.emit(progress)
