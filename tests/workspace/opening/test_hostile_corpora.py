"""Corpora that never end or never answer: a cancel is answered at once, and what was open stays."""

from __future__ import annotations

import gzip
import socket
import time

import pytest

TEXT = "low low lower newest\n" * 20
AT_ONCE_S = 1.0


@pytest.fixture
def opened(make_workspace, wait_for):
    """A workspace in which a text is open."""
    workspace = make_workspace()
    workspace.opener.open_text(TEXT)
    wait_for(workspace, "ready")
    return workspace


def cancel_while_opening(qtbot, workspace, path):
    """Opens something, and cancels it when its reading has begun."""
    before = workspace.corpus
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.progress is not None)
    begun = time.monotonic()
    workspace.cancel()
    qtbot.waitUntil(lambda: workspace.state.name == "ready")
    assert time.monotonic() - begun < AT_ONCE_S
    assert workspace.corpus is before


def test_a_bomb_is_cancelled_at_once(qtbot, opened, tmp_path):
    part = gzip.compress(b"a b c d\n" * (1 << 20), 1)
    (tmp_path / "bomb.txt.gz").write_bytes(part * 400)  # unpacks to 3 GB
    cancel_while_opening(qtbot, opened, tmp_path / "bomb.txt.gz")


def test_an_address_that_does_not_answer_is_cancelled_at_once(qtbot, opened):
    import fsspec.asyn

    fsspec.asyn.get_loop()
    fsspec.get_filesystem_class("http")  # imports for longer than its thread may take to end on a busy machine
    with socket.create_server(("127.0.0.1", 0)) as silent:
        cancel_while_opening(qtbot, opened, f"http://127.0.0.1:{silent.getsockname()[1]}/a.txt")
        opened.backend.end_warm_up()


@pytest.mark.parametrize("data", [b"PAR1" + bytes(99), b"\x1f\x8b" + bytes(50), b"PK\x03\x04" + bytes(99)])
def test_what_was_open_stays(qtbot, opened, tmp_path, data):
    before = opened.corpus
    (tmp_path / "bad").write_bytes(data)
    with qtbot.waitSignal(opened.failed) as failed:
        opened.opener.open_files([tmp_path / "bad"])
    assert "bad" in failed.args[0].message and "\n" not in failed.args[0].message
    assert opened.corpus is before
