"""Small coloured chips for pieces of text: tokens of a word in a table row, pre-tokens in the preview of the split.

A chip shows one piece on its own. To show a running text with its tokens in place, where letters join and scripts
mix, is the work of the token editor and of the comparison's text, not of chips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.names import upright
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.plain_tip import plain_tip

PADDING_PX = 5.0
GAP_PX = 3.0
MORE = "…"
_RADIUS_PX = 3.0
_FLAGS = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)
_WRAPPED = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWrapAnywhere)


@dataclass(frozen=True)
class Chip:
    """One piece.

    Attributes:
        text: what is painted.
        tip: what is said when the mouse rests on it.
        is_special: outlined instead of filled.
        is_lit: outlined beside being filled, as what is picked.
    """

    text: str
    tip: str = ""
    is_special: bool = False
    is_lit: bool = False


def lay_out(chips: Sequence[Chip], width: float, metrics: QFontMetricsF, is_rtl: bool = False) -> list[QRectF]:
    """Where each chip stands when they flow in lines of this width; a chip wider than a line is wrapped inside.

    Returns:
        One rectangle a chip, from the top left of the flow.
    """
    line = metrics.lineSpacing() + 4
    x, y = 0.0, 0.0
    rects = []
    for chip in chips:
        wanted = chip_width(chip, metrics)
        height = line
        if wanted > width:
            inner = QRectF(0, 0, max(1.0, width - 2 * PADDING_PX), 1e6)
            height = metrics.boundingRect(inner, _WRAPPED, chip.text).height() + 4
            wanted = width
        if x > 0 and x + wanted > width:
            x, y = 0.0, y + line + GAP_PX
        rects.append(QRectF(width - x - wanted if is_rtl else x, y, wanted, height))
        x += wanted + GAP_PX
        if height > line:
            x, y = 0.0, y + height + GAP_PX
    return rects


def chip_width(chip: Chip, metrics: QFontMetricsF) -> float:
    """The width of a chip on one line."""
    return metrics.horizontalAdvance(chip.text) + 2 * PADDING_PX


def paint_chips(painter: QPainter, chips: Sequence[Chip], rects: Sequence[QRectF], palette: QPalette) -> None:
    """Paint chips where `lay_out` put them: the k-th takes colour k mod 6."""
    colours = theme.token_colours(palette)
    text = theme.token_text_colour(palette)
    single = painter.fontMetrics().lineSpacing() * 1.5 + 4
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for k, (chip, rect) in enumerate(zip(chips, rects, strict=False)):
        if chip.is_special:
            painter.setPen(QPen(theme.muted(palette), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), _RADIUS_PX, _RADIUS_PX)
        else:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours[k % len(colours)])
            painter.drawRoundedRect(rect, _RADIUS_PX, _RADIUS_PX)
            if chip.is_lit:
                painter.setPen(QPen(text, 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), _RADIUS_PX, _RADIUS_PX)
        painter.setPen(palette.color(QPalette.ColorRole.Text) if chip.is_special else text)
        if rect.height() > single:
            painter.drawText(rect.adjusted(PADDING_PX, 0, -PADDING_PX, 0), _WRAPPED, chip.text)
        else:
            painter.drawText(rect, _FLAGS, upright(chip.text))
    painter.restore()


def paint_row(painter: QPainter, rect: QRect, chips: Sequence[Chip], palette: QPalette, is_rtl: bool = False) -> int:
    """Paint chips in one line, for a table's cell; those that do not fit end in an ellipsis.

    Returns:
        How many chips were painted.
    """
    metrics = QFontMetricsF(painter.font())
    height = min(float(rect.height()), metrics.lineSpacing() + 4)
    top = rect.top() + (rect.height() - height) / 2
    more = metrics.horizontalAdvance(MORE)
    widths = [chip_width(chip, metrics) for chip in chips]
    x, rects = 0.0, []
    for k, width in enumerate(widths):
        is_last = k + 1 == len(widths)
        if x + width > rect.width() - (0.0 if is_last else more + GAP_PX):
            break
        left = rect.right() + 1 - x - width if is_rtl else rect.left() + x
        rects.append(QRectF(left, top, width, height))
        x += width + GAP_PX
    paint_chips(painter, chips[: len(rects)], rects, palette)
    if len(rects) < len(chips):
        painter.save()
        painter.setPen(theme.muted(palette))
        left = rect.right() + 1 - x - more if is_rtl else rect.left() + x
        painter.drawText(QRectF(left, top, more + 1, height), _FLAGS, MORE)
        painter.restore()
    return len(rects)


class ChipFlow(QWidget):
    """Chips in as many lines as they need, in the direction of the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: tuple[Chip, ...] = ()
        self._is_rtl = False
        self._rects: list[QRectF] = []
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @property
    def chips(self) -> tuple[Chip, ...]:
        """What is shown."""
        return self._chips

    def set_chips(self, chips: Sequence[Chip], is_rtl: bool = False) -> None:
        """Show other chips."""
        self._chips, self._is_rtl = tuple(chips), is_rtl
        self.setAccessibleDescription(" | ".join(chip.text for chip in chips))
        self._lay_out()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        rects = lay_out(self._chips, width, QFontMetricsF(self.font()), self._is_rtl)
        return int(max((rect.bottom() for rect in rects), default=0)) + 1

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(60, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.heightForWidth(max(60, self.width())))

    def chip_at(self, place: QPoint) -> Chip | None:
        """The chip under a place of the widget."""
        for chip, rect in zip(self._chips, self._rects, strict=True):
            if rect.contains(place):
                return chip
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint_chips(painter, self._chips, self._rects, self.palette())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange):
            self._lay_out()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            chip = self.chip_at(event.pos())
            if chip is not None and chip.tip:
                QToolTip.showText(event.globalPos(), plain_tip(chip.tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _lay_out(self) -> None:
        self._rects = lay_out(self._chips, self.width(), QFontMetricsF(self.font()), self._is_rtl)
        self.updateGeometry()
        self.update()
