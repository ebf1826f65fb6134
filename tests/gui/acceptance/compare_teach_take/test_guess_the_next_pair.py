"""The game over texts of three kinds: the right guess is what a plain recount merges next, counts are its counts.

An acceptance test: see `tests/gui/acceptance/conftest.py`.
"""

from __future__ import annotations

import re
from collections import Counter

import pytest
from PySide6.QtCore import Qt

from bpe_studio.files.samples import find_sample
from tests.gui.acceptance.compare_teach_take.learner import Learner
from tests.gui.acceptance.compare_teach_take.plain_bpe import PlainRun, like_gpt2, plain, shown, words_of

SAMPLES = {
    "english": "English story",
    "persian": "داستان فارسی (Persian story)",
    "many-scripts": "Many scripts and emoji",
}
N_ROUNDS = 5
_SPOKEN = re.compile(r"(?:\d: )?(.+?)(?:, (once|[\d,]+ times)(?:, (.*))?)?")


class Player(Learner):
    """Guesses, and keeps its own score."""

    def __init__(self, window, qtbot) -> None:
        super().__init__(window, qtbot)
        self.game = window.workspace.game

    def play(self) -> None:
        self.choose_from_menu("Learn", "Guess the next pair")
        self.window.activateWindow()
        self.asked()

    def asked(self) -> None:
        """Wait for the question at the step that is shown."""
        page = self.window.game.page
        self.wait(
            lambda: (
                self.game.round is not None
                and self.game.round.step == self.workspace.step
                and page.shown is not None
                and self.game.guess is None
            )
        )

    def rows_of_pairs(self) -> list[tuple[str, int | None, str]]:
        """The pairs to choose from, as a screen reader says them: each with its count, and what is said of it."""
        found = []
        for k in range(1, 5):
            said = _SPOKEN.fullmatch(plain(self.find(f"game.choice_{k}").accessibleName()))
            count = None if said[2] is None else 1 if said[2] == "once" else int(said[2].split()[0].replace(",", ""))
            found.append((said[1], count, said[3] or ""))
        return found

    def offered(self) -> list[str]:
        """The pairs to choose from."""
        return [pair for pair, _, _ in self.rows_of_pairs()]


@pytest.fixture
def player(window, qtbot):
    return Player(window, qtbot)


def recount_of(sample: str) -> PlainRun:
    return like_gpt2(find_sample(sample).path.read_text(encoding="utf-8"))


def named(pair) -> str:
    return " + ".join(map(shown, pair))


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_right_guess_is_what_a_recount_merges_next(player, sample):
    run = recount_of(sample)
    player.open_sample(SAMPLES[sample])
    player.play()
    player.choose("game.length", f"{N_ROUNDS} rounds")
    score = streak = n_wrong = 0
    for step in range(N_ROUNDS):
        (pair, count, n_tied), pairs = run.next(step), run.pairs(step)
        named_pairs = {named(each): n for each, n in pairs.items()}
        right, offered = named(pair), player.offered()
        assert right in offered and len(set(offered)) == 4
        if step == 2:
            # A wrong one, by its key.
            wrong = next(k for k, each in enumerate(offered) if named_pairs[each] < count)
            player.key(Qt.Key(Qt.Key.Key_1 + wrong))
            assert player.says("game.verdict") == "✗ Not this one, no points"
            streak, n_wrong = 0, 1
        else:
            player.click(f"game.choice_{offered.index(right) + 1}")
            assert player.says("game.verdict") == "✓ Right, +10 points"
            score, streak = score + 10, streak + 1
        told = player.says("game.because")
        assert right in told
        if n_tied > 1:
            assert f"{n_tied} pairs occur equally often" in told
        after = player.rows_of_pairs()
        assert {each: n for each, n, _ in after} == {each: named_pairs[each] for each in offered}
        assert [each for each, _, said in after if "merged next" in said] == [right]
        assert player.says("game.score") == str(score) and player.says("game.streak") == str(streak)
        n_changed = sum(has(cut, pair) for cut in run.cuts(step).values())
        assert player.says("game.changed_title") == f"It changes {n_changed:,} word{'s' * (n_changed != 1)}"
        player.key(Qt.Key.Key_Return)
        if step + 1 < N_ROUNDS:
            player.asked()
            assert player.workspace.step == step + 1
    assert player.says("game.end_score") == f"{score} points"
    assert f"{N_ROUNDS} guesses: {N_ROUNDS - n_wrong} right, {n_wrong} wrong." in player.says("game.end_told")
    (row,) = player.rows("game.missed")
    assert row[0] == "2" and row[3] == named(run.next(2)[0]) and row[4] == f"{run.next(2)[1]:,}"
    # Its row leads to the reason.
    player.click_row("game.missed", 0)
    player.wait(lambda: not player.panels["why"].visibleRegion().isEmpty())
    assert player.workspace.step == 2


