"""Chips in lines that wrap: the layout, the base class of widgets that use it, and the pieces of a text.

Chips that select tokens are in `links`; the tokens of one word in one line are in `chips`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent, QPalette, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.names import isolated
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.tokens.chips import CENTRED, RADIUS_PX
from bpe_studio.gui.tokens.colours import colour_number

FLOW_PAD_PX, FLOW_GAP_PX = 5.0, 3.0
"""The padding at either side of a chip's text, and the gap between chips."""
_WRAPPED = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWrapAnywhere)


class Box(NamedTuple):
    """The size of an item of a flow, and the gap between it and the next one in its line, in pixels."""

    width: float
    height: float
    gap: float


def flow(boxes: Sequence[Box], width: float, line_gap: float, *, is_rtl: bool = False) -> list[QRectF]:
    """Lay out boxes in lines.

    Args:
        boxes: the boxes; one that is wider than a line is made as wide as it.
        width: the width of a line, in pixels.
        line_gap: the gap between lines, in pixels.
        is_rtl: whether lines run from right to left.

    Returns:
        A rectangle for each box; the top left corner of the flow is (0, 0).
    """
    x, y, line = 0.0, 0.0, 0.0
    rects = []
    for box in boxes:
        own = min(box.width, width)
        if x > 0 and x + own > width:
            x, y, line = 0.0, y + line + line_gap, 0.0
        rects.append(QRectF(width - x - own if is_rtl else x, y, own, box.height))
        x += own + box.gap
        line = max(line, box.height)
    return rects


class FlowWidget(FollowsLook, QWidget):
    """A widget that paints items in lines; as high as they need at its width.

    Subclasses define the items: `boxes` and `tip_of`.
    """

    line_gap = FLOW_GAP_PX

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_rtl = False
        self.rects: list[QRectF] = []
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def boxes(self, width: float) -> list[Box]:
        """The boxes of the items, in lines of a width."""
        raise NotImplementedError

    def tip_of(self, number: int) -> str:
        """The tooltip of an item; -1 for the background."""
        raise NotImplementedError

    def item_at(self, place: QPointF) -> int:
        """The index of the item at a position; -1 if there is none."""
        return next((number for number, rect in enumerate(self.rects) if rect.contains(place)), -1)

    def lay_out(self) -> None:
        """Lay out the items after a change."""
        self.rects = self._flow(self.width())
        self.updateGeometry()
        self.update()

    def _flow(self, width: float) -> list[QRectF]:
        return flow(self.boxes(width), width, self.line_gap, is_rtl=self.is_rtl)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return int(max((rect.bottom() for rect in self._flow(width)), default=0.0)) + 1

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(60, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.rects = self._flow(self.width())

    def font_changed(self) -> None:
        self.lay_out()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self.tip_of(self.item_at(QPointF(event.pos())))
            if tip:
                QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


@dataclass(frozen=True)
class Chip:
    """A piece of a text.

    Attributes:
        text: the text on the chip.
        tip: its tooltip.
        is_special: whether it is outlined instead of filled.
    """

    text: str
    tip: str = ""
    is_special: bool = False

    def box(self, width: float, metrics: QFontMetricsF) -> Box:
        """Its box in lines of a width; the text of a chip that is wider than a line is wrapped."""
        wanted, height = metrics.horizontalAdvance(self.text) + 2 * FLOW_PAD_PX, metrics.lineSpacing() + 4
        if wanted > width:
            inner = QRectF(0, 0, max(1.0, width - 2 * FLOW_PAD_PX), 1e6)
            height = metrics.boundingRect(inner, _WRAPPED, self.text).height() + 4
        return Box(wanted, height, FLOW_GAP_PX)


class ChipFlow(FlowWidget):
    """The pieces of a text as chips, in the direction of the text."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: tuple[Chip, ...] = ()
        self.follow_look(fit_now=False)

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The pieces, in the order of the text."""
        return self._chips

    def set_chips(self, chips: Sequence[Chip], is_rtl: bool = False) -> None:
        """Show the pieces of a text, and whether it runs from right to left."""
        self._chips, self.is_rtl = tuple(chips), is_rtl
        self.setAccessibleDescription(" | ".join(chip.text for chip in chips))
        self.lay_out()

    def boxes(self, width: float) -> list[Box]:
        metrics = QFontMetricsF(self.font())
        return [chip.box(width, metrics) for chip in self._chips]

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.heightForWidth(max(60, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.updateGeometry()  # its least height depends on its width

    def chip_at(self, place: QPoint) -> Chip | None:
        """The chip at a position."""
        number = self.item_at(place.toPointF())
        return self._chips[number] if number >= 0 else None

    def tip_of(self, number: int) -> str:
        return self._chips[number].tip if number >= 0 else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        colours, ink = theme.token_colours(palette), theme.token_text_colour(palette)
        text, muted = palette.color(QPalette.ColorRole.Text), QPen(theme.muted(palette), 1)
        single = self.fontMetrics().lineSpacing() * 1.5 + 4
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for k, (chip, rect) in enumerate(zip(self._chips, self.rects, strict=True)):
                painter.setPen(muted if chip.is_special else Qt.PenStyle.NoPen)
                painter.setBrush(Qt.BrushStyle.NoBrush if chip.is_special else colours[colour_number(k, chip.text)])
                inset = 0.5 if chip.is_special else 0.0
                painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), RADIUS_PX, RADIUS_PX)
                painter.setPen(text if chip.is_special else ink)
                if rect.height() > single:
                    painter.drawText(rect.adjusted(FLOW_PAD_PX, 0, -FLOW_PAD_PX, 0), _WRAPPED, chip.text)
                else:
                    painter.drawText(rect, CENTRED, isolated(chip.text))
