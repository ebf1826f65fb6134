"""The chart of tokens against vocabulary size without its picture: the values, and the position of each part.

The widget (`size_curve.py`) places its handles by it, and the plot (`size_plot.py`) paints it; it needs no pyqtgraph.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from bpe_studio.explain.comparison.curves import Series
from bpe_studio.gui.look.qt_text import grouping_locale
from bpe_studio.gui.plots.axes import StepScale, label_rows, round_ticks

if TYPE_CHECKING:
    from bpe_studio.explain.comparison.curves import IntArray

LABEL_ROWS = 3
LOW_LINES, LEAST_LINES = 14, 8
"""Below these heights, in lines of text, the labels have two rows, or one, so that the curve has the rest."""
GAP_PX = 6.0
RIGHT_PX = 14.0
CURRENT = -1
"""The number of the window's step; the marks are numbered from 0."""


class Mark(NamedTuple):
    """A size that is marked.

    Attributes:
        step: its step.
        number: from 0, or `CURRENT`.
        label: the rectangle of its label; None where there is no room for it.
        text: the text of the label.
    """

    step: int
    number: int
    label: QRectF | None
    text: str


@dataclass(frozen=True)
class Point:
    """Another run or a tokenizer: a point at its vocabulary size and its tokens of the corpus, or the end of a curve.

    Attributes:
        name: what it is called.
        vocab_size: its vocabulary.
        n_tokens: its tokens of the corpus.
        n_bytes: the size of the corpus; 0 if unknown.
        key: what identifies it.
        curve: (n,) int64, for a run, its tokens of the corpus at the sizes up to `vocab_size`, one merge apart.
    """

    name: str
    vocab_size: int
    n_tokens: int
    n_bytes: int
    key: str = ""
    curve: IntArray | None = field(default=None, compare=False)

    @property
    def base(self) -> int:
        """The vocabulary size at which its curve begins."""
        return self.vocab_size + 1 - (1 if self.curve is None else len(self.curve))

    def n_tokens_at(self, vocab_size: int) -> int | None:
        """Its tokens of the corpus at a size; None where its curve has none."""
        place = vocab_size - self.base
        return int(self.curve[place]) if self.curve is not None and 0 <= place < len(self.curve) else None


