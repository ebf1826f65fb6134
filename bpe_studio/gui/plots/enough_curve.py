"""Two curves over the share of a text: the vocabulary in common with the run on all of it, and tokens per byte.

It shows what `explain/inspection/enough.py` measured, also as text for screen readers; the mouse or the arrow keys
choose the sample whose values are written above the curves.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bpe_studio.explain.wording import number, percent
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import label_rows, round_ticks
from bpe_studio.gui.plots.curve_painting import (
    CENTRE,
    GAP_PX,
    LEFT,
    RIGHT,
    paint_dot,
    paint_focus,
    paint_hover_line,
    paint_value_ticks,
)
from bpe_studio.gui.plots.curve_widget import CurveWidget

if TYPE_CHECKING:
    from bpe_studio.explain.inspection.enough import Enough, SampleRun

TITLES = ("Vocabulary in common", "Tokens per byte")
_CURVE_PX, _DOT_PX, _TICK_PX, _LEAST_TICKS = 1.6, 3.0, 40, 3
_HEADROOM = 0.08
"""The share of an area that stays free above and below its curve."""


def share_text(share: float) -> str:
    """A share in percent, without decimals where it needs none.

    >>> share_text(0.02), share_text(0.005)
    ('2 %', '0.5 %')
    """
    n_decimals = next((k for k in range(4) if abs(100 * share - round(100 * share, k)) < 1e-9), 4)
    return percent(share, n_decimals)


class EnoughCurve(CurveWidget):
    """The curves, one above the other, over a logarithmic axis of shares.

    Attributes:
        export_name: its name in the menu File > Export.
        found: what is shown; None for nothing.
        hovered: the number of the sample under the pointer; below 0 none.
    """

    export_name = "Enough text"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.found: Enough | None = None
        self.hovered = -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def message(self) -> str | None:
        return None if self.found is not None else ""

    def show_found(self, found: Enough | None) -> None:
        """Show what was measured, or nothing."""
        if found is not self.found:
            self.found, self.hovered = found, -1
            self.setAccessibleDescription("" if found is None else "; ".join(map(self.words, found.samples)))
            self.update()

    def export_size(self) -> QSize:
        """How large its picture is; empty where nothing is measured."""
        return QSize() if self.found is None else self.size()

    @property
    def samples(self) -> list[SampleRun]:
        """What is shown, by size."""
        return [] if self.found is None else self.found.samples

    @staticmethod
    def words(sample: SampleRun) -> str:
        """What a sample gives, in words."""
        values = f"{percent(sample.overlap, 0)} in common, {number(sample.tokens_per_byte, 4)} tokens per byte"
        return f"{share_text(sample.share)} of the text: {values}"

    # Where things are.

    @property
    def rooms(self) -> tuple[QRectF, QRectF]:
        """The rectangles of the two curves; above each is a line of text, below the second one the axis."""
        metrics = QFontMetricsF(self.font())
        line = metrics.height()
        left = metrics.horizontalAdvance("0.0000") + GAP_PX
        right = self.width() - metrics.horizontalAdvance("100 %") / 2 - 2
        height = max(16.0, (self.height() - 3 * line - 3 * GAP_PX) / 2)
        first = QRectF(left, line + 2, max(16.0, right - left), height)
        return first, first.translated(0, height + line + GAP_PX)

    @property
    def values(self) -> tuple[list[float], list[float]]:
        """The values of the two curves."""
        return [each.overlap for each in self.samples], [each.tokens_per_byte for each in self.samples]

    @property
    def spans(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The lowest and highest value of each of the two axes."""
        tokens = self.values[1]
        low, high = min(tokens, default=0.0), max(tokens, default=1.0)
        margin = _HEADROOM * (high - low or high or 1.0)
        return (0.0, 1.0), (max(0.0, low - margin), high + margin)

    @property
    def positions(self) -> list[float]:
        """The place of each sample on the axis of shares, from 0 to 1."""
        logs = [math.log(each.share) for each in self.samples]
        return [(each - logs[0]) / ((logs[-1] - logs[0]) or 1.0) for each in logs]

    def x_of(self, number: int) -> float:
        """The x of a sample."""
        room = self.rooms[0]
        return room.left() + self.positions[number] * room.width()

    # How it looks.

    def _place_of(self, which: int, sample: int) -> QPointF:
        return QPointF(self.x_of(sample), self._y_of(which, self.values[which][sample]))

    def _y_of(self, which: int, value: float) -> float:
        room, (low, high) = self.rooms[which], self.spans[which]
        return room.bottom() - (value - low) / (high - low) * room.height()

    def _ticks(self, which: int) -> list[tuple[float, str]]:
        n = max(_LEAST_TICKS, int(self.rooms[which].height() / _TICK_PX))
        ticks = round_ticks(*self.spans[which], n, is_whole=False)
        n_decimals = next((k for k in range(5) if all(abs(tick - round(tick, k)) < 1e-9 for tick in ticks)), 5)
        texts = [number(tick, n_decimals) if which else percent(tick, max(0, n_decimals - 2)) for tick in ticks]
        return [(self._y_of(which, tick), text) for tick, text in zip(ticks, texts, strict=True)]

    def paint_over(self, painter: QPainter) -> None:
        palette, n = self.palette(), len(self.samples)
        for which, room in enumerate(self.rooms):
            paint_value_ticks(painter, palette, room, self._ticks(which), QPalette.ColorRole.Mid)
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), _CURVE_PX))
            painter.drawPolyline(QPolygonF([self._place_of(which, k) for k in range(n)]))
            for k in range(n):
                paint_dot(painter, palette, self._place_of(which, k), _DOT_PX, is_step=False)
            self._paint_title(painter, which)
        self._paint_shares(painter)
        if self.hasFocus():
            paint_focus(painter, palette, QRectF(self.rect()))

    def _paint_title(self, painter: QPainter, which: int) -> None:
        """What a curve shows, above it, and its value at the sample under the pointer."""
        palette, metrics, room = self.palette(), QFontMetricsF(painter.font()), self.rooms[which]
        line = QRectF(room.left(), room.top() - metrics.height() - 2, room.width(), metrics.height())
        value = ""
        if 0 <= self.hovered < len(self.samples):
            found = self.values[which][self.hovered]
            value = number(found, 4) if which else percent(found, 0)
            value = f"{value} at {share_text(self.samples[self.hovered].share)}"
            paint_hover_line(painter, palette, self.x_of(self.hovered), room.top(), room.bottom())
            paint_dot(painter, palette, self._place_of(which, self.hovered), _DOT_PX + 1.5, is_step=False)
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.drawText(line, RIGHT, value)
        left = line.width() - metrics.horizontalAdvance(value) - 8
        painter.setPen(theme.muted(palette))
        painter.drawText(line, LEFT, metrics.elidedText(TITLES[which], Qt.TextElideMode.ElideRight, left))

    def _paint_shares(self, painter: QPainter) -> None:
        """The shares below the curves, as many as there is room for."""
        metrics, below = QFontMetricsF(painter.font()), self.rooms[1].bottom() + 3
        names = [share_text(each.share) for each in self.samples]
        widths = [metrics.horizontalAdvance(name) for name in names]
        edges = [(self.x_of(k) - width / 2, self.x_of(k) + width / 2) for k, width in enumerate(widths)]
        painter.setPen(theme.muted(self.palette()))
        for k, row in enumerate(label_rows(edges, 1, 4)):
            if row == 0:
                painter.drawText(QRectF(edges[k][0] - 2, below, widths[k] + 4, metrics.height()), CENTRE, names[k])

    # What the person does.

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        x = event.position().x()
        self.hover(min(range(len(self.samples)), key=lambda n: abs(self.x_of(n) - x), default=-1))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hover(-1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        n, key = len(self.samples), Qt.Key(event.key())
        if not n or key not in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            super().keyPressEvent(event)
        elif key is Qt.Key.Key_Right:
            self.hover(min(n - 1, self.hovered + 1))
        else:
            self.hover(max(0, (n if self.hovered < 0 else self.hovered) - 1))

    def hover(self, number: int) -> None:
        """Show the values of a sample; below 0 of none."""
        if number != self.hovered:
            self.hovered = number
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 140)
