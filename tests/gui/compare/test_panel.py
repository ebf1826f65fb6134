"""Comparing sizes as a person does: choose any number, read the numbers, curve, texts, words and
advice.
"""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

import bpe_studio as bpe
from bpe_studio.explain.comparison.measures import Row, TextSize
from bpe_studio.explain.comparison.subjects import RunAt
from bpe_studio.explain.comparison.verdict import NO_PAIR
from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.gui.compare.table_model import COLUMNS, Found, MeasuresModel
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace
from tests.gui.cells import cells, column, titles

WORDS = ["low", "new", "wide", "slow", "great", "small", "unbelievab", "counterrevolution"]
LINES = [
    f"the {word}est {word}er {word}s are {word}ing by the river bank {n}"
    for n in range(9)
    for word in WORDS
]
TEXT = "\n".join(LINES)
BASE = 257
"""Bytes and a special token."""


@pytest.fixture
def panel(qtbot, workspace):
    panel = ComparePanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(700, 520)
    panel.show()
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    train(qtbot, workspace)
    workspace.set_typed_text("the unbelievable newest counterrevolutions")
    panel.refresh()
    return panel


def train(qtbot, workspace):
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)


def show(qtbot, panel, title):
    panel.tabs.setCurrentIndex(
        [panel.tabs.tabText(k) for k in range(panel.tabs.count())].index(title)
    )
    panel.refresh()


def write(panel, text):
    panel.bar.ask()
    panel.bar.field.setText("")
    QTest.keyClicks(panel.bar.field, text)
    QTest.keyClick(panel.bar.field, Qt.Key.Key_Return)
    panel.refresh()


def test_the_model_is_sound(qtmodeltester):
    config = bpe.TrainingConfig.preset("gpt2", merges=30)
    run = bpe.train(bpe.Corpus.from_text(TEXT, config), config)
    model = MeasuresModel()
    qtmodeltester.check(model)
    rows = [
        Row.of(RunAt(f"size {step}", "", run, step), run, TextSize.of("low"), 2) for step in (0, 9)
    ]
    model.set_rows(rows, [Found()] * 2)
    qtmodeltester.check(model)
    assert model.columnCount() == len(COLUMNS) and model.rowCount(model.index(0, 0)) == 0
    assert cells(model, 0)["corpus: rare"] == "…", "it is not counted yet"


def test_before_anything_is_trained_step_0_is_there_once(qtbot, workspace, shown):
    panel = shown(ComparePanel(workspace), 700, 520)
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    qtbot.waitUntil(lambda: [(row.step, row.is_current) for row in panel.model.rows] == [(0, True)])
    assert not panel.add.current.isEnabled() and "run first" in panel.add.current.toolTip()
    train(qtbot, workspace)
    panel.refresh()
    steps = [row.step for row in panel.model.rows]
    assert len(steps) == 2 and steps[0] < steps[1] == workspace.n_merges


def test_a_run_of_one_merge_is_compared_with_no_merge_and_has_no_curve(qtbot, workspace, shown):
    panel = shown(ComparePanel(workspace), 700, 520)
    workspace.opener.open_text(TEXT, "a text")
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    show(qtbot, panel, "Curve")
    chart = panel.curve.chart
    assert "this run has 0 merges" in chart.accessibleDescription()
    workspace.transport.step_forward()
    qtbot.waitUntil(lambda: workspace.n_merges == 1 and workspace.state is not State.running)
    panel.refresh()
    assert [row.step for row in panel.model.rows] == [0, 1]
    assert "this run has 1 merge." in chart.accessibleDescription() and not chart.lines
    workspace.transport.go_to(0)
    panel.refresh()
    assert panel.numbers.verdict.text() == NO_PAIR, "both are one size"
    workspace.transport.go_to(1)
    workspace.transport.step_forward()
    qtbot.waitUntil(lambda: workspace.n_merges == 2 and workspace.state is not State.running)
    qtbot.waitUntil(lambda: bool(chart.lines))


def test_the_last_column_is_the_step_of_the_window(qtbot, panel, workspace):
    show(qtbot, panel, "Text")
    workspace.transport.go_to(3)
    qtbot.waitUntil(lambda: panel.model.rows[-1].step == 3)
    panel.texts.columns[-1].slider.setValue(5)
    assert workspace.step == 5


def test_columns_are_added_moved_and_removed(qtbot, panel, workspace):
    show(qtbot, panel, "Text")
    workspace.transport.go_to(6)
    panel.refresh()
    panel.add.current.trigger()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    assert workspace.compared_steps[-1] == 6
    panel.refresh()
    assert not panel.add.current.isEnabled(), "this step is among the sizes now"
    panel.texts.columns[1].slider.setValue(4)
    assert workspace.compared_steps[-1] == 4
    panel.texts.columns[1].slider.setValue(workspace.compared_steps[0])
    assert workspace.compared_steps[-1] == 4, "two columns at one step would become one"
    qtbot.waitUntil(lambda: panel.model.rows[1].step == 4)
    panel.findChild(QToolButton, "compare.remove_item_1").click()
    assert workspace.compared_steps == (4,)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    assert not panel.findChild(QToolButton, "compare.remove_item_1").isVisible()


