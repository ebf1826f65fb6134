"""A widget that paints a curve, or a sentence where there is nothing to draw; its exported picture is painted alike."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook


class CurveWidget(FollowsLook, QWidget):
    """The widget. A subclass paints the curve, and returns a message when there is nothing to draw.

    Attributes:
        ground: its background; None for a transparent one.
    """

    ground: QPalette.ColorRole | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.follow_look(fit_now=False)

    def message(self) -> str | None:
        """The sentence instead of a curve, "" for an empty area; None where there is a curve."""
        raise NotImplementedError

    def paint_curve(self, painter: QPainter) -> None:
        """Paint the curve and what is over it."""
        raise NotImplementedError

    def fit(self) -> None:
        """Compute anew what is painted, after the curve, the size or the font has changed."""

    def paint_export(self, painter: QPainter) -> None:
        """Paint everything for a picture."""
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        message = self.message()
        if message is None:
            self.paint_curve(painter)
            return
        painter.setPen(theme.muted(self.palette()))
        flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        painter.drawText(QRectF(self.rect()).adjusted(16, 16, -16, -16), flags, message)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self.ground is not None:
                painter.fillRect(self.rect(), self.palette().color(self.ground))
            self.paint_export(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def font_changed(self) -> None:
        self.fit()
