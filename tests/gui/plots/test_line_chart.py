"""The chart of lines over one axis: what it draws and says, zoom, its marks, and going to a
place.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPalette, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsEllipseItem

from bpe_studio.explain.comparison.measure_curves import Line
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.chart_parts import Name
from bpe_studio.gui.plots.line_chart import LargeChart, LineChart

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
    chart.show_lines([falling(10_000), point, unknown], "Tokens", callout=(656, "knee 656"))
    chart.set_marks([1256, 4256], 7256)
    return chart


@pytest.mark.parametrize("is_log", [True, False])
def test_a_mark_is_dragged_and_elsewhere_a_press_goes_to_a_place(chart, is_log):
    chart.log_places.setChecked(is_log)
    moved = []
    went = []
    chart.mark_moved.connect(lambda number, place: moved.append((number, place)))
    chart.place_chosen.connect(went.append)
    start, end = (QPoint(round(chart.x_of(place)), 200) for place in (1256, 2256))
    QTest.mousePress(chart.viewport(), Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(chart.viewport(), end)
    QTest.mouseRelease(chart.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert moved and not went
    assert moved[-1][0] == 0 and abs(chart.x_of(moved[-1][1]) - end.x()) <= 1
    QTest.mouseClick(
        chart.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(round(chart.x_of(3000)), 200)
    )
    assert len(went) == 1 and abs(chart.x_of(went[0]) - chart.x_of(3000)) <= 1


def test_it_says_what_it_draws(chart):
    said = chart.accessibleDescription()
    assert "a tokenizer 80,000" in said and "knee" in said and "656" in said
    assert [line.name for line in chart.lines] == ["corpus", "a tokenizer"], (
        "what is not known is left out"
    )
    chart.show_lines((), placeholder="Nothing yet")
    assert (
        chart.message() == chart.accessibleDescription() == "Nothing yet"
        and chart.export_size().isEmpty()
    )


def test_the_words_at_a_point_are_whole_at_the_top_of_a_low_chart(chart):
    chart.resize(700, 150)
    chart.show_lines([falling(10_000)], "Tokens", callout=(256, "begins here"))
    chart.grab()
    texts = [item for item in chart.scene().items() if isinstance(item, pg.TextItem)]
    (words,) = [each for each in texts if each.textItem.toPlainText() == "begins here"]
    room = chart.box.sceneBoundingRect().adjusted(-1, -1, 1, 1)
    assert room.contains(words.mapRectToScene(words.boundingRect()))


@pytest.mark.parametrize("place", range(306, 357, 10))
def test_the_value_at_the_step_does_not_cover_the_words_at_a_point(chart, place):
    chart.resize(700, 150)
    rising = Line("corpus", 256 + np.arange(101), np.arange(101.0))
    words = "the smallest vocabulary that is enough"
    chart.show_lines([rising], "Tokens", callout=(place, words))
    for step in range(place - 40, 357, 3):
        chart.set_marks([], step)
        chart.grab()
        texts = [item for item in chart.scene().items() if isinstance(item, pg.TextItem)]
        (shown,) = [each for each in texts if each.textItem.toPlainText() == words]
        assert chart.tip.isVisible()
        assert not chart.tip.sceneBoundingRect().intersects(shown.sceneBoundingRect())
        assert chart.sceneRect().contains(chart.tip.sceneBoundingRect())


def wheel(chart, pos, n_notches):
    where = QPointF(pos)
    anywhere = QPointF(chart.viewport().mapToGlobal(pos))
    event = QWheelEvent(
        where,
        anywhere,
        QPoint(),
        QPoint(0, 120 * n_notches),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(chart.viewport(), event)


def seen(chart):
    """The ends of both axes."""
    return np.ravel(chart.box.viewRange())


@pytest.mark.parametrize("is_log", [True, False])
def test_the_wheel_zooms_a_drag_pans_and_a_double_click_shows_all(chart, is_log):
    chart.log_places.setChecked(is_log)
    went = []
    middle = QPoint(300, 200)
    chart.place_chosen.connect(went.append)
    everything = seen(chart)
    before = chart.place_at(middle.x())
    wheel(chart, middle, 5)
    zoomed = seen(chart)
    assert zoomed[1] - zoomed[0] < everything[1] - everything[0]
    assert zoomed[3] - zoomed[2] < everything[3] - everything[2]
    assert abs(chart.x_of(before) - middle.x()) <= 1, "at the mouse"
    QTest.mousePress(chart.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(chart.viewport(), QPoint(240, 180))
    QTest.mouseRelease(chart.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(240, 180))
    assert not went and abs(chart.x_of(before) - 240) <= 1
    chart.show_lines([falling(20_000), chart.lines[1]], "Tokens")
    assert abs(chart.x_of(before) - 240) <= 1, "a longer run leaves the view"
    QTest.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseDClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseRelease(chart.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert chart.place_at(0) == 256 and chart.place_at(chart.width()) == 20_256
    assert went[-1] == chart.current, "the first of the two clicks leaves the step where it was"
    wheel(chart, middle, -5)
    assert chart.place_at(0) == 256, "there is nothing beyond the lines"


def test_the_values_are_written_at_the_mouse_and_else_at_the_current_place(chart):
    (corpus, _) = chart.lines
    chart.show_lines([corpus], "Tokens")
    assert "7,256" in chart.tip.toPlainText()
    x = round(chart.x_of(3256))
    QTest.mouseMove(chart.viewport(), QPoint(x, 150))
    there = chart.place_at(x)
    assert f"{there:,}" in chart.tip.toPlainText()
    assert f"{corpus.values[there - 256]:,.0f}" in chart.tip.toPlainText()
    assert abs(chart.tip.x() - x) < chart.tip.boundingRect().width() + 20


def test_a_line_of_one_point_is_a_dot(chart):
    dots = [
        item
        for item in chart.scene().items()
        if isinstance(item, QGraphicsEllipseItem) and item.isVisible()
    ]
    assert QPointF(5000, 80_000) in [item.pos() for item in dots]


def test_charts_of_a_page_follow_each_other(qtbot, chart):
    other = LineChart("b.chart", "Counts", "vocabulary size")
    qtbot.addWidget(other)
    other.resize(400, 200)
    other.show()
    other.show_lines([falling(10_000, 900)], "Counts")
    other.follow(chart)
    wheel(chart, QPoint(300, 200), 5)
    assert np.allclose(seen(chart)[:2], seen(other)[:2])
    QTest.mouseMove(chart.viewport(), QPoint(300, 200))
    assert other.hovered == chart.hovered is not None
    other.log_places.trigger()
    assert chart.log_places.isChecked()


@pytest.mark.parametrize("sizes", [(50, 8000), (8000, 50)])
def test_charts_that_follow_each_other_show_all_of_other_lines(qtbot, chart, sizes):
    other = LineChart("b.chart", "Counts", "vocabulary size")
    qtbot.addWidget(other)
    other.resize(400, 200)
    other.show()
    other.follow(chart)
    for n_merges in (*sizes, *sizes[::-1]):
        for each in (chart, other):
            each.show_lines([falling(n_merges)], "Tokens")
        assert chart.place_at(chart.width()) == other.place_at(other.width()) == 256 + n_merges


def click_on_name(chart, words):
    name = next(
        item
        for item in chart.scene().items()
        if isinstance(item, Name) and words in item.toPlainText()
    )
    middle = name.mapRectToScene(name.boundingRect()).center().toPoint()
    QTest.mouseClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=middle)


def test_a_click_on_its_name_hides_a_line(chart):
    heads, rows = chart.export_values()
    assert heads == ["vocabulary size", "corpus", "a tokenizer"] and len(rows) == 10_001
    click_on_name(chart, "corpus")
    assert chart.export_values() == (["vocabulary size", "a tokenizer"], [[5000, 80_000]])
    click_on_name(chart, "corpus")
    assert chart.export_values()[0] == heads


def test_a_large_window_shows_the_same(chart):
    chart.open_large.trigger()
    (large,) = chart.window().findChildren(LargeChart)
    went = []
    chart.place_chosen.connect(went.append)
    chart.show_lines([falling(50)], "Tokens")
    chart.set_marks([260], 270)
    assert large.chart.lines[0].sizes[-1] == 306
    assert (large.chart.marks, large.chart.current) == ((260,), 270)
    QTest.keyClick(large.chart, Qt.Key.Key_Right)
    assert went == [271]
    large.close()


def test_it_follows_the_theme(chart):
    chart.setPalette(theme.dark_palette())
    assert chart.backgroundBrush().color() == theme.dark_palette().color(QPalette.ColorRole.Base)


def some(*values):
    return Line("", np.arange(len(values)), np.array(values, np.float64))


@pytest.mark.parametrize("is_log", [True, False])
@pytest.mark.parametrize(
    "lines",
    [
        [some(7.0)],
        [some(0.0)],
        [some(5.0, 5.0, 5.0)],
        [some(0.0, 3.0, 0.0, 1e12)],
        [some(np.nan, np.inf, 2.0)],
        [falling(1_000_000)],
        [replace(falling(12, k + 1), name=f"\u2068خط {k}\u2069") for k in range(60)],
    ],
    ids=["a point", "a zero", "constant", "zeros", "nan and inf", "a million", "60 lines"],
)
@pytest.mark.parametrize("size", [(480, 320), (160, 90)])
def test_any_lines_are_drawn(chart, lines, is_log, size):
    chart.resize(*size)
    for action in (chart.log_places, chart.log_values):
        action.setChecked(is_log)
    chart.show_lines(lines, "Values")
    chart.set_marks((), 1)
    QTest.mouseMove(chart.viewport(), QPoint(size[0] // 2, size[1] // 2))
    assert not chart.grab().isNull()
    wheel(chart, QPoint(size[0] // 2, size[1] // 2), 50)
    assert not chart.grab().isNull()
    assert (chart.message() is not None) is (is_log and not np.any(lines[0].values > 0))
