"""What every test of the window needs: no screen, no settings of a person, no job left in the pool,
no Qt warning.

The platform is chosen before Qt is imported anywhere. That no thread is left running is the matter
of every test."""

from __future__ import annotations

import os

os.environ["QT_QPA_PLATFORM"] = "offscreen"

import gc

import pytest
from PySide6.QtCore import QEvent, QThreadPool
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog

from bpe_studio.gui.widgets import window_settings
from bpe_studio.gui.widgets.window_settings import WindowSettings

PATIENCE_MS = 20_000


def pytest_collection_modifyitems(items):
    # The offscreen platform says the first three for each window that is shown or brought to the
    # front, and of menus; Qt says the last of a font without Latin letters, which it takes where
    # emoji were shown first.
    messages = (
        "propagateSizeHints",
        "does not support raise",
        "does not support grabbing",
        "Failed to compute left/right minimum bearings",
    )
    for item in items:
        if "tests/gui" in str(item.path).replace("\\", "/"):
            item.add_marker(pytest.mark.qt_log_ignore(*messages, extend=True))


@pytest.fixture(scope="session")
def first_settings(tmp_path_factory):
    """The file of settings that each test begins with, below their folder, and what is in it."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("settings")
        patch.setattr(window_settings, "_folder", folder)
        # A test looks at what a step has become; those of the motion turn it on, as a person does.
        memory = WindowSettings()
        memory.put("motion", False)
        memory.sync()
    (path,) = (path for path in folder.rglob("*") if path.is_file())
    return path.relative_to(folder), path.read_bytes()


@pytest.fixture(autouse=True)
def _no_transformers(monkeypatch):
    """A window without Transformers, which takes seconds to load for each tokenizer that a test
    opens.
    """
    monkeypatch.setattr("bpe_studio.files.third_party.trial.has_transformers", lambda: False)


@pytest.fixture(autouse=True)
def _own_settings(first_settings, tmp_path, monkeypatch):
    """Settings in a folder of the test, so that a person's are neither read nor written."""
    name, settings = first_settings
    path = tmp_path / "settings" / name
    path.parent.mkdir(parents=True)
    path.write_bytes(settings)
    monkeypatch.setattr(window_settings, "_folder", tmp_path / "settings")


@pytest.fixture(autouse=True)
def _no_warm_up(monkeypatch):
    """No compiling beside the tests: where a test needs the kernels, it waits for them."""
    monkeypatch.setattr("bpe_studio.gui.main_window.WARM_UP_AFTER_MS", 3_600_000)


@pytest.fixture
def workspace(qtbot):
    """An empty workspace, shut down at the end."""
    from bpe_studio.workspace.workspace import Workspace

    workspace = Workspace()
    yield workspace
    workspace.shutdown()


@pytest.fixture
def trained_workspace(qtbot):
    """Makes a workspace with a text that is open and trained with some settings.

    Shut down at the end.
    """
    from bpe_studio.workspace.state import State
    from bpe_studio.workspace.workspace import Workspace

    made = []

    def make(text, config):
        workspace = Workspace(config=config)
        made.append(workspace)
        workspace.opener.open_text(text, "a text")
        qtbot.waitUntil(lambda: workspace.state is State.ready)
        workspace.transport.run_training()
        qtbot.waitUntil(lambda: workspace.state is State.done)
        return workspace

    yield make
    for workspace in made:
        workspace.shutdown()


@pytest.fixture
def shown(qtbot):
    """Shows a panel at some size; it is closed at the end."""

    def show(panel, width, height):
        qtbot.addWidget(panel)
        panel.resize(width, height)
        panel.show()
        return panel

    return show


@pytest.fixture
def make_window(qtbot):
    """Makes a whole window in front of a person, of some size; it is closed at the end."""
    made = []

    def make(width, height):
        from bpe_studio.gui.main_window import MainWindow

        window = MainWindow()
        made.append(window)
        qtbot.addWidget(window)
        window.resize(width, height)
        window.show()
        # A cursor that lies over the window would point at things by itself.
        QCursor.setPos(0, 0)
        return window

    yield make
    for window in made:
        window.close()
        window.workspace.shutdown()


@pytest.fixture(scope="module")
def lasting_window(qapp, request, tmp_path_factory):
    """A whole window for all tests of a module, which puts it back before each."""
    from tests.gui.acceptance.lasting_window import lasting_windows

    yield from lasting_windows(request, tmp_path_factory)


@pytest.fixture
def train_in(qtbot):
    """Opens a text in a whole window, trains it by the textbook's rules to the end, and types
    another.
    """

    def train(window, text, merges, typed):
        from bpe_studio.engine.config import TrainingConfig
        from bpe_studio.workspace.state import OpeningRequest, State

        workspace = window.workspace
        before = window.workspace.run
        config = TrainingConfig.preset("textbook", merges=merges)
        workspace.opener.open(OpeningRequest("Words", text=text), config)
        qtbot.waitUntil(
            lambda: workspace.run is not before and workspace.state is State.ready,
            timeout=PATIENCE_MS,
        )
        workspace.transport.run_training()
        qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)
        workspace.set_typed_text(typed)
        qtbot.waitUntil(lambda: window.pages.currentWidget() is window.views)
        return window

    return train


@pytest.fixture
def make_trained_window(make_window, train_in):
    """The same in a window of its own."""
    return lambda text, merges, typed: train_in(make_window(1440, 900), text, merges, typed)


@pytest.fixture(autouse=True)
def _no_window_of_others(request):
    """Begins with the mouse outside all windows, and hides what earlier tests left open.

    Where there is no screen the mouse is over the window that was made first, whatever lies over
    it. It fails if that is one that lasts for other tests, as it would go on working, too."""
    if QApplication.instance() is None:
        return
    QCursor.setPos(0, 0)
    own = {node.nodeid for node in request.node.listchain()} - {""}
    left = [window for window in QApplication.topLevelWidgets() if window.isVisible()]
    left = [window for window in left if window.property("lasts_for") not in own]
    for window in left:
        # A dialog that is only hidden is not deleted where its window lasts, and the next test
        # would find it.
        window.close() if isinstance(window, QDialog) else window.hide()
    lasting = [window for window in left if window.property("lasts_for") is not None]
    assert not lasting, f"a window of other tests lasts on: {lasting}"


@pytest.fixture(autouse=True)
def _no_button_held():
    """Fails a test that leaves a button of the mouse held: what the next test moves the mouse over
    would be dragged.
    """
    before = QGuiApplication.mouseButtons()
    yield
    assert not QGuiApplication.mouseButtons() & ~before, "the test left a button of the mouse held"


@pytest.fixture(autouse=True)
def _nothing_waiting():
    """Lets the jobs of the pool end, and what was deleted go, before the next test.

    As in the program, no thread of the pool collects garbage: it would delete widgets outside their
    thread."""
    gc.disable()
    yield
    gc.enable()
    application = QApplication.instance()
    if application is None:
        return
    assert QThreadPool.globalInstance().waitForDone(PATIENCE_MS), (
        "a job of the thread pool did not end"
    )
    # Where there is no screen, what Python put on the clipboard would be freed after Python has
    # ended.
    application.clipboard().clear()
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    application.processEvents()
    gc.collect()
