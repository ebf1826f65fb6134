"""The hand of a person in front of the window: it finds a control by its name, points at it,
presses and types.

It does nothing that a mouse and a keyboard cannot do, and refuses to touch what cannot be seen.
Tests and benchmarks share it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QComboBox,
    QMainWindow,
    QMenu,
    QScrollArea,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from bpe_studio.gui.views.layouts import DRAWER, PANELS, home_of

LEFT = Qt.MouseButton.LeftButton
RIGHT = Qt.MouseButton.RightButton
NO_KEYS = Qt.KeyboardModifier.NoModifier
CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
_MOST_TURNS = 4000
_MOST_LOOKS = 200


def double_click(widget: QWidget, place: QPoint) -> None:
    """The second of two clicks: `QTest.mouseDClick` does not let the button go, and moves after it
    would be drags.
    """
    QTest.mouseDClick(widget, LEFT, NO_KEYS, place)
    if isValid(widget):  # what was opened may have replaced it
        QTest.mouseRelease(widget, LEFT, NO_KEYS, place)


class Hand:
    """One hand at one window.

    Args:
        window: the window.
        wait_until: runs the event loop until something is so, and fails if it never is.
    """

    def __init__(
        self, window: QMainWindow, wait_until: Callable[[Callable[[], bool]], None]
    ) -> None:
        self.window = window
        self.wait_until = wait_until

    # Finding.

    def find(self, name: str) -> QWidget:
        """The control with that name, in the window or a dialog of it; it must be there to be seen.

        If its panel is in another view, the hand goes there first, as a person does.
        """
        named = self.window.findChildren(QWidget, name)
        if not any(each.isVisible() for each in named):
            self._go_to(named)
        found = [each for each in named if each.isVisible()]
        assert len(found) == 1, f"{name}: {len(found)} can be seen"
        return found[0]

    def _go_to(self, widgets: list[QWidget]) -> None:
        """Go to the view of the panel that has one of these."""
        views = getattr(self.window, "views", None)
        keys = {views.panel_of(widget) for widget in widgets} - {""} if views is not None else set()
        if len(keys) == 1:
            self.show_panel(PANELS[keys.pop()])

    def text(self, name: str) -> str:
        """What a control says."""
        return str(self.find(name).text())  # type: ignore[attr-defined]

    # The mouse.

    def click(
        self,
        target: str | QWidget,
        place: QPoint | QPointF | None = None,
        keys: Qt.KeyboardModifier = NO_KEYS,
        button: Qt.MouseButton = LEFT,
    ) -> None:
        """Click on a control, in its middle or at a place of it.

        An area is clicked in its viewport.
        """
        widget = self._under(target)
        self.wait_until(
            lambda: not widget.rect().isEmpty()
        )  # its panel may be laid out in the next turn only
        place = widget.rect().center() if place is None else _point(place)
        self._bring_into_sight(widget, place)
        assert widget.isEnabled(), f"{widget.objectName()} is greyed out: {widget.toolTip()}"
        assert widget.rect().contains(place), (
            f"{widget.objectName()}: {place} is not in {widget.rect()}"
        )
        QTest.mouseClick(widget, button, keys, place)

    def double_click(self, target: str | QWidget, place: QPoint | QPointF) -> None:
        """Click twice at a place, as quickly as a person does."""
        widget = self._under(target)
        self.click(target, place)
        double_click(widget, _point(place))

    def hover(self, target: str | QWidget, place: QPoint | QPointF) -> None:
        """Move the mouse to a place without pressing anything."""
        self._mouse(QEvent.Type.MouseMove, self._under(target), QPointF(place), is_held=False)

    def press(self, target: str | QWidget, place: QPoint | QPointF) -> None:
        """Press the left button and hold it."""
        self._mouse(QEvent.Type.MouseButtonPress, self._under(target), QPointF(place), is_held=True)

    def pull(self, target: str | QWidget, place: QPoint | QPointF) -> None:
        """Move with the left button held."""
        self._mouse(QEvent.Type.MouseMove, self._under(target), QPointF(place), is_held=True)

    def release(self, target: str | QWidget, place: QPoint | QPointF) -> None:
        """Let the left button go."""
        self._mouse(
            QEvent.Type.MouseButtonRelease, self._under(target), QPointF(place), is_held=False
        )

    def drag(self, target: str | QWidget, begin: QPointF, end: QPointF, n_moves: int = 8) -> None:
        """Press, move there in some moves, and let go."""
        self.press(target, begin)
        for k in range(1, n_moves + 1):
            self.pull(target, begin + (end - begin) * (k / n_moves))
        self.release(target, end)

    def turn_wheel(self, target: str | QWidget, n_notches: int) -> None:
        """Turn the wheel over the middle of a control; below 0 down."""
        widget = self._under(target)
        middle = QPointF(widget.rect().center())
        event = QWheelEvent(
            middle,
            widget.mapToGlobal(middle),
            QPoint(),
            QPoint(0, 120 * n_notches),
            Qt.MouseButton.NoButton,
            NO_KEYS,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QCoreApplication.sendEvent(widget, event)

    # The keyboard.

    def key(self, key: Qt.Key, keys: Qt.KeyboardModifier = NO_KEYS) -> None:
        """Press a key, wherever the keyboard is."""
        QTest.keyClick(self._keyboard(), key, keys)

    def type(self, text: str) -> None:
        """Type a text, wherever the keyboard is."""
        if text.isascii():
            QTest.keyClicks(self._keyboard(), text)
        else:
            self.write(text)

    def type_into(self, name: str, text: str) -> None:
        """Click into a field, type over what stands in it."""
        self.click(name)
        self.key(Qt.Key.Key_A, CONTROL)
        self.key(Qt.Key.Key_Delete)
        self.type(text)

    def write(self, text: str) -> None:
        """Put letters that a keyboard of another script has, wherever the keyboard is."""
        from PySide6.QtGui import QInputMethodEvent

        event = QInputMethodEvent()
        event.setCommitString(text)
        QCoreApplication.sendEvent(self._keyboard(), event)

    def _keyboard(self) -> QWidget:
        """What has the keyboard; a dialog takes it all, also where the platform does not make it
        the active window.
        """
        dialog = QApplication.activeModalWidget()
        if dialog is not None:
            return dialog.focusWidget() or dialog
        active = QApplication.activeWindow()
        if (active is None or not active.isVisible()) and QApplication.activePopupWidget() is None:
            # Where there is no screen, a menu that closes while the computer is busy may leave no
            # window active, and shortcuts would go nowhere; a desktop gives the window the keyboard
            # again.
            self.window.activateWindow()
            for _ in range(_MOST_LOOKS):
                if QApplication.activeWindow() is self.window:
                    break
                QTest.qWait(5)
        return QApplication.focusWidget() or self.window.focusWidget() or self.window

    # What is made of several moves.

    def show_panel(self, title: str) -> None:
        """Bring a panel, or a tab of one, into sight: by the view's button, and by the tab that
        says its name.
        """
        key = next((key for key, name in PANELS.items() if name == title), "")
        if key:
            views = self.window.views  # type: ignore[attr-defined]
            if key in DRAWER.keys:
                if views.drawer.isHidden() or views.drawer.front != key:
                    self.click(f"view.{key}_button")
            elif views.place_of(key) is None:
                self.click(f"view.{home_of(key)}_button")
            if not self._has_tab(title):
                return
        for bar in self.window.findChildren(QTabBar):
            for number in range(bar.count()):
                if bar.isVisible() and bar.tabText(number).replace("&", "") == title:
                    self.click(bar, bar.tabRect(number).center())
                    return
        raise AssertionError(f"no tab says {title!r}")

    def _has_tab(self, title: str) -> bool:
        bars = [bar for bar in self.window.findChildren(QTabBar) if bar.isVisible()]
        return any(
            bar.tabText(k).replace("&", "") == title for bar in bars for k in range(bar.count())
        )

    def choose(self, name: str, text: str) -> None:
        """Choose an entry of a chooser by keys."""
        chooser = self.find(name)
        assert isinstance(chooser, QComboBox)
        number = chooser.findText(text)
        assert number >= 0, (
            f"{text!r} is not among {[chooser.itemText(k) for k in range(chooser.count())]}"
        )
        chooser.setFocus(Qt.FocusReason.TabFocusReason)
        self.key(Qt.Key.Key_Home)
        for _ in range(number):
            self.key(Qt.Key.Key_Down)
        assert chooser.currentText() == text

    def choose_from_menu(self, *texts: str) -> None:
        """Click on a menu of the menu bar, and on an entry, through the menus between."""
        bar = self.window.menuBar()
        first = next(action for action in bar.actions() if _plain(action.text()) == texts[0])
        self.click(bar, bar.actionGeometry(first).center())
        for text in texts[1:]:
            self.pick_in_popup(text)

    def pick_in_popup(self, text: str) -> None:
        """Click on an entry of the menu that is open."""
        self.wait_until(lambda: any(text in _texts(menu) for menu in _open_menus()))
        menu = next(menu for menu in _open_menus() if text in _texts(menu))
        action = menu.actions()[_texts(menu).index(text)]
        assert action.isEnabled(), f"{text} is greyed out: {action.toolTip()}"
        QTest.mouseClick(menu, LEFT, NO_KEYS, menu.actionGeometry(action).center())

    def click_row(
        self, target: str | QAbstractItemView, row: int | QModelIndex, column: int = 0
    ) -> None:
        """Turn the wheel until a row of a table or tree is in sight, and click on it."""
        view, index = self._row(target, row, column)
        self.click(view, view.visualRect(index).center())

    def _row(
        self, target: str | QAbstractItemView, row: int | QModelIndex, column: int
    ) -> tuple[QAbstractItemView, QModelIndex]:
        view = self.find(target if isinstance(target, str) else target.objectName())
        assert isinstance(view, QAbstractItemView)
        index = view.model().index(row, column) if isinstance(row, int) else row
        assert index.isValid(), f"{view.objectName()} has no row {row}"
        for _ in range(_MOST_TURNS):
            middle = view.visualRect(index).center().y()
            if 0 <= middle < view.viewport().height():
                return view, index
            before = view.verticalScrollBar().value()
            self.turn_wheel(view, 1 if middle < 0 else -1)
            if view.verticalScrollBar().value() == before:
                break
        raise AssertionError(f"row {row} of {view.objectName()} cannot be scrolled to")

    def _under(self, target: str | QWidget) -> QWidget:
        widget = self.find(target) if isinstance(target, str) else target
        return widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget

    def _bring_into_sight(self, widget: QWidget, place: QPoint) -> None:
        """Scroll the area around a control until the place can be clicked."""
        parent = widget.parentWidget()
        while parent is not None:
            if (
                isinstance(parent, QScrollArea)
                and parent.widget() is not None
                and parent.widget().isAncestorOf(widget)
            ):
                inside = widget.mapTo(parent.widget(), place)
                parent.ensureVisible(inside.x(), inside.y(), 0, 20)
            parent = parent.parentWidget()
        assert widget.isVisible(), f"{widget.objectName()} is not to be seen"

    def _mouse(self, kind: QEvent.Type, widget: QWidget, place: QPointF, *, is_held: bool) -> None:
        is_move = kind is QEvent.Type.MouseMove
        button = Qt.MouseButton.NoButton if is_move else LEFT
        held = LEFT if is_held else Qt.MouseButton.NoButton
        event = QMouseEvent(kind, place, widget.mapToGlobal(place), button, held, NO_KEYS)
        QCoreApplication.sendEvent(widget, event)


def _point(place: QPoint | QPointF) -> QPoint:
    return place if isinstance(place, QPoint) else place.toPoint()


def _plain(text: str) -> str:
    return text.replace("&", "").partition("\t")[0]


def _texts(menu: QMenu) -> list[str]:
    return [_plain(action.text()) for action in menu.actions()]


def _open_menus() -> list[QMenu]:
    return [
        each
        for each in QApplication.topLevelWidgets()
        if isinstance(each, QMenu) and each.isVisible()
    ]
