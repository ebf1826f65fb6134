"""The question before the window is closed, if unsaved work cannot be kept for the next start.
`workspace/unsaved.py` decides what counts as unsaved, and `workspace/keeping.py` keeps it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from bpe_studio.explain.names import elided, isolated_title
from bpe_studio.gui.widgets.question import Answer, Question

if TYPE_CHECKING:
    from bpe_studio.gui.shell.commands import FileCommands
    from bpe_studio.workspace.workspace import Workspace

MOST_CHARACTERS = 60
_SAVE = 10
_CLOSE = 11


class UnsavedGuard(QObject):
    """Keeps unsaved work when the window is closed, or asks.

    Args:
        window: the window, which the question is in front of.
        workspace: knows the unsaved work, and keeps it.
        files: saves the document or the tokenizer.

    Attributes:
        asks: whether it may ask; false before the window is in use, and when it must close.
        dialog: the open question, or None.
    """

    def __init__(self, window: QWidget, workspace: Workspace, files: FileCommands) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._files = files
        self.asks = False
        self.dialog: Question | None = None

    def may_close(self) -> bool:
        """Whether the window may close now; if not, ask the question."""
        why_not = self._workspace.keeping.keep_at_end()
        if not self.asks or not why_not:
            return True
        if self.dialog is None:
            self._ask(why_not)
        return False

    def _ask(self, why_not: str) -> None:
        info = self._workspace.corpus
        role = QDialogButtonBox.ButtonRole
        name = "" if info is None else f" on {isolated_title(elided(info.name, MOST_CHARACTERS))}"
        answers = (
            Answer(
                "save",
                "&Save…",
                "Saves your work; you can close the window afterwards",
                _SAVE,
                role.AcceptRole,
            ),
            Answer(
                "discard",
                "Close &without saving",
                "Closes the window",
                _CLOSE,
                role.DestructiveRole,
            ),
            Answer(
                "cancel",
                "Cancel",
                "Changes nothing (Esc)",
                QDialog.DialogCode.Rejected.value,
                role.RejectRole,
            ),
        )
        lost = f"Without saving, you lose {self._workspace.keeping.unsaved.in_words()}. {why_not}"
        question = f"Save your work{name} before closing?"
        self.dialog = Question("unsaved", "Unsaved work", question, lost, answers, self._window)
        self.dialog.finished.connect(self._on_answered)
        self.dialog.open()

    @Slot(int)
    def _on_answered(self, answer: int) -> None:
        dialog = self.dialog
        self.dialog = None
        if dialog is not None:
            dialog.deleteLater()
        if answer == _CLOSE:
            self.asks = False
            self._window.close()
        elif answer == _SAVE and self._workspace.keeping.unsaved.has_tokenizer:
            self._files.choose_place_to_save()
        elif answer == _SAVE:
            self._files.choose_document()
