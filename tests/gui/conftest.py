"""What every test of the window needs: no screen, no settings of a person, no thread left running, no Qt warning.

The platform is chosen before Qt is imported anywhere.
"""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import gc
import threading

import pytest
from PySide6.QtCore import QEvent, QSettings, QThread, QThreadPool
from PySide6.QtWidgets import QApplication

from bpe_studio.workspace import jobs

PATIENCE_MS = 20_000


def pytest_collection_modifyitems(items):
    # The offscreen platform says this for each window that is shown or brought to the front.
    for item in items:
        if "tests/gui" in str(item.path).replace("\\", "/"):
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints", "does not support raise", extend=True))


@pytest.fixture(autouse=True)
def _own_settings(tmp_path, monkeypatch):
    """Settings in a folder of the test, so that a person's are neither read nor written."""
    before = QSettings.defaultFormat()
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(tmp_path / "settings"))
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.SystemScope, str(tmp_path / "settings"))
    yield
    QSettings.setDefaultFormat(before)


@pytest.fixture(autouse=True)
def _nothing_left_running(request):
    """Fails a test that leaves a worker's thread running, and lets what was deleted go before the next."""
    threads = set(threading.enumerate())
    yield
    application = QApplication.instance()
    if application is None:
        return
    assert QThreadPool.globalInstance().waitForDone(PATIENCE_MS), "a job of the thread pool did not end"
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    application.processEvents()
    gc.collect()
    running = [thread for thread in jobs._OPEN if isinstance(thread, QThread) and thread.isRunning()]
    assert not running, "a worker's thread is still running: the test must shut its workspace down"
    # The kernels compile in a daemon thread that ends with the process; pool threads of Qt stay for the next job.
    left = [thread for thread in set(threading.enumerate()) - threads if not thread.daemon]
    assert not left, f"threads were left running: {left}"
