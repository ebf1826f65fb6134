"""The timeline: what is marked on it, what it says, and what a hand does with it."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QFontMetricsF, QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QMenu, QToolButton, QToolTip, QWidget

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.training.overrides import Override, OverrideKind
from bpe_studio.engine.training.trainer import train
from bpe_studio.gui.look import theme
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.gui.shell.actions import make_actions
from bpe_studio.gui.timeline import painting
from bpe_studio.gui.timeline.painting import MARGIN_PX, Lanes, placed_ticks
from bpe_studio.gui.timeline.slider import StepSlider
from bpe_studio.gui.timeline.transport_bar import TransportBar
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question, Watch
from bpe_studio.workspace.state import State
from bpe_studio.workspace.timeline_marks import collect_marks
from bpe_studio.workspace.workspace import Workspace
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
TIE = Breakpoint(Question.tie)


@pytest.fixture(scope="module")
def run():
    config = TrainingConfig.preset("textbook", merges=N, force=(("c", "a"),))
    return train(Corpus.from_text(TEXT, config), config)


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


def set_points(qtbot, bar, workspace, *points):
    workspace.marks.set_breakpoints(points)
    qtbot.waitUntil(lambda: bar.feed.is_up_to_date, timeout=PATIENCE_MS)


def flag_place(slider, step):
    return QPoint(round(slider.place_of(step)), 3)


def test_what_is_collected_is_what_the_merges_say(run):
    points = (LENGTH, TIE, Breakpoint(Question.contains, "th", is_on=False))
    marks = collect_marks(run, N, points)
    tied = [merge.tied > 1 and not merge.forced for merge in run.merges]
    assert np.diff(marks.n_tied).tolist() == [int(is_tied) for is_tied in tied]
    assert marks.forced.tolist() == [0]
    assert [point for point, *_ in marks.stops] == [LENGTH, TIE]
    assert marks.stop_ranks.tolist() == Watch(run, [LENGTH, TIE]).ranks(0, N)
    for rank in range(N):
        assert (TIE in marks.stopping(rank)) == tied[rank]


def test_collecting_on_gives_the_same_as_collecting_at_once(run):
    points = (LENGTH, TIE, Breakpoint(Question.word, "the"), Breakpoint(Question.count_below, number=6))
    marks = None
    for n, asked in ((0, points), (7, points[:2]), (23, points), (N, points)):
        marks = collect_marks(run, n, asked, marks)
    whole = collect_marks(run, N, points)
    assert [ranks.tolist() for *_, ranks in marks.stops] == [ranks.tolist() for *_, ranks in whole.stops]
    assert marks.stop_ranks.tolist() == whole.stop_ranks.tolist() != []
    fewer = collect_marks(run, 10, points, whole)
    assert fewer.stop_ranks.tolist() == collect_marks(run, 10, points).stop_ranks.tolist()


def test_overrides_of_a_plan_are_marks(run):
    override = SimpleNamespace(step=9, describe=lambda: "forbid a + b from step 9 on")
    planned = SimpleNamespace(columns=run.columns, n_seed=0, plan=SimpleNamespace(overrides=(override,)))
    marks = collect_marks(planned, N, ())
    assert marks.override_at(9) is override and marks.override_at(8) is None


def test_a_branch_shows_what_was_decided(qtbot, workspace, bar):
    workspace.marks.set_breakpoints([LENGTH])
    fifth = workspace.run.merges[4]
    workspace.runs.branch_off(Override(4, OverrideKind.forbid, fifth.left, fifth.right))
    qtbot.waitUntil(lambda: len(workspace.runs.entries) == 2 and bar.feed.is_up_to_date, timeout=PATIENCE_MS)
    slider, marks = bar.slider, bar.slider.marks
    assert marks.run is workspace.run and marks.override_at(4) is not None
    said = slider.words_at(QPointF(slider.place_of(5), 3))
    assert f"◆ Override: forbid {fifth.left} + {fifth.right}" in said.replace("␣", " ")
    assert marks.stop_ranks.tolist() == Watch(workspace.run, [LENGTH]).ranks(0, workspace.n_merges)
    workspace.runs.show(0)
    qtbot.waitUntil(lambda: bar.feed.is_up_to_date, timeout=PATIENCE_MS)
    assert "◆ Override" not in slider.words_at(QPointF(slider.place_of(5), 3))


def test_a_tip_says_the_step_its_merge_and_its_marks(qtbot, workspace, bar):
    workspace.marks.set_bookmarks([Bookmark(12, "a <b>name</b>")])
    set_points(qtbot, bar, workspace, LENGTH)
    slider, run = bar.slider, workspace.run
    merge = run.merges[11]
    said = slider.words_at(QPointF(slider.place_of(12), 20))
    assert said.startswith("Step 12: ")
    assert f"counted {merge.count} time" in said
    assert ("a tie of" in said) == (merge.tied > 1)
    assert f"{merge.n_tokens} tokens left of {run.initial_n_tokens:,} in the corpus" in said
    assert "⚑ Bookmark “a <b>name</b>”" in said
    assert "Step 0: the alphabet alone" in slider.words_at(QPointF(0, 20))
    step = int(slider.marks.stop_ranks[0]) + 1
    assert "▲ Stop: the token has 4 or more characters" in slider.words_at(QPointF(slider.place_of(step) + 3, 42))
    assert "share of merges that a tie decided" in said


def test_the_tip_is_shown_and_takes_names_as_they_are(qtbot, workspace, bar):
    workspace.marks.set_bookmarks([Bookmark(12, "<b>x")])
    place = flag_place(bar.slider, 12)
    QApplication.sendEvent(bar.slider, QHelpEvent(QEvent.Type.ToolTip, place, bar.slider.mapToGlobal(place)))
    assert "&lt;b&gt;x" in QToolTip.text()
    QToolTip.hideText()


def test_a_screen_reader_hears_the_merge_of_the_step(workspace, bar):
    workspace.transport.go_to(7)
    assert bar.slider.accessibleDescription().startswith("Step 7: ")
    assert "counted" in bar.slider.accessibleDescription()


@pytest.mark.parametrize("modifier", [Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier])
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


def test_a_double_click_near_a_flag_goes_there_and_a_drag_leaves_it(qtbot, workspace, bar):
    bar.slider.setMaximum(N)
    workspace.marks.set_bookmarks([Bookmark(12, "here")])
    place = QPoint(round(bar.slider.place_of(12)) + 4, 22)
    double_click(bar.slider, place)
    qtbot.waitUntil(lambda: workspace.step == 12)
    qtbot.mousePress(bar.slider, Qt.MouseButton.LeftButton, pos=flag_place(bar.slider, 12))
    qtbot.mouseMove(bar.slider, QPoint(round(bar.slider.place_of(25)), 3))
    qtbot.waitUntil(lambda: workspace.step == 25)
    qtbot.mouseRelease(bar.slider, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.slider.place_of(25)), 3))


def test_a_click_on_a_triangle_goes_to_its_stop(qtbot, workspace, bar):
    set_points(qtbot, bar, workspace, LENGTH)
    step = int(bar.slider.marks.stop_ranks[1]) + 1
    qtbot.mouseClick(bar.slider, Qt.MouseButton.LeftButton, pos=QPoint(round(bar.slider.place_of(step)) - 3, 42))
    qtbot.waitUntil(lambda: workspace.step == step)


def test_the_pick_has_a_ring_where_it_was_born(workspace, bar):
    workspace.selection.select_merge(17)
    assert bar.slider.selected == 17 and workspace.step == N
    workspace.selection.select_token(0)
    assert bar.slider.selected == -1
    workspace.selection.select_token(workspace.run.n_alphabet + 3)
    assert bar.slider.selected == 3
    workspace.selection.select_word(0)
    assert bar.slider.selected == -1


def menu_at(qtbot, slider, reason, place):
    event = QContextMenuEvent(reason, place, slider.mapToGlobal(place))
    QApplication.sendEvent(slider, event)
    (menu,) = [each for each in slider.findChildren(QMenu) if each.isVisible()]
    return {action.objectName().removeprefix("timeline."): action for action in menu.actions()}, menu


@pytest.mark.qt_log_ignore(*OFFSCREEN, extend=True)
def test_the_menu_of_a_step(qtbot, workspace, bar):
    place = QPoint(round(bar.slider.place_of(9)), 20)
    actions, menu = menu_at(qtbot, bar.slider, QContextMenuEvent.Reason.Mouse, place)
    count = int(workspace.run.columns.count[8])
    assert actions["go"].text() == "Go to step 9"
    assert actions["below"].text() == f"Stop when the count falls below {count}"
    assert "next" not in actions
    actions["bookmark"].trigger()
    actions["below"].trigger()
    actions["go"].trigger()
    menu.close()
    assert workspace.step == 9
    assert [mark.step for mark in workspace.marks.bookmarks] == [9]
    assert workspace.marks.bookmarks[0].name == workspace.run.merges[8].token.replace(" ", "␣")
    assert workspace.marks.breakpoints == (Breakpoint(Question.count_below, number=count),)


@pytest.mark.qt_log_ignore(*OFFSCREEN, extend=True)
def test_the_menu_by_keyboard_is_of_the_present_step(qtbot, workspace, bar):
    workspace.marks.set_bookmarks([Bookmark(20, "R&D")])
    workspace.marks.set_breakpoints([LENGTH])
    workspace.transport.go_to(20)
    actions, menu = menu_at(qtbot, bar.slider, QContextMenuEvent.Reason.Keyboard, QPoint(0, 0))
    assert actions["unmark"].text() == "Remove the bookmark “R&&D”"
    actions["unmark"].trigger()
    actions["next"].trigger()
    menu.close()
    assert workspace.marks.bookmarks == ()
    qtbot.waitUntil(lambda: workspace.step > 20 and workspace.transport.stopped_at is not None)
    step = workspace.step
    actions, menu = menu_at(qtbot, bar.slider, QContextMenuEvent.Reason.Keyboard, QPoint(0, 0))
    actions["previous"].trigger()
    menu.close()
    qtbot.waitUntil(lambda: workspace.step != step)
    assert workspace.step < step


def ink(slider, lane, x):
    """How many pixels around a place of a lane differ from the window's ground."""
    image = slider.grab().toImage()
    ground = slider.palette().window().color()
    columns = range(max(0, int(x) - 3), min(image.width(), int(x) + 4))
    rows = range(int(lane.top()), min(image.height(), int(lane.bottom()) + 1))
    return sum(image.pixelColor(column, row) != ground for column in columns for row in rows)


