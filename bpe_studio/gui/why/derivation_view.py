"""A token's derivation as a tree: each token above the two that it was made from, down to symbols.

The tree runs in the direction of the text. A click on a token selects it. The keys Up and Down move
between whole and parts, Left and Right along a level, and Enter selects. The view is given the tree
and knows no run. Nothing is recursive, because a tree may be as deep as its token is long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QScrollArea, QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.names import elided, is_right_to_left, isolated
from bpe_studio.explain.wording import merge_name, times
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, shown_token
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.tokens.colours import colour_number
from bpe_studio.gui.widgets.containers import scrolled

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.derivation import Derivation, Node

PAD_PX = 5.0
GAP_PX = 5.0
MARGIN_PX = 4.0
LEVEL_PX = 20.0
"""The vertical gap between two levels, with the lines."""
MOST_HEIGHT_PX = 280
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


class Spot(NamedTuple):
    """The place of a token: its chip, and its index in its level."""

    rect: QRectF
    place: int


class DerivationView(HasContextMenu, FollowsLook, QWidget):
    """The tree; `area` scrolls it.

    Signals:
        selected: int, the internal id of a token.
    """

    selected = Signal(object)
    export_name = "Derivation of the token"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nodes: Sequence[Node] = ()
        self._name: Callable[[int], str] = str
        self._is_counted = True
        self._current = 0
        self._hovered = -1
        self._is_rtl = False
        self.spots: list[Spot] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.area: QScrollArea = scrolled(self, "why.tree_area")
        self.area.setWidgetResizable(False)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.area.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.area.viewport().setAutoFillBackground(False)
        self.setAutoFillBackground(False)
        self.follow_look()

    def show_tree(
        self, derivation: Derivation | None, name: Callable[[int], str], *, is_counted: bool = True
    ) -> None:
        """Show a tree.

        Args:
            derivation: the tree; None for none.
            name: gives the display name of a token.
            is_counted: whether the counts of pairs are known.
        """
        self._is_counted = is_counted
        self._nodes = () if derivation is None else derivation.nodes
        self._name = name
        self._is_rtl = bool(self._nodes) and is_right_to_left(name(self._nodes[0].token))
        side = Qt.AlignmentFlag.AlignRight if self._is_rtl else Qt.AlignmentFlag.AlignLeft
        self.area.setAlignment(side)
        self.font_changed()
        self._go(0)

    @property
    def current(self) -> int:
        """The node that has the keyboard focus."""
        return self._current

    # Layout.

    def font_changed(self) -> None:
        """Lay out the tree; each token is centred over its parts."""
        metrics = QFontMetricsF(self.font())
        nodes = self._nodes
        chips = [
            max(metrics.horizontalAdvance(self._text(node)), metrics.averageCharWidth())
            + 2 * PAD_PX
            for node in nodes
        ]
        height = metrics.height() + 4
        widths = chips[:]
        below = [0.0] * len(nodes)
        for number, node in reversed([*enumerate(nodes)]):
            if node.left is not None and node.right is not None:
                below[number] = widths[node.left] + GAP_PX + widths[node.right]
                widths[number] = max(chips[number], below[number])
        total = widths[0] + 2 * MARGIN_PX if nodes else 0.0
        lefts = [MARGIN_PX] * len(nodes)
        n_on_level = [0] * (len(nodes) + 1)
        self.spots = []
        for number, node in enumerate(nodes):
            if node.left is not None and node.right is not None:
                lefts[node.left] = lefts[number] + (widths[number] - below[number]) / 2
                lefts[node.right] = lefts[node.left] + widths[node.left] + GAP_PX
            x = lefts[number] + (widths[number] - chips[number]) / 2
            if self._is_rtl:
                x = total - x - chips[number]
            rect = QRectF(x, MARGIN_PX + node.depth * (height + LEVEL_PX), chips[number], height)
            self.spots.append(Spot(rect, n_on_level[node.depth]))
            n_on_level[node.depth] += 1
        deepest = max((spot.rect.bottom() for spot in self.spots), default=0.0)
        is_cut_short = any(node.is_cut_short for node in nodes)
        below_px = LEVEL_PX if is_cut_short else MARGIN_PX
        self.setFixedSize(int(total) + 1, int(deepest + below_px) + 1)
        bar_px = self.area.horizontalScrollBar().sizeHint().height()
        self.area.setFixedHeight(min(self.height() + bar_px, MOST_HEIGHT_PX))
        self.update()

    def _text(self, node: Node) -> str:
        return isolated(elided(self._name(node.token), 24))

    def export_size(self) -> QSize:
        """The size of the whole tree."""
        return self.size() if self._nodes else QSize()

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        colours = theme.token_colours(palette)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.muted(palette), 1))
            for node, spot in zip(self._nodes, self.spots, strict=True):
                self._paint_lines(painter, node, spot.rect)
            for number, (node, spot) in enumerate(zip(self._nodes, self.spots, strict=True)):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colours[colour_number(spot.place, self._name(node.token))])
                if number == self._current and self.hasFocus():
                    painter.setPen(QPen(theme.accent(palette), 2))
                elif number == self._hovered:
                    painter.setPen(QPen(theme.token_text_colour(palette), 1.5))
                painter.drawRoundedRect(spot.rect, 3, 3)
                painter.setPen(theme.token_text_colour(palette))
                painter.drawText(spot.rect, _CENTRE, self._text(node))

    def _paint_lines(self, painter: QPainter, node: Node, rect: QRectF) -> None:
        """Paint the lines from a token to its parts, or an ellipsis if they are left out."""
        knot = QPointF(rect.center().x(), rect.bottom() + LEVEL_PX / 2)
        if node.is_cut_short:
            painter.drawText(QRectF(knot.x() - 12, knot.y() - 6, 24, 12), _CENTRE, "…")
        if node.left is not None and node.right is not None:
            painter.drawLine(QPointF(knot.x(), rect.bottom()), knot)
            for child in (node.left, node.right):
                top = self.spots[child].rect
                x = top.center().x()
                painter.drawPolyline([knot, QPointF(x, knot.y()), QPointF(x, top.top())])

    # User input.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self._nodes:
            super().keyPressEvent(event)
            return
        node = self._nodes[self._current]
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.selected.emit(node.token)
        elif key is Qt.Key.Key_Up:
            wholes = (
                k for k, each in enumerate(self._nodes) if self._current in (each.left, each.right)
            )
            self._go(next(wholes, 0))
        elif key is Qt.Key.Key_Down:
            part = self._current if node.left is None else node.left
            self._go(part)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            # Level by level, each from the first part to the last.
            by = -1 if (key is Qt.Key.Key_Left) != self._is_rtl else 1
            number = self._current + by
            is_on_level = 0 <= number < len(self._nodes) and self._nodes[number].depth == node.depth
            wanted = number if is_on_level else self._current
            self._go(wanted)
        elif key is Qt.Key.Key_Home:
            self._go(0)
        else:
            super().keyPressEvent(event)

    def _go(self, number: int) -> None:
        """Move the keyboard focus to a node, and describe it to screen readers."""
        self._current = number
        self._hovered = -1
        if self._nodes:
            centre = self.spots[number].rect.center().toPoint()
            size = self.spots[number].rect.size() / 2
            self.area.ensureVisible(
                centre.x(), centre.y(), int(size.width()) + 8, int(size.height()) + 8
            )
            self.setAccessibleDescription(self.tip(number).replace("\n", ", "))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        number = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and number >= 0:
            self._current = number
            self.selected.emit(self._nodes[number].token)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, number: int) -> None:
        shape = Qt.CursorShape.PointingHandCursor if number >= 0 else Qt.CursorShape.ArrowCursor
        self.setCursor(shape)
        if number != self._hovered:
            self._hovered = number
            self.update()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._at(QPointF(event.pos()))
            tip = plain_tip(self.tip(number)) if number >= 0 else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def target_at(self, place: QPoint) -> Target | None:
        number = self._at(place.toPointF())
        return shown_token(self._nodes[number].token) if number >= 0 else None

    def current_target(self) -> tuple[Target | None, QPoint]:
        if not self._nodes:
            return super().current_target()
        place = self.spots[self._current].rect.bottomLeft().toPoint()
        return shown_token(self._nodes[self._current].token), place

    def tip(self, number: int) -> str:
        """The tooltip of a node."""
        node = self._nodes[number]
        name = isolated(elided(self._name(node.token), 60))
        if node.rank is None:
            return f"{name}\na symbol of the alphabet"
        text = f"{name}\nmade by {merge_name(node.rank)}"
        if self._is_counted:
            text = f"{text}\nits pair occurred {times(node.birth_count or 0)} in the corpus then"
        hint = "\nselect it to see its parts" if node.is_cut_short else ""
        return text + hint

    def _at(self, place: QPointF) -> int:
        under = (number for number, spot in enumerate(self.spots) if spot.rect.contains(place))
        return next(under, -1)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()
