"""The speed of a document comes back with it, and not with the text that is opened next."""

from __future__ import annotations

import math

import pytest


@pytest.fixture
def window(lasting_window, qtbot):
    lasting_window.put_back(qtbot)
    lasting_window.open_another(qtbot)
    return lasting_window.window


def test_a_document_brings_its_speed_and_a_text_begins_at_full_speed(window, qtbot, tmp_path):
    workspace = window.workspace
    opener = window.workspace.opener
    workspace.transport.set_speed(2.0)
    with qtbot.waitSignal(workspace.saver.ended):
        workspace.saver.save_document(tmp_path / "slow.bpestudio", window.document_view.to_dict())
    opener.open_text("other words", "Other")
    qtbot.waitUntil(lambda: workspace.corpus.name == "Other" and workspace.is_resting)
    assert workspace.transport.speed == math.inf
    opener.open_files([tmp_path / "slow.bpestudio"])
    qtbot.waitUntil(lambda: workspace.document is not None and workspace.is_resting)
    assert workspace.transport.speed == 2.0


@pytest.mark.parametrize("speed", [0.0, -1.0, 1e30, math.nan, "2", True, None])
def test_a_speed_that_no_slider_has_is_left_out(window, speed):
    before = window.workspace.transport.speed
    window.document_view.restore({"speed": speed})
    assert window.workspace.transport.speed == before
