"""Chips in lines that wrap, with signs (`+`, `→`) and short texts between them.

A click on a chip selects its token. The keys Left, Right, Home and End move between tokens; Enter
or Space selects. The chips do not depend on a run: each is given its text and the id of its token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.names import elided, isolated
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, shown_pair, shown_token
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.tokens.chips import CENTRED
from bpe_studio.gui.tokens.colours import colour_number
from bpe_studio.gui.tokens.painting import RADIUS_PX

PAD_PX = 6.0
GAP_PX = 4.0
MOST_CHARACTERS = 60


@dataclass(frozen=True)
class Link:
    """A chip, or a text between chips.

    Attributes:
        text: the text on the chip.
        token: the internal id of the token that it selects; -1 for none.
        tip: the tooltip.
        after: a short text after the chip, such as a count.
        is_sign: whether it is only a text, without a chip.
        is_outlined: whether the chip is outlined instead of filled, because it is not a token of
            the run.
        joins_next: whether the next chip is close to it, as for tokens of one word.
    """

    text: str
    token: int = -1
    tip: str = ""
    after: str = ""
    is_sign: bool = False
    is_outlined: bool = False
    joins_next: bool = False


class Box(NamedTuple):
    """The size of an item of a flow, and the gap after it, in pixels."""

    width: float
    height: float
    gap: float


def flow(
    boxes: Sequence[Box], width: float, line_gap: float, *, is_rtl: bool = False
) -> list[QRectF]:
    """Lay out boxes in lines.

    Args:
        boxes: the boxes; one that is wider than a line becomes as wide as the line.
        width: the width of a line, in pixels.
        line_gap: the gap between lines, in pixels.
        is_rtl: whether lines run from right to left.

    Returns:
        A rectangle for each box; the top left corner of the flow is (0, 0).
    """
    x = 0.0
    y = 0.0
    line = 0.0
    rects = []
    for box in boxes:
        own = min(box.width, width)
        if x > 0 and x + own > width:
            x = 0.0
            y = y + line + line_gap
            line = 0.0
        left = width - x - own if is_rtl else x
        rects.append(QRectF(left, y, own, box.height))
        x += own + box.gap
        line = max(line, box.height)
    return rects


class TokenLinks(HasContextMenu, FollowsLook, QWidget):
    """Chips that select tokens, as high as they need at their width.

    Args:
        scale: the font size divided by that of the parent.

    Signals:
        selected: int, the internal id of a token.
    """

    selected = Signal(object)

    line_gap = GAP_PX

    def __init__(self, parent: QWidget | None = None, *, scale: float = 1.0) -> None:
        super().__init__(parent)
        self._links: tuple[Link, ...] = ()
        self._scale = scale
        self._current = -1
        self._hovered = -1
        self._text = ""
        self.is_rtl = False
        self.rects: list[QRectF] = []
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)
        self._fit_to_font()
        self.follow_look(fit_now=False)

    @property
    def links(self) -> tuple[Link, ...]:
        """The links, in the order of the text."""
        return self._links

    def set_links(self, links: Sequence[Link], *, is_rtl: bool = False) -> None:
        """Show links, and whether they run from right to left."""
        links = tuple(links)
        if links == self._links and is_rtl == self.is_rtl:
            return
        self._links = links
        self.is_rtl = is_rtl
        self._current = -1
        self._hovered = -1
        can_select = any(link.token >= 0 for link in links)
        policy = Qt.FocusPolicy.StrongFocus if can_select else Qt.FocusPolicy.NoFocus
        self.setFocusPolicy(policy)
        self._text = " ".join(f"{isolated(link.text)} {link.after}".strip() for link in links)
        self.setAccessibleDescription(self._text)
        self.font_changed()

    def _fit_to_font(self) -> None:
        parent = self.parentWidget()
        if self._scale != 1.0 and parent is not None:
            font = QFont(parent.font())
            if font.pointSizeF() > 0:
                font.setPointSizeF(font.pointSizeF() * self._scale)
                if font != self.font():
                    self.setFont(font)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        highest = max((rect.bottom() for rect in self._flow(width)), default=0.0)
        return max(int(highest) + 2, int(self._line_px()) + 2)

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(60, self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.font_changed()  # the least height depends on the width

    def font_changed(self) -> None:
        self.rects = self._flow(self.width())
        self.updateGeometry()
        self.update()

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.heightForWidth(max(60, self.width())))

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        colours = theme.token_colours(palette)
        ink = theme.token_text_colour(palette)
        muted = theme.muted(palette)
        metrics = QFontMetricsF(self.font())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            k = 0
            for number, (link, rect) in enumerate(zip(self._links, self.rects, strict=True)):
                if link.is_sign:
                    painter.setPen(muted)
                    painter.drawText(rect, CENTRED, link.text)
                    continue
                chip = self._chip_rect(rect, link, metrics)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                if link.is_outlined:
                    painter.setPen(QPen(muted, 1, Qt.PenStyle.DashLine))
                else:
                    painter.setBrush(colours[colour_number(k, link.text)])
                painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)
                k += 1
                self._paint_frame(painter, number, link, chip)
                text_ink = palette.color(palette.ColorRole.Text) if link.is_outlined else ink
                painter.setPen(text_ink)
                room = chip.adjusted(PAD_PX - 2, 0, 2 - PAD_PX, 0)
                text = metrics.elidedText(
                    _shown(link.text), Qt.TextElideMode.ElideMiddle, room.width() + 1
                )
                painter.drawText(room, CENTRED, text)
                if link.after:
                    after = QRectF(rect)
                    if self.is_rtl:
                        after.setRight(chip.left() - GAP_PX)
                    else:
                        after.setLeft(chip.right() + GAP_PX)
                    painter.setPen(muted)
                    painter.drawText(after, CENTRED, link.after)

    def _paint_frame(self, painter: QPainter, number: int, link: Link, chip: QRectF) -> None:
        palette = self.palette()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        is_current = self.hasFocus() and number == self._current_link()
        if is_current:
            painter.setPen(QPen(theme.accent(palette), 2))
            painter.drawRoundedRect(chip.adjusted(0, 0, 0, 0), RADIUS_PX, RADIUS_PX)
        elif number == self._hovered and link.token >= 0:
            painter.setPen(QPen(theme.token_text_colour(palette), 1.5))
            painter.drawRoundedRect(chip.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS_PX, RADIUS_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        places = [number for number, link in enumerate(self._links) if link.token >= 0]
        if not places:
            super().keyPressEvent(event)
            return
        here = places.index(self._current_link()) if self._current_link() in places else 0
        towards = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(key)
        if towards is not None:
            towards = -towards if self.is_rtl else towards
            here = min(max(0, here + towards), len(places) - 1)
        elif key is Qt.Key.Key_Home:
            here = 0
        elif key is Qt.Key.Key_End:
            here = len(places) - 1
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.selected.emit(self._links[places[here]].token)
            return
        else:
            super().keyPressEvent(event)
            return
        self._current = places[here]
        link = self._links[self._current]
        self.setAccessibleDescription(f"{isolated(link.text)} {link.after} of {self._text}")
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        number = self.item_at(event.position())
        if (
            event.button() == Qt.MouseButton.LeftButton
            and number >= 0
            and self._links[number].token >= 0
        ):
            self._current = number
            self.selected.emit(self._links[number].token)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        number = self.item_at(event.position())
        can_select = number >= 0 and self._links[number].token >= 0
        shape = Qt.CursorShape.PointingHandCursor if can_select else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        self._hover(number)

    def target_at(self, place: QPoint) -> Target | None:
        number = self.item_at(place.toPointF())
        if number >= 0 and not self._links[number].is_sign:
            return shown_token(self._links[number].token)
        return self._pair()

    def _pair(self) -> Target | None:
        """The pair of the two tokens with a plus between them, if there is one."""
        signs = [
            number for number, link in enumerate(self._links) if link.is_sign and link.text == "+"
        ]
        if len(signs) != 1 or not 0 < signs[0] < len(self._links) - 1:
            return None
        return shown_pair(self._links[signs[0] - 1].token, self._links[signs[0] + 1].token)

    def current_target(self) -> tuple[Target | None, QPoint]:
        number = self._current_link()
        if not 0 <= number < len(self.rects):
            return super().current_target()
        return shown_token(self._links[number].token), self.rects[number].bottomLeft().toPoint()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def item_at(self, place: QPointF) -> int:
        """The index of the link at a position; -1 if there is none."""
        return next((number for number, rect in enumerate(self.rects) if rect.contains(place)), -1)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self.item_at(QPointF(event.pos()))
            own_tip = self._links[number].tip if number >= 0 else ""
            tip = own_tip or self.toolTip()
            if tip:
                QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _current_link(self) -> int:
        """The link that keys act on: until keys are used, the first that can be selected."""
        if self._current >= 0:
            return self._current
        return next((number for number, link in enumerate(self._links) if link.token >= 0), -1)

    def _hover(self, number: int) -> None:
        if number != self._hovered:
            self._hovered = number
            self.update()

    def _line_px(self) -> float:
        return QFontMetricsF(self.font()).height() + 4

    def _chip_rect(self, rect: QRectF, link: Link, metrics: QFontMetricsF) -> QRectF:
        if not link.after:
            return rect
        after = metrics.horizontalAdvance(link.after) + GAP_PX
        return rect.adjusted(after, 0, 0, 0) if self.is_rtl else rect.adjusted(0, 0, -after, 0)

    def _box(self, link: Link, metrics: QFontMetricsF) -> Box:
        wanted = metrics.horizontalAdvance(_shown(link.text))
        gap = GAP_PX
        if not link.is_sign:
            wanted += 2 * PAD_PX
        if link.after:
            wanted += metrics.horizontalAdvance(link.after) + GAP_PX
            gap = 2 * GAP_PX
        if link.joins_next:
            gap = 1.0
        return Box(wanted, metrics.height() + 4, gap)

    def _flow(self, width: float) -> list[QRectF]:
        metrics = QFontMetricsF(self.font())
        boxes = [self._box(link, metrics) for link in self._links]
        return [rect.translated(0, 1) for rect in flow(boxes, width, GAP_PX, is_rtl=self.is_rtl)]


def _shown(text: str) -> str:
    return isolated(elided(text, MOST_CHARACTERS))
