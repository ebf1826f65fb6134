"""Painting of the timeline: the groove with its curve, and lanes with marks above and below it.

From the top: flags (bookmarks) and diamonds (overrides), the groove with the curve, triangles
(stops of breakpoints), ticks with their steps, and the part of the run that is shown. Marks differ
in shape and position, never by colour alone. Ties have no mark of their own, because late in a run
nearly every merge is a tie; a breakpoint can show them.

A `StepScale`, linear or logarithmic, gives the positions of steps, for all of the run or a part of
it. Marks are painted by pixel columns, however many merges there are. Everything here paints into a
rectangle and keeps no state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPalette, QPen, QPolygonF

from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.workspace.timeline_marks import TimelineMarks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run

MARGIN_PX = 7
NEAR_PX = 5
_FLAGS_PX = 10
_GROOVE_PX = 21
_GAP_PX = 1.5
_STOPS_PX = 6
_TICK_PX = 3
_EXTENT_PX = 3
_LABEL_GAP_PX = 10
_CROWDED_PX = 4
"""If marks would be closer than this on average, bars show their density."""


@dataclass(frozen=True)
class Lanes:
    """The lanes of a timeline of some width.

    Attributes:
        flags: bookmarks and overrides.
        groove: the curve.
        stops: triangles of breakpoints.
        ticks: ticks, and the numbers below them.
        extent: the part of the run that is shown.
    """

    flags: QRectF
    groove: QRectF
    stops: QRectF
    ticks: QRectF
    extent: QRectF

    @classmethod
    def of(cls, width: float, line_px: float = 12.0) -> Lanes:
        """The lanes of a timeline of this width, with numbers of this height."""
        across = width - 2 * MARGIN_PX
        top = 0.0
        lanes = []
        for height, gap in (
            (_FLAGS_PX, 0.0),
            (_GROOVE_PX, _GAP_PX),
            (_STOPS_PX, 1.0),
            (_TICK_PX + line_px, 1.0),
            (_EXTENT_PX, 0.0),
        ):
            lanes.append(QRectF(MARGIN_PX, top, across, height))
            top += height + gap
        return cls(*lanes)

    @property
    def height(self) -> int:
        """The height of all of them."""
        return round(self.extent.bottom() + 0.5)


class Tick(NamedTuple):
    """A tick below the timeline.

    Attributes:
        x: its position.
        text: its step; "" if there is no room for it.
        left: the left edge of the text.
    """

    x: float
    text: str
    left: float


def placed_ticks(scale: StepScale, metrics: QFontMetricsF, width: float) -> list[Tick]:
    """The ticks of a scale; their texts do not overlap, and stay inside a widget of this width."""
    widest = metrics.horizontalAdvance(number(scale.n_merges)) + 3 * _LABEL_GAP_PX
    steps = scale.step_ticks(max(2, int((scale.right - scale.left) / widest)))
    taken: list[tuple[float, float]] = []
    placed = {}
    # The last step comes first, then powers of ten and 0; the least useful texts are left out.
    for step in sorted(
        steps,
        key=lambda step: (step != scale.n_merges, str(step).strip("0") not in ("1", ""), step),
    ):
        text = number(step)
        x = scale.x(step)
        across = metrics.horizontalAdvance(text)
        left = min(max(0.0, x - across / 2), width - across)
        is_free = all(
            left + across + _LABEL_GAP_PX <= begin or left >= end + _LABEL_GAP_PX
            for begin, end in taken
        )
        if is_free:
            taken.append((left, left + across))
        shown = text if is_free else ""
        placed[step] = Tick(x, shown, left)
    return [placed[step] for step in steps]


def curve_of(
    run: Run, scale: StepScale, n_points: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The part of the curve that a scale shows: shares of the width, and shares of the tokens."""
    import numpy as np

    n_points = max(2, n_points)
    values = scale.values(n_points).clip(0, scale.n_merges)
    before = np.floor(values).astype(np.int64)
    after = np.minimum(before + 1, scale.n_merges)
    n_tokens = run.columns.n_tokens
    first = float(run.initial_n_tokens)

    def tokens_at(steps: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.where(steps > 0, n_tokens[np.maximum(steps, 1) - 1], first)

    part = values - before
    shares = (tokens_at(before) * (1 - part) + tokens_at(after) * part) / (first or 1.0)
    return np.linspace(0.0, 1.0, n_points), shares


def curve_area(curve: tuple[NDArray[np.float64], NDArray[np.float64]], groove: QRectF) -> QPolygonF:
    """The area under a curve of shares of the width, and shares of the tokens."""
    x, y = curve
    inner = groove.adjusted(1, 2, -1, -1)
    left = inner.left()
    right = inner.right()
    width = inner.width()
    bottom = inner.bottom()
    height = inner.height()
    xs = (left + x * width).tolist()
    ys = (bottom - y * height).tolist()
    return QPolygonF([QPointF(left, bottom), *map(QPointF, xs, ys), QPointF(right, bottom)])


def curve_colours(palette: QPalette) -> tuple[QColor, QColor]:
    """The colours of the curve before and after the step."""
    roles = (QPalette.ColorRole.Dark, QPalette.ColorRole.Mid)
    if theme.is_dark(palette):
        roles = (QPalette.ColorRole.Light, QPalette.ColorRole.Button)
    behind, ahead = (QColor(palette.color(role)) for role in roles)
    ahead.setAlpha(110)
    return behind, ahead


def paint_stops(
    painter: QPainter, lane: QRectF, marks: TimelineMarks, scale: StepScale, palette: QPalette
) -> None:
    """Paint a triangle below each merge that a breakpoint stops at, or bars if there are many."""
    colour = palette.color(QPalette.ColorRole.Text)
    steps = shown_steps(marks.stop_ranks + 1, scale)
    if is_crowded(len(steps), lane):
        _paint_density(painter, lane, steps - 1, scale, colour)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for x in _places(steps, scale):
        painter.drawPolygon(
            [QPointF(x, lane.top()), QPointF(x - 4, lane.bottom()), QPointF(x + 4, lane.bottom())]
        )


def paint_overrides(
    painter: QPainter, lane: QRectF, ranks: NDArray[np.int64], scale: StepScale, palette: QPalette
) -> None:
    """Paint a diamond at each override, or muted bars if there are many."""
    steps = shown_steps(ranks + 1, scale)
    if is_crowded(len(steps), lane):
        _paint_density(painter, lane.adjusted(0, 6, 0, -1), steps - 1, scale, _grey(palette))
        return
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Window), 1))
    painter.setBrush(palette.color(QPalette.ColorRole.Text))
    middle = lane.bottom() - 4
    for x in _places(steps, scale):
        painter.drawPolygon(
            [
                QPointF(x, middle - 4),
                QPointF(x + 4, middle),
                QPointF(x, middle + 4),
                QPointF(x - 4, middle),
            ]
        )


