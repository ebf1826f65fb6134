"""The simple editors of the settings panel: a choice, a number, a text, a check, lines and pairs.

Every editor has ``value()``, ``set_value(value)`` and the signal ``edited``. They know neither the
workspace nor which combinations of options are valid: the engine checks that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QPlainTextEdit, QWidget

from bpe_studio.engine.options import Choice
from bpe_studio.errors import ConfigError
from bpe_studio.gui.widgets.controls import WholeNumber


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
        empty: what an empty field shows.
        nothing: the value of an empty field; the number is a whole one if it is None.
    """

    def __init__(
        self, empty: str, nothing: float | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(empty, parent)
        self._nothing = nothing

    def value(self) -> object:
        """The number, or what an empty field stands for.

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
                f'"{self.text()[:40]}" is not a number: write a {what}, or nothing.'
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


def _wheel_only_with_focus(
    widget: QWidget, event: QWheelEvent, default: Callable[[QWheelEvent], None]
) -> None:
    """Scrolling the panel with the wheel must not change a control that moves under the pointer."""
    if widget.hasFocus():
        default(event)
    else:
        event.ignore()
