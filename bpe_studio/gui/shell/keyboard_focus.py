"""The keyboard focus: a ring around the widget that has it, and the next widget for Tab.

The style shows focus for fields only; a slider, a plot, a table, a tab or a flat button look the same with and without
it. The ring is painted over the window in the colour of text, because the accent colour marks the step. It appears when
the user moves the focus with the keyboard (Tab, or a shortcut), not when a click or the program does. It receives no
events and changes no widget.

The window calls `focus_next` in its `focusNextPrevChild`; it skips hidden widgets and those of dialogs. Widgets that
are scrolled out of view count as visible: the scroll area scrolls to them. It keeps Qt's order.
"""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QRegion
from PySide6.QtWidgets import QApplication, QTabBar, QWidget

RING_PX = 2
REACH_PX = 3
ROUND_PX = 4.0
_MOVING = frozenset(
    (
        QEvent.Type.Move,
        QEvent.Type.Resize,
        QEvent.Type.Show,
        QEvent.Type.Hide,
        QEvent.Type.ParentChange,
        QEvent.Type.ZOrderChange,
    )
)
_KEYS = frozenset((QEvent.Type.KeyPress, QEvent.Type.KeyRelease))


class FocusFollower(QObject):
    """Keeps a ring around the widget with the keyboard focus, in any window."""

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._target: QWidget | None = None
        self._watched: list[QWidget] = []
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.place)
        application.focusChanged.connect(self._on_focus_changed)

    @property
    def target(self) -> QWidget | None:
        """The widget with the keyboard focus, if it still exists."""
        return self._target if self._target is not None and shiboken6.isValid(self._target) else None

    @Slot()
    def _on_focus_changed(self) -> None:
        # What the signal carries may be a widget that is just being destroyed, which PySide cannot pass on without
        # a crash; a moment later the application says which widget it is.
        self._soon.start()

    def _follow(self, now: QWidget | None) -> None:
        """Watches another widget and all its parents."""
        before = self.target
        if before is not None and (now is None or before.window() is not now.window()):
            _hide_ring(before.window())
        for widget in self._watched:
            if shiboken6.isValid(widget):
                widget.removeEventFilter(self)
        self._target, self._watched = now, []
        above = now
        while above is not None:
            self._watched.append(above)
            above.installEventFilter(self)
            above = None if above.isWindow() else above.parentWidget()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _MOVING or (kind in _KEYS and isinstance(self._target, QTabBar)):
            self._soon.start()
        return False

    @Slot()
    def place(self) -> None:
        """Move the ring to the widget."""
        self._soon.stop()
        focused = QApplication.focusWidget()
        if focused is not self.target:
            self._follow(focused)
        target = self.target
        if target is None:
            return
        window = target.window()
        rect = ring_rect(target)
        moves_by_keys = window.testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
        if rect.isEmpty() or not moves_by_keys or not target.isVisible():
            _hide_ring(window)
            return
        ring = window.findChild(FocusRing, options=Qt.FindChildOption.FindDirectChildrenOnly)
        (ring or FocusRing(window)).surround(rect)


class FocusRing(QWidget):
    """The ring itself, a child of the window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("focus.ring")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def surround(self, rect: QRect) -> None:
        """Show it around a rectangle of the window."""
        if rect != self.geometry():
            self.setGeometry(rect)
            # Only the ring itself is above the widget, which is painted by itself as before.
            inner = self.rect().adjusted(REACH_PX, REACH_PX, -REACH_PX, -REACH_PX)
            self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.palette().color(QPalette.ColorRole.WindowText), RING_PX))
            half = RING_PX / 2
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), ROUND_PX, ROUND_PX)


def ring_rect(widget: QWidget) -> QRect:
    """The rectangle of the ring, in the window; empty if the widget is scrolled out of view."""
    window = widget.window()
    part = widget.rect()
    if isinstance(widget, QTabBar) and widget.currentIndex() >= 0:
        part = widget.tabRect(widget.currentIndex())
    rect = QRect(widget.mapTo(window, part.topLeft()), part.size())
    parent = widget.parentWidget()
    while parent is not None and not widget.isWindow():
        rect &= QRect(parent.mapTo(window, QPoint(0, 0)), parent.rect().size())
        if parent is window:
            break
        parent = parent.parentWidget()
    if rect.isEmpty():
        return QRect()
    return rect.adjusted(-REACH_PX, -REACH_PX, REACH_PX, REACH_PX) & window.rect()


def _hide_ring(window: QWidget) -> None:
    ring = window.findChild(FocusRing, options=Qt.FindChildOption.FindDirectChildrenOnly)
    if ring is not None:
        ring.hide()


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

    WORKAROUND: PySide takes what `nextInFocusChain` gives for a child of the widget that was asked. When that one is
    deleted, PySide forgets all that it takes to be below, such as the document of an editor that still exists. Setting
    the parents that there are changes nothing in Qt, and puts this right.
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
    )
