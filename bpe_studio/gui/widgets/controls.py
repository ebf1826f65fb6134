"""Controls: naming and enabling them, a spin box for whole numbers, and connecting actions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QMetaMethod, QObject, Qt
from PySide6.QtGui import QAction, QActionEvent, QValidator
from PySide6.QtWidgets import QLineEdit, QSpinBox, QToolButton, QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.window_settings import WindowSettings

Named = TypeVar("Named", bound=QWidget | QAction)

FIELD_MARGIN_PX = 3
"""The gap between the border of a field and its text, beyond Qt's 2 px."""
_SIGNS = ("-", "−")


def named(widget: Named, name: str, accessible_name: str = "", tip: str = "") -> Named:
    """Set a widget's object name, accessible name and tooltip.

    Args:
        widget: the widget, which is returned; or an action, whose text is its accessible name.
        name: its objectName, such as "merges.filter".
        accessible_name: its name for screen readers; "" if its text is enough.
        tip: its tooltip; "" for none.

    Example:
        `self.filter = named(QLineEdit(self), "merges.filter", "Filter merges", "Shows only merges
        with this text")`
    """
    widget.setObjectName(name)
    if accessible_name and isinstance(widget, QWidget):
        widget.setAccessibleName(accessible_name)
    if tip:
        widget.setToolTip(tip)
    return widget


def more_button(parent: QWidget, name: str, said: str, tip: str) -> QToolButton:
    """A button *More*, which stays down while the part below it is shown."""
    button = named(QToolButton(parent), name, said, tip)
    button.setText("More")
    button.setCheckable(True)
    button.setAutoRaise(True)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return button


def point_arrow(button: QToolButton, *, is_open: bool) -> None:
    """Point the arrow of a button that shows and hides the part below it."""
    arrow = Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow
    button.setArrowType(arrow)


class ActionButton(QToolButton):
    """A button that shows an action, with its text, icon, tooltip and state, and triggers it.

    At each change of the action, Qt 6.11 connects the button with it once more, and calls all
    earlier connections again: after 10,000 changes, each takes 0.3 ms. This class undoes these
    connections; the button follows the action without them.

    Args:
        action: its default action.
        parent: the parent widget.
    """

    def __init__(self, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setDefaultAction(action)

    def actionEvent(self, event: QActionEvent) -> None:
        super().actionEvent(event)
        action = event.action()
        QObject.disconnect(action, QMetaMethod.fromSignal(action.changed), self, QMetaMethod())


def arrow_button(name: str, arrow: Qt.ArrowType, tip: str, parent: QWidget) -> QToolButton:
    """A flat button with an arrow that can be focused with Tab."""
    button = named(QToolButton(parent), name, tip, tip)
    button.setArrowType(arrow)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


def with_reason(tip: str, why_not: str) -> str:
    """The tooltip of a control, with the reason if it is disabled.

    Args:
        tip: a sentence that says what it does.
        why_not: why it is disabled, such as "open a text first"; "" if it is enabled.
    """
    return f"{tip}\nNot now: {why_not}" if why_not else tip


def enable(control: QWidget | QAction, tip: str, why_not: str = "") -> None:
    """Enable a control, or disable it and say why in its tooltip; see `with_reason`."""
    control.setEnabled(not why_not)
    control.setToolTip(with_reason(tip, why_not))


def remembered_action(
    text: str,
    name: str,
    tip: str,
    memory: WindowSettings | None,
    key: str,
    parent: QObject,
    *,
    is_on: bool = True,
) -> QAction:
    """An action that is on or off, as the user left it last time.

    Args:
        text: its text, with a mnemonic.
        name: its objectName.
        tip: its tooltip; "" for none.
        memory: remembers it; None in a test.
        key: the name under which it is remembered.
        parent: owns it.
        is_on: whether it is on at first.
    """
    action = named(QAction(text, parent), name, "", tip)
    action.setCheckable(True)
    is_checked = is_on if memory is None else memory.get(key, is_on)
    action.setChecked(is_checked)
    if memory is not None:
        action.toggled.connect(partial(memory.put, key))
    return action


def finish_controls(root: QWidget) -> None:
    """Set the text of fields apart from their borders, and name their clear buttons."""
    for field in filter(isValid, root.findChildren(QLineEdit)):
        if field.textMargins().isNull():
            field.setTextMargins(FIELD_MARGIN_PX, 0, FIELD_MARGIN_PX, 0)
        button = field.findChild(QToolButton) if field.isClearButtonEnabled() else None
        if button is not None:
            lower = f"{field.accessibleName()[:1].lower()}{field.accessibleName()[1:]}"
            named(button, f"{field.objectName()}_clear", f"Clear {lower}", "Clears the field")


def on_trigger(action: QAction, do: Callable[[], object]) -> None:
    """Call a function each time an action is triggered, without the signal's argument `checked`."""
    action.triggered.connect(partial(_call, do))


def _call(do: Callable[[], object], checked: bool = False) -> None:
    do()


class WholeNumber(QSpinBox):
    """A spin box for whole numbers that does not drop a minus sign.

    If the minimum is not below 0, QSpinBox does not accept the sign and reads "-3" as 3. Here the
    sign can be typed, the number is invalid, and Enter restores the previous value.
    """

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        """Validate a text while it is typed, as in QSpinBox."""
        if self.minimum() >= 0 and text.removeprefix(self.prefix()).lstrip().startswith(_SIGNS):
            return QValidator.State.Intermediate, text, place
        return super().validate(text, place)
