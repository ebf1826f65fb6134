"""Measures of the corpus as curves over vocabulary sizes: of the whole, and by script, file or
column.
"""

from __future__ import annotations

import json

import pytest

import bpe_studio as bpe
from bpe_studio.explain.comparison import measure_curves
from bpe_studio.explain.comparison.measure_curves import MEASURES
from bpe_studio.explain.group_measures import GroupMeasures
from bpe_studio.gui.compare.panel import ComparePanel
from bpe_studio.workspace.state import State

TEXT = "the theme then other thin thing lower newest widest سلام دنیا سلام\n" * 12
KEYS = [measure.key for measure in MEASURES]


def choose(panel, key, by=None):
    page = panel.curve
    page.values.setCurrentIndex(KEYS.index(key))
    if by is not None:
        page.by.setCurrentIndex(page.by.findData(by))
        page.by.activated.emit(page.by.currentIndex())


@pytest.fixture
def workspace(trained_workspace):
    return trained_workspace(TEXT, bpe.TrainingConfig.preset("gpt2", merges=40))


@pytest.fixture
def panel(qtbot, shown, workspace):
    panel = shown(ComparePanel(workspace), 1100, 620)
    panel.show_page("Curve")
    qtbot.waitUntil(lambda: panel.curve.curves is not None)
    return panel


def lines_of(panel, qtbot, n):
    measures = panel.curve.chart
    qtbot.waitUntil(lambda: not measures.is_late and len(measures.lines) == n)
    measures.grab()
    return {line.name: line for line in measures.lines}


def test_a_measure_of_the_corpus_is_drawn_at_every_step(qtbot, panel, workspace):
    choose(panel, "shannon")
    lines = lines_of(panel, qtbot, 1)
    assert lines["corpus"].values.tolist() == workspace.run.measure("shannon").tolist()
    workspace.side_runs.train(workspace.config.replace(split="none"), "no split")
    qtbot.waitUntil(
        lambda: len(workspace.runs.entries) == 2 and workspace.state is not State.loading
    )
    other = workspace.runs.entries[1].run
    assert (
        lines_of(panel, qtbot, 2)["no split"].values.tolist() == other.measure("shannon").tolist()
    )
    panel.curve.chart.place_chosen.emit(int(workspace.run.vocab_size_at(7)))
    assert workspace.step == 7
    workspace.set_typed_text("the lowest")
    choose(panel, "bytes_per_token")
    typed = lines_of(panel, qtbot, 3)["your text"].values
    assert [typed[0], typed[-1]] == [
        10 / len(workspace.run.tokenizer(step).encode("the lowest").ids) for step in (0, 40)
    ]
    choose(panel, "n_tokens")
    assert lines_of(panel, qtbot, 2)["corpus"].values[-1] == workspace.run.n_tokens_at(40)


def test_the_advice_is_a_curve_with_the_size_that_is_enough(qtbot, panel, workspace, monkeypatch):
    monkeypatch.setattr("bpe_studio.gui.compare.advice_page.enough", lambda curves: 17)
    panel.show_page("Advice")
    chart = panel.advice.chart
    panel.advice.show_curves(panel.curve.curves)
    qtbot.waitUntil(lambda: bool(chart.lines))
    n_tokens = [workspace.run.n_tokens_at(step) for step in range(41)]
    assert chart.lines[0].values.tolist() == [each / n_tokens[0] for each in n_tokens]
    assert chart.callout[0] == workspace.run.vocab_size_at(17)
    chart.place_chosen.emit(int(workspace.run.vocab_size_at(9)))
    assert workspace.step == 9
    assert not panel.advice.costs_table.isVisible()
    panel.advice.more.click()
    assert panel.advice.costs_table.isVisible()


def test_the_advice_draws_what_a_byte_costs_a_model(qtbot, panel, workspace):
    panel.show_page("Advice")
    advice = panel.advice
    advice.show_curves(panel.curve.curves)
    qtbot.waitUntil(lambda: bool(advice.cost_chart.lines))
    advice.width_field.setValue(8)
    advice.layers_field.setValue(2)
    advice.context_field.setValue(16)
    run = workspace.run
    shape = bpe.ModelShape(8, 2, 16)
    costs = [
        run.n_tokens_at(step) * shape.flops_per_token(run.vocab_size_at(step)) for step in range(41)
    ]
    drawn = advice.cost_chart.lines[0].values * 1e6 * run.corpus.size_bytes
    assert drawn.tolist() == pytest.approx(costs)
    lowest = costs.index(min(costs))
    callout = advice.cost_chart.callout
    assert (callout and callout[0]) == (int(run.vocab_size_at(lowest)) if lowest < 40 else None)


def test_advice_offers_a_size_beyond_the_run(qtbot, panel, workspace, monkeypatch):
    base = workspace.run.vocab_size_at(0)
    monkeypatch.setattr("bpe_studio.gui.compare.advice_page.size_beyond", lambda curves: base + 45)
    panel.show_page("Advice")
    train = panel.advice.train
    qtbot.waitUntil(lambda: train.isVisible() and str(base + 45) in train.text())
    train.click()
    qtbot.waitUntil(lambda: workspace.n_merges == 45 or bool(workspace.stop_reason))
    assert workspace.target == 45


def test_scripts_are_measured_by_themselves(qtbot, panel, workspace):
    choose(panel, "fertility", "script")
    lines = lines_of(panel, qtbot, 3)
    tokenizer = workspace.run.tokenizer(40)
    direct = GroupMeasures(tokenizer.vocab_size, by_script=True)
    encoding = tokenizer.encode(TEXT)
    direct.add(TEXT, encoding.id_array, encoding.offset_array)
    for name, row in direct.rows():
        assert lines[name].values[-1] == row["fertility"]
    assert "Arabic" in panel.curve.chart.accessibleDescription()
    assert panel.curve.price.isVisible() and direct.price[0] in panel.curve.price.text(), (
        "as the command says it"
    )
    choose(panel, "gini", "")
    assert list(lines_of(panel, qtbot, 1)) == ["all"], (
        "what is not known at every step is measured at some"
    )


def test_a_long_text_is_measured_all_over(qtbot, panel, workspace, monkeypatch):
    monkeypatch.setattr(measure_curves, "MOST_BYTES", len(TEXT.encode()) // 2)
    choose(panel, "chars_per_token", "script")
    assert "Arabic" in lines_of(panel, qtbot, 3)
    assert 0.2 < workspace.group_measurer.result.share < 0.8


def test_a_column_of_records_is_measured_and_one_that_is_not_there_is_refused(
    qtbot, panel, workspace, tmp_path
):
    rows = [
        {"text": "low lower newest " * 5, "lang": "en"},
        {"text": "سلام دنیا " * 5, "lang": "fa"},
    ] * 6
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    workspace.opener.open_files([path])
    qtbot.waitUntil(lambda: workspace.state is State.ready)
    workspace.transport.run_training()
    qtbot.waitUntil(lambda: workspace.state is State.done)
    choose(panel, "bytes_per_token")
    panel.curve._on_column_chosen("lang")
    assert set(lines_of(panel, qtbot, 3)) == {"all", "en", "fa"}
    panel.curve._on_column_chosen("nothing")
    qtbot.waitUntil(lambda: "nothing" in (panel.curve.chart.message() or ""))
    choose(panel, "bytes_per_token", "file")
    assert list(lines_of(panel, qtbot, 1)) == ["all"]
