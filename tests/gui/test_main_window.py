"""The whole window with the real panels: names, states, transport, failures, memory, drops and
closing.
"""

from __future__ import annotations

import math
import time

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLineEdit,
    QWidget,
)

import bpe_studio as bpe
from bpe_studio.gui.background import panel
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look import theme
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell.actions import TABLE
from bpe_studio.gui.widgets import window_settings
from bpe_studio.gui.widgets.entry_button import EntryButton
from bpe_studio.gui.widgets.window_settings import Recent, WindowSettings
from bpe_studio.workspace.state import State
from tests.gui.acceptance.lasting_window import unseen_windows

whole_window = pytest.mark.slow(
    buys=(
        "each does something else with a whole window; the whole path and what fails in it are"
        " among the quick ones"
    )
)

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog over several hills\n"
    * 6
)
PATIENCE_MS = 20_000


@pytest.fixture
def window(qtbot):
    window = MainWindow()
    qtbot.addWidget(window)
    yield window
    window.workspace.shutdown()


@pytest.fixture(scope="module")
def unseen_window(qapp, tmp_path_factory):
    yield from unseen_windows(tmp_path_factory)


@pytest.fixture
def unseen(unseen_window):
    """A window that is never shown or closed, in which other tests have opened texts."""
    unseen_window.banner.clear()
    unseen_window.workspace.leave_failure()
    unseen_window.workspace.transport.set_speed(math.inf)
    return unseen_window


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text(TEXT, encoding="utf-8")
    return path


def reach(qtbot, window, *states):
    qtbot.waitUntil(lambda: window.workspace.state in states, timeout=PATIENCE_MS)


def opened(qtbot, window, path):
    before = window.workspace.run
    window.open_files([path])
    qtbot.waitUntil(lambda: window.workspace.run is not before, timeout=PATIENCE_MS)
    reach(qtbot, window, State.ready)
    if window.isVisible():
        qtbot.waitUntil(lambda: window.pages.currentWidget() is window.views)


def trained(qtbot, window, path):
    opened(qtbot, window, path)
    action(window, "transport.run").trigger()
    reach(qtbot, window, State.done)


def test_one_frame_shows_one_step(qtbot, window, path, monkeypatch):
    # A panel that has just followed a step waits for its next turn. On this clock that is over.
    monkeypatch.setattr(panel, "perf_counter", lambda: window.workspace.step)
    window.show()
    opened(qtbot, window, path)
    qtbot.waitUntil(lambda: window.panels["skyline"].is_up_to_date)
    window.workspace.transport.set_speed(20)
    seen = []

    def look():
        shown = (
            window.findChild(QLineEdit, "transport.jump_to").text(),
            window.text_panel.editor.step,
            window.panels["skyline"].view.picture.step,
            window.panels["merges"].model.rowCount(),
        )
        seen.append((window.workspace.step, *map(int, shown)))

    window.workspace.step_changed.connect(look, Qt.ConnectionType.QueuedConnection)
    for step in range(1, 4):
        action(window, "transport.step").trigger()
        qtbot.waitUntil(
            lambda step=step: window.workspace.step == step and len(seen) == step,
            timeout=PATIENCE_MS,
        )
    assert seen == [(step,) * 5 for step in range(1, 4)]


def action(window, name) -> QAction:
    found = window.findChild(QAction, name)
    assert found is not None, name
    return found


def test_every_control_has_a_name_and_an_accessible_name(unseen):
    kinds = (QAbstractButton, QComboBox, QAbstractSlider, QLineEdit)
    inner = ("QTabBar", "QSpinBox")
    for widget in unseen.findChildren(QWidget):
        if (
            not isinstance(widget, kinds)
            or widget.objectName().startswith("qt_")
            or widget.inherits("QScrollBar")
        ):
            continue
        if widget.parent() is not None and widget.parent().metaObject().className().startswith(
            inner
        ):
            continue
        assert widget.objectName(), widget
        assert widget.accessibleName(), widget.objectName()


def test_what_is_greyed_out_says_why(qtbot, window, path):
    def check():
        for row in TABLE:
            entry = action(window, row.id)
            assert entry.isEnabled() == ("Not now: " not in entry.toolTip()), row.id

    check()
    assert not action(window, "transport.run").isEnabled()
    trained(qtbot, window, path)
    window.refresh_actions()
    check()


