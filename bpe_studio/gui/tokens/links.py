"""Tokens as chips that can be followed: a click, or the keyboard, selects the token.

They flow in as many lines as they need, in the direction of the text, with signs (`+`, `→`) and short texts between
them. The keys: left and right go from token to token, Enter or the space bar selects. It knows no run: the text of a
chip and its token are given to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
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
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import ANY_FONT, FollowsLook
from bpe_studio.gui.look.plain_tip import plain_tip

PAD_PX = 6.0
GAP_PX = 4.0
RADIUS_PX = 3.0
MOST_CHARACTERS = 60
_FLAGS = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


@dataclass(frozen=True)
class Link:
    """A chip, or a text between chips.

    Attributes:
        text: what is written on it.
        token: the token that it selects; -1 for none.
        tip: the tooltip.
        after: a short text behind the chip, such as a count.
        is_sign: a text and no chip.
        is_outlined: outlined and not filled: no token of the run.
        is_lit: with a strong outline.
        joins_next: it is close to the next one, as tokens of one word are.
    """

    text: str
    token: int = -1
    tip: str = ""
    after: str = ""
    is_sign: bool = False
    is_outlined: bool = False
    is_lit: bool = False
    joins_next: bool = False


class TokenLinks(FollowsLook, QWidget):
    """A flow of links.

    Signals:
        selected: int, the token that was followed.
    """

    selected = Signal(object)

    font_events = ANY_FONT

    def __init__(self, parent: QWidget | None = None, *, scale: float = 1.0) -> None:
        super().__init__(parent)
        self._links: tuple[Link, ...] = ()
        self._rects: list[QRectF] = []
        self._is_rtl = False
        self._scale = scale
        self._current = -1
        self._hovered = -1
        self._spoken = ""
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)
        self._fit_to_font()
        self.follow_look(fit_now=False)

    @property
    def links(self) -> tuple[Link, ...]:
        """What is shown."""
        return self._links

    def set_links(self, links: Sequence[Link], *, is_rtl: bool = False) -> None:
        """Show other links."""
        links = tuple(links)
        if links == self._links and is_rtl == self._is_rtl:
            return
        self._links, self._is_rtl = links, is_rtl
        self._current, self._hovered = -1, -1
        can_select = any(link.token >= 0 for link in links)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if can_select else Qt.FocusPolicy.NoFocus)
        self._spoken = " ".join(f"{isolated(link.text)} {link.after}".strip() for link in links)
        self.setAccessibleDescription(self._spoken)
        self._lay_out()

    def rect_of(self, number: int) -> QRectF:
        """The rectangle of a link."""
        return self._rects[number]

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
        rects = self._flow(width)
        lowest = max((rect.bottom() for rect in rects), default=0.0)
        return int(max(lowest, self._line_px())) + 2

    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(60, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, int(self._line_px()) + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        colours, ink, muted = theme.token_colours(palette), theme.token_text_colour(palette), theme.muted(palette)
        metrics = QFontMetricsF(self.font())
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            k = 0
            for number, (link, rect) in enumerate(zip(self._links, self._rects, strict=True)):
                if link.is_sign:
                    painter.setPen(muted)
                    painter.drawText(rect, _FLAGS, link.text)
                    continue
                chip = self._chip_rect(rect, link, metrics)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                if link.is_outlined:
                    painter.setPen(QPen(muted, 1, Qt.PenStyle.DashLine))
                else:
                    painter.setBrush(colours[k % len(colours)])
                painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)
                k += 1
                self._paint_frame(painter, number, link, chip)
                painter.setPen(palette.color(palette.ColorRole.Text) if link.is_outlined else ink)
                room = chip.adjusted(PAD_PX - 2, 0, 2 - PAD_PX, 0)
                text = metrics.elidedText(_shown(link.text), Qt.TextElideMode.ElideMiddle, room.width() + 1)
                painter.drawText(room, _FLAGS, text)
                if link.after:
                    behind = QRectF(rect)
                    if self._is_rtl:
                        behind.setRight(chip.left() - GAP_PX)
                    else:
                        behind.setLeft(chip.right() + GAP_PX)
                    painter.setPen(muted)
                    painter.drawText(behind, _FLAGS, link.after)

    def _paint_frame(self, painter: QPainter, number: int, link: Link, chip: QRectF) -> None:
        palette = self.palette()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        is_current = self.hasFocus() and number == self._walked()
        if is_current:
            painter.setPen(QPen(theme.accent(palette), 2))
            painter.drawRoundedRect(chip.adjusted(0, 0, 0, 0), RADIUS_PX, RADIUS_PX)
        elif link.is_lit or (number == self._hovered and link.token >= 0):
            painter.setPen(QPen(theme.token_text_colour(palette), 1.5))
            painter.drawRoundedRect(chip.adjusted(0.75, 0.75, -0.75, -0.75), RADIUS_PX, RADIUS_PX)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        places = [number for number, link in enumerate(self._links) if link.token >= 0]
        if not places:
            super().keyPressEvent(event)
            return
        here = places.index(self._walked()) if self._walked() in places else 0
        towards = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}.get(key)
        if towards is not None:
            towards = -towards if self._is_rtl else towards
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
        self.setAccessibleDescription(f"{isolated(link.text)} {link.after} of {self._spoken}")
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        number = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and number >= 0 and self._links[number].token >= 0:
            self._current = number
            self.selected.emit(self._links[number].token)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        number = self._at(event.position())
        can_select = number >= 0 and self._links[number].token >= 0
        self.setCursor(Qt.CursorShape.PointingHandCursor if can_select else Qt.CursorShape.ArrowCursor)
        self._hover(number)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._rects = self._flow(self.width())

    def font_changed(self) -> None:
        self._lay_out()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._at(QPointF(event.pos()))
            tip = (self._links[number].tip if number >= 0 else "") or self.toolTip()
            if tip:
                QToolTip.showText(event.globalPos(), plain_tip(tip), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def _at(self, place: QPointF) -> int:
        return next((number for number, rect in enumerate(self._rects) if rect.contains(place)), -1)

    def _walked(self) -> int:
        """The link that has the keyboard: the first one that can be selected, until keys are used."""
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
        behind = metrics.horizontalAdvance(link.after) + GAP_PX
        return rect.adjusted(behind, 0, 0, 0) if self._is_rtl else rect.adjusted(0, 0, -behind, 0)

    def _flow(self, width: float) -> list[QRectF]:
        metrics = QFontMetricsF(self.font())
        line = self._line_px()
        x, y = 0.0, 0.0
        rects = []
        for link in self._links:
            wanted = metrics.horizontalAdvance(_shown(link.text)) + (0.0 if link.is_sign else 2 * PAD_PX)
            if link.after:
                wanted += metrics.horizontalAdvance(link.after) + GAP_PX
            wanted = min(wanted, width)
            if x > 0 and x + wanted > width:
                x, y = 0.0, y + line + GAP_PX
            rects.append(QRectF(width - x - wanted if self._is_rtl else x, y + 1, wanted, line))
            x += wanted + (1.0 if link.joins_next else 2 * GAP_PX if link.after else GAP_PX)
        return rects

    def _lay_out(self) -> None:
        self._rects = self._flow(self.width())
        self.updateGeometry()
        self.update()


def _shown(text: str) -> str:
    return isolated(elided(text, MOST_CHARACTERS))
