"""Drives a real window as a person would, and notes what its thread felt.

Runs in a process of its own.
"""

from __future__ import annotations

import gc
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from bpe_studio.gui.app import make_application
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.merges.panel import MergesPanel
from bpe_studio.gui.plots.line_chart import LineChart
from bpe_studio.gui.vocabulary.panel import VocabularyPanel
from bpe_studio.gui.widgets import window_settings
from bpe_studio.workspace.state import Progress, State
from tests.benchmarks.window_probe import Probe, queued_s, share_below, wait, wait_until

N_MOVES = 240
N_RESTS = 12
N_KEYS = 200
N_STOPS = 5
N_TYPED = 100_000
N_TABLE = 250_000
FRAME_S = 1 / 60
KEYS = "the quick brown fox; "

OPENING = "opening and counting"
PREPARING = "preparing"
SHOWING = "showing the corpus"
TRAINING = "training"
MAKING = "making panels after the first paint"
CHART = "a step of a chart"
SCRUBBING = "scrubbing"
SAVING = "saving"
TYPING = "typing"
LEARNING_ON = "training on for the table"
COMPILING = "compiling for the first time"
OPENS, SCROLLS, FILTERS, SORTS = (
    f"merge table: {what}" for what in ("open", "scroll", "filter", "sort")
)
COUNTS, LISTS, LEAVES, ORDERS = (
    f"vocabulary: {what}" for what in ("open", "scroll", "filter", "sort")
)


def drive(path: str, vocab_size: int, n_table: int) -> dict[str, Any]:
    """Open, train, scrub, save, type, and use a long merge table.

    Returns:
        In milliseconds, `PHASE p99` and `PHASE max` of the timer's gaps, and the other figures of
        `window.py`.
    """
    with own_folder() as folder:
        driver = Driver(Path(path), folder)
        try:
            driver.settle()
            driver.open_and_train(vocab_size)
            driver.scrub()
            driver.step_charts()
            driver.save()
            driver.type_keys()
            driver.stop_in_each_phase()
            driver.use_merge_table(n_table)
            driver.use_vocabulary()
        finally:
            driver.close()
        return driver.outcome()


def compile_kernels() -> dict[str, Any]:
    """Start with an empty cache of kernels, and wait until they are compiled.

    Returns:
        The gaps meanwhile, as `drive` gives them.
    """
    with own_folder() as folder:
        os.environ["NUMBA_CACHE_DIR"] = str(folder)
        driver = Driver(folder, folder)
        try:
            driver.probe.enter(COMPILING)
            driver.settle()
        finally:
            driver.close()
        return driver.outcome()


