"""A token's life as a curve: how often it occurs in the corpus at every step, from its creation to the run's end.

A line in the accent colour shows the step and the count there. The axis of counts begins at 0; the axis of steps is
linear, or, for a token that loses most of its occurrences soon, logarithmic from its creation on, which its label then
says. A click or a drag goes to a step; the keys left and right go to the next change of the count. It is given the life
and counts nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.wording import number, times
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.gui.plots.curve_painting import (
    CENTRE,
    LEFT,
    RIGHT,
    line_of,
    paint_dot,
    paint_focus,
    paint_hover_line,
    paint_step_line,
)
from bpe_studio.gui.plots.curve_widget import CurveWidget
from bpe_studio.gui.widgets.labels import SMALLER

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.token_life import TokenLife

CURVE_PX = 72
_DOT_PX = 3.0
EARLY = 0.12
"""A token that loses half of its losses within this share of its life is drawn on a logarithmic axis."""


class TokenLifeCurve(CurveWidget):
    """The curve, its first and last value, and the step.

    Attributes:
        life: the life that is shown.
        n_merges: the step at which the curve ends.
        step: the step of the window.
        hovered: the step under the mouse, or None.
        is_log: whether the axis of steps is logarithmic.

    Signals:
        step_chosen: int, the step that the user clicks.
    """

    step_chosen = Signal(object)

    export_name = "Life of the token"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.life: TokenLife | None = None
        self.n_merges = 0
        self.step = 0
        self.is_log = False
        self.hovered: int | None = None
        self._line = QPolygonF()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip("Press or drag to go to a step; left and right go to where the count changes")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._fit_to_font()

    def message(self) -> str | None:
        return None if self.life is not None else ""

    def show_life(self, life: TokenLife | None, n_merges: int) -> None:
        """Show the life of a token, up to a step."""
        self.life, self.n_merges, self.hovered = life, n_merges, None
        self.is_log = life is not None and _falls_early(life, n_merges)
        self._speak()
        self.redraw()

    def set_step(self, step: int) -> None:
        """Set the step."""
        if step != self.step:
            self.step = step
            self._speak()
            self.update()

    def export_size(self) -> QSize:
        """How large its picture is; empty where it shows no life."""
        return self.size() if self.life is not None else QSize()

    @property
    def birth(self) -> int:
        """The step at which the token is created."""
        return int(self.life.steps[0]) if self.life is not None else 0

    @property
    def room(self) -> QRectF:
        """The rectangle of the curve."""
        line = QFontMetricsF(self.font()).height()
        return QRectF(self.rect()).adjusted(1, line + 2, -1, -line - 4)

    @property
    def _ages(self) -> StepScale:
        """The positions of the steps since the token's creation."""
        room = self.room
        return StepScale(max(1, self.n_merges - self.birth), self.is_log, 1, room.left(), room.right())

    def x_of(self, step: float) -> float:
        """The x of a step."""
        return self._ages.x(step - self.birth)

    def step_at(self, x: float) -> int:
        """The step at an x."""
        return min(self.birth + self._ages.step(x), self.n_merges)

    # How it looks.

    def _y_of(self, count: float) -> float:
        assert self.life is not None
        return self.room.bottom() - count / max(1, int(self.life.counts[0])) * self.room.height()

    def fit(self) -> None:
        life, room = self.life, self.room
        if life is None:
            return
        # The count only falls, so its value at each pixel column draws all of it.
        columns = np.append(np.arange(room.left(), room.right()), room.right())
        steps = [self.step_at(x) for x in columns.tolist()]
        counts = life.counts[np.searchsorted(life.steps, steps, "right") - 1]
        tops = room.bottom() - counts * (room.height() / max(1, int(life.counts[0])))
        self._line = line_of(np.repeat(columns, 2)[1:], np.repeat(tops, 2)[:-1])

    def paint_still(self, painter: QPainter) -> None:
        life, room, palette, line = self.life, self.room, self.palette(), self._line
        assert life is not None
        muted = theme.muted(palette)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.with_alpha(muted, 0.22))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawPolygon(QPolygonF([room.bottomLeft(), *line.toList(), room.bottomRight()]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(muted, 1.5))
        painter.drawPolyline(line)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        painter.setPen(muted)
        painter.drawText(QRectF(room.left(), 0, room.width(), room.top() - 2), LEFT, self._first())
        low = QRectF(room.left(), room.bottom() + 2, room.width(), self.height() - room.bottom() - 2)
        painter.drawText(low, LEFT, f"step {number(self.birth)}")
        painter.drawText(low, RIGHT, number(self.n_merges))
        if self.is_log:
            painter.drawText(low, CENTRE, "log scale")

    def _first(self) -> str:
        return "" if self.life is None else f"{number(int(self.life.counts[0]))} when created"

    def paint_over(self, painter: QPainter) -> None:
        life, room, palette = self.life, self.room, self.palette()
        assert life is not None
        if self.hovered is not None:
            place = QPointF(self.x_of(self.hovered), self._y_of(life.count_at(self.hovered)))
            paint_hover_line(painter, palette, place.x(), room.top(), room.bottom())
            paint_dot(painter, palette, place, _DOT_PX, is_step=False)
        if self.birth <= self.step <= self.n_merges:
            self._paint_step(painter, life.count_at(self.step), painter.fontMetrics().horizontalAdvance(self._first()))
        if self.hasFocus():
            paint_focus(painter, palette, QRectF(self.rect()))

    def _paint_step(self, painter: QPainter, count: int, taken: int) -> None:
        """The step's line, and the count there, on the side of the line that has room."""
        room, palette, x = self.room, self.palette(), self.x_of(self.step)
        paint_step_line(painter, palette, x, room.top() - 2, room.bottom())
        painter.setBrush(theme.accent(palette))
        painter.drawEllipse(QPointF(x, self._y_of(count)), _DOT_PX, _DOT_PX)
        text = f"{number(count)} at the step"
        width = painter.fontMetrics().horizontalAdvance(text)
        left = min(max(x - width / 2, room.left() + taken + 12), room.right() - width)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(QRectF(left, 0, width + 2, room.top() - 2), LEFT, text)

    # User actions.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.life is not None:
            self.step_chosen.emit(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.life is None:
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
        if step != self.hovered:
            self.hovered = step
            self.update()

    def event(self, event: QEvent) -> bool:
        # The tooltip follows the mouse; it is shown in the move event.
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        life = self.life
        if life is None or key not in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
            super().keyPressEvent(event)
            return
        if key is Qt.Key.Key_Home:
            self.step_chosen.emit(self.birth)
        elif key is Qt.Key.Key_End:
            self.step_chosen.emit(self.n_merges)
        elif key is Qt.Key.Key_Right:
            place = int(life.steps.searchsorted(self.step, "right"))
            self.step_chosen.emit(int(life.steps[place]) if place < len(life.steps) else self.n_merges)
        else:
            place = int(life.steps.searchsorted(self.step, "left")) - 1
            self.step_chosen.emit(int(life.steps[max(0, place)]))

    def tip(self, step: int) -> str:
        """The tooltip at a step."""
        number = grouping_locale().toString
        count = self.life.count_at(step) if self.life is not None else 0
        return f"At step {number(step)} it occurs {times(count)} in the corpus"

    def _speak(self) -> None:
        if self.life is not None:
            number, end = grouping_locale().toString, int(self.life.counts[-1])
            first = f"{times(int(self.life.counts[0]))} when created, at step {number(self.birth)}"
            last = f"{number(end)} at step {number(self.n_merges)}"
            self.setAccessibleDescription(f"{first}; {last}. {self.tip(self.step)}")

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
