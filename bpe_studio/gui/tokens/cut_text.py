"""A read-only text at one step of a run: its tokens in colour, and how its cuts differ from those of other steps.

Below a border, a tick means that this step cuts here and another compared step does not; a tie (as between two notes)
means that another step cuts here and this one has merged the two sides. The text is laid out once; a change of step
only repaints it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QHelpEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPalette,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.tokens.colours import ColoursOfRun
from bpe_studio.gui.tokens.paragraph import LINE_GAP_PX, Paragraph

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.explain.cut_text import CutText

    FloatArray = NDArray[np.float64]

MARGIN_PX = 8.0
WIDTH_STEP_PX = 8
_LARGER = 1.15
_TICK = (QPointF(0, 1.5), QPointF(3, 6), QPointF(-3, 6))
_MARK_PX = 3.0
_TIE_PX = 9.0
# Characters at which the layout would break a line, although the text does not.
_STAND_INS = {ord("\r"): "␍", ord("\u2028"): "␤", ord("\u2029"): "␤"}


class CompareText(HasContextMenu, QAbstractScrollArea):
    """The widget that paints a `CutText`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: CutText | None = None
        self._colours = ColoursOfRun()
        self._paragraphs: list[Paragraph] = []
        self._tops: list[float] = []
        self._laid_out: tuple[object, ...] | None = None
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        font = self.font()
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * _LARGER)
            self.setFont(font)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)

    @property
    def content(self) -> CutText | None:
        """The text that is shown, with its cuts."""
        return self._content

    def set_content(self, content: CutText | None) -> None:
        """Show a text with its cuts; None for none."""
        self._content = content
        self._lay_out()
        self.viewport().update()

    def token_at(self, place: QPoint) -> int | None:
        """The index of the token at a position of the viewport."""
        content = self._content
        x, y = place.x() - MARGIN_PX, place.y() - MARGIN_PX + self.verticalScrollBar().value()
        k = bisect_right(self._tops, y) - 1
        if content is None or not 0 <= k < len(self._paragraphs):
            return None
        paragraph, point = self._paragraphs[k], QPointF(x, y - self._tops[k])
        for token in range(*tokens_of(content, paragraph)):
            rects = paragraph.rects(float(content.starts[token]), float(content.ends[token]))
            if any(rect.contains(point) for rect in rects):
                return token
        return None

    def target_at(self, place: QPoint) -> Target | None:
        number, content = self.token_at(place), self._content
        return None if number is None or content is None else token_target(content.run, int(content.ids[number]))

    def sizeHint(self) -> QSize:
        return QSize(260, 120)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 48)

    def paintEvent(self, event: QPaintEvent) -> None:
        content = self._content
        if content is None:
            return
        palette = self.palette()
        colours = theme.token_colours(palette)
        scroll = self.verticalScrollBar().value()
        first = max(0, bisect_right(self._tops, event.rect().top() + scroll - MARGIN_PX) - 1)
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for k in range(first, len(self._paragraphs)):
                top = self._tops[k] + MARGIN_PX - scroll
                if top > event.rect().bottom():
                    break
                painter.save()
                painter.translate(MARGIN_PX, top)
                self._paint_tokens(painter, content, self._paragraphs[k], colours)
                painter.setPen(theme.token_text_colour(palette))
                self._paragraphs[k].draw(painter, QPointF(0, 0))
                self._paint_differences(painter, content, self._paragraphs[k])
                painter.restore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._lay_out()
        self.viewport().update()  # after every change event, not only those of font and palette

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            token = self.token_at(event.pos())
            if token is not None and self._content is not None:
                QToolTip.showText(event.globalPos(), plain_tip(self._content.tip(token)), self)
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def _paint_tokens(
        self, painter: QPainter, content: CutText, paragraph: Paragraph, colours: Sequence[QColor]
    ) -> None:
        first, last = tokens_of(content, paragraph)
        numbers = self._colours.of(content.run, content.ids[first:last].tolist())
        parts: list[QRectF] = []
        painter.setPen(Qt.PenStyle.NoPen)
        for token in range(first, last):
            start, end = float(content.starts[token]), float(content.ends[token])
            rects = paragraph.rects(start, end) if end > start else _mark_rects(paragraph, start)
            if numbers is not None:  # neighbours may have one colour
                rects = [rect.adjusted(0.75, 0, -0.75, 0) for rect in rects]
            number = token - first if numbers is None else numbers[token - first]
            painter.setBrush(colours[number % len(colours)])
            painter.drawRects(rects)
            if content.is_unknown[token]:
                painter.setBrush(QBrush(theme.muted(self.palette()), Qt.BrushStyle.BDiagPattern))
                painter.drawRects(rects)
            if start % 1 or end % 1:
                parts.extend(rects)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.muted(self.palette()), 1))
        for rect in parts:
            low, left, right = rect.bottom() - 0.5, rect.left() + 1, rect.right() - 1
            painter.drawPolyline(
                [QPointF(left, low - 2), QPointF(left, low), QPointF(right, low), QPointF(right, low - 2)]
            )

    def _paint_differences(self, painter: QPainter, content: CutText, paragraph: Paragraph) -> None:
        colour = theme.muted(self.palette())
        for place in _places(content.cut_here, paragraph):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPolygon(QPolygonF([place + corner for corner in _TICK]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(colour, 1.3))
        for place in _places(content.joined_here, paragraph):
            path = QPainterPath(place + QPointF(-_TIE_PX / 2, 1.5))
            path.quadTo(place + QPointF(0, LINE_GAP_PX + 0.5), place + QPointF(_TIE_PX / 2, 1.5))
            painter.drawPath(path)

    def _lay_out(self) -> None:
        # The text is never laid out under the scroll bar, so that it does not move when the bar appears.
        bar = self.verticalScrollBar()
        room = self.width() - 2 * self.frameWidth() - bar.sizeHint().width() - 2 * MARGIN_PX
        # Columns whose widths differ by a pixel must break lines at the same words.
        width = room // WIDTH_STEP_PX * WIDTH_STEP_PX
        lines = _lines(self._content) if self._content is not None else ()
        key = (lines, width, self.font().toString())
        if key != self._laid_out:
            self._laid_out = key
            self._make_paragraphs(lines, width)
        height = self.viewport().height()
        last = self._tops[-1] + self._paragraphs[-1].height if self._paragraphs else 0.0
        bar.setRange(0, max(0, round(last + 2 * MARGIN_PX) - height))
        line = self.fontMetrics().lineSpacing()
        # Page Down leaves the line that was cut at the bottom, which emoji make higher, to be read whole.
        bar.setPageStep(max(line, height - 2 * line))
        bar.setSingleStep(line)

    def _make_paragraphs(self, lines: tuple[tuple[int, str], ...], width: float) -> None:
        self._paragraphs, self._tops = [], []
        y = 0.0
        for start, line in lines:
            paragraph = Paragraph(line, start, self.font(), max(40.0, width))
            self._paragraphs.append(paragraph)
            self._tops.append(y)
            y += paragraph.height


def _lines(content: CutText) -> tuple[tuple[int, str], ...]:
    """The first code point of each line, and the line as it is painted; a line break inside a token is made visible."""
    text = content.text.translate(_STAND_INS)
    lines = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        token = int(content.ends.searchsorted(end, "right"))
        is_held = end < len(text) and token < len(content.starts) and content.starts[token] <= end
        lines.append((start, line + "⏎" if is_held else line))
        start = end + 1
    return tuple(lines)


def tokens_of(content: CutText, paragraph: Paragraph) -> tuple[int, int]:
    """The range of tokens that overlap a paragraph."""
    first = int(content.ends.searchsorted(paragraph.start, "right"))
    last = int(content.starts.searchsorted(paragraph.end, "left"))
    return first, max(first, last)


def _places(cuts: FloatArray, paragraph: Paragraph) -> list[QPointF]:
    """The bottom ends of the borders at which the text is cut, at the edge of the character after the cut."""
    low, high = bisect_left(cuts, paragraph.start), bisect_left(cuts, paragraph.end)
    places = []
    for cut in cuts[low:high].tolist():
        cell = paragraph.cell_at(cut)
        if cell is not None:
            rect = cell.part(cut, cell.end)
            places.append(rect.bottomRight() if cell.is_rtl else rect.bottomLeft())
    return places


def _mark_rects(paragraph: Paragraph, place: float) -> list[QRectF]:
    """A thin stripe after the last character, for a token without width such as a word-end mark."""
    cell = paragraph.cell_at(place - 0.5)
    if cell is None:
        return []
    left = cell.rect.left() - _MARK_PX if cell.is_rtl else cell.rect.right()
    return [QRectF(left, cell.rect.top(), _MARK_PX, cell.rect.height())]
