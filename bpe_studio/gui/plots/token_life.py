"""A token's life as a curve: how often it stands in the corpus at every step, from its birth to the run's end.

The step is the accent's line, with the count there. The counts begin at 0; the steps are spread evenly, or, where a
token loses most of its places at once, by their logarithm from its birth on, which the axis then says. A press or a
drag goes to a step; left and right go to the step at which the count changes next. It is given the life; it counts
nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tables.view import with_alpha
from bpe_studio.gui.widgets.labels import SMALLER

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.token_life import TokenLife

CURVE_PX = 72
EARLY = 0.12
"""A token that has lost half of what it ever loses within this share of its life is drawn on a logarithmic axis."""
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_CENTRE = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)


class TokenLifeCurve(QWidget):
    """The curve, its two ends in numbers, and the step in it.

    Signals:
        step_chosen: int, the step that the person points at.
    """

    step_chosen = Signal(object)

    export_name = "Life of the token"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._life: TokenLife | None = None
        self._n_merges = 0
        self._step = 0
        self._is_log = False
        self._outline = QPolygonF()
        self._line = QPolygonF()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolTip("Press or drag to go to a step; left and right go to where the count changes")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._fit_to_font()

    def show_life(self, life: TokenLife | None, n_merges: int) -> None:
        """Show another token's life, up to a step."""
        self._life, self._n_merges = life, n_merges
        self._is_log = life is not None and _falls_early(life, n_merges)
        self._measure()
        self._speak()
        self.update()

    def set_step(self, step: int) -> None:
        """Set where the step is."""
        if step != self._step:
            self._step = step
            self._speak()
            self.update()

    def export_size(self) -> QSize:
        """How large its picture is; empty where it shows no life."""
        return self.size() if self._life is not None else QSize()

    @property
    def is_log(self) -> bool:
        """Whether steps are spread by their logarithm."""
        return self._is_log

    @property
    def birth(self) -> int:
        """The step from which on the token is there."""
        return int(self._life.steps[0]) if self._life is not None else 0

    def x_of(self, step: float) -> float:
        """Where a step stands."""
        room, life = self._room(), max(1, self._n_merges - self.birth)
        age = min(max(0.0, step - self.birth), life)
        share = math.log1p(age) / math.log1p(life) if self._is_log else age / life
        return room.left() + share * room.width()

    def step_at(self, x: float) -> int:
        """The step that stands at a place."""
        room, life = self._room(), max(1, self._n_merges - self.birth)
        share = min(max(0.0, (x - room.left()) / max(1.0, room.width())), 1.0)
        age = math.expm1(share * math.log1p(life)) if self._is_log else share * life
        return min(self.birth + round(age), self._n_merges)

    def _room(self) -> QRectF:
        """Where the curve is."""
        line = QFontMetricsF(self.font()).height()
        return QRectF(self.rect()).adjusted(1, line + 2, -1, -line - 4)

    def _measure(self) -> None:
        """Make the outline: the count only falls, so its value at each pixel column draws all of it."""
        self._outline = self._line = QPolygonF()
        life = self._life
        if life is None:
            return
        room = self._room()
        highest = max(1, int(life.counts[0]))
        points = [QPointF(room.left(), room.bottom())]
        before = None
        for x in range(int(room.left()), int(room.right()) + 1):
            count = life.count_at(self.step_at(x))
            y = room.bottom() - count / highest * room.height()
            if before is not None and y != before:
                points.append(QPointF(x, before))
            points.append(QPointF(x, y))
            before = y
        points += [QPointF(room.right(), points[-1].y()), room.bottomRight()]
        self._outline, self._line = QPolygonF(points), QPolygonF(points[1:-1])

    def paintEvent(self, event: QPaintEvent) -> None:
        life = self._life
        if life is None:
            return
        palette, room = self.palette(), self._room()
        number = grouping_locale().toString
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            muted = theme.muted(palette)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(with_alpha(muted, 0.22))
            painter.drawPolygon(self._outline)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(muted, 1.5))
            painter.drawPolyline(self._line)
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
            painter.drawLine(room.bottomLeft(), room.bottomRight())
            self._paint_axis(painter, room)
            is_born = self.birth <= self._step
            top = QRectF(room.left(), 0, room.width(), room.top() - 2)
            painter.setPen(muted)
            first = f"{number(int(life.counts[0]))} at birth"
            painter.drawText(top, _LEFT, first)
            if is_born and self._step <= self._n_merges:
                self._paint_step(painter, room, top, painter.fontMetrics().horizontalAdvance(first))
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(with_alpha(theme.accent(palette), 0.7), 1))
                painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))

    def _paint_axis(self, painter: QPainter, room: QRectF) -> None:
        number = grouping_locale().toString
        low = QRectF(room.left(), room.bottom() + 2, room.width(), self.height() - room.bottom() - 2)
        painter.setPen(theme.muted(self.palette()))
        painter.drawText(low, _LEFT, f"step {number(self.birth)}")
        painter.drawText(low, _RIGHT, number(self._n_merges))
        if self._is_log:
            painter.drawText(low, _CENTRE, "log scale")

    def _paint_step(self, painter: QPainter, room: QRectF, top: QRectF, taken: float) -> None:
        """The step's line, and the count there, right or left of the line as there is room."""
        assert self._life is not None
        accent = theme.accent(self.palette())
        x, count = self.x_of(self._step), self._life.count_at(self._step)
        y = room.bottom() - count / max(1, int(self._life.counts[0])) * room.height()
        painter.setPen(QPen(accent, 2))
        painter.drawLine(QPointF(x, room.top() - 2), QPointF(x, room.bottom()))
        painter.setBrush(accent)
        painter.drawEllipse(QPointF(x, y), 3.0, 3.0)
        text = f"{grouping_locale().toString(count)} at the step"
        width = painter.fontMetrics().horizontalAdvance(text)
        left = min(max(x - width / 2, room.left() + taken + 12), room.right() - width)
        font = QFont(painter.font())
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        painter.setFont(font)
        painter.drawText(QRectF(left, top.top(), width + 2, top.height()), _LEFT, text)

    # What the person does.

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

    def event(self, event: QEvent) -> bool:
        # The tip follows the mouse, and is told there.
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
        """What is told of a step."""
        number = grouping_locale().toString
        count = self._life.count_at(step) if self._life is not None else 0
        return f"At step {number(step)} it stands {number(count)} time{'s' * (count != 1)} in the corpus"

    def _speak(self) -> None:
        if self._life is not None:
            number, end = grouping_locale().toString, int(self._life.counts[-1])
            first = f"{number(int(self._life.counts[0]))} times at its birth, step {number(self.birth)}"
            last = f"{number(end)} at step {number(self._n_merges)}"
            self.setAccessibleDescription(f"{first}; {last}. {self.tip(self._step)}")

    def _fit_to_font(self) -> None:
        font = QFont(self.parentWidget().font() if self.parentWidget() is not None else self.font())
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * SMALLER)
            if font != self.font():
                self.setFont(font)
        self.setFixedHeight(CURVE_PX + int(2 * QFontMetricsF(self.font()).height()) + 6)

    def sizeHint(self) -> QSize:
        return QSize(240, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._fit_to_font()
            self._measure()


def _falls_early(life: TokenLife, n_merges: int) -> bool:
    """Whether half of all that the token loses is lost in the first moments of its life."""
    first, last = int(life.counts[0]), int(life.counts[-1])
    if first == last or n_merges - int(life.steps[0]) < 20:
        return False
    half = int((life.counts <= (first + last) / 2).argmax())
    return int(life.steps[half] - life.steps[0]) < EARLY * (n_merges - int(life.steps[0]))
