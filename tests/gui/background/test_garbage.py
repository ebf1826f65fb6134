"""Garbage is collected in the window's thread, and nowhere else."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import pytest
from PySide6.QtCore import QThreadPool, QTimer
from PySide6.QtWidgets import QDialog

from bpe_studio.gui.background.garbage import GarbageCollection
from bpe_studio.workspace.jobs import Jobs


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
    thresholds = gc.get_threshold()
    gc.set_threshold(
        700, 10, 10
    )  # a type checker that another test ran in this process raises them
    gc.callbacks.append(note)
    yield seen
    gc.callbacks.remove(note)
    gc.set_threshold(*thresholds)
    if was_enabled:
        gc.enable()


def test_objects_made_in_the_pool_are_collected_in_this_thread(qtbot, qapp, threads):
    collection = GarbageCollection(qapp)
    # So many that what other tests free meanwhile, which counts against them, changes nothing.
    QThreadPool.globalInstance().start(lambda: [_Node() for _ in range(200_000)])
    QThreadPool.globalInstance().waitForDone()
    assert threads == []
    qtbot.waitUntil(lambda: len(threads) > 0)
    assert {thread for thread, _ in threads} == {threading.get_ident()}
    assert gc.get_count()[0] < 5000
    collection.deleteLater()


def test_garbage_is_collected_while_a_dialog_is_open_and_while_a_job_runs(
    qtbot, qapp, threads, workspace
):
    def work():
        for _ in range(100):
            [_Node() for _ in range(1000)]
            yield 0

    collection = GarbageCollection(qapp)
    dialog = QDialog()
    qtbot.addWidget(dialog)
    jobs = Jobs(dialog)
    seen = []
    made = []

    def on_ended(_):
        seen.append(len(threads))

    def go_on():
        # Enough for one more collection: the last one may have been just before the end of the job.
        # What is freed meanwhile counts against what is made, so it is made until there is one.
        made.extend(_Node() for _ in range(20))
        if seen and len(threads) > seen[0]:
            dialog.accept()

    jobs.start(work, lambda _: None, on_ended)
    watch = QTimer(dialog)
    watch.timeout.connect(go_on)
    watch.start(5)
    dialog.exec()
    jobs.shutdown()
    assert {thread for thread, _ in threads} == {threading.get_ident()}
    assert sum(type(each) is _Node for each in gc.get_objects()) < 5000
    collection.deleteLater()


def test_the_program_has_its_garbage_collected_by_the_event_loop():
    program = (
        "import gc; from bpe_studio.gui.app import make_application;"
        "from bpe_studio.gui.background.garbage import GarbageCollection;"
        "application = make_application();"
        "print(gc.isenabled(), len(application.findChildren(GarbageCollection)))"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True
    )
    assert ended.stdout.split() == ["False", "1"]
