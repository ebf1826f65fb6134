"""Refresh slots: one panel a turn of the event loop, each asked for once, none for a panel that is
gone.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from bpe_studio.gui.background.scheduling import RefreshSlot


@pytest.fixture
def workspace(qapp):
    return QObject()


def test_those_who_ask_come_one_after_another_and_others_in_between(workspace, qtbot):
    told: list[object] = []
    panels = [QObject(), QObject(), QObject()]
    slots = [RefreshSlot(workspace, panel) for panel in panels]
    for number, slot in enumerate(slots):
        slot.granted.connect(
            lambda number=number: (
                told.append(number),
                QTimer.singleShot(0, lambda: told.append("-")),
            )
        )
        slot.request()
        slot.request()
    assert told == []
    assert all(slot.is_waiting for slot in slots)
    qtbot.waitUntil(lambda: len(told) == 6)
    assert told == [0, "-", 1, "-", 2, "-"]
    assert not any(slot.is_waiting for slot in slots)


def test_a_turn_can_be_dropped_and_a_panel_that_is_gone_has_none(workspace, qtbot):
    told: list[str] = []
    panel = QObject()
    gone = QObject()
    dropped = RefreshSlot(workspace, panel)
    dead = RefreshSlot(workspace, gone)
    last = RefreshSlot(workspace, panel)
    for name, slot in (("dropped", dropped), ("dead", dead), ("last", last)):
        slot.granted.connect(lambda name=name: told.append(name))
        slot.request()
    dropped.cancel()
    gone.deleteLater()
    QApplication.sendPostedEvents(gone, QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: bool(told))
    assert told == ["last"]