def test_the_text_is_edited_above_its_columns_which_follow(qtbot, panel, workspace):
    workspace.set_typed_text("")
    show(qtbot, panel, "Text")
    editor = panel.texts.editor
    assert editor.text() == workspace.shown_text, "the beginning of the corpus"
    QTest.keyClicks(editor, "newest low")
    assert workspace.typed_text == "newest low", "the first key replaces it"
    n_tokens = len(workspace.run.tokenizer(workspace.step).encode("newest low").ids)
    qtbot.waitUntil(lambda: panel.texts.columns[-1].count.text().startswith(str(n_tokens)))
    assert len(panel.texts.columns[-1].ids.toPlainText().split()) == n_tokens
    workspace.set_typed_text("written elsewhere")
    assert editor.text() == "written elsewhere"
    editor.clear()
    qtbot.waitUntil(lambda: "Type a text" in panel.which.text())


def test_a_double_click_goes_to_the_step_of_a_row(panel, workspace):
    panel.table.doubleClicked.emit(panel.model.index(0, 0))
    assert workspace.step == panel.model.rows[0].step


def test_sizes_are_written_into_the_field(panel, workspace):
    write(panel, "300, 320 350")
    assert column(panel.model, "vocabulary")[:3] == ["300", "320", "350"]
    assert panel.bar.isHidden(), "what was written is read"
    write(panel, "ten")
    assert "is not a size" in panel.bar.bad.text() and panel.bar.isVisible()
    QTest.keyClick(panel.bar.field, Qt.Key.Key_Escape)
    assert panel.bar.isHidden()
    panel.add.fill.actions()[1].trigger()
    panel.refresh()
    assert len(panel.model.rows) == 4, "the last of four is the step of the window"


def test_numbers_are_compared_with_b(qtbot, panel):
    write(panel, "290 330")
    change = "typed text: change"
    ratio = "typed text: bytes/token"
    before = column(panel.model, change)
    assert before[0] == "–" and before[1].startswith("−")
    panel.findChild(QToolButton, "compare.item_2").click()
    letters = [item.letter for item in panel.list.items]
    assert letters == ["A", "B", ""], "the last B is A now"
    after = column(panel.model, change)
    assert after[1] == "–" and after[0].startswith("+")
    plain = column(panel.model, ratio)
    panel.numbers.differences.setChecked(True)
    relative = column(panel.model, ratio)
    assert relative[1] == plain[1]
    assert relative[0].startswith("−") and relative[0].endswith("%")


def shown_titles(panel):
    every = enumerate(titles(panel.model))
    return [title for place, title in every if not panel.table.isColumnHidden(place)]


def test_all_numbers_are_shown_on_request(panel):
    brief = shown_titles(panel)
    assert (
        brief.index("corpus: tokens") < brief.index("typed text: tokens")
        and "corpus: rare" not in brief
    )
    numbers = panel.numbers
    assert not numbers.rare_below.isVisible() and not panel.table.horizontalScrollBar().isVisible()
    numbers.details.click()
    without_gold = [title for title in titles(panel.model) if not title.startswith("gold words")]
    assert shown_titles(panel) == without_gold and numbers.rare_below.isVisible()
    numbers.shown.setCurrentIndex(1)
    assert {title.partition(":")[0] for title in shown_titles(panel)} & {
        "corpus",
        "typed text",
    } == {"typed text"}
    numbers.shown.setCurrentIndex(0)
    numbers.details.click()
    assert shown_titles(panel) == brief


def test_bars_take_the_room_of_the_page(panel):
    tokens = titles(panel.model).index("corpus: tokens")
    bytes_per_token = titles(panel.model).index("corpus: bytes/token")
    narrow = panel.table.columnWidth(tokens)
    other = panel.table.columnWidth(bytes_per_token)
    panel.resize(1400, 520)
    assert panel.table.columnWidth(tokens) > 2 * narrow
    assert panel.table.columnWidth(bytes_per_token) == other
    assert panel.table.horizontalHeader().length() <= panel.table.viewport().width()


