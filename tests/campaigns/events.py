"""What a person may do with a window: one thing at a time, chosen at random, wherever there is
something to do it with.

Each event is posted by a timer, so that it also reaches menus and dialogs that have an event loop
of their own."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QDrag,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QMouseEvent,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QListView,
    QMenu,
    QSlider,
    QTabBar,
    QWidget,
)

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.views.layouts import PANELS
from tests.campaigns import texts
from tests.gui.hand import double_click

NEVER_TRIGGERED = ("file.quit",)
"""A campaign closes its windows itself."""
_NO_KEYS = Qt.KeyboardModifier.NoModifier
_CONTROL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier
_MODIFIERS = (_NO_KEYS, _NO_KEYS, _NO_KEYS, _NO_KEYS, _SHIFT, _CONTROL, _ALT, _CONTROL | _SHIFT)
_KEYS = (
    Qt.Key.Key_Tab,
    Qt.Key.Key_Backtab,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Space,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Delete,
    Qt.Key.Key_Backspace,
    Qt.Key.Key_Insert,
    Qt.Key.Key_A,
    Qt.Key.Key_C,
    Qt.Key.Key_V,
    Qt.Key.Key_X,
    Qt.Key.Key_Z,
    Qt.Key.Key_Y,
    Qt.Key.Key_D,
    Qt.Key.Key_I,
    Qt.Key.Key_1,
    Qt.Key.Key_9,
    Qt.Key.Key_Plus,
    Qt.Key.Key_Minus,
    Qt.Key.Key_F1,
    Qt.Key.Key_F2,
    Qt.Key.Key_F5,
    Qt.Key.Key_F7,
    Qt.Key.Key_F8,
    Qt.Key.Key_F9,
    Qt.Key.Key_F10,
    Qt.Key.Key_F11,
    Qt.Key.Key_Menu,
    Qt.Key.Key_BracketLeft,
    Qt.Key.Key_BracketRight,
    Qt.Key.Key_G,
    Qt.Key.Key_P,
)
_BUTTONS = (Qt.MouseButton.LeftButton,) * 6 + (
    Qt.MouseButton.RightButton,
    Qt.MouseButton.MiddleButton,
)


class Person:
    """Somebody at a window.

    Args:
        window: the window.
        rng: what they do.
        files: what they may open: texts, documents, tokenizers, lessons, damaged files, folders.
        folder: where they save.
    """

    def __init__(
        self, window: MainWindow, rng: random.Random, files: list[Path], folder: Path
    ) -> None:
        self.window = window
        self.workspace = window.workspace
        self.rng = rng
        self._files = files
        self._folder = folder
        self.at = ""
        self._events: list[tuple[int, Callable[[], str]]] = [
            (24, self.click),
            (3, self.double_click),
            (4, self.context_menu),
            (8, self.hover),
            (5, self.drag),
            (6, self.wheel),
            (14, self.key),
            (6, self.type),
            (5, self.write),
            (12, self.trigger),
            (6, self.move_slider),
            (4, self.choose_tab),
            (4, self.choose),
            (3, self.spin),
            (5, self.choose_row),
            (2, self.resize),
            (1, self.theme),
            (2, self.drop),
            (3, self.open),
            (2, self.clipboard),
            (3, self.dialog),
            (1, self.leave),
            (4, self.show_panel),
            (1, self.larger_letters),
        ]

    def act(self) -> str:
        """Does one thing; says what."""
        self.at = ""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            return self.in_popup(popup)
        weights, events = zip(*self._events, strict=True)
        return self.rng.choices(events, weights)[0]()

    def answer_file_dialog(self, *, saves: bool) -> str:
        """What they choose where a file is asked for; often nothing."""
        kind = self.rng.random()
        if kind < 0.25:
            return ""
        if saves:
            name = self.rng.choice(
                ("out", "out.bpestudio", "out.png", "سلام.html", "a b.csv", "x.gif", "no/such/x")
            )
            return str(self._folder / name)
        return str(self.rng.choice(self._files) if kind < 0.95 else self._folder / "missing.txt")

    # Where.

    def _roots(self) -> list[QWidget]:
        dialogs = [
            w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()
        ]
        if dialogs and self.rng.random() < 0.8:
            return dialogs[-1:]
        return [self.window, self.window, self.window, *self.window.views.windows()]

    def _widget(self, kind: type[QWidget] = QWidget) -> QWidget | None:
        root = self.rng.choice(self._roots())
        found = [
            w for w in root.findChildren(kind) if w.isVisible() and not w.visibleRegion().isEmpty()
        ]
        return self.rng.choice(found) if found else None

    def _place(self, widget: QWidget) -> QPoint:
        rect = widget.rect()
        return QPoint(
            self.rng.randrange(max(1, rect.width())), self.rng.randrange(max(1, rect.height()))
        )

    def _target(self) -> tuple[QWidget, QPoint] | None:
        """The innermost widget at a place of any other."""
        widget = self._widget()
        if widget is None:
            return None
        place = self._place(widget)
        child = widget.childAt(place)
        self.at = (child or widget).objectName() or widget.objectName()
        return (widget, place) if child is None else (child, child.mapFrom(widget, place))

    def _keyboard(self) -> QWidget:
        dialog = QApplication.activeModalWidget()
        if dialog is not None:
            return dialog.focusWidget() or dialog
        return QApplication.focusWidget() or self.window

    # What.

    def in_popup(self, popup: QWidget) -> str:
        """Does something in a menu or a list that is open."""
        if self.rng.random() < 0.4:
            QTest.keyClick(
                popup, self.rng.choice((Qt.Key.Key_Escape, Qt.Key.Key_Down, Qt.Key.Key_Return))
            )
            return "key in a popup"
        if isinstance(popup, QMenu) and popup.actions():
            action = self.rng.choice(popup.actions())
            if action.objectName() not in NEVER_TRIGGERED:
                QTest.mouseClick(
                    popup,
                    Qt.MouseButton.LeftButton,
                    _NO_KEYS,
                    popup.actionGeometry(action).center(),
                )
            return "click in a menu"
        popup.close()
        return "popup closed"

    def click(self) -> str:
        target = self._target()
        if target is None:
            return "nothing to click"
        widget, place = target
        if widget.isEnabled():
            QTest.mouseClick(widget, self.rng.choice(_BUTTONS), self.rng.choice(_MODIFIERS), place)
        return "click"

    def double_click(self) -> str:
        target = self._target()
        if target is not None and target[0].isEnabled():
            double_click(*target)
        return "double click"

    def context_menu(self) -> str:
        target = self._target()
        if target is not None:
            widget, place = target
            event = QContextMenuEvent(
                QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(place)
            )
            QCoreApplication.sendEvent(widget, event)
        return "context menu"

    def _mouse(self, kind: QEvent.Type, widget: QWidget, place: QPoint, *, is_held: bool) -> None:
        is_move = kind is QEvent.Type.MouseMove
        button = Qt.MouseButton.NoButton if is_move else Qt.MouseButton.LeftButton
        held = Qt.MouseButton.LeftButton if is_held else Qt.MouseButton.NoButton
        at = QPointF(place)
        QCoreApplication.sendEvent(
            widget, QMouseEvent(kind, at, widget.mapToGlobal(at), button, held, _NO_KEYS)
        )

    def hover(self) -> str:
        target = self._target()
        if target is not None:
            self._mouse(QEvent.Type.MouseMove, *target, is_held=False)
        return "hover"

    def drag(self) -> str:
        target = self._target()
        if target is None or not target[0].isEnabled():
            return "nothing to drag"
        widget, place = target
        self._mouse(QEvent.Type.MouseButtonPress, widget, place, is_held=True)
        for _ in range(self.rng.randint(1, 5)):
            place = self._place(widget) + QPoint(self.rng.choice((0, 0, -40, 60)), 0)
            self._mouse(QEvent.Type.MouseMove, widget, place, is_held=True)
        self._mouse(QEvent.Type.MouseButtonRelease, widget, place, is_held=False)
        return "drag"

    def wheel(self) -> str:
        target = self._target()
        if target is None:
            return "nothing to turn"
        widget, place = target
        turned = QPoint(0, 120 * self.rng.choice((-9, -1, 1, 9)))
        event = QWheelEvent(
            QPointF(place),
            widget.mapToGlobal(QPointF(place)),
            QPoint(),
            turned,
            Qt.MouseButton.NoButton,
            self.rng.choice((_NO_KEYS, _NO_KEYS, _CONTROL, _SHIFT)),
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QCoreApplication.sendEvent(widget, event)
        return "wheel"

    def key(self) -> str:
        QTest.keyClick(self._keyboard(), self.rng.choice(_KEYS), self.rng.choice(_MODIFIERS))
        return "key"

    def type(self) -> str:
        typed = "".join(c for c in texts.text(self.rng, 3) if c.isascii() and c.isprintable())[:12]
        QTest.keyClicks(self._keyboard(), typed)
        return "typed text"

    def write(self) -> str:
        """Text of any script, as an input method gives it."""
        widget = self._keyboard()
        event = QInputMethodEvent()
        if self.rng.random() < 0.3:
            event = QInputMethodEvent(texts.text(self.rng, 1, strays=0, nul=0)[:5], [])
        else:
            event.setCommitString(texts.text(self.rng, 2, strays=0, nul=0)[:20])
        QCoreApplication.sendEvent(widget, event)
        return "text of an input method"

    def trigger(self) -> str:
        actions = [a for a in self.window.findChildren(QAction) if a.isEnabled() and a.objectName()]
        action = self.rng.choice(actions)
        self.at = action.objectName()
        if action.objectName() not in NEVER_TRIGGERED and not action.menu():
            action.trigger()
        return f"action: {self.at.partition('.')[0]}"  # it may be gone by now

    def move_slider(self) -> str:
        slider = self.window.transport.slider
        if self.rng.random() < 0.7 and slider.isEnabled():
            place = QPoint(self.rng.randrange(max(1, slider.width())), slider.height() // 2)
            QTest.mouseClick(slider, Qt.MouseButton.LeftButton, _NO_KEYS, place)
        else:
            other = self._widget(QSlider)
            if isinstance(other, QSlider):
                other.setValue(self.rng.randint(other.minimum(), other.maximum()))
        return "slider"

    def choose_tab(self) -> str:
        bar = self._widget(QTabBar)
        if isinstance(bar, QTabBar) and bar.count():
            bar.setCurrentIndex(self.rng.randrange(bar.count()))
        return "tab"

    def choose(self) -> str:
        box = self._widget(QComboBox)
        if isinstance(box, QComboBox) and box.isEnabled() and box.count():
            QTest.keyClick(
                box,
                self.rng.choice((Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home)),
            )
        return "choice"

    def spin(self) -> str:
        box = self._widget(QAbstractSpinBox)
        if isinstance(box, QAbstractSpinBox) and box.isEnabled():
            if self.rng.random() < 0.5:
                box.stepBy(self.rng.choice((-1000, -1, 1, 1000)))
            else:
                box.selectAll()
                QTest.keyClicks(box, self.rng.choice(("0", "7", "99999999999", "-3", "12")))
                QTest.keyClick(box, Qt.Key.Key_Return)
        return "number"

    def choose_row(self) -> str:
        view = self._widget(QAbstractItemView)
        if (
            isinstance(view, QAbstractItemView)
            and view.model() is not None
            and view.model().rowCount()
        ):
            column = (
                0
                if isinstance(view, QListView)
                else self.rng.randrange(max(1, view.model().columnCount()))
            )
            index = view.model().index(self.rng.randrange(view.model().rowCount()), column)
            view.scrollTo(index)
            view.setCurrentIndex(index)
            if self.rng.random() < 0.3:
                view.activated.emit(index)
        return "row"

    def resize(self) -> str:
        self.window.resize(self.rng.randint(960, 1700), self.rng.randint(600, 1100))
        return "resize"

    def theme(self) -> str:
        self.window.set_theme(self.rng.choice(("light", "dark", "system")))
        return "theme"

    def larger_letters(self) -> str:
        font = QApplication.font()
        font.setPointSizeF(self.rng.choice((8.0, 9.0, 11.0, 16.0, 24.0)))
        QApplication.setFont(font)
        return "font"

    def drop(self) -> str:
        data = QMimeData()
        if self.rng.random() < 0.6:
            data.setUrls(
                [
                    QUrl.fromLocalFile(str(self.rng.choice(self._files)))
                    for _ in range(self.rng.choice((1, 1, 2)))
                ]
            )
        else:
            data.setText(texts.text(self.rng, 30, strays=0))
        place = self._place(self.window)
        enter = QDragEnterEvent(
            place, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, _NO_KEYS
        )
        QCoreApplication.sendEvent(self.window, enter)
        drop = QDropEvent(
            QPointF(place), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, _NO_KEYS
        )
        if enter.isAccepted():
            QCoreApplication.sendEvent(self.window, drop)
        return "drop"

    def open(self) -> str:
        if self.rng.random() < 0.4:
            self.workspace.opener.open_sample(
                self.rng.choice(("english", "persian", "python", "many-scripts", "hug-pug"))
            )
        else:
            paths = [self.rng.choice(self._files) for _ in range(self.rng.choice((1, 1, 1, 2)))]
            self.at = ", ".join(path.name for path in paths)
            self.window.open_files(paths)
        return "open"

    def clipboard(self) -> str:
        QGuiApplication.clipboard().setText(texts.text(self.rng, 20, strays=0))
        return "clipboard"

    def dialog(self) -> str:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, QDialog):
            dialog.accept() if self.rng.random() < 0.6 else dialog.reject()
        return "dialog"

    def leave(self) -> str:
        QDrag.cancel()
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, QDialog) and widget.isVisible():
                widget.close()
        return "dialogs closed"

    def show_panel(self) -> str:
        key = self.rng.choice(list(PANELS))
        self.window.views.show_panel(key)
        return f"panel {key}"
