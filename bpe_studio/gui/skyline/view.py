"""The skyline as a person uses it: its line is dragged, its joints are hovered, clicked and walked over by keys.

It emits what the person asks for and changes nothing itself; the panel does. It says what is under the pointer, and
gives all of the picture to an export (`SlicedPicture`). Scrolling and zooming are in `canvas.py`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import QToolTip, QWidget

from bpe_studio.errors import SaveError
from bpe_studio.explain.merges import joint_sentence, line_sentence
from bpe_studio.explain.token_facts import token_sentence
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.look.plain_tip import plain_tip
from bpe_studio.gui.skyline.canvas import SkylineCanvas
from bpe_studio.gui.skyline.painting import Lights
from bpe_studio.gui.skyline.picture import Joint

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

REACH_PX = 7.0
GRIP_PX = 5.0
SHAKE_PX = 3.0
FRAME_MS = 16
MOST_ROWS = 1500
"""A picture holds so many rows at most."""
_SLICE_S = 0.01
_Made = TypeVar("_Made")


class SkylineView(SkylineCanvas):
    """A text with the merge trees of its words over it.

    Signals:
        step_wanted: int, where the line was dragged to or a key moved it; at most once a frame.
        joint_clicked: int, the rank of a joint that was clicked or chosen with Enter.
        token_clicked: int, the internal id of a token whose letters were clicked.
    """

    export_name = "Skyline"
    step_wanted = Signal(object)
    joint_clicked = Signal(object)
    token_clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._held_row: int | None = None
        self._pressed: Joint | None = None
        self._pressed_y = 0.0
        self._has_moved = False
        self._wanted: int | None = None
        self._frame = QTimer(self, singleShot=True, interval=FRAME_MS)
        self._frame.setTimerType(Qt.TimerType.PreciseTimer)
        self._frame.timeout.connect(self._on_frame)

    def set_run(self, run: Run | None, text: str, step: int, n_merges: int, top: int) -> None:
        super().set_run(run, text, step, n_merges, top)
        self._forget_places()

    def set_text(self, text: str) -> None:
        super().set_text(text)
        self._forget_places()

    def show_selected(self, tokens: frozenset[int]) -> None:
        """Light up the joints and tokens of these internal ids."""
        self._set_lights(replace(self.picture.lights, selected=tokens))

    @property
    def focused(self) -> Joint | None:
        """The joint that the keys walk on."""
        gap = self.picture.lights.focused
        return None if gap is None else self.picture.joint(gap)

    @property
    def hovered(self) -> Joint | None:
        """The joint under the mouse."""
        gap = self.picture.lights.hovered
        return None if gap is None else self.picture.joint(gap)

    def sentence(self, rank: int) -> str:
        """What a joint is, in words."""
        run = self.picture.run
        return "" if run is None else joint_sentence(run, rank)

    def tip_at(self, position: QPointF) -> str:
        """What is said of a place of the view, or ""."""
        run, place = self.picture.run, self._place(position)
        if self._placeholder or run is None:
            return ""
        joint = self.picture.joint_at(place, REACH_PX)
        if joint is not None:
            return joint_sentence(run, joint.rank)
        if self._is_on_line(place):
            return line_sentence(self.picture.step, self.n_merges)
        token = self.picture.token_at(place)
        return "" if token is None else token_sentence(run, token, self.picture.step)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._placeholder:
            return
        place = self._place(event.position())
        self._pressed, self._has_moved = self.picture.joint_at(place, REACH_PX), False
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
            # A click on a joint beside the line may shake a little.
            self._has_moved = self._has_moved or abs(place.y() - self._pressed_y) >= SHAKE_PX
            if self._has_moved:
                self._want(self.picture.step_at(place.y(), self._held_row, self.n_merges))
            return
        self._point_at(place)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton or self._placeholder:
            return
        place = self._place(event.position())
        was_dragged, self._held_row, self.picture.is_held = self._has_moved and self.picture.is_held, None, False
        self.viewport().update()
        if was_dragged:
            self._on_frame()
            return
        joint = self.picture.joint_at(place, REACH_PX)
        if joint is not None and self._pressed is not None and joint.gap == self._pressed.gap:
            self._choose(joint)
            return
        token = self.picture.token_at(place)
        if token is not None and token >= 0:
            self.token_clicked.emit(token)

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
            self._walk(1 if key == Qt.Key.Key_Right else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.focused is not None:
                self._choose(self.focused)
        else:
            super().keyPressEvent(event)

    def _control_key(self, key: int, event: QKeyEvent) -> None:
        bar = self.verticalScrollBar()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key == Qt.Key.Key_Minus:
            self.zoom_out()
        elif key == Qt.Key.Key_0:
            self.set_zoom(100)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            bar.setValue(bar.value() + (1 if key == Qt.Key.Key_Down else -1) * bar.singleStep())
        else:
            event.ignore()

    def _step_from(self, n: int) -> int:
        """The step after n more merges that the text takes, or before them if n is below 0."""
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
        """Go on to the next joint; to the left is on where the text runs to the left."""
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
            place = int(np.searchsorted(joints, gap, "left")) + (-way if row.is_rtl else way)
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
        wanted, self._wanted = self._wanted, None
        if wanted is not None and wanted != self.picture.step:
            self.step_wanted.emit(wanted)

    def _point_at(self, place: QPointF) -> None:
        joint = None if self._placeholder else self.picture.joint_at(place, REACH_PX)
        self._set_hovered(None if joint is None else joint.gap)
        view = self.viewport()
        if joint is not None:
            view.setCursor(Qt.CursorShape.PointingHandCursor)
        elif not self._placeholder and (self._is_on_line(place) or place.x() - self._seen().left() < self.picture.left):
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

    # All of it, for an export.

    @property
    def export_description(self) -> str:
        """What the picture shows, in a sentence."""
        number = grouping_locale().toString
        return f"Skyline of merges at step {number(self.picture.step)}: {number(self.picture.n_tokens())} tokens"

    def export_size(self) -> QSize:
        """How large all of it is; exact once all rows are laid out, and empty where there is no text."""
        picture, rows = self.picture, self.picture.rows
        if rows is None or not len(rows.text):
            return QSize()
        overhang = (rows.reach() - rows.widest) * picture.zoom
        return QSize(ceil(max(picture.width + overhang, picture.left + 160)), ceil(picture.height))

    def lay_out_export(self) -> Iterator[None]:
        """Lay out all rows.

        Raises:
            SaveError: there is no text, or it has too many rows.
            ChangedMeanwhileError: it shows something else than when this began.
        """
        return self._unless_changed(self._lay_out_export())

    def paint_export_slices(self, painter: QPainter, palette: QPalette, *, has_letters: bool) -> Iterator[None]:
        """Paint all rows without what the mouse or the keyboard is on; yields after each of them.

        Raises:
            ChangedMeanwhileError: it shows something else than when this began.
        """
        return self._unless_changed(self._paint_export(painter, palette, has_letters=has_letters))

    def svg_letters(self, palette: QPalette) -> Generator[None, None, str]:
        """All letters as elements of an SVG; yields after each row.

        Raises:
            ChangedMeanwhileError: it shows something else than when this began.
        """
        from bpe_studio.gui.skyline.svg_letters import svg_letters

        return self._unless_changed(svg_letters(self.picture, palette))

    def _lay_out_export(self) -> Generator[None, None, None]:
        rows = self.picture.rows
        if rows is None or not len(rows.text):
            raise SaveError("There is no skyline to save yet: open a text, train it, and type a text to see it cut")
        while not rows.extend(MOST_ROWS + 1, _SLICE_S) and len(rows.starts) <= MOST_ROWS:
            yield
        if len(rows.starts) > MOST_ROWS:
            raise SaveError(
                f"The skyline is too long for one picture (more than {grouping_locale().toString(MOST_ROWS)} rows): "
                "type a shorter text, or make the panel wider"
            )
        self.picture.arrange()

    def _paint_export(self, painter: QPainter, palette: QPalette, *, has_letters: bool) -> Generator[None, None, None]:
        picture = self.picture
        rows = picture.paint_rows(painter, self.export_size().width(), palette, has_letters=has_letters)
        while True:
            lights = picture.lights
            picture.lights = replace(lights, hovered=None, focused=None)
            try:
                next(rows)
            except StopIteration:
                return
            finally:
                picture.lights = lights
            yield

    def _unless_changed(self, work: Generator[None, None, _Made]) -> Generator[None, None, _Made]:
        """The same work, ended by an error where the view shows something else than when it began."""
        from bpe_studio.gui.background.sliced_save import ChangedMeanwhileError

        shown = self._what_is_shown()
        while True:
            if self._what_is_shown() != shown:
                raise ChangedMeanwhileError
            try:
                next(work)
            except StopIteration as stop:
                return stop.value  # type: ignore[no-any-return]
            yield

    def _what_is_shown(self) -> tuple[object, ...]:
        # The objects themselves, as another one may take the place of one that is gone.
        picture = self.picture
        rows = picture.rows
        # Fitting it to the window tries other sizes, and may come back to the one that was.
        laid_out = None if rows is None else (rows.text.text, rows.n_layouts)
        return (rows, laid_out, picture.step, picture.width, self.zoom, self.n_merges)

    def _forget_places(self) -> None:
        self._set_lights(replace(self.picture.lights, hovered=None, focused=None))
        self.setAccessibleDescription("")


_JUMPS = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}
