"""Scroll bars without arrows, and flat buttons, boxes and menus, where Fusion paints those of an older desktop.

A style sheet of the application is matched against every widget: it doubles the time that the window takes to open, and
a change of theme takes a second. Set on single scroll bars and buttons it costs 40 microseconds each. The colours are
translucent greys that suit both themes, because a style sheet does not follow the palette; text keeps the palette's,
and `system_changes` sets the style sheets anew that have a colour of the palette.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDialogButtonBox,
    QMenu,
    QPushButton,
    QScrollBar,
    QToolButton,
    QWidget,
)
from shiboken6 import isValid

from bpe_studio.files.samples import resources_folder

W = TypeVar("W", bound=QWidget)
_WITHOUT_ALPHA = ("xcb", "minimal", "vnc", "linuxfb")
_SPLIT = QToolButton.ToolButtonPopupMode.MenuButtonPopup
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
QPushButton:default:enabled { background: rgb(92, 100, 111); border-color: rgb(92, 100, 111); color: white; }
QPushButton:default:enabled:focus { border-color: rgb(150, 158, 170); }
QPushButton:default:enabled:hover { background: rgb(108, 116, 128); }
QAbstractButton:disabled { border-color: rgba(120, 128, 140, 0.3); background: transparent; }
"""
TOGGLE_STYLE = """
QToolButton { border: none; border-radius: 4px; padding: 2px; }
QToolButton:hover { background: rgba(120, 128, 140, 0.18); }
QToolButton:pressed { background: rgba(120, 128, 140, 0.34); }
QToolButton:focus { border: 2px solid rgb(120, 128, 140); padding: 0; }
"""
"""For a button without a face that stays down, which Fusion paints with one."""
COMBO_BOX_STYLE = """
QComboBox {
    combobox-popup: 0; border: 1px solid rgba(120, 128, 140, 0.65); border-radius: 5px; padding: 2px 2px 2px 7px;
    background: rgba(120, 128, 140, 0.07);
}
QComboBox:hover { background: rgba(120, 128, 140, 0.18); }
QComboBox:focus, QComboBox:on { border: 2px solid rgb(120, 128, 140); padding: 1px 1px 1px 6px; }
QComboBox:disabled { border-color: rgba(120, 128, 140, 0.3); background: transparent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: url("DOWN"); width: 10px; height: 6px; }
QComboBox::down-arrow:disabled { image: url("DOWN-OFF"); }
"""
"""Its list is one like others, below the box; Fusion would draw a menu in the colour that edges are made from."""
SPIN_BOX_STYLE = """
QAbstractSpinBox {
    border: 1px solid rgba(120, 128, 140, 0.85); border-radius: 3px; padding: 0 0 0 2px; background: palette(base);
}
QAbstractSpinBox:focus { border-color: rgb(120, 128, 140); }
QAbstractSpinBox:disabled { border-color: rgba(120, 128, 140, 0.3); background: transparent; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { border: none; width: 16px; background: transparent; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: rgba(120, 128, 140, 0.18); }
QAbstractSpinBox::up-button:pressed, QAbstractSpinBox::down-button:pressed { background: rgba(120, 128, 140, 0.34); }
QAbstractSpinBox::up-arrow { image: url("UP"); width: 10px; height: 6px; }
QAbstractSpinBox::down-arrow { image: url("DOWN"); width: 10px; height: 6px; }
QAbstractSpinBox::up-arrow:disabled, QAbstractSpinBox::up-arrow:off { image: url("UP-OFF"); }
QAbstractSpinBox::down-arrow:disabled, QAbstractSpinBox::down-arrow:off { image: url("DOWN-OFF"); }
"""
SPLIT_BUTTON_STYLE = """
QToolButton { padding: 3px 25px 3px 8px; }
QToolButton:focus { padding: 2px 24px 2px 7px; }
QToolButton::menu-button { border: none; border-left: 1px solid rgba(120, 128, 140, 0.65); width: 18px; }
QToolButton::menu-button:disabled { border-color: rgba(120, 128, 140, 0.3); }
QToolButton::menu-arrow { image: url("DOWN"); width: 10px; height: 6px; }
QToolButton::menu-arrow:disabled { image: url("DOWN-OFF"); }
"""
"""For a button with an arrow of its own, in addition to that of buttons."""
MENU_STYLE = """
QMenu { border: 1px solid rgba(120, 128, 140, 0.65); border-radius: RADIUS; padding: 5px; background: palette(base); }
QMenu::item { padding: 5px 24px 5px 8px; border-radius: 4px; }
QMenu::item:selected { background: rgba(120, 128, 140, 0.25); }
QMenu::item:disabled { color: rgb(120, 128, 140); }
QMenu::icon:checked { background: rgba(120, 128, 140, 0.34); border-radius: 4px; }
QMenu::separator { height: 1px; margin: 5px 6px; background: rgba(120, 128, 140, 0.35); }
"""


