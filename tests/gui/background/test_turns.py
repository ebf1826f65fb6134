"""Turns: one panel a turn of the event loop, each asked for once, none for a panel that is gone."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.gui.background.turns import RefreshSlot


@pytest.fixture
def workspace(qapp):
    return QObject()


def test_those_who_ask_come_one_after_another_and_others_in_between(workspace, qtbot):
    told: list[object] = []
    panels = [QObject(), QObject(), QObject()]
    turns = [RefreshSlot(workspace, panel) for panel in panels]
    for number, turn in enumerate(turns):
        turn.came.connect(lambda number=number: (told.append(number), QTimer.singleShot(0, lambda: told.append("-"))))
        turn.ask()
        turn.ask()
    assert told == []
    assert all(turn.is_waiting for turn in turns)
    qtbot.waitUntil(lambda: len(told) == 6)
    assert told == [0, "-", 1, "-", 2, "-"]
    assert not any(turn.is_waiting for turn in turns)


def test_what_a_turn_changed_is_painted_before_the_next(workspace, qtbot):
    told: list[str] = []

    class Painted(QWidget):
        def paintEvent(self, event):
            told.append("painted")

    window = Painted()
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: bool(told))
    QApplication.processEvents()
    told.clear()
    for _ in range(3):
        turn = RefreshSlot(workspace, window)
        turn.came.connect(lambda: (told.append("changed"), window.update()))
        turn.ask()
    qtbot.waitUntil(lambda: len(told) == 6)
    assert told == ["changed", "painted"] * 3


def test_one_who_asks_in_its_own_turn_goes_to_the_end_of_the_line(workspace, qtbot):
    told: list[str] = []
    first, second = RefreshSlot(workspace, workspace), RefreshSlot(workspace, workspace)

    def show_first() -> None:
        told.append("first")
        if len(told) == 1:
            first.ask()

    first.came.connect(show_first)
    second.came.connect(lambda: told.append("second"))
    first.ask()
    second.ask()
    qtbot.waitUntil(lambda: len(told) == 3)
    assert told == ["first", "second", "first"]


def test_a_turn_can_be_dropped_and_a_panel_that_is_gone_has_none(workspace, qtbot):
    told: list[str] = []
    panel, gone = QObject(), QObject()
    dropped, dead, last = RefreshSlot(workspace, panel), RefreshSlot(workspace, gone), RefreshSlot(workspace, panel)
    for name, turn in (("dropped", dropped), ("dead", dead), ("last", last)):
        turn.came.connect(lambda name=name: told.append(name))
        turn.ask()
    dropped.drop()
    gone.deleteLater()
    QApplication.sendPostedEvents(gone, QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["last"]


def test_two_workspaces_have_two_lines(qapp):
    one, other = QObject(), QObject()
    turn, other_turn = RefreshSlot(one, one), RefreshSlot(other, other)
    turn.ask()
    assert turn.is_waiting
    assert not other_turn.is_waiting
