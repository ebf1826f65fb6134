"""Names of tokens in drawings: each run of letters says in which direction it is read, whatever stands beside it."""

from __future__ import annotations

import re
import unicodedata
import xml.etree.ElementTree as ElementTree

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from bpe_studio.explain.names import isolated
from bpe_studio.gui.export.svg_text import readable

MARK = "\u200f"
SVG = "{http://www.w3.org/2000/svg}"


def drawn(*names: str) -> list[tuple[float, str, bool]]:
    """The runs of names on one line, a box before each: where they stand, what they say, and whether leftwards."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(QSize(600, 40))
    with QPainter(drawing) as painter:
        for k, name in enumerate(names):
            painter.drawRect(QRectF(200 * k, 0, 150, 30))
            painter.drawText(QRectF(200 * k, 0, 150, 30), Qt.AlignmentFlag.AlignCenter, isolated(name))
    content = readable(bytes(buffer.data().data()))
    assert not re.search("[\u2066-\u2069]", content.decode())
    found = []
    for text in ElementTree.fromstring(content).iter(f"{SVG}text"):
        assert text.get("direction") is None and not len(text), "its place stays its left end"
        said = text.text.replace(MARK, "")
        assert said
        ends = [text.text[place] for place in (0, -1)]
        runs_left = all(end == MARK or unicodedata.bidirectional(end) in ("R", "AL") for end in ends)
        assert runs_left or MARK not in text.text
        found.append((float(text.get("x")), said, runs_left))
    return sorted(found)


@pytest.mark.parametrize(
    ("name", "leftwards"),
    [
        ("the", set()),
        ("␣بخوان", {"␣بخوان"}),
        ("⟨AE⟩و", {"⟨", "⟩", "و", "⟩و"}),
        ("و⟨D9⟩", {"⟨", "⟩", "و", "و⟨"}),
        ("⟨86⟩", set()),
        ("سلام!", {"سلام!"}),
        ("سلام</w>", {"سلام"}),
        ("a، و", {"، و", "و"}),
    ],
)
def test_what_is_read_from_the_right_says_so_and_nothing_else(qapp, name, leftwards):
    runs = drawn(name)
    assert sorted("".join(said for _, said, _ in runs)) == sorted(name)
    told = {said for _, said, runs_left in runs if runs_left}
    assert told <= leftwards and ("".join(sorted(told)) != "" or not leftwards), runs
    strong = {said for _, said, _ in runs if any("\u0620" <= char <= "\u06d3" for char in said)}
    assert strong <= told
    if "⟨AE⟩" in name or "⟨D9⟩" in name:
        assert all(runs_left for _, said, runs_left in runs if "⟨" in said or "⟩" in said)
