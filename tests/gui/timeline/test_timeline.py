"""The timeline: what is marked on it, what it says, and what a hand does with it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.shell.actions import make_actions
from bpe_studio.gui.timeline.transport_bar import TransportBar
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question, Watch
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.facts import says
from tests.gui.hand import double_click

TEXT = (
    "the cat sat on the mat, and the rat that ate the oats was chased by a dog "
    "over several green hills and across a wooden bridge کتاب کتابخانه\n"
) * 6
N = 40
PATIENCE_MS = 20_000
OFFSCREEN = ("propagateSizeHints", "does not support raise", "grabbing the keyboard")
"""What the offscreen platform says of a menu."""
LENGTH = Breakpoint(Question.length, number=4)


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(config=TrainingConfig.preset("textbook", merges=N))
    yield workspace
    workspace.shutdown()


@pytest.fixture
def bar(qtbot, workspace):
    bar = TransportBar(workspace, make_actions(workspace))
    qtbot.addWidget(bar)
    bar.resize(1000, 100)
    bar.show()
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=PATIENCE_MS)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: bar.feed.is_up_to_date, timeout=PATIENCE_MS)
    return bar


def flag_place(slider, step):
    return QPoint(round(slider.place_of(step)), 3)


def test_a_branch_shows_what_was_decided(qtbot, workspace, bar):
    workspace.marks.set_breakpoints([LENGTH])
    fifth = workspace.run.merges[4]
    workspace.runs.branch_off(Override(4, OverrideKind.forbid, fifth.left, fifth.right))
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and bar.feed.is_up_to_date, timeout=PATIENCE_MS
    )
    slider = bar.slider
    marks = bar.slider.marks
    assert marks.run is workspace.run and marks.override_at(4) is not None
    said = slider.words_at(QPointF(slider.place_of(5), 3))
    assert f"◆ Override: forbid {fifth.left} + {fifth.right}" in said.replace("␣", " ")
    assert marks.stop_ranks.tolist() == Watch(workspace.run, [LENGTH]).ranks(0, workspace.n_merges)
    workspace.runs.show(0)
    qtbot.waitUntil(lambda: bar.feed.is_up_to_date, timeout=PATIENCE_MS)
    assert "◆ Override" not in slider.words_at(QPointF(slider.place_of(5), 3))


@pytest.mark.parametrize(
    "modifier", [Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier]
)
def test_a_click_on_a_flag_goes_exactly_there(qtbot, workspace, bar, modifier):
    workspace.marks.set_bookmarks([Bookmark(12, "here")])
    workspace.transport.go_to(30)
    place = flag_place(bar.slider, 12) + QPoint(4, 0)
    if modifier is not Qt.KeyboardModifier.NoModifier:
        place.setY(22)  # with Ctrl in the groove too
    qtbot.mousePress(bar.slider, Qt.MouseButton.LeftButton, modifier, pos=place)
    qtbot.mouseMove(bar.slider, place + QPoint(2, 0))
    qtbot.mouseRelease(bar.slider, Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: workspace.step == 12)


def menu_at(qtbot, slider, reason, place):
    event = QContextMenuEvent(reason, place, slider.mapToGlobal(place))
    QApplication.sendEvent(slider, event)
    (menu,) = [each for each in slider.findChildren(QMenu) if each.isVisible()]
    return {
        action.objectName().removeprefix("timeline."): action for action in menu.actions()
    }, menu


@pytest.mark.qt_log_ignore(*OFFSCREEN, extend=True)
def test_the_menu_of_a_step(qtbot, workspace, bar):
    place = QPoint(round(bar.slider.place_of(9)), 20)
    actions, menu = menu_at(qtbot, bar.slider, QContextMenuEvent.Reason.Mouse, place)
    count = int(workspace.run.columns.count[8])
    assert actions["go"].text() == "Go to step 9"
    assert says(actions["below"].text(), "below", count)
    assert "next" not in actions
    actions["bookmark"].trigger()
    actions["below"].trigger()
    actions["go"].trigger()
    menu.close()
    assert workspace.step == 9
    assert [mark.step for mark in workspace.marks.bookmarks] == [9]
    assert workspace.marks.bookmarks[0].name == workspace.run.merges[8].token.replace(" ", "␣")
    assert workspace.marks.breakpoints == (Breakpoint(Question.count_below, number=count),)


# The scale, the ticks and the part that is shown.


def turn(slider, x, notches, modifiers=Qt.KeyboardModifier.NoModifier):
    event = QWheelEvent(
        QPointF(x, 20),
        QPointF(slider.mapToGlobal(QPoint(round(x), 20))),
        QPoint(),
        QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(slider, event)


@pytest.mark.parametrize("is_log", [False, True])
def test_the_wheel_zooms_around_the_pointer_and_leaves_the_step(workspace, bar, is_log):
    slider = bar.slider
    slider.set_log(is_log)
    workspace.transport.go_to(30)
    x = slider.place_of(25)
    turn(slider, x, 3)
    assert slider.is_zoomed and slider.step_at(x) == 25 and workspace.step == 30
    first, last = slider.shown_steps
    assert 0 < first < 25 < last <= N
    turn(slider, x, 40)
    first, last = slider.shown_steps
    assert last - first >= 6, "single steps are told apart, and that is enough"
    turn(slider, x, -60)
    assert not slider.is_zoomed and slider.shown_steps == (0, N)


def test_a_drag_with_shift_moves_the_part_and_a_double_click_shows_all(qtbot, workspace, bar):
    slider = bar.slider
    workspace.transport.go_to(20)
    turn(slider, slider.place_of(20), 4)
    before = slider.shown_steps
    for button, modifier in (
        (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier),
        (Qt.MouseButton.MiddleButton, Qt.KeyboardModifier.NoModifier),
    ):
        qtbot.mousePress(slider, button, modifier, pos=QPoint(500, 20))
        qtbot.mouseMove(slider, QPoint(350, 20))
        qtbot.mouseRelease(slider, button, modifier, pos=QPoint(350, 20))
        assert slider.shown_steps > before and workspace.step == 20
        before = slider.shown_steps
    slider.show_bookmarks([])
    qtbot.mouseClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(300, 25))
    workspace.transport.go_to(20)
    qtbot.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(300, 25))
    qtbot.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(300, 25))
    double_click(slider, QPoint(300, 25))
    assert not slider.is_zoomed
    qtbot.waitUntil(lambda: workspace.step == 20)


def test_the_log_scale_has_an_entry_in_its_menu_a_key_and_an_action_and_is_remembered(qtbot):
    for was_log in (False, True):
        window = MainWindow()
        qtbot.addWidget(window)
        window.workspace.opener.open_text(TEXT, "a text")
        qtbot.waitUntil(
            lambda window=window: window.workspace.state is State.ready, timeout=PATIENCE_MS
        )
        slider = window.transport.slider
        action = window.actions_by_id["view.timeline_log"]
        assert slider.is_log is was_log and action.isChecked() is was_log
        assert not action.isEnabled() and "no merges yet" in action.toolTip()
        window.workspace.transport.step_forward()
        qtbot.waitUntil(action.isEnabled, timeout=PATIENCE_MS)
        assert "Ctrl+Shift+L" in action.toolTip() and action in window.menus.view.actions()
        menu = window.transport.feed.menu_of(0)
        assert action in menu.actions()
        menu.deleteLater()
        action.trigger()
        assert slider.is_log is not was_log
        if was_log:
            action.trigger()
            assert slider.is_log
        window.close()
        window.workspace.shutdown()
