"""Asks once before unsaved work is lost, and marks the title while there is any.

What counts as unsaved is decided in `workspace/unsaved.py`. Nothing is asked before `begin`: a window that a test, a
picture or a script makes closes and opens at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QWidget

from bpe_studio.explain.names import elided, isolated_title
from bpe_studio.gui.widgets.question import Answer, Question
from bpe_studio.workspace.unsaved import UnsavedWork

if TYPE_CHECKING:
    from bpe_studio.gui.shell.commands import FileCommands
    from bpe_studio.workspace.workspace import Workspace

MOST_CHARACTERS = 60


class UnsavedGuard(QObject):
    """Stands between what a person does and the loss of unsaved work.

    Args:
        window: its title has the mark, and the dialog is in front of it.
        workspace: knows what is not saved.
        files: saves the document.

    Attributes:
        dialog: the question that is being asked; None while none is.
    """

    def __init__(self, window: QWidget, workspace: Workspace, files: FileCommands) -> None:
        super().__init__(window)
        self._window, self._workspace, self._files = window, workspace, files
        self._is_asking = self._may_close = False
        self._go_on: Callable[[], None] | None = None
        self.dialog: UnsavedDialog | None = None
        workspace.keeping.changed.connect(self._on_changed)
        workspace.saver.ended.connect(self._on_saving_ended)

    def begin(self) -> None:
        """Asks from now on."""
        self._is_asking = True
        self._workspace.opener.confirm = self.before_opening

    def before_opening(self, go_on: Callable[[], None], replaces_typed_text: bool) -> None:
        """Calls `go_on` when what is open may be replaced: at once, after it was saved, when it is discarded, or never.

        Args:
            go_on: opens something else.
            replaces_typed_text: whether the typed text would go too, as when a document is opened.
        """
        unsaved = self._workspace.keeping.unsaved
        if not replaces_typed_text:
            unsaved = replace(unsaved, has_typed_text=False)
        if self._is_asking and unsaved:
            self._ask("opening something else", unsaved, go_on)
        else:
            go_on()

    def may_close(self) -> bool:
        """Whether the window may close now; if not, the question is asked, and the window closed after the answer."""
        if not self._is_asking or self._may_close or not self._workspace.keeping.unsaved:
            return True
        self._ask("closing", self._workspace.keeping.unsaved, self._close)
        return False

    def leave_unsaved(self) -> None:
        """Lets the window be closed without a question; what was kept is offered at the next start."""
        self._may_close = True
        self._workspace.keeping.keep_at_end()

    def _close(self) -> None:
        self._may_close = True
        self._window.close()

    def _ask(self, what: str, unsaved: UnsavedWork, go_on: Callable[[], None]) -> None:
        if self.dialog is not None:
            self.dialog.close()
        self._go_on = go_on
        info, document = self._workspace.corpus, self._workspace.document
        name = document.path.name if document is not None else info.name if info is not None else ""
        self.dialog = UnsavedDialog(
            what, isolated_title(elided(name, MOST_CHARACTERS)), unsaved, document is not None, self._window
        )
        self.dialog.finished.connect(self._on_answered)
        self.dialog.open()

    @Slot(int)
    def _on_answered(self, answer: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        dialog.deleteLater()
        if answer == UnsavedDialog.DISCARD:
            self._proceed()
        elif answer == UnsavedDialog.SAVE and self._is_being_saved(dialog.unsaved):
            return  # goes on when it is saved
        else:
            self._go_on = None

    def _is_being_saved(self, unsaved: UnsavedWork) -> bool:
        """Saves what is open; whether that is not known yet."""
        if not unsaved.has_tokenizer:
            return self._files.save_document()
        choice = self._files.choose_place_to_save()
        if choice is not None:
            choice.rejected.connect(self._give_up)
        return choice is not None

    @Slot()
    def _give_up(self) -> None:
        self._go_on = None

    @Slot(object)
    def _on_saving_ended(self, is_saved: bool) -> None:
        if self._go_on is not None and self.dialog is None:
            if is_saved and not self._workspace.keeping.unsaved.has_tokenizer:
                self._proceed()
            else:
                self._go_on = None

    def _proceed(self) -> None:
        go_on, self._go_on = self._go_on, None
        if go_on is not None:
            go_on()

    @Slot()
    def _on_changed(self) -> None:
        self._window.setWindowModified(bool(self._workspace.keeping.unsaved))


class UnsavedDialog(Question):
    """The question before unsaved work is lost.

    Args:
        what: what the person is about to do, to follow "before".
        name: the name of what is open.
        unsaved: what would be lost.
        has_document: whether it is saved in the document that is open, and not in one that is to be named first.
    """

    SAVE, DISCARD = 10, 11

    def __init__(
        self, what: str, name: str, unsaved: UnsavedWork, has_document: bool, parent: QWidget | None = None
    ) -> None:
        role = QDialogButtonBox.ButtonRole
        self.unsaved = unsaved
        save_tip = "Saves a studio document with everything that is open, then goes on"
        if unsaved.has_tokenizer:
            save_tip = "Saves the tokenizer in a format that can hold it, then goes on"
        answers = (
            Answer("save", "&Save" if has_document else "&Save…", save_tip, self.SAVE, role.AcceptRole),
            Answer("discard", "&Discard", "Goes on without saving", self.DISCARD, role.DestructiveRole),
            Answer("cancel", "Cancel", "Changes nothing (Esc)", QDialog.DialogCode.Rejected.value, role.RejectRole),
        )
        question = f"Save your work on {name} before {what}?"
        lost = f"If you do not save it, you lose {unsaved.in_words()}."
        super().__init__("unsaved", "Unsaved work", question, lost, answers, parent)
        self.save, self.discard, self.cancel = (self.buttons[each.key] for each in answers)
