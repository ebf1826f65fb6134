"""A widget whose curve is painted by a `CurvePlot` below it; where there is nothing to draw, it shows a sentence.

The widget handles the mouse, the keyboard, tooltips and the accessible description; the plot only paints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Slot
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook

if TYPE_CHECKING:
    from bpe_studio.gui.plots.curve_plot import CurvePlot


class CurveWidget(FollowsLook, QWidget):
    """The widget. A subclass makes the plot, and returns a message when there is nothing to draw.

    Attributes:
        ground: the background of a sentence; None for a transparent one.
    """

    ground: QPalette.ColorRole | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plot: CurvePlot | None = None
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.follow_look(fit_now=False)

    def make_plot(self) -> CurvePlot:
        """The plot, a child of this widget."""
        raise NotImplementedError

    def message(self) -> str | None:
        """The sentence instead of a curve, "" for an empty area; None where there is a curve."""
        raise NotImplementedError

    def fit(self) -> None:
        """Compute the positions again after the size or the font has changed."""

    @property
    def plot(self) -> CurvePlot | None:
        """The plot, once it is built."""
        return self._plot

    @Slot()
    def ensure_plot(self) -> None:
        """Build the plot now, if it is not built."""
        if self._plot is None:
            self._plot = self.make_plot()
            self._plot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._plot.lower()
            self._fit()
            self.update_plot()

    def update_plot(self) -> None:
        """Update what moves, and whether there is a curve."""
        has_curve = self.message() is None
        if self._plot is not None:
            self._plot.setVisible(has_curve)
            self._plot.over.update()
        if self._plot is None or not has_curve:
            # Only then: it would make the plot above it paint everything again.
            self.update()

    def redraw_plot(self) -> None:
        """Update after the curve has changed."""
        if self._plot is not None:
            self._plot.redraw()
        self.update_plot()

    def paint_export(self, painter: QPainter) -> None:
        """Paint everything for a picture."""
        self.ensure_plot()
        if self._plot is not None and self.message() is None:
            self._plot.paint_export(painter)
        else:
            self._paint_message(painter)

    def _fit(self) -> None:
        self.fit()
        if self._plot is not None:
            self._plot.resize(self.size())
            self._plot.redraw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.ensure_plot()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._plot is None or self.message() is not None:
            with QPainter(self) as painter:
                self._paint_message(painter)

    def _paint_message(self, painter: QPainter) -> None:
        palette, whole, message = self.palette(), QRectF(self.rect()), self.message()
        if self.ground is not None:
            painter.fillRect(whole, palette.color(self.ground))
        painter.setPen(theme.muted(palette))
        flags = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap)
        painter.drawText(whole.adjusted(16, 16, -16, -16), flags, message or "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update_plot()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update_plot()

    def font_changed(self) -> None:
        self._fit()
