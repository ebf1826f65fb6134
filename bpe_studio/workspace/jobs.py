"""Long work: one worker in one thread, and a generator for each job.

A job is a generator function. It can be stopped at each `yield`; a yielded value (other than None)
is a batch of news, and the returned value is its result. The worker advances the newest job for at
most 25 ms per tick and sends one batch per tick, so batches are cumulative: a later one contains
everything in an earlier one. Starting a job while another is running suspends the other until the
new one has ended.

`Jobs` is the interface in the window's thread: it numbers the jobs, and drops the late news of an
abandoned one. It does not know the work of its jobs.
"""

from __future__ import annotations

import atexit
import enum
import logging
import sys
from collections.abc import Callable, Generator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from PySide6.QtCore import QMetaObject, QObject, Qt, QThread, QTimer, Signal, Slot

from bpe_studio.errors import Cancelled

TICK_S = 0.025
SWITCH_INTERVAL_S = 5e-5
"""The time that the window's thread waits for a thread that runs Python, at many calls of Qt. With
Python's own 5 ms, making a hundred widgets takes twice as long."""
PATIENCE_MS = 1000

Work = Generator[Any, None, Any]

_log = logging.getLogger(__name__)


class Outcome(enum.Enum):
    """The outcome of a job."""

    finished = "finished"
    stopped = "stopped"
    failed = "failed"


@dataclass(frozen=True)
class Ended:
    """The end of a job.

    Attributes:
        outcome: the outcome.
        result: the value that it returned, if it finished.
        error: the error that it raised, if it failed.
    """

    outcome: Outcome
    result: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class _Start:
    number: int
    make: Callable[[], Work]


@dataclass(frozen=True)
class _Report:
    number: int
    news: Any = None
    ended: Ended | None = None


class Worker(QObject):
    """Advances jobs in the thread to which it is moved; it has no parent, so that it can be moved.

    Signals:
        reported: _Report, a batch or an end; every job that was started ends exactly once, unless
            the thread closes.
    """

    reported = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._jobs: list[tuple[int, Work]] = []
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_tick)

    @Slot(object)
    def start(self, start: _Start) -> None:
        """Starts a job; a running one waits until this one has ended."""
        self._jobs.append((start.number, _begun(start.make)))
        self._timer.start()

    @Slot(object)
    def stop(self, number: int) -> None:
        """Stops the job with that number at its next `yield`; does nothing if it has ended."""
        for job in self._jobs:
            if job[0] == number:
                self._end(job, Ended(Outcome.stopped))
                return

    @Slot()
    def close(self) -> None:
        """Drops all jobs and leaves the thread's event loop."""
        self._timer.stop()
        for _, work in self._jobs:
            _close(work)
        self._jobs.clear()
        QThread.currentThread().quit()

    @Slot()
    def _on_tick(self) -> None:
        if not self._jobs:
            self._timer.stop()
            return
        job = self._jobs[-1]
        number, work = job
        news: Any = None
        ended: Ended | None = None
        end_s = perf_counter() + TICK_S
        try:
            while ended is None and perf_counter() < end_s:
                batch = next(work)
                if batch is not None:
                    news = batch
        except StopIteration as stop:
            ended = Ended(Outcome.finished, result=stop.value)
        except Cancelled:
            ended = Ended(Outcome.stopped)
        except Exception as error:
            ended = Ended(Outcome.failed, error=error)
        if news is not None:
            self.reported.emit(_Report(number, news=news))
        if ended is not None:
            self._end(job, ended)

    def _end(self, job: tuple[int, Work], ended: Ended) -> None:
        self._jobs.remove(job)
        _close(job[1])
        if not self._jobs:
            self._timer.stop()
        self.reported.emit(_Report(job[0], ended=ended))


class Jobs(QObject):
    """The worker's interface in the window's thread; the worker's thread starts with the first job
    and ends at `shutdown`.

    Signals:
        start_requested, stop_requested, close_requested: the requests to the worker.
    """

    start_requested = Signal(object)
    stop_requested = Signal(object)
    close_requested = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._n_started = 0
        self._listeners: dict[int, tuple[Callable[[Any], None], Callable[[Ended], None]]] = {}
        self._threads: tuple[QThread, Worker] | None = None
        self._is_closed = False

    def start(
        self,
        make: Callable[[], Work],
        on_batch: Callable[[Any], None],
        on_end: Callable[[Ended], None],
    ) -> int:
        """Starts a job.

        Args:
            make: called in the worker's thread; returns the generator.
            on_batch: called in the window's thread with each batch.
            on_end: called in the window's thread when the job has ended.

        Returns:
            The job's number.
        """
        self._n_started += 1
        number = self._n_started
        if self._is_closed:
            return number
        if self._threads is None:
            self._begin()
        self._listeners[number] = (on_batch, on_end)
        self.start_requested.emit(_Start(number, make))
        return number

    def stop(self, number: int) -> None:
        """Requests a job to stop; its end is reported as usual."""
        self.stop_requested.emit(number)

    def abandon(self, number: int) -> None:
        """Requests a job to stop, and drops everything that it still sends."""
        self._listeners.pop(number, None)
        self.stop_requested.emit(number)

    def shutdown(self) -> None:
        """Stops all jobs and ends the thread; may be called again."""
        self._is_closed = True
        self._listeners.clear()
        if self._threads is None:
            return
        thread, worker = self._threads
        self._threads = None
        worker.reported.disconnect(self._on_reported)
        self.close_requested.emit()
        _wait_for(thread)
        _OPEN.pop(thread, None)

    def _begin(self) -> None:
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL_S))
        thread = QThread()
        thread.setObjectName("workspace.jobs")
        worker = Worker()
        worker.moveToThread(thread)
        queued = Qt.ConnectionType.QueuedConnection
        self.start_requested.connect(worker.start, queued)
        self.stop_requested.connect(worker.stop, queued)
        self.close_requested.connect(worker.close, queued)
        self.destroyed.connect(worker.close, queued)  # there is no receiver any more
        worker.reported.connect(self._on_reported, queued)
        self._threads = (thread, worker)
        _OPEN[thread] = worker
        thread.start()

    @Slot(object)
    def _on_reported(self, report: _Report) -> None:
        listeners = self._listeners.get(report.number)
        if listeners is None:
            return
        on_batch, on_end = listeners
        if report.ended is None:
            on_batch(report.news)
            return
        del self._listeners[report.number]
        on_end(report.ended)


_OPEN: dict[QThread, Worker] = {}
"""The running threads: Qt aborts the process if a running thread is collected, so they are kept
until they end.
"""


def _begun(make: Callable[[], Work]) -> Work:
    """The job as a generator, whose first step raises an error of `make`."""
    return (yield from make())


def _close(work: Work) -> None:
    """Closes a generator; an error while it cleans up is only logged, because its outcome is known
    already.
    """
    try:
        work.close()
    except Exception:
        _log.exception("A job failed while it was being closed.")


def _wait_for(thread: QThread) -> None:
    if not thread.wait(PATIENCE_MS):
        _log.warning("The worker needs more than %d ms to stop.", PATIENCE_MS)
        thread.wait()


@atexit.register
def _close_all() -> None:
    """Ends the threads that were not shut down, before Qt is destroyed."""
    for thread in list(_OPEN):
        worker = _OPEN.pop(thread)
        QMetaObject.invokeMethod(worker, "close", Qt.ConnectionType.QueuedConnection)
        _wait_for(thread)
