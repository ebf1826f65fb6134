"""Text for the back row of a room: headings and figures that are larger than those of panels."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

FEW_LINES = 34


def has_few_lines(widget: QWidget) -> bool:
    """Whether a widget's window has room for few lines of text: it is low, or its text is large already."""
    window = widget.window()
    return window.height() < FEW_LINES * window.fontMetrics().height()


def enlarge(widget: QWidget, scale: float, *, is_strong: bool = False) -> None:
    """Write a widget's text larger.

    Args:
        widget: the widget; its parent must be there, as its size counts.
        scale: how many times.
        is_strong: in demi-bold.
    """
    parent = widget.parentWidget()
    font = QFont(parent.font() if parent is not None else widget.font())
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * scale)
    if is_strong:
        font.setWeight(QFont.Weight.DemiBold)
    widget.setFont(font)
