"""The editor of the typed text, with a background in its colour under each token.

Qt paints the text, the caret, the selection and the input method's text; this class only paints
backgrounds under them and marks over them. It sets no formats on the text, because they would break
joiners, ligatures and combining marks. `visible_tokens` finds the tokens, `gui.tokens.geometry`
measures them, `gui.tokens.painting` paints them, and `plain_editor` edits the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QContextMenuEvent,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlock,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from bpe_studio.engine.encoding.border import TextBorder
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.errors import BpeError
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, shown_border, shown_token
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.text.layer import Layer, gap_below, label_font, paint_labels
from bpe_studio.gui.text.plain_editor import PlainEditor
from bpe_studio.gui.text.visible_tokens import BlockTokens, TokenHit, VisibleTokens
from bpe_studio.gui.tokens.geometry import LineShape, TokenGeometry, borders_of
from bpe_studio.gui.tokens.merged_pairs import MergedPair
from bpe_studio.gui.tokens.painting import (
    BORDER_TIP,
    HIDDEN,
    Looks,
    paint_border,
    paint_brackets,
    paint_hidden,
    paint_outline,
    paint_tokens,
)
from bpe_studio.gui.tokens.qt_positions import Edit

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.workspace.selection import Selected


SLICE = 50_000
"""The number of code points of a long text that are encoded at once."""
_NEAR_CURSOR = 400
"""The greatest distance from the text cursor to a border that is found, in code points."""
_Drawn = tuple[float, BlockTokens, list[LineShape]]
"""The y coordinate of a block, its tokens, and their shapes."""


class TokenEditor(HasContextMenu, FollowsLook, PlainEditor):
    """Shows the tokens of the typed text.

    Signals:
        token_hovered: TokenHit under the mouse, or None.
        token_at_cursor: TokenHit at the text cursor, or None.
        token_clicked: TokenHit that was clicked, without selecting text.
        border_clicked: TextBorder between two tokens that was clicked, without selecting text.
        encoded: the tokens of a long text, which is encoded in slices, are complete.

    Attributes:
        colours_of: gives the numbers of the colours of tokens, or None if colours go by place.
        label_of: gives the label below a token in a layer.
    """

    token_hovered = Signal(object)
    token_at_cursor = Signal(object)
    token_clicked = Signal(object)
    border_clicked = Signal(object)
    encoded = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._geometry = TokenGeometry()
        self._tokens = VisibleTokens(self.record)
        self._special: frozenset[int] = frozenset()
        self._n_tokens = 0
        self._resting: EditableText | None = None
        self._slices = QTimer(self, interval=0, singleShot=True)
        self._slices.timeout.connect(self._encode_slice)
        self._shows_hidden = False
        self._hovered: TokenHit | None = None
        self._selected: Selected | None = None
        self._near_border: TokenHit | None = None
        self._at_cursor: TokenHit | None = None
        self._standard_menu: QMenu | None = None
        self._clicked = -1
        self._tip: Callable[[TokenHit], str] | None = None
        self.label_of: Callable[[int, Layer], str] = lambda token, layer: ""
        self.layer = Layer.nothing
        self.colours_of: Callable[[Sequence[int]], Sequence[int] | None] = _by_place
        self.viewport().setMouseTracking(True)
        self.text_edited.connect(self._on_text_edited)
        self.cursorPositionChanged.connect(self._on_cursor_moved)
        self.follow_look(fit_now=False)

    @property
    def live(self) -> EditableText | None:
        """The source of the tokens."""
        return self._tokens.live

    def set_live(
        self, live: EditableText | None, step: int = 0, special: frozenset[int] = frozenset()
    ) -> None:
        """Set the source of the tokens, and give it the text.

        Args:
            live: the source; None shows plain text.
            step: the number of merges that apply.
            special: the ids of special tokens, which are outlined.
        """
        self._special = special
        self._resting = None
        self._slices.stop()
        self._tokens.step = step
        if live is not None and live.text != self.text():
            if self._encode_in_slices(live, len(self.text())):
                return
            live.set_text(self.text())
        self._tokens.live = live
        self.refresh()

    @property
    def step(self) -> int:
        """The number of merges that apply."""
        return self._tokens.step

    def set_step(self, step: int) -> None:
        """Show the tokens after `step` merges."""
        if step != self._tokens.step:
            self._tokens.step = step
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Get the tokens again, for example when the run has grown."""
        self._tokens.forget()
        self._hover_border(None)
        self._n_tokens = self.live.n_tokens(self.step) if self.live is not None else 0
        self._hover(None)
        self.viewport().update()
        self._on_cursor_moved()

    @Slot(bool)
    def set_shows_hidden(self, shows: bool) -> None:
        """Set whether invisible characters are marked."""
        self._shows_hidden = shows
        self.viewport().update()

    def set_layer(self, layer: Layer) -> None:
        """Show ids or bytes below the tokens, or neither."""
        self.layer = layer
        self._geometry.clear()
        gap = 0.0 if layer is Layer.nothing else gap_below(self.font())
        self.set_gap(gap)
        self.viewport().update()

    def set_tip(self, tip: Callable[[TokenHit], str] | None) -> None:
        """Set the function that makes the tooltip of a token, as rich text."""
        self._tip = tip

    def show_selected(self, selected: Selected | None) -> None:
        """Outline the selected token wherever it occurs, and its two parts side by side."""
        if selected != self._selected:
            self._selected = selected
            self.viewport().update()

    def merged_pairs(self, rank: int, pair: tuple[int, int], token: int) -> list[MergedPair]:
        """The places where a merge joins two visible tokens, in the viewport."""
        blocks = list(self._visible_blocks(self.viewport().rect())) if self.live is not None else []
        before = VisibleTokens(self.record)
        after = VisibleTokens(self.record)
        for side, step in ((before, rank), (after, rank + 1)):
            side.live = self.live
            side.step = step
        x = self.contentOffset().x()
        found = []
        for (top, tokens, shapes), (block, _) in zip(
            self._drawn(before, blocks), blocks, strict=True
        ):
            new = after.of_block(block)
            made = {start for start, each in zip(new.starts, new.ids, strict=True) if each == token}
            rects: dict[int, QRectF] = {}
            for shape in shapes:
                for part in shape.fragments:
                    rect = QRectF(
                        x + part.left, top + shape.top, part.right - part.left, shape.height
                    )
                    rects[part.token] = rects.get(part.token, rect).united(rect)
            for k in range(len(tokens.ids) - 1):
                if (
                    (tokens.ids[k], tokens.ids[k + 1]) == pair
                    and tokens.starts[k] in made
                    and {k, k + 1} <= set(rects)
                ):
                    found.append((rects[k], rects[k + 1]))
        return found

    @property
    def hovered(self) -> TokenHit | None:
        """The token under the mouse."""
        return self._hovered

    def cursor_token(self) -> TokenHit | None:
        """The token of the character after the text cursor, or before it.

        It is that before the cursor at the text's end, or after a click on that character: a click
        puts the cursor at the nearer side of it.
        """
        n = len(self.text())
        if not n:
            return None
        point = self.record.point(self.textCursor().position())
        if point == self._clicked:
            point -= 1
        return self._tokens.at(max(0, min(point, n - 1)))

    def token_at(self, place: QPoint) -> TokenHit | None:
        """The token at a position of the viewport."""
        for tokens, shape, x in self._lines_at(place):
            for fragment in shape.fragments:
                if fragment.left <= x < fragment.right:
                    return tokens.hit(fragment.token)
        return None

    def border_under(self, place: QPoint) -> TokenHit | None:
        """The token after the border that a click on a place means; None if it means none."""
        for tokens, shape, x in self._lines_at(place):
            near = [mark for mark in borders_of(shape) if abs(mark.x - x) <= mark.reach]
            if near:
                return tokens.hit(min(near, key=lambda mark: abs(mark.x - x)).token)
        return None

    def _lines_at(self, place: QPoint) -> Iterator[tuple[BlockTokens, LineShape, float]]:
        """The line at a place of the viewport: its block's tokens, its shape, and the x in it."""
        blocks = self._visible_blocks(QRect(place, place)) if self.live is not None else ()
        for block, top in blocks:
            tokens = self._tokens.of_block(block)
            y = place.y() - top
            for shape in self._shapes(block, tokens):
                if shape.top <= y < shape.top + shape.height:
                    yield tokens, shape, place.x() - self.contentOffset().x()

    def border_before(self, hit: TokenHit) -> TextBorder | None:
        """The border before a token; None if no token meets it there."""
        return None if self.live is None else self.live.border_at(hit.start, self.step, hit.end)

    def border_at_cursor(self) -> TextBorder | None:
        """The border at the text cursor, or the next one, or else the previous one."""
        live = self.live
        point = self.record.point(self.textCursor().position())
        if live is None:
            return None
        spans = live.tokens(self.step, max(0, point - _NEAR_CURSOR), point + _NEAR_CURSOR)
        hits = [
            TokenHit(token, start, end)
            for token, start, end in zip(
                spans.ids.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True
            )
        ]
        behind = [hit for hit in hits if hit.start >= point]
        before = [hit for hit in reversed(hits) if hit.start < point]
        borders = (self.border_before(hit) for hit in (*behind, *before))
        return next((border for border in borders if border is not None), None)

    def token_rects(self, hit: TokenHit) -> list[QRect]:
        """The rectangles of a token's visible part in the viewport."""
        found = []
        x = self.contentOffset().x()
        for block, top in self._visible_blocks(self.viewport().rect()):
            tokens = self._tokens.of_block(block)
            wanted = tokens.numbers(hit)
            shapes = self._shapes(block, tokens) if wanted else ()
            for shape in shapes:
                found += [
                    QRect(
                        round(s.left + x),
                        round(top + shape.top),
                        round(s.right - s.left),
                        round(shape.height),
                    )
                    for s in shape.fragments
                    if s.token in wanted
                ]
        return found

    def paintEvent(self, event: QPaintEvent) -> None:
        self._geometry.begin_painting()
        blocks = list(self._visible_blocks(event.rect()))
        for block, _ in blocks:
            self.align(block)
        drawn = self._drawn(self._tokens, blocks)
        x = self.contentOffset().x()
        with QPainter(self.viewport()) as painter:
            for top, tokens, shapes in drawn:
                _move_origin(painter, x, top)
                paint_tokens(painter, shapes, self._looks(tokens), self.palette())
        super().paintEvent(event)
        with QPainter(self.viewport()) as painter:
            for top, tokens, shapes in drawn:
                _move_origin(painter, x, top)
                paint_brackets(painter, shapes, self.palette())
                outlined = tokens.numbers(self._hovered) | tokens.highlighted(self._selected)
                if outlined:
                    paint_outline(painter, shapes, outlined, self.palette())
                self._paint_borders(painter, tokens, shapes)
                if self.layer is not Layer.nothing:
                    labels = [self.label_of(token, self.layer) for token in tokens.ids]
                    font = label_font(self.font())
                    room = self.viewport().width() - 2 * x
                    paint_labels(painter, shapes, labels.__getitem__, self.palette(), font, room)
            marked = blocks if self._shows_hidden else ()
            for block, top in marked:
                _move_origin(painter, x, top)
                self._paint_hidden(painter, block)

    def _drawn(
        self, side: VisibleTokens, blocks: Sequence[tuple[QTextBlock, float]]
    ) -> list[_Drawn]:
        """The tokens of some blocks, with their shapes."""
        if self.live is None or not blocks:
            return []
        side.prepare(blocks[0][0], blocks[-1][0])
        found = [(top, block, side.of_block(block)) for block, top in blocks]
        return [(top, tokens, self._shapes(block, tokens)) for top, block, tokens in found]

    def _paint_borders(
        self, painter: QPainter, tokens: BlockTokens, shapes: Sequence[LineShape]
    ) -> None:
        """Mark the selected border everywhere in a block, and the one under the mouse."""
        pick = self._selected
        live = self.live
        strong: list[float] = []
        if live is not None and pick is not None and pick.piece and tokens.starts:
            start = int(tokens.starts[0]) + tokens.start
            end = int(tokens.ends[-1]) + tokens.start + 1
            strong = live.at(self.step).places_of_border(
                TextBorder(pick.piece, pick.place, pick.following), max(0, start), end
            )
        near = tokens.numbers(self._near_border)
        if not strong and not near:
            return
        places = {round(place - tokens.start, 6) for place in strong}
        for shape in shapes:
            for mark in borders_of(shape):
                is_strong = round(tokens.starts[mark.token], 6) in places
                if is_strong or mark.token in near:
                    paint_border(
                        painter,
                        mark.x,
                        shape.top,
                        shape.height,
                        self.palette(),
                        is_faint=not is_strong,
                    )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        place = event.position().toPoint()
        border = None if event.buttons() else self.border_under(place)
        self._hover_border(border)
        token = None if event.buttons() or self._near_border is not None else self.token_at(place)
        self._hover(token)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._clicked = -1
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            behind = self.border_under(event.position().toPoint())
            border = None if behind is None else self.border_before(behind)
            if border is not None:
                self.border_clicked.emit(border)
                return
            hit = self.token_at(event.position().toPoint())
            if hit is not None:
                point = self.record.point(self.textCursor().position())
                self._clicked = point if hit.end <= point else -1
                self._on_cursor_moved()
                self.token_clicked.emit(hit)

    def target_at(self, place: QPoint) -> Target | None:
        """The border or the token under the mouse."""
        behind = self.border_under(place)
        border = None if behind is None else self.border_before(behind)
        if border is not None:
            return shown_border(border)
        hit = self.token_at(place)
        return None if hit is None else shown_token(hit.id)

    def current_target(self) -> tuple[Target | None, QPoint]:
        hit = self.cursor_token()
        target = None if hit is None else shown_token(hit.id)
        return target, self.cursorRect().bottomLeft()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the actions on the token, and below them those of the editor."""
        self._standard_menu = self.createStandardContextMenu()  # kept, because it owns the actions
        super().contextMenuEvent(event)

    def menu_below(self) -> list[QAction]:
        standard = [] if self._standard_menu is None else self._standard_menu.actions()
        return [*self.actions(), *standard]

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
            self._hover_border(None)
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self._show_tip(event)
            return True
        return super().viewportEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            by = 1 if event.angleDelta().y() > 0 else -1
            self.zoomIn(by)
            event.accept()
        else:
            super().wheelEvent(event)

    def font_changed(self) -> None:
        self.set_layer(self.layer)

    @Slot(object)
    def _on_text_edited(self, edit: Edit) -> None:
        self._clicked = -1
        self._tokens.forget()
        self._hover(None)
        self._hover_border(None)
        live = self.live or self._resting
        if live is None or self._slices.isActive() or self._encode_in_slices(live, len(edit.added)):
            return
        try:
            first, last = live.replace(*edit) if live is self.live else (0, 0)
            if live.text != self.text():
                live.set_text(self.text())
                first = 0
                last = len(self.text())
        except BpeError as error:
            # For example, a split's expression takes too long on this text. The next edit tries
            # again.
            self._tokens.live = None
            self._resting = live
            self.noticed.emit(str(error))
            self.refresh()
            return
        self._tokens.live = live
        self._resting = None
        before = self._n_tokens
        self._n_tokens = live.n_tokens(self._tokens.step)
        # The rest of the paragraph changes colour, unless the number of tokens stays the same.
        is_shifted = (self._n_tokens - before) % len(theme.token_colours(self.palette())) != 0
        end = self._paragraph_end(last) if is_shifted else self.record.block_of(last)
        self.update_blocks(self.record.block_of(min(first, edit.start)), end)
        self._on_cursor_moved()

    def _encode_in_slices(self, live: EditableText, n_added: int) -> bool:
        """Encode a text a slice at a time if much was added; returns whether it does so.

        The text has no tokens until then.
        """
        if n_added <= 2 * SLICE or live.encodes_whole:
            return False
        self._tokens.live = None
        self._resting = live
        self._slices.start()
        self.refresh()
        return True

    @Slot()
    def _encode_slice(self) -> None:
        live = self._resting
        text = self.text()
        if live is None:
            return
        known = live.text if text.startswith(live.text) else ""
        try:
            live.replace(
                len(known), len(live.text) - len(known), text[len(known) : len(known) + SLICE]
            )
        except BpeError as error:
            self.noticed.emit(str(error))
            return
        if len(live.text) < len(text):
            self._slices.start()
            return
        self._tokens.live = live
        self._resting = None
        self.refresh()
        self.encoded.emit()

    @Slot()
    def _on_cursor_moved(self) -> None:
        hit = self.cursor_token()
        if hit != self._at_cursor:
            self._at_cursor = hit
            self.token_at_cursor.emit(hit)

    def _paragraph_end(self, point: int) -> QTextBlock:
        """The last block of the line that contains a code point; colours change up to there."""
        block = self.record.block_of(point)
        while self.record.is_continued(block.blockNumber()):
            block = block.next()
        return block

    def _hover(self, hit: TokenHit | None) -> None:
        if hit != self._hovered:
            self._hovered = hit
            self.viewport().update()
            self.token_hovered.emit(hit)

    def _hover_border(self, hit: TokenHit | None) -> None:
        if hit != self._near_border:
            self._near_border = hit
            shape = Qt.CursorShape.IBeamCursor if hit is None else Qt.CursorShape.PointingHandCursor
            self.viewport().setCursor(shape)
            self.viewport().update()

    def _show_tip(self, event: QHelpEvent) -> None:
        if self.border_under(event.pos()) is not None:
            QToolTip.showText(event.globalPos(), BORDER_TIP, self.viewport())
            return
        hit = self.token_at(event.pos())
        if hit is None or self._tip is None:
            QToolTip.showText(event.globalPos(), self.toolTip(), self.viewport())
            return
        under = [rect for rect in self.token_rects(hit) if rect.contains(event.pos())]
        while_in = under[0] if under else QRect()
        QToolTip.showText(event.globalPos(), self._tip(hit), self.viewport(), while_in)

    def _visible_blocks(self, rect: QRect) -> Iterator[tuple[QTextBlock, float]]:
        """The blocks within a rectangle of the viewport, with their y coordinates."""
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= rect.bottom() + 1:
            height = self.blockBoundingRect(block).height()
            if block.isVisible() and top + height >= rect.top():
                yield block, top
            top += height
            block = block.next()

    def _shapes(self, block: QTextBlock, tokens: BlockTokens) -> list[LineShape]:
        return self._geometry.shapes(
            block, tokens.starts, tokens.ends, has_break=self.record.has_break(block)
        )

    def _looks(self, tokens: BlockTokens) -> Looks:
        unknown = frozenset(k for k, token in enumerate(tokens.ids) if token == UNKNOWN)
        special = [
            k for k, token in enumerate(tokens.ids) if token < UNKNOWN or token in self._special
        ]
        colours = self.colours_of(tokens.ids)
        return Looks(tokens.first_number, unknown, frozenset(special), colours)

    def _paint_hidden(self, painter: QPainter, block: QTextBlock) -> None:
        text = block.text()
        has_break = self.record.has_break(block)
        points = [match.start() for match in HIDDEN.finditer(text)]
        points += [len(text)] if has_break else []
        ends = [point + 1.0 for point in points]
        shapes = self._geometry.shapes(block, list(map(float, points)), ends, has_break=has_break)
        paint_hidden(painter, shapes, text, points, self.palette())


def _by_place(_tokens: Sequence[int]) -> None:
    return None


def _move_origin(painter: QPainter, x: float, y: float) -> None:
    painter.resetTransform()
    painter.translate(x, y)
