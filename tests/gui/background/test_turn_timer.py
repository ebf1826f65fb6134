"""A timer that is late, because of a long turn of something else, lets what became due meanwhile come first."""

from __future__ import annotations

from time import perf_counter

import pytest
from PySide6.QtCore import Qt, QTimer

from bpe_studio.gui.background.scheduling import BUSY_S, TurnTimer

LONG_S = 4 * BUSY_S


def take_long() -> None:
    until_s = perf_counter() + LONG_S
    while perf_counter() < until_s:
        pass


def timers(happened: list[str], *, is_single_shot: bool) -> tuple[TurnTimer, QTimer]:
    """A timer that is due in 1 ms, and another that is due after it."""
    turn, other = TurnTimer(), QTimer(singleShot=True)
    other.setTimerType(Qt.TimerType.PreciseTimer)
    turn.setTimerType(Qt.TimerType.PreciseTimer)
    turn.setSingleShot(is_single_shot)
    turn.timeout.connect(lambda: (happened.append("turn"), turn.stop()))
    other.timeout.connect(lambda: happened.append("other"))
    turn.start(1)
    other.start(2)
    return turn, other


@pytest.mark.parametrize("is_single_shot", [True, False])
def test_after_a_long_turn_it_waits_for_one_more_pass(qtbot, is_single_shot):
    happened: list[str] = []
    kept = timers(happened, is_single_shot=is_single_shot)
    take_long()
    qtbot.waitUntil(lambda: len(happened) == 2)
    assert happened == ["other", "turn"]
    assert not any(timer.isActive() for timer in kept)