def paint_flags(
    painter: QPainter, lanes: Lanes, steps: Sequence[int], scale: StepScale, palette: QPalette
) -> None:
    """Paint a flag at each bookmark, with a pole down to the groove's foot.

    At the right edge, the flag flies to the left.
    """
    import numpy as np

    lane = lanes.flags
    colour = palette.color(QPalette.ColorRole.Text)
    for x in _places(shown_steps(np.asarray(steps, np.int64), scale), scale):
        across = -7 if x + 7 > lane.right() else 7
        painter.setPen(QPen(colour, 1))
        painter.drawLine(QPointF(x, lane.top() + 1), QPointF(x, lanes.groove.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        top = lane.top() + 1
        painter.drawPolygon([QPointF(x, top), QPointF(x + across, top + 3), QPointF(x, top + 6)])


def paint_words_end(
    painter: QPainter, lanes: Lanes, step: int, scale: StepScale, palette: QPalette
) -> None:
    """Paint a dashed line at the step from which merges may join words."""
    import numpy as np

    painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1, Qt.PenStyle.DashLine))
    for x in _places(shown_steps(np.array([step]), scale), scale):
        painter.drawLine(QPointF(x, lanes.flags.top() + 1), QPointF(x, lanes.stops.bottom()))


def paint_ticks(painter: QPainter, lane: QRectF, ticks: Sequence[Tick], palette: QPalette) -> None:
    """Paint ticks, and the steps below them, in the font of the painter."""
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid), 1))
    for tick in ticks:
        x = round(tick.x) + 0.5
        painter.drawLine(QPointF(x, lane.top()), QPointF(x, lane.top() + _TICK_PX - 1))
    painter.setPen(theme.muted(palette))
    base = lane.bottom() - painter.fontMetrics().descent()
    for tick in ticks:
        if tick.text:
            painter.drawText(QPointF(tick.left, base), tick.text)


def paint_extent(painter: QPainter, lane: QRectF, scale: StepScale, palette: QPalette) -> None:
    """Paint the shown part of the run, like a scroll bar; nothing if all of it is shown."""
    if scale.low <= 0 and scale.high >= 1:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(palette.color(QPalette.ColorRole.Midlight))
    painter.drawRoundedRect(lane, 1.5, 1.5)
    left = lane.left() + scale.low * lane.width()
    across = (scale.high - scale.low) * lane.width()
    painter.setBrush(theme.muted(palette))
    painter.drawRoundedRect(
        QRectF(min(left, lane.right() - 6), lane.top(), max(6.0, across), lane.height()), 1.5, 1.5
    )


