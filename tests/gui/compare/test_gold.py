"""The page Gold words: the curve, the scores of all that is compared, and the worst words."""

from __future__ import annotations

import pytest

import bpe_studio as bpe
from bpe_studio.workspace.selection import Kind

TEXT = "the theme then other thin thing lower lowest newer newest wider widest\n" * 12
GOLD = "lower\tlow er\ten\nnewest\tnew est\ten\nthinness\tthin ness\tde\nthinness\tthin ness\tde\nran\trun\n"
COMPARED, GROUP, F1 = range(3)


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, bpe.TrainingConfig.preset("gpt2", merges=40))


@pytest.fixture
def page(compare_panel, workspace):
    panel = compare_panel(workspace)
    panel.show_page("Gold words")
    return panel.gold


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text(GOLD, encoding="utf-8")
    return path


def settle(qtbot, page):
    qtbot.waitUntil(lambda: page.answer is not None and page.is_up_to_date)


def test_the_curve_and_the_scores_are_those_of_the_run(qtbot, page, gold, workspace):
    page.open_file(gold)
    settle(qtbot, page)
    found = workspace.run.boundaries(gold)
    lines = {line.name: line for line in page.chart.lines}
    assert lines["F1"].values.tolist() == found.f1.tolist()
    assert lines["whole stems"].values.tolist() == found.whole_stems.tolist()
    assert [score.shares for score in page.scores.rows][-1] == found.at(workspace.step)
    assert "2 lines" in page.about.text()
    workspace.transport.go_to(3)
    qtbot.waitUntil(lambda: page.scores.rows[-1].shares == found.at(3))


def test_the_numbers_have_columns_of_gold_words(qtbot, page, gold, workspace):
    panel = page.window()
    titles = [measure.full_title for measure in panel.model.columns]
    place = titles.index("gold words: F1")
    panel.show_page("Numbers")
    assert panel.table.isColumnHidden(place)
    page.open_file(gold)
    settle(qtbot, page)
    qtbot.waitUntil(lambda: not panel.table.isColumnHidden(place))
    last = panel.model.rowCount() - 1
    shares = workspace.run.boundaries(gold).at(workspace.step)
    qtbot.waitUntil(lambda: panel.model.value(last, place) == shares[2])
    assert panel.model.value(last, titles.index("gold words: whole stems")) == shares[3]


def test_each_group_has_a_line_and_rows(qtbot, page, gold):
    page.open_file(gold)
    settle(qtbot, page)
    page.by.setCurrentIndex(1)
    page.by.activated.emit(1)
    qtbot.waitUntil(lambda: len(page.chart.lines) == 2 and page.is_up_to_date)
    assert {line.name for line in page.chart.lines} == {"en", "de"}
    assert {score.group: score.n_words for score in page.scores.rows} == {"en": 2, "de": 1}


def test_the_worst_word_leads_to_why(qtbot, page, gold, workspace):
    page.open_file(gold)
    settle(qtbot, page)
    assert not page.why.isEnabled()
    words = [worst.gold.word for worst in page.worst.rows]
    place = words.index("thinness")
    assert page.worst.rows[place].wrong
    page.worst_table.selectRow(place)
    with qtbot.waitSignal(page.why_requested):
        page.why.click()
    selected = workspace.selection.current
    assert selected.kind is Kind.border
    assert selected.piece == " thinness"


@pytest.mark.parametrize(
    ("content", "words"),
    [("", "empty"), ("lower\tlow\n", "no gold words"), (None, "gold.tsv")],
)
def test_what_is_no_gold_file_is_said(qtbot, page, tmp_path, content, words):
    path = tmp_path / "gold.tsv"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    page.open_file(path)
    qtbot.waitUntil(lambda: words in page.about.text())
    assert page.parts.isHidden()
