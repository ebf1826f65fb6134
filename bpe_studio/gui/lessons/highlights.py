"""Overlays of a lesson: a frame around the panel to look at, and covers over panels that would reveal an answer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QRegion
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.look import theme

FRAME_PX = 3
_MOVING = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
_FLAGS = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)


class Follower(QWidget):
    """A child widget that always covers its parent.

    Args:
        over: the parent.
    """

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        over.installEventFilter(self)
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.place)
        self.place()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _MOVING or event.type() == QEvent.Type.ChildAdded:
            self._soon.start()
        return False

    @Slot()
    def place(self) -> None:
        """Cover the whole parent."""
        self.setGeometry(self._over.rect())
        self.raise_()


class LookFrame(Follower):
    """A rounded frame around a panel; it takes no mouse events."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("lesson.frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def place(self) -> None:
        super().place()
        inner = self.rect().adjusted(2 * FRAME_PX, 2 * FRAME_PX, -2 * FRAME_PX, -2 * FRAME_PX)
        # The mask leaves out the inside, so that the panel is painted as usual.
        self.setMask(QRegion(self.rect()).subtracted(QRegion(inner)))

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.muted(self.palette()), FRAME_PX))
            half = FRAME_PX / 2
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(half, half, -half, -half), 6, 6)


class Cover(Follower):
    """Hides the content of a panel, and says why."""

    def __init__(self, over: QWidget, text: str) -> None:
        self._text = text
        super().__init__(over)
        self.setObjectName("lesson.cover")
        self.setAccessibleName(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Window))
            painter.setPen(theme.muted(palette))
            low = max(0, min(12, (self.height() - painter.fontMetrics().height()) // 2))
            room: QRect = self.rect().adjusted(min(24, 2 * low), low, -min(24, 2 * low), -low)
            wrapped = painter.fontMetrics().boundingRect(room, _FLAGS, self._text)
            if room.contains(wrapped):
                painter.drawText(room, _FLAGS, self._text)
            else:
                text = painter.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
                painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, text)
