"""While a run trains at full speed, one frame shows one step."""

from __future__ import annotations

import math

import pytest

from bpe_studio.workspace.state import State

TEXT = "hug pug pun bun hugs سلام سلام 漢字 漢字 👩‍💻 👩‍💻 " * 20


@pytest.fixture
def window(lasting_window, train_in, qtbot):
    lasting_window.put_back(qtbot)
    window = lasting_window.window
    lasting_window.open_trained(
        "scripts", lambda: train_in(window, TEXT, 20, typed="hugs سلام 漢字 👩‍💻")
    )
    window.views.show_panel("skyline")
    qtbot.waitUntil(
        lambda: window.panels["skyline"].isVisible() and window.panels["skyline"].is_up_to_date
    )
    return window


def test_all_that_shows_a_step_shows_the_announced_one(window):
    workspace = window.workspace
    assert math.isinf(workspace.transport.speed)
    n_alphabet = workspace.run.vocab_size_at(0)
    workspace.set_step(0)
    shown = {
        "text": lambda: window.text_panel.editor.step,
        "skyline": lambda: window.panels["skyline"].view.picture.step,
        "timeline": window.transport.slider.value,
        "field": lambda: int(window.transport.jump.text()),
        "vocabulary": lambda: int(window.status_line.numbers["vocab_size"].text()) - n_alphabet,
        "growth": lambda: int(window.panels["growth"].plot.accessibleDescription().split()[1]),
        "words": lambda: workspace.step if window.panels["words"].is_up_to_date else -1,
    }
    workspace.set_state(State.running)
    try:
        for step in (1, 4, 5, workspace.n_merges):
            workspace.set_step(step)  # nothing else happens before all of it is painted
            found = {name: show() for name, show in shown.items()}
            assert set(found.values()) == {step}, found
    finally:
        workspace.rest()
    assert str(workspace.n_merges + n_alphabet) in window.strip.what.text()