@contextmanager
def own_folder() -> Iterator[Path]:
    """An application whose settings are in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        window_settings.keep_in(folder)
        make_application()
        yield Path(folder)


class Driver:
    """One window, and the hand that moves it."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.probe = Probe()
        self._path = path
        self._folder = folder
        self._rng = random.Random(0)
        self._times_s: dict[str, list[float]] = {}
        self._facts: dict[str, Any] = {"platform": QApplication.platformName()}
        self.window = MainWindow()
        self.workspace = self.window.workspace
        self.window.resize(1440, 900)
        self.window.show()

    def settle(self) -> None:
        """Waits until the window is idle: the library of the charts is imported, and kernels are
        read from disk.
        """
        self.probe.enter(MAKING)
        wait_until(self._is_warm)
        self.probe.enter("")
        wait(0.5)

    def _is_warm(self) -> bool:
        thread = self.workspace.backend._warm_up
        return thread is not None and not thread.is_alive()

    def open_and_train(self, vocab_size: int) -> None:
        """Opens the text and runs to the target."""
        workspace = self.workspace
        workspace.settings.apply(workspace.config.replace(vocab_size=vocab_size))
        workspace.progress_changed.connect(self._on_progress)
        self.probe.enter(OPENING)
        self._take("opening and counting, in all", self._open)
        self.probe.enter(SHOWING)
        wait(1.0)
        self.probe.enter(TRAINING)
        self._take("training, in all", self._train)
        wait(0.3)
        self.probe.enter("")
        workspace.progress_changed.disconnect(self._on_progress)
        self._facts["n_merges"] = workspace.n_merges

    def _open(self) -> None:
        self.workspace.opener.open_files([self._path])
        wait_until(lambda: self.workspace.state is not State.loading)

    def _train(self) -> None:
        self.workspace.transport.run_training()
        wait_until(lambda: self.workspace.state is State.done)

    def _on_progress(self, progress: Progress | None) -> None:
        if progress is not None and progress.what.startswith("Preparing"):
            self.probe.enter(PREPARING)

    def scrub(self) -> None:
        """Drags the step over the whole run and back, 60 moves a second, then lets the hand rest
        here and there.
        """
        self._type_excerpt(600)
        wait(0.5)
        self.probe.enter(SCRUBBING)
        slider = self.window.transport.slider
        self._mouse(QEvent.Type.MouseButtonPress, 0.0)
        for number in range(N_MOVES):
            share = 2 * number / N_MOVES
            begun_s = time.perf_counter()
            self._take("frame while scrubbing", partial(self._move, min(share, 2 - share)))
            wait(max(0.0, FRAME_S - (time.perf_counter() - begun_s)))
        self._mouse(QEvent.Type.MouseButtonRelease, 0.0)
        for _ in range(N_RESTS):
            self._mouse(QEvent.Type.MouseButtonPress, self._rng.random())
            self._mouse(QEvent.Type.MouseButtonRelease, 0.0)
            self._take(
                "heavy panels after the hand rests", lambda: wait_until(self._are_panels_there)
            )
            wait(0.1)
        assert slider.value() == self.workspace.step
        self.probe.enter("")
        self.workspace.transport.go_to_end()
        wait(0.3)

    def step_charts(self) -> None:
        """Moves the step in both charts of the growth and paints all of them."""
        for chart in self.window.panels["growth"].plot.charts:
            for number in range(N_MOVES):
                step = self.workspace.n_merges * number // N_MOVES
                self._take(CHART, partial(_show_step, chart, step))

    def _move(self, share: float) -> None:
        self._mouse(QEvent.Type.MouseMove, share)
        QCoreApplication.processEvents()

    def _mouse(self, kind: QEvent.Type, share: float) -> None:
        slider = self.window.transport.slider
        place = QPointF(slider.place_of(share * slider.maximum()), slider.height() / 2)
        button = (
            Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
        )
        held = (
            Qt.MouseButton.NoButton
            if kind is QEvent.Type.MouseButtonRelease
            else Qt.MouseButton.LeftButton
        )
        where = slider.mapToGlobal(place)
        event = QMouseEvent(kind, place, where, button, held, Qt.KeyboardModifier.NoModifier)
        QCoreApplication.sendEvent(slider, event)

    def _are_panels_there(self) -> bool:
        panels = self.window.panels
        return bool(panels["candidates"].is_up_to_date and panels["words"].is_up_to_date)

    def save(self) -> None:
        """Saves the tokenizer."""
        saved: list[object] = []
        self.workspace.saver.saved.connect(saved.append)
        self.probe.enter(SAVING)
        self.workspace.saver.save_tokenizer(self._folder / "saved")
        wait_until(lambda: bool(saved))
        wait(0.3)
        self.probe.enter("")

    def type_keys(self) -> None:
        """Types into the middle of a long text."""
        editor = self.window.text_panel.editor
        self._type_excerpt(N_TYPED)
        self._facts["n_typed"] = len(editor.text())
        wait(1.0)
        cursor = editor.textCursor()
        cursor.setPosition(editor.document().characterCount() // 2)
        editor.setTextCursor(cursor)
        editor.setFocus()
        wait(0.5)
        self.probe.enter(TYPING)
        for number in range(N_KEYS):
            self._take("key to repainted", partial(self._type, KEYS[number % len(KEYS)]))
            wait(0.03)
        self.probe.enter("")
        self.workspace.set_typed_text("")
        wait(0.3)

    def _type_excerpt(self, n: int) -> None:
        with self._path.open(encoding="utf-8", errors="replace") as stream:
            self.workspace.set_typed_text(stream.read(n))

    def _type(self, key: str) -> None:
        editor = self.window.text_panel.editor
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            QCoreApplication.sendEvent(
                editor, QKeyEvent(kind, 0, Qt.KeyboardModifier.NoModifier, key)
            )
        QCoreApplication.processEvents()

    def stop_in_each_phase(self) -> None:
        """Pauses or cancels in the middle of each phase, several times, and waits for the worker's
        answer.
        """
        for number in range(N_STOPS):
            for phase, begins in {
                "opening": "Reading",
                "counting": "Counting",
                "preparing": "Preparing",
            }.items():
                self._cancel_opening(phase, begins, number)
            self._pause_training()
            self._cancel_saving()

    def _cancel_opening(self, phase: str, begins: str, number: int) -> None:
        seen: list[str] = []

        def told(progress: Progress | None) -> None:
            if progress is not None:
                seen.append(progress.what)

        self.workspace.progress_changed.connect(told)
        self.workspace.opener.open_files([self._path])
        wait_until(lambda: any(what.startswith(begins) for what in seen) or self._is_resting())
        wait(number * (0.1 if phase == "opening" else 0.01))
        if not self._is_resting():
            self._answer(f"cancel: {phase}", self.workspace.cancel, self._is_resting)
        self.workspace.progress_changed.disconnect(told)
        wait_until(self._is_resting)

    def _pause_training(self) -> None:
        workspace = self.workspace
        workspace.settings.apply(
            workspace.config.replace(min_frequency=5 - workspace.config.min_frequency)
        )
        wait_until(lambda: workspace.state is State.ready)
        workspace.transport.run_training()
        wait_until(lambda: workspace.n_merges > 0)
        wait(self._rng.random() * 0.1)
        if workspace.state is State.running:
            self._answer("pause: training", workspace.transport.pause, self._is_resting)
        workspace.transport.run_training()
        wait_until(self._is_resting)

    def _cancel_saving(self) -> None:
        workspace = self.workspace
        workspace.saver.save_tokenizer(self._folder / "cancelled")
        wait(self._rng.random() * 0.05)
        if workspace.saver.is_saving:
            self._answer("cancel: saving", workspace.cancel, lambda: not workspace.saver.is_saving)
        wait_until(lambda: not workspace.saver.is_saving)

    def _is_resting(self) -> bool:
        return self.workspace.state in (State.ready, State.paused, State.done)

    def _answer(self, what: str, call: Callable[[], None], is_there: Callable[[], bool]) -> None:
        """Times a call until the state says so and the worker is free for other work."""
        answered: list[object] = []

        def ask() -> None:
            call()
            self.workspace.jobs.start(_nothing, answered.append, answered.append)
            wait_until(lambda: bool(answered) and is_there())

        self._take(what, ask)

    def use_merge_table(self, n_rows: int) -> None:
        """Learns so many merges, then opens, scrolls, filters and sorts a table of them."""
        workspace = self.workspace
        workspace.settings.apply(workspace.config.replace(vocab_size=n_rows + 256, min_frequency=2))
        wait_until(self._is_resting)
        self.probe.enter(LEARNING_ON)
        workspace.transport.run_training()
        wait_until(lambda: workspace.state is State.done)
        wait(2.0)
        self._facts["n_rows"] = workspace.n_merges
        self.probe.enter(OPENS)
        panel = MergesPanel(workspace)
        panel.resize(480, 700)
        panel.show()
        self._rest(panel)
        self.probe.enter(SCROLLS)
        bar = panel.table.verticalScrollBar()
        for number in range(N_MOVES // 2):
            bar.setValue(bar.maximum() * number // (N_MOVES // 2))
            wait(FRAME_S)
        self.probe.enter(FILTERS)
        for pattern in ("t", "th", "the", "", "zzq", "e", ""):
            panel.filter.setText(pattern)
            wait(0.12)
            self._rest(panel)
        self.probe.enter(SORTS)
        for column in range(panel.model.columnCount()):
            for order in (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder):
                panel.table.sortByColumn(column, order)
                self._rest(panel)
        self.probe.enter("")
        panel.close()

    def use_vocabulary(self) -> None:
        """Opens, scrolls, filters and sorts the table of every token of that run."""
        workspace = self.workspace
        # What is left of the merge table must not be freed in the thread that counts.
        gc.collect()
        self.probe.enter(COUNTS)
        panel = VocabularyPanel(workspace)
        panel.resize(900, 700)
        panel.show()
        wait_until(lambda: panel.is_up_to_date)
        self._rest(panel)
        self.probe.enter(LISTS)
        bar = panel.table.verticalScrollBar()
        for number in range(N_MOVES // 2):
            bar.setValue(bar.maximum() * number // (N_MOVES // 2))
            wait(FRAME_S)
        self.probe.enter(LEAVES)
        for pattern in ("t", "the", "", "zzq", "e", ""):
            panel.filter.setText(pattern)
            wait(0.12)
            self._rest(panel)
        for button in panel.filters.states.values():
            button.click()
            self._rest(panel)
        panel.filters.clear()
        for box in (panel.filters.script, panel.filters.length):
            for place in (1, 2, 0):
                box.setCurrentIndex(place)
                self._rest(panel)
        self.probe.enter(ORDERS)
        for column in range(panel.model.columnCount()):
            if panel.model.can_sort(column):
                for order in (Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder):
                    panel.table.sortByColumn(column, order)
                    self._rest(panel)
        self.probe.enter("")
        panel.close()

    def _rest(self, panel: MergesPanel | VocabularyPanel) -> None:
        wait_until(lambda: not panel.model.is_busy)
        wait(0.05)

    def close(self) -> None:
        """Closes the window, which ends its thread."""
        self.probe.stop()
        self.window.close()

    def _take(self, what: str, work: Callable[[], object]) -> None:
        begun_s = time.perf_counter()
        waited_s = queued_s()
        work()
        taken_s = time.perf_counter() - begun_s
        self._times_s.setdefault(what, []).append(taken_s)
        self.probe.served_s[what].append(taken_s - (queued_s() - waited_s))

    def outcome(self) -> dict[str, Any]:
        """What was noted, in milliseconds."""
        noted = {**self.probe.gaps_s, **self._times_s}
        figures: dict[str, Any] = dict(self._facts)
        for name, values in self.probe.served_s.items():
            figures[f"{name} served p99"] = 1000 * share_below(values, 99)
            figures[f"{name} served max"] = 1000 * max(values)
        for name, values in noted.items():
            figures[f"{name} p99"] = 1000 * share_below(values, 99)
            figures[f"{name} max"] = 1000 * max(values)
        return figures


def _show_step(chart: LineChart, step: int) -> None:
    chart.set_marks((), step)
    chart.viewport().repaint()


def _nothing() -> Any:
    """A job that does nothing: it ends as soon as the worker gets to it."""
    return
    yield
