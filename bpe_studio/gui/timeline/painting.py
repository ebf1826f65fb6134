"""How the timeline is drawn: lanes above and below the groove, the curve in it, and the marks in the lanes.

From the top: flags (bookmarks) and diamonds (overrides), the groove with the curve, bars (the share of
merges that a tie decided), triangles (where a breakpoint stops). Marks differ in shape and place, never by colour
alone. Everything here paints into a rectangle; nothing is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette, QPen, QPolygonF

from bpe_studio.gui.look import theme
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.workspace.timeline_marks import TimelineMarks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HEIGHT_PX = 44
MARGIN_PX = 7
NEAR_PX = 5
_FLAGS_PX = 10
_GROOVE_PX = 21
_GAP_PX = 1.5
_TIES_PX = 5
_STOPS_PX = 6
_BAR_PX = 2
_CROWDED_PX = 4
"""Where marks would be closer than this on average, bars show how many there are."""


@dataclass(frozen=True)
class Lanes:
    """The lanes of a timeline of some width.

    Attributes:
        flags: bookmarks and overrides.
        groove: the curve.
        ties: bars of tied merges.
        stops: triangles of breakpoints.
    """

    flags: QRectF
    groove: QRectF
    ties: QRectF
    stops: QRectF

    @classmethod
    def of(cls, width: float) -> Lanes:
        """The lanes of a timeline that is so wide."""
        across, top = width - 2 * MARGIN_PX, 0.0
        lanes = []
        for height, gap in ((_FLAGS_PX, 0.0), (_GROOVE_PX, _GAP_PX), (_TIES_PX, _GAP_PX), (_STOPS_PX, 0.0)):
            lanes.append(QRectF(MARGIN_PX, top, across, height))
            top += height + gap
        return cls(*lanes)


def curve_area(curve: Sequence[tuple[float, float]], groove: QRectF) -> QPolygonF:
    """The area under a curve of points (share of the merges, share of the tokens)."""
    inner = groove.adjusted(1, 2, -1, -1)
    points = [QPointF(inner.left() + x * inner.width(), inner.bottom() - y * inner.height()) for x, y in curve]
    return QPolygonF([QPointF(inner.left(), inner.bottom()), *points, QPointF(inner.right(), inner.bottom())])


def curve_colours(palette: QPalette) -> tuple[QColor, QColor]:
    """The curve's colours behind the step and ahead of it."""
    roles = (QPalette.ColorRole.Dark, QPalette.ColorRole.Mid)
    if theme.is_dark(palette):
        roles = (QPalette.ColorRole.Light, QPalette.ColorRole.Button)
    behind, ahead = (QColor(palette.color(role)) for role in roles)
    ahead.setAlpha(110)
    return behind, ahead


def paint_ties(painter: QPainter, lane: QRectF, marks: TimelineMarks, n_steps: int, palette: QPalette) -> None:
    """Bars as high as the share of merges that a tie decided, each over the merges of two pixels or of one merge."""
    if not marks.n_tied[-1]:
        return
    import numpy as np

    n_bins = max(1, min(n_steps, int(lane.width() / _BAR_PX)))
    edges = np.arange(n_bins + 1) * n_steps // n_bins
    reached = marks.n_tied[np.minimum(edges, marks.n_merges)]
    shares = np.diff(reached) / np.diff(edges)
    _paint_bars(painter, lane, shares, _grey(palette), is_upward=True)


def paint_stops(painter: QPainter, lane: QRectF, marks: TimelineMarks, n_steps: int, palette: QPalette) -> None:
    """A triangle below each merge that a breakpoint stops at, or bars where there are too many."""
    colour = palette.color(QPalette.ColorRole.Text)
    if is_crowded(len(marks.stop_ranks), lane):
        _paint_density(painter, lane, marks.stop_ranks, n_steps, colour)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    for x in _places(lane, marks.stop_ranks + 1, n_steps):
        painter.drawPolygon(
            [QPointF(x, lane.top()), QPointF(x - 4, lane.bottom()), QPointF(x + 4, lane.bottom())]
        )  # fmt: skip