def test_the_table_is_taken_away_as_its_numbers_with_whole_headings(qtbot, panel, workspace):
    model = panel.model
    run = workspace.run
    qtbot.waitUntil(lambda: not model.found[0].is_late)
    heads = model.plain_heads()
    assert len(set(heads)) == len(heads), "no two have one name"
    assert set(heads) == {*titles(model), "run or tokenizer"}
    row = dict(zip(heads, model.plain_row(0, run), strict=True))
    step = model.rows[0].step
    assert row["corpus: tokens"] == run.n_tokens_at(step)
    assert row["corpus: bytes/token"] == len(TEXT.encode()) / run.n_tokens_at(step)
    assert row["corpus: change"] == 0
    assert row["corpus: unused"] == np.count_nonzero(run.token_counts_at(step) == 0)


def test_the_longest_words_of_the_corpus_are_written_below_the_text(qtbot, panel, workspace):
    show(qtbot, panel, "Text")
    qtbot.mouseClick(panel.texts.longest, Qt.MouseButton.LeftButton)
    typed, *words = workspace.typed_text.splitlines()
    assert (
        typed
        == "the unbelievable newest counterrevolutions"
        == panel.texts.editor.text().splitlines()[0]
    )
    assert len(words) == 8 and words[:2] == [" counterrevolutionest", " counterrevolutioning"]


def test_delete_takes_a_row_out_but_not_the_windows(panel, workspace):
    write(panel, "290 330")
    panel.table.setFocus()
    panel.table.selectRow(0)
    QTest.keyClick(panel.table, Qt.Key.Key_Delete)
    assert workspace.compared_steps == (330 - BASE,)
    panel.refresh()
    panel.table.selectRow(1)
    QTest.keyClick(panel.table, Qt.Key.Key_Delete)
    assert workspace.compared_steps == (330 - BASE,)


def test_without_a_run_every_part_invites(qtbot):
    workspace = Workspace()
    panel = ComparePanel(workspace)
    qtbot.addWidget(panel)
    panel.resize(620, 420)
    panel.show()
    for k in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(k)
        panel.refresh()
        panel.grab()
    assert "Open a text" in panel.advice.words.text()
    assert "Open a text" in panel.curve.chart.accessibleDescription()
    assert not panel.advice.hold_out.hold.isEnabled()
    workspace.shutdown()


class Memory(dict):
    """What the window keeps from one session to the next."""

    def __init__(self, *sizes: int) -> None:
        self.compared_sizes = list(sizes)
        self.put = self.__setitem__


@pytest.fixture
def remembering(qtbot, panel, workspace):
    def make(memory):
        found = ComparePanel(workspace, memory)
        qtbot.addWidget(found)
        found.resize(1000, 520)
        found.show()
        found.refresh()
        return found

    return make


def test_the_sizes_chosen_last_are_compared_again_in_the_next_session(
    panel, remembering, workspace
):
    memory = Memory()
    first = remembering(memory)
    write(first, "300 350")
    assert memory.compared_sizes == [300, 350]
    first.list.removed.emit("size 1")
    assert memory.compared_sizes == [350]
    workspace.set_compared_steps([])
    remembered = Memory(300, 350, 10**6)
    second = remembering(remembered)
    assert [row.vocab_size for row in second.model.rows[:-1]] == [300, 350]
    assert workspace.compared_steps == (), (
        "nothing is chosen in what is open, so nothing is unsaved"
    )
    write(second, "330")
    assert [row.vocab_size for row in second.model.rows[:-1]] == [300, 330, 350], (
        "it is added to those that are shown"
    )
    second.add.clear_sizes.trigger()
    second.refresh()
    assert remembered.compared_sizes == [] and second.model.rowCount() == 2


def test_the_scale_of_the_curve_is_chosen_in_its_menu_and_remembered(panel, remembering):
    memory = Memory()
    log = remembering(memory).curve.chart.log_places
    assert log.isChecked() and log in log.parent().actions()
    log.trigger()
    assert not remembering(memory).curve.chart.log_places.isChecked()


def test_what_cannot_be_counted_is_said_in_the_verdict(qtbot, panel, workspace, monkeypatch):
    def fail(*_):
        raise ValueError("by the test")

    monkeypatch.setattr(
        panel._compared, "_measurer", type("Broken", (), {"measure": fail, "n_shared": fail})()
    )
    workspace.set_typed_text("another text")
    qtbot.waitUntil(lambda: "could not be counted" in panel.numbers.verdict.text())
    qtbot.waitUntil(lambda: panel.is_up_to_date)


def test_b_stays_the_same_size_when_others_come_and_go(panel):
    write(panel, "300 330")
    panel.choose("size 2")
    write(panel, "290")
    panel.refresh()
    letters = {item.text: item.letter for item in panel.list.items}
    assert letters["330"] == "B" and letters["300"] != "B"
    panel.list.removed.emit("size 3")
    panel.refresh()
    assert [item.letter for item in panel.list.items if item.text == "290"] == ["B"], (
        "the first size, as at first"
    )
