"""The letters of a skyline as elements of an SVG, so that words can be read and searched.

A word is a group with the word as its title. The trees and tokens under them are painted by `picture.py`.
"""

from __future__ import annotations

from collections.abc import Generator
from html import escape
from typing import TYPE_CHECKING

from PySide6.QtGui import QFontInfo, QPalette

from bpe_studio.gui.look import theme
from bpe_studio.gui.skyline.painting import PAD_PX

if TYPE_CHECKING:
    from bpe_studio.gui.skyline.picture import SkylinePicture
    from bpe_studio.gui.skyline.rows import Row


def svg_letters(picture: SkylinePicture, palette: QPalette) -> Generator[None, None, str]:
    """All letters as text, each where its symbol is; yields after each row."""
    rows = picture.rows
    assert rows is not None
    font = rows.shapes.font
    size = QFontInfo(font).pixelSize() * picture.zoom
    families = ", ".join(f"'{family}'" for family in dict.fromkeys([*font.families(), QFontInfo(font).family()]))
    ink, mark = theme.token_text_colour(palette).name(), theme.muted(palette).name()
    parts = [f'<g font-family="{escape(families)}, sans-serif" font-size="{size:.2f}" fill="{ink}">']
    baseline = picture.measures.base + PAD_PX + picture.measures.ascent
    for number in range(len(rows.starts)):
        y = number * picture.row_height + baseline * picture.zoom
        parts += _row_letters(rows.row(number), picture, y, mark)
        yield
    return "\n".join([*parts, "</g>\n"])


def _row_letters(row: Row, picture: SkylinePicture, y: float, mark: str) -> list[str]:
    found = []
    for place, shape in row.words:
        # One text element for each letter, because few programs support positions within a text element.
        word = "".join(glyphs.text for glyphs in shape.glyphs)
        found.append(f"<g><title>{escape(word)}</title>")
        for glyphs in shape.glyphs:
            x, more = picture.left + (place + glyphs.x) * picture.zoom, ""
            if glyphs.shaped is not None:
                x, more = x + glyphs.width * picture.zoom / 2, ' text-anchor="middle"'
            else:
                x += glyphs.inset * picture.zoom
                more = f' fill="{mark}"' if glyphs.is_mark else ""
            found.append(f'<text x="{x:.2f}" y="{y:.2f}"{more}>{escape(glyphs.text)}</text>')
        found.append("</g>")
    return found
