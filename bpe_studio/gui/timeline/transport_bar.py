"""The transport: run, step and back, the step as a number to type, the timeline, and the speed.

It shows the workspace and requests steps; the buttons trigger actions, which the window connects. A
drag of the timeline moves the step at once and then at most once a frame. If the window is too
narrow for the whole row, the least important parts are hidden; the menus still have them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from itertools import pairwise

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.explain.wording import number
from bpe_studio.gui.background.panel import FRAME_MS
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.look.style import PRIMARY
from bpe_studio.gui.timeline.painting import Lanes
from bpe_studio.gui.timeline.slider import ZOOM_HINT, StepSlider
from bpe_studio.gui.timeline.updater import TimelineUpdater
from bpe_studio.gui.widgets.containers import STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import ActionButton, WholeNumber, named
from bpe_studio.gui.widgets.labels import AccessibleLabel
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

SLOWEST = 0.5
FASTEST = 2000.0
EDGE_PX = 12
STEP_TIP = (
    "The step: the number of learned merges that apply; drag it to move everything in the window\n"
    f"{ZOOM_HINT}"
)
_BETWEEN_DIGITS = re.compile(r"[\s.,'’٬]+")
"""The separators of thousands in a typed number, in any locale."""
TIMELINE_EM = 22
"""The least width of the timeline, in heights of a line."""
LONGEST_STEP = 40
"""The most characters of a typed step; a pasted text may be longer."""
N_PACES = 40
"""The positions of the speed slider below full speed, each faster by a fixed factor."""


def speed_of(position: int) -> float:
    """Merges a second at a position of the speed slider; the last position is full speed."""
    if position >= N_PACES:
        return math.inf
    speed = SLOWEST * (FASTEST / SLOWEST) ** (position / (N_PACES - 1))
    return round(speed, 1) if speed < 2 else float(round(speed))


def position_of(speed: float) -> int:
    """The position of the speed slider that is nearest to a speed."""
    if math.isinf(speed):
        return N_PACES
    share = math.log(max(SLOWEST, speed) / SLOWEST) / math.log(FASTEST / SLOWEST)
    return min(N_PACES - 1, round(share * (N_PACES - 1)))


def speed_text(speed: float) -> str:
    """A speed in words."""
    if math.isinf(speed):
        return "full speed"
    if speed < 1:
        return f"1 merge in {1 / speed:.2g} s"
    n_decimals = 0 if speed >= 2 or speed == 1 else 1
    return f"{grouping_locale().toString(speed, 'f', n_decimals)} merges a second"


class TransportBar(FollowsLook, QWidget):
    """Buttons, the step, the timeline, and the speed, next to each other."""

    def __init__(
        self, workspace: Workspace, actions: Mapping[str, QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._is_following = False
        self.setObjectName("transport")
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(FRAME_MS)
        self._growth = RefreshSlot(workspace, self)
        self._buttons = {
            name: _button(actions[f"transport.{name}"])
            for name in ("start", "back", "run", "step", "end", "step_n")
        }
        self.n = WholeNumber()
        self.slider = StepSlider()
        self.slider.addActions([actions["view.timeline_log"], actions["view.timeline_fit"]])
        self._log = actions["view.timeline_log"]
        self.speed = QSlider(Qt.Orientation.Horizontal)
        self.speed_label = QLabel()
        self.jump = QLineEdit()
        self.reading = AccessibleLabel()
        self._fitted: tuple[object, ...] = ()
        self._dispensable: list[list[QWidget]] = []
        self._is_tab_order_set = False
        self._name_parts()
        self._build()
        self._connect()
        self.feed = TimelineUpdater(workspace, self.slider)
        self.refresh()
        self.follow_look(fit_now=False)

    def _name_parts(self) -> None:
        self.n.setRange(1, 1_000_000)
        self.n.setValue(10)
        self.n.setFont(theme.numeric_font())
        self.n.setGroupSeparatorShown(True)
        named(self.n, "transport.n", "Merges per step", "The number of merges that “Step by” makes")
        named(self.slider, "transport.slider", "Step, over all merges learned", STEP_TIP)
        self.speed.setRange(0, N_PACES)
        self.speed.setPageStep(5)
        named(
            self.speed,
            "transport.speed",
            "Speed of a run",
            "The speed of a run, from one merge in two seconds to full speed",
        )
        self.speed_label.setObjectName("transport.speed_text")
        self.jump.setFont(theme.numeric_font())
        self.jump.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.jump.setMaxLength(LONGEST_STEP)
        named(
            self.jump,
            "transport.jump_to",
            "Step",
            "The step; type another number and press Enter to go there (Ctrl+G)",
        )
        tip = "Merges learned so far, and the number at which training ends"
        named(self.reading, "transport.reading", "Merges learned and target", tip)
        self.reading.setFont(theme.numeric_font())

    def _build(self) -> None:
        self._buttons["run"].setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._buttons["run"].setAutoRaise(False)
        self._buttons["step_n"].setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._buttons["step_n"].setAutoRaise(False)
        buttons = self._buttons
        step_word = _label("Step", self.jump)
        speed_word = _label("Speed", self.speed)
        first_buttons = [buttons[name] for name in ("start", "back", "run", "step", "end")]
        before = row(
            *first_buttons,
            8,
            buttons["step_n"],
            self.n,
            8,
            step_word,
            self.jump,
            self.reading,
            spacing=TIGHT_PX,
        )
        after = row(speed_word, self.speed, self.speed_label, spacing=TIGHT_PX)
        # They are level with the groove, at the top of the timeline, not with its numbers.
        for controls in (before, after):
            controls.addStrut(round(2 * Lanes.of(0).groove.center().y()))
        columns = [column(each, STRETCH, spacing=0) for each in (before, after)]
        self._inner_rows = (before, after, *columns)
        self._row = row(columns[0], (self.slider, 1), columns[1])
        whole = column(self._row, parent=self, margins=(EDGE_PX, 4, EDGE_PX, 0))
        whole.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        self._dispensable = [
            [self.speed_label],
            [self.reading],
            [buttons["step_n"], self.n],
            [speed_word, self.speed],
            [buttons["start"], buttons["end"]],
            [step_word],
        ]

    def minimumSizeHint(self) -> QSize:
        # The bar can be as narrow as the window, because parts that do not fit are hidden.
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def font_changed(self) -> None:
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()  # for example when a part gets another font, a moment after the bar
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fitted = ()  # Qt did not lay out the parts while the bar was hidden
        self._fit()
        if not self._is_tab_order_set:
            self._is_tab_order_set = True
            self._set_tab_order()

    def _set_tab_order(self) -> None:
        """Set the tab order along the row; the page follows."""
        buttons = [
            self._buttons[name] for name in ("start", "back", "run", "step", "end", "step_n")
        ]
        fields: list[QWidget] = [*buttons, self.n, self.jump, self.slider, self.speed]
        for before, after in pairwise(fields):
            QWidget.setTabOrder(before, after)

    def _fit(self) -> None:
        """Give each part the room for its text at this size, and hide parts that do not fit."""
        em = self.fontMetrics().height()
        widest = number(max(self._workspace.target, 99_999))
        fonts = (part.fontMetrics().height() for part in (self.jump, self.speed_label))
        now = self.width(), em, widest, self.reading.text(), *fonts
        is_least = self._dispensable[-1][0].isHidden()
        if now == self._fitted and (is_least or self._fits()):
            return
        is_other_size = em not in self._fitted[1:2]
        self._fitted = now
        if is_other_size:
            side = max(20, round(1.2 * em))
            for button in self.findChildren(QToolButton):
                button.setIconSize(QSize(side, side))
            self._buttons["run"].setMinimumWidth(5 * em)
            self.speed.setFixedWidth(6 * em)
        self.slider.setMinimumWidth(TIMELINE_EM * em)
        self.jump.setFixedWidth(self.jump.fontMetrics().horizontalAdvance(widest) + 24)
        metrics = self.speed_label.fontMetrics()
        self.speed_label.setMinimumWidth(
            max(metrics.horizontalAdvance(speed_text(speed_of(k))) for k in range(N_PACES + 1)) + 4
        )
        for n_out in range(len(self._dispensable) + 1):
            for k, parts in enumerate(self._dispensable):
                for part in parts:
                    part.setVisible(k >= n_out)
            if self._fits():
                break
        else:
            self.slider.setMinimumWidth(0)  # nothing else can be hidden
        if self.isVisible():
            self._row.activate()

    def _fits(self) -> bool:
        # Qt itself invalidates only the size of the outer layout.
        for layout in (*self._inner_rows, self._row):
            layout.invalidate()
        return self._row.minimumSize().width() <= self.width() - 2 * EDGE_PX

    def _connect(self) -> None:
        self._frame.timeout.connect(self._send_step)
        self._growth.granted.connect(self._show_run)
        self.slider.valueChanged.connect(self._on_slid)
        self.slider.view_changed.connect(self._show_scale)
        self._log.toggled.connect(self.slider.set_log)
        self.speed.valueChanged.connect(self._on_speed_moved)
        self.jump.returnPressed.connect(self._on_jump_entered)
        self.jump.editingFinished.connect(self._show_step)
        self._workspace.state_changed.connect(self._show_run)
        self._workspace.run_changed.connect(self._show_run)
        self._workspace.run_grew.connect(self._on_run_grew)
        self._workspace.step_changed.connect(self._on_step_changed)
        self._workspace.target_changed.connect(self._show_reading)
        self._workspace.transport.speed_changed.connect(self._show_speed)
        self._workspace.lesson.changed.connect(self._show_primary)

    def refresh(self) -> None:
        """Show the workspace."""
        self._show_run()
        self._show_speed()
        self._show_scale()
        self._show_primary()

    @Slot()
    def _show_primary(self) -> None:
        """Fill the button Run as the main one, unless a lesson has its own next step."""
        run = self._buttons["run"]
        run.setProperty(PRIMARY, self._workspace.lesson.lesson is None)
        run.update()

    @Slot()
    def _show_scale(self) -> None:
        first, last = self.slider.shown_steps
        part = f"steps {number(first)} to {number(last)}" if self.slider.is_zoomed else "all steps"
        self.slider.setToolTip(f"{STEP_TIP}\nShown: {part}")

    @Slot()
    def begin_jump(self) -> None:
        """Move the keyboard focus to the field of the step."""
        self.jump.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.jump.selectAll()

    @Slot()
    def _on_slid(self) -> None:
        if not self._is_following and not self._frame.isActive():
            self._frame.start()
            self._send_step()

    @Slot()
    def _send_step(self) -> None:
        if self.slider.value() != self._workspace.step:
            self._workspace.transport.go_to(self.slider.value())
            self._frame.start()

    @Slot(int)
    def _on_speed_moved(self, position: int) -> None:
        if not self._is_following:
            self._workspace.transport.set_speed(speed_of(position))

    @Slot()
    def _on_jump_entered(self) -> None:
        typed = _BETWEEN_DIGITS.sub("", self.jump.text())
        self.jump.setModified(False)  # from now on, the field follows the step again
        if typed.isdecimal():
            self._workspace.transport.go_to(int(typed))
        self._show_step()
        self.jump.selectAll()

    @Slot(object)
    def _on_run_grew(self, n_merges: int) -> None:
        # At full speed, all panels have something new at once and take turns.
        is_at_full_speed = self._workspace.state is State.running and math.isinf(
            self._workspace.transport.speed
        )
        if self.slider.maximum() == 0 or not is_at_full_speed:
            self._show_run()
        else:
            self._growth.request()

    @Slot()
    def _on_step_changed(self) -> None:
        if self._growth.is_waiting:
            self._show_run()
        else:
            self._show_step()

    @Slot()
    def _show_run(self) -> None:
        self._growth.cancel()
        n_merges = self._workspace.n_merges
        self._is_following = True
        self.slider.show_run(self._workspace.run, n_merges)
        self._is_following = False
        self.slider.setEnabled(n_merges > 0)
        self.jump.setEnabled(n_merges > 0)
        self._show_step()

    @Slot()
    def _show_step(self) -> None:
        step = self._workspace.step
        self._is_following = True
        if not self.slider.isSliderDown() or not self._frame.isActive():
            self.slider.setMaximum(max(self.slider.maximum(), step))
            self.slider.setValue(step)
        self._is_following = False
        if not (self.jump.hasFocus() and self.jump.isModified()):
            self.jump.setText(number(step))
        self._show_reading()

    @Slot()
    def _show_reading(self) -> None:
        workspace = self._workspace
        target = max(workspace.target, workspace.n_merges)
        if workspace.run is None:
            text = ""
        elif workspace.stop_reason:
            text = f"of {number(workspace.n_merges)}"
        elif workspace.state is State.running or workspace.n_merges in (target, workspace.step):
            text = f"of {number(target)}"
        else:
            text = f"of {number(workspace.n_merges)} learned, target {number(target)}"
        self.reading.setText(text)
        self._fit()

    @Slot()
    def _show_speed(self) -> None:
        speed = self._workspace.transport.speed
        self._is_following = True
        self.speed.setValue(position_of(speed))
        self._is_following = False
        self.speed_label.setText(speed_text(speed))
        self.speed.setAccessibleDescription(speed_text(speed))
        self.speed.setToolTip(
            "The speed of a run, from one merge in two seconds to full speed\nNow: "
            f"{speed_text(speed)}"
        )


def _button(action: QAction) -> ActionButton:
    button = ActionButton(action)
    button.setObjectName(f"{action.objectName()}_button")
    button.setAccessibleName(action.text().replace("&", ""))
    button.setAutoRaise(True)
    button.setIconSize(QSize(20, 20))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    if not icons.are_available():
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    return button


def _label(text: str, buddy: QWidget) -> QLabel:
    label = QLabel(text)
    label.setBuddy(buddy)
    return label
