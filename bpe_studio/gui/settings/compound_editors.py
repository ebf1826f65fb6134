"""The compound editors of the settings panel: an order of changes, a target, a split.

Like the simple editors they have ``value()``, ``set_value(value)`` and the signal ``edited``.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from bpe_studio.explain.settings import REGEX, Choice
from bpe_studio.gui.settings.editors import ChoiceEdit, NumberEdit

MOST_TOKENS = 1_000_000
TARGET_CHOICES: tuple[Choice, ...] = (
    ("vocab_size", "vocabulary size", "alphabet, merges and special tokens together"),
    ("merges", "merges", "merges alone"),
    ("", "no limit", "until no pair is left to merge"),
)


class OrderEdit(QWidget):
    """Checks whose order counts: those that are ticked apply from the top down."""

    edited = Signal()

    def __init__(self, choices: Sequence[Choice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._choices = tuple(choices)
        self.list = QListWidget(self)
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedHeight(self.fontMetrics().lineSpacing() * 7 + 10)
        column = QVBoxLayout()
        column.setSpacing(4)
        for arrow, slot, name, key in (
            (Qt.ArrowType.UpArrow, self.move_up, "Apply earlier", "Alt+Up"),
            (Qt.ArrowType.DownArrow, self.move_down, "Apply later", "Alt+Down"),
        ):
            button = self._button(arrow, name, key)
            button.clicked.connect(slot)
            column.addWidget(button)
            shortcut = QShortcut(QKeySequence(key), self.list, context=Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(slot)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.list, 1)
        row.addLayout(column)
        self.set_value(())
        self.list.itemChanged.connect(self._on_item_changed)
        self.list.model().rowsMoved.connect(self.edited)

    def value(self) -> tuple[str, ...]:
        """The value as the configuration takes it."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return tuple(item.text() for item in items if item.checkState() is Qt.CheckState.Checked)

    def set_value(self, value: object) -> None:
        """Show another value."""
        wanted = [str(name) for name in value] if isinstance(value, tuple) else []
        if self.list.count() and tuple(wanted) == self.value():
            return
        abouts = {str(name): about for name, _, about in self._choices}
        blocked = self.list.blockSignals(True)
        self.list.clear()
        for name in wanted + [name for name in abouts if name not in wanted]:
            item = QListWidgetItem(name, self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if name in wanted else Qt.CheckState.Unchecked)
            item.setToolTip(abouts.get(name, ""))
        self.list.setCurrentRow(0)
        self.list.blockSignals(blocked)
        self.edited.emit()

    def focus_chain(self) -> list[QWidget]:
        """The list and its buttons, in the order of the keyboard."""
        return [self.list, *self.findChildren(QToolButton)]

    @Slot()
    def move_up(self) -> None:
        """The chosen change applies one place earlier."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """The chosen change applies one place later."""
        self._move(1)

    def _move(self, by: int) -> None:
        row = self.list.currentRow()
        if row < 0 or not 0 <= row + by < self.list.count():
            return
        blocked = self.list.blockSignals(True)
        self.list.insertItem(row + by, self.list.takeItem(row))
        self.list.setCurrentRow(row + by)
        self.list.blockSignals(blocked)
        self.edited.emit()

    def _button(self, arrow: Qt.ArrowType, name: str, key: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName("settings." + name.lower().replace(" ", "_"))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setArrowType(arrow)
        button.setAutoRaise(True)
        button.setAccessibleName(name)
        button.setToolTip(f"{name} ({key})")
        return button

    def _on_item_changed(self, _item: QListWidgetItem) -> None:
        self.edited.emit()


class TargetEdit(QWidget):
    """When to stop: at a vocabulary size, at a number of merges, or at neither."""

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = ChoiceEdit(TARGET_CHOICES, self)
        self.vocab_size = NumberEdit(1, MOST_TOKENS, self)
        self.merges = NumberEdit(0, MOST_TOKENS, self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for widget in (self.kind, self.vocab_size, self.merges):
            column.addWidget(widget)
        self.kind.edited.connect(self._on_kind_edited)
        self.vocab_size.edited.connect(self._on_vocab_size_edited)
        self.merges.edited.connect(self._on_merges_edited)
        self._show_kind()

    def value(self) -> tuple[int | None, int | None]:
        """The vocabulary size and the number of merges; at most one of the two."""
        kind = self.kind.value()
        return (
            self.vocab_size.value() if kind == "vocab_size" else None,
            self.merges.value() if kind == "merges" else None,
        )

    def set_value(self, value: object) -> None:
        """Show another value."""
        vocab_size, merges = value if isinstance(value, tuple) else (None, None)
        if vocab_size is not None:
            self.vocab_size.setValue(vocab_size)
        if merges is not None:
            self.merges.setValue(merges)
        self.kind.set_value("vocab_size" if vocab_size is not None else "merges" if merges is not None else "")

    @Slot()
    def _on_kind_edited(self) -> None:
        self._show_kind()
        self.edited.emit()

    @Slot()
    def _on_vocab_size_edited(self) -> None:
        self.kind.set_value("vocab_size")
        self.edited.emit()

    @Slot()
    def _on_merges_edited(self) -> None:
        self.kind.set_value("merges")
        self.edited.emit()

    def _show_kind(self) -> None:
        self.vocab_size.setVisible(self.kind.value() == "vocab_size")
        self.merges.setVisible(self.kind.value() == "merges")


class SplitEdit(QWidget):
    """A named split, or a regular expression of the person's own."""

    edited = Signal()

    def __init__(self, choices: Sequence[Choice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.named = ChoiceEdit(choices, self)
        self.pattern = QLineEdit(self)
        self.pattern.setPlaceholderText(r"such as \w+|[^\w\s]+")
        self.pattern.setVisible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.named)
        column.addWidget(self.pattern)
        self.named.edited.connect(self._on_named_edited)
        self.pattern.textChanged.connect(self.edited)

    def value(self) -> str:
        """The value as the configuration takes it."""
        name = str(self.named.value())
        return name + self.pattern.text() if name == REGEX else name

    def set_value(self, value: object) -> None:
        """Show another value."""
        text = str(value)
        if text.startswith(REGEX):
            self.pattern.setText(text.removeprefix(REGEX))
            self.named.set_value(REGEX)
        else:
            self.named.set_value(text)

    @Slot()
    def _on_named_edited(self) -> None:
        self.pattern.setVisible(self.named.value() == REGEX)
        self.edited.emit()
