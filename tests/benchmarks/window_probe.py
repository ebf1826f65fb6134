"""What watches the window's thread while a benchmark drives the window: a timer, and a thread that
asks why it is late.

The timer's gaps are what a person would feel. With `BPE_STUDIO_STALLS=1` in the environment the
thread writes to stderr where every thread stood when the timer was late, which is how a gap's cause
is found."""

from __future__ import annotations

import faulthandler
import os
import re
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from typing import IO

import numpy as np
from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer

TICK_MS = 5
LATE_S = 0.030
_POLL_S = 0.004
_DEPTH = 7


class Probe(QObject):
    """A 5 ms timer of the window's thread, which notes the time between its calls.

    Attributes:
        phase: what the window is doing, as the driver says; empty where nothing is noted.
        gaps_s: the times between two calls, by the phase in which they began.
        served_s: the same, less the time in which the thread could run and had no processor,
            because others had them all; on Linux only, elsewhere the same as `gaps_s`.
        worked_s: the processor time of the thread in each of them.
        where: where the window's thread was when a gap became long, by the gap's number in its
            phase; noted only with `watches`.

    Args:
        watches: another thread notes where threads are when the timer is late.
    """

    def __init__(self, *, watches: bool = False) -> None:
        super().__init__()
        self.phase = ""
        self.gaps_s: dict[str, list[float]] = defaultdict(list)
        self.served_s: dict[str, list[float]] = defaultdict(list)
        self.worked_s: dict[str, list[float]] = defaultdict(list)
        self.where: dict[tuple[str, int], str] = {}
        self.called_s = time.perf_counter()
        self._phase_before = ""
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start(TICK_MS)
        self._is_open = True
        self._writes = bool(os.environ.get("BPE_STUDIO_STALLS"))
        self._used = (0.0, 0.0)
        self._late: tuple[float, str] = (0.0, "")
        if self._writes or watches:
            threading.Thread(
                target=self._watch, args=(threading.get_ident(),), name="stalls", daemon=True
            ).start()

    def stop(self) -> None:
        """Notes nothing more."""
        self._is_open = False
        self._timer.stop()

    def enter(self, phase: str) -> None:
        """Begins a phase; the gap at hand still belongs to the one before, or to this one if there
        was none.
        """
        if not self.phase or not phase:
            self.called_s = time.perf_counter()
            self._phase_before = phase
            self._used = (time.thread_time(), queued_s())
        self.phase = phase

    def _on_tick(self) -> None:
        now_s = time.perf_counter()
        if self._phase_before:
            self.gaps_s[self._phase_before].append(now_s - self.called_s)
            before = self._used
            self._used = (time.thread_time(), queued_s())
            worked_s, waited_s = (now - then for now, then in zip(self._used, before, strict=True))
            self.served_s[self._phase_before].append(now_s - self.called_s - waited_s)
            self.worked_s[self._phase_before].append(worked_s)
            if self._late[0] == self.called_s:
                self.where[self._phase_before, len(self.gaps_s[self._phase_before]) - 1] = (
                    self._late[1]
                )
            if self._writes and now_s - self.called_s > LATE_S:
                sys.stderr.write(
                    f"gap of {1000 * (now_s - self.called_s):.0f} ms in {self._phase_before!r}: "
                    f"{1000 * worked_s:.0f} ms of work, {1000 * waited_s:.0f} ms without a "
                    "processor\n"
                )
        self.called_s = now_s
        self._phase_before = self.phase

    def _watch(self, window_thread: int) -> None:
        noted_s = 0.0
        with tempfile.TemporaryFile() as stream:
            while self._is_open:
                begun_s = time.perf_counter()
                time.sleep(_POLL_S)
                called_s = self.called_s
                now_s = time.perf_counter()
                if not self._phase_before or now_s - called_s < LATE_S or called_s == noted_s:
                    continue
                noted_s = called_s
                # The places first: whatever else is done here lets other threads go on.
                places = places_of_threads(stream)
                lines = [f"late by {1000 * (now_s - called_s):.0f} ms in {self._phase_before!r}"]
                if now_s - begun_s > LATE_S:
                    lines[0] += f" (and the watching thread by {1000 * (now_s - begun_s):.0f} ms)"
                names = {thread.ident: thread.name for thread in threading.enumerate()}
                for ident, where in places.items():
                    if ident != threading.get_ident():
                        who = (
                            "the window's thread"
                            if ident == window_thread
                            else names.get(ident, str(ident))
                        )
                        lines.append(f"    {who}: {where}")
                self._late = (called_s, places.get(window_thread, ""))
                if self._writes:
                    sys.stderr.write("\n".join(lines) + "\n")


def places_of_threads(stream: IO[bytes]) -> dict[int, str]:
    """The innermost places of the stack of every thread, by the thread's number.

    No frame is held: whoever drops the last reference to a frame deletes what its function made,
    and a thread that deletes an object of Qt waits for ever, or crashes the process.

    Args:
        stream: an empty file; empty again afterwards.
    """
    faulthandler.dump_traceback(stream, all_threads=True)
    stream.seek(0)
    text = stream.read().decode("utf-8", "replace")
    stream.seek(0)
    stream.truncate()
    found: dict[int, str] = {}
    for stack in re.split(r"^(?:Current t|T)hread 0x", text, flags=re.MULTILINE)[1:]:
        places = [
            f"{os.path.basename(path)}:{line} {name}"
            for path, line, name in re.findall(
                r'^  File "(.*)", line (\d+) in (.*)$', stack, re.MULTILINE
            )
            if not path.startswith("<frozen importlib")
        ]
        found[int(stack.split()[0], 16)] = " < ".join(places[:_DEPTH])
    return found


def queued_s() -> float:
    """How long this thread has waited for a processor so far; 0 where the system does not tell."""
    try:
        with open("/proc/thread-self/schedstat", encoding="ascii") as stream:
            return int(stream.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def share_below(values: list[float], share: float) -> float:
    """The value that so many percent of the values do not exceed; 0 where there are none."""
    return float(np.percentile(values, share, method="higher")) if values else 0.0


def wait_until(is_so: Callable[[], bool], limit_s: float = 300.0) -> None:
    """Runs the event loop until something is so.

    Raises:
        TimeoutError: it does not come about.
    """
    if is_so():
        return
    loop = QEventLoop()
    until_s = time.perf_counter() + limit_s

    def look() -> None:
        if is_so() or time.perf_counter() > until_s:
            loop.quit()

    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(look)
    timer.start(2)
    loop.exec()
    timer.stop()
    if not is_so():
        raise TimeoutError(f"the window did not get there in {limit_s:.0f} s")


def wait(seconds: float) -> None:
    """Runs the event loop for that long."""
    loop = QEventLoop()
    timer = QTimer()
    timer.setSingleShot(True)
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(loop.quit)
    timer.start(max(0, round(1000 * seconds)))
    loop.exec()
