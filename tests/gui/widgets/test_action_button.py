"""Buttons that show an action: what Qt's own do, without a connection for each change of the action."""

from __future__ import annotations

from PySide6.QtCore import SIGNAL
from PySide6.QtGui import QAction, QActionGroup, QIcon, QKeySequence, QPixmap
from PySide6.QtWidgets import QToolButton

from bpe_studio.gui.widgets.controls import ActionButton

CHANGES = {
    "text": lambda action: action.setText("&Other words"),
    "short text": lambda action: action.setIconText("Short"),
    "tooltip": lambda action: action.setToolTip("What it does"),
    "status": lambda action: action.setStatusTip("In the status bar"),
    "disabled": lambda action: action.setEnabled(False),
    "shortcut": lambda action: action.setShortcut(QKeySequence("Ctrl+J")),
    "icon": lambda action: action.setIcon(QIcon(QPixmap(16, 16))),
    "enabled": lambda action: action.setEnabled(True),
    "checkable": lambda action: action.setCheckable(True),
    "checked": lambda action: action.setChecked(True),
    "no shortcut": lambda action: action.setShortcut(QKeySequence()),
}


def test_changes_of_the_action_leave_no_connections(qtbot):
    action = QAction("Do it")
    button = ActionButton(action)
    qtbot.addWidget(button)
    others = action.receivers(SIGNAL("changed()"))
    for k in range(20):
        action.setText(f"Do it {k} times")
        action.setEnabled(k % 2 == 0)
    assert action.receivers(SIGNAL("changed()")) <= others
    assert button.text() == "Do it 19 times"


def test_it_shows_what_a_button_of_qt_shows(qtbot):
    action = QAction("&Do it")
    button, twin = ActionButton(action), QToolButton()
    twin.setDefaultAction(action)
    for each in (button, twin):
        qtbot.addWidget(each)
    for name, change in CHANGES.items():
        change(action)
        assert _shown(button) == _shown(twin), name


def test_a_click_triggers_the_action_once_and_a_group_keeps_one_checked(qtbot):
    group, done = QActionGroup(None), []
    actions = [QAction(name, group, checkable=True) for name in "ab"]
    buttons = [ActionButton(action) for action in actions]
    for action, button in zip(actions, buttons, strict=True):
        qtbot.addWidget(button)
        group.addAction(action)
    group.triggered.connect(lambda action: done.append(action.text()))
    for button in (buttons[0], buttons[1], buttons[1]):
        button.click()
    assert done == ["a", "b", "b"]
    assert [button.isChecked() for button in buttons] == [False, True]


def _shown(button: QToolButton) -> tuple[object, ...]:
    return (
        button.text(), button.toolTip(), button.statusTip(), button.isEnabled(), button.isCheckable(),
        button.isChecked(), button.icon().isNull(), button.shortcut().toString(),
    )  # fmt: skip
