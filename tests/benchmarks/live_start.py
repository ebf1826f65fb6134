"""Starts the real program on a file and notes what the window's thread felt.

Runs in a process of its own.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent

from bpe_studio import cli
from bpe_studio.gui import main_window
from bpe_studio.workspace.state import State
from tests.benchmarks.window_probe import Probe, share_below

LOOK_MS = 10
RESTS_S = 3.0
N_LONGEST = 8
OPENING = "first paint to opened"
TRAINING = "training"
RESTING = "after it"


def start(path: str, vocab_size: int, *, at_once: bool) -> dict[str, Any]:
    """Start the program, let it open a file and train it, rest for some seconds, and close it.

    Args:
        path: the text.
        vocab_size: the size to train to.
        at_once: the file is opened right after the first paint; otherwise it is an argument of the
            program.

    Returns:
        The gaps of a 5 ms timer from the first paint on, in milliseconds.
    """
    hand = _Hand(path if at_once else "", vocab_size)
    paint = main_window.MainWindow.paintEvent

    def paint_and_begin(self: main_window.MainWindow, event: QPaintEvent) -> None:
        paint(self, event)
        hand.begin(self)

    main_window.MainWindow.paintEvent = paint_and_begin  # type: ignore[method-assign]
    cli.main([] if at_once else [path])
    return hand.outcome()


class _Hand:
    """What a person does: opens, waits, runs, waits, closes."""

    def __init__(self, path: str, vocab_size: int) -> None:
        self._path = path
        self._vocab_size = vocab_size
        self._window: Any = None
        self._probe: Probe
        self._begun_s = self._rest_until_s = 0.0
        self._facts: dict[str, Any] = {}

    def begin(self, window: main_window.MainWindow) -> None:
        if self._window is not None:
            return
        self._window = window
        self._begun_s = time.perf_counter()
        self._probe = Probe(watches=True)
        self._probe.enter(OPENING)
        if self._path:
            QTimer.singleShot(0, window, partial(window.open_files, [self._path]))
        self._looking = QTimer(window)
        self._looking.timeout.connect(self._look)
        self._looking.start(LOOK_MS)

    def _look(self) -> None:
        workspace = self._window.workspace
        now_s = time.perf_counter()
        phase = self._probe.phase
        state = workspace.state
        if state is State.failed or (self._rest_until_s and now_s > self._rest_until_s):
            self._end()
        elif phase == OPENING and state is State.ready:
            self._facts["opened_s"] = now_s - self._begun_s
            self._probe.phase = TRAINING
            if workspace.config.vocab_size != self._vocab_size:
                workspace.settings.apply(workspace.config.replace(vocab_size=self._vocab_size))
            workspace.transport.run_training()
        elif phase == TRAINING and state is State.ready:
            workspace.transport.run_training()
        elif phase == TRAINING and state is State.done:
            self._facts["trained_s"] = now_s - self._begun_s
            self._probe.phase = RESTING
            self._rest_until_s = now_s + RESTS_S

    def _end(self) -> None:
        self._facts["n_merges"] = self._window.workspace.n_merges
        self._looking.stop()
        self._probe.stop()
        self._window.guard.asks = False
        self._window.close()

    def outcome(self) -> dict[str, Any]:
        """What was noted, in milliseconds.

        The longest gaps by what they took without the wait for a processor.
        """
        probe = self._probe
        gaps: list[dict[str, Any]] = [
            {
                "phase": phase,
                "wall": 1000 * wall_s,
                "served": 1000 * probe.served_s[phase][number],
                "worked": 1000 * probe.worked_s[phase][number],
                "where": probe.where.get((phase, number), ""),
            }
            for phase, walls_s in probe.gaps_s.items()
            for number, wall_s in enumerate(walls_s)
        ]
        figures = {
            f"{kind} p99": share_below([gap[kind] for gap in gaps], 99)
            for kind in ("wall", "served", "worked")
        }
        longest = sorted(gaps, key=lambda gap: -gap["served"])[:N_LONGEST]
        return {
            **self._facts,
            **figures,
            "longest": longest,
            "wall max": max(gap["wall"] for gap in gaps),
        }