def paint_readout(
    painter: QPainter, lanes: Lanes, x: float, text: str, ticks: Sequence[Tick], palette: QPalette
) -> None:
    """Paint a line at the mouse, and a text, which replaces the texts of ticks that it overlaps."""
    painter.setPen(QPen(theme.muted(palette), 1))
    middle = round(x) + 0.5
    painter.drawLine(
        QPointF(middle, lanes.groove.top()), QPointF(middle, lanes.ticks.top() + _TICK_PX)
    )
    metrics = QFontMetricsF(painter.font())
    width = lanes.ticks.right() + MARGIN_PX
    text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
    across = metrics.horizontalAdvance(text)
    left = min(max(0.0, x - across / 2), width - across)
    begin = left - _LABEL_GAP_PX
    end = left + across + _LABEL_GAP_PX
    for tick in ticks:  # a half-covered number would be misread
        tick_end = tick.left + metrics.horizontalAdvance(tick.text)
        if (
            tick.text
            and tick.left < left + across + _LABEL_GAP_PX
            and tick_end > left - _LABEL_GAP_PX
        ):
            begin = min(begin, tick.left)
            end = max(end, tick_end)
    top = lanes.ticks.top() + _TICK_PX
    painter.fillRect(
        QRectF(begin, top, end - begin, lanes.ticks.bottom() - top),
        palette.color(QPalette.ColorRole.Window),
    )
    painter.setPen(palette.color(QPalette.ColorRole.Text))
    painter.drawText(QPointF(left, lanes.ticks.bottom() - metrics.descent()), text)


def paint_step_outside(
    painter: QPainter, groove: QRectF, palette: QPalette, *, is_left: bool
) -> None:
    """Paint an arrow at the edge beyond which the step is."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.accent(palette))
    tip, back = (groove.left() + 2, 7) if is_left else (groove.right() - 2, -7)
    middle = groove.center().y()
    painter.drawPolygon(
        [QPointF(tip, middle), QPointF(tip + back, middle - 5), QPointF(tip + back, middle + 5)]
    )


def paint_selected(painter: QPainter, groove: QRectF, x: float, palette: QPalette) -> None:
    """Paint a ring on a thin line at the merge that made the selected token."""
    colour = palette.color(QPalette.ColorRole.Text)
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
    painter.drawLine(QPointF(x, groove.top() + 7), QPointF(x, groove.bottom()))
    painter.setPen(QPen(colour, 1.5))
    painter.setBrush(palette.color(QPalette.ColorRole.Base))
    painter.drawEllipse(QPointF(x, groove.top() + 4), 3, 3)


def is_crowded(n: int, lane: QRectF) -> bool:
    """Whether so many marks would overlap."""
    return n * _CROWDED_PX > lane.width()


def shown_steps(steps: NDArray[np.int64], scale: StepScale) -> NDArray[np.int64]:
    """The steps that are between the edges of a scale."""
    low = scale.value(scale.low)
    high = min(scale.value(scale.high) + 1e-6, scale.n_merges)
    least = low - 1e-6 if scale.low > 0 else 0
    return steps[(steps >= least) & (steps <= high)]


def _places(steps: NDArray[np.int64], scale: StepScale) -> list[float]:
    """The distinct x positions of steps, to half a pixel."""
    import numpy as np

    halves: list[float] = np.unique(np.round(scale.places(steps) * 2) / 2).tolist()
    return halves


def _edges(scale: StepScale, px: float) -> NDArray[np.int64]:
    """The steps at the edges of bars of a width, or of one merge if that is wider."""
    import numpy as np

    values = scale.values(max(1, int((scale.right - scale.left) / px)) + 1)
    ends = [np.floor(values[:1]), np.rint(values), np.ceil(values[-1:])]
    return np.unique(np.clip(np.concatenate(ends).astype(np.int64), 0, scale.n_merges))


def _paint_density(
    painter: QPainter, lane: QRectF, ranks: NDArray[np.int64], scale: StepScale, colour: QColor
) -> None:
    """Paint bars whose heights are relative to the densest one; a mark gives at least a pixel."""
    import numpy as np

    edges = _edges(scale, _CROWDED_PX)
    shares = np.diff(np.searchsorted(np.sort(ranks), edges)) / np.diff(edges)
    shares /= max(shares.max(), 1e-9)
    bars = shares.nonzero()[0]
    heights = (shares[bars] * lane.height()).clip(1.0)
    places = scale.places(edges)
    lefts = places[bars].clip(lane.left())
    widths = places[bars + 1].clip(None, lane.right()) - lefts
    widths -= widths > 3
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(colour)
    for left, width, height in zip(lefts.tolist(), widths.tolist(), heights.tolist(), strict=True):
        painter.drawRect(QRectF(left, lane.top(), width, height))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _grey(palette: QPalette) -> QColor:
    grey = QColor(theme.muted(palette))
    grey.setAlpha(150)
    return grey
