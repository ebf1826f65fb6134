"""What curves have in common that is painted: lines, dots, ticks with their labels, and texts about a place.

It knows no widget; pictures that are exported are painted with the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPalette, QPen, QPolygonF

from bpe_studio.gui.look import theme

if TYPE_CHECKING:
    from bpe_studio.gui.plots.axes import FloatArray

CURVE_PX = 2
GAP_PX = 6.0
"""The gap between an area and the labels of its ticks."""
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
CENTRE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)


def line_of(x: FloatArray, y: FloatArray) -> QPolygonF:
    """The points of a curve in pixels, to be painted by `drawPolyline`."""
    return QPolygonF(list(map(QPointF, x.tolist(), y.tolist())))


def paint_value_ticks(
    painter: QPainter, palette: QPalette, room: QRectF, ticks: Iterable[tuple[float, str]], line: QPalette.ColorRole
) -> None:
    """A line across an area for each tick, given by its y and its label, which is at the left of the area."""
    height = QFontMetricsF(painter.font()).height()
    for place, text in ticks:
        y = round(place) + 0.5
        painter.setPen(QPen(palette.color(line), 1))
        painter.drawLine(QPointF(room.left(), y), QPointF(room.right(), y))
        painter.setPen(theme.muted(palette))
        painter.drawText(QRectF(0, y - height / 2, room.left() - GAP_PX, height), RIGHT, text)


def paint_focus(painter: QPainter, palette: QPalette, whole: QRectF) -> None:
    """The frame of a curve that has the keyboard."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.with_alpha(theme.accent(palette), 0.7), 1))
    painter.drawRect(whole.adjusted(0.5, 0.5, -0.5, -0.5))


def paint_readout(painter: QPainter, palette: QPalette, room: QRectF, text: str) -> None:
    """A text in the upper right corner of an area."""
    metrics = QFontMetricsF(painter.font())
    width = metrics.horizontalAdvance(text)
    box = QRectF(room.right() - width - 10, room.top() + 2, width + 8, metrics.height())
    painter.fillRect(box, theme.with_alpha(palette.color(QPalette.ColorRole.Base), 0.88))
    painter.setPen(palette.color(QPalette.ColorRole.Text))
    painter.drawText(box, CENTRE, text)


def paint_hover_line(painter: QPainter, palette: QPalette, x: float, top: float, bottom: float) -> None:
    """The line at the step under the mouse."""
    painter.setPen(QPen(theme.muted(palette), 1))
    x = round(x) + 0.5
    painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def paint_step_line(painter: QPainter, palette: QPalette, x: float, top: float, bottom: float) -> None:
    """The line of the step, in the accent."""
    painter.setPen(QPen(theme.accent(palette), 2))
    painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def paint_dot(painter: QPainter, palette: QPalette, place: QPointF, radius: float = 4.0, *, is_step: bool) -> None:
    """A dot on a curve: in the accent colour for the step, else in the colour of text."""
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Base), 1.5))
    painter.setBrush(theme.accent(palette) if is_step else palette.color(QPalette.ColorRole.Text))
    painter.drawEllipse(place, radius, radius)
