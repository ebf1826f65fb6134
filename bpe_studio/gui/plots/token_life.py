"""A token's life as a curve: how often it occurs in the corpus at every step, from its creation to the run's end.

A line in the accent colour shows the step and the count there. The axis of counts begins at 0; the axis of steps is
linear, or, for a token that loses most of its occurrences soon, logarithmic from its creation on, which its label then
says. A click or a drag goes to a step; the keys left and right go to the next change of the count. It is given the life
and counts nothing. The picture is a `LifePlot` below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.wording import number, times
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.gui.plots.curve_plot import CurvePlot, paint_dot, paint_hover_line, paint_step_line
from bpe_studio.gui.plots.curve_widget import CurveWidget
from bpe_studio.gui.widgets.labels import SMALLER

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.token_life import TokenLife
    from bpe_studio.gui.plots.curve_plot import CurvePlot

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
        self.apply_look()

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

    def apply_look(self) -> None:
        super().apply_look()
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


CURVE_PX = 72
EARLY = 0.12
"""A token that loses half of its losses within this share of its life is drawn on a logarithmic axis."""


class TokenLifeCurve(CurveWidget):
    """The curve, its first and last value, and the step.

    Signals:
        step_chosen: int, the step that the user clicks.
    """

    step_chosen = Signal(object)

    export_name = "Life of the token"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._life: TokenLife | None = None
        self._n_merges = 0
        self._step = 0
        self._is_log = False
        self._hovered: int | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip("Press or drag to go to a step; left and right go to where the count changes")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._fit_to_font()

    def make_plot(self) -> CurvePlot:
        return LifePlot(self)

    def message(self) -> str | None:
        return None if self._life is not None else ""

    def show_life(self, life: TokenLife | None, n_merges: int) -> None:
        """Show the life of a token, up to a step."""
        self._life, self._n_merges, self._hovered = life, n_merges, None
        self._is_log = life is not None and _falls_early(life, n_merges)
        self._speak()
        self.redraw_plot()

    def set_step(self, step: int) -> None:
        """Set the step."""
        if step != self._step:
            self._step = step
            self._speak()
            self.update_plot()

    def export_size(self) -> QSize:
        """How large its picture is; empty where it shows no life."""
        return self.size() if self._life is not None else QSize()

    @property
    def life(self) -> TokenLife | None:
        """The life that is shown."""
        return self._life

    @property
    def n_merges(self) -> int:
        """The step at which the curve ends."""
        return self._n_merges

    @property
    def step(self) -> int:
        """The step of the window."""
        return self._step

    @property
    def hovered(self) -> int | None:
        """The step under the mouse, or None."""
        return self._hovered

    @property
    def is_log(self) -> bool:
        """Whether the axis of steps is logarithmic."""
        return self._is_log

    @property
    def birth(self) -> int:
        """The step at which the token is created."""
        return int(self._life.steps[0]) if self._life is not None else 0

    @property
    def room(self) -> QRectF:
        """The rectangle of the curve."""
        line = QFontMetricsF(self.font()).height()
        return QRectF(self.rect()).adjusted(1, line + 2, -1, -line - 4)

    @property
    def _ages(self) -> StepScale:
        """The positions of the steps since the token's creation."""
        room = self.room
        return StepScale(max(1, self._n_merges - self.birth), self._is_log, 1, room.left(), room.right())

    def x_of(self, step: float) -> float:
        """The x of a step."""
        return self._ages.x(step - self.birth)

    def step_at(self, x: float) -> int:
        """The step at an x."""
        return min(self.birth + self._ages.step(x), self._n_merges)

    # User actions.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._life is not None:
            self.step_chosen.emit(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._life is None:
            return
        step = self.step_at(event.position().x())
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.step_chosen.emit(step)
        QToolTip.showText(event.globalPosition().toPoint(), self.tip(step), self)
        self._hover(step)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, step: int | None) -> None:
        if step != self._hovered:
            self._hovered = step
            self.update_plot()

    def event(self, event: QEvent) -> bool:
        # The tooltip follows the mouse; it is shown in the move event.
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        life = self._life
        if life is None or key not in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
            return
        if key is Qt.Key.Key_Home:
            self.step_chosen.emit(self.birth)
        elif key is Qt.Key.Key_End:
            self.step_chosen.emit(self._n_merges)
        elif key is Qt.Key.Key_Right:
            place = int(life.steps.searchsorted(self._step, "right"))
            self.step_chosen.emit(int(life.steps[place]) if place < len(life.steps) else self._n_merges)
        else:
            place = int(life.steps.searchsorted(self._step, "left")) - 1
            self.step_chosen.emit(int(life.steps[max(0, place)]))

    def tip(self, step: int) -> str:
        """The tooltip at a step."""
        number = grouping_locale().toString
        count = self._life.count_at(step) if self._life is not None else 0
        return f"At step {number(step)} it occurs {times(count)} in the corpus"

    def _speak(self) -> None:
        if self._life is not None:
            number, end = grouping_locale().toString, int(self._life.counts[-1])
            first = f"{times(int(self._life.counts[0]))} when created, at step {number(self.birth)}"
            last = f"{number(end)} at step {number(self._n_merges)}"
            self.setAccessibleDescription(f"{first}; {last}. {self.tip(self._step)}")

    def _fit_to_font(self) -> None:
        parent = self.parentWidget()
        font = QFont(self.font() if parent is None else parent.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * SMALLER)
            if font != self.font():
                self.setFont(font)
        self.setFixedHeight(CURVE_PX + int(2 * QFontMetricsF(self.font()).height()) + 6)

    def sizeHint(self) -> QSize:
        return QSize(240, self.minimumHeight())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        # Not `font_changed`, which fits the plot to the widget's own font: that font is set here.
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._fit_to_font()


def _falls_early(life: TokenLife, n_merges: int) -> bool:
    """Whether the token loses half of its losses in the first part of its life."""
    first, last = int(life.counts[0]), int(life.counts[-1])
    if first == last or n_merges - int(life.steps[0]) < 20:
        return False
    half = int((life.counts <= (first + last) / 2).argmax())
    return int(life.steps[half] - life.steps[0]) < EARLY * (n_merges - int(life.steps[0]))