def paint_overrides(painter: QPainter, lane: QRectF, ranks: Sequence[int], n_steps: int, palette: QPalette) -> None:
    """A diamond at each override, or bars where there are too many."""
    import numpy as np

    colour, places = palette.color(QPalette.ColorRole.Text), np.asarray(ranks, np.int64)
    if is_crowded(len(places), lane):
        _paint_density(painter, lane.adjusted(0, 4, 0, 0), places, n_steps, colour)
        return
    painter.setPen(QPen(palette.color(QPalette.ColorRole.Window), 1))
    painter.setBrush(colour)
    middle = lane.bottom() - 4
    for x in _places(lane, places + 1, n_steps):
        painter.drawPolygon(
            [QPointF(x, middle - 4), QPointF(x + 4, middle), QPointF(x, middle + 4), QPointF(x - 4, middle)]
        )  # fmt: skip


def paint_flags(painter: QPainter, lanes: Lanes, steps: Sequence[int], n_steps: int, palette: QPalette) -> None:
    """A flag at each bookmark, its pole down to the groove's foot; at the right edge it flies to the left."""
    import numpy as np

    lane, colour = lanes.flags, palette.color(QPalette.ColorRole.Text)
    for x in _places(lane, np.asarray(steps, np.int64), n_steps):
        across = -7 if x + 7 > lane.right() else 7
        painter.setPen(QPen(colour, 1))
        painter.drawLine(QPointF(x, lane.top() + 1), QPointF(x, lanes.groove.bottom()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        top = lane.top() + 1
        painter.drawPolygon([QPointF(x, top), QPointF(x + across, top + 3), QPointF(x, top + 6)])


def paint_selected(painter: QPainter, groove: QRectF, x: float, palette: QPalette) -> None:
    """A ring on a thin line: the merge that made the selected token."""
    colour = palette.color(QPalette.ColorRole.Text)
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
    painter.drawLine(QPointF(x, groove.top() + 7), QPointF(x, groove.bottom()))
    painter.setPen(QPen(colour, 1.5))
    painter.setBrush(palette.color(QPalette.ColorRole.Base))
    painter.drawEllipse(QPointF(x, groove.top() + 4), 3, 3)


def is_crowded(n: int, lane: QRectF) -> bool:
    """Whether so many marks would run into each other."""
    return n * _CROWDED_PX > lane.width()


def _places(lane: QRectF, steps: NDArray[np.int64], n_steps: int) -> list[float]:
    """The x positions of steps; one of those that fall on the same pixel, and none beyond the end."""
    import numpy as np

    places = StepScale(n_steps, left=lane.left(), right=lane.right()).places(steps[steps <= n_steps])
    halves: list[float] = np.unique(np.round(places * 2) / 2).tolist()
    return halves


def _paint_density(  # as high as their share of the bin where they are densest
    painter: QPainter, lane: QRectF, ranks: NDArray[np.int64], n_steps: int, colour: QColor
) -> None:
    import numpy as np

    n_bins = max(1, min(n_steps, int(lane.width() / _CROWDED_PX)))
    edges = np.arange(n_bins + 1) * n_steps // n_bins
    shares = np.histogram(ranks, edges)[0] / np.maximum(1, np.diff(edges))
    _paint_bars(painter, lane, shares / max(shares.max(), 1e-9), colour, is_upward=False)


def _paint_bars(
    painter: QPainter, lane: QRectF, shares: NDArray[np.float64], colour: QColor, *, is_upward: bool
) -> None:
    """One bar a share, at least a pixel high where there is any."""
    width = lane.width() / len(shares)
    gap = 1.0 if width > 3 else 0.0
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, width > 3)
    painter.setBrush(colour)
    places = shares.nonzero()[0]
    heights = (shares[places] * lane.height()).clip(1.0).tolist()
    for place, height in zip(places.tolist(), heights, strict=True):
        top = lane.bottom() - height if is_upward else lane.top()
        painter.drawRect(QRectF(lane.left() + place * width, top, width - gap, height))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)


def _grey(palette: QPalette) -> QColor:
    grey = QColor(theme.muted(palette))
    grey.setAlpha(150)
    return grey
