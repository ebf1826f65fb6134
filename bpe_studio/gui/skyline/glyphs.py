"""The letters of a word under its tree, and the places of its symbols.

Letters that join or stack are drawn as one shaped string, so that they look as in a text. Others
are a little apart, each wide enough for its symbols. White space and invisible characters are made
visible. Positions are in pixels at a zoom of 100 %. The module knows no tokens, trees or rows.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, Qt, QTextBoundaryFinder
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QTextLayout, QTextOption

from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.explain.names import display_text, is_right_to_left
from bpe_studio.gui.skyline.visual_order import visual_order
from bpe_studio.gui.tokens.graphemes import LaidOutText
from bpe_studio.gui.tokens.qt_positions import to_points

FloatArray = npt.NDArray[np.float64]

SPREAD_EM = 0.22
"""The distance between letters that do not join, in ems."""
LEAF_EM = 0.34
"""The minimum width of a symbol, in ems."""

_MOST = 50_000
_WIDE_PX = 100_000.0
_JOINING = "\u0590-\u109f\u1780-\u18af\u1900-\u1cff\ua800-\uabff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00011fff"  # noqa: E501
_SHAPED = re.compile(
    f"[{_JOINING}](?:[{_JOINING}\u0300-\u036f\u200c\u200d]*[{_JOINING}\u0300-\u036f\u200d])?"
)
_SINGLE = re.compile(
    "[!-~\u00a1-\u00ac\u00ae-\u02ff\u0391-\u0482\u3041-\u3096\u4e00-\u9fff\uac00-\ud7a3]*"
)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """A part of a word that is drawn in one go.

    Attributes:
        text: its text.
        x: its left edge.
        width: its width.
        is_mark: whether it stands for an invisible character.
        shaped: the layout of letters that join; None for a single letter.
        inset: the distance from its left edge to a single letter, or to the origin of the layout.
    """

    text: str
    x: float
    width: float
    is_mark: bool = False
    shaped: QTextLayout | None = None
    inset: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class WordShape:
    """A word, ready to be drawn.

    Attributes:
        width: its whole width.
        lefts, rights: (n,) float64, the edges of each symbol.
        begins: (n,) bool, whether the symbol is the first one of its character.
        glyphs: the parts that are drawn, in the order of the text.
        direction: 1, -1, 2 or 0, as in `visual_order`.
    """

    width: float
    lefts: FloatArray
    rights: FloatArray
    begins: npt.NDArray[np.bool_]
    glyphs: tuple[Glyphs, ...]
    direction: int

    def draw(self, painter: QPainter, x: float, baseline: float, ascent: float) -> None:
        """Paint the letters without the marks, with the painter's pen and font."""
        for part in self.glyphs:
            if part.shaped is not None:
                part.shaped.draw(painter, QPointF(x + part.x - part.inset, baseline - ascent))
            elif not part.is_mark:
                painter.drawText(QPointF(x + part.x + part.inset, baseline), part.text)

    def draw_marks(self, painter: QPainter, x: float, baseline: float) -> None:
        """Paint the marks that stand for invisible characters."""
        for part in self.glyphs:
            if part.is_mark:
                painter.drawText(QPointF(x + part.x + part.inset, baseline), part.text)


