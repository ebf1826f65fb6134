"""The hand itself: what it presses arrives."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QWidget

from tests.gui.hand import CONTROL, Hand


def test_a_shortcut_arrives_where_another_window_took_the_keyboard_with_it(qtbot):
    window, other, pressed = QMainWindow(), QWidget(), []
    for each in (window, other):
        qtbot.addWidget(each)
    window.setCentralWidget(QLineEdit())
    action = QAction("Open", window)
    action.setShortcut(QKeySequence("Ctrl+O"))
    action.triggered.connect(lambda: pressed.append(1))
    window.addAction(action)
    window.show()
    window.centralWidget().setFocus()
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is other)
    other.hide()
    QTest.qWait(0)
    assert QApplication.activeWindow() is not window, "this would try nothing"
    Hand(window, qtbot.waitUntil).key(Qt.Key.Key_O, CONTROL)
    assert pressed
