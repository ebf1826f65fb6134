"""The motion of one merge: a single step forward is shown as one connected motion above the panels.
The candidate lights up, its two tokens move together wherever they are visible, the joint rises in
the skyline, the row moves into the merges, and the curve moves on. The panels know nothing of it:
they show the new step at once. The motion lies above them, as a picture of the panels before the
step that dissolves into one after it. Nothing waits for the motion: the next step, a key, a click
or the wheel ends it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QLineF,
    QObject,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QAction, QGuiApplication, QPainter, QPaintEvent, QPen, QPixmap, QRegion
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QStyle, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.gui.tokens.merged_pairs import MergedPair
    from bpe_studio.workspace.workspace import Workspace

CALM_MS = 220
"""The least time between two steps for the second to be shown in motion."""
FRAME_MS = 12
LONGEST_FRAME_MS = 33
SHORTEST_MS = 200.0
LONGEST_MS = 3000.0
FULL_SPEED_MS = 600.0
FASTEST = 4.0
"""The fastest run that is shown in motion, in merges per second."""
APART_PX = 4.0
RADIUS_PX = 4.0
LIT = (0.0, 0.12)
JOINED = (0.15, 0.5)
RISEN = (0.35, 0.7)
LANDED = (0.3, 0.75)
DISSOLVED = (0.5, 0.75)
FADED = (0.85, 1.0)
"""The beginning and the end of each part, as shares of the whole."""
_ENDING = (QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


def duration_ms(speed: float, *, is_running: bool) -> float:
    """The duration of the motion.

    Args:
        speed: the chosen speed, in merges per second; infinite for full speed.
        is_running: whether a run makes the step; then the motion ends before the next one.

    >>> duration_ms(math.inf, is_running=False), duration_ms(1.0, is_running=False)
    (600.0, 1500.0)
    >>> duration_ms(4.0, is_running=True)
    200.0
    """
    if math.isinf(speed):
        return FULL_SPEED_MS
    wanted = min(max(SHORTEST_MS, 1500.0 / speed), LONGEST_MS)
    return min(wanted, 800.0 / speed) if is_running else wanted


@dataclass(frozen=True)
class Area:
    """A part of the window that shows merges; places are in the coordinates of its surface.

    Attributes:
        widget: the widget that shows them.
        pairs: the places where the merge of a rank joins a pair of tokens into a token.
        joints: the joints of a merge in the skyline, each as the lines of its bracket.
        candidate: the place of a pair among the candidates.
        row: the place of the row of a merge.
    """

    widget: QWidget
    pairs: Callable[[int, tuple[int, int], int], list[MergedPair]] | None = None
    joints: Callable[[int], list[list[QLineF]]] | None = None
    candidate: Callable[[tuple[int, int]], QRectF] | None = None
    row: Callable[[int], QRectF] | None = None

    @property
    def surface(self) -> QWidget:
        """The widget, or its viewport if it scrolls, which is not stored because Qt makes it."""
        if isinstance(self.widget, QAbstractScrollArea):
            return self.widget.viewport()
        return self.widget


class MergeMotion(QWidget):
    """The motion of a step, painted above the panels, in the coordinates of the widget below it.

    Args:
        workspace: the workspace whose steps are shown.
        action: the action that is checked if steps are shown in motion.
        above: the widget with all panels; the motion covers it and lets the mouse through.
    Signals:
        ended: the motion of a merge has ended, or will not begin.
    """

    ended = Signal()

    def __init__(self, workspace: Workspace, action: QAction, above: QWidget) -> None:
        super().__init__(above)
        self._workspace = workspace
        self._above = above
        self.action = action
        self._areas: list[Area] = []
        self._rank = -1
        self._changed_s = -math.inf
        self._frame_s = -math.inf
        self._passed_ms = 0.0
        self._lasts_ms = FULL_SPEED_MS
        self._rect = QRect()
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.setTimerType(Qt.TimerType.PreciseTimer)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.end()
        workspace.step_changing.connect(self._on_step_changing)
        workspace.step_changed.connect(self._on_stepped)
        workspace.state_changed.connect(self._on_stepped)
        workspace.run_changed.connect(self.end)
        self._clock.timeout.connect(self._on_frame)
        action.toggled.connect(self.end)

    def watch(self, *areas: Area) -> None:
        """Add areas in which merges are shown."""
        self._areas += areas

    @property
    def is_moving(self) -> bool:
        """Whether a merge is in motion."""
        return self._clock.isActive()

    @property
    def is_underway(self) -> bool:
        """Whether a merge is in motion, or will be once it is trained."""
        return self._rank >= 0

    @Slot()
    def end(self) -> None:
        """End the motion; the panels already show the step."""
        was_underway = self.is_underway
        if self.is_moving:
            self._clock.stop()
            QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
        self.hide()
        self._rank = -1
        self._before = QPixmap()
        self._after = QPixmap()
        self._candidate = QRectF()
        # Each has its area, which clips it.
        self._pairs: list[tuple[QRect, QRectF, QRectF]] = []
        self._joints: list[tuple[QRect, list[QLineF]]] = []
        if was_underway:
            self.ended.emit()

    # The pictures of the window.

    @Slot(object)
    def _on_step_changing(self, step: int) -> None:
        now_s = monotonic()
        before = self._workspace.step
        is_calm = 1000 * (now_s - self._changed_s) >= CALM_MS
        self._changed_s = now_s
        self.end()
        if step == before + 1 and is_calm and self._is_wanted():
            self._rank = before
            self._take_before()

    def _is_wanted(self) -> bool:
        """Whether the user, the system, the speed and the mouse allow a motion now."""
        if not self.action.isChecked() or not self._above.isVisible():
            return False
        is_running = self._workspace.state is State.running
        if is_running and FASTEST < self._workspace.transport.speed < math.inf:
            return False
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            return False
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        return self.style().styleHint(hint, None, self) > 0

    def _shown(self) -> Iterator[tuple[Area, QRect]]:
        """The visible areas and their places."""
        for area in self._areas:
            if area.widget.isVisible():
                surface = area.surface
                yield area, QRect(surface.mapTo(self._above, QPoint(0, 0)), surface.size())

    def _pair(self) -> tuple[int, int] | None:
        run = self._workspace.run
        if run is None or not 0 <= self._rank < self._workspace.n_merges:
            return None
        return int(run.columns.left[self._rank]), int(run.columns.right[self._rank])

    def _take_before(self) -> None:
        """Take a picture of each area, and of all between the candidates and the merges."""
        pair = self._pair()
        region = QRegion()
        path = QRect()
        for area, rect in self._shown():
            if area.candidate is not None and pair is not None:
                self._candidate = area.candidate(pair).translated(rect.topLeft())
            if area.candidate is not None or area.row is not None:
                path = path.united(rect)
            else:
                region += rect
        region += path
        self._rect = region.boundingRect()
        if region.isEmpty():
            self.end()
        else:
            self.setMask(region)
            self._before = self._above.grab(self._rect)

    @Slot()
    def _on_stepped(self) -> None:
        # A single step that is trained first is a run of one merge; the motion begins at its end.
        workspace = self._workspace
        is_training = workspace.state is State.running and math.isinf(workspace.transport.speed)
        if self._rank >= 0 and not self.is_moving and not is_training:
            self._begin()

    def _begin(self) -> None:
        run = self._workspace.run
        pair = self._pair()
        if run is None or pair is None:
            self.end()
            return
        is_running = self._workspace.state is State.running
        self._lasts_ms = duration_ms(self._workspace.transport.speed, is_running=is_running)
        self._passed_ms = 0.0
        self._frame_s = monotonic()
        for area, rect in self._shown():
            if area.pairs is None:
                continue
            for two in area.pairs(self._rank, pair, run.token_of(self._rank)):
                left, right = (each.translated(rect.topLeft()) for each in two)
                self._pairs.append((rect, left, right))
        self.setGeometry(self._above.rect())
        self.raise_()
        self.show()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]
        self._clock.start()

    @Slot()
    def _on_frame(self) -> None:
        now_s = monotonic()
        # The motion stands still while the window is busy, as just after a merge was trained.
        self._passed_ms += min(1000 * (now_s - self._frame_s), LONGEST_FRAME_MS)
        self._frame_s = now_s
        if self._passed_ms >= self._lasts_ms or self._pair() is None:
            self.end()
            return
        if self._after.isNull() and self._passed_ms >= RISEN[0] * self._lasts_ms:
            self._take_after()
        self.update()

    def _take_after(self) -> None:
        """Take a picture of the areas after the step, and the new joints."""
        self.hide()
        self._after = self._above.grab(self._rect)
        self.show()
        for area, rect in self._shown():
            joints = () if area.joints is None else area.joints(self._rank)
            for joint in joints:
                lines = [line.translated(rect.topLeft()) for line in joint]
                self._joints.append((rect, lines))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in _ENDING or (
            event.type() == QEvent.Type.Resize and watched is self._above
        ):
            self.end()
        return False

    # Painting.

    def paintEvent(self, _event: QPaintEvent) -> None:
        share = self._passed_ms / self._lasts_ms
        dissolved = _eased(share, DISSOLVED)
        light = _eased(share, LIT) * (1.0 - _eased(share, FADED))
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawPixmap(self._rect.topLeft(), self._before)
            if dissolved > 0:
                painter.setOpacity(dissolved)
                painter.drawPixmap(self._rect.topLeft(), self._after)
            painter.setPen(QPen(theme.accent(self.palette()), 2.0))
            for clip, left, right in self._pairs:
                painter.setClipRect(clip)
                # Their token may be at another place, so the frame disappears with them.
                self._paint_pair(painter, left, right, share, light * (1.0 - dissolved))
            painter.setOpacity(light)
            for clip, joint in self._joints:
                painter.setClipRect(clip)
                _paint_joint(painter, joint, _eased(share, RISEN))
            painter.setClipping(False)
            self._paint_card(painter, _eased(share, LANDED), dissolved, light)

    def _paint_before(self, painter: QPainter, place: QPointF, rect: QRectF) -> None:
        """Paint a piece of the picture before the step at another place."""
        ratio = self._before.devicePixelRatio()
        source = rect.translated(-QPointF(self._rect.topLeft()))
        painter.drawPixmap(
            QRectF(place, rect.size()),
            self._before,
            QRectF(source.topLeft() * ratio, source.size() * ratio),
        )

    def _paint_pair(
        self, painter: QPainter, left: QRectF, right: QRectF, share: float, light: float
    ) -> None:
        """Paint two tokens, which part a little, move together and become one."""
        joined = _eased(share, JOINED)
        if joined >= 1.0:
            painter.setOpacity(light)
            _paint_frame(painter, left.united(right))
            return
        side = 1 if left.left() <= right.left() else -1
        apart = APART_PX * _eased(share, LIT) * (1.0 - joined) * side
        for rect, shift in ((left, -apart), (right, apart)):
            painter.setOpacity(1.0)
            self._paint_before(painter, rect.topLeft() + QPointF(shift, 0), rect)
            painter.setOpacity(light)
            _paint_frame(painter, rect.translated(shift, 0))

    def _paint_card(self, painter: QPainter, landed: float, dissolved: float, light: float) -> None:
        """Paint the row of the candidate, which moves to the row of the merge.
        If one of them is missing, the other lights up.
        """
        start = self._candidate
        end = QRectF()
        for area, rect in self._shown():
            if area.row is not None:
                end = area.row(self._rank).translated(rect.topLeft())
        if landed > 0:
            painter.setOpacity(1.0 - dissolved)
            painter.fillRect(start, self.palette().base())  # the row has left its place
        opacity = light
        if end.isEmpty():
            opacity *= 1.0 - landed
            end = start
        elif start.isEmpty():
            start = end
        if start.isEmpty():
            return
        painter.setOpacity(opacity)
        at = QRectF(
            start.topLeft() + (end.topLeft() - start.topLeft()) * landed,
            start.size() + (end.size() - start.size()) * landed,
        )
        if not self._candidate.isEmpty() and landed < 1.0:
            self._paint_before(painter, at.topLeft(), self._candidate)
        _paint_frame(painter, at)


def _eased(share: float, part: tuple[float, float]) -> float:
    """The progress of a part of the motion, from 0 to 1, slow at both ends."""
    passed = min(max((share - part[0]) / (part[1] - part[0]), 0.0), 1.0)
    return passed * passed * (3.0 - 2.0 * passed)


def _paint_frame(painter: QPainter, rect: QRectF) -> None:
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)


def _paint_joint(painter: QPainter, joint: list[QLineF], risen: float) -> None:
    """Paint a bracket that rises from its feet: first its two legs, then its roof."""
    left, roof, right = joint
    painter.drawLine(left.p1(), left.p1() + (left.p2() - left.p1()) * risen)
    painter.drawLine(right.p2(), right.p2() + (right.p1() - right.p2()) * risen)
    if risen >= 1.0:
        painter.drawLine(roof)
