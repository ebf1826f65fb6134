"""A read-only paragraph's characters stand where they are drawn, whichever way they run."""

from __future__ import annotations

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest

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
