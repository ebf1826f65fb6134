"""The button *What if…*: a menu that forces, skips or forbids the selected pair, or changes the tie
rule.

Each entry makes a branch of the run. The candidates panel sets the pair; the workspace makes and
trains the branch.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from bpe_studio.engine.options import capitalized, label_of
from bpe_studio.engine.presets import TIE_RULES, TIES
from bpe_studio.explain.candidates import CandidateRow
from bpe_studio.explain.wording import number
from bpe_studio.gui.actions_on import overrides
from bpe_studio.gui.actions_on.overrides import MAKES_A_BRANCH, VERBS, pair_text
from bpe_studio.gui.widgets.controls import enable

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

_OTHER_TIP = "Opens a dialog to force or forbid a pair that is not in the list"
_TIES_TIP = "Breaks ties between equally frequent pairs by another rule, from this step on"


class WhatIfButton(QPushButton):
    """The button and its menu.

    Attributes:
        verbs: the entry of each override of the pair, by its name.
        ties: the menu of the tie rules.
        other: the entry that opens the dialog for another pair.
    """

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__("What if…", parent)
        self.setObjectName("candidates.what_if")
        self.setAccessibleName("What if")
        self.setToolTip(
            "Forces, skips or forbids a pair, or breaks ties by another rule, in a branch of"
            " the run"
        )
        self._workspace = workspace
        self._row: CandidateRow | None = None
        self._why_not = ""
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.setObjectName("candidates.what_if_menu")
        self.verbs = {verb: self._entry(menu, f"candidates.{verb}") for verb in VERBS}
        menu.addSeparator()
        self.ties = self._ties_menu(menu)
        self.other = self._entry(menu, "candidates.other")
        self.other.setText("Another pair…")
        self.setMenu(menu)
        for verb, action in self.verbs.items():
            action.triggered.connect(partial(self._on_verb, verb))
        self.other.triggered.connect(self._on_other)
        self.ties.triggered.connect(self._on_rule_chosen)
        for signal in (
            menu.aboutToShow,
            self.ties.aboutToShow,
            workspace.state_changed,
            workspace.progress_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    @staticmethod
    def _entry(menu: QMenu, name: str) -> QAction:
        action = QAction(menu)  # of what Qt makes, shiboken may give up its object
        action.setObjectName(name)
        menu.addAction(action)
        return action

    @staticmethod
    def _ties_menu(parent: QMenu) -> QMenu:
        menu = QMenu("Tie rule from here", parent)
        parent.addMenu(menu)
        menu.setObjectName("candidates.ties")
        menu.setToolTipsVisible(True)
        group = QActionGroup(menu)
        for rule in TIES:
            action = menu.addAction(capitalized(label_of("ties", rule)))
            action.setObjectName(f"candidates.ties_{rule}")
            action.setToolTip(f"Among equally frequent pairs, takes {TIE_RULES[rule]}")
            action.setStatusTip("")
            action.setData(rule)
            action.setCheckable(True)
            group.addAction(action)
        return menu

    def menu_actions(self) -> list[QAction]:
        """What is not about the pair, for a context menu: the tie rules as a menu within it, and
        another pair.
        """
        return [self.ties.menuAction(), self.other]

    def offer(self, row: CandidateRow | None, why_not: str = "") -> None:
        """Set the pair to override.

        Args:
            row: the candidate; None for none.
            why_not: why no candidate can be overridden now, or "".
        """
        self._row = row
        self._why_not = why_not
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Enable the overrides that can be made now; the tooltips of the others say why not."""
        row = self._row
        closed = overrides.why_closed(self._workspace)
        what = f": {pair_text(row.left, row.right)}" if row is not None else ""
        for verb, (text, tip) in VERBS.items():
            self.verbs[verb].setText(text + what.replace("&", "&&"))
            enable(self.verbs[verb], f"{tip}\n{MAKES_A_BRANCH}", closed or self._why_not_pair(verb))
        enable(self.other, f"{_OTHER_TIP}\n{MAKES_A_BRANCH}", closed)
        enable(self.ties.menuAction(), f"{_TIES_TIP}\n{MAKES_A_BRANCH}", closed)
        run = self._workspace.run
        rule = "" if run is None else run.plan.ties_at(self._workspace.step)
        for action in self.ties.actions():
            action.setChecked(action.data() == rule)

    def _why_not_pair(self, verb: str) -> str:
        row = self._row
        run = self._workspace.run
        if row is None or run is None:
            return "select a pair in the list first"
        if self._why_not:
            return self._why_not
        workspace = self._workspace
        is_next = row.mark == "next"
        return overrides.why_not_override(
            run, workspace.n_merges, verb, row.pair, workspace.step, is_next
        )

    def _on_verb(self, verb: str, checked: bool = False) -> None:
        if self._row is not None:
            self.branch_off(verb, self._row.names, (self._row.left, self._row.right))

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

        workspace = self._workspace
        rule = action.data()
        run = workspace.run
        step = workspace.step
        if run is not None and run.plan.ties_at(step) != rule:
            name = f"ties: {label_of('ties', rule)} from {number(step)}"
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
