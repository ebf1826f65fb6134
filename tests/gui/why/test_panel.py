"""The panel "why": what it answers for what is picked, how it keeps up with the step, and going
back and forward.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio.gui.why import questions
from bpe_studio.gui.why.panel import WhyPanel
from bpe_studio.workspace.selection import Kind
from tests.facts import says
from tests.gui.stage import Stage
from tests.trained import run_of_words


class PickedStage(Stage):
    """In which something can be picked."""

    def open(self, run, *values, **others):
        self.selection.follow(run)
        super().open(run, *values, **others)


@pytest.fixture
def stage(qtbot):
    return PickedStage()


@pytest.fixture
def panel(shown, stage):
    return shown(WhyPanel(stage), 340, 700)


@pytest.fixture
def run():
    return run_of_words(merges=6)


def settled(qtbot, panel):
    qtbot.waitUntil(lambda: panel.is_up_to_date and not panel._turn.is_waiting)


def facts(section):
    return {fact.label: fact.text for fact in section.facts.facts}


def seen(panel):
    sections = {"pair": panel.pair, "token": panel.token, "word": panel.word}
    return {name for name, section in sections.items() if section.isVisible()}


def test_without_a_run_it_invites(panel):
    assert panel.empty.isVisible()
    assert "Open a text" in panel.empty.text()
    assert not panel.area.isVisible()


def test_with_nothing_picked_it_says_why_the_next_merge(panel, stage, run, qtbot):
    stage.open(run, 6, 0)
    settled(qtbot, panel)
    assert seen(panel) == {"pair"}
    assert [link.text for link in panel.selected.links] == ["u", "+", "g", "→", "ug"]
    assert panel.what.text() == "Merge 1, the next one"
    assert panel.pair.title.text() == "Why this pair"
    assert facts(panel.pair)["occurs"] == "20 times"
    assert says(panel.pair.words.total.text(), "20 times", "3 of 5")
    height = panel.pair.words.table.height()
    stage.go_to(4)
    settled(qtbot, panel)
    assert panel.what.text() == "Merge 5, the next one"
    assert panel.pair.words.table.height() == height, "nothing may jump while stepping"


def test_a_merge_is_told_as_it_was_and_its_token_as_it_is(panel, stage, run, qtbot):
    stage.open(run, 6, 3)
    stage.selection.select_merge(0)
    settled(qtbot, panel)
    assert seen(panel) == {"pair", "token"}
    assert panel.what.text() == "Merge 1"
    assert facts(panel.pair)["occurs"] == "20 times"
    assert (
        "merge 1" in facts(panel.token)["created"] and "20 times" in facts(panel.token)["created"]
    )
    assert panel.token.tree.isVisible()
    now = int(run.token_counts_at(3)[run.n_alphabet])
    assert facts(panel.token)["now"].startswith(f"{now} time")
    assert panel.token.words.words.total == now


def test_a_step_asks_only_what_hangs_on_it(panel, stage, run, qtbot, monkeypatch):
    asked = []

    def spy(kind, answer):
        def told(*question):
            asked.append(kind)
            return answer(*question)

        return told

    spied = {kind: spy(kind, answer) for kind, answer in questions.ANSWERS.items()}
    monkeypatch.setattr(questions, "ANSWERS", spied)
    stage.open(run, 6, 3)
    stage.selection.select_merge(0)
    settled(qtbot, panel)
    assert sorted(set(asked)) == ["containing_words", "pair", "token"]
    asked.clear()
    stage.go_to(5)
    settled(qtbot, panel)
    assert asked == ["containing_words"]
    asked.clear()
    stage.selection.select_token(0)
    settled(qtbot, panel)
    stage.selection.go_back()
    settled(qtbot, panel)
    assert "pair" not in asked
    assert asked.count("token") == 1, "what was looked at before is known"


def test_a_word_is_picked_from_its_row_and_its_merges_from_theirs(panel, stage, run, qtbot):
    stage.open(run, 6, 1)
    stage.selection.select_token(run.find_token("ug"))
    settled(qtbot, panel)
    table = panel.token.words.table
    table.setFocus()
    table.setCurrentIndex(table.words.index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert stage.selection.current.kind is Kind.word
    settled(qtbot, panel)
    assert seen(panel) == {"word"}
    assert [link.text for link in panel.word.cut.links] == ["h", "ug"]
    assert panel.what.text() == "Word 1 of 5, at step 1"
    first = panel.word.model.index(0, 0)
    assert panel.word.model.text(0, 2) == "ug"
    qtbot.mouseClick(
        panel.word.merges.viewport(),
        Qt.MouseButton.LeftButton,
        pos=panel.word.merges.visualRect(first).center(),
    )
    assert stage.selection.current.kind is Kind.merge


def test_it_follows_a_run_that_is_paced(panel, stage, run, qtbot):
    stage.open(run, 6, 1)
    settled(qtbot, panel)
    stage.run_at(30.0)
    for step in (2, 3, 4):
        stage.go_to(step)
    qtbot.waitUntil(lambda: panel.what.text() == "Merge 5, the next one")


def test_the_curve_moves_the_step_and_lines_are_asked_for(panel, stage, run, qtbot):
    stage.open(run, 6, 2)
    stage.selection.select_merge(0)
    settled(qtbot, panel)
    curve = panel.token.curve
    token = run.n_alphabet
    counts = [int(run.token_counts_at(step)[token]) for step in range(1, 7)]
    assert [curve.value_at(step) for step in range(1, 7)] == counts, "a stair since its creation"
    curve.setFocus()
    qtbot.keyClick(curve, Qt.Key.Key_End)
    assert stage.step == 6 == curve.current
    assert facts(panel.token)["now"].endswith(
        f"of the {run.n_tokens_at(6)} tokens of the corpus"
    ), "at once"
    with qtbot.waitSignal(panel.concordance_requested):
        qtbot.mouseClick(panel.token.lines, Qt.MouseButton.LeftButton)
