"""Chips flow, wrap, turn round for right-to-left text, say what they are, and are shortened where
they do not fit.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QImage, QPainter

from bpe_studio.gui.look import theme
from bpe_studio.gui.tokens.chips import GAP_PX, MORE, ChipRow
from bpe_studio.gui.tokens.links import Link, TokenLinks


@pytest.fixture
def metrics(qtbot, qapp):
    return QFontMetricsF(qapp.font())


def painted(row: ChipRow, palette, lit=()) -> QImage:
    image = QImage(600, 30, QImage.Format.Format_RGB32)
    image.fill(palette.color(palette.ColorRole.Base))
    with QPainter(image) as painter:
        row.paint(painter, palette, lit)
    return image


def test_chips_wrap_where_a_line_ends(qtbot):
    chips = TokenLinks()
    qtbot.addWidget(chips)
    chips.resize(1000, 100)
    chips.set_links([Link("one"), Link("two"), Link("three")])
    assert (
        len({rect.top() for rect in chips.rects}) == 1
        and chips.rects[0].right() < chips.rects[1].left()
    )
    assert chips.heightForWidth(60) > chips.heightForWidth(1000)


def test_a_row_that_is_too_narrow_ends_in_an_ellipsis(metrics):
    def row(width, names):
        return ChipRow.fitted(names, QRectF(0, 0, width, 30), metrics)

    assert row(600, ["token"] * 6).texts == ["token"] * 6
    few = row(120, ["token"] * 6)
    assert 0 < len(few.texts) < 6
    assert few.texts[-1].endswith(MORE)
    assert row(4, ["token"]).texts in ([""], [MORE])
    assert row(100, []).texts == []


@pytest.mark.parametrize("palette", [theme.light_palette, theme.dark_palette])
def test_tokens_have_all_six_colours(metrics, palette):
    palette = palette()
    row = ChipRow.fitted("abcdefghijklmnop", QRectF(0, 0, 600, 30), metrics)
    image = painted(row, palette)
    seen = {image.pixelColor(x, 15).name() for x in range(600)}
    assert {colour.name() for colour in theme.token_colours(palette)} <= seen


def test_a_row_of_a_right_to_left_word_begins_at_the_right(metrics):
    row = ChipRow.fitted(["سل", "ام"], QRectF(0, 0, 300, 30), metrics, is_rtl=True)
    assert row.rects[0].right() == 300
    assert row.rects[1].right() == row.rects[0].left() - GAP_PX
