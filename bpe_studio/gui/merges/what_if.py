"""The button *What if…*, whose menu overrides the selected pair or changes the tie rule.

Each entry makes a branch of the run. The candidates panel sets the pair; the workspace makes and
trains the branch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.engine.options import capitalized, label_of
from bpe_studio.engine.tie_rules import TIE_RULES, TIES
from bpe_studio.explain.candidates import CandidateRow, count_pair, obstacle
from bpe_studio.explain.names import display_name, isolated
from bpe_studio.explain.wording import merge_name, number, times
from bpe_studio.gui.actions_on import overrides
from bpe_studio.gui.actions_on.overrides import MAKES_A_BRANCH, VERBS, pair_text
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.widgets.controls import enable, finish_controls
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.marks import as_written

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

_OTHER_TIP = "Opens a dialog to force or forbid a pair that is not in the list"
_TIES_TIP = "Breaks ties between equally frequent pairs by another rule, from this step on"


_TYPING_MS = 120
_HEX = re.compile(r"⟨((?:[0-9A-Fa-f]{2} ?)+)⟩")


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
        # The action is made here: shiboken may drop its object for one that Qt makes.
        action = QAction(menu)
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
            action.setToolTip(f"Among equally frequent pairs, takes {TIE_RULES[rule].words}")
            action.setStatusTip("")
            action.setData(rule)
            action.setCheckable(True)
            group.addAction(action)
        return menu

    def menu_actions(self) -> list[QAction]:
        """The entries that are not about the pair, for a context menu."""
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
        """Enable the overrides that can be made now; tooltips say why others cannot."""
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
            shown: the pair as the window displays it.
        """
        overrides.branch_off(self._workspace, verb, names, shown, self._workspace.step)


@dataclass(frozen=True)
class _TypedPair:
    """Two typed tokens, looked up at a step.

    Attributes:
        message: a sentence about them.
        names: the pair as logs write it; empty if one of them is not a token.
        shown: the pair as the window displays it.
        can_force: whether it can be merged.
        can_forbid: whether it can be forbidden.
    """

    message: str
    names: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    can_force: bool = False
    can_forbid: bool = False


def look_up(run: Run, step: int, typed: tuple[str, str]) -> _TypedPair:
    """Find and count a typed pair; call it in the thread pool, as a large corpus takes long."""
    found = [_find_token(run, text) for text in typed]
    for text, token in zip(typed, found, strict=True):
        if not text:
            return _TypedPair("Type two tokens; ␣ or a space stands for a space")
        if token is None:
            return _TypedPair(f"There is no token {isolated(text)} in this run")
        if token >= run.token_of(step):
            rank = run.rank_of(token)
            return _TypedPair(
                f"{isolated(text)} is made only by {merge_name(rank)}, after step {number(step)}"
            )
    left, right = found
    assert left is not None and right is not None
    pair = left, right
    names = tuple(map(run.token_name, pair))
    shown = tuple(display_name(run, token) for token in pair)
    why_not = obstacle(run, pair, step)
    count = count_pair(run, pair, step)
    words = " + ".join(map(isolated, shown))
    occurs = f"{words} occurs {times(count)} in the corpus" if count else f"{words} does not occur"
    is_forbidden = names in run.plan.forbidden_at(step)
    if is_forbidden:
        occurs += "; it is forbidden already"
    message = f"{occurs}; it cannot be forced: {why_not}" if why_not else occurs
    return _TypedPair(message, names, shown, not why_not, not is_forbidden)


def _find_token(run: Run, text: str) -> int | None:
    """The internal id of a typed token, in which ␣ is a space too; None if there is none."""
    from bpe_studio.engine.text.alphabet import to_stand_ins

    config = run.config
    names = []
    if config.units == "bytes":
        before = config.continuing or ""
        end = config.word_end or ""
        if not text.startswith(before):
            before = ""
        if not text.endswith(end):
            end = ""
        inner = text[len(before) : len(text) - len(end)]
        names.append(f"{before}{to_stand_ins(_bytes(inner))}{end}")
    else:
        names.append(as_written(text))
    for name in (*names, text):
        token = run.find_token(name)
        if token is not None:
            return token
    return None


