"""The view of a skyline: scrolls and zooms the picture, and handles the mouse and the keyboard.

The line of the step can be dragged; joints can be hovered, clicked and visited with keys. The view
emits signals and does not change the workspace; the panel does. It has tooltips, lays out the rest
of the rows while the event loop is idle, and paints the whole picture for an export.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QLineF,
    QPoint,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from bpe_studio.errors import SaveError
from bpe_studio.explain.merges import joint_sentence, line_sentence
from bpe_studio.explain.token_facts import token_sentence
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, merge_target, shown_border, token_target
from bpe_studio.gui.background.panel import FRAME_MS
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.skyline.painting import Lights
from bpe_studio.gui.skyline.picture import Joint, SkylinePicture
from bpe_studio.gui.tokens.painting import BORDER_TIP

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.border import TextBorder
    from bpe_studio.engine.run import Run


REACH_PX = 7.0
GRIP_PX = 5.0
SHAKE_PX = 3.0
MOST_ROWS = 100
"""The most rows of an exported picture, which take a quarter of a second."""
_LAYOUT_SLICE_S = 0.006
ZOOMS = (50, 67, 80, 100, 125, 150, 200, 250, 300, 400)
_FITTED = range(ZOOMS[-1], ZOOMS[0] - 1, -5)


class SkylineView(HasContextMenu, FollowsLook, QAbstractScrollArea):
    """A text with the merge trees of its words over it.

    Signals:
        zoom_changed: int, percent.
        step_wanted: int, the step to which a drag or a key moved the line; at most once a frame.
        joint_clicked: int, the rank of a joint that was clicked or chosen with Enter.
        token_clicked: int, the internal id of a token whose letters were clicked.
        border_clicked: TextBorder, the border between two tokens that was clicked among their
            letters.
    """

    export_name = "Skyline"
    zoom_changed = Signal(object)
    step_wanted = Signal(object)
    joint_clicked = Signal(object)
    token_clicked = Signal(object)
    border_clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = SkylinePicture(self.font())
        self.zoom = 100
        self.n_merges = 0
        self._placeholder = ""
        self._rest = QTimer(self, interval=0)
        self._rest.timeout.connect(self._lay_out_more)
        self._held_row: int | None = None
        self._pressed: Joint | None = None
        self._pressed_y = 0.0
        self._has_moved = False
        self._wanted: int | None = None
        self._frame = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._frame.setTimerType(Qt.TimerType.PreciseTimer)
        self._frame.timeout.connect(self._on_frame)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self.viewport().setAutoFillBackground(True)
        self.follow_look(fit_now=False)

    # The picture and its size.

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 120)

    @property
    def placeholder(self) -> str:
        """The sentence that is shown instead of the picture."""
        return self._placeholder

    def set_placeholder(self, text: str) -> None:
        """Show a sentence instead of the picture; "" shows the picture."""
        if text != self._placeholder:
            self._placeholder = text
            self.viewport().update()

    def set_run(
        self, run: Run | None, text: str | Sequence[str], step: int, n_merges: int, top: int
    ) -> None:
        """Show a text in the tokens of another run; the scale covers `top` merges."""
        self.picture.step = step
        self.picture.set_run(run, text, top)
        self.n_merges = n_merges
        self._fit_bars()
        self._forget_places()

    def set_text(self, text: str | Sequence[str]) -> None:
        """Show another text."""
        self.picture.set_text(text)
        self._fit_bars()
        self._forget_places()

    def grow(self, n_merges: int, top: int) -> None:
        """Show the merges that the run has added."""
        self.n_merges = n_merges
        self.picture.grow(top)
        self._fit_bars()

    def set_step(self, step: int) -> None:
        """Show the tokens at another step."""
        if step != self.picture.step:
            self.picture.set_step(step)
            self.viewport().update()

    def merged_joints(self, rank: int) -> list[list[QLineF]]:
        """The visible joints of a merge, each as the lines of its bracket, in the viewport."""
        return [] if self._placeholder else self.picture.joints_of(rank, self._seen())

    def set_zoom(self, percent: int, anchor: QPointF | None = None) -> None:
        """Zoom around an anchor."""
        percent = min(max(ZOOMS[0], percent), ZOOMS[-1])
        if percent == self.zoom:
            return
        anchor = anchor if anchor is not None else QPointF(0, 0)
        share = (self.verticalScrollBar().value() + anchor.y()) / max(1.0, self.picture.height)
        self.zoom = percent
        self._arrange()
        self.verticalScrollBar().setValue(round(share * self.picture.height - anchor.y()))
        self.zoom_changed.emit(percent)

    @Slot()
    def zoom_in(self) -> None:
        self.set_zoom(next((zoom for zoom in ZOOMS if zoom > self.zoom), ZOOMS[-1]))

    @Slot()
    def zoom_out(self) -> None:
        self.set_zoom(next((zoom for zoom in reversed(ZOOMS) if zoom < self.zoom), ZOOMS[0]))

    @Slot()
    def fit(self) -> None:
        """Zoom so that the whole picture is visible."""
        size = self.viewport().size()
        picture = self.picture
        rows = self.picture.rows
        if rows is None:
            return
        for percent in _FITTED:
            picture.set_room(size.width(), size.height(), percent / 100)
            if (
                rows.is_complete
                and picture.height <= size.height()
                and picture.width <= size.width()
            ):
                break
        picture.set_room(size.width(), size.height(), self.zoom / 100)
        self.set_zoom(percent)
        self._fit_bars()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            inner = self.viewport().rect()
            if self._placeholder:
                painter.setPen(theme.muted(self.palette()))
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(inner.adjusted(16, 16, -16, -16), int(flags), self._placeholder)
            else:
                self.picture.paint(painter, self._seen(), self.palette())
            if self.hasFocus():
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(theme.muted(self.palette()))
                painter.drawRect(inner.adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def font_changed(self) -> None:
        self.picture.set_font(self.font())
        self._fit_bars()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = 1.0 + event.angleDelta().y() / 1200
            self.set_zoom(round(self.zoom * min(max(factor, 0.5), 2.0)), event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def _seen(self) -> QRectF:
        across = self.horizontalScrollBar().value()
        down = self.verticalScrollBar().value()
        return QRectF(QPointF(across, down), self.viewport().size())

    def _show_place(self, place: QRectF) -> None:
        for bar, low, high, size in (
            (
                self.verticalScrollBar(),
                place.top() - 16,
                place.bottom() + self.picture.measures.letters * 2,
                self.viewport().height(),
            ),
            (
                self.horizontalScrollBar(),
                place.left() - self.picture.left - 8,
                place.right() + 16,
                self.viewport().width(),
            ),
        ):
            bar.setValue(round(min(max(bar.value(), high - size), low)))

    def _arrange(self) -> None:
        size = self.viewport().size()
        self.picture.set_room(size.width(), size.height(), self.zoom / 100)
        self._fit_bars()

    def _fit_bars(self) -> None:
        size = self.viewport().size()
        picture = self.picture
        down = self.verticalScrollBar()
        across = self.horizontalScrollBar()
        down.setRange(0, max(0, round(picture.height - size.height())))
        down.setPageStep(size.height())
        down.setSingleStep(max(10, round(picture.row_height / 2)))
        across.setRange(0, max(0, round(picture.width - size.width())))
        across.setPageStep(size.width())
        across.setSingleStep(20)
        if picture.rows is not None and not picture.rows.is_complete:
            self._rest.start()
        self.viewport().update()

    @Slot()
    def _lay_out_more(self) -> None:
        rows = self.picture.rows
        if rows is None or rows.extend(None, _LAYOUT_SLICE_S):
            self._rest.stop()
            self.picture.arrange()
            self._fit_bars()
        else:
            self.verticalScrollBar().setMaximum(
                max(0, round(self.picture.height - self.viewport().height()))
            )

    # The mouse and the keyboard.

    def show_selected(self, tokens: frozenset[int]) -> None:
        """Highlight the joints and tokens of these internal ids."""
        self._set_lights(replace(self.picture.lights, selected=tokens))

    def show_border(self, border: TextBorder | None) -> None:
        """Mark a border wherever it occurs; None marks none."""
        if border != self.picture.border:
            self.picture.border = border
            self.viewport().update()

    @property
    def focused(self) -> Joint | None:
        """The joint that has the keyboard focus."""
        gap = self.picture.lights.focused
        return None if gap is None else self.picture.joint(gap)

    @property
    def hovered(self) -> Joint | None:
        """The joint under the mouse."""
        gap = self.picture.lights.hovered
        return None if gap is None else self.picture.joint(gap)

    def sentence(self, rank: int) -> str:
        """A sentence about a joint."""
        run = self.picture.run
        return "" if run is None else joint_sentence(run, rank)

    def tip_at(self, position: QPointF) -> str:
        """The tooltip at a position of the view, or ""."""
        run = self.picture.run
        place = self._place(position)
        if self._placeholder or run is None:
            return ""
        joint = self.picture.joint_at(place, REACH_PX)
        if joint is not None:
            return joint_sentence(run, joint.rank)
        if self._is_on_line(place):
            return line_sentence(self.picture.step, self.n_merges)
        if self.picture.border_at(place) is not None:
            return BORDER_TIP
        token = self.picture.token_at(place)
        return "" if token is None else token_sentence(run, token, self.picture.step)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._placeholder:
            return
        place = self._place(event.position())
        self._pressed = self.picture.joint_at(place, REACH_PX)
        self._has_moved = False
        self._pressed_y = place.y()
        if self._is_on_line(place) or event.position().x() < self.picture.left:
            self._held_row = self.picture.row_at(place.y())
            self.picture.is_held = self._held_row is not None
            if self._held_row is not None and not self._is_on_line(place):
                self._want(self.picture.step_at(place.y(), self._held_row, self.n_merges))
        self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        place = self._place(event.position())
        if self._held_row is not None:
            # A click on a joint near the line may move the mouse a little.
            self._has_moved = self._has_moved or abs(place.y() - self._pressed_y) >= SHAKE_PX
            if self._has_moved:
                self._want(self.picture.step_at(place.y(), self._held_row, self.n_merges))
            return
        self._point_at(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._placeholder:
            return
        place = self._place(event.position())
        was_dragged = self._has_moved and self.picture.is_held
        self._held_row = None
        self.picture.is_held = False
        self.viewport().update()
        if was_dragged:
            self._on_frame()
            return
        joint = self.picture.joint_at(place, REACH_PX)
        if joint is not None and self._pressed is not None and joint.gap == self._pressed.gap:
            self._choose(joint)
            return
        border = self.picture.border_at(place)
        if border is not None:
            self.border_clicked.emit(border)
            return
        token = self.picture.token_at(place)
        if token is not None and token >= 0:
            self.token_clicked.emit(token)

    def target_at(self, place: QPoint) -> Target | None:
        picture = self.picture
        run = self.picture.run
        at = self._place(QPointF(place))
        if self._placeholder or run is None:
            return None
        joint = picture.joint_at(at, REACH_PX)
        if joint is not None:
            return merge_target(run, joint.rank) if joint.rank < self.n_merges else None
        border = picture.border_at(at)
        if border is not None:
            return shown_border(border)
        token = picture.token_at(at)
        return None if token is None else token_target(run, token)

    def current_target(self) -> tuple[Target | None, QPoint]:
        joint = self.focused
        if joint is None:
            return super().current_target()
        place = self.picture.place_of(joint.gap).bottomLeft() - self._seen().topLeft()
        return merge_target(self.picture.run, joint.rank), place.toPoint()

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hovered(None)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            tip = self.tip_at(QPointF(event.pos()))
            if tip:
                QToolTip.showText(event.globalPos(), plain_tip(tip), self.viewport())
            else:
                QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self._placeholder or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._control_key(key, event)
        elif key in _JUMPS:
            self._want(self._step_from(_JUMPS[Qt.Key(key)]))
        elif key == Qt.Key.Key_Home:
            self._want(0)
        elif key == Qt.Key.Key_End:
            self._want(self.n_merges)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            way = 1 if key == Qt.Key.Key_Right else -1
            self._walk(way)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.focused is not None:
                self._choose(self.focused)
        else:
            super().keyPressEvent(event)

    def _control_key(self, key: int, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            way = 1 if key == Qt.Key.Key_Down else -1
            bar.setValue(bar.value() + way * bar.singleStep())
        else:
            event.ignore()

    def _step_from(self, n: int) -> int:
        """The step n merges of the text ahead, or -n merges back if n is negative."""
        text = self.picture.text
        ranks = np.zeros(0, np.int64) if text is None else text.ranks()
        ranks = ranks[ranks < self.n_merges]
        place = int(np.searchsorted(ranks, self._present_step(), "left"))
        if n > 0:
            number = min(place + n, len(ranks)) - 1
            return int(ranks[number]) + 1 if number >= place else self.n_merges
        number = max(place + n, 0)
        return int(ranks[number]) if number < place else 0

    def _present_step(self) -> int:
        return self.picture.step if self._wanted is None else self._wanted

    def _walk(self, way: int) -> None:
        """Focus the next joint, which is at the left if the text runs to the left."""
        picture = self.picture
        joints = picture.joints()
        if picture.rows is None or not len(joints):
            return
        gap = picture.lights.focused
        if gap is None:
            first = picture.row_at(self.verticalScrollBar().value()) or 0
            symbol = int(picture.rows.text.offsets[picture.rows.starts[first]])
            place = int(np.searchsorted(joints, symbol, "left"))
        else:
            piece = int(np.searchsorted(picture.rows.text.offsets, gap, "right")) - 1
            row = picture.rows.row(picture.rows.row_of(piece))
            by = -way if row.is_rtl else way
            place = int(np.searchsorted(joints, gap, "left")) + by
        gap = int(joints[min(max(0, place), len(joints) - 1)])
        self._set_focused(gap)
        self._show_place(picture.place_of(gap))
        self.setAccessibleDescription(self.sentence(int(picture.rows.text.gaps[gap])))

    def _choose(self, joint: Joint) -> None:
        self._set_focused(joint.gap)
        self.setAccessibleDescription(self.sentence(joint.rank))
        self._want(joint.rank + 1)
        self._on_frame()
        self.joint_clicked.emit(joint.rank)

    def _want(self, step: int) -> None:
        self._wanted = min(max(0, step), self.n_merges)
        if not self._frame.isActive():
            self._frame.start()

    @Slot()
    def _on_frame(self) -> None:
        self._frame.stop()
        wanted = self._wanted
        self._wanted = None
        if wanted is not None and wanted != self.picture.step:
            self.step_wanted.emit(wanted)

    def _point_at(self, place: QPointF) -> None:
        joint = None if self._placeholder else self.picture.joint_at(place, REACH_PX)
        gap = None if joint is None else joint.gap
        self._set_hovered(gap)
        view = self.viewport()
        if joint is not None or (
            not self._placeholder and self.picture.border_at(place) is not None
        ):
            view.setCursor(Qt.CursorShape.PointingHandCursor)
        elif not self._placeholder and (
            self._is_on_line(place) or place.x() - self._seen().left() < self.picture.left
        ):
            view.setCursor(Qt.CursorShape.SizeVerCursor)
        else:
            view.unsetCursor()

    def _set_hovered(self, gap: int | None) -> None:
        self._set_lights(replace(self.picture.lights, hovered=gap))

    def _set_focused(self, gap: int | None) -> None:
        self._set_lights(replace(self.picture.lights, focused=gap))

    def _set_lights(self, lights: Lights) -> None:
        if lights != self.picture.lights:
            self.picture.lights = lights
            self.viewport().update()

    def _is_on_line(self, place: QPointF) -> bool:
        number = self.picture.row_at(place.y())
        return number is not None and abs(self.picture.line_y(number) - place.y()) <= GRIP_PX

    def _place(self, position: QPointF) -> QPointF:
        return position + self._seen().topLeft()

    # The whole picture, for an export.

    def export_size(self) -> QSize:
        """The size of all rows; empty without a text.

        Raises:
            SaveError: it has too many rows.
        """
        picture = self.picture
        rows = self.picture.rows
        if rows is None or not len(rows.text):
            return QSize()
        while not rows.extend(MOST_ROWS + 1, _LAYOUT_SLICE_S) and len(rows.starts) <= MOST_ROWS:
            pass
        if len(rows.starts) > MOST_ROWS:
            raise SaveError(
                f"The skyline is too long for one picture (more than {number(MOST_ROWS)} rows): "
                "type a shorter text, or make the panel wider"
            )
        picture.arrange()
        overhang = (rows.reach() - rows.widest) * picture.zoom
        return QSize(ceil(max(picture.width + overhang, picture.left + 160)), ceil(picture.height))

    def paint_export(self, painter: QPainter) -> None:
        """Paint all rows, without highlights of the mouse or the keyboard."""
        lights = self.picture.lights
        self.picture.lights = replace(lights, hovered=None, focused=None)
        self.picture.paint(painter, QRectF(QPointF(), QSizeF(self.export_size())), self.palette())
        self.picture.lights = lights

    def _forget_places(self) -> None:
        self._set_lights(replace(self.picture.lights, hovered=None, focused=None))
        self.setAccessibleDescription("")


_JUMPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}
