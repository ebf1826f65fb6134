"""A window that lasts for the tests of a module or a folder, and is put back before each.

A test begins with a text that it opens anew, and waits for that one. A window of its own is for
what is about a window without a text, or about its end."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDialog,
    QHeaderView,
    QLineEdit,
    QMenu,
    QScrollBar,
    QSpinBox,
    QTabBar,
)
from shiboken6 import isValid

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.widgets import window_settings
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.jobs import Jobs
from bpe_studio.workspace.opening.documents import Opened
from bpe_studio.workspace.session import Project
from bpe_studio.workspace.state import State
from tests.patient_bot import PatientBot

WIDTH = 1440
HEIGHT = 900


class LastingWindow:
    """The window, and what is chosen, ticked and written in its controls at first.

    Attributes:
        window: the window.
    """

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        self._trained: dict[str, list[Project]] = {}
        kinds = (
            (QLineEdit, QLineEdit.text, QLineEdit.setText),
            (QComboBox, QComboBox.currentIndex, QComboBox.setCurrentIndex),
            (QSpinBox, QSpinBox.value, QSpinBox.setValue),
            (QTabBar, QTabBar.currentIndex, QTabBar.setCurrentIndex),
            (QAbstractButton, QAbstractButton.isChecked, _set_checked),
            (QHeaderView, _sorted_by, _sort_by),
            (QScrollBar, QScrollBar.value, QScrollBar.setValue),
        )
        self._controls = [
            (widget, write, read(widget))
            for kind, read, write in kinds
            for widget in window.findChildren(kind)
            if not widget.objectName().startswith(("qt_", "settings."))
        ]

    def put_back(self, bot: Any, width: int = WIDTH, height: int = HEIGHT) -> None:
        """Puts everything back that a test may have changed, but for the text, which the next test
        opens anew.

        Args:
            bot: waits for the window.
            width: the width of the window, in pixels.
            height: its height.
        """
        self._bot = bot
        window = self.window
        workspace = self.window.workspace
        bot.waitExposed(window)
        window.resize(width, height)
        workspace.lesson.leave()
        window.game.leave()
        workspace.game.leave()
        window.banner.clear()
        for each in (*window.findChildren(QDialog), *window.findChildren(QMenu)):
            each.close()
        window.memory.clear()
        window.memory.put("motion", False)
        window.views.arrange()
        for widget, write, value in self._controls:
            if isValid(widget):
                write(widget, value)
        window.show_view("explore")
        workspace.marks.set_all((), ())
        workspace.set_typed_text("")
        workspace.set_compared_steps(())
        workspace.transport.set_speed(math.inf)
        for each in workspace.tokenizers.entries:
            workspace.tokenizers.remove(each.number)
        # Settings that a test chose are not those of the next text.
        workspace.opener._is_config_chosen = False
        workspace.opener._was_preset_lent = True
        window.activateWindow()
        window.text_panel.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def open_trained(self, name: str, train: Callable[[], object]) -> None:
        """Opens a text, trained to the end, with no mark and no other run.

        The first two tests that ask for it train it. What a window shows of a run is put back by
        another run only, so each later test has the one of the two that was not opened last.

        Args:
            name: what is trained; the same each time.
            train: opens the text anew and waits for the end of its training.
        """
        trained = self._trained.setdefault(name, [])
        if len(trained) < 2:
            train()
            trained.append(self.window.workspace.runs.project())
        else:
            trained.reverse()
            self.window.workspace.opener.put(f"Open {name}", Opened(trained[-1]))
        # The typed text takes the run, and then the step, in turns of its own.
        text = self.window.text_panel
        workspace = self.window.workspace
        self._bot.waitUntil(
            lambda: text._run is workspace.run and text.editor.step == workspace.step
        )

    def open_another(self, bot: Any) -> None:
        """Opens a text of no test, for a test that begins with what must not be open already."""
        workspace = self.window.workspace
        before = self.window.workspace.run
        workspace.opener.open_text("a text of no test", "No test")
        bot.waitUntil(lambda: workspace.run is not before and workspace.state is State.ready)


def lasting_windows(
    request: pytest.FixtureRequest, folders: pytest.TempPathFactory
) -> Iterator[LastingWindow]:
    """For a fixture of a module or a folder: the window, closed at the end.

    Args:
        request: of the fixture.
        folders: makes the folder of the window's settings.
    """
    window = _made(folders)
    window.setProperty("lasts_for", request.node.nodeid)
    window.resize(WIDTH, HEIGHT)
    window.show()
    QCursor.setPos(0, 0)
    window.make_panels()
    lasting = LastingWindow(window)
    _begin_threads(window)
    lasting.open_another(PatientBot(request))
    _leave_alone()
    yield lasting
    _end(window)


def unseen_windows(folders: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """For a fixture of a module: an empty window that is never shown, closed at the end.

    It paints nothing, and makes its panels as they are needed. A test opens a text anew, and puts
    nothing back.

    Args:
        folders: makes the folder of the window's settings.
    """
    window = _made(folders)
    _begin_threads(window)
    _leave_alone()
    yield window
    _end(window)


def _made(folders: pytest.TempPathFactory) -> MainWindow:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(window_settings, "_folder", folders.mktemp("settings"))
        memory = WindowSettings()
        memory.put("motion", False)
        memory.sync()
        window = MainWindow()
    window.preloads = False
    return window


def _begin_threads(window: MainWindow) -> None:
    """Those that a window has for as long as it lives, which are not left by the test that would
    begin them.
    """
    for jobs in window.findChildren(Jobs):
        if jobs._threads is None:
            jobs._begin()


def _leave_alone() -> None:
    """As what was imported before: a search for a test's garbage is not to look through the
    window.
    """
    gc.collect()
    gc.freeze()


def _end(window: MainWindow) -> None:
    window.guard.asks = False
    assert window.close(), "it has threads that end only with it"
    window.workspace.shutdown()
    window.deleteLater()


def _set_checked(button: QAbstractButton, is_checked: bool) -> None:
    if button.isCheckable() and button.isChecked() != is_checked:
        button.click()


def _sorted_by(header: QHeaderView) -> tuple[int, Qt.SortOrder]:
    return header.sortIndicatorSection(), header.sortIndicatorOrder()


def _sort_by(header: QHeaderView, value: tuple[int, Qt.SortOrder]) -> None:
    if header.isSortIndicatorShown() and _sorted_by(header) != value:
        header.setSortIndicator(*value)
