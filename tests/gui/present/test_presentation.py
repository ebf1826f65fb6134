"""Presenting a run as a teacher does: by keys and a clicker, in lessons and in the game, and back
to the window.
"""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QFontInfo, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.files.samples import resources_folder
from bpe_studio.workspace.state import OpeningRequest, State

TEXT = "hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5


@pytest.fixture
def window(lasting_window, qtbot):
    lasting_window.put_back(qtbot, 1280, 720)
    window = lasting_window.window
    before = window.workspace.run
    config = TrainingConfig.preset("textbook", merges=6)
    window.workspace.opener.open(OpeningRequest("a text", text=TEXT), config)
    qtbot.waitUntil(
        lambda: window.workspace.run is not before and window.workspace.state is State.ready
    )
    window.workspace.set_typed_text("hugs")
    yield window
    if window.presentation is not None:
        window.presentation.close()


def lessons_folder():
    return resources_folder() / "lessons"


def begin(window):
    window.actions_by_id["view.present"].trigger()
    return window.presentation


def says(window, qtbot, text):
    qtbot.waitUntil(lambda: text in window.presentation.next.text)


def test_arrows_and_a_clicker_step_and_esc_returns_to_the_window_as_it_was(window, qtbot):
    workspace = window.workspace
    state = window.windowState()
    shown = begin(window)
    assert shown.isFullScreen() and shown.editor.text() == "hugs"
    says(window, qtbot, "u + g → ug 20 times")
    for n, key in enumerate((Qt.Key.Key_PageDown, Qt.Key.Key_Right, Qt.Key.Key_F8), 1):
        QTest.keyClick(shown, key)
        qtbot.waitUntil(lambda n=n: workspace.step == n and workspace.state is State.paused)
    assert shown.editor.step == 3 and "hug, 10" in shown.words.accessibleDescription()
    QTest.keyClick(shown, Qt.Key.Key_PageUp)
    says(window, qtbot, "h + ug → hug 15 times")
    QTest.keyClick(shown, Qt.Key.Key_Home)
    assert workspace.step == 0
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    assert window.presentation is None and window.windowState() == state and workspace.step == 0


def words_of(shown):
    text = shown.skyline.view.picture.text
    return [] if text is None else [text.piece(k) for k in range(len(text))]


def go_to(window, qtbot, step):
    window.workspace.transport.go_to(step)
    qtbot.waitUntil(lambda: window.presentation.is_up_to_date)


def test_words_and_skyline_begin_with_those_to_which_the_next_merge_applies(window, qtbot):
    workspace = window.workspace
    workspace.set_typed_text("bugs hugs pun hugs pun")
    workspace.transport.step_forward(3)
    qtbot.waitUntil(lambda: workspace.n_merges == 3)
    shown = begin(window)
    go_to(window, qtbot, 1)
    qtbot.waitUntil(
        lambda: shown.words.accessibleDescription().startswith("p | u | n, 12; b | u | n, 4")
    )
    assert words_of(shown) == ["pun", "bugs", "hugs"], "each once, the one with u + n first"
    assert "u + g" in shown.next.text and "u + n" in shown.next.text, (
        "the merge just made, and the next"
    )
    go_to(window, qtbot, 2)
    qtbot.waitUntil(
        lambda: shown.words.accessibleDescription().startswith("h | ug, 10; h | ug | s, 5")
    )
    qtbot.waitUntil(lambda: words_of(shown) == ["hugs", "bugs", "pun"])


def test_the_words_stay_while_the_merge_is_seen_in_them(window, qtbot, monkeypatch):
    monkeypatch.setattr("bpe_studio.gui.shell.merge_motion.CALM_MS", 0)
    workspace = window.workspace
    workspace.transport.step_forward(2)
    qtbot.waitUntil(lambda: workspace.n_merges == 2)
    shown = begin(window)
    shown.motion.action.setChecked(True)
    go_to(window, qtbot, 0)
    qtbot.waitUntil(lambda: shown.words.accessibleDescription().startswith("h | u | g, 10"))
    seen = []
    shown.motion.ended.connect(lambda: seen.append(shown.words.accessibleDescription()))
    with qtbot.waitSignal(shown.motion.ended):
        QTest.keyClick(shown, Qt.Key.Key_Right)
        assert shown.motion.is_underway
    assert seen[0].startswith("h | ug, 10; p | ug, 5; h | ug | s, 5")
    qtbot.waitUntil(lambda: shown.words.accessibleDescription().startswith("p | u | n, 12"))
    shown.motion.action.setChecked(False)


def test_words_of_the_corpus_stand_in_where_the_next_merge_applies_to_no_typed_one(window, qtbot):
    window.workspace.set_typed_text("bun")
    shown = begin(window)
    qtbot.waitUntil(lambda: words_of(shown) == ["hug", "pug", "hugs", "bun"])


def test_where_nothing_is_typed_the_skyline_has_the_words_of_the_corpus(window, qtbot):
    window.workspace.set_typed_text("", is_cleared=True)
    shown = begin(window)
    qtbot.waitUntil(lambda: words_of(shown) == ["hug", "pug", "hugs", "pun", "bun"])
    assert not shown.editor.isVisible() and shown.skyline.isVisible()


