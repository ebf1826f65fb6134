"""Buttons for the overrides that the user can make at the step; each makes a branch of the run.

Force a pair, skip it once, forbid it, change the tie rule, or type another pair. The candidates panel sets the pair;
the workspace makes and trains the branch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Slot
from PySide6.QtGui import QAction, QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from bpe_studio.engine.presets import TIE_RULES, TIES
from bpe_studio.explain.candidates import CandidateRow
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on import overrides
from bpe_studio.gui.actions_on.overrides import MAKES_A_BRANCH, VERBS, pair_text
from bpe_studio.gui.look.control_styles import BUTTON_STYLE
from bpe_studio.gui.widgets.controls import ActionButton
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

_OTHER_TIP = "Opens a dialog to force or forbid a pair that is not in the list"
_TIES_TIP = "Breaks ties between equally frequent pairs by another rule, from this step on"
_BETWEEN_PX, _LEAST_BETWEEN_PX = 4, 2


class OverrideBar(QWidget):
    """A line with the pair, and a row of buttons.

    Attributes:
        actions_by_id: the actions of the buttons, by their objectName.
        ties: the menu of the tie rules.
    """

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._row: CandidateRow | None = None
        self._why_not = ""
        self._is_short = False
        self.actions_by_id: dict[str, QAction] = {}
        self._build()
        self._connect()
        self.refresh()

    def _build(self) -> None:
        self.which = Note("", "help", self)
        self.which.setObjectName("candidates.which")
        self.which.setAccessibleName("The pair to override")
        self.which.setWordWrap(False)
        self._verbs = [self._button(f"candidates.{verb}", text) for verb, (text, _) in VERBS.items()]
        self._more = [self._ties_button(), self._button("candidates.other", "Another pair…", "Another pair…")]
        self._first, self._second = QHBoxLayout(), QHBoxLayout()
        for row in (self._first, self._second):
            row.setSpacing(_BETWEEN_PX)
        for verb in self._verbs:
            self._first.addWidget(verb)
        self._first.addStretch(1)
        self._second.addStretch(1)
        for button in self._more:
            self._first.addWidget(button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(4)
        whole.addWidget(self.which)
        whole.addLayout(self._first)
        whole.addLayout(self._second)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        buttons = [*self._verbs, *self._more]
        room = self.width() - sum(button.sizeHint().width() for button in buttons)
        row = self._first if room >= _LEAST_BETWEEN_PX * len(buttons) else self._second
        # The stretch item before the last two buttons takes a gap as well.
        self._first.setSpacing(_BETWEEN_PX if room >= _BETWEEN_PX * len(buttons) else _LEAST_BETWEEN_PX)
        if row.indexOf(self._more[0]) < 0:
            for button in self._more:
                (self._second if row is self._first else self._first).removeWidget(button)
                row.addWidget(button)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, super().minimumSizeHint().height())

    def set_short(self, is_short: bool) -> None:
        """Hide the line above the buttons, to leave room for the list."""
        self._is_short = is_short
        self.which.setVisible(bool(self.which.text()) and not is_short)

    def _button(self, name: str, text: str, whole_text: str = "") -> ActionButton:
        action = QAction(whole_text or text, self)
        action.setObjectName(name)
        action.setIconText(text)
        self.actions_by_id[name] = action
        button = ActionButton(action, self)
        button.setObjectName(name)
        button.setAccessibleName(whole_text or text)
        _dress(button)
        return button

    def _ties_button(self) -> QToolButton:
        self.ties = QMenu("Tie rule from here", self)
        self.ties.setObjectName("candidates.ties_menu")
        self.ties.setAccessibleName("Tie rule from here")
        self.ties.setToolTipsVisible(True)
        group = QActionGroup(self)
        for rule in TIES:
            action = self.ties.addAction(rule)
            action.setObjectName(f"candidates.ties_{rule}")
            action.setToolTip(f"Among equally frequent pairs, takes {TIE_RULES[rule]}")
            action.setStatusTip("")
            action.setData(rule)
            action.setCheckable(True)
            group.addAction(action)
        self.ties_button = QToolButton(self)
        self.ties_button.setObjectName("candidates.ties")
        self.ties_button.setAccessibleName("Tie rule from here")
        self.ties_button.setText("Ties…")
        self.ties_button.setMenu(self.ties)
        self.ties_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        _dress(self.ties_button)
        # Without the menu arrow, for which there is no room; the text and its ellipsis suffice.
        self.ties_button.setStyleSheet(BUTTON_STYLE + "QToolButton::menu-indicator { image: none; }")
        return self.ties_button

    def _connect(self) -> None:
        for verb, slot in (("force", self._on_force), ("skip", self._on_skip), ("forbid", self._on_forbid)):
            self.actions_by_id[f"candidates.{verb}"].triggered.connect(slot)
        self.actions_by_id["candidates.other"].triggered.connect(self._on_other)
        self.ties.aboutToShow.connect(self.refresh)
        self.ties.triggered.connect(self._on_rule_chosen)
        self._workspace.state_changed.connect(self.refresh)
        self._workspace.progress_changed.connect(self.refresh)

    def menu_actions(self) -> list[QAction]:
        """What is not about the pair, for a context menu: the tie rules as a menu within it, and another pair."""
        return [self.ties.menuAction(), self.actions_by_id["candidates.other"]]

    def offer(self, row: CandidateRow | None, why_not: str = "") -> None:
        """Set the pair to override.

        Args:
            row: the candidate; None for none.
            why_not: why no candidate can be overridden now, or "".
        """
        self._row, self._why_not = row, why_not
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Enable the overrides that can be made now; the tooltips of the others say why not."""
        row, closed = self._row, overrides.why_closed(self._workspace)
        for verb, (_, tip) in VERBS.items():
            self._enable(self.actions_by_id[f"candidates.{verb}"], tip, closed or self._why_not_pair(verb))
        self._enable(self.actions_by_id["candidates.other"], _OTHER_TIP, closed)
        self.ties_button.setEnabled(not closed)
        self.ties_button.setToolTip(_tip(_TIES_TIP, closed))
        self.ties.menuAction().setEnabled(not closed)
        run = self._workspace.run
        rule = "" if run is None else run.plan.ties_at(self._workspace.step)
        for action in self.ties.actions():
            action.setChecked(action.data() == rule)
        what = pair_text(row.left, row.right) if row is not None else ""
        text = f"Override {what}" if what else "Override: select a pair above"
        self.which.set_message(text if run is not None else "")
        self.which.setVisible(bool(self.which.text()) and not self._is_short)

    def _enable(self, action: QAction, tip: str, why_not: str) -> None:
        action.setEnabled(not why_not)
        action.setToolTip(_tip(tip, why_not))

    def _why_not_pair(self, verb: str) -> str:
        row, run = self._row, self._workspace.run
        if row is None or run is None:
            return "select a pair in the list first"
        if self._why_not:
            return self._why_not
        workspace, is_next = self._workspace, row.mark == "next"
        return overrides.why_not_override(run, workspace.n_merges, verb, row.pair, workspace.step, is_next)

    @Slot()
    def _on_force(self) -> None:
        self._override("force")

    @Slot()
    def _on_skip(self) -> None:
        self._override("skip")

    @Slot()
    def _on_forbid(self) -> None:
        self._override("forbid")

    def _override(self, verb: str) -> None:
        row = self._row
        if row is not None:
            self.branch_off(verb, row.names, (row.left, row.right))

    @Slot()
    def _on_other(self) -> None:
        from bpe_studio.gui.merges.override_dialog import OverrideDialog

        dialog = OverrideDialog(self._workspace, self._row, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.branch_off)
        dialog.open()

    @Slot(QAction)
    def _on_rule_chosen(self, action: QAction) -> None:
        from bpe_studio.engine.training.overrides import Override, OverrideKind

        workspace, rule = self._workspace, str(action.data())
        run, step = workspace.run, workspace.step
        if run is not None and run.plan.ties_at(step) != rule:
            name = f"ties by {rule} from {number(step)}"
            workspace.runs.branch_off(Override(step, OverrideKind.ties, ties=rule), name)

    @Slot(str, object, object)
    def branch_off(self, verb: str, names: tuple[str, str], shown: tuple[str, str]) -> None:
        """Make a branch with an override of a pair.

        Args:
            verb: "force", "skip" or "forbid".
            names: the pair as logs write it.
            shown: the pair as it is displayed.
        """
        overrides.branch_off(self._workspace, verb, names, shown, self._workspace.step)


def _tip(tip: str, why_not: str) -> str:
    return f"{tip}\nNot now: {why_not}" if why_not else f"{tip}\n{MAKES_A_BRANCH}"


def _dress(button: QToolButton) -> None:
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
