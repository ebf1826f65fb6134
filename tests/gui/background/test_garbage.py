"""Garbage is collected in the window's thread, and nowhere else."""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import threading
import weakref

import pytest
from PySide6.QtCore import QThreadPool, QTimer
from PySide6.QtWidgets import QDialog

from bpe_studio.gui.background import garbage
from bpe_studio.gui.background.garbage import GarbageCollection, leave_out_what_is_made
from bpe_studio.workspace.jobs import Jobs
from tests.benchmarks.window_probe import places_of_threads


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


def test_while_the_program_starts_only_new_objects_are_looked_at(qapp, threads, monkeypatch):
    frozen = threading.Event()
    monkeypatch.setattr(garbage, "objects_frozen", frozen)
    collection = GarbageCollection(qapp)
    for _ in range(200):
        nodes = [_Node() for _ in range(1000)]
        collection.collect_what_is_due()
    assert {generation for _, generation in threads} == {0}
    frozen.set()
    for _ in range(200):
        nodes = [_Node() for _ in range(1000)]
        collection.collect_what_is_due()
    del nodes
    assert {generation for _, generation in threads} == {0, 1, 2}
    collection.deleteLater()


def test_garbage_is_collected_while_a_dialog_is_open_and_while_a_job_runs(qtbot, qapp, threads, workspace):
    def work():
        for _ in range(100):
            [_Node() for _ in range(1000)]
            yield 0

    collection = GarbageCollection(qapp)
    dialog = QDialog()
    qtbot.addWidget(dialog)
    jobs = Jobs(dialog)
    seen, made = [], []

    def on_ended(_):
        seen.append(len(threads))
        # Enough for one more collection: the last one may have been just before the end of the job.
        made.extend(_Node() for _ in range(1000))

    jobs.start(work, lambda _: None, on_ended)
    watch = QTimer(dialog)
    watch.timeout.connect(lambda: dialog.accept() if seen and len(threads) > seen[0] else None)
    watch.start(5)
    dialog.exec()
    jobs.shutdown()
    assert {thread for thread, _ in threads} == {threading.get_ident()}
    assert sum(type(each) is _Node for each in gc.get_objects()) < 5000
    collection.deleteLater()


def test_older_generations_have_their_turn(qapp, threads):
    collection = GarbageCollection(qapp)
    collection._begun_s -= garbage.STARTING_S
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
    collection._begun_s -= garbage.STARTING_S
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


def test_what_watches_for_long_gaps_keeps_nothing_alive_that_the_thread_it_watches_made():
    goes_on, stands = threading.Event(), threading.Event()
    made = []

    def holds_a_node_and_waits():
        node = _Node()
        node.itself = None
        made.append(weakref.ref(node))
        stands.set()
        goes_on.wait(60)

    watched = threading.Thread(target=holds_a_node_and_waits)
    watched.start()
    stands.wait(60)
    with tempfile.TemporaryFile() as stream:
        places = places_of_threads(stream)
        again = places_of_threads(stream)
    number = watched.ident
    goes_on.set()
    watched.join()
    assert "holds_a_node_and_waits" in places[number] and again[number] == places[number]
    assert "test_garbage.py" in places[threading.get_ident()]
    assert made[0]() is None


def test_what_the_window_is_made_of_is_left_out(qapp):
    kept = [_Node() for _ in range(1000)]
    n_before = gc.get_freeze_count()
    leave_out_what_is_made()
    try:
        assert gc.get_freeze_count() >= n_before + len(kept)
        assert gc.get_count()[0] < len(kept)
    finally:
        gc.unfreeze()
