"""The editor of the compared text, above its columns; it is the typed text of Explore."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.text.plain_editor import PlainEditor
from bpe_studio.gui.widgets.controls import named

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

LINES = 3
_INVITATION = "Type or paste a text: every column shows its tokens and ids as you type"


class ComparedTextEditor(PlainEditor):
    """Edits the typed text of the workspace; the first key replaces the beginning of the corpus.

    Attributes:
        n_lines_shown: its height in lines.
    """

    n_lines_shown = LINES

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        named(
            self,
            "compare.input",
            "The compared text",
            "The text that every column cuts into tokens",
        )
        self.setPlaceholderText(_INVITATION)
        self.typed.connect(self._on_typed)
        workspace.shown_text_changed.connect(self._follow)
        workspace.typed_text_changed.connect(self._follow)
        self._follow()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            margin = 2 * round(self.document().documentMargin()) + 2
            self.setFixedHeight(
                self.n_lines_shown * (self.fontMetrics().lineSpacing() + 2) + margin
            )

    @Slot()
    def _on_typed(self) -> None:
        self._workspace.set_typed_text(self.text(), is_cleared=True)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        if self.window().isVisible() and not self.isVisible():
            return  # otherwise, each key that is typed elsewhere would wait for this editor
        if self.text() != self._workspace.shown_text:
            self.set_text(self._workspace.shown_text)
        self.set_replaced_by_typing(self._workspace.is_excerpt_shown)
