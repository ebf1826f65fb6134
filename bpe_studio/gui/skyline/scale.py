"""The scale next to a row of the skyline, and the line of the step with its handle.

The scale has the size of the interface's font at any zoom; the line has the accent colour, as
everywhere.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPalette, QPen

from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme

MARGIN_PX = 8.0
TICK_PX = 4.0
_PAD_PX = 5.0
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignCenter)


def scale_font(font: QFont) -> QFont:
    """The font of its numbers."""
    size = font.pointSizeF()
    return theme.numeric_font(size * 0.85 if size > 0 else None)


def scale_width(font: QFont, most: int) -> float:
    """The width of the scale, for steps up to `most`."""
    widest = QFontMetricsF(scale_font(font)).horizontalAdvance(number(max(1000, most)))
    return widest + 2 * _PAD_PX + MARGIN_PX + TICK_PX


def tick_label(rank: int) -> str:
    """A rank as it is written next to the scale: 1, 10, 100, 1k, 10k."""
    for size, letter in ((1_000_000, "M"), (1000, "k")):
        if rank >= size:
            return f"{rank // size}{letter}"
    return str(rank)


def paint_scale(
    painter: QPainter,
    ticks: dict[int, float],
    left: float,
    right: float,
    line_y: float,
    palette: QPalette,
) -> None:
    """Paint ranks and a faint rule for each, the painter in the scale's font.

    Args:
        ticks: the ranks, and where each is.
        left: where the trees begin.
        right: where they end.
        line_y: the y of the step's line, next to which no label is painted.
    """
    room = 1.3 * painter.fontMetrics().height()
    for rank, y in ticks.items():
        painter.setPen(QPen(rule(palette), 1))
        painter.drawLine(QPointF(left, round(y)), QPointF(right, round(y)))
        if abs(y - line_y) > room:
            painter.setPen(theme.muted(palette))
            painter.drawText(
                QRectF(0, y - room, left - TICK_PX - 2, 2 * room), _RIGHT, tick_label(rank)
            )


def paint_line(
    painter: QPainter,
    step: int,
    y: float,
    left: float,
    right: float,
    palette: QPalette,
    *,
    is_held: bool,
) -> None:
    """Paint the line of the step and, as its handle, the step's number."""
    accent = theme.accent(palette)
    painter.setPen(QPen(accent, 2.5 if is_held else 1.5))
    painter.drawLine(QPointF(left - TICK_PX, y), QPointF(right, y))
    text = number(step)
    metrics = painter.fontMetrics()
    height = metrics.height() + 2.0
    width = max(metrics.horizontalAdvance(text) + 2 * _PAD_PX, 18.0)
    box = QRectF(left - TICK_PX - width, y - height / 2, width, height)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(accent)
    painter.drawRoundedRect(box, height / 3, height / 3)
    painter.setPen(
        QColor("#FFFFFF") if not theme.is_dark(palette) else palette.color(QPalette.ColorRole.Base)
    )
    painter.drawText(box, _CENTRE, text)


def rule(palette: QPalette) -> QColor:
    """The colour of the scale's rules."""
    return palette.color(QPalette.ColorRole.Midlight)
