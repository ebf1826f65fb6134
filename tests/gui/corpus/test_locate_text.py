"""A document that holds words and counts only: what needs its text says so, and the text can be
located.
"""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QFileDialog, QPushButton

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.state import State

TEXT = "the newest hugs and the lowest pugs, سلام دنیا\n" * 30


@pytest.mark.slow(buys="a whole window; what it does is tested with the opener")
def test_the_text_of_a_document_is_located(make_window, qtbot, tmp_path, monkeypatch):
    text = tmp_path / "a.txt"
    document = tmp_path / "a.bpestudio"
    text.write_text(TEXT, "utf-8")
    window = make_window(1200, 800)
    workspace = window.workspace
    window.open_files([text])
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    action = window.actions_by_id["file.locate_text"]
    button = window.findChild(QPushButton, "corpus.locate")
    assert not action.isEnabled() and button.isHidden()
    workspace.saver.save_document(document)
    qtbot.waitUntil(lambda: workspace.document is not None)
    window.open_files([document])
    qtbot.waitUntil(lambda: workspace.corpus.lacks_text)
    qtbot.waitUntil(action.isEnabled)
    assert not button.isHidden()
    panel = window.panels["settings"]
    panel.area.show_config(TrainingConfig.preset("sennrich"))
    qtbot.waitUntil(lambda: not panel.apply.isEnabled())
    assert "Locate text" in panel.status.text()
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(text)], ""))
    button.click()
    qtbot.waitUntil(lambda: not workspace.corpus.lacks_text and workspace.state is State.ready)
    assert button.isHidden() and workspace.document.path == document
    assert TEXT.startswith(workspace.corpus.beginning) and workspace.corpus.beginning
    qtbot.waitUntil(lambda: panel.apply.isEnabled())
