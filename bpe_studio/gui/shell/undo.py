"""Undo and redo: the changes that the workspace reports, on Qt's stack, and the two actions that
move along it.
A change may keep a text with its runs in memory, so the number of changes is limited, and so is the
number of texts that they keep. Beyond these limits the oldest changes are dropped and can no longer
be undone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction, QKeySequence, QUndoCommand, QUndoStack

from bpe_studio.workspace.session import Project, Session
from bpe_studio.workspace.undo import UndoStep

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

MOST_CHANGES = 30
MOST_TEXTS = 4


class Undo(QObject):
    """The stack of changes, newest last.

    Args:
        workspace: reports each change, and reverts it.
        actions: the actions; "edit.undo" and "edit.redo" name the change that they revert or redo.
    """

    def __init__(
        self, workspace: Workspace, actions: Mapping[str, QAction], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.stack = QUndoStack(self)
        self.stack.setUndoLimit(MOST_CHANGES)
        self._undo = actions["edit.undo"]
        self._redo = actions["edit.redo"]
        self._workspace = workspace
        workspace.undo_step_added.connect(self._on_changed)
        self._undo.triggered.connect(self._on_undo)
        self._redo.triggered.connect(self._on_redo)
        self.stack.indexChanged.connect(self._show)
        self._show()

    @Slot(object)
    def _on_changed(self, change: UndoStep) -> None:
        self.stack.push(_Command(change))
        self._forget()

    def _forget(self) -> None:
        """Drop the oldest changes if all keep too many texts.
        This is done after a new change, when nothing can be redone.
        """
        commands = [self.stack.command(k) for k in range(self.stack.count())]
        changes = [command.change for command in commands if isinstance(command, _Command)]
        texts = set()
        n = 0
        for change in reversed(changes):
            before = change.before.session if isinstance(change.before, Project) else change.before
            if isinstance(before, Session):
                texts.add(before.corpus)
            if len(texts) > MOST_TEXTS:
                break
            n += 1
        if n == len(changes):
            return
        # Qt's stack cannot drop its oldest command, so the others are pushed again, which does not
        # repeat their changes.
        self.stack.clear()
        for change in changes[-n:]:
            self.stack.push(_Command(change))

    @Slot()
    def _on_undo(self) -> None:
        self.stack.undo()

    @Slot()
    def _on_redo(self) -> None:
        self.stack.redo()

    @Slot()
    def _show(self) -> None:
        for action, can, text, verb in (
            (self._undo, self.stack.canUndo(), self.stack.undoText(), "Undo"),
            (self._redo, self.stack.canRedo(), self.stack.redoText(), "Redo"),
        ):
            words = text[:1].lower() + text[1:]
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            # The tip does not name the change: a name with a tag in it would be read as HTML.
            label = f"&{verb}"
            tip = f"{verb}es the last change of settings, branches or marks ({keys})"
            if can:
                label += f": {words.replace('&', '&&')}"
            else:
                tip += f"\nNot now: there is nothing to {verb.lower()}"
            action.setEnabled(can)
            action.setText(label)
            action.setToolTip(tip)


class _Command(QUndoCommand):
    """A change that is already done when it is pushed."""

    def __init__(self, change: UndoStep) -> None:
        super().__init__(change.text)
        self.change = change
        self._is_done = True

    def undo(self) -> None:
        self._is_done = False
        self.change.undo()

    def redo(self) -> None:
        if not self._is_done:
            self._is_done = True
            self.change.redo()
