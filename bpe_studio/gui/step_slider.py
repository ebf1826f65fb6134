"""The timeline: a slider over every merge learned, with the tokens that the corpus still takes drawn behind it.

The curve falls as merges are learned, so it shows where the run did most of its work; forced merges are small marks.
The slider counts steps, 0 to the number of merges learned; a click or a drag goes to the place under the pointer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QPixmap,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QSlider, QWidget

from bpe_studio.gui import theme

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MARGIN_PX = 7
KNOB_PX = 5
N_POINTS = 400
MOST_MARKS = 200


class StepSlider(QSlider):
    """A horizontal slider whose groove is a small plot of the run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._curve: list[tuple[float, float]] = []
        self._pictures: list[QPixmap] = []
        self._pictures_key: tuple[object, ...] = ()
        self._marks: list[int] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setRange(0, 0)

    def sizeHint(self) -> QSize:
        return QSize(400, 36)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 36)

    def show_run(self, run: Run | None, n_merges: int) -> None:
        """Draws the first `n_merges` merges of the run; the value is the caller's to set."""
        self._curve, self._marks = _curve(run, n_merges)
        self._pictures_key = ()
        self.setMaximum(n_merges)
        self.setPageStep(max(1, n_merges // 20))
        self.update()

    def step_at(self, x: float) -> int:
        """The step under the place `x` of the widget."""
        share = (x - MARGIN_PX) / max(1.0, self.width() - 2 * MARGIN_PX)
        return round(min(1.0, max(0.0, share)) * self.maximum())

    def place_of(self, step: float) -> float:
        """Where a step is drawn."""
        share = step / self.maximum() if self.maximum() else 0.0
        return MARGIN_PX + share * (self.width() - 2 * MARGIN_PX)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            event.ignore()
            return
        self.setSliderDown(True)
        self.setSliderPosition(self.step_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setSliderPosition(self.step_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.setSliderDown(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # With Alt the arrows are the transport's shortcuts.
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        # A wheel that passes over the timeline while something else is scrolled must not move the step.
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            groove = QRectF(self.rect()).adjusted(MARGIN_PX, 4, -MARGIN_PX, -4)
            edge = palette.color(QPalette.ColorRole.Mid)
            painter.setPen(QPen(edge, 1))
            painter.setBrush(palette.color(QPalette.ColorRole.Base if self.isEnabled() else QPalette.ColorRole.Window))
            painter.drawRoundedRect(groove, 3, 3)
            if self.maximum() > 0:
                self._paint_curve(painter, groove, palette)
                self._paint_marks(painter, groove, palette)
                self._paint_step(painter, groove, palette)

    def _paint_curve(self, painter: QPainter, groove: QRectF, palette: QPalette) -> None:
        if len(self._curve) < 2:
            return
        inner = groove.adjusted(1, 3, -1, -1)
        behind, ahead = self._pictures_of(inner, palette)
        # The line of the step covers where the two meet.
        here, height = round(self.place_of(self.sliderPosition())), self.height()
        ratio = self.devicePixelRatioF()
        for picture, left, right in ((behind, 0, here), (ahead, here, self.width())):
            part = QRectF(left * ratio, 0, (right - left) * ratio, height * ratio)
            painter.drawPixmap(QRectF(left, 0, right - left, height), picture, part)

    def _pictures_of(self, inner: QRectF, palette: QPalette) -> list[QPixmap]:
        """The whole curve as it is behind the step, and as it is ahead; painted once, as a drag shows it each frame."""
        key = (self.width(), self.height(), self.devicePixelRatioF(), palette.cacheKey())
        if key != self._pictures_key:
            behind, ahead = (
                QColor(palette.color(QPalette.ColorRole.Dark)),
                QColor(palette.color(QPalette.ColorRole.Mid)),
            )
            if theme.is_dark(palette):
                behind, ahead = (
                    QColor(palette.color(QPalette.ColorRole.Light)),
                    QColor(palette.color(QPalette.ColorRole.Button)),
                )
            ahead.setAlpha(110)
            area = self._area_in(inner)
            self._pictures = [self._picture(area, colour) for colour in (behind, ahead)]
            self._pictures_key = key
        return self._pictures

    def _picture(self, area: QPolygonF, colour: QColor) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap((QSizeF(self.size()) * ratio).toSize())
        picture.setDevicePixelRatio(ratio)
        picture.fill(Qt.GlobalColor.transparent)
        with QPainter(picture) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawPolygon(area)
        return picture

    def _area_in(self, inner: QRectF) -> QPolygonF:
        points = [
            QPointF(inner.left() + x * inner.width(), inner.bottom() - share * inner.height())
            for x, share in self._curve
        ]
        return QPolygonF([QPointF(inner.left(), inner.bottom()), *points, QPointF(inner.right(), inner.bottom())])

    def _paint_marks(self, painter: QPainter, groove: QRectF, palette: QPalette) -> None:
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Text), 1))
        for rank in self._marks:
            x = self.place_of(rank + 1)
            painter.drawLine(QPointF(x, groove.top() + 2), QPointF(x, groove.top() + 6))

    def _paint_step(self, painter: QPainter, groove: QRectF, palette: QPalette) -> None:
        x = self.place_of(self.sliderPosition())
        accent = theme.accent(palette) if self.isEnabled() else theme.muted(palette)
        painter.setPen(QPen(accent, 2))
        painter.drawLine(QPointF(x, groove.top() - 2), QPointF(x, groove.bottom() + 2))
        painter.setBrush(accent)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Base), 1.5))
        radius = KNOB_PX + (1 if self.hasFocus() or self.isSliderDown() else 0)
        painter.drawEllipse(QPointF(x, groove.center().y()), radius, radius)


def _curve(run: Run | None, n_merges: int) -> tuple[list[tuple[float, float]], list[int]]:
    """Points (share of the merges, share of the tokens) of the curve, and the ranks of forced merges."""
    if run is None or n_merges < 1:
        return [], []
    columns = run.columns
    n_tokens = columns.n_tokens
    first = float(run.initial_n_tokens) or 1.0
    n_points = min(n_merges, N_POINTS)
    ranks = [(k + 1) * n_merges // n_points - 1 for k in range(n_points)]
    points = [(0.0, 1.0)]
    points += [((rank + 1) / n_merges, float(n_tokens[rank]) / first) for rank in ranks]
    n_forced = min(n_merges, MOST_MARKS)
    return points, [rank for rank in range(n_forced) if columns.forced[rank]]
