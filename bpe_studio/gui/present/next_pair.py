"""The line at the bottom of a presentation: the merge that was just made, the next one, and the
step.
Each has a caption above it. Letters become smaller if the line has not enough room.
"""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import Chips, natural_width

CAPTION = 0.6
"""The size of the letters of a caption, relative to those below it."""
LINE = 1.25
"""The height of the lower line, in line heights of the font."""
LEAST_SHARE = 0.5
"""The least size of the letters, relative to their usual one."""
_ONE_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class Said(NamedTuple):
    """Words and tokens below a caption, which may be empty."""

    caption: str
    parts: tuple[str | Chips, ...]

    @property
    def text(self) -> str:
        texts = [self.caption]
        for part in self.parts:
            if isinstance(part, Chips):
                texts.append(part.text)
            else:
                texts.append(part)
        return " ".join(filter(None, texts))


class NextPair(QWidget):
    """One or two things of equal width next to each other, and the step at the far end."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("present.next")
        self.setAccessibleName("The merge that was just made, and the next one")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._said: tuple[Said, ...] = ()
        self._step = ""
        self._is_rtl = False
        self._pair_rect = QRectF()

    @property
    def text(self) -> str:
        """The line as text."""
        return ". ".join(each.text for each in self._said)

    def pair_rect(self, _pair: tuple[int, int]) -> QRectF:
        """The rectangle of the next pair."""
        return self._pair_rect

    def show_said(self, *said: Said, step: str, is_rtl: bool) -> None:
        """Show one or two things, of which the last is the next pair, and the step.

        Args:
            said: the things.
            step: the step, in words.
            is_rtl: whether the line runs from right to left.
        """
        if (said, step, is_rtl) != (self._said, self._step, self._is_rtl):
            self._said = said
            self._step = step
            self._is_rtl = is_rtl
            self.setAccessibleDescription(f"{self.text}. {step}")
            self.update()

    def fit(self) -> None:
        """Take the height that the font needs."""
        self.setFixedHeight(round((CAPTION + LINE) * self.fontMetrics().height()))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        small = QFont(self.font())
        small.setPointSizeF(CAPTION * small.pointSizeF())
        upper_px = CAPTION * QFontMetricsF(self.font()).height()
        room = self.width() / max(1, len(self._said))
        self._pair_rect = QRectF()
        with QPainter(self) as painter:
            if self._is_rtl:
                painter.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
            painter.setFont(small)
            painter.setPen(theme.muted(palette))
            self._write(painter, QRectF(0, 0, self.width(), upper_px), self._step, is_at_end=True)
            for place, each in enumerate(self._said):
                painter.setFont(small)
                painter.setPen(theme.muted(palette))
                self._write(painter, QRectF(place * room, 0, room, upper_px), each.caption)
                lower = QRectF(place * room, upper_px, room, self.height() - upper_px)
                self._pair_rect = self._paint_parts(painter, each.parts, lower)

    def _paint_parts(
        self, painter: QPainter, parts: tuple[str | Chips, ...], room: QRectF
    ) -> QRectF:
        """Paint words and tokens in a room, and return where the first tokens are."""
        font = QFont(self.font())
        metrics = QFontMetricsF(font)
        needed = metrics.averageCharWidth() * len(parts)
        for part in parts:
            needed += _width(part, metrics)
        if needed > room.width() > 0:
            font.setPointSizeF(font.pointSizeF() * max(LEAST_SHARE, 0.98 * room.width() / needed))
            metrics = QFontMetricsF(font)
        painter.setFont(font)
        palette = self.palette()
        left = room.left()
        first = QRectF()
        for part in parts:
            width = max(0.0, min(_width(part, metrics), room.right() - left))
            cell = QRectF(left, room.top(), width, room.height())
            if isinstance(part, Chips):
                # Right-to-left tokens begin at the right edge of the cell, so it is no wider.
                cell = self._mirrored(cell)
                part.paint(painter, cell.toRect(), palette)
                first = cell if first.isEmpty() else first
            else:
                painter.setPen(palette.color(palette.ColorRole.WindowText))
                self._write(
                    painter, cell, metrics.elidedText(part, Qt.TextElideMode.ElideRight, width + 1)
                )
            left += width + metrics.averageCharWidth()
        return first

    def _write(
        self, painter: QPainter, room: QRectF, text: str, *, is_at_end: bool = False
    ) -> None:
        is_right = is_at_end != self._is_rtl
        side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        painter.drawText(
            self._mirrored(room), int(side | Qt.AlignmentFlag.AlignAbsolute | _ONE_LINE), text
        )

    def _mirrored(self, room: QRectF) -> QRectF:
        """A part of the line at its place in the direction of the line."""
        if not self._is_rtl:
            return room
        return QRectF(self.width() - room.right(), room.top(), room.width(), room.height())


def _width(part: str | Chips, metrics: QFontMetricsF) -> float:
    if isinstance(part, Chips):
        return natural_width(part.names, metrics)
    return metrics.horizontalAdvance(part)
