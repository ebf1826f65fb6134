"""The text in a column of the page Text: its tokens in colour, and how its cuts differ from those
of other columns.

Below a border, a tick means that this column cuts here and another does not; a tie (as between two
notes) means that another cuts here and this one has merged the two sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from bpe_studio.engine.encoding.editable_text import TokenSpans
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.gui.actions_on.targets import Target, token_target
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.text.token_editor import TokenEditor
from bpe_studio.gui.text.visible_tokens import BlockTokens, TokenHit
from bpe_studio.gui.tokens.colours import ColoursOfRun
from bpe_studio.gui.tokens.geometry import borders_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QTextBlock

    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.explain.cut_text import CutText

GAP_PX = 9.0
"""The room for the marks, below each line."""
_TICK = (QPointF(0, 1.5), QPointF(3, 6), QPointF(-3, 6))
_TIE_PX = 9.0


class CompareText(TokenEditor):
    """Shows a `CutText`; it cannot be edited."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: CutText | None = None
        self._colours = ColoursOfRun()
        self.colours_of = self._colours_of
        self.set_tip(self._tip_of)
        self.setReadOnly(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.font_changed()

    @property
    def content(self) -> CutText | None:
        """The text that is shown, with its cuts."""
        return self._content

    def set_content(self, content: CutText | None) -> None:
        """Show a text with its cuts; None for none."""
        self._content = content
        text = "" if content is None else content.text
        if text != self.text():
            self.set_live(None)
            self.set_text(text)
        self.set_live(None if content is None else cast("EditableText", _Cut(content)))

    def sizeHint(self) -> QSize:
        return QSize(260, 120)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 48)

    def font_changed(self) -> None:
        super().font_changed()
        self.set_gap(GAP_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        content = self._content
        if content is None:
            return
        colour = theme.muted(self.palette())
        x = self.contentOffset().x()
        blocks = list(self._visible_blocks(event.rect()))
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for (block, top), (_, tokens, _) in zip(
                blocks, self._drawn(self._tokens, blocks), strict=True
            ):
                painter.resetTransform()
                painter.translate(x, top)
                for place, is_cut in self._differences(content, block, tokens):
                    if is_cut:
                        painter.setPen(Qt.PenStyle.NoPen)
                        painter.setBrush(colour)
                        painter.drawPolygon(QPolygonF([place + corner for corner in _TICK]))
                    else:
                        painter.setPen(QPen(colour, 1.3))
                        painter.setBrush(Qt.BrushStyle.NoBrush)
                        path = QPainterPath(place + QPointF(-_TIE_PX / 2, 1.5))
                        path.quadTo(
                            place + QPointF(0, GAP_PX + 0.5), place + QPointF(_TIE_PX / 2, 1.5)
                        )
                        painter.drawPath(path)

    def _differences(
        self, content: CutText, block: QTextBlock, tokens: BlockTokens
    ) -> list[tuple[QPointF, bool]]:
        """The lower ends of the borders of a block that not all columns have, and whether this one
        has them.
        """
        if not tokens.starts:
            return []
        low, high = content.joined_here.searchsorted([tokens.start, tokens.start + block.length()])
        joined = content.joined_here[low:high] - tokens.start
        starts = np.unique(np.concatenate([tokens.starts, joined]))
        ends = [*starts[1:].tolist(), max(tokens.ends)]
        shapes = self._geometry.shapes(
            block, starts.tolist(), ends, has_break=self.record.has_break(block)
        )
        cuts = set((content.cut_here - tokens.start).tolist())
        found = []
        for shape in shapes:
            for mark in borders_of(shape):
                start = float(starts[mark.token])
                if start in cuts or start in joined:
                    found.append((QPointF(mark.x, shape.top + shape.height), start in cuts))
        return found

    # Its tokens and borders are those of the column, and not of the window's run.

    def border_under(self, place: QPoint) -> TokenHit | None:
        return None

    def target_at(self, place: QPoint) -> Target | None:
        return self._target_of(self.token_at(place))

    def current_target(self) -> tuple[Target | None, QPoint]:
        return self._target_of(self.cursor_token()), self.cursorRect().bottomLeft()

    def _target_of(self, hit: TokenHit | None) -> Target | None:
        content = self._content
        return None if hit is None or content is None else token_target(content.run, hit.id)

    def _tip_of(self, hit: TokenHit) -> str:
        content = self._content
        return (
            ""
            if content is None
            else plain_tip(content.tip(int(content.ends.searchsorted(hit.start, "right"))))
        )

    def _colours_of(self, tokens: Sequence[int]) -> Sequence[int] | None:
        return None if self._content is None else self._colours.of(self._content.run, list(tokens))


class _Cut:
    """A text that is cut already, as far as the editor asks for its tokens."""

    encodes_whole = True

    def __init__(self, content: CutText) -> None:
        self.text = content.text
        self._spans = TokenSpans(
            content.starts, content.ends, np.where(content.is_unknown, UNKNOWN, content.ids)
        )

    def n_tokens(self, step: int) -> int:
        """The number of all tokens."""
        return len(self._spans.ids)

    def tokens(self, step: int, start: int = 0, end: int | None = None) -> TokenSpans:
        """All tokens, wherever they are asked for."""
        return self._spans

    def set_text(self, text: str) -> None:
        """Nothing: the editor shows what was cut, be it with stand-ins."""

    def border_at(self, place: float, step: int, end: float) -> None:
        """No border is of the window's run."""

    def places_of_border(self, border: object, start: int, end: int) -> list[float]:
        """No border is selected here."""
        return []
