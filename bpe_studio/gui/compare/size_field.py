"""The field in which vocabulary sizes are typed.

It is shown on request, and says why it cannot read a text.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QWidget

from bpe_studio.explain.comparison.size_list import LONGEST_LIST, SizeError, SizeRange, read_sizes
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

WIDTH_EM = 30


class SizeField(QWidget):
    """The field, with a message below it; Enter adds the sizes and closes it, Escape closes it.

    Signals:
        added: list of int, steps to add to the chosen ones.
    """

    added = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._range: SizeRange | None = None
        self.field = named(
            QLineEdit(self),
            "compare.sizes",
            "Vocabulary sizes to compare",
            "One size or several, with a comma and a space between them; 4k is 4,000. Enter adds"
            " them to the others",
        )
        self.field.setPlaceholderText("1000, 2000, 4k, 8k")
        self.field.setMaxLength(LONGEST_LIST)
        self.bad = named(Note(role="error"), "compare.bad", "Why the sizes cannot be read")
        self.bad.hide()
        column(self.field, self.bad, parent=self, spacing=TIGHT_PX)
        self.field.returnPressed.connect(self._on_add)
        self.field.textEdited.connect(self._on_edited)
        leave = QShortcut(QKeySequence(Qt.Key.Key_Escape), self.field)
        leave.setContext(Qt.ShortcutContext.WidgetShortcut)
        leave.activated.connect(self.forget)
        self.hide()

    @Slot()
    def ask(self) -> None:
        """Show and focus the field."""
        self.field.setMaximumWidth(WIDTH_EM * self.fontMetrics().height())
        self.show()
        self.field.setFocus()

    def set_range(self, within: SizeRange | None) -> None:
        """Set the range of sizes; None without a run."""
        if within != self._range:
            self._range = within
            self.set_message("")
        if within is None:
            self.hide()

    def set_message(self, problem: str) -> None:
        """Show an error, or none."""
        self.bad.set_message(problem)
        self.bad.setVisible(bool(problem))
        self.setVisible(bool(problem) or not self.isHidden())

    @Slot()
    def forget(self) -> None:
        """Clear and close the field."""
        self.field.clear()
        self.set_message("")
        self.hide()

    @Slot()
    def _on_add(self) -> None:
        if self._range is None:
            return
        try:
            steps = read_sizes(self.field.text(), self._range)
        except SizeError as error:
            self.set_message(f"{error}.")
            self.field.setFocus()
            return
        self.forget()
        self.added.emit(steps)

    @Slot()
    def _on_edited(self) -> None:
        self.set_message("")
