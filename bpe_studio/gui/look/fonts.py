"""Larger text, for headings and figures that are read from a distance."""

from __future__ import annotations

from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget


def enlarge(widget: QWidget, scale: float, *, is_strong: bool = False) -> None:
    """Enlarge the font of a widget.

    Args:
        widget: the widget; its parent must be set, because the parent's font size is the base.
        scale: the factor.
        is_strong: whether the font becomes demi-bold.
    """
    parent = widget.parentWidget()
    inherited = parent.font() if parent is not None else widget.font()
    font = QFont(inherited)
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * scale)
    if is_strong:
        font.setWeight(QFont.Weight.DemiBold)
    widget.setFont(font)