class WordShapes:
    """Shapes words in one font, and caches them.

    Args:
        font: the font at a zoom of 100 %.
        units: the kind of symbols, "bytes", "characters" or "items".
        end_mark: the mark after the last character if it is a symbol of its own, else "".
    """

    def __init__(self, font: QFont, units: str, end_mark: str = "") -> None:
        self.font = QFont(font)
        self.font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        metrics = QFontMetricsF(self.font)
        self.metrics = metrics
        self.em = metrics.height() / 1.3
        self._counts_bytes = units == "bytes"
        self._are_items = units == "items"
        self._end_mark = end_mark
        self._shapes: dict[tuple[str, bool], WordShape] = {}
        self._divided: dict[tuple[str, bool, int], WordShape] = {}
        self._advances: dict[str, float] = {}

    def shape(self, text: str, ends_word: bool = True, n_symbols: int | None = None) -> WordShape:
        """The shape of a word, or of a piece of one.

        Args:
            text: its letters.
            ends_word: whether the word ends with it.
            n_symbols: the number of its symbols, if that does not follow from its letters: in a
                third-party tokenizer, marks and special tokens are symbols too, and several letters
                may be one. The symbols then divide the width evenly.
        """
        shape = self._natural(text, ends_word)
        if n_symbols is None or n_symbols == len(shape.lefts):
            return shape
        key = (text, ends_word, n_symbols)
        divided = self._divided.get(key)
        if divided is None:
            if len(self._divided) >= _MOST:
                self._divided.clear()
            divided = self._divided[key] = self._divide(shape, n_symbols)
        return divided

    def _divide(self, shape: WordShape, n: int) -> WordShape:
        width = max(shape.width, n * LEAF_EM * self.em)
        edges = np.linspace(0.0, width, n + 1)
        lefts = edges[:-1]
        rights = edges[1:]
        if shape.direction == -1:
            lefts = lefts[::-1]
            rights = rights[::-1]
        return WordShape(width, lefts, rights, np.ones(n, np.bool_), shape.glyphs, shape.direction)

    def _natural(self, text: str, ends_word: bool) -> WordShape:
        key = (text, ends_word or not self._end_mark)
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= _MOST:
                self._shapes.clear()
            shape = self._shapes[key] = self._make(text, key[1] and bool(self._end_mark))
        return shape

    def _make(self, text: str, has_mark: bool) -> WordShape:
        if self._are_items:
            parts = [_Part(self, item, False, n_symbols=1, is_mark=False) for item in text.split()]
        else:
            parts = [_Part(self, text[a:b], is_shaped) for a, b, is_shaped in _segments(text)]
        if has_mark:
            parts.append(_Part(self, self._end_mark, False, n_symbols=1))
        directions = [part.direction for part in parts]
        direction = next((one for one in directions if one in (1, -1)), max(directions, default=0))
        x = 0.0
        places = [0.0] * len(parts)
        for number in visual_order(directions, is_rtl=direction == -1):
            places[number] = x
            x += parts[number].width
        edges: list[tuple[float, float]] = []
        begins: list[bool] = []
        glyphs: list[Glyphs] = []
        for part, place in zip(parts, places, strict=True):
            edges += [(left + place, right + place) for left, right in part.edges]
            begins += part.begins
            glyphs += [replace(one, x=one.x + place) for one in part.glyphs]
        sides = np.array(edges, np.float64).reshape(-1, 2)
        is_first = np.array(begins, np.bool_)
        return WordShape(x, sides[:, 0], sides[:, 1], is_first, tuple(glyphs), direction)

    def advance(self, text: str) -> float:
        """The width of a text in the font."""
        width = self._advances.get(text)
        if width is None:
            width = self._advances[text] = self.metrics.horizontalAdvance(text)
        return width

    def n_symbols(self, text: str) -> int:
        """The number of symbols of a text."""
        return len(to_bytes(text)) if self._counts_bytes else len(text)


