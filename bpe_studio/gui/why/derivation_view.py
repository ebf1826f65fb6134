"""A token's derivation as a tree: the token on top, below it the two that it was made from, down to symbols.

It is laid out in the direction of the text. A click on a token selects it; the knob below a token collapses or expands
its parts. Keys: Up and Down move between whole and parts, Left and Right along a level, Space collapses or expands,
Enter selects. The view is given the tree; it knows no run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

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
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QToolTip, QWidget

from bpe_studio.explain.names import elided, is_right_to_left, isolated
from bpe_studio.explain.wording import merge_name, times
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, shown_token
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.tokens.colours import colour_number
from bpe_studio.gui.why.derivation_layout import KNOT_PX, LEVEL_PX, Spot, lay_out, parents_of

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.derivation import Derivation, Node

PAD_PX = 5.0
MOST_HEIGHT_PX = 280
MOST_OPEN_LEAVES = 80
OPEN_LEVELS = 5
"""If a token has more symbols than this, this many levels are expanded at first."""
_ON, _OFF = Qt.ScrollBarPolicy.ScrollBarAlwaysOn, Qt.ScrollBarPolicy.ScrollBarAlwaysOff
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)


class DerivationView(HasContextMenu, FollowsLook, QAbstractScrollArea):
    """The tree, in a scroll area.

    Signals:
        selected: int, the internal id of a token.
    """

    selected = Signal(object)
    export_name = "Derivation of the token"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nodes: Sequence[Node] = ()
        self._name: Callable[[int], str] = str
        self._parents: list[int] = []
        self._is_open: list[bool] = []
        self._spots: dict[int, Spot] = {}
        self._size = QSize(0, 0)
        self._current = 0
        self._hovered = -1
        self._is_rtl = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.viewport().setMouseTracking(True)
        self.viewport().setAutoFillBackground(False)
        self.follow_look(fit_now=False)

    def show_tree(self, derivation: Derivation | None, name: Callable[[int], str]) -> None:
        """Show a tree.

        Args:
            derivation: the tree; None for none.
            name: gives the display name of a token.
        """
        self._nodes, self._name = (() if derivation is None else derivation.nodes), name
        n = len(self._nodes)
        self._parents = parents_of(self._nodes)
        is_large = n > 2 * MOST_OPEN_LEAVES
        self._is_open = [not is_large or node.depth < OPEN_LEVELS for node in self._nodes]
        self._current, self._hovered = 0, -1
        self._is_rtl = bool(n) and is_right_to_left(name(self._nodes[0].token))
        self._lay_out()
        bar = self.horizontalScrollBar()
        # Scroll to the top of the tree, and to the side where its text begins.
        middle = self._spots[0].rect.center().x() - self.viewport().width() / 2 if n else 0.0
        bar.setValue(int(middle))
        self.verticalScrollBar().setValue(0)
        self._describe()

    @property
    def spots(self) -> dict[int, Spot]:
        """The tokens that are shown, by node, in the coordinates of the drawing."""
        return self._spots

    @property
    def current(self) -> int:
        """The node that has the keyboard focus."""
        return self._current

    def is_open(self, number: int) -> bool:
        """Whether a node is expanded."""
        return self._is_open[number] and self._nodes[number].left is not None

    def toggle(self, number: int) -> None:
        """Collapse or expand a node."""
        if self._nodes[number].left is not None:
            self._is_open[number] = not self._is_open[number]
            self._lay_out()
            if self._current not in self._spots:
                self._current = number
            self._describe()

    # Layout.

    def _lay_out(self) -> None:
        metrics = QFontMetricsF(self.font())
        self._spots, size = lay_out(
            self._nodes,
            self._is_open,
            [self._chip_px(node, metrics) for node in self._nodes],
            metrics.height() + 4,
            is_rtl=self._is_rtl,
        )
        self._size = QSize(int(size.width()) + 1, int(size.height()) + 1)
        self._fit()
        self.viewport().update()

    def _chip_px(self, node: Node, metrics: QFontMetricsF) -> float:
        return max(metrics.horizontalAdvance(self._text(node)), metrics.averageCharWidth()) + 2 * PAD_PX

    def _text(self, node: Node) -> str:
        return isolated(elided(self._name(node.token), 24))

    def _fit(self) -> None:
        """Become as high as the drawing, up to a limit; beyond that the scroll bars are used.

        Which bars are shown depends on the width alone. With the size of the viewport, which depends on the bars, a
        drawing that is almost as wide had both bars come and go without end.
        """
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        room, bar_width = self.contentsRect().width(), down.sizeHint().width()
        is_high = self._size.height() > MOST_HEIGHT_PX
        is_wide = self._size.width() > room - (bar_width if is_high else 0)
        bar_height = across.sizeHint().height() if is_wide else 0
        height = min(self._size.height() + bar_height, MOST_HEIGHT_PX)
        is_high = self._size.height() > height - bar_height
        if self._nodes and (height != self.minimumHeight() or height != self.maximumHeight()):
            self.setFixedHeight(height)
        self.setHorizontalScrollBarPolicy(_ON if is_wide else _OFF)
        self.setVerticalScrollBarPolicy(_ON if is_high else _OFF)
        for bar, size, page in (
            (across, self._size.width(), room - (bar_width if is_high else 0)),
            (down, self._size.height(), height - bar_height),
        ):
            bar.setRange(0, max(0, size - page))
            bar.setPageStep(page)
            bar.setSingleStep(20)

    def _origin(self) -> QPointF:
        """The top left corner of the drawing in the viewport; a small one is at the side where its text begins."""
        spare = max(0, self.viewport().width() - self._size.width())
        x = spare if self._is_rtl else 0
        return QPointF(x - self.horizontalScrollBar().value(), -self.verticalScrollBar().value())

    def place_of(self, number: int) -> QRectF:
        """The rectangle of a node's chip in the viewport."""
        return self._spots[number].rect.translated(self._origin())

    # Painting.

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            origin = self._origin()
            painter.translate(origin)
            self._paint(painter, QRectF(self.viewport().rect()).translated(-origin))

    def export_size(self) -> QSize:
        """The size of the whole tree."""
        return self._size if self._nodes else QSize()

    def paint_export(self, painter: QPainter) -> None:
        """Paint the whole tree, collapsed and expanded as it is shown."""
        self._paint(painter, QRectF(0, 0, self._size.width(), self._size.height()))

    def _paint(self, painter: QPainter, seen: QRectF) -> None:
        palette = self.palette()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.muted(palette), 1))
        for number, spot in self._spots.items():
            node = self._nodes[number]
            if node.rank is not None and self._family_rect(number).intersects(seen):
                self._paint_lines(painter, number, spot.rect)
        colours = theme.token_colours(palette)
        for number, spot in self._spots.items():
            if spot.rect.intersects(seen):
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(colours[colour_number(spot.place, self._name(self._nodes[number].token))])
                painter.drawRoundedRect(spot.rect, 3, 3)
                self._paint_frame(painter, number, spot.rect)
                painter.setPen(theme.token_text_colour(palette))
                painter.drawText(spot.rect, _CENTRE, self._text(self._nodes[number]))

    def _paint_lines(self, painter: QPainter, number: int, rect: QRectF) -> None:
        node, knot = self._nodes[number], self._knot(number)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawLine(QPointF(knot.x(), rect.bottom()), knot)
        if self.is_open(number) and node.left is not None and node.right is not None:
            for child in (node.left, node.right):
                top = self._spots[child].rect
                x = top.center().x()
                painter.drawPolyline([knot, QPointF(x, knot.y()), QPointF(x, top.top())])
            painter.setBrush(painter.pen().color())
            painter.drawEllipse(knot, 2.0, 2.0)
        elif node.left is not None:
            painter.setBrush(self.palette().color(self.palette().ColorRole.Base))
            painter.drawEllipse(knot, KNOT_PX + 1, KNOT_PX + 1)
            painter.drawLine(knot - QPointF(2.5, 0), knot + QPointF(2.5, 0))
            painter.drawLine(knot - QPointF(0, 2.5), knot + QPointF(0, 2.5))
        else:
            painter.drawText(QRectF(knot.x() - 12, knot.y() - 6, 24, 12), _CENTRE, "…")

    def _paint_frame(self, painter: QPainter, number: int, rect: QRectF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if number == self._current and self.hasFocus():
            painter.setPen(QPen(theme.accent(self.palette()), 2))
            painter.drawRoundedRect(rect, 3, 3)
        elif number == self._hovered:
            painter.setPen(QPen(theme.token_text_colour(self.palette()), 1.5))
            painter.drawRoundedRect(rect.adjusted(0.75, 0.75, -0.75, -0.75), 3, 3)

    def _knot(self, number: int) -> QPointF:
        rect = self._spots[number].rect
        return QPointF(rect.center().x(), rect.bottom() + LEVEL_PX / 2)

    def _family_rect(self, number: int) -> QRectF:
        rect, node = self._spots[number].rect, self._nodes[number]
        for child in (node.left, node.right):
            if child is not None and child in self._spots:
                rect = rect.united(self._spots[child].rect)
        return rect.adjusted(-12, 0, 12, LEVEL_PX)

    # User input.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self._nodes:
            super().keyPressEvent(event)
            return
        node = self._nodes[self._current]
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.selected.emit(node.token)
        elif key is Qt.Key.Key_Space:
            self.toggle(self._current)
        elif key is Qt.Key.Key_Up:
            self._go(self._parents[self._current])
        elif key is Qt.Key.Key_Down:
            if node.left is not None and not self.is_open(self._current):
                self.toggle(self._current)
            self._go(-1 if node.left is None else node.left)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            towards = -1 if (key is Qt.Key.Key_Left) != self._is_rtl else 1
            level = [number for number in self._spots if self._nodes[number].depth == node.depth]
            place = level.index(self._current) + towards
            self._go(level[place] if 0 <= place < len(level) else -1)
        elif key is Qt.Key.Key_Home:
            self._go(0)
        else:
            super().keyPressEvent(event)

    def _go(self, number: int) -> None:
        if number < 0 or number not in self._spots:
            return
        self._current = number
        rect, bar, down = self._spots[number].rect, self.horizontalScrollBar(), self.verticalScrollBar()
        for each, low, high, room in (
            (bar, rect.left(), rect.right(), self.viewport().width()),
            (down, rect.top(), rect.bottom(), self.viewport().height()),
        ):
            each.setValue(int(min(max(each.value(), high + 8 - room), low - 8)))
        self._describe()
        self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()
        number = self._at(event.position())
        if number >= 0:
            self._current = number
            self.viewport().update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()
        if event.button() != Qt.MouseButton.LeftButton:
            return
        number, knot = self._at(event.position()), self._knot_at(event.position())
        if number >= 0:
            self.selected.emit(self._nodes[number].token)
        elif knot >= 0:
            self.toggle(knot)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        number = self._at(event.position())
        is_active = number >= 0 or self._knot_at(event.position()) >= 0
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if is_active else Qt.CursorShape.ArrowCursor)
        if number != self._hovered:
            self._hovered = number
            self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self._at(QPointF(event.pos()))
            if number >= 0:
                QToolTip.showText(event.globalPos(), plain_tip(self.tip(number)), self)
            else:
                QToolTip.hideText()
            return True
        if event.type() == QEvent.Type.Leave:
            self._hovered = -1
            self.viewport().update()
        return super().viewportEvent(event)

    def target_at(self, place: QPoint) -> Target | None:
        number = self._at(place.toPointF())
        return shown_token(self._nodes[number].token) if number >= 0 else None

    def current_target(self) -> tuple[Target | None, QPoint]:
        spot = self._spots.get(self._current)
        if spot is None:
            return super().current_target()
        return shown_token(self._nodes[self._current].token), (spot.rect.bottomLeft() + self._origin()).toPoint()

    def tip(self, number: int) -> str:
        """The tooltip of a node."""
        node = self._nodes[number]
        name = isolated(elided(self._name(node.token), 60))
        if node.rank is None:
            return f"{name}\na symbol of the alphabet"
        text = (
            f"{name}\nmade by {merge_name(node.rank)}\n"
            f"its pair occurred {times(node.birth_count or 0)} in the corpus then"
        )
        return text + ("\nits parts are not shown here: select it to see them" if node.is_cut_short else "")

    def _at(self, place: QPointF) -> int:
        place = place - self._origin()
        return next((number for number, spot in self._spots.items() if spot.rect.contains(place)), -1)

    def _knot_at(self, place: QPointF) -> int:
        place = place - self._origin()
        for number in self._spots:
            if self._nodes[number].left is not None:
                off = place - self._knot(number)
                if abs(off.x()) <= 8 and abs(off.y()) <= 7:
                    return number
        return -1

    def _describe(self) -> None:
        """Set the accessible description to the node that has the keyboard focus."""
        if self._nodes:
            folded = "" if self.is_open(self._current) or self._nodes[self._current].left is None else ", collapsed"
            self.setAccessibleDescription(self.tip(self._current).replace("\n", ", ") + folded)

    # Overridden methods of Qt.

    def sizeHint(self) -> QSize:
        return QSize(240, self.minimumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def font_changed(self) -> None:
        self._lay_out()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()
