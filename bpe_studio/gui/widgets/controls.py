"""Controls: how they get their names, how they are enabled, a field for whole numbers, and what an action does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtGui import QAction, QValidator
from PySide6.QtWidgets import QLineEdit, QSpinBox, QToolButton, QWidget

Named = TypeVar("Named", bound=QWidget | QAction)

_SIGNS = ("-", "−")


def named(widget: Named, name: str, accessible_name: str = "", tip: str = "") -> Named:
    """Give a widget the names that scripts, tests and screen readers find it by, and its tooltip.

    Args:
        widget: the widget, which is returned; or an action, which has no accessible name but its text.
        name: its objectName, such as "merges.filter".
        accessible_name: what a screen reader calls it; "" where the text that it shows says it.
        tip: its tooltip; "" for none.

    Example:
        `self.filter = named(QLineEdit(self), "merges.filter", "Filter merges", "Show only merges with this text")`
    """
    widget.setObjectName(name)
    if accessible_name and isinstance(widget, QWidget):
        widget.setAccessibleName(accessible_name)
    if tip:
        widget.setToolTip(tip)
    return widget


def with_reason(tip: str, why_not: str) -> str:
    """The tooltip of a control, and why it cannot be used now if it cannot.

    Args:
        tip: what it does.
        why_not: such as "open a text first"; "" where it can be used.
    """
    return f"{tip}\nNot now: {why_not}" if why_not else tip


def enable(control: QWidget | QAction, tip: str, why_not: str = "") -> None:
    """Enable a control, or disable it and say why in its tooltip; see `with_reason`."""
    control.setEnabled(not why_not)
    control.setToolTip(with_reason(tip, why_not))


def name_inner_controls(window: QWidget) -> None:
    """Names the button in each field that clears it, which Qt makes and leaves without a name."""
    for field in window.findChildren(QLineEdit):
        button = field.findChild(QToolButton) if field.isClearButtonEnabled() else None
        if button is not None:
            lower = f"{field.accessibleName()[:1].lower()}{field.accessibleName()[1:]}"
            named(button, f"{field.objectName()}_clear", f"Clear {lower}", "Clears the field")


def on_trigger(action: QAction, do: Callable[[], object]) -> None:
    """Do something each time that an action is triggered; the signal's `checked` must not reach what counts or asks."""
    action.triggered.connect(partial(_call, do))


def _call(do: Callable[[], object], checked: bool = False) -> None:
    do()


class WholeNumber(QSpinBox):
    """A field for a whole number in which a minus sign is not passed over.

    Qt's own takes "-3" for 3 where no number below 0 is allowed: the sign cannot be typed, the digits behind it can.
    Here the sign can be typed, what follows it is no number, and Enter puts back the number of before.
    """

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        """What is typed, as far as it is typed."""
        if self.minimum() >= 0 and text.removeprefix(self.prefix()).lstrip().startswith(_SIGNS):
            return QValidator.State.Intermediate, text, place
        return super().validate(text, place)