def test_the_question_of_a_lesson_is_asked_in_its_language_and_not_answered(window, qtbot):
    lesson = window.workspace.lesson
    window.lessons.start_file(lessons_folder() / "01-hug-pug.fa.yaml")
    qtbot.waitUntil(lambda: lesson.is_ready)
    shown = begin(window)
    assert not shown.question.isVisible()
    qtbot.waitUntil(lambda: shown.words.is_up_to_date)
    lesson.go(4)
    qtbot.waitUntil(lambda: lesson.place == 4 and lesson.is_ready)
    assert shown.question.isVisible() and lesson.step.ask.text in shown.question.text()
    assert "۲۰" in shown.next.text, "the digits of its language"
    assert "u + n" not in shown.next.text and not shown.words.accessibleDescription().startswith(
        "p | u | n, 12; b"
    )
    lesson.reveal()
    qtbot.waitUntil(lambda: "u + n" in shown.next.text)
    assert not shown.question.isVisible()
    lesson.leave()


def test_the_pointer_is_hidden_until_it_moves(window, qtbot, monkeypatch):
    monkeypatch.setattr("bpe_studio.gui.present.presentation.POINTER_MS", 20)
    shown = begin(window)
    qtbot.waitUntil(lambda: shown.cursor().shape() is Qt.CursorShape.BlankCursor)
    assert shown.editor.viewport().cursor().shape() is Qt.CursorShape.BlankCursor
    none = Qt.MouseButton.NoButton
    place = QPointF(50, 50)
    move = QMouseEvent(
        QEvent.Type.MouseMove, place, place, none, none, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(shown.words, move)
    assert shown.cursor().shape() is not Qt.CursorShape.BlankCursor


def test_the_zoom_of_the_window_makes_it_larger_too(window, qtbot):
    shown = begin(window)
    before = QFontInfo(shown.editor.font()).pixelSize()
    QTest.keyClick(shown, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: QFontInfo(shown.editor.font()).pixelSize() > before)
    QTest.keyClick(shown, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: QFontInfo(shown.editor.font()).pixelSize() == before)


def test_space_plays_at_a_speed_that_is_seen_and_b_blanks(window, qtbot):
    workspace = window.workspace
    shown = begin(window)
    QTest.keyClick(shown, Qt.Key.Key_Space)
    assert workspace.state is State.running and workspace.transport.speed < math.inf
    qtbot.waitUntil(lambda: workspace.step > 0 and "Comes next" in shown.next.text)
    assert workspace.state is State.running
    QTest.keyClick(shown, Qt.Key.Key_B)
    assert shown.findChild(QWidget, "present.blank").isVisible()
    QTest.keyClick(shown, Qt.Key.Key_B)
    assert not shown.findChild(QWidget, "present.blank").isVisible()
    QTest.keyClick(shown, Qt.Key.Key_F11)
    qtbot.waitUntil(lambda: workspace.state is not State.running)
    assert (
        window.presentation is None
        and math.isinf(workspace.transport.speed)
        and workspace.n_merges < 6
    )


def test_the_end_says_why(window, qtbot):
    window.workspace.transport.step_forward(50)
    window.workspace.transport.extend_target(50)
    window.workspace.transport.run_training()
    qtbot.waitUntil(lambda: window.workspace.state is State.done)
    begin(window)
    says(window, qtbot, "Training stops here")


def test_a_text_without_a_pair_has_no_last_merge(window, qtbot):
    workspace = window.workspace
    workspace.opener.open_text("a", "a letter", "textbook")
    qtbot.waitUntil(
        lambda: workspace.corpus.name == "a letter" and workspace.state is not State.loading
    )
    begin(window)
    says(window, qtbot, "no pair is left")


def test_a_run_with_more_merges_comes_back(window, qtbot):
    workspace = window.workspace
    trained = window.workspace.run
    workspace.transport.step_forward(6)
    qtbot.waitUntil(lambda: workspace.step == 6)
    workspace.opener.open_text("hugs pugs", "another text", "textbook")
    qtbot.waitUntil(lambda: workspace.run is not trained and workspace.state is State.ready)
    shown = begin(window)
    workspace.corpus_changed.connect(
        workspace.game.changed
    )  # which a slot of the same change may emit first
    window.actions_by_id["edit.undo"].trigger()
    workspace.corpus_changed.disconnect(workspace.game.changed)
    assert (
        workspace.run is trained
        and shown.editor.step == 6
        and "hug, 10" in shown.words.accessibleDescription()
    )


def test_in_the_game_digits_guess_and_nothing_tells_the_answer_before(window, qtbot):
    workspace = window.workspace
    game = window.workspace.game
    workspace.transport.step_forward(3)
    qtbot.waitUntil(lambda: workspace.n_merges == 3)
    workspace.transport.go_to(0)
    window.game.play()
    qtbot.waitUntil(lambda: game.round is not None)
    shown = begin(window)
    assert not shown.skyline.isVisible() and "20 times" not in shown.next.text
    right = next(
        k for k, choice in enumerate(game.round.choices, 1) if choice.pair == game.round.right
    )
    QTest.keyClicks(shown, str(right))
    assert game.guess is not None and shown.skyline.isVisible()
    says(window, qtbot, "Right u + g")
    QTest.keyClick(shown, Qt.Key.Key_PageDown)
    qtbot.waitUntil(lambda: workspace.step == 1 and game.round is not None and game.guess is None)
    says(window, qtbot, "Which pair is merged next?")


def test_without_a_text_it_says_why_not(make_window):
    action = make_window(1280, 720).actions_by_id["view.present"]
    assert not action.isEnabled() and "open a text first" in action.toolTip()
