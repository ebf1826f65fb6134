"""A border in the panel "why": what is said of it, the way to the next one, and going back and forward."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

import bpe_studio as bpe
from bpe_studio.gui.why.border_section import MeetingModel
from bpe_studio.gui.why.panel import WhyPanel
from bpe_studio.workspace.selection import Kind, Selection
from tests.gui.stage import Stage

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints", extend=True)
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
def panel(qtbot, stage):
    panel = WhyPanel(stage)
    qtbot.addWidget(panel)
    panel.resize(340, 700)
    panel.show()
    return panel


def settled(qtbot, panel):
    qtbot.waitUntil(lambda: panel.is_up_to_date and not panel._turn.is_waiting)


def test_a_border_is_shown_with_its_two_tokens_its_sentence_and_its_history(panel, stage, qtbot):
    stage.selection.select_border("hugs", 1)
    settled(qtbot, panel)
    assert panel.border.isVisible() and not panel.word.isVisible() and not panel.pair.isVisible()
    assert [link.text for link in panel.selected.links] == ["h", "|", "ug"]
    assert panel.what.text() == "A border in hugs, at step 1"
    assert panel.border.sentence.text() == "h + ug would have to be merged, and merge 2 does"
    assert [panel.border.model.text(row, MeetingModel.THEN) for row in range(2)] == [
        "merge 0 takes u into ug",
        "merge 2 merges the two",
    ]
    assert panel.border.words.table.words.rowCount() == 2
    stage.go_to(3)
    settled(qtbot, panel)
    assert panel.border.sentence.text() == "No border at step 3: merge 2 has merged h + ug"
    assert [link.text for link in panel.selected.links] == ["hugs"]


def test_its_buttons_lead_to_the_next_border_and_to_the_pair_and_back(panel, stage, qtbot):
    stage.selection.select_word_border(4, 1)
    settled(qtbot, panel)
    assert not panel.border.before.isEnabled() and panel.border.behind.isEnabled()
    qtbot.mouseClick(panel.border.behind, Qt.MouseButton.LeftButton)
    settled(qtbot, panel)
    assert stage.selection.current.place == 3 and stage.selection.current.word == 4
    assert [link.text for link in panel.selected.links] == ["ug", "|", "s"]
    qtbot.mouseClick(panel.border.pair, Qt.MouseButton.LeftButton)
    settled(qtbot, panel)
    assert stage.selection.current.kind is Kind.pair and panel.pair.isVisible() and not panel.border.isVisible()
    qtbot.mouseClick(panel.back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(panel.border.isVisible)
    assert not panel.pair.isVisible() and stage.selection.current.place == 3
    panel.border.history.clicked.emit(panel.border.model.index(0, 0))
    assert stage.selection.current.kind is Kind.merge and stage.selection.current.token == stage.run.n_alphabet


def test_a_border_of_the_split_needs_no_counting(panel, stage, qtbot):
    stage.selection.select_border("hug", 3, "!")
    settled(qtbot, panel)
    assert panel.border.sentence.text().startswith("The split “words” ends a word here, between hug and “!”")
    assert [link.text for link in panel.selected.links] == ["hug", "|", "!"]
    assert not panel.border.history.isVisible() and not panel.border.pair.isVisible()
    assert not panel.border.before.isEnabled() and not panel.border.behind.isEnabled()


def test_the_history_is_a_table(qtbot, panel, stage):
    stage.selection.select_border("hugs", 1)
    settled(qtbot, panel)
    ModelTester(panel.border.model).check(panel.border.model, force_py=True)
    assert panel.border.model.plain_row(0, stage.run) == (0, "h", "u", "merge 0 takes u into ug")


def test_a_border_is_found_again_in_a_run_that_has_the_same_symbols():
    run = run_of()
    other = bpe.branch(run, bpe.Override(1, bpe.OverrideKind.forbid, "u", "n")).run_record
    selection = Selection()
    selection.follow(run)
    selection.select_border("hugs", 1)
    selection.select_word_border(4, 3)
    selection.follow(other)
    assert (selection.current.word, selection.current.place) == (4, 3) and selection.can_go_back
    config = run.config.replace(units="bytes")
    bytes_run = bpe.train(bpe.Corpus.from_counts(WORDS, config), config)
    selection.follow(bytes_run, is_same_text=True)
    assert selection.current is None and not selection.can_go_back