def test_marks_are_drawn_in_their_lanes_in_both_themes(qtbot, run):
    slider = StepSlider()
    qtbot.addWidget(slider)
    slider.resize(1000, 44)
    slider.show_run(run, N)
    marks = collect_marks(run, N, (LENGTH,))
    lanes = Lanes.of(1000)
    stop = slider.place_of(int(marks.stop_ranks[0]) + 1)
    tied = slider.place_of(int(np.diff(marks.n_tied).argmax()) + 0.5)
    for palette in (theme.light_palette(), theme.dark_palette()):
        slider.setPalette(palette)
        slider.show_marks(None)
        slider.show_bookmarks([])
        below = lanes.stops.adjusted(0, 1, 0, 0)
        assert not ink(slider, below, stop) and not ink(slider, lanes.ties.adjusted(0, 1, 0, -1), tied)
        slider.show_marks(marks)
        slider.show_bookmarks([Bookmark(20, "twenty")])
        assert ink(slider, below, stop) and ink(slider, lanes.ties.adjusted(0, 1, 0, -1), tied)
        flags = lanes.flags.adjusted(0, 0, 0, -3)
        assert ink(slider, flags, slider.place_of(20)) and not ink(slider, flags, slider.place_of(15))
        assert ink(slider, flags, slider.place_of(1)), "the forced merge has a diamond"


