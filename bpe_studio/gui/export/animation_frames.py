"""The pictures of an animation: the steps of a range, painted.

A step has two pictures: the pair that is merged next outlined where it occurs, and the step after with the new
token outlined. Text is laid out once for all of them, so that only colours change. It paints in any thread, as it
needs no widget.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter, QPalette

from bpe_studio.explain.names import UNKNOWN_NAME, elided, is_right_to_left, isolated
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.tokens import colours, geometry
from bpe_studio.gui.tokens.chips import ChipRow
from bpe_studio.gui.tokens.geometry import LineShape
from bpe_studio.gui.tokens.painting import Looks, paint_brackets, paint_outline, paint_tokens
from bpe_studio.gui.tokens.paragraph import LINE_GAP_PX, Paragraph

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_studio.files.exports.step_range import Pieces, StepRange, StepRangeMerge, StepRangeWord

SIZES = (QSize(960, 540), QSize(1280, 720))
MOST_PAINTED = 4000
"""So many characters of a text are laid out: more do not fit in a picture."""
_PAD_PX = 5.0
_TEXT_SIZES = (34, 30, 26, 23, 20, 17)
_STAND_INS = {ord("\r"): "␍", ord("\u2028"): "␤", ord("\u2029"): "␤", 0: "␀", ord("\t"): "⇥"}
_LINE = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)


class Moment(NamedTuple):
    """What one picture shows.

    Attributes:
        step: the step at which everything is cut.
        other: the next stop, whose pairs are outlined, or the stop before, since which the tokens outlined were made.
    """

    step: int
    other: int


def moments(step_range: StepRange) -> list[Moment]:
    """The pictures of a range of steps in their order: before and after each step forward."""
    found = []
    for before, after in pairwise(step_range.stops):
        found += [Moment(before, after), Moment(after, before)]
    return found


def merge_shown(step_range: StepRange, moment: Moment) -> StepRangeMerge:
    """The merge that a picture shows: the next one, or the one that was just made."""
    return step_range.merge(moment.step if moment.other > moment.step else moment.step - 1)


def about(step_range: StepRange, moment: Moment) -> str:
    """A sentence about that merge: its number, as in the window, how often its pair occurred, and what decided."""
    merge, number = merge_shown(step_range, moment), grouping_locale().toString
    n = abs(moment.other - moment.step)
    which = f", the {'first' if moment.other > moment.step else 'last'} of {number(n)}" if n > 1 else ""
    facts = [f"merge {number(merge.rank + 1)}{which}"]
    if step_range.has_counts:
        facts.append(f"occurred {number(merge.count)} time{'s' * (merge.count != 1)}")
    return " · ".join([*facts, f"decided by {merge.why}"])


@dataclass(frozen=True)
class _Place:
    """A text's paragraphs in a font, and where they begin."""

    paragraphs: tuple[Paragraph, ...]
    tops: tuple[float, ...]
    height: float


