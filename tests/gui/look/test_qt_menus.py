"""No widget runs an event loop for its context menu."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QSpinBox,
    QTableWidget,
    QTextBrowser,
    QWidget,
)

from bpe_studio.gui.look import theme


def with_actions(widget):
    widget.addAction(QAction("سلام 漢字 👩‍💻", widget))
    widget.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
    return widget


def selectable():
    label = QLabel("a text to select")
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def editable():
    box = QComboBox()
    box.setEditable(True)
    return box


KINDS = {
    "spin box": QSpinBox,
    "number": QDoubleSpinBox,
    "field": lambda: QLineEdit("a text"),
    "editor": QPlainTextEdit,
    "browser": QTextBrowser,
    "label": selectable,
    "scroll bar": QScrollBar,
    "combo box": editable,
    "actions": lambda: with_actions(QWidget()),
    "actions of a table": lambda: with_actions(QTableWidget(30, 3)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_menu_of_a_widget_and_of_what_is_in_it_has_no_loop(kind, qapp, qtbot):
    theme.apply(qapp, "light")
    widget = KINDS[kind]()
    qtbot.addWidget(widget)
    widget.resize(120, 60)
    widget.show()
    qtbot.waitExposed(widget)
    seen = []

    def look():
        menu = QApplication.activePopupWidget()
        seen.append(menu is not None)
        if menu is not None:
            menu.close()

    parts = [widget, *(part for part in widget.findChildren(QWidget) if part.isVisible())]
    for part in parts:
        for reason in (QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard):
            before = len(seen)
            QTimer.singleShot(0, look)
            place = part.rect().center()
            QApplication.sendEvent(part, QContextMenuEvent(reason, place, part.mapToGlobal(place)))
            assert len(seen) == before, "it has come back before anything else happened"
            qtbot.waitUntil(lambda n=before: len(seen) > n)
    assert any(seen) is (kind != "scroll bar")