def _bytes(text: str) -> bytes:
    content = b""
    place = 0
    for match in _HEX.finditer(text):
        content += _plain_bytes(text[place : match.start()]) + bytes.fromhex(match[1])
        place = match.end()
    return content + _plain_bytes(text[place:])


def _plain_bytes(text: str) -> bytes:
    return as_written(text).encode("utf-8", "surrogatepass")


class OverrideDialog(QDialog):
    """Two typed tokens of the step, to force or forbid them as a pair.

    The thread pool looks up and counts the pair, because that takes a pass over the corpus. The
    dialog only emits the pair; it makes no branch.

    Args:
        row: the candidate to start with; None for empty fields.

    Signals:
        chosen: ("force" or "forbid", the pair as logs write it, the pair as it is displayed).
    """

    chosen = Signal(str, object, object)

    def __init__(
        self, workspace: Workspace, row: CandidateRow | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._found: _TypedPair | None = None
        self._job = LatestAnswer(look_up, self, rest_ms=_TYPING_MS)
        self.setWindowTitle(f"Another pair at step {number(workspace.step)}")
        self.setObjectName("candidates.other_dialog")
        left = ""
        right = ""
        if row is not None:
            left = row.left
            right = row.right
        self.left = self._field("candidates.other_left", "Left token", left)
        self.right = self._field("candidates.other_right", "Right token", right)
        self.answer = Note("", "plain", self)
        self.answer.setObjectName("candidates.other_answer")
        self.answer.setAccessibleName("Facts about the pair")
        self.answer.setMinimumSize(360, 3 * self.fontMetrics().lineSpacing())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, parent=self)
        self.force = buttons.addButton("Force it", QDialogButtonBox.ButtonRole.AcceptRole)
        self.forbid = buttons.addButton("Forbid it", QDialogButtonBox.ButtonRole.ActionRole)
        for button, name, tip in (
            (self.force, "force", VERBS["force"][1]),
            (self.forbid, "forbid", VERBS["forbid"][1]),
            (
                buttons.button(QDialogButtonBox.StandardButton.Cancel),
                "cancel",
                "Closes the dialog without an override",
            ),
        ):
            button.setObjectName(f"candidates.other_{name}")
            button.setToolTip(tip)
        form = QFormLayout()
        form.addRow("&Left token", self.left)
        form.addRow("&Right token", self.right)
        whole = QVBoxLayout(self)
        whole.addLayout(form)
        whole.addWidget(self.answer)
        whole.addWidget(buttons)
        finish_controls(self)
        for field in (self.left, self.right):
            field.textChanged.connect(self._on_typed)
        self._job.answered.connect(self._on_answered)
        self.force.clicked.connect(self._on_force)
        self.forbid.clicked.connect(self._on_forbid)
        buttons.rejected.connect(self.reject)
        workspace.run_changed.connect(self.reject)
        workspace.step_changed.connect(self.reject)
        self._on_typed()

    def _field(self, name: str, label: str, text: str) -> QLineEdit:
        field = QLineEdit(text, self)
        field.setObjectName(name)
        field.setAccessibleName(label)
        field.setToolTip("A token of this step, written as in the tables; ␣ or a space for a space")
        return field

    @Slot()
    def _on_typed(self) -> None:
        self._found = None
        self._enable()
        run = self._workspace.run
        if run is not None:
            self._job.ask(run, self._workspace.step, (self.left.text(), self.right.text()))

    @Slot(object)
    def _on_answered(self, found: _TypedPair) -> None:
        self._found = found
        self.answer.set_message(found.message)
        self._enable()

    def _enable(self) -> None:
        found = self._found
        self.force.setEnabled(found is not None and found.can_force)
        self.forbid.setEnabled(found is not None and found.can_forbid)

    @Slot()
    def _on_force(self) -> None:
        self._choose("force")

    @Slot()
    def _on_forbid(self) -> None:
        self._choose("forbid")

    def _choose(self, verb: str) -> None:
        found = self._found
        if found is not None:
            self.accept()
            self.chosen.emit(verb, found.names, found.shown)
