"""The timeline: a slider over every merge learned that shows the whole run at a glance.

The curve in its groove is the number of tokens in the corpus. It falls as merges are learned, and
so shows where the run did most of its work. Marks are in lanes above and below (`painting.py`). The
slider counts steps, from 0 to the number of merges learned. A click or a drag goes to the place
under the pointer; a click on a flag, a diamond or a triangle goes to exactly that step. The scale
of steps is linear or logarithmic, and shows the whole run or a part of it: the wheel zooms around
the pointer, a drag with Shift or the middle button scrolls, and a double click shows the whole run
again. A line below describes the place under the pointer. The slider is given what it shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from math import ceil, floor
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QToolTip, QWidget

from bpe_studio.explain.merges import LEGEND, step_in_brief, step_in_words, tokens_in_words
from bpe_studio.explain.names import elided, override_text
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.gui.timeline import painting
from bpe_studio.gui.timeline.painting import MARGIN_PX, NEAR_PX, Lanes
from bpe_studio.workspace.marks import breakpoint_in_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.marks import Bookmark
    from bpe_studio.workspace.timeline_marks import TimelineMarks

KNOB_PX = 5
CURVE_EVERY_PX = 4
NAME_CHARACTERS = 32
LEAST_STEPS = 8
"""The least number of steps that the zoom shows, which are always distinct."""
ZOOM_PER_NOTCH = 1.25
ZOOM_HINT = "Wheel: zoom.  Shift+drag: scroll.  Double click: show all."
PAN_PER_NOTCH_PX = 60
_NOTCH = 120
_MARGIN_OF_STEP = 0.1
"""The distance from the edge, as a share of the width, of a step that scrolls into the shown part.
"""
_TIP_ABOVE_PX = 14
"""The least distance at which Qt shows a tooltip below the given position."""
_STILL_PX = 3
"""The distance after which a press on a mark becomes a drag."""


class StepSlider(QSlider):
    """A horizontal slider whose groove is a small plot of the run.

    Signals:
        menu_requested: (int, QPoint), a step, and the place on the screen for its menu.
        view_changed: the scale, or the part of the run that is shown, has changed.
        words_end_moved: int, the mark at the end of the words was dragged to this step.
    """

    menu_requested = Signal(object, object)
    words_end_moved = Signal(int)
    view_changed = Signal()
    export_name = "Timeline"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._run: Run | None = None
        self._n_shown = -1
        self._is_log = False
        self._view: tuple[float, float] | None = None
        self._hover_x: float | None = None
        self._readout = ""
        self._pan_from: float | None = None
        self._value_before = 0
        self._ticks: list[painting.Tick] = []
        self._pictures: list[QPixmap] = []
        self._pictures_key: tuple[object, ...] = ()
        self._marks: TimelineMarks | None = None
        self._overridden: NDArray[np.int64] | None = None
        self._bookmarks: tuple[Bookmark, ...] = ()
        self._selected = -1
        self._held_at: float | None = None
        self._dragged_end: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        self.setRange(0, 0)
        self.valueChanged.connect(self._reveal)

    def sizeHint(self) -> QSize:
        return QSize(400, self._lanes.height)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self._lanes.height)

    @property
    def _numbers_font(self) -> QFont:
        return theme.numeric_font(max(7.0, self.font().pointSizeF() - 1.5))

    @property
    def _lanes(self) -> Lanes:
        return Lanes.of(self.width(), QFontMetricsF(self._numbers_font).height())

    def show_run(self, run: Run | None, n_merges: int) -> None:
        """Draws the first `n_merges` merges of the run; the caller sets the value."""
        if run is self._run and n_merges == self._n_shown == self.maximum():
            return
        view = self._view
        if run is not self._run:
            self._marks = None
            self._overridden = None
            self._selected = -1
            # A branch keeps the shown part of its run; another text is shown as a whole.
            if run is None or self._run is None or run.corpus is not self._run.corpus:
                view = None
        self._run = run
        self._n_shown = n_merges
        self._pictures_key = ()
        self.setMaximum(n_merges)
        self.setPageStep(max(1, n_merges // 20))
        shown = None if view is not None and view[1] > n_merges + 1 else view
        self._set_view(shown)
        self._say_what_is_under_the_mouse()
        self.update()

    # The scale, and the part of the run that is shown.

    @property
    def is_log(self) -> bool:
        """Whether the scale of steps is logarithmic."""
        return self._is_log

    def set_log(self, is_log: bool) -> None:
        """Make the scale logarithmic or linear; the same part of the run stays visible."""
        if is_log != self._is_log:
            self._is_log = is_log
            self._refresh_view()

    @property
    def is_zoomed(self) -> bool:
        """Whether only a part of the run is shown."""
        return self._view is not None

    @property
    def shown_steps(self) -> tuple[int, int]:
        """The first and the last step that are shown."""
        low, high = (0.0, float(self.maximum())) if self._view is None else self._view
        return max(0, ceil(low - 1e-6)), min(self.maximum(), floor(high + 1e-6))

    def zoom(self, factor: float, x: float) -> None:
        """Show a smaller or larger part of the run, around a fixed position."""
        scale = self._scale
        span = scale.high - scale.low
        wanted = min(1.0, span / factor)
        at = scale.share_at(x)
        self._show_part(at - (at - scale.low) / span * wanted, wanted, is_closer=factor > 1)

    def pan(self, px: float) -> None:
        """Scroll by a number of pixels to the right."""
        scale = self._scale
        span = scale.high - scale.low
        self._show_part(scale.low + px / max(1.0, scale.right - scale.left) * span, span)

    @Slot()
    def fit(self) -> None:
        """Show all of the run again."""
        self._set_view(None)

    def _show_part(self, low: float, span: float, *, is_closer: bool = False) -> None:
        if span >= 1 - 1e-9 or self.maximum() <= LEAST_STEPS:
            self._set_view(None)
            return
        low = min(max(0.0, low), 1.0 - span)
        whole = StepScale(self.maximum(), self._is_log)
        view = whole.value(low), whole.value(low + span)
        if not (is_closer and view[1] - view[0] < LEAST_STEPS):
            self._set_view(view)

    def _set_view(self, view: tuple[float, float] | None) -> None:
        if view != self._view:
            self._view = view
            self._refresh_view()

    def _refresh_view(self) -> None:
        self._pictures_key = ()
        self._say_what_is_under_the_mouse()
        self.update()
        self.view_changed.emit()

    @Slot()
    def _reveal(self) -> None:
        """Scroll to the step if it has left the part that is shown."""
        if self._view is None or self.isSliderDown():
            return
        scale = self._scale
        step = self.value()
        low, high = self._view
        if not low - 1e-6 <= step <= high + 1e-6:
            span = scale.high - scale.low
            inside = _MARGIN_OF_STEP if step < low else 1 - _MARGIN_OF_STEP
            self._show_part(scale.share(step) - inside * span, span)

    def show_marks(self, marks: TimelineMarks | None) -> None:
        """Draws stops and overrides; those of another run are not drawn."""
        self._marks = marks if marks is not None and marks.run is self._run else None
        self._overridden = None if self._marks is None else _overridden(self._marks)
        self._pictures_key = ()
        self.update()

    def show_bookmarks(self, bookmarks: Sequence[Bookmark]) -> None:
        """Draws flags."""
        self._bookmarks = tuple(bookmarks)
        self._pictures_key = ()
        self.update()

    def show_selected(self, rank: int) -> None:
        """Draw a ring at the merge with this rank; none if it is negative."""
        if rank != self._selected:
            self._selected = rank
            self.update()

    @property
    def marks(self) -> TimelineMarks | None:
        """The marks that are drawn."""
        return self._marks

    @property
    def selected(self) -> int:
        """The rank of the merge with the ring; negative for none."""
        return self._selected

    def step_at(self, x: float) -> int:
        """The step under the place `x` of the widget."""
        return self._scale.step(x)

    def place_of(self, step: float) -> float:
        """The x position of a step."""
        return self._scale.x(step)

    @property
    def _scale(self) -> StepScale:
        scale = StepScale(self.maximum(), self._is_log, 0, MARGIN_PX, self.width() - MARGIN_PX)
        if self._view is None:
            return scale
        low, high = (scale.share(step) for step in self._view)
        return replace(scale, low=low, high=high) if high > low else scale

    def mark_at(self, place: QPointF, *, in_lane: bool = True) -> int | None:
        """The step of the nearest mark to a place, or None if none is near.

        Args:
            place: the place in the widget.
            in_lane: whether only marks in the lane of the place count; otherwise, any bookmark
                above or below it does.
        """
        lanes = self._lanes
        scale = self._scale
        steps: list[int] = []
        if place.y() <= lanes.groove.top() or not in_lane:
            steps += [
                bookmark.step for bookmark in self._bookmarks if bookmark.step <= self.maximum()
            ]
        if in_lane and self._marks is not None and self._overridden is not None:
            ranks = None
            if place.y() <= lanes.groove.top():
                ranks = self._overridden
                lane = lanes.flags
            elif lanes.groove.bottom() < place.y() < lanes.ticks.top():
                ranks = self._marks.stop_ranks
                lane = lanes.stops
            if ranks is not None:
                shown = painting.shown_steps(ranks + 1, scale)
                steps += [] if painting.is_crowded(len(shown), lane) else shown.tolist()
        near = [step for step in steps if abs(scale.x(step) - place.x()) <= NEAR_PX]
        return min(near, key=lambda step: abs(scale.x(step) - place.x()), default=None)

    def is_words_end_at(self, place: QPointF) -> bool:
        """Whether a press takes hold of the mark at the end of the words.

        Inside the groove, a press goes to a step instead.
        """
        lanes = self._lanes
        end = self._words_end
        return (
            end <= self.maximum()
            and not lanes.groove.top() < place.y() < lanes.groove.bottom()
            and place.y() < lanes.ticks.top()
            and abs(self.place_of(end) - place.x()) <= NEAR_PX
        )

    @property
    def _words_end(self) -> int:
        """The step at which the words end, or to which the user drags that mark."""
        if self._dragged_end is not None:
            return self._dragged_end
        return self.maximum() + 1 if self._run is None else self._run.n_first

    def _drag_words_end(self, step: int) -> None:
        self._dragged_end = step
        self._pictures_key = ()
        self.update()

    @property
    def readout(self) -> str:
        """The line about the place under the mouse; "" while the mouse is elsewhere."""
        return self._readout

    def readout_at(self, place: QPointF) -> str:
        """A line with the step at a place, its merge, and the marks there."""
        if self._run is None or self.maximum() == 0:
            return ""
        mark = self.mark_at(place)
        step = self.step_at(place.x()) if mark is None else mark
        if self._dragged_end is not None:
            return f"Train again with words that end at step {number(self._dragged_end)}"
        parts = [step_in_brief(self._run, step)]
        parts += [
            f"⚑ {elided(each.name, NAME_CHARACTERS)}"
            for each in self._bookmarks
            if each.step == step
        ]
        if self._marks is not None and step > 0:
            if self._marks.stopping(step - 1):
                parts.append("▲ stop")
            if self._marks.override_at(step - 1) is not None:
                parts.append("◆ override")
        return " · ".join(parts)

    def _say_what_is_under_the_mouse(self, place: QPointF | None = None) -> None:
        if place is None:
            if self._hover_x is None:
                return
            place = QPointF(self._hover_x, self._lanes.groove.center().y())
        self._hover_x = place.x()
        self._readout = self.readout_at(place)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover_x = None
        self._readout = ""
        self.update()

    def words_at(self, place: QPointF) -> str:
        """The tooltip for a place: the mark or the step there, and the legend."""
        if self._run is None or self.maximum() == 0:
            return "The timeline of a run: drag it to go to any step, once merges are learned"
        mark = self.mark_at(place)
        step = self.step_at(place.x()) if mark is None else mark
        lines = [step_in_words(self._run, step), tokens_in_words(self._run, step)]
        if step == self._run.n_first:
            lines.append(
                "┆ The words end here: later merges may join words. Drag this mark to compare"
                " another place."
            )
        lines += [f"⚑ Bookmark “{each.name}”" for each in self._bookmarks if each.step == step]
        if self._marks is not None and step > 0:
            lines += [
                f"▲ Stop: {breakpoint_in_words(point)}" for point in self._marks.stopping(step - 1)
            ]
            override = override_text(self._marks.override_at(step - 1), self._run.config)
            lines += [f"◆ Override: {override}"] if override else []
        return "\n".join([*lines, "", LEGEND, ZOOM_HINT])

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event.pos())
            return True
        return super().event(event)

    def _show_tip(self, place: QPoint) -> None:
        rows = "<br>".join(escape(line) for line in self.words_at(QPointF(place)).split("\n"))
        # Below the timeline, so that it does not cover the line under the ticks.
        at = self.mapToGlobal(QPoint(place.x(), self.height() - _TIP_ABOVE_PX))
        QToolTip.showText(at, f"<p style='white-space: pre'>{rows}</p>", self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        modifiers = event.modifiers()
        place = event.position()
        is_left = event.button() is Qt.MouseButton.LeftButton
        if event.button() is Qt.MouseButton.MiddleButton or (
            is_left and modifiers & Qt.KeyboardModifier.ShiftModifier
        ):
            self._pan_from = place.x()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
        elif is_left and self.mark_at(place) is None and self.is_words_end_at(place):
            self._drag_words_end(self._words_end)
        elif is_left:
            self._value_before = self.value()
            is_exact = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
            self._hold(place, self.mark_at(place, in_lane=not is_exact))
        else:
            event.ignore()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        mark = self.mark_at(event.position())
        mark = self.mark_at(event.position(), in_lane=False) if mark is None else mark
        if mark is None and self._view is not None:
            # The first click of a double click has moved the step: move it back.
            self.setValue(self._value_before)
            self.fit()
        else:
            self._hold(event.position(), mark)

    def _hold(self, place: QPointF, mark: int | None) -> None:
        self.setSliderDown(True)
        if mark is None:
            self._held_at = None
            self.setSliderPosition(self.step_at(place.x()))
        else:
            self._held_at = place.x()
            self.setSliderPosition(mark)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if self._pan_from is not None:
            self.pan(self._pan_from - x)
            self._pan_from = x
        elif self._dragged_end is not None:
            self._drag_words_end(max(1, self.step_at(x)))
        elif not self.isSliderDown():
            if QToolTip.isVisible():
                self._show_tip(event.position().toPoint())
        elif self._held_at is None or abs(x - self._held_at) > _STILL_PX:
            self._held_at = None
            if self._view is not None:
                self.pan(min(0.0, x - MARGIN_PX) + max(0.0, x - self.width() + MARGIN_PX))
            self.setSliderPosition(self.step_at(x))
        self._say_what_is_under_the_mouse(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pan_from is not None:
            self._pan_from = None
            self.setCursor(Qt.CursorShape.PointingHandCursor)
        elif event.button() is Qt.MouseButton.LeftButton and self._dragged_end is not None:
            end = self._dragged_end
            self._dragged_end = None
            self._pictures_key = ()
            self.update()
            if end != self._words_end:
                self.words_end_moved.emit(end)
        elif event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.maximum() == 0:
            event.ignore()
            return
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            place = QPointF(event.pos())
            mark = self.mark_at(place)
            step = self.step_at(place.x()) if mark is None else mark
            self.menu_requested.emit(step, event.globalPos())
        else:
            here = QPoint(round(self.place_of(self.value())), self.height())
            self.menu_requested.emit(self.value(), self.mapToGlobal(here))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # With Alt the arrows are the transport's shortcuts.
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
        elif event.text() in ("+", "=", "-"):
            here = self.place_of(self.value())
            is_shown = MARGIN_PX <= here <= self.width() - MARGIN_PX
            scale = 1 / ZOOM_PER_NOTCH if event.text() == "-" else ZOOM_PER_NOTCH
            centre = here if is_shown else self.width() / 2
            self.zoom(scale, centre)
        elif event.text() == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        across = event.angleDelta().x()
        up = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier and not across:
            across = up
            up = 0
        if abs(across) > abs(up):
            self.pan(-across / _NOTCH * PAN_PER_NOTCH_PX)
        elif up and self.maximum() > 0:
            self.zoom(ZOOM_PER_NOTCH ** (up / _NOTCH), event.position().x())
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._pictures_key = ()
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._paint(painter, self._paint_pictures)

    def export_size(self) -> QSize:
        """The size of the exported picture; empty while no merge is learned."""
        return self.size() if self.maximum() > 0 else QSize()

    def paint_export(self, painter: QPainter) -> None:
        """Paint it for an export, with lines instead of the cached pictures."""
        self._paint(painter, self._paint_lines)

    def _paint(
        self, painter: QPainter, paint_run: Callable[[QPainter, Lanes, QPalette], None]
    ) -> None:
        palette = self.palette()
        lanes = self._lanes
        scale = self._scale
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        role = QPalette.ColorRole.Base if self.isEnabled() else QPalette.ColorRole.Window
        painter.setBrush(palette.color(role))
        painter.drawRoundedRect(lanes.groove, 3, 3)
        if self.maximum() > 0:
            paint_run(painter, lanes, palette)
            selected = scale.x(self._selected + 1)
            if 0 <= self._selected < self.maximum() and scale.left <= selected <= scale.right:
                painting.paint_selected(painter, lanes.groove, selected, palette)
            if self._hover_x is not None and self._readout:
                painter.setFont(self._numbers_font)
                place = scale.x(self.step_at(self._hover_x))
                place = min(max(place, scale.left), scale.right)
                painting.paint_readout(painter, lanes, place, self._readout, self._ticks, palette)
            self._paint_step(painter, lanes.groove, scale, palette)

    def _paint_lines(self, painter: QPainter, lanes: Lanes, palette: QPalette) -> None:
        area = self._area(lanes)
        here = self.place_of(self.sliderPosition())
        here = min(max(0.0, here), float(self.width()))
        for colour, left, right in zip(
            painting.curve_colours(palette), (0, here), (here, self.width()), strict=True
        ):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            # The area is cut and not clipped, because SVG drawings have no clipping.
            painter.drawPolygon(
                area.intersected(QPolygonF(QRectF(left, 0, right - left, self.height())))
            )
        self._paint_marks(painter, lanes, palette)

    def _area(self, lanes: Lanes) -> QPolygonF:
        assert self._run is not None
        n_points = int(lanes.groove.width() / CURVE_EVERY_PX)
        return painting.curve_area(
            painting.curve_of(self._run, self._scale, n_points), lanes.groove
        )

    def _paint_pictures(self, painter: QPainter, lanes: Lanes, palette: QPalette) -> None:
        behind, ahead, marks = self._pictures_of(lanes, palette)
        # The line of the step covers the place where the two meet.
        here = min(max(0, round(self.place_of(self.sliderPosition()))), self.width())
        height = self.height()
        ratio = self.devicePixelRatioF()
        for picture, left, right in ((behind, 0, here), (ahead, here, self.width())):
            part = QRectF(left * ratio, 0, (right - left) * ratio, height * ratio)
            painter.drawPixmap(QRectF(left, 0, right - left, height), picture, part)
        painter.drawPixmap(0, 0, marks)

    def _pictures_of(self, lanes: Lanes, palette: QPalette) -> list[QPixmap]:
        """Pictures of the curve before and after the step, and of the marks.

        They are painted once, because a drag shows them in each frame.
        """
        key = (
            self.width(),
            self.height(),
            self.devicePixelRatioF(),
            palette.cacheKey(),
            self.maximum(),
        )
        if key != self._pictures_key:
            behind, ahead = painting.curve_colours(palette)
            picture = self._blank()
            with QPainter(picture) as painter:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(behind)
                painter.drawPolygon(self._area(lanes))
            # The same area in another colour; tinting takes a tenth of the time of painting.
            tinted = picture.copy()
            with QPainter(tinted) as painter:
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
                painter.fillRect(self.rect(), ahead)
            self._pictures = [picture, tinted]
            self._pictures.append(self._picture_of_marks(lanes, palette))
            self._pictures_key = key
        return self._pictures

    def _picture_of_marks(self, lanes: Lanes, palette: QPalette) -> QPixmap:
        picture = self._blank()
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_marks(painter, lanes, palette)
        return picture

    def _paint_marks(self, painter: QPainter, lanes: Lanes, palette: QPalette) -> None:
        scale = self._scale
        if self._marks is not None and self._overridden is not None:
            painting.paint_stops(painter, lanes.stops, self._marks, scale, palette)
            painting.paint_overrides(painter, lanes.flags, self._overridden, scale, palette)
        if self._run is not None:
            painting.paint_words_end(painter, lanes, self._words_end, scale, palette)
        painting.paint_flags(
            painter, lanes, [each.step for each in self._bookmarks], scale, palette
        )
        font = self._numbers_font
        painter.setFont(font)
        self._ticks = painting.placed_ticks(scale, QFontMetricsF(font), self.width())
        painting.paint_ticks(painter, lanes.ticks, self._ticks, palette)
        painting.paint_extent(painter, lanes.extent, scale, palette)

    def _blank(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap((QSizeF(self.size()) * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return picture

    def _paint_step(
        self, painter: QPainter, groove: QRectF, scale: StepScale, palette: QPalette
    ) -> None:
        x = scale.x(self.sliderPosition())
        if not scale.left - 1 <= x <= scale.right + 1:
            painting.paint_step_outside(painter, groove, palette, is_left=x < scale.left)
            return
        accent = theme.accent(palette) if self.isEnabled() else theme.muted(palette)
        painter.setPen(QPen(accent, 2))
        painter.drawLine(QPointF(x, groove.top() - 3), QPointF(x, groove.bottom() + 3))
        painter.setBrush(accent)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Base), 1.5))
        radius = KNOB_PX
        if self.hasFocus() or self.isSliderDown():
            radius += 1
        painter.drawEllipse(QPointF(x, groove.center().y()), radius, radius)


def _overridden(marks: TimelineMarks) -> NDArray[np.int64]:
    """The ranks of forced merges, and of the first merges that overrides touch, in order.

    If all merges are forced, as in a tokenizer that was opened, forced merges are left out.
    """
    import numpy as np

    forced = marks.forced
    if marks.n_merges >= LEAST_STEPS and len(forced) >= marks.n_merges:
        forced = forced[:0]
    overridden = [override.step for override in marks.overrides]
    return np.unique(np.concatenate([forced, overridden]).astype(np.int64))
