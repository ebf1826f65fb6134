"""Memory goes back to the system: heaps are shared, and what is free in them is returned once a run is closed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from PySide6.QtCore import QTimer

from bpe_studio.gui.background import memory

HEAPS = """
import ctypes, os, sys, threading
from bpe_studio.gui.app import make_application
application = make_application()
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
barrier = threading.Barrier(4 * os.cpu_count() + 8)
def use():
    libc.malloc(ctypes.c_size_t(1000))
    barrier.wait()
threads = [threading.Thread(target=use) for _ in range(barrier.parties)]
for thread in threads: thread.start()
for thread in threads: thread.join()
libc.fopen.restype = ctypes.c_void_p
stream = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, stream)
libc.fclose(stream)
"""


@pytest.mark.skipif(memory._glibc() is None, reason="the allocator is not that of glibc")
def test_the_threads_of_the_program_share_a_few_heaps(tmp_path):
    info = tmp_path / "malloc.xml"
    subprocess.run([sys.executable, "-c", HEAPS, str(info)], check=True, timeout=120)
    assert 1 <= info.read_text("ascii").count("<heap nr=") <= max(2, os.cpu_count() or 2)


def test_free_memory_is_returned_when_another_run_is_open(qtbot, workspace):
    returned = []
    kept = memory.MemoryReturn(workspace, workspace, rest_ms=1, give_back=lambda: returned.append(1))
    workspace.opener.open_text("hug pug", "a text")
    qtbot.waitUntil(lambda: bool(returned))
    kept.deleteLater()


def test_free_memory_is_returned_though_runs_follow_one_another_without_a_rest(qtbot, workspace):
    returned = []
    kept = memory.MemoryReturn(workspace, workspace, rest_ms=50, give_back=lambda: returned.append(1))
    again = QTimer()
    again.timeout.connect(workspace.run_changed)
    again.start(5)
    qtbot.waitUntil(lambda: bool(returned))
    again.stop()
    kept.deleteLater()


def test_free_memory_is_returned_once_more_after_the_last_of_two_changes(qtbot, workspace):
    returned = []
    kept = memory.MemoryReturn(workspace, workspace, rest_ms=20, give_back=lambda: returned.append(1))
    workspace.run_changed.emit()
    workspace.run_changed.emit()
    qtbot.waitUntil(lambda: len(returned) == 2)
    qtbot.wait(60)
    assert len(returned) == 2
    kept.deleteLater()
