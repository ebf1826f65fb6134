"""The panel "vocabulary": its rows, its filters and numbers, how it keeps up with the step, and the
selection.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.modeltest import ModelTester

import bpe_studio as bpe
from bpe_studio.engine.analysis.rare_tokens import RARE_BELOW
from bpe_studio.explain.vocabulary import FEW, TokenState
from bpe_studio.gui.vocabulary.model import VocabularyModel
from bpe_studio.gui.vocabulary.panel import VocabularyPanel
from tests.facts import says
from tests.gui.stage import Stage

M = VocabularyModel
TEXT = "hug hugs pug pun bun hug سلام سلام 漢字 漢字 hug pug 😀😀 hug"


def run_of(text=TEXT, preset="gpt2", **options):
    config = bpe.TrainingConfig.preset(preset, **({"merges": 25, "vocab_size": None} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.fixture
def run():
    return run_of()


@pytest.fixture
def stage(qtbot):
    return Stage()


@pytest.fixture
def panel(shown, stage):
    return shown(VocabularyPanel(stage), 900, 500)


def opened(qtbot, panel, stage, run, step=None):
    step = len(run.merges) if step is None else step
    stage.selection.follow(run)
    stage.open(run, len(run.merges), step)
    settled(qtbot, panel)


def settled(qtbot, panel):
    qtbot.waitUntil(lambda: panel.is_up_to_date and not panel.model.is_busy)


def names(panel):
    return [panel.model.name(row) for row in range(panel.model.rowCount())]


def row_of(panel, run, name):
    return panel.model.row_of_token(run.find_token(name))


def test_without_a_run_it_invites(panel):
    assert panel.model.rowCount() == 0
    assert says(panel.table.placeholder, "Open")


def test_every_token_of_the_step_is_a_row_with_all_that_is_known(panel, stage, run, qtbot):
    opened(qtbot, panel, stage, run)
    model = panel.model
    assert model.rowCount() == run.vocab_size_at(len(run.merges))
    assert panel.filtered.count.text() == f"{model.rowCount()} tokens"
    assert [model.text(0, column) for column in (M.ID, M.TOKEN, M.NOW, M.STATE)] == [
        "0",
        "<|endoftext|>",
        "–",
        "special",
    ]
    row = row_of(panel, run, "hug")
    info = run.token_info(run.find_token("hug"))
    assert model.text(row, M.ID) == str(run.external_id(info.id))
    assert model.text(row, M.BYTES) == "68 75 67" and model.text(row, M.LENGTH) == "3"
    assert model.text(row, M.SCRIPT) == "Latin" and model.text(row, M.RANK) == str(info.rank + 1)
    left, right = (run.token_name(each) for each in (info.left, info.right))
    assert model.text(row, M.PARTS) == f"{left} + {right}"
    assert (model.text(row, M.CREATED), model.text(row, M.NOW)) == (
        str(info.birth_count),
        str(info.count_now),
    )
    assert "merge" in model.tip(row, M.TOKEN) and "id" in model.tip(row, M.TOKEN)


def test_the_step_decides_which_tokens_there_are_and_how_often(panel, stage, run, qtbot):
    opened(qtbot, panel, stage, run)
    for step in (3, 0, 20):
        stage.go_to(step)
        settled(qtbot, panel)
        assert panel.model.rowCount() == run.vocab_size_at(step)
        row = row_of(panel, run, "u")
        assert panel.model.text(row, M.NOW) == str(
            run.token_info(run.find_token("u"), step).count_now
        )


def test_the_buttons_say_how_many_and_show_them(panel, stage, run, qtbot):
    opened(qtbot, panel, stage, run)
    counts = run.token_counts_at(len(run.merges)).tolist()
    expected = {
        "unused": sum(count == 0 for count in counts),
        "rare": sum(0 <= count < RARE_BELOW for count in counts),
        "special": 1,
        "base": 256,
    }
    for key, n in expected.items():
        button = panel.filters.states[key]
        assert button.text().endswith(f"  {n}")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        settled(qtbot, panel)
        assert panel.model.rowCount() == n and button.isChecked()
        assert [each.isChecked() for each in panel.filters.states.values()].count(True) == 1
        assert panel.sentence.isVisible() == (key == "unused")
        if key == "unused":
            assert f"{n} of {len(counts) + 1} tokens are never used" in panel.sentence.text()
            assert panel.model.token(0) > panel.model.token(1)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert panel.model.rowCount() == run.vocab_size_at(len(run.merges)) and not button.isChecked()
    panel.filters.rare_below.setValue(3)
    assert (
        panel.filters.states["rare"].text().endswith(f"  {sum(0 <= count < 3 for count in counts)}")
    )


def test_filters_by_script_length_and_text_hold_together(panel, stage, run, qtbot):
    opened(qtbot, panel, stage, run)
    panel.filters.script.setCurrentIndex(panel.filters.script.findText("Arabic"))
    settled(qtbot, panel)
    assert names(panel) and all(set(name) & set("سلام") for name in names(panel))
    panel.filters.length.setCurrentIndex(panel.filters.length.findText("2 characters"))
    settled(qtbot, panel)
    found = {
        panel.model.content(row).decode(errors="ignore") for row in range(panel.model.rowCount())
    }
    assert found and all(len(text) == 2 for text in found)
    panel.filters.clear()
    panel.filter.setText("ug")
    settled(qtbot, panel)
    assert names(panel) and all("ug" in name for name in names(panel))
    panel.filters.set_state(TokenState.special)
    settled(qtbot, panel)
    assert not names(panel) and panel.table.placeholder == "No token matches the filters"
    panel.show_only(TokenState.unused)
    settled(qtbot, panel)
    assert panel.filter.text() == "" and names(panel)


def test_it_sorts_by_every_column_that_has_an_order(panel, stage, run, qtbot):
    opened(qtbot, panel, stage, run)
    model = panel.model
    descending = Qt.SortOrder.DescendingOrder
    for column, name in (
        (M.NOW, "counts"),
        (M.CREATED, "created"),
        (M.LENGTH, "n_characters"),
        (M.BYTES, "n_bytes"),
    ):
        panel.table.sortByColumn(column, descending)
        settled(qtbot, panel)
        values = [model.number(name, row) for row in range(model.rowCount())]
        assert values == sorted(values, reverse=True)
    panel.table.sortByColumn(M.TOKEN, Qt.SortOrder.AscendingOrder)
    settled(qtbot, panel)
    lower = [name.lower() for name in names(panel)]
    assert lower == sorted(lower)
    panel.table.sortByColumn(M.SCRIPT, Qt.SortOrder.AscendingOrder)
    settled(qtbot, panel)
    scripts = [
        "" if text == "–" else text
        for text in (model.text(row, M.SCRIPT) for row in range(model.rowCount()))
    ]
    assert scripts == sorted(scripts)


def test_the_selection_is_shared(panel, stage, run, qtbot):
    opened(qtbot, panel, stage, run)
    token = run.find_token("hug")
    stage.selection.select_token(token)
    row = panel.model.row_of_token(token)
    assert panel.model.is_selected(row) and panel.table.is_row_visible(row)
    chosen = []
    panel.chosen.connect(lambda: chosen.append(stage.selection.current.token))
    other = panel.model.row_of_token(run.find_token("u"))
    panel.table.clicked.emit(panel.model.index(other, 0))
    assert chosen == [run.find_token("u")]
    panel.table.clicked.emit(panel.model.index(0, 0))
    assert stage.selection.current.token == run.find_token(
        "u"
    )  # a special token is no token of the run


def test_the_model_is_one(panel, stage, run, qtbot):
    opened(qtbot, panel, stage, run, 5)
    ModelTester(panel.model).check(panel.model, force_py=True)


@pytest.mark.parametrize("few", [FEW, 0])
def test_unreachable_tokens_have_a_filter_and_a_state(qtbot, panel, stage, monkeypatch, few):
    monkeypatch.setattr("bpe_studio.explain.vocabulary.FEW", few)
    config = bpe.TrainingConfig.preset(
        "textbook",
        merges=3,
        vocab_size=None,
        min_frequency=1,
        force=[("a", "a"), ("a", "b"), ("a", "ab")],
    )
    button = panel.filters.states["unreachable"]
    said = []
    panel.answered.connect(lambda: said.append((button.text(), button.isEnabled())))
    opened(qtbot, panel, stage, bpe.train(bpe.Corpus.from_text("aab ab aa", config), config))
    qtbot.waitUntil(lambda: said[-1] == ("Unreachable  1", True))
    assert said[:-1] == ([] if few else [("Unreachable  …", False)])
    button.click()
    assert names(panel) == ["aab"]
    assert "unreachable" in panel.model.text(0, M.STATE)
    assert panel.model.tip(0, M.STATE).splitlines()[-1].startswith("never made: merge 1 ")
    stage.go_to(2)
    settled(qtbot, panel)
    assert said[-1] == ("Unreachable  0", True) and names(panel) == []
