"""A dialog in which the user types two tokens of the step, to force or forbid them as a pair.

The pair is looked up and counted in the thread pool, because that takes a pass over the corpus. The
dialog only emits the pair; it makes no branch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.explain.candidates import CandidateRow, count_pair, obstacle
from bpe_studio.explain.names import display_name, isolated
from bpe_studio.explain.wording import merge_name, number, times
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.widgets.controls import finish_controls
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.marks import as_written

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

TYPING_MS = 120
_HEX = re.compile(r"⟨((?:[0-9A-Fa-f]{2} ?)+)⟩")


@dataclass(frozen=True)
class TypedPair:
    """What two typed tokens are at a step.

    Attributes:
        message: what the dialog says about them.
        names: the pair as logs write it; empty if one of them is no token.
        shown: the pair as it is displayed.
        can_force: whether it can be merged.
        can_forbid: whether it can be forbidden.
    """

    message: str
    names: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    can_force: bool = False
    can_forbid: bool = False


def look_up(run: Run, step: int, typed: tuple[str, str]) -> TypedPair:
    """Find and count a pair as it was typed.

    Slow on a large corpus, so call it in the thread pool.
    """
    found = [find_token(run, text) for text in typed]
    for text, token in zip(typed, found, strict=True):
        if not text:
            return TypedPair("Type two tokens; write a space as ␣ or as it is")
        if token is None:
            return TypedPair(f"There is no token {isolated(text)} in this run")
        if token >= run.n_alphabet + step:
            rank = token - run.n_alphabet
            return TypedPair(
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
    return TypedPair(message, names, shown, not why_not, not is_forbidden)


def find_token(run: Run, text: str) -> int | None:
    """The internal id of a typed token, with spaces as ␣ or as they are; None if there is none."""
    from bpe_studio.engine.text.alphabet import to_stand_ins

    config = run.config
    names = []
    if config.units == "bytes":
        before = config.continuing or ""
        end = config.word_end or ""
        is_end = bool(end) and text.endswith(end)
        is_inner = bool(before) and text.startswith(before)
        inner = text[len(before) if is_inner else 0 : len(text) - len(end) if is_end else None]
        names.append(
            f"{before if is_inner else ''}{to_stand_ins(_bytes(inner))}{end if is_end else ''}"
        )
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
    """Two fields, the facts about the pair, and the buttons.

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
        self._found: TypedPair | None = None
        self._job = LatestAnswer(look_up, self, rest_ms=TYPING_MS)
        self.setWindowTitle(f"Another pair at step {number(workspace.step)}")
        self.setObjectName("candidates.other_dialog")
        self.left = self._field(
            "candidates.other_left", "Left token", row.left if row is not None else ""
        )
        self.right = self._field(
            "candidates.other_right", "Right token", row.right if row is not None else ""
        )
        self.answer = Note("", "plain", self)
        self.answer.setObjectName("candidates.other_answer")
        self.answer.setAccessibleName("Facts about the pair")
        self.answer.setMinimumSize(360, 3 * self.fontMetrics().lineSpacing())
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, parent=self)
        self.force = buttons.addButton("Force it", QDialogButtonBox.ButtonRole.AcceptRole)
        self.forbid = buttons.addButton("Forbid it", QDialogButtonBox.ButtonRole.ActionRole)
        for button, name, tip in (
            (self.force, "force", "Merges this pair now, whatever its count"),
            (self.forbid, "forbid", "Never merges this pair, from this step on"),
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
    def _on_answered(self, found: TypedPair) -> None:
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
