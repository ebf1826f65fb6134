"""A read-only paragraph's characters stand where they are drawn, whichever way they run."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

from bpe_studio.gui.tokens.graphemes import share_of_bytes
from bpe_studio.gui.tokens.paragraph import Paragraph

MIXED = [
    "the river",
    "سلام دنیا، می‌خواهم",
    "abc سلام 12 def",
    "漢字かな 한국어",
    "नमस्ते",
    "👨‍👩‍👧‍👦🇮🇷é e\u0301",
    "لا لله",
    "a\tb",
]


@pytest.mark.parametrize("text", MIXED)
def test_cells_tile_a_paragraph(qapp, qtbot, text):
    paragraph = Paragraph(text, 100, qapp.font(), 400)
    found = paragraph.cells()
    assert [cell.start for cell in found] == [100, *(cell.end for cell in found[:-1])]
    assert found[-1].end == 100 + len(text)
    assert all(cell.rect.width() > 0 for cell in found)
    boxes = sorted((cell.rect.left(), cell.rect.right()) for cell in found)
    for (_, right), (left, _) in zip(boxes, boxes[1:], strict=False):
        assert left >= right - 0.01, "cells stand beside each other"


def test_a_share_of_a_character_is_a_stripe_of_its_cell(qapp, qtbot):
    paragraph = Paragraph("😀", 0, qapp.font(), 400)
    cell = paragraph.cells()[0]
    (left,), (right,) = paragraph.rects(0, 0.75), paragraph.rects(0.75, 1)
    assert left.left() == cell.rect.left() and left.right() == pytest.approx(right.left())
    assert left.width() == pytest.approx(3 * right.width())


def test_right_to_left_tokens_begin_at_the_right(qapp, qtbot):
    paragraph = Paragraph("سلام دنیا", 0, qapp.font(), 400)
    first, last = paragraph.rects(0, 4), paragraph.rects(5, 9)
    assert first[0].left() > last[0].right()
    assert max(rect.right() for rect in first) == pytest.approx(400, abs=2)


def test_a_wrapped_token_is_one_rectangle_a_line(qapp, qtbot):
    paragraph = Paragraph("x" * 60, 0, qapp.font(), 100)
    rects = paragraph.rects(0, 60)
    assert len(rects) > 1
    assert len({rect.top() for rect in rects}) == len(rects)


def test_a_tab_has_its_room_as_a_cell(qapp, qtbot):
    paragraph = Paragraph("a\tb", 0, qapp.font(), 400)
    before, tab, after = paragraph.cells()
    assert tab.rect.left() == pytest.approx(before.rect.right())
    assert tab.rect.right() == pytest.approx(after.rect.left())
    assert tab.rect.width() > before.rect.width()


def test_a_character_of_several_bytes_has_its_share_of_a_grapheme():
    assert share_of_bytes("e\u0301", 1) == pytest.approx(1 / 3)
    assert share_of_bytes("e\u0301", 1.5) == pytest.approx(2 / 3)
    assert share_of_bytes("e\u0301", 2) == 1.0
    assert share_of_bytes("😀", 0.75) == 0.75
