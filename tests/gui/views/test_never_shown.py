"""A window that is never shown, as when a program drives it: what its view would show is there."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractItemView

from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.state import State


def test_tables_of_a_view_are_filled_in_a_window_that_is_never_shown(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    workspace = window.workspace
    workspace.opener.open_text("hug pug pun bun hugs " * 5, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=60_000)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=60_000)

    def n_rows(name: str) -> int:
        return window.findChild(QAbstractItemView, name).model().rowCount()

    window.actions_by_id["view.vocabulary"].trigger()
    qtbot.waitUntil(
        lambda: n_rows("vocabulary.table") == workspace.run.vocab_size_at(workspace.step)
    )
    window.actions_by_id["view.compare"].trigger()
    qtbot.waitUntil(lambda: n_rows("compare.table") > 0)
    workspace.transport.go_to(2)
    window.actions_by_id["view.vocabulary"].trigger()
    qtbot.waitUntil(lambda: n_rows("vocabulary.table") == workspace.run.vocab_size_at(2))
    assert not window.isVisible()
