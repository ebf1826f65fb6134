"""One merge, told: when you step by one, the merge is shown as one connected motion above the panels.

The candidate lights up, its two tokens move together wherever they are visible, the joint rises in the skyline, and the
row lands in the merges. The panels know nothing of it: they show the new step at once and only say where the merge is.
Nothing waits for the motion, the next step ends it, and a step back plays it backwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QGuiApplication, QPainter, QPaintEvent, QPen, QRegion
from PySide6.QtWidgets import QAbstractScrollArea, QStyle, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.gui.corpus.words import WordsView
    from bpe_studio.gui.merges.candidates_panel import CandidatesPanel
    from bpe_studio.gui.merges.panel import MergesPanel
    from bpe_studio.gui.skyline.view import SkylineView
    from bpe_studio.gui.text.token_editor import TokenEditor
    from bpe_studio.gui.tokens.merged_pairs import MergedPair
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

CALM_MS = 220
"""Steps that follow each other faster are not shown in motion."""
FRAME_MS, LONGEST_FRAME_MS = 16, 33
SHORTEST_MS, LONGEST_MS = 200.0, 3000.0
FULL_SPEED_MS = 400.0
FASTEST = 4.0
"""The fastest run that is shown in motion, in merges per second."""
APART_PX, RADIUS_PX = 5.0, 4.0
TIP = "Shows a merge in motion when you step by one"


def duration_ms(speed: float, *, is_running: bool) -> float:
    """How long the motion lasts.

    Args:
        speed: the chosen speed, in merges per second; infinite for full speed.
        is_running: whether a run makes the step; then the motion ends before the next merge.

    >>> duration_ms(math.inf, is_running=False), duration_ms(1.0, is_running=False), duration_ms(4.0, is_running=True)
    (400.0, 1200.0, 200.0)
    """
    if math.isinf(speed):
        return FULL_SPEED_MS
    wanted = min(max(SHORTEST_MS, 1200.0 / speed), LONGEST_MS)
    return min(wanted, 800.0 / speed) if is_running else wanted


@dataclass
class _Scene:
    """Where everything is, in the coordinates of the overlay; `clips` are the views, one for each group of shapes."""

    candidate: QRectF = field(default_factory=QRectF)
    row: QRectF = field(default_factory=QRectF)
    pairs: list[tuple[QRect, QPointF, list[MergedPair]]] = field(default_factory=list)
    joints: list[tuple[QRect, list[list[tuple[QPointF, QPointF]]]]] = field(default_factory=list)


class MergeMotion(QWidget):
    """The motion of a step, painted above a window's panels.

    Args:
        workspace: whose steps are shown.
        memory: remembers whether they are.
        above: the widget that holds all panels; the motion covers it and lets the mouse through.
    """

    def __init__(self, workspace: Workspace, memory: WindowSettings, above: QWidget) -> None:
        super().__init__(above)
        self._workspace, self._memory, self._above = workspace, memory, above
        self._step = workspace.step
        self._changed_s = self._frame_s = -math.inf
        self._passed_ms, self._lasts_ms = 0.0, FULL_SPEED_MS
        self._rank, self._is_back, self._is_waiting = -1, False, False
        self._scene: _Scene | None = None
        self._editor: TokenEditor | None = None
        self._words: WordsView | None = None
        self._merges: MergesPanel | None = None
        self._candidates: CandidatesPanel | None = None
        self._skyline: SkylineView | None = None
        self._clock = QTimer(self, interval=FRAME_MS)
        self._clock.setTimerType(Qt.TimerType.PreciseTimer)
        self.action = QAction("&Animate single steps", self)
        self.action.setObjectName("view.motion")
        self.action.setCheckable(True)
        self.action.setChecked(memory.get("motion", True))
        self.action.setToolTip(TIP)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()
        workspace.step_changed.connect(self._on_step_changed)
        workspace.state_changed.connect(self._on_state_changed)
        workspace.run_changed.connect(self._on_run_changed)
        self._clock.timeout.connect(self._on_frame)
        self.action.toggled.connect(self._on_toggled)

    def watch(
        self, editor: TokenEditor, words: WordsView, merges: MergesPanel, candidates: CandidatesPanel
    ) -> None:  # fmt: skip
        """Set the views in which merges are shown."""
        self._editor, self._words, self._merges, self._candidates = editor, words, merges, candidates

    def watch_skyline(self, skyline: SkylineView) -> None:
        """Set the skyline, which is made later than the other views."""
        self._skyline = skyline

    @property
    def is_moving(self) -> bool:
        """Whether a merge is in motion."""
        return self._clock.isActive()

    @Slot()
    def _on_run_changed(self) -> None:
        self._step = self._workspace.step
        self.end()

    @Slot(object)
    def _on_step_changed(self, step: int) -> None:
        now_s = monotonic()
        before, self._step = self._step, step
        is_calm = 1000 * (now_s - self._changed_s) >= CALM_MS
        self._changed_s = now_s
        self.end()
        self._is_waiting = False
        if abs(step - before) == 1 and is_calm and self._is_wanted():
            self._rank, self._is_back = min(before, step), step < before
            # A single step that has to be trained first is a run of one merge, and begins to move at its end.
            self._is_waiting = self._workspace.state is State.running and math.isinf(self._workspace.transport.speed)
            if not self._is_waiting:
                self._begin()

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        if self._is_waiting and state is not State.running:
            self._is_waiting = False
            if self._workspace.step == self._step:
                self._begin()

    def _begin(self) -> None:
        self._scene, self._passed_ms, self._frame_s = None, 0.0, monotonic()
        is_running = self._workspace.state is State.running
        self._lasts_ms = duration_ms(self._workspace.transport.speed, is_running=is_running)
        self._clock.start()

    def _is_wanted(self) -> bool:
        """Whether a step is to be shown in motion, by the user's choice, the system's, the speed and the mouse."""
        workspace = self._workspace
        has_motion = self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0
        is_fast = workspace.state is State.running and FASTEST < workspace.transport.speed < math.inf
        is_held = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
        return self.action.isChecked() and has_motion and not is_fast and not is_held

    @Slot()
    def _on_frame(self) -> None:
        now_s = monotonic()
        # While the window was busy, as it may be when a merge was just trained, the motion stands still.
        self._passed_ms += min(1000 * (now_s - self._frame_s), LONGEST_FRAME_MS)
        self._frame_s = now_s
        run = self._workspace.run
        if self._passed_ms >= self._lasts_ms or run is None or self._rank >= self._workspace.n_merges:
            self.end()
            return
        if self._scene is None:
            pair = int(run.columns.left[self._rank]), int(run.columns.right[self._rank])
            self._scene = self._look(self._rank, pair, run.n_alphabet + self._rank)
            self.setGeometry(self._above.rect())
            self.setMask(self._region(self._scene))
            self.raise_()
            self.show()
        self.update()

    def _look(self, rank: int, pair: tuple[int, int], token: int) -> _Scene:
        """Ask the views where the merge is."""
        scene = _Scene()
        if self._candidates is not None and not self._is_back:
            table = self._candidates.table
            scene.candidate = self._placed(table, table.row_rect(self._candidates.model.row_of(*pair)))
        if self._merges is not None:
            scene.row = self._placed(self._merges.table, self._merges.row_rect(rank))
        views: list[tuple[QAbstractScrollArea, Callable[[int, tuple[int, int], int], list[MergedPair]]]] = []
        if self._editor is not None:
            views.append((self._editor, self._editor.merged_pairs))
        if self._words is not None:
            views.append((self._words.table, self._words.merged_pairs))
        for view, merged_pairs in views:
            if view.isVisible():
                scene.pairs.append((self._clip(view), self._origin(view), merged_pairs(rank, pair, token)))
        if self._skyline is not None and self._skyline.isVisible():
            origin = self._origin(self._skyline)
            joints = [
                [(line.p1() + origin, line.p2() + origin) for line in joint]
                for joint in self._skyline.merged_joints(rank)
            ]
            scene.joints.append((self._clip(self._skyline), joints))
        return scene

    def _origin(self, view: QAbstractScrollArea) -> QPointF:
        return QPointF(view.viewport().mapTo(self._above, QPointF(0, 0)))

    def _clip(self, view: QAbstractScrollArea) -> QRect:
        return view.viewport().rect().translated(self._origin(view).toPoint())

    def _placed(self, view: QAbstractScrollArea, rect: QRectF) -> QRectF:
        return rect.translated(self._origin(view)) if view.isVisible() and not rect.isEmpty() else QRectF()

    def _region(self, scene: _Scene) -> QRegion:
        """What the motion may cover, so that nothing else is painted again with each frame."""
        region = QRegion(scene.candidate.united(scene.row).toAlignedRect().adjusted(-3, -3, 3, 3))
        for clip, origin, pairs in scene.pairs:
            for pair in pairs:
                whole = pair.left.united(pair.right).translated(origin).toAlignedRect()
                region += clip.intersected(whole.adjusted(-8, -3, 8, 3))
        for clip, joints in scene.joints:
            for joint in joints:
                for one, other in joint:
                    line = QRectF(one, other).normalized().toAlignedRect()
                    region += clip.intersected(line.adjusted(-3, -3, 3, 3))
        return region

    def paintEvent(self, _event: QPaintEvent) -> None:
        scene, share = self._scene, self._passed_ms / self._lasts_ms
        if scene is None:
            return
        share = 1.0 - share if self._is_back else share
        light = min(1.0, share / 0.15, (1.0 - share) / 0.2)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.accent(self.palette()), 2.0))
            painter.setOpacity(max(0.0, light))
            joined, risen, landed = _eased(share, 0.15, 0.55), _eased(share, 0.3, 0.7), _eased(share, 0.4, 0.8)
            for clip, origin, pairs in scene.pairs:
                painter.setClipRect(clip)
                for pair in pairs:
                    _paint_pair(painter, pair.left.translated(origin), pair.right.translated(origin), joined)
            for clip, joints in scene.joints:
                painter.setClipRect(clip)
                for joint in joints:
                    _paint_joint(painter, joint, risen)
            painter.setClipping(False)
            _paint_row(painter, scene.candidate, scene.row, landed)

    def end(self) -> None:
        """End the motion; the panels show the step already."""
        self._clock.stop()
        self._scene = None
        self.hide()

    @Slot(bool)
    def _on_toggled(self, is_on: bool) -> None:
        self._memory.put("motion", is_on)
        self.end()


def _eased(share: float, start: float, end: float) -> float:
    """The progress of a part of the motion, from 0 to 1, slow at both ends."""
    passed = min(max((share - start) / (end - start), 0.0), 1.0)
    return passed * passed * (3.0 - 2.0 * passed)


def _paint_pair(painter: QPainter, left: QRectF, right: QRectF, joined: float) -> None:
    """Two outlines that move together and become one."""
    if joined >= 1.0:
        painter.drawRoundedRect(left.united(right).adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
        return
    apart = APART_PX * (1.0 - joined) * (1 if left.left() <= right.left() else -1)
    for rect, shift in ((left, -apart), (right, apart)):
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1).translated(shift, 0), RADIUS_PX, RADIUS_PX)


def _paint_joint(painter: QPainter, joint: list[tuple[QPointF, QPointF]], risen: float) -> None:
    """A bracket that rises from its feet: its two legs, and then its roof."""
    (left_foot, left_top), (_, right_top), (_, right_foot) = joint
    left, right = left_foot + (left_top - left_foot) * risen, right_foot + (right_top - right_foot) * risen
    painter.drawLine(left_foot, left)
    painter.drawLine(right_foot, right)
    if risen >= 1.0:
        painter.drawLine(left_top, right_top)


def _paint_row(painter: QPainter, candidate: QRectF, row: QRectF, landed: float) -> None:
    """The outline of the candidate, which moves to the row of the merge; without a candidate the row alone."""
    if row.isEmpty() or candidate.isEmpty():
        rect = row if candidate.isEmpty() else candidate
    else:
        rect = QRectF(
            candidate.topLeft() + (row.topLeft() - candidate.topLeft()) * landed,
            candidate.size() + (row.size() - candidate.size()) * landed,
        )
    if not rect.isEmpty():
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), RADIUS_PX, RADIUS_PX)