def test_marks_of_another_run_are_not_shown(qtbot, run):
    slider = StepSlider()
    qtbot.addWidget(slider)
    slider.show_run(run, N)
    slider.show_marks(collect_marks(run, N, ()))
    other = train(run.corpus, run.config)
    slider.show_run(other, N)
    assert slider.marks is None
    slider.show_marks(collect_marks(run, N, ()))
    assert slider.marks is None


def test_too_many_stops_become_bars(run):
    lane = Lanes.of(1000).stops
    assert not painting.is_crowded(200, lane)
    assert painting.is_crowded(400, lane)


def long_run(n):
    chance = np.random.default_rng(5)
    columns = SimpleNamespace(
        left=np.zeros(n, np.int32), right=np.zeros(n, np.int32), count=np.arange(n, 0, -1), forced=np.zeros(n, bool),
        tied=chance.integers(1, 3, n), n_tokens=np.linspace(4e7, 1e7, n).astype(np.int64))  # fmt: skip
    return SimpleNamespace(
        columns=columns, initial_n_tokens=40_000_000, n_alphabet=256, n_seed=0, plan=SimpleNamespace(overrides=())
    )


def test_a_drag_over_a_quarter_of_a_million_merges_paints_the_run_only_once(qtbot, monkeypatch):
    n = 250_000
    run, slider = long_run(n), StepSlider()
    qtbot.addWidget(slider)
    slider.resize(1900, 44)
    slider.show()
    qtbot.waitExposed(slider)
    slider.show_run(run, n)
    slider.show_marks(collect_marks(run, n, (TIE,)))
    slider.show_bookmarks([Bookmark(step, str(step)) for step in range(0, n, 10_000)])
    slider.repaint()
    before = slider.grab().toImage()
    anew = []
    for name in ("curve_area", "paint_ties"):
        paint = getattr(painting, name)
        monkeypatch.setattr(painting, name, lambda *all_of_it, paint=paint: (anew.append(paint), paint(*all_of_it))[1])
    for step in range(0, n, n // 100):
        slider.setValue(step)
        slider.repaint()
    assert slider.grab().toImage() != before, "the line of the step moved"
    assert not anew


# The scale, the ticks and the part that is shown.


@given(
    n=st.integers(1, 300_000),
    is_log=st.booleans(),
    width=st.integers(120, 3000),
    low=st.floats(0, 0.99),
    span=st.floats(1e-5, 1),
)
def test_the_numbers_below_the_timeline_never_touch(n, is_log, width, low, span):
    metrics = QFontMetricsF(theme.numeric_font(9))
    scale = StepScale(n, is_log, 0, MARGIN_PX, width - MARGIN_PX, low, min(1.0, low + span))
    ticks = placed_ticks(scale, metrics, width)
    edges = [(tick.left, tick.left + metrics.horizontalAdvance(tick.text)) for tick in ticks if tick.text]
    assert all(left >= 0 and right <= width + 1e-6 for left, right in edges)
    assert all(right + 4 <= left for (_, right), (left, _) in pairwise(edges))
    assert all(MARGIN_PX - 1 <= tick.x <= width - MARGIN_PX + 1 for tick in ticks)
    for tick in ticks:
        if tick.text:
            step = int(tick.text.replace(",", ""))
            assert step == n or str(step).strip("0") in ("", *"123456789") or not is_log or scale.low > 0
    if scale.high >= 1:
        assert f"{n:,}" in [tick.text for tick in ticks], "the end has its number"


def test_ticks_are_round_and_grouped():
    metrics = QFontMetricsF(theme.numeric_font(9))
    linear = [tick.text for tick in placed_ticks(StepScale(32_511, False, 0, 7, 900), metrics, 907)]
    assert {"0", "5,000", "10,000", "32,511"} <= set(linear)
    log = [tick.text for tick in placed_ticks(StepScale(32_511, True, 0, 7, 1400), metrics, 1407)]
    assert {"0", "1", "2", "5", "10", "100", "1,000", "10,000", "32,511"} <= set(log)


@pytest.mark.parametrize("is_log", [False, True])
def test_marks_are_at_their_steps_in_both_scales_and_when_it_is_zoomed(qtbot, run, is_log):
    slider = StepSlider()
    qtbot.addWidget(slider)
    slider.resize(1000, slider.sizeHint().height())
    slider.show_run(run, N)
    slider.set_log(is_log)
    marks = collect_marks(run, N, (LENGTH,))
    slider.show_marks(marks)
    slider.show_bookmarks([Bookmark(20, "twenty")])
    lanes, first = Lanes.of(1000), int(marks.stop_ranks[0]) + 1
    for _ in range(3):
        flags = lanes.flags.adjusted(0, 0, 0, -3)
        assert ink(slider, flags, slider.place_of(20)) and not ink(slider, flags, slider.place_of(20) - 40)
        assert slider.mark_at(QPointF(slider.place_of(20) + 2, 3)) == 20
        if slider.shown_steps[0] <= first:
            assert ink(slider, lanes.stops.adjusted(0, 1, 0, 0), slider.place_of(first))
            assert slider.mark_at(QPointF(slider.place_of(first), 42)) == first
        tied = next(rank for rank in range(19, N) if run.merges[rank].tied > 1)
        assert ink(slider, lanes.ties.adjusted(0, 1, 0, -1), slider.place_of(tied + 0.5))
        slider.zoom(1.6, slider.place_of(20))
    assert slider.is_zoomed


@pytest.mark.parametrize("is_log", [False, True])
def test_every_step_can_be_reached_in_both_scales(bar, is_log):
    slider = bar.slider
    slider.set_log(is_log)
    assert [slider.step_at(slider.place_of(step)) for step in range(N + 1)] == list(range(N + 1))


def turn(slider, x, notches, modifiers=Qt.KeyboardModifier.NoModifier):
    event = QWheelEvent(
        QPointF(x, 20), QPointF(slider.mapToGlobal(QPoint(round(x), 20))), QPoint(), QPoint(0, 120 * notches),
        Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
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


def test_keys_zoom_and_move_the_step_which_stays_in_sight(qtbot, workspace, bar):
    slider = bar.slider
    workspace.transport.go_to(20)
    for _ in range(4):
        qtbot.keyClicks(slider, "+")
    first, last = slider.shown_steps
    assert 0 < first < 20 < last < N
    qtbot.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == 21
    qtbot.keyClick(slider, Qt.Key.Key_PageUp)
    assert slider.value() == 21 + slider.pageStep()
    qtbot.keyClick(slider, Qt.Key.Key_End)
    assert slider.value() == N and slider.shown_steps[1] == N and slider.is_zoomed
    qtbot.keyClick(slider, Qt.Key.Key_Home)
    assert slider.value() == 0 and slider.shown_steps[0] == 0 and slider.is_zoomed
    qtbot.keyClicks(slider, "0")
    assert slider.shown_steps == (0, N) and slider.value() == 0


def test_a_button_shows_all_again_while_a_part_is_shown(qtbot, workspace, bar):
    button = bar.findChild(QWidget, "view.timeline_fit_button")
    assert not button.isVisible()
    turn(bar.slider, bar.slider.place_of(20), 4)
    first, last = bar.slider.shown_steps
    assert button.isVisible() and f"steps {first} to {last}" in bar.slider.toolTip()
    bar.slider.fit()
    assert not button.isVisible()


def test_another_text_is_shown_whole(qtbot, workspace, bar):
    turn(bar.slider, bar.slider.place_of(20), 4)
    workspace.opener.open_text(TEXT + "and more of it", "another text")
    qtbot.waitUntil(lambda: workspace.state is State.ready, timeout=PATIENCE_MS)
    assert not bar.slider.is_zoomed


def test_what_is_under_the_mouse_is_written_at_once(qtbot, workspace, bar):
    slider, merge = bar.slider, workspace.run.merges[11]
    workspace.marks.set_bookmarks([Bookmark(12, "a name")])
    qtbot.mouseMove(slider, QPoint(round(slider.place_of(12)), 20))
    token = merge.token.replace(" ", "␣")
    assert slider.readout.startswith("step 12 · ") and f"{token}\u2069 · {merge.count} times" in slider.readout
    assert slider.readout.endswith("⚑ a name")
    before = slider.grab().toImage()
    QApplication.sendEvent(slider, QEvent(QEvent.Type.Leave))
    assert slider.readout == "" and slider.grab().toImage() != before
    assert workspace.step == N


def test_a_tokenizer_whose_merges_are_all_forced_has_no_strip_of_diamonds(qtbot):
    n = 50_000
    run, slider = long_run(n), StepSlider()
    run.columns.forced[:] = True
    qtbot.addWidget(slider)
    slider.resize(1000, slider.sizeHint().height())
    slider.show_run(run, n)
    slider.show_marks(collect_marks(run, n, ()))
    assert not any(ink(slider, Lanes.of(1000).flags.adjusted(0, 0, 0, -3), x) for x in range(20, 980, 40))
    run.columns.forced[n // 2 :] = False
    other = long_run(n)
    other.columns.forced[: n // 2] = True
    other.corpus, run.corpus = object(), None
    slider.show_run(other, n)
    slider.show_marks(collect_marks(other, n, ()))
    flags, text = Lanes.of(1000).flags, slider.palette().text().color()
    image = slider.grab().toImage()
    strip = [image.pixelColor(250, y) for y in range(round(flags.bottom()))]
    assert strip.count(slider.palette().window().color()) < len(strip), "where the forced ones are is still seen"
    assert text not in strip, "and is quiet"


def test_the_log_scale_has_a_button_a_key_and_an_action_and_is_remembered(qtbot):
    for was_log in (False, True):
        window = MainWindow()
        qtbot.addWidget(window)
        window.workspace.opener.open_text(TEXT, "a text")
        qtbot.waitUntil(lambda window=window: window.workspace.state is State.ready, timeout=PATIENCE_MS)
        slider, action = window.transport.slider, window.actions_by_id["view.timeline_log"]
        assert slider.is_log is was_log and action.isChecked() is was_log
        assert not action.isEnabled() and "no merges yet" in action.toolTip()
        window.workspace.transport.step_forward()
        qtbot.waitUntil(action.isEnabled, timeout=PATIENCE_MS)
        assert "Ctrl+Shift+L" in action.toolTip() and action in window.menus.view.actions()
        window.findChild(QToolButton, "view.timeline_log_button").click()
        assert slider.is_log is not was_log
        if was_log:
            action.trigger()
            assert slider.is_log
        window.close()
        window.workspace.shutdown()
