"""What the sections that ask a window have in common: a window, a hand that uses it, and the times to the screen.

An answer is there when the panel says that it shows what was asked and the window has painted it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QPointF
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.state import State
from tests.benchmarks import texts
from tests.benchmarks.measuring import Bench, Series, call
from tests.benchmarks.tables import table
from tests.benchmarks.window import screen
from tests.benchmarks.window_probe import Probe, wait, wait_until
from tests.gui.hand import Hand

FRAME_S = 1 / 60
GAP_MS, REST_MS, SWITCH_MS = 50.0, 100.0, 50.0
PARAGRAPH, PAGE = 600, 5_000

Parts = Mapping[str, tuple[str, float | None]]
"""What is measured, in words, and within how many milliseconds it has to be there."""


def rows_of(series: Series, parts: Parts) -> str:
    """The table of a section."""
    rows = []
    for part, (what, goal) in parts.items():
        worst, gap = max(series.values(f"{part}_worst")), max(series.values(f"{part}_gap"))
        goal_text = "" if goal is None else f"{goal:.4g}"
        middle = f"{series.median(part):.1f}"
        rows.append([what, str(series.value(f"{part}_n")), middle, f"{worst:.1f}", f"{gap:.1f}", goal_text])
    return table(["what", "times", "median", "worst", "window's longest gap", "goal"], rows)


def section(
    bench: Bench, function: str, parts: Parts, path: Path, more: Callable[[Series], str] = lambda _series: ""
) -> str:
    """What a section says: the window in words, and its table.

    Args:
        bench: how it is measured.
        function: what is called in a process of its own, as "module:function"; it returns `Asker.outcome()`.
        parts: what is measured.
        path: the corpus.
        more: what else is to be said of the run.
    """
    with screen() as environment:
        job = call(function, environment, path=str(path), vocab_size=bench.vocab_size)
        series = bench.measure({function: job})[function]
    if series.failure:
        return series.failure
    return (
        f"A window on the platform `{series.value('platform')}`, {texts.describe(bench)}, "
        f"{series.value('n_trained'):,} merges, {series.value('n_words'):,} distinct pre-tokens{more(series)}. In "
        "milliseconds, from the last click or key to the answer on the screen or the file on the disk; the window's "
        "longest gap is the longest time between two calls of a 5 ms timer of its thread meanwhile, and should not be "
        f"over {GAP_MS:.0f}. The median is that of the rounds' medians, the worst that of all rounds.\n\n"
        + rows_of(series, parts)
    )


class Asker:
    """A window with a trained corpus, and the hand that asks it.

    Args:
        path: the corpus.
        folder: where files may be written.
        parts: what is measured.
    """

    def __init__(self, path: Path, folder: Path, parts: Iterable[str]) -> None:
        self.probe = Probe()
        self._path, self._folder = path, folder
        self._rng = random.Random(0)
        self._times_s: dict[str, list[float]] = {part: [] for part in parts}
        self._text = ""
        self._n_trained = 0
        self.window = MainWindow()
        self.workspace = self.window.workspace
        self.window.resize(1440, 900)
        self.window.show()
        # Without a window manager nobody else makes it the one that has the keyboard.
        self.window.activateWindow()
        self.hand = Hand(self.window, wait_until)
        # A cursor that lies over the window would point at things by itself.
        QCursor.setPos(0, 0)

    def ask(self, vocab_size: int, questions: Iterable[Callable[[], None]]) -> dict[str, Any]:
        """Opens and trains, asks everything and closes; returns what was noted."""
        try:
            self.open_and_train(vocab_size)
            for question in questions:
                question()
        finally:
            self.close()
        return self.outcome()

    def open_and_train(self, vocab_size: int) -> None:
        """Everything up to the end of the run; not measured here."""
        workspace = self.workspace
        wait_until(lambda: workspace.backend._warm_up is not None and not workspace.backend._warm_up.is_alive())
        workspace.settings.apply(workspace.config.replace(vocab_size=vocab_size))
        self.window.open_files([self._path])
        wait_until(lambda: workspace.state is State.ready)
        wait(0.5)
        self.hand.click("transport.run_button")
        wait_until(lambda: workspace.state is State.done)
        self._n_trained = workspace.n_merges
        with self._path.open(encoding="utf-8", errors="replace") as stream:
            stream.seek(self._path.stat().st_size // 2)
            stream.readline()
            self._text = stream.read(PAGE)
        self.hand.click("text.input")
        self.hand.write(self._text[:PARAGRAPH])
        self._settle()

    def _settle(self) -> None:
        wait(0.4)

    def _drag(self, part: str, target: Any, places: list[QPointF], ground: QWidget | None = None) -> None:
        """Press, move from place to place and let go; the places are those of the ground where the target moves."""
        place_on = partial(_mapped, target, ground)
        self.hand.press(target, place_on(places[0]))
        self.probe.enter(part)
        for place in places:
            begun_s = time.perf_counter()
            self.hand.pull(target, place_on(place))
            QCoreApplication.processEvents()
            taken_s = time.perf_counter() - begun_s
            self._times_s[part].append(taken_s)
            wait(max(0.0, FRAME_S - taken_s))
        self.hand.release(target, place_on(places[-1]))
        wait(0.05)
        self.probe.enter("")
        self._settle()

    def _take(self, part: str, act: Callable[[], Any], is_there: Callable[[], bool]) -> None:
        self._begin(part)
        act()
        self._end(part, is_there)

    def _begin(self, part: str) -> None:
        self.probe.enter(part)
        self._begun_s = time.perf_counter()

    def _end(self, part: str, is_there: Callable[[], bool]) -> None:
        wait_until(is_there)
        QCoreApplication.processEvents()
        self._times_s[part].append(time.perf_counter() - self._begun_s)
        wait(0.1)
        self.probe.enter("")
        wait(0.02)

    def close(self) -> None:
        """Closes the window, which ends its threads."""
        self.probe.stop()
        self.window.close()

    def outcome(self) -> dict[str, Any]:
        """What was noted, in milliseconds."""
        workspace = self.workspace
        corpus = workspace.corpus
        figures: dict[str, Any] = {
            "platform": QApplication.platformName(),
            "n_trained": self._n_trained,
            "n_merges": workspace.n_merges,
            "n_words": len(corpus.corpus) if corpus is not None else 0,
        }
        for part, times in self._times_s.items():
            ordered = sorted(times) or [float("nan")]
            figures |= {
                part: 1000 * ordered[len(ordered) // 2],
                f"{part}_worst": 1000 * ordered[-1],
                f"{part}_n": len(times),
                f"{part}_gap": 1000 * max(self.probe.gaps_s.get(part, [0.0]), default=0.0),
            }
        return figures


def _mapped(target: QWidget, ground: QWidget | None, place: QPointF) -> QPointF:
    return place if ground is None else target.mapFrom(ground, place)
