"""The chart of lines over one axis: what it draws and says, its marks, and going to a place."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from bpe_studio.explain.comparison.measure_curves import Line
from bpe_studio.gui.plots.line_chart import LineChart

pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def falling(n_merges, first=1_000_000):
    sizes = 256 + np.arange(n_merges + 1)
    return Line("corpus", sizes, first / (1 + np.log1p(np.arange(n_merges + 1))))


@pytest.fixture
def chart(qtbot):
    chart = LineChart("a.chart", "Tokens", "vocabulary size")
    qtbot.addWidget(chart)
    chart.resize(700, 360)
    chart.show()
    point = Line("a tokenizer", np.array([5000]), np.array([80_000.0]))
    unknown = Line("nothing", np.array([256, 300]), np.array([np.nan, np.nan]))
    chart.show_lines([falling(10_000), point, unknown], "Tokens", knee=656)
    chart.set_marks([1256, 4256], 7256)
    return chart


@pytest.mark.parametrize("is_log", [True, False])
def test_a_mark_is_dragged_and_elsewhere_a_press_goes_to_a_place(chart, is_log):
    chart.set_log(is_log)
    moved, went = [], []
    chart.mark_moved.connect(lambda number, place: moved.append((number, place)))
    chart.place_chosen.connect(went.append)
    start, end = (QPoint(round(chart.x_of(place)), 200) for place in (1256, 2256))
    QTest.mousePress(chart, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(chart, end)
    QTest.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=end)
    assert moved and not went
    assert moved[-1][0] == 0 and abs(chart.x_of(moved[-1][1]) - end.x()) <= 1
    QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(round(chart.x_of(3000)), 200))
    assert len(went) == 1 and abs(chart.x_of(went[0]) - chart.x_of(3000)) <= 1


def test_it_says_what_it_draws(chart):
    said = chart.accessibleDescription()
    assert "a tokenizer 80,000" in said and "knee" in said and "656" in said
    assert [line.name for line in chart.lines] == ["corpus", "a tokenizer"], "what is not known is left out"
    chart.show_lines((), placeholder="Nothing yet")
    assert chart.message() == chart.accessibleDescription() == "Nothing yet" and chart.export_size().isEmpty()


@pytest.mark.parametrize("is_log", [True, False])
def test_a_run_of_250_000_merges_is_drawn(chart, is_log):
    chart.set_log(is_log)
    before = chart.grab().toImage()
    chart.show_lines([falling(250_000)], "Tokens")
    assert chart.grab().toImage() != before
