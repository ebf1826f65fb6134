"""The controls that choose the compared sizes: a field for several, the current step, two presets, and clear.

The field parses what is typed and reports errors; the panel keeps the list of sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu, QPushButton, QWidget

from bpe_studio.explain.comparison.size_list import (
    LONGEST_LIST,
    BeyondRunError,
    SizeError,
    SizeRange,
    doublings,
    evenly_spaced,
    read_sizes,
)
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

EVENLY = (4, 8, 16)
COUNTED_IN = "; the row of the current step counts as one of them where it is one"
NO_RUN = "There is no run yet: open a text and train on it"


class SizeField(QWidget):
    """The row of controls above the comparison.

    Signals:
        added: list of int, steps to add to the chosen ones.
        filled: list of int, steps to replace them.
        current_added: the current step should be added.
        beyond: list of int, requested steps of which the run does not have all yet; empty if there are none any more.
    """

    added = Signal(object)
    filled = Signal(object)
    current_added = Signal()
    beyond = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._range: SizeRange | None = None
        self._beyond: tuple[int, ...] = ()
        self._build()
        self.field.returnPressed.connect(self._on_add)
        self.field.textEdited.connect(self._on_edited)
        self.add_sizes.clicked.connect(self._on_add)
        self.add.clicked.connect(self.current_added)
        self.clear.clicked.connect(self._on_clear)

    def _build(self) -> None:
        self.field = named(QLineEdit(self), "compare.sizes", "Vocabulary sizes to compare")
        self.field.setPlaceholderText("1000, 2000, 4k, 8k")
        self.field.setMaxLength(LONGEST_LIST)
        self.field.setMinimumWidth(80)
        self.field.setToolTip(
            "One size or several, with a comma and a space between them; 4k is 4,000. Enter adds them to the others"
        )
        self.kind = named(QComboBox(self), "compare.kind", "What the numbers are")
        self.kind.addItems(["sizes", "steps"])
        self.kind.setToolTip("Sizes count the alphabet, the special tokens and the merges; steps the merges alone")
        self.add_sizes = named(QPushButton("Add", self), "compare.add_sizes", "Add the sizes in the field")
        self.add = named(QPushButton("+ Current step", self), "compare.add", "Add the current step")
        self.fill = named(QPushButton("Fill in", self), "compare.fill", "Fill in sizes")
        menu = QMenu(self.fill)
        menu.setObjectName("compare.fill_menu")
        menu.setToolTipsVisible(True)
        named(
            menu.addAction("Doublings", self._on_doublings),
            "compare.fill_doublings",
            "",
            f"Every power of two that this run has as a vocabulary size{COUNTED_IN}",
        )
        for n in EVENLY:
            named(
                menu.addAction(f"{n} evenly spaced", partial(self._on_evenly, n)),
                f"compare.fill_{n}",
                "",
                f"{n} sizes at equal distances, up to the last{COUNTED_IN}",
            )
        self.fill.setMenu(menu)
        self.clear = named(QPushButton("Clear", self), "compare.clear", "Clear the chosen sizes")
        self.bad = named(Note(role="error"), "compare.bad", "Why the sizes cannot be read")
        self.bad.hide()
        row = self._row = WrappingRow(self)
        row.add(self.field, self.kind, self.add_sizes, grows=0, least_px=80)
        row.add(self.add, self.fill, self.clear)
        column(row, self.bad, parent=self, spacing=TIGHT_PX)

    def add_at_end(self, *widgets: QWidget) -> None:
        """Add controls at the end of the row."""
        self._row.add(*widgets)

    def set_range(self, within: SizeRange | None) -> None:
        """Set the range of steps; None without a run."""
        is_other_run = within is None or self._range is None or within.base != self._range.base
        self._range = within
        if self._beyond and (is_other_run or within is None or within.n_merges >= self._beyond[-1]):
            self.set_message("")  # the run has them now, or it is another run
        has_run = within is not None
        for widget, tip in (
            (self.add_sizes, "Adds the sizes in the field to the others; Enter in the field does the same"),
            (self.fill, "Replaces the chosen sizes with sizes spread over the run"),
        ):
            widget.setEnabled(has_run)
            widget.setToolTip(tip if has_run else NO_RUN)
        self.field.setEnabled(has_run)

    def set_add(self, reason: str) -> None:
        """Enable adding the current step; `reason` says why not, or ""."""
        self.add.setEnabled(not reason)
        self.add.setToolTip(reason or "Adds the current step to the sizes")

    def set_clear(self, reason: str) -> None:
        """Enable clearing; `reason` says why not, or ""."""
        self.clear.setEnabled(not reason)
        self.clear.setToolTip(reason or "Removes all chosen sizes")

    def set_message(self, problem: str, beyond: Sequence[int] = ()) -> None:
        """Show an error, or none; and the requested steps that the run does not have yet."""
        self.bad.set_message(problem)
        self.bad.setVisible(bool(problem))
        self._beyond = tuple(beyond)
        self.beyond.emit(beyond)

    @Slot()
    def forget(self) -> None:
        """Clear the field."""
        self.field.clear()
        self.set_message("")

    @Slot()
    def _on_add(self) -> None:
        if self._range is None:
            return
        try:
            steps = read_sizes(self.field.text(), self._range, are_steps=self.kind.currentIndex() == 1)
        except SizeError as error:
            self.set_message(f"{error}.", error.steps if isinstance(error, BeyondRunError) else ())
            self.field.setFocus()
            return
        self.forget()
        self.added.emit(steps)

    @Slot()
    def _on_edited(self) -> None:
        self.set_message("")

    @Slot()
    def _on_clear(self) -> None:
        self.set_message("")
        self.filled.emit([])

    @Slot()
    def _on_doublings(self) -> None:
        if self._range is not None:
            self.set_message("")
            self.filled.emit(doublings(self._range))

    def _on_evenly(self, n: int) -> None:
        if self._range is not None:
            self.set_message("")
            self.filled.emit(evenly_spaced(self._range, n))
