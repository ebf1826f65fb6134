"""The picture of a token's life: the falling count as an area, its first and last value, and the step.

It imports pyqtgraph (`curve_plot.py`): import it late, as `token_life.py` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen

from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.curve_plot import CurvePlot, paint_dot, paint_hover_line, paint_step_line

if TYPE_CHECKING:
    from bpe_studio.gui.plots.token_life import TokenLifeCurve

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
_DOT_PX = 3.0


class LifePlot(CurvePlot):
    """The picture of what a `TokenLifeCurve` shows.

    Args:
        curve: the widget, which computes the positions.
    """

    def __init__(self, curve: TokenLifeCurve) -> None:
        super().__init__(curve)
        self._curve = curve
        self.area = self.add_area(0, {})
        self.add_curve(self.area).setFillLevel(0)
        self._words = self.add_kept_layer(self._paint_words)
        self.dress()

    def redraw(self) -> None:
        life, room = self._curve.life, self._curve.room
        if life is None:
            return
        self.area.layout.setContentsMargins(
            room.left(), room.top(), self.width() - room.right(), self.height() - room.bottom()
        )
        self.area.layout.activate()
        self.area.setXRange(room.left(), room.right(), padding=0)
        self.area.setYRange(0, max(1, int(life.counts[0])), padding=0)
        # The count only falls, so its value at each pixel column draws all of it.
        columns = np.append(np.arange(room.left(), room.right()), room.right())
        steps = [self._curve.step_at(x) for x in columns.tolist()]
        counts = life.counts[np.searchsorted(life.steps, steps, "right") - 1]
        self.curves[0].setData(np.repeat(columns, 2)[1:], np.repeat(counts, 2)[:-1])
        self._words.update()
        self.over.update()

    def dress(self) -> None:
        super().dress()
        muted = theme.muted(self.palette())
        self.setBackground(None)
        self.curves[0].setPen(pg.mkPen(muted, width=1.5))
        self.curves[0].setBrush(theme.with_alpha(muted, 0.22))
        self.redraw()

    def _first(self) -> str:
        life = self._curve.life
        return "" if life is None else f"{number(int(life.counts[0]))} when created"

    def _paint_words(self, painter: QPainter) -> None:
        curve, room, palette = self._curve, self._curve.room, self.palette()
        if curve.life is None:
            return
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        painter.setPen(theme.muted(palette))
        painter.drawText(QRectF(room.left(), 0, room.width(), room.top() - 2), _LEFT, self._first())
        low = QRectF(room.left(), room.bottom() + 2, room.width(), self.height() - room.bottom() - 2)
        painter.drawText(low, _LEFT, f"step {number(curve.birth)}")
        painter.drawText(low, _RIGHT, number(curve.n_merges))
        if curve.is_log:
            painter.drawText(low, _CENTRE, "log scale")

    def paint_over(self, painter: QPainter) -> None:
        curve, palette = self._curve, self.palette()
        if curve.life is None:
            return
        if curve.hovered is not None:
            x, count = curve.x_of(curve.hovered), curve.life.count_at(curve.hovered)
            y = curve.room.bottom() - count / max(1, int(curve.life.counts[0])) * curve.room.height()
            paint_hover_line(painter, palette, x, curve.room.top(), curve.room.bottom())
            paint_dot(painter, palette, QPointF(x, y), _DOT_PX, is_step=False)
        if curve.birth <= curve.step <= curve.n_merges:
            self._paint_step(painter)
        if curve.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.with_alpha(theme.accent(palette), 0.7), 1))
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_step(self, painter: QPainter) -> None:
        """The step's line, and the count there, on the side of the line that has room."""
        curve, room, palette, metrics = self._curve, self._curve.room, self.palette(), painter.fontMetrics()
        assert curve.life is not None
        x, count = curve.x_of(curve.step), curve.life.count_at(curve.step)
        y = room.bottom() - count / max(1, int(curve.life.counts[0])) * room.height()
        paint_step_line(painter, palette, x, room.top() - 2, room.bottom())
        painter.setBrush(theme.accent(palette))
        painter.drawEllipse(QPointF(x, y), _DOT_PX, _DOT_PX)
        text = f"{number(count)} at the step"
        width, taken = metrics.horizontalAdvance(text), metrics.horizontalAdvance(self._first())
        left = min(max(x - width / 2, room.left() + taken + 12), room.right() - width)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(QRectF(left, 0, width + 2, room.top() - 2), _LEFT, text)
