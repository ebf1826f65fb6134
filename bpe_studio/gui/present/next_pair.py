"""The line at the bottom of a presentation: the pair that is merged next, its token and its count, and the step.

Its letters are smaller where there is no room for all of it.
"""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import Chips, natural_width

_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
LINE = 2.0
"""Its height, in heights of a letter."""
LEAST_SHARE = 0.5
"""How small the letters become."""


class NextPair(QWidget):
    """One line in the font of the widget: words and tokens from the left, the step at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("present.next")
        self.setAccessibleName("Next pair")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._parts: tuple[str | Chips, ...] = ()
        self._step = ""
        self._pair_rect = QRectF()

    @property
    def text(self) -> str:
        """The line as text."""
        return " ".join(part if isinstance(part, str) else part.text for part in self._parts)

    def pair_rect(self, _pair: tuple[int, int]) -> QRectF:
        """Where the pair is."""
        return self._pair_rect

    def show_parts(self, *parts: str | Chips, step: str) -> None:
        """Show words and tokens, and the step."""
        if (parts, step) != (self._parts, self._step):
            self._parts, self._step = parts, step
            self.setAccessibleDescription(f"{self.text}. {step}")
            self.update()

    def fit(self) -> None:
        """Take the height that the font needs."""
        self.setFixedHeight(round(LINE * self.fontMetrics().height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, font, room = self.palette(), QFont(self.font()), QRectF(self.rect())
        needed = sum(_width(part, QFontMetricsF(font)) for part in self._parts)
        needed += QFontMetricsF(font).averageCharWidth() * len(self._parts)
        if needed > room.width() > 0:
            font.setPointSizeF(font.pointSizeF() * max(LEAST_SHARE, 0.98 * room.width() / needed))
        metrics = QFontMetricsF(font)
        space = metrics.averageCharWidth()
        self._pair_rect = QRectF()
        with QPainter(self) as painter:
            painter.setFont(font)
            widths = [_width(part, metrics) for part in self._parts]
            step_px = metrics.horizontalAdvance(self._step) + 2 * space
            if sum(widths) + space * len(widths) + step_px <= room.width():  # the pair needs the room more
                painter.setPen(theme.muted(palette))
                painter.drawText(room, _RIGHT, self._step)
                room.setRight(room.right() - step_px)
            for part, width in zip(self._parts, widths, strict=True):
                taken = min(width, room.width())
                if isinstance(part, Chips):
                    # Those that run from right to left begin at the right edge of the cell, so it is no wider.
                    cell = QRectF(room.topLeft(), QSizeF(taken, room.height()))
                    part.paint(painter, cell.toRect(), palette)
                    self._pair_rect = cell if self._pair_rect.isEmpty() else self._pair_rect
                else:
                    painter.setPen(palette.color(palette.ColorRole.WindowText))
                    painter.drawText(room, _LEFT, metrics.elidedText(part, Qt.TextElideMode.ElideRight, room.width()))
                room.setLeft(min(room.right(), room.left() + taken + space))


def _width(part: str | Chips, metrics: QFontMetricsF) -> float:
    return metrics.horizontalAdvance(part) if isinstance(part, str) else natural_width(part.names, metrics)
