"""A person who learns, plays and takes away: the hand of `tests/gui/hand.py` with what these tests do often."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QPlainTextEdit, QTextEdit

from bpe_studio.engine.run import Run
from bpe_studio.workspace.state import State
from tests.gui.acceptance.compare_teach_take.plain_bpe import plain
from tests.gui.hand import ALT, CONTROL, Hand

PATIENCE_MS = 20_000


class Learner(Hand):
    """A hand at a window.

    Attributes:
        workspace: what is open, to look at and to wait for.
    """

    def __init__(self, window, qtbot) -> None:
        super().__init__(window, lambda is_so: qtbot.waitUntil(is_so, timeout=PATIENCE_MS))
        qtbot.waitExposed(window)
        self.workspace, self.panels = window.workspace, window.panels

    def wait(self, is_so) -> None:
        """Wait until something is so."""
        self._wait_until(is_so)

    # Opening and learning.

    def open_sample(self, title: str) -> None:
        """Choose a sample from the menu."""
        before = self.workspace.run
        self.choose_from_menu("File", "Samples", title)
        self.opened(before)

    def open_file(self, monkeypatch, path: Path) -> None:
        """Open a file; the dialog of the system is answered."""
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_, **__: ([str(path)], ""))
        self.window.activateWindow()
        self.wait(self.window.isActiveWindow)
        before = self.workspace.run
        self.key(Qt.Key.Key_O, CONTROL)
        self.opened(before)

    def opened(self, before: Run | None = None) -> None:
        """Wait for what was opened in place of what was there before."""
        self.wait(lambda: self.workspace.run is not before and self.workspace.state not in (State.empty, State.loading))
        self.wait(lambda: self.window.text_panel.editor.isVisible())

    def learn(self) -> None:
        """Press F5, and wait for the end of the run."""
        n_merges = self.workspace.n_merges
        self.wait(lambda: self.window.actions_by_id["transport.run"].isEnabled())
        self.wait(lambda: QApplication.activePopupWidget() is None)
        self.window.activateWindow()
        self.wait(self.window.isActiveWindow)
        self.key(Qt.Key.Key_F5)
        self.wait(lambda: self.workspace.n_merges > n_merges and self.workspace.state is State.done)

    def go_to(self, step: int) -> None:
        """Type a step."""
        self.window.activateWindow()
        self.key(Qt.Key.Key_G, CONTROL)
        self.type(str(step))
        self.key(Qt.Key.Key_Return)
        self.wait(lambda: self.workspace.step == step)
        self.wait(lambda: self.window.text_panel.editor.step == step)

    def go_to_end(self) -> None:
        """Press Alt+End."""
        self.window.activateWindow()
        self.key(Qt.Key.Key_End, ALT)
        self.wait(lambda: self.workspace.step == self.workspace.n_merges)

    def type_text(self, text: str) -> None:
        """Type into the text in the middle, over what stands there."""
        self.click("text.input")
        self.key(Qt.Key.Key_A, CONTROL)
        self.write(text)
        self.wait(lambda: self.workspace.typed_text == text)

    # Reading.

    def says(self, name: str) -> str:
        """What a control says, without the signs of shortcuts and directions."""
        widget = self.find(name)
        text = widget.toPlainText() if isinstance(widget, QPlainTextEdit | QTextEdit) else widget.text()
        return plain(text).replace("&", "")

    def is_there(self, name: str) -> bool:
        """Whether a button can be seen."""
        return any(each.isVisible() for each in self.window.findChildren(QAbstractButton, name))

    def rows(self, name: str) -> list[list[str]]:
        """What a table says, row for row."""
        model = self.find(name).model()
        columns = range(model.columnCount())
        return [[plain(str(model.index(row, k).data() or "")) for k in columns] for row in range(model.rowCount())]

    def tokens(self) -> list[str]:
        """The tokens of the merge list."""
        return [row[2] for row in self.rows("merges.table")]

    def told(self) -> str:
        """What the line above the panels says."""
        return self.says("banner.message")
