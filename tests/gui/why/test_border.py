"""A border in the panel "why": what is said of it, the way to the next one, and going back and
forward.
"""

from __future__ import annotations

import pytest
from pytestqt.modeltest import ModelTester

import bpe_studio as bpe
from bpe_studio.gui.why.border_section import MeetingModel
from bpe_studio.gui.why.panel import WhyPanel
from tests.facts import says
from tests.gui.stage import Stage

WORDS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def run_of(words=WORDS, **options):
    config = bpe.TrainingConfig.preset("textbook", **({"merges": 3} | options))
    return bpe.train(bpe.Corpus.from_counts(words, config), config)


@pytest.fixture
def stage(qtbot):
    stage = Stage()
    run = run_of()
    stage.selection.follow(run)
    stage.open(run, 3, 1)
    return stage


@pytest.fixture
def panel(shown, stage):
    return shown(WhyPanel(stage), 340, 700)


def settled(qtbot, panel):
    qtbot.waitUntil(lambda: panel.is_up_to_date and not panel._turn.is_waiting)


def test_a_border_is_shown_with_its_two_tokens_its_sentence_and_its_history(panel, stage, qtbot):
    stage.selection.select_border("hugs", 1)
    settled(qtbot, panel)
    assert panel.border.isVisible() and not panel.word.isVisible() and not panel.pair.isVisible()
    assert [link.text for link in panel.selected.links] == ["h", "|", "ug"]
    assert says(panel.what.text(), "border", "hugs", "step 1")
    assert "Merge 3" in panel.sentence.text() and "h + ug" in panel.sentence.text()
    assert [panel.border.model.text(row, MeetingModel.THEN) for row in range(2)] == [
        "merge 1 takes u into ug",
        "merge 3 joins the two",
    ]
    assert panel.border.words.table.words.rowCount() == 2
    stage.go_to(3)
    settled(qtbot, panel)
    assert panel.sentence.text().endswith("merge 3 joined h + ug")
    assert [link.text for link in panel.selected.links] == ["hugs"]


def test_a_border_of_the_split_needs_no_counting(panel, stage, qtbot):
    stage.selection.select_border("hug", 3, "!")
    settled(qtbot, panel)
    assert "“words and punctuation” separates hug from “!”" in panel.sentence.text()
    assert [link.text for link in panel.selected.links] == ["hug", "|", "!"]
    assert not panel.border.history.isVisible() and not panel.border.pair.isVisible()
    assert not panel.border.before.isEnabled() and not panel.border.behind.isEnabled()


def test_the_history_is_a_table(qtbot, panel, stage):
    stage.selection.select_border("hugs", 1)
    settled(qtbot, panel)
    ModelTester(panel.border.model).check(panel.border.model, force_py=True)
    assert panel.border.model.plain_row(0, stage.run) == (0, "h", "u", "merge 1 takes u into ug")
