"""Guessing the next pair as a person does: by the menu, with keys and clicks, to the end and back
to the panels.
"""

from __future__ import annotations

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.workspace.game.guessing import POINTS
from bpe_studio.workspace.game.rounds import Verdict
from bpe_studio.workspace.state import OpeningRequest, State
from tests.gui.hand import SHIFT, Hand

whole_window = pytest.mark.slow(
    buys="each plays in a whole window; a game, a hint, a tie and its end are among the quick ones"
)

TEXT = "hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5


@pytest.fixture
def window(lasting_window, qtbot):
    lasting_window.put_back(qtbot, 1280, 720)
    return lasting_window.window


class Player(Hand):
    """A hand that guesses."""

    def __init__(self, window, qtbot):
        super().__init__(window, lambda is_so: qtbot.waitUntil(is_so, timeout=20_000))
        self.workspace = window.workspace
        self.game = window.workspace.game
        qtbot.waitExposed(window)

    def wait(self, is_so):
        self.wait_until(is_so)

    def open(self, text=TEXT, **options):
        before = self.workspace.run
        config = TrainingConfig.preset("textbook", **({"merges": 6} | options))
        self.workspace.opener.open(OpeningRequest("a text", text=text), config)
        self.wait(lambda: self.workspace.run is not before and self.workspace.state is State.ready)

    def play(self):
        self.choose_from_menu("Learn", "Guess the next pair")
        self.asked(self.workspace.step)

    def asked(self, step):
        self.wait(lambda: self.game.round is not None and self.game.round.step == step)
        return self.game.round

    def key_of(self, verdict):
        pairs = [choice.pair for choice in self.game.round.choices]
        return Qt.Key(
            Qt.Key.Key_1
            + next(k for k, p in enumerate(pairs) if self.game.round.judge(p) is verdict)
        )

    def shows(self, key):
        """Whether a panel is in sight."""
        return self.window.panels.place(key).isVisible()

    def says(self, name):
        return self.find(name).text()


@pytest.fixture
def player(window, qtbot):
    return Player(window, qtbot)


@pytest.fixture
def own_player(make_window, qtbot):
    """A player in front of a window that no other test has."""
    return Player(make_window(1280, 720), qtbot)


def test_without_a_text_the_menu_says_why_not(own_player):
    action = own_player.window.actions_by_id["learn.game"]
    assert not action.isEnabled() and "open a text first" in action.toolTip()


def test_a_whole_game_by_the_keyboard(player, tmp_path, monkeypatch):
    player.open()
    player.game.n_rounds = 3
    player.play()
    player.game.n_rounds = 3
    views = player.window.views
    assert not views.isVisible() and not player.window.transport.isVisible(), (
        "the game is a page of its own"
    )
    assert not player.window.strip.isVisible(), "it would say which pair is next"
    assert "h | u | g, 10" in player.find("present.words").accessibleDescription()
    player.key(player.key_of(Verdict.right))
    assert "Right, +10" in player.says("game.verdict") and "10 points" in player.says("game.score")
    assert player.workspace.n_merges == 0, "nothing is learned for the answer"
    assert not views.isVisible(), "only a person who asks why sees the panels"
    player.key(Qt.Key.Key_Return)
    player.asked(1)
    right = player.game.round.right
    player.key(player.key_of(Verdict.wrong))
    assert "no points" in player.says("game.verdict")
    for number, choice in enumerate(player.game.round.choices, 1):
        said = player.find(f"game.choice_{number}")
        remark = player.says(f"game.remark_{number}")
        assert remark.split(" · ")[-1] == str(choice.count)
        assert ("merged next" in remark) == (said.sign == "✓") == (choice.pair == right)
        assert (
            ("your guess" in remark)
            == (said.sign == "✗")
            == (choice.pair == player.game.guess.pair)
        )
    player.key(Qt.Key.Key_Return)
    player.asked(2)
    player.key(player.key_of(Verdict.right))
    assert player.says("game.next").replace("&", "") == "Finish"
    player.key(Qt.Key.Key_Return)
    assert player.says("game.verdict") == "20 points"
    assert "3 guesses: 2 right, 1 wrong" in player.says("game.because")
    path = tmp_path / "game.json"
    monkeypatch.setattr("bpe_studio.gui.lessons.controller.ask_for_place", lambda *_: path)
    player.click("game.save")
    player.window.findChild(QInputDialog, "results.name").accept()
    results = json.loads(path.read_text(encoding="utf-8"))
    assert (results["name"], results["lesson"], results["score"], results["out_of"]) == (
        "",
        "game",
        20,
        30,
    )
    assert [answer["right"] for answer in results["answers"]] == [True, False, True]
    assert results["answers"][0]["answer"] == results["answers"][0]["given"][0] == "u + g"
    player.find("game.next").setFocus()
    player.key(Qt.Key.Key_Return)  # Play again
    player.asked(2)
    assert player.game.guesses == () and player.says("game.score").startswith("1 of")


