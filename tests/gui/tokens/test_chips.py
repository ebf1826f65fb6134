"""Chips flow, wrap, turn round for right-to-left text, and say what they are."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import GAP_PX, Chip, ChipFlow, chip_width, lay_out, paint_row

# The offscreen platform says this whenever a window is shown.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


@pytest.fixture
def metrics(qtbot, qapp):
    return QFontMetricsF(qapp.font())


def row(width: int, chips: list[Chip], palette, is_rtl: bool = False) -> tuple[int, QImage]:
    image = QImage(width, 30, QImage.Format.Format_RGB32)
    image.fill(palette.color(palette.ColorRole.Base))
    with QPainter(image) as painter:
        n = paint_row(painter, QRect(0, 0, width, 30), chips, palette, is_rtl)
    return n, image


def test_chips_of_one_line_stand_side_by_side(metrics):
    chips = [Chip("one"), Chip("two"), Chip("three")]
    rects = lay_out(chips, 1000, metrics)
    assert [rect.width() for rect in rects] == [chip_width(chip, metrics) for chip in chips]
    assert rects[1].left() == rects[0].right() + GAP_PX
    assert len({rect.top() for rect in rects}) == 1


def test_chips_that_do_not_fit_begin_a_line(metrics):
    width = chip_width(Chip("word"), metrics) * 2 + GAP_PX
    rects = lay_out([Chip("word")] * 5, width, metrics)
    assert [rect.left() == 0 for rect in rects] == [True, False, True, False, True]
    assert max(rect.right() for rect in rects) <= width


def test_a_chip_wider_than_a_line_is_wrapped_inside(metrics):
    chips = [Chip("a"), Chip("x" * 200), Chip("b")]
    rects = lay_out(chips, 150, metrics)
    assert rects[1].width() == 150
    assert rects[1].height() > 3 * rects[0].height()
    assert rects[2].top() > rects[1].bottom()


def test_right_to_left_chips_begin_at_the_right(metrics):
    rects = lay_out([Chip("سلام"), Chip("دنیا")], 300, metrics, is_rtl=True)
    assert rects[0].right() == 300
    assert rects[1].right() < rects[0].left()


def test_a_row_that_is_too_narrow_ends_in_an_ellipsis(qapp, qtbot):
    palette = theme.light_palette()
    n_all, _ = row(600, [Chip("token")] * 6, palette)
    n_few, _ = row(120, [Chip("token")] * 6, palette)
    assert n_all == 6
    assert 0 < n_few < 6
    assert row(4, [Chip("token")], palette)[0] == 0
    assert row(100, [], palette)[0] == 0


@pytest.mark.parametrize("palette", [theme.light_palette, theme.dark_palette])
def test_neighbours_take_the_six_colours_in_turn(qapp, qtbot, palette):
    palette = palette()
    n, image = row(600, [Chip("  ")] * 7, palette)
    assert n == 7
    seen = {image.pixelColor(x, 15).name() for x in range(600)}
    assert {colour.name() for colour in theme.token_colours(palette)} <= seen


def test_a_flow_grows_with_its_lines_and_finds_chips(qtbot):
    flow = ChipFlow()
    qtbot.addWidget(flow)
    flow.resize(120, 400)
    flow.set_chips([Chip("alpha", "first"), Chip("beta"), Chip("gamma"), Chip("delta")])
    flow.show()
    assert flow.heightForWidth(120) > flow.heightForWidth(1000)
    assert flow.chip_at(QPoint(5, 5)) == Chip("alpha", "first")
    assert flow.chip_at(QPoint(119, 399)) is None
    assert "beta" in flow.accessibleDescription()
    flow.grab()
