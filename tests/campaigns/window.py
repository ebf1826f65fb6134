"""Random events on a whole window, with a corpus open and a run training or not.

Each case is a window of its own with some hundred events. Nothing may be raised, said by Qt as a
warning or logged as an error, no event may keep the window's thread for ten seconds of the
processor, every panel that can be seen is painted when all has come to rest, and nothing is left
running when the window is closed."""

from __future__ import annotations

import gc
import logging
import os
import random
import shutil
import sys
import threading
import time
import traceback
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QEventLoop,
    QMessageLogContext,
    QObject,
    QThread,
    QThreadPool,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QDrag, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QDialog,
    QFileDialog,
    QPlainTextEdit,
    QWidget,
)
from shiboken6 import isValid

from bpe_studio.gui.app import make_application
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.gui.widgets import window_settings
from bpe_studio.workspace import keeping
from bpe_studio.workspace.state import State
from tests.campaigns import texts
from tests.campaigns.campaign import Campaign, FaultInCaseError
from tests.campaigns.events import Person
from tests.campaigns.mutations import mutated
from tests.campaigns.samples import make_samples

MOST_CPU_S = 10.0
_CALM_S = 60.0
_IGNORED = (
    "propagateSizeHints",
    "does not support raise",
    "does not support grabbing",
    "Unimplemented code.",
)
"""What the platform without a screen says of itself."""
_MOST_NESTED = 25
_KEEP_EVERY_MS = 300


@dataclass(frozen=True)
class Case:
    """A window, what is open in it first, and so many events."""

    n_events: int
    first: str
    rng: random.Random