def test_a_hint_tells_a_count_and_costs(player):
    player.open()
    player.play()
    player.click("game.hint_2")
    assert player.says("game.remark_2") == str(player.game.round.choices[1].count)
    assert player.says("game.remark_1") == "" and player.find("game.hint_1").isVisible()
    player.key(Qt.Key.Key_1, SHIFT)
    assert len(player.game.hints) == 2 and player.game.guess is None
    player.key(player.key_of(Verdict.right))
    assert player.game.score == POINTS - 4


def test_an_answer_moves_nothing(player):
    player.open("ab cd " * 3 + "ef")
    player.play()
    shown = [player.find(f"game.choice_{key}") for key in range(1, 4)]
    shown.append(player.find("present.words"))
    player.wait(lambda: all(each.height() > 20 for each in shown))
    before = [each.geometry() for each in shown]
    player.key(player.key_of(Verdict.tied))
    player.wait(lambda: player.find("game.next").isVisible())
    assert [each.geometry() for each in shown] == before


def test_a_tie_is_half_right_and_names_the_rule(player):
    player.open("ab cd " * 3 + "ef")
    player.play()
    player.key(player.key_of(Verdict.tied))
    assert player.says("game.verdict") == "≈ Half right, +5 points"
    told = player.says("game.because")
    assert "Equally frequent: both occur 3 times" in told and "2 pairs occur equally often" in told
    assert "the pair that occurs first in the text" in told


@whole_window
def test_why_is_shown_next_to_the_game_which_goes_on_or_is_resumed(player):
    player.open()
    player.workspace.transport.run_training()
    player.wait(lambda: player.workspace.state is State.done)
    player.workspace.transport.go_to(1)
    player.play()
    right = player.game.round.right
    player.key(player.key_of(Verdict.wrong))
    player.click("game.why")
    window = player.window
    assert (
        player.workspace.selection.current.left,
        player.workspace.selection.current.right,
    ) == right
    player.wait(lambda: player.shows("why") and window.panels["why"].is_up_to_date)
    player.click("game.next")
    player.asked(2)
    assert not player.shows("why") and player.workspace.selection.current is None
    player.click("game.leave")
    assert player.shows("why") and window.transport.isVisible()
    player.choose_from_menu("Learn", "Guess the next pair")
    player.asked(2)
    assert len(player.game.guesses) == 1 and not player.shows("why")


def test_at_the_end_of_a_run_it_says_so(player):
    player.open("ab ab")
    player.play()
    player.key(Qt.Key.Key_1)
    player.key(Qt.Key.Key_Return)
    player.wait(lambda: player.game.is_over)
    assert "no pair is left that may be merged" in player.says("game.because")
    player.click("game.leave")
    assert player.window.views.isVisible() and player.window.transport.isVisible()
