"""The ids of the typed text's tokens: a line for each paragraph, each id on the colour of its token.

Read-only; selected ids can be copied. It shows only the first ids of a long text. The id under the mouse outlines its
token, and the other way round.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QWidget

from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, shown_token
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.tokens.geometry import LineShape, TokenGeometry
from bpe_studio.gui.tokens.painting import Looks, paint_outline, paint_tokens

MOST_IDS = 500


class TokenIds(HasContextMenu, FollowsLook, QPlainTextEdit):
    """Shows ids.

    Signals:
        id_hovered: int or None, the index of the token whose id is under the mouse.
    """

    id_hovered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._geometry = TokenGeometry()
        self._firsts: list[int] = [0]
        self._places: list[tuple[int, int]] = []
        self._unknown: frozenset[int] = frozenset()
        self._tokens: Sequence[int] = ()
        self._standard_menu: QMenu | None = None
        self._hovered: int | None = None
        self._pointed: int | None = None
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setWordWrapMode(QTextOption.WrapMode.WordWrap)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # ids are wrapped between two of them
        self.document().setDocumentMargin(6)
        self.colours_of: Callable[[Sequence[int]], Sequence[int] | None] = _by_place
        self.setFont(theme.numeric_font())
        self.viewport().setMouseTracking(True)
        self.follow_look(fit_now=False)

    def set_ids(
        self,
        paragraphs: Sequence[Sequence[int]],
        unknown: frozenset[int] = frozenset(),
        tokens: Sequence[int] = (),
    ) -> None:
        """Show ids.

        Args:
            paragraphs: the ids of each paragraph's tokens.
            unknown: the indices, through all paragraphs, of tokens that are not in the alphabet and have no id.
            tokens: the internal ids of these tokens in the run that is shown.
        """
        self._tokens = tokens
        places: list[tuple[int, int]] = []
        lines: list[str] = []
        firsts: list[int] = []
        for ids in paragraphs:
            firsts.append(len(places))
            names, place = [], 0
            for token in ids:
                name = "?" if len(places) in unknown and token < 0 else str(token)
                names.append(name)
                places.append((place, place + len(name)))
                place += len(name) + 1
            lines.append(" ".join(names))
        self._places, self._firsts, self._unknown = places, firsts or [0], unknown
        text = "\n".join(lines)
        if text != self.toPlainText():
            self._replace(text)
        self._hover(None)
        self.viewport().update()

    def point_out(self, number: int | None) -> None:
        """Outline an id, as when the mouse is over its token."""
        if number != self._pointed:
            self._pointed = number
            self.viewport().update()

    def id_at(self, place: QPoint) -> int | None:
        """The index of the token whose id is at a position of the viewport."""
        for block, top in self._visible_blocks(QRect(place, place)):
            for shape in self._shapes(block):
                if shape.top <= place.y() - top < shape.top + shape.height:
                    x = place.x() - self.contentOffset().x()
                    for fragment in shape.fragments:
                        if fragment.left <= x < fragment.right:
                            return self._firsts[block.blockNumber()] + fragment.token
        return None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the room of a part of a line empty."""
        super().resizeEvent(event)
        line = self.fontMetrics().lineSpacing()
        room = self.height() - 2 * self.frameWidth() - round(self.document().documentMargin())
        margin = room % line if room >= line else 0
        if margin != self.viewportMargins().bottom():
            self.setViewportMargins(0, 0, 0, margin)
            # WORKAROUND: lines keep the width that they had before a scroll bar came with the margin.
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._geometry.begin_painting()
        # While other ids are put in, Qt may paint lines of the old ones.
        drawn = [
            (top, block, self._shapes(block))
            for block, top in self._visible_blocks(event.rect())
            if block.blockNumber() < len(self._firsts)
        ]
        x = self.contentOffset().x()
        with QPainter(self.viewport()) as painter:
            for top, block, shapes in drawn:
                first = self._firsts[block.blockNumber()]
                painter.resetTransform()
                painter.translate(x, top)
                unknown = frozenset(number - first for number in self._unknown)
                number = block.blockNumber()
                end = self._firsts[number + 1] if number + 1 < len(self._firsts) else len(self._places)
                looks = Looks(0, unknown, colours=self.colours_of(self._tokens[first:end]))
                paint_tokens(painter, shapes, looks, self.palette())
        super().paintEvent(event)
        outlined = {number for number in (self._hovered, self._pointed) if number is not None}
        if outlined:
            with QPainter(self.viewport()) as painter:
                for top, block, shapes in drawn:
                    first = self._firsts[block.blockNumber()]
                    painter.resetTransform()
                    painter.translate(x, top)
                    paint_outline(painter, shapes, (number - first for number in outlined), self.palette())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(None if event.buttons() else self.id_at(event.position().toPoint()))

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        return super().viewportEvent(event)

    def target_at(self, place: QPoint) -> Target | None:
        number = self.id_at(place)
        return None if number is None or number >= len(self._tokens) else shown_token(self._tokens[number])

    def current_target(self) -> tuple[Target | None, QPoint]:
        place = self.cursorRect().center()
        return self.target_at(place), self.cursorRect().bottomLeft()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The actions on the token whose id it is, and below them those of a text."""
        self._standard_menu = self.createStandardContextMenu()  # the actions are its own
        super().contextMenuEvent(event)

    def menu_below(self) -> list[QAction]:
        return [] if self._standard_menu is None else self._standard_menu.actions()

    def font_changed(self) -> None:
        self._geometry.clear()

    def _replace(self, text: str) -> None:
        """Replace the text without scrolling to the top."""
        place = self.verticalScrollBar().value()
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.verticalScrollBar().setValue(place)

    def _hover(self, number: int | None) -> None:
        if number != self._hovered:
            self._hovered = number
            self.viewport().update()
            self.id_hovered.emit(number)

    def _shapes(self, block: QTextBlock) -> list[LineShape]:
        number = block.blockNumber()
        if number >= len(self._firsts):
            return []
        first = self._firsts[number]
        last = self._firsts[number + 1] if number + 1 < len(self._firsts) else len(self._places)
        places = self._places[first:last]
        starts, ends = [float(a) for a, _ in places], [float(b) for _, b in places]
        return self._geometry.shapes(block, starts, ends, has_break=False)

    def _visible_blocks(self, rect: QRect) -> list[tuple[QTextBlock, float]]:
        found = []
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= rect.bottom() + 1:
            height = self.blockBoundingRect(block).height()
            if top + height >= rect.top():
                found.append((block, top))
            top += height
            block = block.next()
        return found


def _by_place(_tokens: Sequence[int]) -> None:
    return None


def paragraphs_of(text: str, starts: Sequence[float], ids: Sequence[int]) -> list[list[int]]:
    """The ids, divided by the paragraph of the text in which each token begins."""
    breaks = []
    place = text.find("\n")
    last = starts[-1] if len(starts) else -1.0
    while 0 <= place < last:
        breaks.append(place)
        place = text.find("\n", place + 1)
    paragraphs: list[list[int]] = [[] for _ in range(len(breaks) + 1)]
    for start, token in zip(starts, ids, strict=True):
        paragraphs[bisect_right(breaks, start - 0.5)].append(token)
    return paragraphs
