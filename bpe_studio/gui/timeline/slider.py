"""The timeline: a slider over every merge learned that shows the whole run at a glance.

The curve in its groove is the tokens that the corpus still takes; it falls as merges are learned, so it shows where the
run did most of its work. Marks are in lanes above and below (`painting.py`). The slider counts steps, 0 to
the number of merges learned; a click or a drag goes to the place under the pointer, a click on a flag, a diamond or a
triangle to exactly that step. What it shows is given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
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

from bpe_studio.explain.merges import LEGEND, step_in_words, tokens_in_words
from bpe_studio.explain.names import override_text
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.gui.timeline import painting
from bpe_studio.gui.timeline.painting import MARGIN_PX, NEAR_PX, Lanes
from bpe_studio.workspace.marks import breakpoint_in_words

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.marks import Bookmark
    from bpe_studio.workspace.timeline_marks import TimelineMarks

KNOB_PX = 5
N_POINTS = 400
_STILL_PX = 3
"""So far a hand may move after a press on a mark without leaving its step."""


class StepSlider(QSlider):
    """A horizontal slider whose groove is a small plot of the run.

    Signals:
        menu_requested: (int, QPoint), a step, and the place on the screen at which its menu is wanted.
    """

    menu_requested = Signal(object, object)
    export_name = "Timeline"

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._run: Run | None = None
        self._n_shown = -1
        self._curve: list[tuple[float, float]] = []
        self._pictures: list[QPixmap] = []
        self._pictures_key: tuple[object, ...] = ()
        self._marks: TimelineMarks | None = None
        self._bookmarks: tuple[Bookmark, ...] = ()
        self._selected = -1
        self._held_at: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)
        self.setRange(0, 0)

    def sizeHint(self) -> QSize:
        return QSize(400, painting.HEIGHT_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, painting.HEIGHT_PX)

    def show_run(self, run: Run | None, n_merges: int) -> None:
        """Draws the first `n_merges` merges of the run; the value is the caller's to set."""
        if run is self._run and n_merges == self._n_shown == self.maximum():
            return
        if run is not self._run:
            self._marks, self._selected = None, -1
        self._run, self._n_shown = run, n_merges
        self._curve = _curve(run, n_merges)
        self._pictures_key = ()
        self.setMaximum(n_merges)
        self.setPageStep(max(1, n_merges // 20))
        self.update()

    def show_marks(self, marks: TimelineMarks | None) -> None:
        """Draws ties, stops and overrides; those of another run are not drawn."""
        self._marks = marks if marks is not None and marks.run is self._run else None
        self._pictures_key = ()
        self.update()

    def show_bookmarks(self, bookmarks: Sequence[Bookmark]) -> None:
        """Draws flags."""
        self._bookmarks = tuple(bookmarks)
        self._pictures_key = ()
        self.update()

    def show_selected(self, rank: int) -> None:
        """Draw a ring at the merge with this rank; below 0 none."""
        if rank != self._selected:
            self._selected = rank
            self.update()

    @property
    def marks(self) -> TimelineMarks | None:
        """The marks that are drawn."""
        return self._marks

    @property
    def selected(self) -> int:
        """The rank of the merge that the ring is at; below 0 none."""
        return self._selected

    def step_at(self, x: float) -> int:
        """The step under the place `x` of the widget."""
        return self._scale.step(x)

    def place_of(self, step: float) -> float:
        """Where a step is drawn."""
        return self._scale.x(step)

    @property
    def _scale(self) -> StepScale:
        return StepScale(self.maximum(), left=MARGIN_PX, right=self.width() - MARGIN_PX)

    def mark_at(self, place: QPointF, *, in_lane: bool = True) -> int | None:
        """The step of the mark that is nearest to a place, or None where none is near.

        Args:
            place: in the widget.
            in_lane: only a mark of the lane that the place is in; otherwise any bookmark above or below it.
        """
        lanes = Lanes.of(self.width())
        steps: list[int] = []
        if place.y() <= lanes.groove.top() or not in_lane:
            steps += [bookmark.step for bookmark in self._bookmarks]
        if in_lane and self._marks is not None:
            if place.y() <= lanes.groove.top() and not painting.is_crowded(len(self._overridden()), lanes.flags):
                steps += [rank + 1 for rank in self._overridden()]
            if place.y() >= lanes.ties.bottom() and not painting.is_crowded(len(self._marks.stop_ranks), lanes.stops):
                steps += (self._marks.stop_ranks + 1).tolist()
        near = [step for step in steps if step <= self.maximum() and abs(self.place_of(step) - place.x()) <= NEAR_PX]
        return min(near, key=lambda step: abs(self.place_of(step) - place.x()), default=None)

    def words_at(self, place: QPointF) -> str:
        """The text for a place: the mark there or the step, and what the marks mean."""
        if self._run is None or self.maximum() == 0:
            return "The timeline of a run: drag it to go to any step, once merges are learned"
        mark = self.mark_at(place)
        step = self.step_at(place.x()) if mark is None else mark
        lines = [step_in_words(self._run, step), tokens_in_words(self._run, step)]
        lines += [f"⚑ Bookmark “{each.name}”" for each in self._bookmarks if each.step == step]
        if self._marks is not None and step > 0:
            lines += [f"▲ Stop: {breakpoint_in_words(point)}" for point in self._marks.stopping(step - 1)]
            override = override_text(self._marks.override_at(step - 1), self._run.config)
            lines += [f"◆ Override: {override}"] if override else []
        return "\n".join([*lines, "", LEGEND])

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event.pos())
            return True
        return super().event(event)

    def _show_tip(self, place: QPoint) -> None:
        rows = "<br>".join(escape(line) for line in self.words_at(QPointF(place)).split("\n"))
        QToolTip.showText(self.mapToGlobal(place), f"<p style='white-space: pre'>{rows}</p>", self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        place = event.position()
        is_exact = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self._hold(place, self.mark_at(place, in_lane=not is_exact))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            mark = self.mark_at(event.position())
            self._hold(event.position(), self.mark_at(event.position(), in_lane=False) if mark is None else mark)

    def _hold(self, place: QPointF, mark: int | None) -> None:
        self._held_at = None if mark is None else place.x()
        self.setSliderDown(True)
        self.setSliderPosition(self.step_at(place.x()) if mark is None else mark)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        x = event.position().x()
        if not self.isSliderDown():
            if QToolTip.isVisible():
                self._show_tip(event.position().toPoint())
        elif self._held_at is None or abs(x - self._held_at) > _STILL_PX:
            self._held_at = None
            self.setSliderPosition(self.step_at(x))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.maximum() == 0:
            event.ignore()
            return
        if event.reason() is QContextMenuEvent.Reason.Mouse:
            place = QPointF(event.pos())
            mark = self.mark_at(place)
            self.menu_requested.emit(self.step_at(place.x()) if mark is None else mark, event.globalPos())
        else:
            here = QPoint(round(self.place_of(self.value())), self.height())
            self.menu_requested.emit(self.value(), self.mapToGlobal(here))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # With Alt the arrows are the transport's shortcuts.
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # A wheel that passes over the timeline while something else is scrolled must not move the step.
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self._paint(painter, self._paint_pictures)

    def export_size(self) -> QSize:
        """The size of the exported picture; empty where no merge is learned."""
        return self.size() if self.maximum() > 0 else QSize()

    def paint_export(self, painter: QPainter) -> None:
        """Paint it, curves and marks as lines and not as the pictures that are kept of them."""
        self._paint(painter, self._paint_lines)

    def _paint(self, painter: QPainter, paint_run: Callable[[QPainter, Lanes, QPalette], None]) -> None:
        palette, lanes = self.palette(), Lanes.of(self.width())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
        painter.setBrush(palette.color(QPalette.ColorRole.Base if self.isEnabled() else QPalette.ColorRole.Window))
        painter.drawRoundedRect(lanes.groove, 3, 3)
        if self.maximum() > 0:
            paint_run(painter, lanes, palette)
            if 0 <= self._selected < self.maximum():
                painting.paint_selected(painter, lanes.groove, self.place_of(self._selected + 1), palette)
            self._paint_step(painter, lanes.groove, palette)

    def _paint_lines(self, painter: QPainter, lanes: Lanes, palette: QPalette) -> None:
        area, here = painting.curve_area(self._curve, lanes.groove), self.place_of(self.sliderPosition())
        for colour, left, right in zip(painting.curve_colours(palette), (0, here), (here, self.width()), strict=True):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            # Cut, and not clipped: drawings in SVG know no clip.
            painter.drawPolygon(area.intersected(QPolygonF(QRectF(left, 0, right - left, self.height()))))
        self._paint_marks(painter, lanes, palette)

    def _paint_pictures(self, painter: QPainter, lanes: Lanes, palette: QPalette) -> None:
        behind, ahead, marks = self._pictures_of(lanes, palette)
        # The line of the step covers where the two meet.
        here, height = round(self.place_of(self.sliderPosition())), self.height()
        ratio = self.devicePixelRatioF()
        for picture, left, right in ((behind, 0, here), (ahead, here, self.width())):
            part = QRectF(left * ratio, 0, (right - left) * ratio, height * ratio)
            painter.drawPixmap(QRectF(left, 0, right - left, height), picture, part)
        painter.drawPixmap(0, 0, marks)

    def _pictures_of(self, lanes: Lanes, palette: QPalette) -> list[QPixmap]:
        """The curve behind the step, the curve ahead, and the marks; painted once, for a drag shows them each frame."""
        key = (self.width(), self.height(), self.devicePixelRatioF(), palette.cacheKey(), self.maximum())
        if key != self._pictures_key:
            area = painting.curve_area(self._curve, lanes.groove)
            self._pictures = []
            for colour in painting.curve_colours(palette):
                picture = self._blank()
                with QPainter(picture) as painter:
                    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                    painter.setPen(Qt.PenStyle.NoPen)
                    painter.setBrush(colour)
                    painter.drawPolygon(area)
                self._pictures.append(picture)
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
        n_steps = self.maximum()
        if self._marks is not None:
            painting.paint_ties(painter, lanes.ties, self._marks, n_steps, palette)
            painting.paint_stops(painter, lanes.stops, self._marks, n_steps, palette)
            painting.paint_overrides(painter, lanes.flags, self._overridden(), n_steps, palette)
        painting.paint_flags(painter, lanes, [each.step for each in self._bookmarks], n_steps, palette)

    def _overridden(self) -> list[int]:
        """The ranks of forced merges, and of the first merges that overrides touch."""
        if self._marks is None:
            return []
        return sorted({*self._marks.forced.tolist(), *(override.step for override in self._marks.overrides)})

    def _blank(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap((QSizeF(self.size()) * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return picture

    def _paint_step(self, painter: QPainter, groove: QRectF, palette: QPalette) -> None:
        x = self.place_of(self.sliderPosition())
        accent = theme.accent(palette) if self.isEnabled() else theme.muted(palette)
        painter.setPen(QPen(accent, 2))
        painter.drawLine(QPointF(x, groove.top() - 3), QPointF(x, groove.bottom() + 3))
        painter.setBrush(accent)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Base), 1.5))
        radius = KNOB_PX + (1 if self.hasFocus() or self.isSliderDown() else 0)
        painter.drawEllipse(QPointF(x, groove.center().y()), radius, radius)


def _curve(run: Run | None, n_merges: int) -> list[tuple[float, float]]:
    """Points (share of the merges, share of the tokens) of the curve."""
    if run is None or n_merges < 1:
        return []
    n_tokens = run.columns.n_tokens
    first = float(run.initial_n_tokens) or 1.0
    n_points = min(n_merges, N_POINTS)
    ranks = [(k + 1) * n_merges // n_points - 1 for k in range(n_points)]
    points = [(0.0, 1.0)]
    points += [((rank + 1) / n_merges, float(n_tokens[rank]) / first) for rank in ranks]
    return points