class _Part:
    """A part of a word: letters that are shaped together, or are drawn one by one."""

    def __init__(
        self,
        shapes: WordShapes,
        text: str,
        is_shaped: bool,
        n_symbols: int | None = None,
        is_mark: bool = True,
    ) -> None:
        self.edges: list[tuple[float, float]] = []
        self.begins: list[bool] = []
        self.glyphs: list[Glyphs] = []
        self.width = 0.0
        self.direction = _direction(text)
        if n_symbols is not None:
            self._add(shapes, text, n_symbols, is_mark=is_mark)
        elif is_shaped:
            self._shape(shapes, text)
        else:
            for grapheme in _graphemes(text):
                is_mark = not grapheme.isprintable() or grapheme.isspace()
                shown = grapheme if _SINGLE.fullmatch(grapheme) else display_text(grapheme)
                self._add(
                    shapes, shown, shapes.n_symbols(grapheme), is_mark=is_mark and shown != grapheme
                )

    def _add(self, shapes: WordShapes, shown: str, n_symbols: int, *, is_mark: bool) -> None:
        taken = shapes.advance(shown)
        width = max(taken + SPREAD_EM * shapes.em, n_symbols * LEAF_EM * shapes.em)
        self.glyphs.append(Glyphs(shown, self.width, width, is_mark, None, (width - taken) / 2))
        self._share(self.width, self.width + width, n_symbols, is_rtl=False)
        self.width += width

    def _shape(self, shapes: WordShapes, text: str) -> None:
        is_rtl = is_right_to_left(text)
        layout = _laid_out(text, shapes.font, is_rtl=is_rtl)
        measured = LaidOutText(layout, text, is_rtl=is_rtl)
        cells = measured.cells(measured.lines[0])
        low = min(cells.lefts, default=0.0)
        high = max(cells.rights, default=0.0)
        margin = SPREAD_EM * shapes.em / 2
        points = [measured.point(unit) for unit in cells.starts]
        for begin, end, left, right, cell_is_rtl in zip(
            points, points[1:], *cells[1:], strict=False
        ):
            # The margin between words belongs to the letters at the ends of the words.
            first = left - low
            last = right - low + margin
            if left > low:
                first += margin
            if right >= high:
                last += margin
            self._share(first, last, shapes.n_symbols(text[begin:end]), is_rtl=cell_is_rtl)
        self.width = high - low + 2 * margin
        self.glyphs.append(Glyphs(text, 0.0, self.width, False, layout, low - margin))

    def _share(self, left: float, right: float, n_symbols: int, *, is_rtl: bool) -> None:
        """Divides the width of one character equally among its symbols."""
        width = (right - left) / max(1, n_symbols)
        for k in range(n_symbols):
            start = right - (k + 1) * width if is_rtl else left + k * width
            self.edges.append((start, start + width))
            self.begins.append(k == 0)


def _laid_out(text: str, font: QFont, *, is_rtl: bool) -> QTextLayout:
    """Letters that Qt shapes in one line, without formats.

    Formats would break ligatures, joiners and combining marks.
    """
    option = QTextOption()
    direction = Qt.LayoutDirection.RightToLeft if is_rtl else Qt.LayoutDirection.LeftToRight
    option.setTextDirection(direction)
    option.setFlags(QTextOption.Flag.IncludeTrailingSpaces)
    layout = QTextLayout(text, font)
    layout.setTextOption(option)
    layout.setCacheEnabled(True)
    layout.beginLayout()
    layout.createLine().setLineWidth(_WIDE_PX)
    layout.endLayout()
    return layout


def _segments(text: str) -> list[tuple[int, int, bool]]:
    """The start and the end of each part of a word, and whether its letters join."""
    found: list[tuple[int, int, bool]] = []
    place = 0
    for match in _SHAPED.finditer(text):
        if match.start() > place:
            found.append((place, match.start(), False))
        found.append((match.start(), match.end(), True))
        place = match.end()
    if place < len(text):
        found.append((place, len(text), False))
    return found


def _graphemes(text: str) -> list[str]:
    if _SINGLE.fullmatch(text):
        return list(text)
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, text)
    borders = [0]
    while (unit := finder.toNextBoundary()) >= 0:
        point = to_points(text, unit)
        if point > borders[-1]:
            borders.append(point)
    if borders[-1] < len(text):
        borders.append(len(text))
    return [text[a:b] for a, b in zip(borders[:-1], borders[1:], strict=True)]


def _direction(text: str) -> int:
    weak = 0
    for char in text:
        kind = unicodedata.bidirectional(char)
        if kind in ("R", "AL"):
            return -1
        if kind == "L":
            return 1
        if kind in ("EN", "AN"):
            weak = 2
    return weak
