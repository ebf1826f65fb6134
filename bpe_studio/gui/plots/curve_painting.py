"""What curves have in common that is painted: lines, dots, ticks with their labels, and texts about a place.

It knows no widget; pictures that are exported are painted with the same functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
_SAMPLE_PX = 26
_MOST_OF_AREA = 0.4
_LONGEST_EM = 12


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


def paint_readout(
    painter: QPainter,
    palette: QPalette,
    room: QRectF,
    rows: Sequence[tuple[QPen | None, str]],
    *,
    is_at_foot: bool = False,
) -> None:
    """Texts in the upper right corner of an area, each after a piece of the curve that it is about.

    Args:
        painter: paints in pixels of the view.
        palette: of the widget.
        room: the area.
        rows: a curve's pen, or None, and a text. In a low area they are next to each other, and shortened.
        is_at_foot: whether they are in the lower left corner instead.
    """
    metrics = QFontMetricsF(painter.font())
    base = theme.with_alpha(palette.color(QPalette.ColorRole.Base), 0.88)
    is_low = len(rows) > 1 and len(rows) * metrics.height() > _MOST_OF_AREA * room.height()
    most = room.width() - 12
    if is_low:  # one line, as the curves need the height
        most = min(most / len(rows), _LONGEST_EM * metrics.height())
    items = []
    for pen, text in rows:
        side = 0 if pen is None else _SAMPLE_PX + 6
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(metrics.height(), most - side - 14))
        items.append((pen, text, side + metrics.horizontalAdvance(text)))
    across = sum(width + 14 for *_, width in items) if is_low else max((width for *_, width in items), default=0.0)
    height = metrics.height() * (1 if is_low else len(items))
    box = QRectF(room.right() - across - 10, room.top() + 2, across + 8, height)
    if is_at_foot:
        box.moveBottomLeft(room.bottomLeft() + QPointF(4, -2))
    painter.fillRect(box, base)
    x, top = box.left() + 4, box.top()
    for pen, text, width in items:
        paint_named_sample(painter, palette, QPointF(x, top), pen, text)
        x, top = (x + width + 14, top) if is_low else (x, top + metrics.height())


def paint_named_sample(painter: QPainter, palette: QPalette, place: QPointF, pen: QPen | None, text: str) -> None:
    """A text with its upper left corner at a place, after a piece of the curve that it is about, if any."""
    metrics, x = QFontMetricsF(painter.font()), place.x()
    if pen is not None:
        middle = place.y() + metrics.height() / 2
        painter.setPen(pen)
        painter.drawLine(QPointF(x, middle), QPointF(x + _SAMPLE_PX, middle))
        x += _SAMPLE_PX + 6
    painter.setPen(palette.color(QPalette.ColorRole.Text))
    painter.drawText(QPointF(x, place.y() + metrics.ascent()), text)


def paint_hover_line(painter: QPainter, palette: QPalette, x: float, top: float, bottom: float) -> None:
    """The line at the step under the mouse."""
    painter.setPen(QPen(theme.muted(palette), 1))
    x = round(x) + 0.5
    painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def paint_step_line(
    painter: QPainter, palette: QPalette, x: float, top: float, bottom: float, *, is_held: bool = False
) -> None:
    """The line of the step, in the accent."""
    painter.setPen(QPen(theme.accent(palette), 4 if is_held else 2))
    painter.drawLine(QPointF(x, top), QPointF(x, bottom))


def paint_dot(painter: QPainter, palette: QPalette, place: QPointF, radius: float = 4.0, *, is_step: bool) -> None:
    """A dot on a curve: in the accent colour for the step, else in the colour of text."""
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Base), 1.5))
    painter.setBrush(theme.accent(palette) if is_step else palette.color(QPalette.ColorRole.Text))
    painter.drawEllipse(place, radius, radius)
