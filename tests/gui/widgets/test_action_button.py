"""Buttons that show an action: what Qt's own do, without a connection for each change of the
action.
"""

from __future__ import annotations

from PySide6.QtGui import QAction, QActionGroup

from bpe_studio.gui.widgets.controls import ActionButton


def test_a_click_triggers_the_action_once_and_a_group_keeps_one_checked(qtbot):
    group = QActionGroup(None)
    done = []
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
