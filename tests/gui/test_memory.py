"""The window keeps nothing of what was closed, and nothing that grows with what is done again and
again.
"""

from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QCoreApplication, QThreadPool

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.views.layouts import PANELS
from bpe_studio.workspace.state import State

PATIENCE_MS = 20_000


@pytest.fixture
def window(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    window.resize(1440, 900)
    window.show()
    yield window
    window.workspace.shutdown()


def _open(qtbot, window, path, text):
    path.write_text(text, "utf-8")
    window.open_files([path])
    workspace = window.workspace
    qtbot.waitUntil(
        lambda: workspace.state is State.ready and workspace.corpus.name == path.name,
        timeout=PATIENCE_MS,
    )
    _rest(qtbot, window)


def _train(qtbot, window):
    window.workspace.transport.run_training()
    qtbot.waitUntil(lambda: window.workspace.state is State.done, timeout=PATIENCE_MS)
    _rest(qtbot, window)


def _rest(qtbot, window):
    """Until the panels that are shown are up to date, and nothing is asked any more."""
    for key in ("why", "skyline", "vocabulary", "candidates"):
        panel = window.panels[key]
        qtbot.waitUntil(
            lambda panel=panel: panel.is_up_to_date or panel.visibleRegion().isEmpty(),
            timeout=PATIENCE_MS,
        )
    QThreadPool.globalInstance().waitForDone()
    QCoreApplication.processEvents()


def _use_everything(qtbot, window):
    window.workspace.selection.select_merge(3)
    for key in PANELS:
        window.views.show_panel(key)
        _rest(qtbot, window)


@pytest.mark.slow(buys="every panel of the whole window, shown")
def test_a_text_that_is_closed_is_freed_with_its_run(qtbot, window, tmp_path):
    _open(
        qtbot,
        window,
        tmp_path / "large.txt",
        "the hug pug bun of the low lower newest widest words\n" * 300,
    )
    _train(qtbot, window)
    _use_everything(qtbot, window)
    workspace = window.workspace
    closed = {
        name: weakref.ref(each)
        for name, each in (("run", workspace.run), ("corpus", workspace.corpus.corpus))
    }
    # The text before can be gone back to until yet another is opened; what is undone keeps it too.
    for name in ("second.txt", "third.txt"):
        _open(qtbot, window, tmp_path / name, "the low lower bun\n" * 50)
        _train(qtbot, window)
    window.undo.stack.clear()

    def is_freed():
        gc.collect()
        assert not {
            name: [type(holder).__qualname__ for holder in gc.get_referrers(each())]
            for name, each in closed.items()
            if each() is not None
        }

    qtbot.waitUntil(is_freed)  # a hidden panel may still be about to drop it
