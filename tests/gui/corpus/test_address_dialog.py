"""Opening an address, a folder or a pattern: the dialog, a dropped link, and what a document keeps
of it.
"""

from __future__ import annotations

import pytest

from bpe_studio.gui.corpus.address_dialog import AddressDialog
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.state import State


def test_what_is_written_is_opened(qtbot, tmp_path):
    dialog = AddressDialog(WindowSettings())
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.open_it.isEnabled()
    dialog.address.setText(f" {tmp_path}/*.txt ")
    with qtbot.waitSignal(dialog.chosen) as chosen:
        dialog.open_it.click()
    assert chosen.args == [[f"{tmp_path}/*.txt"]]
    assert not dialog.isVisible()


@pytest.fixture(autouse=True, scope="module")
def loop_of_fsspec():
    """The thread of fsspec, which is never ended, is started before any test."""
    import fsspec.asyn

    fsspec.asyn.get_loop()


@pytest.fixture
def server():
    """Files in memory, at addresses."""
    import fsspec

    files = fsspec.filesystem("memory")
    for number in range(2):
        files.pipe(f"/texts/{number}.jsonl", b'{"text": "hug hugs"}\n{"text": "pug"}\n')
    yield files
    files.rm("/texts", recursive=True)


@pytest.mark.parametrize(
    ("address", "n_files"), [("texts/0.jsonl", 1), ("texts", 2), ("texts/*.jsonl", 2)]
)
def test_an_address_is_opened(qtbot, workspace, server, address, n_files):
    workspace.opener.choose_column = lambda choice, go_on: pytest.fail("the column is certain")
    workspace.opener.open_files([f"memory://{address}"])
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    info = workspace.corpus
    assert [each.form for each in info.sources] == ["JSON lines"] * n_files
    assert info.corpus.n_words == 3 * n_files


def test_an_address_that_is_not_there(qtbot, workspace):
    with qtbot.waitSignal(workspace.failed) as failed:
        workspace.opener.open_files(["memory://nothing/at/all.txt"])
    assert "There is no file memory://nothing/at/all.txt" in failed.args[0].message
    assert workspace.state is State.failed
