from __future__ import annotations

from bpe_studio.gui.background import scheduling
from bpe_studio.gui.background.scheduling import MOST_MS, Debouncer


def test_it_waits_for_the_hand_to_rest_but_not_for_ever(qapp, monkeypatch):
    now = 10.0
    monkeypatch.setattr(scheduling, "monotonic", lambda: now)
    timer = Debouncer(50)
    timer.restart()
    assert timer.interval() == 50
    now += (MOST_MS - 20) / 1000
    timer.restart()
    assert timer.interval() == 20
    now += 1.0
    timer.restart()
    assert timer.interval() == 0
    timer.stop()
