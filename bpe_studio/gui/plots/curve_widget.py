"""A widget that paints a curve, or a sentence where there is nothing to draw; its exported picture is painted alike."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPixmap, QResizeEvent
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
        self._picture: QPixmap | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.follow_look(fit_now=False)

    def message(self) -> str | None:
        """The sentence instead of a curve, "" for an empty area; None where there is a curve."""
        raise NotImplementedError

    def paint_still(self, painter: QPainter) -> None:
        """Paint what is the same at every step; the widget keeps a picture of it until `redraw`."""

    def paint_over(self, painter: QPainter) -> None:
        """Paint the rest."""

    def fit(self) -> None:
        """Compute anew what is painted, after the curve, the size or the font has changed."""

    def redraw(self) -> None:
        """Paint everything anew, after the curve, the size, the font or the colours have changed."""
        self.fit()
        self._picture = None
        self.update()

    def paint_export(self, painter: QPainter) -> None:
        """Paint everything for a picture."""
        self._begin(painter)
        message = self.message()
        if message is None:
            self.paint_still(painter)
            self.paint_over(painter)
            return
        painter.setPen(theme.muted(self.palette()))
        flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        painter.drawText(QRectF(self.rect()).adjusted(16, 16, -16, -16), flags, message)

    def _begin(self, painter: QPainter) -> None:
        painter.setFont(self.font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            if self.ground is not None:
                painter.fillRect(self.rect(), self.palette().color(self.ground))
            if self.message() is not None:
                self.paint_export(painter)
                return
            ratio = self.devicePixelRatioF()
            if self._picture is None or self._picture.devicePixelRatio() != ratio:
                self._picture = QPixmap((QSizeF(self.size()) * ratio).toSize())
                self._picture.setDevicePixelRatio(ratio)
                self._picture.fill(Qt.GlobalColor.transparent)
                with QPainter(self._picture) as still:
                    self._begin(still)
                    self.paint_still(still)
            painter.drawPixmap(0, 0, self._picture)
            self._begin(painter)
            self.paint_over(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    def font_changed(self) -> None:
        self.redraw()

    def palette_changed(self) -> None:
        self.redraw()