class SizeChart:
    """The values and positions of the chart.

    Attributes:
        series: the curves; the marks are on the first one.
        base: the vocabulary size at step 0.
        n_merges: the last step.
        points: other runs and tokenizers.
        knee: the step of the knee, or None.
        marks: the steps of the chosen sizes.
        step: the window's step.
        is_log: whether the axis of sizes is logarithmic.
        is_ratio: whether it shows bytes per token instead of tokens.
        held: the numbers of the marks that are hovered, dragged or have the keyboard focus.
        hovered: the step under the mouse, or None.
        placeholder: the sentence where there is no curve.
        size: of the chart, in pixels.
        metrics: of its font.
    """

    def __init__(self) -> None:
        self.series: tuple[Series, ...] = ()
        self.points: tuple[Point, ...] = ()
        self.base, self.n_merges = 0, 0
        self.knee: int | None = None
        self.marks: tuple[int, ...] = ()
        self.step = 0
        self.is_log, self.is_ratio = True, False
        self.held: Collection[int] = ()
        self.hovered: int | None = None
        self.placeholder = ""
        self.size = QSizeF(1, 1)
        self.metrics = QFontMetricsF(QFont())

    @property
    def shown(self) -> tuple[Series, ...]:
        """The curves that have the values of the chosen form."""
        return tuple(each for each in self.series if each.n_bytes or not self.is_ratio)

    @property
    def message(self) -> str:
        """The sentence that is shown where there is no curve."""
        if self.series:
            return "The corpus was given as words and counts, so its size in bytes is not known: show tokens instead"
        return self.placeholder

    # Positions.

    @property
    def scale(self) -> StepScale:
        """The positions of steps, in pixels."""
        room = self.room
        return StepScale(self.n_merges, self.is_log, max(1, self.base), room.left(), room.right())

    @property
    def room(self) -> QRectF:
        """The rectangle of the curves."""
        metrics = self.metrics
        height = metrics.height()
        side = max((metrics.horizontalAdvance(text) for _, text in self.value_ticks), default=0) + GAP_PX + 2
        top = self.n_rows * (height + 2) + 6
        below = height if self.is_low else 2 * height
        return QRectF(
            side, top, max(20.0, self.size.width() - side - RIGHT_PX), max(20.0, self.size.height() - top - below - 8)
        )

    def point(self, step: int) -> QPointF:
        """The position of a step on the first curve."""
        room = self.room
        value = self.value((self.shown or self.series)[0], min(step, self.n_merges))
        return QPointF(self.scale.x(step), room.bottom() - value / self.highest * room.height())

    def label_box(self, step: int, width: float) -> QRectF:
        """The rectangle of a label of a step on the first curve: above or below, at a side, over the fewest curves."""
        place, height, away = self.point(step), self.metrics.height(), 8.0
        tops = (place.y() - away - height, place.y() + away)
        boxes = [QRectF(x, y, width, height) for y in tops for x in (place.x() + away, place.x() - away - width)]
        whole = QRectF(0.0, 0.0, self.size.width() - 4.0, self.room.bottom())
        return min(boxes, key=lambda box: (not whole.contains(box), self._n_curves_in(box)))

    def _n_curves_in(self, box: QRectF) -> int:
        """At how many of some places in a rectangle a curve is."""
        room, scale, highest = self.room, self.scale, self.highest
        steps = [min(max(0, scale.step(box.left() + box.width() * k / 8)), self.n_merges) for k in range(9)]
        values = [self.value(each, step) for each in self.shown for step in steps]
        places = [room.bottom() - value / highest * room.height() for value in values]
        return sum(box.top() <= y <= box.bottom() for y in places)

    def placed_points(self) -> list[tuple[QPointF, str]]:
        """The position of each point, and its name; one outside of the chart is at its edge, with its size."""
        found, room, scale, highest = [], self.room, self.scale, self.highest
        for each in self.shown_points:
            # A curve that leaves the axis ends where it does.
            n_tokens = each.n_tokens_at(self.sizes_of(each)[1]) or each.n_tokens
            step, share = each.vocab_size - self.base, self.value_of(each, n_tokens) / highest
            is_inside = 0 <= step <= self.n_merges and share <= 1
            name = each.name if is_inside else f"{each.name} ({grouping_locale().toString(each.vocab_size)})"
            x = scale.x(min(max(0, step), self.n_merges))
            found.append((QPointF(x, room.bottom() - min(1.0, share) * room.height()), name))
        return found

    @property
    def n_rows(self) -> int:
        """How many rows of labels there are."""
        return LABEL_ROWS - sum(self._n_lines < few for few in (LOW_LINES, LEAST_LINES))

    @property
    def is_low(self) -> bool:
        """Whether there is no room for more than the curve."""
        return self._n_lines < LEAST_LINES

    @property
    def _n_lines(self) -> float:
        """The height in lines of text."""
        return self.size.height() / self.metrics.height()

    @property
    def shown_points(self) -> list[Point]:
        """The other runs and tokenizers that have the values of the chosen form."""
        return [each for each in self.points if each.n_bytes or not self.is_ratio]

    # Values and ticks.

    def value(self, series: Series, step: int) -> float:
        """The value of a curve: bytes per token, or tokens as a share of those at step 0."""
        if self.is_ratio:
            return series.bytes_per_token(step) or 0.0
        return int(series.n_tokens[step]) / max(1, int(series.n_tokens[0]))

    def value_of(self, point: Point, n_tokens: int) -> float:
        """The value of another run or a tokenizer: bytes per token, or its tokens as a share of the corpus's."""
        if self.is_ratio:
            return point.n_bytes / max(1, n_tokens)
        return n_tokens / (max(1, int(self.series[0].n_tokens[0])) if self.series else 1)

    def sizes_of(self, point: Point) -> tuple[int, int]:
        """The smallest and the largest size of a run's curve that are on the axis; in reverse if there are none."""
        return max(self.base, point.base), min(self.base + self.n_merges, point.vocab_size)

    @property
    def highest(self) -> float:
        """The value at the top; 0 is at the bottom."""
        ends = [
            self.value_of(each, n_tokens)
            for each in self.shown_points
            for size in self.sizes_of(each)
            if (n_tokens := each.n_tokens_at(size)) is not None
        ]
        if not self.is_ratio:
            return max([1.0, *ends])
        values = [each.bytes_per_token(k) for each in self.series for k in (0, self.n_merges)]
        return max([value for value in values if value is not None] + ends, default=1.0) * 1.02

    @property
    def value_ticks(self) -> list[tuple[float, str]]:
        """Values and their labels."""
        if not self.series:
            return []
        locale, n = grouping_locale(), max(1, min(5, int((self._n_lines - self.n_rows - 2.5) / 1.4)))
        if self.is_ratio:
            ticks = round_ticks(0.0, self.highest, n, is_whole=False)
            return [(tick, locale.toString(tick, "f", 1)) for tick in ticks]
        most = float(self.series[0].n_tokens[0]) or 1.0
        ticks = round_ticks(0.0, most * self.highest, n, is_whole=False)
        return [(tick / most, locale.toString(round(tick))) for tick in ticks]

    @property
    def size_ticks(self) -> list[tuple[float, str]]:
        """Positions of round sizes in pixels, and their labels, which do not overlap."""
        locale, metrics, room, scale = grouping_locale(), self.metrics, self.room, self.scale
        widest = metrics.horizontalAdvance(locale.toString(self.base + self.n_merges)) + 24
        found, before = [], -1e6
        for size in scale.size_ticks(max(2, int(room.width() / widest))):
            text, x = locale.toString(size), scale.x(size - self.base)
            half = metrics.horizontalAdvance(text) / 2
            if x - half >= before + 8 and x + half <= self.size.width():
                before = x + half
                found.append((x, text))
        return found

    def placed_marks(self) -> list[Mark]:
        """The marks and the window's step, from left to right, with their labels in rows."""
        locale, height, scale = grouping_locale(), self.metrics.height(), self.scale
        steps = sorted([(step, number) for number, step in enumerate(self.marks)] + [(self.step, CURRENT)])
        edges, texts = [], []
        for step, _ in steps:
            text = locale.toString(self.base + step)
            half = self.metrics.horizontalAdvance(text) / 2 + 4
            middle = min(max(scale.x(step), half + 1), self.size.width() - half - 1)
            edges.append((middle - half, middle + half))
            texts.append(text)
        marks = []
        rows = label_rows(edges, self.n_rows, 3)
        for (step, number), (left, right), text, row in zip(steps, edges, texts, rows, strict=True):
            top = 2 + (self.n_rows - 1 - row) * (height + 2)
            label = QRectF(left, top, right - left, height + 1) if row >= 0 else None
            marks.append(Mark(step, number, label, text))
        return marks
