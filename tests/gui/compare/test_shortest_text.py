"""A short text that A and B encode differently, on the page Difference."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from bpe_studio import Corpus, TrainingConfig, train
from bpe_studio.gui.compare import shortest_text
from bpe_studio.gui.compare.difference_page import DifferencePage
from tests.gui.cells import place_of

TEXT = "low lower lowest سلام دنیا سلام 😀😀 new newer newest\n" * 9
CONFIG = TrainingConfig.preset("gpt2", merges=40)


@pytest.fixture
def part(few_texts, compare_panel, trained_workspace, tmp_path, qtbot, monkeypatch):
    """Compares the run with a tokenizer of a text."""
    monkeypatch.setattr(shortest_text, "SECONDS", 3.0)
    workspace = trained_workspace(TEXT, CONFIG)
    page = compare_panel(workspace).difference

    def make(text):
        train(Corpus.from_text(text, CONFIG), CONFIG).tokenizer().save(tmp_path / "theirs")
        workspace.tokenizers.add([tmp_path / "theirs"])
        qtbot.waitUntil(lambda: page.is_up_to_date and page.shown.sides[1].name == "theirs")
        return page.shortest

    return make


def test_the_text_the_part_and_the_merge_are_shown(part, qtbot):
    shown = part("low سلام " * 20)
    qtbot.mouseClick(shown.search, Qt.MouseButton.LeftButton)
    assert shown.cancel.isVisible()
    qtbot.waitUntil(lambda: shown.model.rowCount() == 2)
    column = shown.model.columns[place_of(shown.model, "tokens")]
    tokens = [column.chips(shown.model, row).names for row in (0, 1)]
    assert "".join(tokens[0]) and tokens[0] != tokens[1]
    assert "They differ because they" in shown.verdict.text()
    with qtbot.waitSignal(shown.merge_chosen) as chosen:
        qtbot.mouseClick(shown.merge, Qt.MouseButton.LeftButton)
    subject, rank = chosen.args
    merge = subject.run.merges[rank]
    assert f"merge {rank + 1}" in shown.merge.text() and merge.token


def test_the_page_says_first_what_differs(part, qtbot):
    page = part("low سلام " * 20).parent()
    while not isinstance(page, DifferencePage):
        page = page.parent()
    assert page.said.isVisible() and "are in both" in page.said.text()
    assert "only in A" in page.details.text()


def test_equal_ones_have_the_same_ids(part, qtbot):
    shown = part(TEXT)
    qtbot.mouseClick(shown.search, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "same ids" in shown.verdict.text(), timeout=20_000)
    assert not shown.table.isVisible() and not shown.merge.isVisible()


def test_a_search_can_be_cancelled(part, qtbot):
    shown = part(TEXT)
    qtbot.mouseClick(shown.search, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(shown.cancel, Qt.MouseButton.LeftButton)
    assert shown.search.isVisible() and not shown.verdict.isVisible()
    qtbot.waitUntil(lambda: not shown.is_busy)
    assert shown.search.isVisible()