def style_controls(root: QWidget) -> None:
    """Style the scroll bars, combo boxes and buttons inside a widget; those that have a style sheet already keep it."""
    for area in _children(root, QAbstractScrollArea):
        if area.viewport().autoFillBackground() and not area.autoFillBackground():
            # The ground of the rows is below their scroll bar too.
            area.setBackgroundRole(area.viewport().backgroundRole())
            area.setAutoFillBackground(True)
    for bar in _children(root, QScrollBar):
        if not bar.styleSheet():
            bar.setStyleSheet(SCROLL_BAR_STYLE)
    for box in _children(root, QComboBox):
        if not box.styleSheet():
            box.setStyleSheet(_with_arrows(COMBO_BOX_STYLE))
    for field in _children(root, QAbstractSpinBox):
        if not field.styleSheet():
            field.setStyleSheet(_with_arrows(SPIN_BOX_STYLE))
    for menu in _children(root, QMenu):
        if not menu.styleSheet():
            style_menu(menu)
    for row in _children(root, QDialogButtonBox):
        for each in row.buttons():
            each.setIcon(QIcon())  # those of a desktop do not suit the others
    for button in _children(root, QAbstractButton):
        if button.styleSheet():
            continue
        if _has_a_face(button):
            button.setStyleSheet(_button_style(button))
        elif isinstance(button, QToolButton) and button.isCheckable() and button.defaultAction() is None:
            button.setStyleSheet(TOGGLE_STYLE)


def _children(root: QWidget, kind: type[W]) -> Iterator[W]:
    """The widgets inside another one; those that are deleted in the meantime are left out."""
    return (each for each in root.findChildren(kind) if isValid(each))


def style_menu(menu: QMenu) -> None:
    """Style a menu as a card; with round corners where what is behind them can be seen, which plain X11 cannot do."""
    is_round = QGuiApplication.platformName() not in _WITHOUT_ALPHA
    if is_round:
        menu.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        menu.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    menu.setStyleSheet(MENU_STYLE.replace("RADIUS", "7px" if is_round else "0"))


def _has_a_face(button: QAbstractButton) -> bool:
    """Whether Fusion paints a raised face for it."""
    if isinstance(button, QToolButton):
        return not button.autoRaise()
    return isinstance(button, QPushButton) and not button.isFlat()


def _button_style(button: QAbstractButton) -> str:
    is_split = isinstance(button, QToolButton) and button.popupMode() is _SPLIT
    return _with_arrows(BUTTON_STYLE + SPLIT_BUTTON_STYLE) if is_split else BUTTON_STYLE


@cache
def _with_arrows(style: str) -> str:
    """A style sheet with the pictures of its arrows, whose names stand for them in it."""
    folder = (resources_folder() / "controls").as_posix()
    for arrow in ("down", "up"):
        for state in ("-off", ""):
            style = style.replace(f'"{arrow.upper()}{state.upper()}"', f'"{folder}/{arrow}{state}.png"')
    return style
