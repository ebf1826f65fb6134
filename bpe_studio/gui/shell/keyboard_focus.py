"""The keyboard focus: a ring around the widget that has it, and the next widget for Tab.
The style shows the focus of fields only; a slider, a plot, a table, a tab or a flat button looks
the same with and without it. The ring has the colour of text, because the accent colour marks the
step. It appears when the user moves the focus with the keyboard (Tab, or a shortcut), not when a
click or the program does. It is a sibling of its widget, so that it scrolls with the widget and is
covered with it; a `QFocusFrame` would lie above everything.
The window calls `focus_next` in its `focusNextPrevChild`. It keeps Qt's order, and skips widgets
that are hidden, in a dialog or behind the drawer. Widgets that are scrolled out of view count as
visible: the scroll area scrolls to them.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QRegion
from PySide6.QtWidgets import QApplication, QSplitter, QTabBar, QWidget
from shiboken6 import isValid

RING_PX = 2
REACH_PX = 3
ROUND_PX = 4.0
_MOVING = frozenset(
    (
        QEvent.Type.Move,
        QEvent.Type.Resize,
        QEvent.Type.Show,
        QEvent.Type.Hide,
        QEvent.Type.KeyRelease,
    )
)


class FocusFollower(QObject):
    """Keeps a ring around the widget with the keyboard focus, in any window."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._target: QWidget | None = None
        self._ring: FocusRing | None = None
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.place)
        # The signal may carry a widget that is just being destroyed, and PySide crashes if a slot
        # takes it. The application names the widget with the focus a moment later.
        application.focusChanged.connect(self._on_focus_changed)

    @Slot()
    def _on_focus_changed(self) -> None:
        self._soon.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVING:
            self._soon.start()
        return False

    @Slot()
    def place(self) -> None:
        """Move the ring to the widget."""
        target = QApplication.focusWidget()
        if target is not self._target:
            if self._ring is not None and isValid(self._ring):
                self._ring.hide()
                self._ring.deleteLater()
            if self._target is not None and isValid(self._target):
                self._target.removeEventFilter(self)
            self._target = target
            self._ring = None
            if target is not None:
                target.installEventFilter(self)
        moves_by_keys = target is not None and target.window().testAttribute(
            Qt.WidgetAttribute.WA_KeyboardFocusChange
        )
        if target is not None and moves_by_keys and target.isVisible():
            if self._ring is None or not isValid(self._ring):
                self._ring = FocusRing(target)
            self._ring.surround(target)
        elif self._ring is not None and isValid(self._ring):
            self._ring.hide()


class FocusRing(QWidget):
    """The ring: a sibling of a widget, or its child in a splitter, which gives siblings room."""

    def __init__(self, target: QWidget) -> None:
        parent = target.parentWidget()
        if parent is None or target.isWindow() or isinstance(parent, QSplitter):
            parent = target
        super().__init__(parent)
        self.setObjectName("focus.ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def surround(self, target: QWidget) -> None:
        """Show it around a widget, or around the chosen tab of a row of tabs."""
        parent = self.parentWidget()
        assert parent is not None
        rect = target.rect()
        if isinstance(target, QTabBar) and target.currentIndex() >= 0:
            rect = target.tabRect(target.currentIndex())
        if parent is not target:
            rect.translate(target.pos())
        rect = rect.adjusted(-REACH_PX, -REACH_PX, REACH_PX, REACH_PX) & parent.rect()
        if rect != self.geometry():
            self.setGeometry(rect)
            # With this mask, only the ring lies above the widget, which is painted as before.
            inner = self.rect().adjusted(REACH_PX, REACH_PX, -REACH_PX, -REACH_PX)
            self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))
        if parent is target:
            self.raise_()
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.WindowText), RING_PX))
            half = RING_PX / 2
            painter.drawRoundedRect(
                QRectF(self.rect()).adjusted(half, half, -half, -half), ROUND_PX, ROUND_PX
            )


def focus_next(window: QWidget, forwards: bool) -> bool:
    """Move the keyboard focus to the next or the previous control.

    Args:
        window: the window whose controls are visited, in a cycle.
        forwards: true for Tab, false for Shift+Tab.

    Returns:
        Whether there was another control.
    """
    start = window.focusWidget() or window
    reason = Qt.FocusReason.TabFocusReason if forwards else Qt.FocusReason.BacktabFocusReason
    widget = start
    while True:
        widget = _neighbour(widget, forwards)
        if widget is start:
            return False
        if takes_tab(widget, window):
            widget.setFocus(reason)
            return True


def _neighbour(widget: QWidget, forwards: bool) -> QWidget:
    """The widget after another one in Qt's order, or before it.
    WORKAROUND: PySide believes that the result of `nextInFocusChain` is a child of the widget that
    was asked. When that widget is deleted, PySide forgets everything that it believes to be below
    it, such as the document of an editor that still exists. Setting the present parents again
    changes nothing in Qt, and corrects PySide.
    """
    found = widget.nextInFocusChain() if forwards else widget.previousInFocusChain()
    assert found is not None  # the chain is a ring
    child: QWidget | None = found
    while child is not None:
        parent = child.parentWidget()
        child.setParent(parent)
        child = parent
    return found


def takes_tab(widget: QWidget, window: QWidget) -> bool:
    """Whether Tab should stop at a widget of this window."""
    policy = Qt.FocusPolicy.TabFocus
    return (
        widget.focusPolicy() & policy == policy
        and widget.focusProxy() is None
        and widget.isEnabled()
        and widget.isVisible()
        and widget.window() is window
        and not _is_covered(widget)
    )


def _is_covered(widget: QWidget) -> bool:
    """Whether the middle of a widget's visible part lies behind another one, such as the drawer."""
    rect = widget.rect()
    parent = widget.parentWidget()
    while parent is not None and not widget.isWindow():
        rect = rect.translated(widget.pos()) & parent.rect()
        siblings = [each for each in parent.children() if isinstance(each, QWidget)]
        for above in siblings[siblings.index(widget) + 1 :]:
            is_open = above.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            if (
                above.isVisible()
                and not above.isWindow()
                and not is_open
                and above.geometry().contains(rect.center())
            ):
                return not rect.isEmpty()
        widget = parent
        parent = parent.parentWidget()
    return False
