"""Scroll bars without arrows, flat buttons and legible lists of combo boxes, where Fusion paints an older desktop's.

A style sheet of the application is matched against every widget: it doubles the time that the window takes to open, and
a change of theme takes a second. Set on single scroll bars and buttons it costs 40 microseconds each. The colours are
translucent greys that suit both themes, because a style sheet does not follow the palette; text keeps the palette's.
"""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QComboBox, QPushButton, QScrollBar, QToolButton, QWidget

SCROLL_BAR_STYLE = """
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 12px; }
QScrollBar:horizontal { height: 12px; }
QScrollBar::handle { background: rgba(120, 128, 140, 0.7); border-radius: 3px; }
QScrollBar::handle:vertical { min-height: 28px; margin: 2px 3px; }
QScrollBar::handle:horizontal { min-width: 28px; margin: 3px 2px; }
QScrollBar::handle:hover, QScrollBar::handle:pressed { background: rgb(120, 128, 140); }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
BUTTON_STYLE = """
QAbstractButton {
    border: 1px solid rgba(120, 128, 140, 0.65); border-radius: 5px; padding: 3px 8px;
    background: rgba(120, 128, 140, 0.07);
}
QAbstractButton:hover { background: rgba(120, 128, 140, 0.18); }
QAbstractButton:pressed, QAbstractButton:checked { background: rgba(120, 128, 140, 0.34); }
QAbstractButton:focus { border: 2px solid rgb(120, 128, 140); padding: 2px 7px; }
QToolButton { padding: 2px 5px; }
QToolButton:focus { padding: 1px 4px; }
QAbstractButton:disabled { border-color: rgba(120, 128, 140, 0.3); background: transparent; }
"""
COMBO_BOX_STYLE = "QComboBox { combobox-popup: 0; }"
"""Its list is one like others, below the box; Fusion would draw a menu in the colour that edges are made from."""


def style_controls(root: QWidget) -> None:
    """Style the scroll bars, combo boxes and buttons inside a widget; those that have a style sheet already keep it."""
    for bar in root.findChildren(QScrollBar):
        if not bar.styleSheet():
            bar.setStyleSheet(SCROLL_BAR_STYLE)
    for box in root.findChildren(QComboBox):
        if not box.styleSheet():
            box.setStyleSheet(COMBO_BOX_STYLE)
    for button in root.findChildren(QAbstractButton):
        if _has_a_face(button) and not button.styleSheet():
            button.setStyleSheet(BUTTON_STYLE)


def _has_a_face(button: QAbstractButton) -> bool:
    """Whether Fusion paints a raised face for it."""
    if isinstance(button, QToolButton):
        return not button.autoRaise() and button.popupMode() is not QToolButton.ToolButtonPopupMode.MenuButtonPopup
    return isinstance(button, QPushButton) and not button.isFlat()