def test_the_whole_path(qtbot, window, path):
    window.show()
    opened(qtbot, window, path)
    assert window.pages.currentWidget() is window.views
    assert "story.txt" in window.windowTitle()
    assert "Ready" in window.strip.made.text()
    action(window, "transport.step").trigger()
    reach(qtbot, window, State.paused)
    qtbot.waitUntil(lambda: window.workspace.step == 1)
    qtbot.waitUntil(lambda: "Comes next: " in window.strip.what.text(), timeout=PATIENCE_MS)
    window.transport.n.setValue(7)
    action(window, "transport.step_n").trigger()
    qtbot.waitUntil(lambda: window.workspace.step == 8)
    reach(qtbot, window, State.paused)
    action(window, "transport.back").trigger()
    assert window.workspace.step == 7
    action(window, "transport.run").trigger()
    reach(qtbot, window, State.done)
    n_merges = window.workspace.n_merges
    assert window.workspace.step == n_merges
    qtbot.waitUntil(lambda: "Done" in window.strip.what.text())
    action(window, "transport.start").trigger()
    assert window.workspace.step == 0
    action(window, "transport.end").trigger()
    assert window.workspace.step == n_merges
    assert window.status_line.numbers["vocab_size"].text() != ""


def test_there_is_one_strip_and_it_is_where_one_steps(qtbot, window, path):
    window.show()
    trained(qtbot, window, path)
    workspace = window.workspace
    n_merges = workspace.n_merges
    assert window.transport.isVisible() and window.strip.isVisible()
    assert (
        window.strip.made.text().startswith("Just made: ")
        and f"merge {n_merges}" in window.strip.made.text()
    )
    for view in ("vocabulary", "compare", "corpus", "learn", "start"):
        action(window, f"view.{view}").trigger()
        assert not window.transport.isVisible() and not window.strip.isVisible(), view
        action(window, "transport.back").trigger()
    assert workspace.step == n_merges - 5, "the keys work on every page"
    action(window, "transport.jump").trigger()
    assert window.views.current == "explore" and window.transport.jump.hasFocus()
    assert window.strip.what.text().startswith("Comes next: ")


def test_pasting_with_and_without_text(qtbot, window):
    QGuiApplication.clipboard().clear()
    action(window, "file.paste").trigger()
    assert "clipboard" in window.banner.message.text()
    QGuiApplication.clipboard().setText(TEXT)
    action(window, "file.paste").trigger()
    reach(qtbot, window, State.ready)
    assert window.banner.isHidden()


def test_dropped_files_are_opened_wherever_they_fall(qtbot, window, path):
    window.show()
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    copy = Qt.DropAction.CopyAction
    no_keys = Qt.KeyboardModifier.NoModifier
    left = Qt.MouseButton.LeftButton
    target = window.findChild(QWidget, "text.input").viewport()
    enter = QDragEnterEvent(QPoint(5, 5), copy, mime, left, no_keys)
    QApplication.sendEvent(target, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), copy, mime, left, no_keys))
    reach(qtbot, window, State.ready)
    assert window.workspace.corpus.name == "story.txt"
    assert window.workspace.typed_text == ""


def test_recent_files_are_listed_and_opened(qtbot, window, path, tmp_path):
    opened(qtbot, window, path)
    window.memory.add_recent(Recent(window_settings.TEXT, (str(tmp_path / "gone.txt"),)))
    window.menus.show_recent(window.memory.recent)

    def entries():
        return [entry for entry in window.menus.recent.actions() if entry.data()]

    qtbot.waitUntil(
        lambda: [entry.text() for entry in entries()] == ["story.txt · text"], timeout=PATIENCE_MS
    )
    entries()[0].trigger()
    reach(qtbot, window, State.loading)
    reach(qtbot, window, State.ready)


def test_a_tokenizer_is_among_the_recent_ones_and_an_address_stays_there(qtbot, window, tmp_path):
    folder = tmp_path / "own"
    config = bpe.TrainingConfig.preset("gpt2", merges=3, vocab_size=None)
    bpe.train(bpe.Corpus.from_text("low lower lowest", config), config).tokenizer().save(folder)
    window.memory.add_recent(Recent(window_settings.TOKENIZER, ("hf:owner/name",)))
    window.memory.add_recent(Recent(window_settings.TEXT, (str(tmp_path / "gone.txt"),)))
    window.open_files([folder])
    reach(qtbot, window, State.done)
    wanted = ["own · tokenizer", "owner/name · tokenizer"]

    def listed():
        return [entry.text() for entry in window.menus.recent.actions() if entry.data()]

    qtbot.waitUntil(lambda: listed() == wanted, timeout=PATIENCE_MS)
    button = window.start_page.findChild(QAbstractButton, "start.recent.0")
    assert button.text() == "own" and button.about.startswith("Tokenizer")
    window.workspace.opener.open_text("a rose", "Rose")
    reach(qtbot, window, State.ready)
    button.click()
    qtbot.waitUntil(lambda: window.workspace.corpus.name == "own", timeout=PATIENCE_MS)


