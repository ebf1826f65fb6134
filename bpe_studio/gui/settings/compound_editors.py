"""The compound editors of the settings panel: an order of changes, a target, a split.

Like the simple editors they have ``value()``, ``set_value(value)`` and the signal ``edited``.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QToolButton,
    QWidget,
)

from bpe_studio.engine.options import REGEX, Choice
from bpe_studio.gui.settings.editors import ChoiceEdit, NumberEdit
from bpe_studio.gui.widgets.containers import STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named

MOST_TOKENS = 1_000_000
TARGET_CHOICES: tuple[Choice, ...] = (
    ("vocab_size", "vocabulary size", "alphabet, merges and special tokens together"),
    ("merges", "merges", "merges alone"),
    ("", "no limit", "until no pair is left to merge"),
)


class OrderEdit(QWidget):
    """Check boxes: the checked changes apply from top to bottom, in an order that the user chooses
    if it matters.
    """

    edited = Signal()

    def __init__(
        self, choices: Sequence[Choice], parent: QWidget | None = None, *, is_ordered: bool = True
    ) -> None:
        super().__init__(parent)
        self._choices = tuple(choices)
        self._is_ordered = is_ordered
        self.list = QListWidget(self)
        if is_ordered:
            self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setFixedHeight(self.fontMetrics().lineSpacing() * 7 + 10)
        buttons = []
        arrows = (
            (Qt.ArrowType.UpArrow, self.move_up, "Apply earlier", "Alt+Up"),
            (Qt.ArrowType.DownArrow, self.move_down, "Apply later", "Alt+Down"),
        )
        shown_arrows = arrows if is_ordered else ()
        for arrow, slot, name, key in shown_arrows:
            button = self._button(arrow, name, key)
            button.clicked.connect(slot)
            buttons.append(button)
            shortcut = QShortcut(
                QKeySequence(key), self.list, context=Qt.ShortcutContext.WidgetShortcut
            )
            shortcut.activated.connect(slot)
        row(
            (self.list, 1),
            column(*buttons, STRETCH, spacing=TIGHT_PX),
            parent=self,
            spacing=TIGHT_PX,
        )
        self.set_value(())
        self.list.itemChanged.connect(self._on_item_changed)
        self.list.model().rowsMoved.connect(self.edited)

    def value(self) -> tuple[str, ...]:
        """The value for the configuration."""
        items = map(self.list.item, range(self.list.count()))
        return tuple(item.text() for item in items if item.checkState() is Qt.CheckState.Checked)

    def set_value(self, value: object) -> None:
        names = value if isinstance(value, tuple) else ()
        wanted = [str(name) for name in names]
        if self.list.count() and tuple(wanted) == self.value():
            return
        abouts = {str(name): about for name, _, about in self._choices}
        blocked = self.list.blockSignals(True)
        self.list.clear()
        first = wanted if self._is_ordered else []
        for name in first + [name for name in abouts if name not in first]:
            item = QListWidgetItem(name, self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            check = Qt.CheckState.Checked if name in wanted else Qt.CheckState.Unchecked
            item.setCheckState(check)
            item.setToolTip(abouts.get(name, ""))
        self.list.setCurrentRow(0)
        self.list.blockSignals(blocked)
        self.edited.emit()

    def focus_chain(self) -> list[QWidget]:
        """The list and its buttons, in tab order."""
        return [self.list, *self.findChildren(QToolButton)]

    @Slot()
    def move_up(self) -> None:
        """Move the current change up, so that it applies earlier."""
        self._move(-1)

    @Slot()
    def move_down(self) -> None:
        """Move the current change down, so that it applies later."""
        self._move(1)

    def _move(self, by: int) -> None:
        place = self.list.currentRow()
        if place < 0 or not 0 <= place + by < self.list.count():
            return
        blocked = self.list.blockSignals(True)
        self.list.insertItem(place + by, self.list.takeItem(place))
        self.list.setCurrentRow(place + by)
        self.list.blockSignals(blocked)
        self.edited.emit()

    def _button(self, arrow: Qt.ArrowType, name: str, key: str) -> QToolButton:
        key_name = "settings." + name.lower().replace(" ", "_")
        button = named(QToolButton(self), key_name, name, f"{name} ({key})")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setArrowType(arrow)
        button.setAutoRaise(True)
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
        row((self.kind, 1), (self.vocab_size, 1), (self.merges, 1), parent=self, spacing=TIGHT_PX)
        self.kind.edited.connect(self._on_kind_edited)
        self.vocab_size.edited.connect(self._on_vocab_size_edited)
        self.merges.edited.connect(self._on_merges_edited)
        self._show_kind()

    def value(self) -> tuple[int | None, int | None]:
        """The vocabulary size and the number of merges; at most one of the two."""
        kind = self.kind.value()
        vocab_size = self.vocab_size.value() if kind == "vocab_size" else None
        merges = self.merges.value() if kind == "merges" else None
        return vocab_size, merges

    def set_value(self, value: object) -> None:
        vocab_size, merges = value if isinstance(value, tuple) else (None, None)
        kind = ""
        if merges is not None:
            self.merges.setValue(merges)
            kind = "merges"
        if vocab_size is not None:
            self.vocab_size.setValue(vocab_size)
            kind = "vocab_size"
        self.kind.set_value(kind)

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
    """A named split, or a regular expression."""

    edited = Signal()

    def __init__(self, choices: Sequence[Choice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.named = ChoiceEdit(choices, self)
        self.pattern = QLineEdit(self)
        self.pattern.setPlaceholderText(r"such as \w+|[^\w\s]+")
        self.pattern.setVisible(False)
        column(self.named, self.pattern, parent=self, spacing=TIGHT_PX)
        self.named.edited.connect(self._on_named_edited)
        self.pattern.textChanged.connect(self.edited)

    def value(self) -> str:
        """The value for the configuration."""
        name = str(self.named.value())
        return name + self.pattern.text() if name == REGEX else name

    def set_value(self, value: object) -> None:
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
