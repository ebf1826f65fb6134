"""The motion of a step, by a person's hand: when it is shown, that it holds nothing up, and how each moment looks."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction, QRegion
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.timeline.reduced_motion import ReducedMotion, _is_less_on_mac, says_less
from bpe_studio.gui.timeline.step_animation import duration_ms
from bpe_studio.gui.tokens.merge_animation import MergeAnimation, merged_parts
from bpe_studio.gui.widgets.window_settings import WindowSettings
from bpe_studio.workspace.state import State
from tests.gui.hand import Hand

whole_window = pytest.mark.slow(
    buys="each animates another step in a whole window; one step and its end are among the quick ones"
)

PATIENCE_MS = 20_000
LEARNED = 12
TYPED = "the newest lower hugs pugs"
TEXTS = {
    "latin": ("the cat sat on the mat, and the rat that ate the oats ", "the rat sat on that mat"),
    "persian": ("کتاب خوب در کتابخانه است و کتاب‌های دیگر هم خوب است ", "کتاب خوب است"),
    "emoji": ("😀😁 😀😂 ok 😀 漢字 漢 ", "ok 😀😂 漢字"),
}


@pytest.fixture
def window(lasting_window, qtbot):
    lasting_window.put_back(qtbot, 1440, 900)
    window = lasting_window.window
    window.motion.action.trigger()
    yield window
    window.motion.end()
    window.motion.action.trigger()


@pytest.fixture
def hand(window, qtbot):
    return hand_at(window, qtbot)


def hand_at(window, qtbot):
    return Hand(window, lambda is_so: qtbot.waitUntil(is_so, timeout=PATIENCE_MS))


@pytest.fixture
def moments(window):
    seen: list[MergeAnimation | None] = []
    window.motion.frame_changed.connect(seen.append)
    yield seen
    window.motion.frame_changed.disconnect(seen.append)


def opened(hand, qtbot, script="latin", n=LEARNED):
    """A text that is learned a few merges far, at rest for a while."""
    workspace = hand.window.workspace
    text, typed = TEXTS[script]
    before = workspace.run
    workspace.opener.open_text(text * 4, "a text")
    qtbot.waitUntil(lambda: workspace.run is not before and workspace.state is State.ready, timeout=PATIENCE_MS)
    workspace.open_state.set_typed_text(typed)
    workspace.transport.step_forward(n)
    qtbot.waitUntil(lambda: workspace.state is not State.running, timeout=PATIENCE_MS)
    rested(hand.window, qtbot)
    return workspace


def rested(window, qtbot):
    """Waits until every view shows the step and no motion is on, and lets the last step be long ago."""
    workspace, panels = window.workspace, window.panels
    qtbot.waitUntil(
        lambda: (
            window.motion.animation is None
            and window.text_panel.editor.step == workspace.step
            and panels["words"].is_up_to_date
            and panels["skyline"].is_up_to_date
        ),
        timeout=PATIENCE_MS,
    )
    window.motion._changed_s = 0.0


def frozen(window, rank, share):
    """Shows one moment of a merge, as if time stood still."""
    run, motion = window.workspace.run, window.motion
    motion._clock.stop()
    left, right = int(run.columns.left[rank]), int(run.columns.right[rank])
    motion._animation = MergeAnimation(rank, left, right, run.n_alphabet + rank, share, window.workspace.step)
    motion.frame_changed.emit(motion._animation)


def pictures(window):
    """What the views that move look like, without the text cursor, which blinks."""
    editor, panels = window.text_panel.editor, window.panels
    editor.clearFocus()
    views = editor, panels["words"].table, panels["merges"].table, panels["skyline"].view
    return [view.viewport().grab().toImage() for view in views]


def rank_in_sight(window):
    """A merge that is made in the typed text and in a word that can be seen."""
    live, run = window.text_panel.editor.live, window.workspace.run
    words = [run.words_at(LEARNED), range(3)]
    for rank in range(LEARNED):
        token = run.n_alphabet + rank
        if token in live.tokens(rank + 1).ids and any(token in run.words_at(rank + 1).cut(k) for k in words[1]):
            return rank
    raise AssertionError("no merge is made in what can be seen")


def test_a_step_is_shown_in_motion_and_then_is_as_it_would_be_without(hand, window, qtbot, moments):
    workspace = opened(hand, qtbot)
    rank = rank_in_sight(window)
    workspace.transport.go_to(rank + 1)
    rested(window, qtbot)
    at_rest = pictures(window)
    workspace.transport.go_to(rank)
    rested(window, qtbot)
    del moments[:]
    hand.key(Qt.Key.Key_F8)
    assert workspace.step == rank + 1  # nothing waits for the motion
    assert (moments[0].rank, moments[0].share, moments[0].token) == (rank, 0.0, workspace.run.n_alphabet + rank)
    qtbot.waitUntil(lambda: window.motion.animation is None, timeout=PATIENCE_MS)
    shares = [moment.share for moment in moments[:-1]]
    assert shares == sorted(shares) and moments[-1] is None
    rested(window, qtbot)
    assert pictures(window) == at_rest


@whole_window
def test_a_step_back_is_the_same_from_its_end(hand, window, qtbot, moments):
    workspace = opened(hand, qtbot)
    hand.key(Qt.Key.Key_F7)
    assert workspace.step == LEARNED - 1
    assert (moments[0].rank, moments[0].share, moments[0].step) == (LEARNED - 1, 1.0, LEARNED - 1)
    qtbot.waitUntil(lambda: window.motion.animation is None, timeout=PATIENCE_MS)
    shares = [moment.share for moment in moments[:-1]]
    assert shares == sorted(shares, reverse=True)


@whole_window
def test_a_step_that_has_to_be_learned_is_shown_too(hand, window, qtbot, moments):
    workspace = opened(hand, qtbot)
    hand.key(Qt.Key.Key_F8)
    qtbot.waitUntil(lambda: workspace.step == LEARNED + 1, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: moments[-1:] == [None], timeout=PATIENCE_MS)
    assert moments[0].rank == LEARNED


def test_the_next_key_ends_it_at_once_and_is_not_shown_itself(hand, window, qtbot, moments):
    workspace = opened(hand, qtbot)
    hand.key(Qt.Key.Key_F7)
    assert moments[0].rank == LEARNED - 1
    frozen(window, LEARNED - 1, 0.5)
    for _ in range(2):
        window.motion._changed_s = math.inf  # the key before was just now, however slow the machine is
        hand.key(Qt.Key.Key_F7)
        assert window.motion.animation is None
    assert workspace.step == LEARNED - 3
    assert {moment.rank for moment in moments if moment is not None} == {LEARNED - 1}


@whole_window
def test_typing_ends_it_in_the_text(hand, window, qtbot):
    opened(hand, qtbot)
    rank, editor = rank_in_sight(window), window.text_panel.editor
    window.workspace.transport.go_to(rank + 1)
    rested(window, qtbot)
    at_rest = pictures(window)[0]
    frozen(window, rank, 0.1)
    assert pictures(window)[0] != at_rest
    editor.setFocus()
    hand.key(Qt.Key.Key_X)
    hand.key(Qt.Key.Key_Backspace)
    assert pictures(window)[0] == at_rest


@whole_window
def test_many_steps_at_once_and_runs_at_full_speed_are_not_shown(hand, window, qtbot, moments):
    workspace = opened(hand, qtbot)
    hand.key(Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: workspace.state is not State.running and workspace.step > LEARNED + 1, timeout=PATIENCE_MS)
    window.motion._changed_s = 0.0
    hand.key(Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: workspace.state is State.done, timeout=PATIENCE_MS)
    assert moments == []


@whole_window
def test_a_run_at_full_speed_that_learns_one_by_one_is_not_shown_either(hand, window, qtbot, moments):
    workspace = opened(hand, qtbot)
    workspace.open_state.set_state(State.running)
    for step in (LEARNED - 1, LEARNED - 2):
        window.motion._changed_s = 0.0
        workspace.transport.go_to(step)
    assert moments == []
    workspace.transport.go_to(LEARNED - 4)
    workspace.open_state.set_state(State.paused)
    assert moments == []


@whole_window
def test_when_it_ends_every_view_is_at_the_step(hand, window, qtbot):
    workspace = opened(hand, qtbot)
    rank = rank_in_sight(window)
    workspace.transport.go_to(rank + 1)
    rested(window, qtbot)
    hand.key(Qt.Key.Key_F7)
    window.motion.end()
    assert workspace.step == rank == window.text_panel.editor.step == window.panels["skyline"].view.picture.step
    assert window.panels["words"].is_up_to_date


@whole_window
@pytest.mark.parametrize(("speed", "is_shown"), [(3.0, True), (60.0, False)])
def test_a_slow_run_is_shown_and_a_faster_one_is_not(hand, window, qtbot, moments, monkeypatch, speed, is_shown):
    workspace = opened(hand, qtbot)
    workspace.transport.go_to_start()
    rested(window, qtbot)
    workspace.transport.set_speed(speed)
    # On this clock no step is late and none follows another too soon, however busy the machine is.
    for module in ("workspace.runs.transport", "gui.timeline.step_animation"):
        monkeypatch.setattr(f"bpe_studio.{module}.monotonic", lambda: workspace.step / speed)
    hand.key(Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: workspace.step >= 2, timeout=PATIENCE_MS)
    hand.key(Qt.Key.Key_F5)
    ranks = {moment.rank for moment in moments if moment is not None}
    assert ranks >= {0, 1} if is_shown else not ranks


@whole_window
def test_the_slower_the_run_the_longer_it_lasts(hand, window, qtbot, moments):
    speeds = (math.inf, 60.0, 4.0, 2.0, 1.0, 0.5)
    by_hand = [duration_ms(speed, is_running=False) for speed in speeds]
    assert by_hand == sorted(by_hand) and by_hand[0] >= 400 and by_hand[-1] >= 1500
    for speed in speeds[2:]:
        assert 200 <= duration_ms(speed, is_running=True) < 1000 / speed, "it is over when the next one begins"
    workspace = opened(hand, qtbot)
    for speed in (math.inf, 1.0):
        workspace.transport.set_speed(speed)
        rested(window, qtbot)
        hand.key(Qt.Key.Key_F7)
        assert window.motion._lasts_ms == duration_ms(speed, is_running=False)
        window.motion.end()


@whole_window
def test_a_busy_moment_takes_nothing_from_the_motion(hand, window, qtbot, moments, monkeypatch):
    now_s = [1000.0]
    monkeypatch.setattr("bpe_studio.gui.timeline.step_animation.monotonic", lambda: now_s[0])
    opened(hand, qtbot)
    hand.key(Qt.Key.Key_F7)
    window.motion._clock.stop()
    now_s[0] += 0.35
    window.motion._on_frame()
    assert moments[-1] is not None and moments[-1].share > 0.9
    for _ in range(15):
        now_s[0] += 0.016
        window.motion._on_frame()
    assert 0.2 < moments[-1].share < 0.6


@whole_window
def test_what_is_dragged_is_not_shown(hand, window, qtbot, moments, monkeypatch):
    workspace = opened(hand, qtbot)
    # The offscreen hand sends its moves past the place where Qt keeps the buttons.
    monkeypatch.setattr(
        "bpe_studio.gui.timeline.step_animation.QGuiApplication.mouseButtons",
        staticmethod(lambda: Qt.MouseButton.LeftButton),
    )
    workspace.transport.go_to(LEARNED - 1)
    assert moments == []


@whole_window
def test_it_can_be_turned_off_in_the_menu_which_is_remembered(make_window, qtbot):
    window = make_window(1440, 900)
    qtbot.waitExposed(window)
    window.motion.action.trigger()
    moments = []
    window.motion.frame_changed.connect(moments.append)
    hand = hand_at(window, qtbot)
    opened(hand, qtbot)
    window.memory.sync()
    assert WindowSettings().get("motion", False)
    hand.choose_from_menu("View", "Animate single steps")
    window.memory.sync()
    assert not WindowSettings().get("motion", True)
    hand.key(Qt.Key.Key_F7)
    assert moments == []


@whole_window
def test_where_the_system_asks_for_less_motion_there_is_none_and_the_menu_says_why(hand, window, qtbot, moments):
    opened(hand, qtbot)
    frozen(window, LEARNED - 1, 0.5)
    window.motion.findChild(ReducedMotion).set_less(True)
    assert window.motion.animation is None
    entry = window.findChild(QAction, "view.motion")
    assert not entry.isEnabled() and "less motion" in entry.toolTip().partition("Not now: ")[2]
    del moments[:]
    window.motion._changed_s = 0.0
    hand.key(Qt.Key.Key_F7)
    assert moments == []
    window.motion.findChild(ReducedMotion).set_less(False)
    assert entry.isEnabled() and "Not now" not in entry.toolTip()


@pytest.mark.slow(buys="the pictures of a whole window before, in and after a merge")
@pytest.mark.parametrize(("script", "theme"), [("latin", "light"), ("persian", "dark"), ("emoji", "light")])
def test_it_begins_as_the_step_before_and_ends_as_the_step_after(hand, window, qtbot, script, theme):
    workspace = opened(hand, qtbot, script)
    window.set_theme(theme)
    rank = rank_in_sight(window)
    at_rest = []
    for step in (rank, rank + 1):
        workspace.transport.go_to(step)
        rested(window, qtbot)
        at_rest.append(pictures(window))
    text, words, merges, skyline = range(4)
    frozen(window, rank, 0.0)
    begins = pictures(window)
    assert begins[text] == at_rest[0][text]
    frozen(window, rank, 1.0)
    assert pictures(window) == at_rest[1]
    frozen(window, rank, 0.5)
    middle = pictures(window)
    for view in (text, words, merges, skyline):
        assert middle[view] not in (at_rest[0][view], at_rest[1][view])
    window.motion.end()
    assert pictures(window) == at_rest[1]
    window.set_theme("light")


@whole_window
def test_only_rows_and_views_in_which_the_merge_is_made_are_painted(hand, window, qtbot, monkeypatch):
    workspace = opened(hand, qtbot)
    rank = rank_in_sight(window)
    workspace.open_state.set_typed_text("+++")
    workspace.transport.go_to(rank + 1)
    rested(window, qtbot)
    table, updated = window.panels["words"].table, []
    monkeypatch.setattr(table, "update_row", updated.append)
    frozen(window, rank, 0.5)
    made = workspace.run.n_alphabet + rank
    model = window.panels["words"].model
    holds = [row for row in table.visible_rows() if made in model.cut(model.source_row(row)).ids]
    assert holds and updated == holds
    assert not window.text_panel.editor._shows_animation
    assert window.panels["skyline"].view.picture.animation is None


@whole_window
def test_a_long_text_changes_its_colours_at_once_and_still_lights_up(hand, window, qtbot, monkeypatch):
    workspace = opened(hand, qtbot)
    monkeypatch.setattr("bpe_studio.gui.text.token_editor._MOST_FADING", 0)
    rank = rank_in_sight(window)
    at_rest = []
    for step in (rank, rank + 1):
        workspace.transport.go_to(step)
        rested(window, qtbot)
        at_rest.append(pictures(window)[0])
    frozen(window, rank, 0.4)
    with monkeypatch.context() as dark:
        dark.setattr(MergeAnimation, "light", 0.0)
        assert pictures(window)[0] == at_rest[0]
        frozen(window, rank, 0.7)
        assert pictures(window)[0] == at_rest[1]
    assert pictures(window)[0] != at_rest[1]


@whole_window
def test_rows_that_are_painted_apart_look_as_all_of_them_do(hand, window, qtbot):
    workspace = opened(hand, qtbot)
    table = window.panels["merges"].table
    workspace.selection.select_merge(2)
    workspace.transport.go_to(3)
    rested(window, qtbot)
    whole = table.viewport().grab().toImage()
    apart = whole.copy()
    apart.fill(table.palette().color(table.viewport().backgroundRole()))
    region = QRegion()
    # Bands that share rows, as when a menu closes over a table.
    for rect in (QRect(0, 0, 90, 30), QRect(40, 20, 300, 40), QRect(0, 80, 500, 9)):
        region += rect
    table.viewport().render(apart, QPoint(), region, QWidget.RenderFlag.DrawChildren)
    assert region.rectCount() > 2
    for rect in region:
        assert apart.copy(rect) == whole.copy(rect)


@whole_window
def test_the_mark_of_the_step_slides_from_row_to_row(hand, window, qtbot):
    opened(hand, qtbot)
    table = window.panels["merges"].table
    window.resize(window.width(), 1400)  # all rows are seen
    for share, place in ((0.0, 1.0), (1.0, 0.0)):
        frozen(window, 5, share)
        assert table.transition.row == 5 and 1 - table.transition.progress == place
    frozen(window, 5, 0.0)
    row = QRect(0, table.rowViewportPosition(4), 3, table.rowHeight(4))
    moved = table.viewport().grab(row).toImage()
    window.workspace.transport.go_to(5)
    rested(window, qtbot)
    row = QRect(0, table.rowViewportPosition(4), 3, table.rowHeight(4))
    assert table.viewport().grab(row).toImage() == moved


# A moment by itself.


def test_the_light_comes_and_goes_and_the_two_come_together():
    animation = MergeAnimation(0, 1, 2, 3, 0.0, 1)
    moments = [replace(animation, share=k / 100) for k in range(101)]
    assert (moments[0].light, moments[-1].light) == (0.0, 0.0) and max(each.light for each in moments) == 1.0
    assert (moments[0].closeness, moments[-1].closeness) == (0.0, 1.0)
    near = [each.closeness for each in moments]
    assert near == sorted(near)
    assert moments[50].between(10.0, 20.0) == pytest.approx(10 + 10 * moments[50].closeness)
    # The pair is lit before it moves, and so fades once it is one.
    assert next(k for k, each in enumerate(moments) if each.light > 0.8) <= next(k for k in range(101) if near[k] > 0)


@pytest.mark.parametrize(
    ("before", "after", "parts", "made"),
    [
        ([1, 2, 3], [7, 3], {0, 1}, {0}),
        ([1, 1, 2, 1, 2], [1, 7, 7], {1, 2, 3, 4}, {1, 2}),
        ([3, 4], [3, 4], set(), set()),
    ],
)
def test_which_tokens_come_together(before, after, parts, made):
    assert merged_parts(MergeAnimation(0, 1, 2, 7, 0.5, 1), before, after) == (parts, made)


def test_a_pair_across_the_border_of_two_words_does_not_come_together():
    # "1|2 1 2" where the first two stand in different words.
    starts = [0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 2.0]
    assert merged_parts(MergeAnimation(0, 1, 2, 7, 0.5, 1), [1, 2, 1, 2], [1, 2, 7], starts) == ({2, 3}, {2})


@pytest.mark.parametrize(
    ("answer", "is_less"), [(False, True), (True, False), ("0", True), ("1.0", False), (0.0, True), ("?", False)]
)
def test_what_the_portal_answers(answer, is_less):
    assert says_less(answer) is is_less


def test_a_preference_of_macos_is_read(tmp_path):
    # Elsewhere Qt's native format is the one of an ini file.
    path = tmp_path / "preferences.plist"
    assert not _is_less_on_mac(path)
    path.write_text("[General]\nreduceMotion=true\n", encoding="utf-8")
    assert _is_less_on_mac(path)
