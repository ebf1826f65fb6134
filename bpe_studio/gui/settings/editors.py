"""The editors of the settings panel, from a choice or a number to an order, a target or a split.

Every editor has ``value()``, ``set_value(value)`` and the signal ``edited``. They know neither the
workspace nor which combinations of options are valid: the engine checks that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut, QWheelEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QToolButton,
    QWidget,
)

from bpe_studio.engine.options import REGEX, Choice
from bpe_studio.errors import ConfigError
from bpe_studio.gui.widgets.containers import STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, named

MOST_TOKENS = 1_000_000
TARGET_CHOICES: tuple[Choice, ...] = (
    ("vocab_size", "vocabulary size", "alphabet, merges and special tokens together"),
    ("merges", "merges", "merges alone"),
    ("", "no limit", "until no pair is left to merge"),
)


class ChoiceEdit(QComboBox):
    """One of several named values; an item's data is the option's value."""

    edited = Signal()

    def __init__(self, choices: Sequence[Choice], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(2)
        for value, text, about in choices:
            self.addItem(text, value)
            self.setItemData(self.count() - 1, about, Qt.ItemDataRole.ToolTipRole)
        self.currentIndexChanged.connect(self.edited)

    def value(self) -> object:
        """The value for the configuration."""
        return self.currentData()

    def set_value(self, value: object) -> None:
        """Choose a value; None is the first."""
        index = 0 if value is None else self.findData(value)
        if index >= 0:
            self.setCurrentIndex(index)

    def about(self) -> str:
        """The phrase about the chosen value."""
        return str(self.currentData(Qt.ItemDataRole.ToolTipRole) or "")

    def wheelEvent(self, event: QWheelEvent) -> None:
        _wheel_only_with_focus(self, event, super().wheelEvent)


class NumberEdit(WholeNumber):
    """An integer with grouped thousands."""

    edited = Signal()

    def __init__(self, least: int, most: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(least, most)
        self.setGroupSeparatorShown(True)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setMinimumWidth(66)
        self.valueChanged.connect(self.edited)

    def set_value(self, value: object) -> None:
        if isinstance(value, int):
            self.setValue(value)

    def wheelEvent(self, event: QWheelEvent) -> None:
        _wheel_only_with_focus(self, event, super().wheelEvent)


class TextEdit(QLineEdit):
    """A short text; None if it is empty."""

    edited = Signal()

    def __init__(self, empty: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(empty)
        self.textChanged.connect(self.edited)

    def value(self) -> object:
        """The value for the configuration."""
        return self.text() or None

    def set_value(self, value: object) -> None:
        text = str(value) if value else ""
        self.setText(text)


class NumeralEdit(TextEdit):
    """A number that may be left out.

    Args:
        empty: the placeholder of an empty field.
        nothing: the value of an empty field; the number is a whole one if it is None.
    """

    def __init__(
        self, empty: str, nothing: float | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(empty, parent)
        self._nothing = nothing

    def value(self) -> object:
        """The number, or the value of an empty field.

        Raises:
            ConfigError: it is not a number.
        """
        text = self.text().replace(",", "").strip()
        try:
            if not text:
                return self._nothing
            return int(text) if self._nothing is None else float(text)
        except ValueError:
            what = "whole number" if self._nothing is None else "number such as 0.9995"
            raise ConfigError(
                f'"{self.text()[:40]}" is not a number: enter a {what}, or nothing.'
            ) from None

    def set_value(self, value: object) -> None:
        text = "" if value == self._nothing else str(value)
        self.setText(text)


class CheckEdit(QCheckBox):
    """Yes or no."""

    edited = Signal()

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.toggled.connect(self.edited)

    def value(self) -> bool:
        """The value for the configuration."""
        return self.isChecked()

    def set_value(self, value: object) -> None:
        self.setChecked(bool(value))


class LinesEdit(QPlainTextEdit):
    """Several texts, one per line; empty lines are ignored."""

    edited = Signal()

    def __init__(self, empty: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(empty)
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFixedHeight(self.fontMetrics().lineSpacing() * 3 + 14)
        self.textChanged.connect(self.edited)

    def lines(self) -> tuple[str, ...]:
        """The lines that are not empty, as typed."""
        return tuple(line for line in self.toPlainText().split("\n") if line)

    def value(self) -> tuple[object, ...]:
        """The value for the configuration."""
        return self.lines()

    def set_value(self, value: object) -> None:
        items = value if isinstance(value, tuple) else ()
        text = "\n".join(self._line(item) for item in items)
        if text != self.toPlainText():
            self.setPlainText(text)

    def _line(self, item: object) -> str:
        return str(item)


class PairsEdit(LinesEdit):
    """Pairs of tokens, "left right", one per line."""

    def value(self) -> tuple[object, ...]:
        """The pairs.

        Raises:
            ConfigError: a line is not two tokens with one space between them.
        """
        pairs = []
        for line in self.lines():
            parts = line.split(" ")
            if len(parts) != 2 or not all(parts):
                raise ConfigError(
                    f'"{line}" is not a pair: write the left token, one space, and the right token.'
                )
            pairs.append((parts[0], parts[1]))
        return tuple(pairs)

    def _line(self, item: object) -> str:
        return " ".join(item) if isinstance(item, tuple) else str(item)


class OrderEdit(QWidget):
    """Check boxes for changes that apply from top to bottom; the user can reorder them if it
    matters.
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
    """The target: a vocabulary size, a number of merges, or none."""

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


def _wheel_only_with_focus(
    widget: QWidget, event: QWheelEvent, default: Callable[[QWheelEvent], None]
) -> None:
    """Ignore the wheel over a control without focus, so that it scrolls the panel instead."""
    if widget.hasFocus():
        default(event)
    else:
        event.ignore()
