"""While a run trains at full speed, one frame shows one step."""

from __future__ import annotations

import random

import pytest

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.runs import transport
from bpe_studio.workspace.state import State

WAIT_MS = 20_000


def many_words() -> str:
    draw = random.Random(5)
    syllables = ["la", "mi", "ter", "سل", "ام", "漢", "字", "é", "ing", "👩‍💻"]
    words = ["".join(draw.choices(syllables, k=5)) for _ in range(20_000)]
    return " ".join(words)


@pytest.fixture
def window(lasting_window, qtbot, monkeypatch):
    monkeypatch.setattr(transport, "GROWTH_S", 0.0)
    monkeypatch.setattr(transport, "RESTS", 0)
    lasting_window.put_back(qtbot)
    window = lasting_window.window
    workspace = window.workspace
    workspace.settings.apply(TrainingConfig.preset("gpt2", merges=6_000))
    workspace.opener.open_text(many_words(), "Many words")
    qtbot.waitUntil(lambda: workspace.corpus.name == "Many words" and workspace.state is State.ready, timeout=WAIT_MS)
    window.views.show_panel("skyline")
    qtbot.waitUntil(window.panels["skyline"].isVisible, timeout=WAIT_MS)
    return window


def test_all_that_shows_a_step_shows_the_announced_one(window, qtbot):
    workspace, seen = window.workspace, []
    shown = {
        "text": lambda: window.text_panel.editor.step,
        "skyline": lambda: window.panels["skyline"].view.picture.step,
        "timeline": window.transport.slider.value,
        "field": lambda: int("".join(filter(str.isdigit, window.transport.jump.text()))),
        "merges": lambda: window.panels["merges"].model.n_rows,
        "vocabulary": lambda: int("".join(filter(str.isdigit, window.status_line.numbers["vocab_size"].text()))) - 257,
    }

    def look(step: int) -> None:
        seen.append((step, {name: show() for name, show in shown.items()}))

    workspace.step_changed.connect(look)
    try:
        workspace.transport.run_training()
        qtbot.waitUntil(lambda: workspace.state is State.done, timeout=WAIT_MS)
    finally:
        workspace.step_changed.disconnect(look)
    assert seen and seen[0][0] < seen[-1][0] == workspace.n_merges
    for step, found in seen:
        assert set(found.values()) == {step}
    assert f"{workspace.n_merges + 257:,}" in window.strip.what.text()
