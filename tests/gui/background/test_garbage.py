"""Garbage is collected in the window's thread, and nowhere else."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import pytest
from PySide6.QtCore import QThreadPool

from bpe_studio.gui.background.garbage import GarbageCollection


class _Node:
    """Is garbage at once: it holds itself."""

    def __init__(self):
        self.itself = self


@pytest.fixture
def threads():
    """The threads in which collections begin, as they do."""
    seen = []

    def note(phase, info):
        if phase == "start":
            seen.append((threading.get_ident(), info["generation"]))

    was_enabled = gc.isenabled()
    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)
    if was_enabled:
        gc.enable()


def test_objects_made_in_the_pool_are_collected_in_this_thread(qtbot, qapp, threads):
    collection = GarbageCollection(qapp)
    QThreadPool.globalInstance().start(lambda: [_Node() for _ in range(5000)])
    QThreadPool.globalInstance().waitForDone()
    assert threads == []
    qtbot.waitUntil(lambda: len(threads) > 0)
    assert {thread for thread, _ in threads} == {threading.get_ident()}
    assert gc.get_count()[0] < 5000
    collection.deleteLater()


def test_older_generations_have_their_turn(qapp, threads):
    collection = GarbageCollection(qapp)
    gc.collect()
    threads.clear()
    for _ in range(200):
        nodes = [_Node() for _ in range(1000)]
        collection.collect_what_is_due()
    del nodes
    generations = [generation for _, generation in threads]
    assert set(generations) == {0, 1, 2}
    assert generations.count(0) > generations.count(1) > generations.count(2)
    collection.deleteLater()


def test_full_collections_take_a_small_share_of_the_time_at_most(qapp, threads, monkeypatch):
    collection = GarbageCollection(qapp)
    collection._full_took_s = 3600.0
    for _ in range(200):
        nodes = [_Node() for _ in range(1000)]
        collection.collect_what_is_due()
    del nodes
    assert {generation for _, generation in threads} == {0, 1}
    collection.deleteLater()


def test_the_program_has_its_garbage_collected_by_the_event_loop():
    program = (
        "import gc; from bpe_studio.gui.app import make_application;"
        "from bpe_studio.gui.background.garbage import GarbageCollection;"
        "application = make_application();"
        "print(gc.isenabled(), len(application.findChildren(GarbageCollection)))"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert ended.stdout.split() == ["False", "1"]
