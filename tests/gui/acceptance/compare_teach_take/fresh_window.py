"""Opens a document in a window of a process of its own, and tells what that window shows, as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtTest import QTest

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.widgets import window_settings
from bpe_studio.workspace.state import State

PATIENCE_S = 30


def shown_by(window: MainWindow) -> dict[str, Any]:
    """What a person sees of what is open."""
    workspace, panels = window.workspace, window.panels
    merges = panels["merges"].table.model()
    return {
        "title": window.windowTitle(),
        "step": workspace.step,
        "typed": window.text_panel.editor.text(),
        "merges": [[merges.index(row, k).data() for k in range(4)] for row in range(merges.rowCount())],
        "words": dict(workspace.corpus.corpus.items()),
        "sizes": list(workspace.compared_steps),
        "bookmarks": [[mark.step, mark.name] for mark in workspace.marks.bookmarks],
        "runs": [[run.name, run.parent, run.position.n_merges, str(run.override)] for run in workspace.runs.entries],
        "settings": workspace.run.config.to_dict(),
        "white space": window.text_panel.hidden.isChecked(),
    }


def _wait(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < end:
        QTest.qWait(10)


def main(path: str, folder: str) -> None:
    """Open and tell."""
    window_settings.keep_in(folder)
    from bpe_studio.gui.app import make_application, take_apart

    make_application()
    window = MainWindow()
    window.show()
    window.open_files([Path(path)])
    workspace = window.workspace
    _wait(lambda: workspace.run is not None and workspace.state is not State.loading)
    _wait(lambda: window.panels["merges"].table.model().rowCount() == workspace.n_merges)
    request = workspace.corpus.request
    has_text = request.text is not None or request.inside is not None
    sys.stdout.write(json.dumps(shown_by(window) | {"told": window.banner.message.text(), "has text": has_text}))
    window.close()
    take_apart(window)
