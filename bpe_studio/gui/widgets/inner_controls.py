"""Names for the controls that Qt makes inside others, so that screen readers, scripts and tests find them too."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QToolButton, QWidget


def name_inner_controls(window: QWidget) -> None:
    """Names the button in each field that clears it."""
    for field in window.findChildren(QLineEdit):
        button = field.findChild(QToolButton) if field.isClearButtonEnabled() else None
        if button is not None:
            button.setObjectName(f"{field.objectName()}_clear")
            button.setAccessibleName(f"Clear {field.accessibleName()[:1].lower()}{field.accessibleName()[1:]}")
            button.setToolTip("Clears the field")