class FramePainter:
    """Paints the pictures of one range of steps.

    Args:
        step_range: what they show.
        names: what each token is called, by its id.
        size: of a picture, in pixels.
        palette: light or dark.
        family: the interface font's family.
    """

    def __init__(
        self, step_range: StepRange, names: dict[int, str], size: QSize, palette: QPalette, family: str
    ) -> None:
        self._range, self._names, self._size = step_range, names, size
        self._palette, self._family = palette, family
        self._scale = size.height() / 540
        self._margin = round(30 * self._scale)
        self._top = round(140 * self._scale)
        room = size.height() - self._top - self._margin
        has_both = bool(step_range.text) and bool(step_range.words)
        self._text_room = room * (0.58 if has_both else 1.0) if step_range.text else 0.0
        self._words_top = self._top + self._text_room + (10 * self._scale if has_both else 0)
        self._text = self._lay_out(step_range.text[:MOST_PAINTED]) if step_range.text else None
        self._columns = _columns_of(step_range)

    def paint(self, moment: Moment) -> QImage:
        """One picture."""
        image = QImage(self._size, QImage.Format.Format_RGB32)
        image.fill(self._palette.color(QPalette.ColorRole.Base))
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
            self._paint_title(painter, moment)
            if self._text is not None:
                self._paint_text(painter, self._text, moment)
            if self._range.words:
                self._paint_words(painter, moment)
        return image

    # What is merged.

    def _paint_title(self, painter: QPainter, moment: Moment) -> None:
        step_range, number = self._range, grouping_locale().toString
        left, width = self._margin, self._size.width() - 2 * self._margin
        painter.setFont(self._font(20, is_bold=True))
        painter.setPen(theme.accent(self._palette))
        step = f"Step {number(moment.step)} of {number(step_range.last)}"
        height = round(30 * self._scale)
        box = QRectF(left, self._margin * 0.6, width, height)
        painter.drawText(box, _LINE, step)
        x = left + painter.fontMetrics().horizontalAdvance(step) + 20 * self._scale
        painter.setFont(self._font(16))
        painter.setPen(theme.muted(self._palette))
        sizes = [f"vocabulary {number(step_range.vocab_size_at(moment.step))}"]
        if step_range.text:
            n_tokens = step_range.pieces.n_tokens(moment.step)
            sizes.append(f"text {number(n_tokens)} token{'s' * (n_tokens != 1)}")
        painter.drawText(QRectF(x, box.top(), width - (x - left), height), _LINE, " · ".join(sizes))
        self._paint_merge(painter, moment, box.bottom() + 6 * self._scale)

    def _paint_merge(self, painter: QPainter, moment: Moment, top: float) -> None:
        is_before = moment.other > moment.step
        merge = merge_shown(self._range, moment)
        painter.setFont(self._font(24))
        metrics = QFontMetricsF(painter.font())
        x, height = float(self._margin), metrics.lineSpacing() + 4
        parts: list[tuple[str, int, int]] = [(self._name(merge.left), 0, merge.left), ("+", -1, -1)]
        parts += [(self._name(merge.right), 1, merge.right), ("→", -1, -1), (self._name(merge.token), 3, merge.token)]
        for text, colour, token in parts:
            if colour < 0:
                painter.setPen(theme.muted(self._palette))
                painter.drawText(QRectF(x, top, metrics.horizontalAdvance(text), height), _LINE, text)
                x += metrics.horizontalAdvance(text) + 10
                continue
            width = metrics.horizontalAdvance(text) + 2 * _PAD_PX
            highlighted = {colour} if (colour == 3) is not is_before else ()
            names = [self._names.get(token, UNKNOWN_NAME)] * (colour + 1)
            row = ChipRow([text], [QRectF(x, top, width, height)], first=colour, names=names)
            row.paint(painter, self._palette, highlighted)
            x += width + 10
        font = self._font(15)
        painter.setFont(font)
        painter.setPen(theme.muted(self._palette))
        width = self._size.width() - 2 * self._margin
        text = QFontMetricsF(font).elidedText(about(self._range, moment), Qt.TextElideMode.ElideRight, width)
        painter.drawText(QRectF(self._margin, top + height + 4, width, 26 * self._scale), _LINE, text)

    # The text.

    def _paint_text(self, painter: QPainter, place: _Place, moment: Moment) -> None:
        step_range = self._range
        starts, ends = step_range.spans_at(moment.step)
        highlighted = self._highlighted(step_range.pieces, moment)
        ids = step_range.pieces.tokens(moment.step, step_range.n_alphabet)
        painter.save()
        painter.setClipRect(QRectF(0, self._top, self._size.width(), self._text_room))
        for paragraph, top in zip(place.paragraphs, place.tops, strict=True):
            if top > self._text_room:
                break
            first = int(ends.searchsorted(paragraph.start, "right"))
            last = max(first, int(starts.searchsorted(paragraph.end, "left")))
            shapes = _shapes(paragraph, starts[first:last].tolist(), ends[first:last].tolist())
            painter.save()
            painter.translate(self._margin, self._top + top)
            unknown = frozenset((ids[first:last] < 0).nonzero()[0].tolist())
            numbers = self._colours(ids[first:last].tolist())
            paint_tokens(painter, shapes, Looks(0, unknown, colours=numbers), self._palette)
            painter.setPen(theme.token_text_colour(self._palette))
            paragraph.draw(painter, QPointF(0, 0))
            paint_brackets(painter, shapes, self._palette)
            painter.restore()
            painter.save()
            painter.translate(self._margin, self._top + top)
            paint_outline(painter, shapes, highlighted[first:last].nonzero()[0].tolist(), self._palette)
            painter.restore()
        painter.restore()

    def _lay_out(self, text: str) -> _Place:
        """The text in the largest font in which all of it fits, or in the smallest."""
        width = self._size.width() - 2 * self._margin
        place = _Place((), (), 0.0)
        for size in _TEXT_SIZES:
            paragraphs, tops, y, start = [], [], 0.0, 0
            for line in text.translate(_STAND_INS).split("\n"):
                paragraphs.append(Paragraph(line, start, self._font(size), width))
                tops.append(y)
                y += max(paragraphs[-1].height, QFontMetricsF(self._font(size)).lineSpacing() + LINE_GAP_PX)
                start += len(line) + 1
                if y > 4 * self._text_room:
                    break
            place = _Place(tuple(paragraphs), tuple(tops), y)
            if y <= self._text_room:
                break
        return place

    # The words.

    def _paint_words(self, painter: QPainter, moment: Moment) -> None:
        font, small = self._font(18), self._font(14)
        metrics = QFontMetricsF(font)
        line = metrics.lineSpacing() + 9
        room = self._size.height() - self._margin * 0.6 - self._words_top
        n_rows = max(1, int(room // line))
        width = (self._size.width() - 2 * self._margin + 24) / self._columns
        for number, word in enumerate(self._range.words[: n_rows * self._columns]):
            x = self._margin + (number // n_rows) * width
            y = self._words_top + (number % n_rows) * line
            painter.setFont(small)
            painter.setPen(theme.muted(self._palette))
            count = grouping_locale().toString(word.count)
            indent = QFontMetricsF(small).horizontalAdvance("0" * 7)
            right = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            painter.drawText(QRectF(x, y, indent, line - 5), right, count)
            painter.setFont(font)
            painter.setPen(theme.token_text_colour(self._palette))
            self._paint_word(painter, word, moment, QRectF(x + indent + 10, y, width - indent - 34, line - 5), metrics)

    def _paint_word(
        self, painter: QPainter, word: StepRangeWord, moment: Moment, box: QRectF, metrics: QFontMetricsF
    ) -> None:
        ids = word.pieces.tokens(moment.step, self._range.n_alphabet).tolist()
        highlighted = frozenset(self._highlighted(word.pieces, moment).nonzero()[0].tolist())
        is_rtl = is_right_to_left(word.content.decode("utf-8", "replace"))
        x, texts, widths = 0.0, [], []
        for token in ids:
            text = self._name(token)
            width = metrics.horizontalAdvance(text) + 2 * _PAD_PX
            if x + width > box.width():
                break
            texts.append(text)
            widths.append(width)
            x += width + _PAD_PX / 2
        row = ChipRow.placed(texts, widths, box, _PAD_PX / 2, is_rtl=is_rtl)
        if len(texts) < len(ids) or word.is_cut_off:
            left = box.right() - x - 20 if is_rtl else box.left() + x
            row = row._replace(ellipses=[QRectF(left, box.top(), 20, box.height())])
        row._replace(names=[self._names.get(token, UNKNOWN_NAME) for token in ids]).paint(
            painter, self._palette, highlighted
        )

    def _colours(self, ids: list[int]) -> list[int] | None:
        """The numbers of the colours of tokens; None where they go by place."""
        colour_of = colours.by_name()
        return None if colour_of is None else [colour_of(self._names.get(token, UNKNOWN_NAME)) for token in ids]

    def _highlighted(self, pieces: Pieces, moment: Moment) -> npt.NDArray[np.bool_]:
        if moment.other > moment.step:
            return pieces.joining(moment.step, moment.other)
        return pieces.joined(moment.other, moment.step)

    def _name(self, token: int) -> str:
        return isolated(elided(self._names.get(token, UNKNOWN_NAME), 24))

    def _font(self, size_px: float, *, is_bold: bool = False) -> QFont:
        font = QFont(self._family)
        font.setPixelSize(max(8, round(size_px * self._scale)))
        font.setBold(is_bold)
        # Shades of grey only, which keep the palette small.
        font.setStyleStrategy(QFont.StyleStrategy.NoSubpixelAntialias)
        return font


def _columns_of(step_range: StepRange) -> int:
    longest = max((len(word.content) for word in step_range.words[:60]), default=0)
    return 4 if longest <= 8 else 3 if longest <= 16 else 2


def _shapes(paragraph: Paragraph, starts: list[float], ends: list[float]) -> list[LineShape]:
    """The tokens of a paragraph, line by line."""
    lines: dict[float, LineShape] = {}
    for token, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for rect in paragraph.rects(start, end):
            shape = lines.setdefault(rect.top(), LineShape(rect.top(), rect.height(), rect.bottom(), []))
            is_part = bool(start % 1 or end % 1)
            shape.fragments.append(geometry.Fragment(token, rect.left(), rect.right(), is_part))
    return list(lines.values())
