"""Names of tokens in drawings are text, without the signs that keep directions apart."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from bpe_studio.explain.names import isolated
from bpe_studio.gui.export.picture import readable

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", ["the", "␣بخوان", "⟨AE⟩و", "سلام</w>", "a، و"])
def test_what_is_drawn_can_be_read(qapp, name):
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(QSize(600, 40))
    with QPainter(drawing) as painter:
        painter.drawText(QRectF(0, 0, 150, 30), Qt.AlignmentFlag.AlignCenter, isolated(name))
    content = readable(bytes(buffer.data().data()))
    assert not re.search("[\u2066-\u2069]", content.decode())
    texts = list(ElementTree.fromstring(content).iter(f"{SVG}text"))
    assert sorted("".join(text.text for text in texts)) == sorted(name)
    assert all("serif" in text.get("font-family") for text in texts)
