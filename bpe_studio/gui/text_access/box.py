"""Asks whether the files that a studio document names may be read, where their text is needed; it interrupts nothing.

It stands in a panel that needs the text, and is hidden as soon as the text can be read. What it asks, and what becomes
of the answer, is `workspace.text_access`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Slot
from PySide6.QtWidgets import QFileDialog, QFrame, QPushButton, QScrollArea, QSizePolicy, QWidget

from bpe_studio.explain.wording import plural
from bpe_studio.gui.text_access.paths_view import PathsView
from bpe_studio.gui.widgets.containers import SPACING_PX, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.progress_line import ProgressLine
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.corpus.text_access import Access

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

_BAR_PX = (140, 8)
LEAST_LINES = 6


class _Shrinking(QScrollArea):
    """As high as its content where there is room, and scrolled where there is not."""

    def __init__(self, content: QWidget, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidgetResizable(True)
        self.setWidget(content)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        content.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        content = self.widget()
        layout = content.layout() if content is not None else None
        if layout is None:
            return super().sizeHint()
        width = max(1, self.viewport().width())
        return QSize(width, layout.heightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(0, min(self.sizeHint().height(), LEAST_LINES * self.fontMetrics().lineSpacing()))


class TextAccessBox(QFrame):
    """The paths in full, what is known of them, and the buttons.

    Args:
        workspace: what is open.
        panel: the name of the panel that it is in, which the names of its widgets begin with.
        why: what the panel needs the text for, as a sentence.
        is_scrolled: whether it takes less room and scrolls where the panel is low.
    """

    def __init__(
        self, workspace: Workspace, panel: str, why: str, parent: QWidget | None = None, *, is_scrolled: bool = True
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._access = workspace.text_access
        self._panel, self._why = panel, why
        self._is_scrolled = is_scrolled
        self._is_wanted = True
        self._is_built = False
        named(self, f"{panel}.access", "Permission to read the files of the document")
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._access.changed.connect(self.refresh)
        self._access.progressed.connect(self._show_progress)
        self.refresh()

    def _build(self) -> None:
        """Make what is in it, when it is first shown: most windows never open such a document."""
        panel = self._panel
        self.question = named(Note(role="plain"), f"{panel}.access_question")
        self.paths = named(PathsView(self), f"{panel}.access_paths", "Paths of the files that the document names")
        self.state = named(Note(), f"{panel}.access_state")
        self.allow = named(QPushButton(self), f"{panel}.access_allow", "Allow reading these files")
        self.choose = named(QPushButton(self), f"{panel}.access_choose", "Choose the files of the text")
        self.cancel = named(QPushButton("Cancel", self), f"{panel}.access_cancel", "Cancel the check of the files")
        self.bar = named(ProgressLine(self), f"{panel}.access_progress", "How much of the files is checked")
        self.bar.setFixedSize(*_BAR_PX)
        self.cancel.setToolTip("Cancels the check; nothing of the files is kept")
        buttons = WrappingRow(self)
        buttons.add(self.allow)
        buttons.add(self.choose)
        self._buttons = buttons
        self._checking = QWidget(self)
        row(self.bar, self.cancel, "stretch", parent=self._checking)
        content = QWidget(self)
        column(
            self.question,
            self.paths,
            self.state,
            self._buttons,
            self._checking,
            parent=content,
            spacing=TIGHT_PX,
            margins=SPACING_PX,
        )
        column(_Shrinking(content, f"{panel}.access_area") if self._is_scrolled else content, parent=self)
        self.allow.clicked.connect(self._access.allow)
        self.choose.clicked.connect(self._on_choose_clicked)
        self.cancel.clicked.connect(self._access.cancel)
        self._is_built = True

    def set_wanted(self, is_wanted: bool) -> None:
        """Show it only while the panel needs the text."""
        if is_wanted != self._is_wanted:
            self._is_wanted = is_wanted
            self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the current state, or nothing where the text can be read."""
        text, state = self._access.text, self._access.state
        if text is None or not self._is_wanted:
            self.hide()
            return
        if not self._is_built:
            self._build()
        places = text.places
        n_files = len(places)
        these = "this file" if n_files == 1 else "these files"
        is_checking = state is Access.checking
        self.question.set_message(
            f"{self._why} The document holds words and counts only, and names "
            f"{'the file' if n_files == 1 else plural(n_files, 'file')} that its text was in:"
        )
        self.paths.set_paths(path for each in places for path in each)
        if state is Access.different:
            self.state.set_message(text.problem, "warning")
        elif is_checking:
            self.state.set_message("Comparing size and checksum with those in the document …", "help")
        else:
            self.state.set_message(
                f"Nothing of {these} has been read. Allow it if you know the document; the text is used only if its "
                "size and checksum match.",
                "help",
            )
        self.allow.setText("Check again" if state is Access.different else f"Allow reading {these}")
        self.allow.setAccessibleName(self.allow.text())
        self.allow.setToolTip(
            "Reads the files and compares them with the document; remembered for this document on this computer"
        )
        self.choose.setText("Choose the file…" if n_files == 1 else "Choose the files…")
        self.choose.setAccessibleName(self.choose.text().rstrip("…"))
        self.choose.setToolTip("Where the text is somewhere else now: it must be the same text")
        self._buttons.setVisible(not is_checking)
        self._checking.setVisible(is_checking)
        self._show_progress()
        self.show()

    @Slot()
    def _show_progress(self) -> None:
        if not self._is_built:
            return
        progress = self._access.progress
        fraction = 0.0 if progress is None else progress.fraction or 0.0
        self.bar.setRange(0, 100)
        self.bar.setValue(round(100 * fraction))

    @Slot()
    def _on_choose_clicked(self) -> None:
        document = self._workspace.document
        folder = "" if document is None else str(document.path.parent)
        chosen, _ = QFileDialog.getOpenFileNames(self, "Choose the text of the document", folder)
        self._access.choose([Path(path) for path in chosen])