class WindowCampaign(Campaign[Case]):
    """Random events on a whole window."""

    name = "window"
    limit_s = 150.0

    def begin(self) -> None:
        make_application()
        window_settings.keep_in(self.folder / "settings")
        os.environ["XDG_STATE_HOME"] = str(self.folder / "state")
        self.font = QApplication.font()
        self.out = self.folder / "out"
        self.out.mkdir()
        self.files = self._make_files()
        self.wrong: list[str] = []
        sys.excepthook = lambda *error: self.wrong.append(
            "".join(traceback.format_exception(*error))
        )
        threading.excepthook = lambda error: self.wrong.append(
            "".join(
                traceback.format_exception(error.exc_type, error.exc_value, error.exc_traceback)
            )
        )
        sys.unraisablehook = lambda error: self.wrong.append(
            f"{error.err_msg}\n{''.join(traceback.format_exception(error.exc_value))}"
        )
        qInstallMessageHandler(self._on_message)
        handler = logging.Handler(logging.ERROR)
        # The formatter adds the traceback of what was logged.
        handler.emit = lambda record: self.wrong.append(f"logged: {handler.format(record)}")  # type: ignore[method-assign]
        logging.getLogger().addHandler(handler)

    def _on_message(self, kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if (
            kind != QtMsgType.QtDebugMsg
            and kind != QtMsgType.QtInfoMsg
            and not any(s in message for s in _IGNORED)
        ):
            self.wrong.append(f"Qt says: {message}")

    def _make_files(self) -> list[Path]:
        """Texts, documents, tokenizers, lessons, damaged ones, a folder and nothing at all."""
        place = self.folder / "files"
        rng = random.Random(1)
        files = []
        place.mkdir()
        for number, sample in enumerate(make_samples(self.folder)):
            if len(sample.files) > 1:
                folder = place / f"{number}"
                folder.mkdir()
                for name, data in sample.files.items():
                    (folder / name).write_bytes(data)
                files.append(folder)
            else:
                ((name, data),) = sample.files.items()
                kind = sample.kinds[name]
                suffix = Path(name).suffix or ".model"
                files.append(place / f"{number}{suffix}")
                files[-1].write_bytes(data)
                if number % 3 == 0:
                    files.append(place / f"damaged-{number}{suffix}")
                    files[-1].write_bytes(mutated(rng, data, kind)[0])
        for number, n_words in enumerate((1, 30, 300, 3000)):
            files.append(place / f"text {number}.txt")
            files[-1].write_text(texts.text(rng, n_words, strays=0, nul=0), "utf-8")
        (place / "empty.txt").touch()
        return [*files, place / "empty.txt", place, place / "missing.txt"]

    def make(self, rng: random.Random) -> Case:
        return Case(
            rng.choice((150, 400, 800)),
            rng.choice(("nothing", "english", "persian", "many-scripts", "file")),
            rng,
        )

    def describe(self, case: Case) -> str:
        return f"{case.n_events} events, first open: {case.first}; the last events:"

    def check(self, case: Case) -> Counter[str]:
        self.wrong.clear()
        tried: Counter[str] = Counter(windows=1)
        threads = _python_threads()
        QApplication.setFont(self.font)
        shutil.rmtree(self.folder / "settings", ignore_errors=True)
        keeping.KEEP_EVERY_MS = _KEEP_EVERY_MS
        window = MainWindow()
        try:
            window.resize(1280, 860)
            window.show()
            # As the program does, on a platform with a screen; what one window leaves is offered in
            # the next.
            window.begin_keeping()
            window.guard.asks = True
            person = Person(window, case.rng, self.files, self.out)
            self._answer_dialogs(person)
            self._open_first(window, case)
            driver = _Driver(self, person, case.n_events, tried)
            driver.run()
            self._settle(window)
            self._look_at_panels(window)
            tried["sessions left at the end"] += len(window.workspace.keeping.sessions)
            tried["with unsaved work at the end"] += bool(window.workspace.keeping.unsaved)
        except FaultInCaseError:
            raise
        except Exception:
            self.wrong.append(traceback.format_exc())
        finally:
            for dialog in QApplication.topLevelWidgets():
                if isinstance(dialog, QDialog) and dialog.isVisible():
                    dialog.close()
            window.guard.asks = False
            window.close()
            window.workspace.shutdown()
            window.workspace.backend.end_warm_up()
        self._end(window, threads)
        if self.wrong:
            raise FaultInCaseError("\n".join(dict.fromkeys(self.wrong)), tried, ends=True)
        return tried

    def _open_first(self, window: MainWindow, case: Case) -> None:
        if case.first == "file":
            window.open_files([case.rng.choice(self.files)])
        elif case.first != "nothing":
            window.workspace.opener.open_sample(case.first)

    def _answer_dialogs(self, person: Person) -> None:
        """Files are chosen at once, as no system dialog can be driven."""

        def many(*_: Any, **__: Any) -> tuple[list[str], str]:
            path = person.answer_file_dialog(saves=False)
            return ([path] if path else []), ""

        answers = {
            "getOpenFileNames": many,
            "getOpenFileName": lambda *_, **__: (person.answer_file_dialog(saves=False), ""),
            "getExistingDirectory": lambda *_, **__: person.answer_file_dialog(saves=False),
            "getSaveFileName": lambda *_, **__: (person.answer_file_dialog(saves=True), ""),
        }
        for name, answer in answers.items():
            setattr(QFileDialog, name, staticmethod(answer))

    def _settle(self, window: MainWindow) -> None:
        """Stops what is under way, closes what is in front, and waits until all is at rest."""
        workspace = window.workspace
        until = time.monotonic() + _CALM_S
        if window.presentation is not None:
            window.present()  # ends it: the window below it is not painted
        while True:
            QDrag.cancel()
            popup = QApplication.activePopupWidget()
            if popup is not None:
                popup.close()
            for dialog in QApplication.topLevelWidgets():
                if isinstance(dialog, QDialog) and dialog.isVisible():
                    dialog.close()
            busy = workspace.state in (State.loading, State.running) or workspace.saver.is_saving
            if not busy and QThreadPool.globalInstance().activeThreadCount() == 0:
                break
            if busy:
                workspace.cancel()
            if time.monotonic() > until:
                raise AssertionError(
                    f"it does not come to rest: {workspace.state}, {workspace.progress}"
                )
            self.note(f"coming to rest: {workspace.state.name}")
            _wait(50)
        _wait(300)

    def _look_at_panels(self, window: MainWindow) -> None:
        """Each panel that can be seen is painted, and not with one colour."""
        shown = [w for w in (*map(window.panels.place, PANELS), window.transport) if _is_seen(w)]
        for panel in shown:
            looker = _PaintLooker(panel)
            panel.update()
            until = time.monotonic() + 20
            while not looker.was_painted and time.monotonic() < until:
                _wait(5)
            panel.removeEventFilter(looker)
            assert looker.was_painted or not _is_seen(panel), (
                f"{panel.objectName()} was not painted"
            )
            image = panel.grab().toImage()
            colours = {
                image.pixel(x, y)
                for x in range(0, image.width(), 3)
                for y in range(0, image.height(), 3)
            }
            assert len(colours) > 1 or min(image.width(), image.height()) < 12, (
                f"{panel.objectName()} is empty"
            )

    def _end(self, window: MainWindow, threads: set[threading.Thread]) -> None:
        """Takes the window apart; nothing of it may go on."""
        import shiboken6

        if not QThreadPool.globalInstance().waitForDone(60_000):
            self.wrong.append("a job of the pool does not end")
        QGuiApplication.clipboard().clear()
        window.deleteLater()
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
            QCoreApplication.processEvents()
        until = time.monotonic() + 20
        while time.monotonic() < until and (_python_threads() - threads or _qt_threads()):
            _wait(10)
        left = [thread.name for thread in _python_threads() - threads]
        if left or _qt_threads():
            self.wrong.append(f"threads are left: {', '.join(left) or 'of Qt'}")
        if shiboken6.isValid(window):
            self.wrong.append("the window is still there")
        gc.collect()


class _Driver(QObject):
    """Does one event after the other, also while one has not come back because it opened a menu."""

    def __init__(
        self, campaign: WindowCampaign, person: Person, n_events: int, tried: Counter[str]
    ) -> None:
        super().__init__()
        self._campaign = campaign
        self._person = person
        self._tried = tried
        self._left = n_events
        self._depth = 0
        # What Qt made and Python has an object for: shiboken may give that up though Qt deletes
        # nothing.
        window = person.window
        self._made: list[tuple[QWidget, QObject]] = [
            (each, each.document()) for each in window.findChildren(QPlainTextEdit)
        ]
        self._made += [
            (each, each.verticalScrollBar()) for each in window.findChildren(QAbstractScrollArea)
        ]
        self._loop = QEventLoop()

    def run(self) -> None:
        """Until all is done, or something is wrong."""
        self._next()
        self._loop.exec()

    def _next(self) -> None:
        wait = self._person.rng.choice((0, 0, 0, 0, 0, 1, 10, 60))
        QTimer.singleShot(wait, self, self._on_tick)

    def _on_tick(self) -> None:
        if self._campaign.wrong or self._left <= 0:
            self._close_popups()
            if self._depth:
                self._next()  # a menu that opens as its event ends is still to close
            else:
                self._loop.quit()
            return
        self._next()
        if self._depth > _MOST_NESTED:
            self._close_popups()
            return
        self._left -= 1
        self._depth += 1
        begun = time.thread_time()
        try:
            self._campaign.note("...")
            done = self._person.act()
            self._campaign.note(f"{done} {self._person.at}")
            lost = {
                each.objectName()
                for each, made in self._made
                if isValid(each) and not isValid(made)
            }
            if lost:
                self._tried["events after which shiboken has given up what Qt made"] += 1
                self._campaign.note(f"... given up below {', '.join(sorted(lost))}")
                self._made = [(each, made) for each, made in self._made if isValid(made)]
            self._tried["events"] += 1
            self._tried[f"  {done}"] += 1
        finally:
            self._depth -= 1
        taken = time.thread_time() - begun
        if taken > 0.2 and self._depth == 0:
            self._tried["events that took the thread over 200 ms"] += 1
            self._campaign.note(f"... took {1000 * taken:.0f} ms")
        if taken > MOST_CPU_S and self._depth == 0:
            self._campaign.wrong.append(f"{done} took {taken:.1f} s of the window's thread")

    def _close_popups(self) -> None:
        QDrag.cancel()
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()


class _PaintLooker(QObject):
    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.was_painted = False
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.was_painted = True
        return False


def _is_seen(widget: QWidget) -> bool:
    return widget.isVisible() and not widget.visibleRegion().isEmpty()


def _python_threads() -> set[threading.Thread]:
    """Those that Python started.

    Of one that Qt started, what Python knows of it stays when it has ended.
    """
    return {
        thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)
    }


def _qt_threads() -> list[object]:
    import shiboken6

    return [
        thread
        for thread in shiboken6.getAllValidWrappers()
        if type(thread) is QThread and thread.isRunning() and not thread.isCurrentThread()
    ]


def _wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop, loop.quit)
    loop.exec()