def has(cut, pair) -> bool:
    return any(each == pair for each in zip(cut, cut[1:], strict=False))


@pytest.mark.parametrize(
    "text",
    [
        "hug " * 10 + "pug " * 5 + "pun " * 12 + "bun " * 4 + "hugs " * 5,
        "سلام دنیا سلام کتاب کتابخانه کتاب " * 3,
        "😄🙂😎🙂 😄🙂 😎🙂 🙂🙂 😎😎 😄😎 " * 3,
    ],
    ids=["latin", "persian", "emoji"],
)
def test_a_guess_in_the_words_of_any_text(player, tmp_path, monkeypatch, text):
    player.window.resize(1720, 1040)  # where the settings cover no merges
    path = tmp_path / "mine.txt"
    path.write_text(text, encoding="utf-8")
    player.open_file(monkeypatch, path)
    player.show_panel("Settings")
    player.choose("settings.preset", "textbook")
    player.click("settings.apply")
    player.wait(lambda: player.workspace.run.config.preset_name == "textbook")
    player.opened()
    run = PlainRun(Counter(words_of(text, "words", by_line=False, units="characters")))
    player.play()
    player.click("game.by_word")
    (left, right), count, _ = run.next(0)
    words = player.find("game.words")
    assert [("".join(each.word.names), each.word.count) for each in words.placed] == [
        ("".join(cut), run.count(cut))
        for cut in sorted((cut for cut in run.cuts(0) if len(cut) > 1), key=run.count, reverse=True)
    ]
    placed = next(each for each in words.placed if has(each.word.names, (left, right)))
    at = next(k for k in range(len(placed.row.rects)) if placed.word.names[k : k + 2] == (left, right))
    for token in (at, at + 1):
        player.click(words, placed.row.rects[token].center())
    player.click("game.guess")
    assert player.says("game.verdict") == "✓ Right, +20 points"
    assert named((left, right)) in player.says("game.because") and str(count) in player.says("game.because")
    player.click("game.next")
    player.asked()
    # A hint tells the count of a pair, for two points; then it is left, and gone on with later.
    player.click("game.by_choice")
    pairs = {named(pair): n for pair, n in run.pairs(1).items()}
    first = player.offered()[0]
    player.click("game.hint_1")
    assert player.rows_of_pairs()[0] == (first, pairs[first], "")
    assert [n for _, n, _ in player.rows_of_pairs()[1:]] == [None] * 3, "of the others nothing is told"
    player.click(f"game.choice_{player.offered().index(named(run.next(1)[0])) + 1}")
    assert player.says("game.verdict") == "✓ Right, +8 points" and player.says("game.score") == "28"
    player.click("game.leave")
    assert not player.panels["merges"].visibleRegion().isEmpty() and player.workspace.step == 1
    player.choose_from_menu("Learn", "Guess the next pair")
    assert player.says("game.score") == "28"