def test_the_theme_switch_turns_everything_and_is_remembered(qtbot, window, qapp):
    switch = window.findChild(QAbstractButton, "view.theme")
    window.set_theme("light")
    switch.click()
    assert theme.is_dark(qapp.palette())
    window.memory.sync()
    assert WindowSettings().theme == "dark"
    switch.click()
    assert not theme.is_dark(window.text_panel.palette())


@whole_window
def test_layout_and_place_come_back(qtbot, path):
    first = MainWindow()
    qtbot.addWidget(first)
    first.resize(1100, 700)
    first.show()
    opened(qtbot, first, path)
    first.views.show_view("corpus")
    first.views.open_drawer("marks")
    first.close()
    second = MainWindow()
    qtbot.addWidget(second)
    assert second.size() == first.size()
    assert second.views.current == "corpus" and second.views.drawer.front == "marks"
    assert not second.views.drawer.isHidden()
    second.workspace.shutdown()


@whole_window
def test_files_are_read_again_in_another_encoding(qtbot, window, tmp_path):
    path = tmp_path / "cyrillic.txt"
    path.write_bytes("привет мир, привет всем".encode("koi8-r"))
    assert not window.menus.encodings.menuAction().isEnabled()
    window.open_files([path])
    reach(qtbot, window, State.ready)
    assert window.menus.encodings.menuAction().isEnabled()
    assert action(window, "file.encoding.detect").isChecked()
    action(window, "file.encoding.koi8-r").trigger()
    qtbot.waitUntil(
        lambda: window.workspace.corpus.request.reading.encoding == "koi8-r", timeout=PATIENCE_MS
    )
    reach(qtbot, window, State.ready)
    assert "привет" in list(window.workspace.corpus.corpus.pre_tokens())
    assert action(window, "file.encoding.koi8-r").isChecked()
    assert not action(window, "file.encoding.detect").isChecked()


def test_a_long_answer_does_not_keep_a_closing_window(make_window, qtbot):
    began = []
    ended = []

    def answer():
        began.append(True)
        try:
            while True:
                yield
                time.sleep(0.001)
        finally:
            ended.append(True)

    window = make_window(1280, 720)
    LatestAnswer(answer, window).ask()
    qtbot.waitUntil(lambda: bool(began))
    window.close()
    assert ended


def test_the_growth_is_drawn_by_pyqtgraph_in_a_window_that_is_never_shown_too(qtbot, path):
    window = MainWindow()
    qtbot.addWidget(window)
    plot = window.findChild(QWidget, "growth.plot")
    assert plot.accessibleName() and not plot.findChildren(pg.GraphicsView)
    opened(qtbot, window, path)
    assert len(plot.findChildren(pg.GraphicsView)) == 2
    window.workspace.shutdown()


def test_what_the_start_does_not_need_is_made_after_the_first_paint(qtbot, monkeypatch):
    monkeypatch.setattr("bpe_studio.gui.main_window.WARM_UP_AFTER_MS", 0)
    window = MainWindow()
    order = []
    qtbot.addWidget(window)
    monkeypatch.setattr(window.workspace.backend, "begin_warm_up", lambda: order.append("kernels"))
    window.panels.made.connect(order.append)
    assert window.panels.waiting() and not order
    window.show()
    qtbot.waitUntil(lambda: "kernels" in order)
    assert not window.panels.waiting() and "compare" in order and order[-1] == "kernels"
    window.workspace.shutdown()


def test_compare_begins_with_the_tokenizers_while_nothing_is_open(qtbot, window):
    window.show()
    window.actions_by_id["view.compare"].trigger()
    compare = window.panels["compare"]
    qtbot.waitUntil(lambda: compare.are_parts_made and compare.every.isVisible())


def test_the_text_of_the_start_page_is_counted_in_every_tokenizer_without_opening_it(qtbot, window):
    window.start_page.editor.set_text("hugs\nسلام")
    window.show()
    window.findChild(EntryButton, "start.every").click()
    compare = window.panels["compare"]
    qtbot.waitUntil(
        lambda: compare.are_parts_made and compare.every.model.lines == ("hugs", "سلام")
    )
    assert compare.every.isVisible() and window.workspace.corpus is None
