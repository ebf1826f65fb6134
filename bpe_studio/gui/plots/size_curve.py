"""The curve of tokens against vocabulary size over the whole run, with the chosen sizes as marks that can be dragged.

The picture is a `SizePlot` below it, built once pyqtgraph is imported; until then, and where there is no curve, it
shows a sentence. The handles of the marks paint nothing: they serve the mouse, the keyboard and screen readers. It is
given its curves and steps and measures nothing.

One frame of a drag, with six marks and three curves over 250,000 merges, takes 3.6 ms; without Qt's cache of the curves
and axes it took 6.0 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, QSizeF, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPalette
from PySide6.QtWidgets import QToolTip, QWidget

from bpe_studio.explain.comparison.curves import Series
from bpe_studio.explain.wording import plural
from bpe_studio.gui.look.qt_text import grouping_locale, plain_tip
from bpe_studio.gui.plots.axes import StepScale
from bpe_studio.gui.plots.late_plot import LatePlot
from bpe_studio.gui.plots.size_chart import CURRENT, Point, SizeChart
from bpe_studio.gui.plots.size_handle import SizeHandle

if TYPE_CHECKING:
    from bpe_studio.gui.plots.curve_plot import CurvePlot

NEAR_PX = 9.0
KNEE = (
    "The knee: up to here a further merge saves more than the average merge of this run, from here on less. Where the "
    "run ends later, the knee lies later: it is a sign, not a rule"
)


class SizeCurve(LatePlot):
    """Curves, marks, the knee and the window's step.

    Attributes:
        is_late: whether newer curves are requested and have not arrived.

    Signals:
        mark_moved: (int, int), the index of a mark and the step to which the user drags it.
        mark_removed: int, the index of a mark that the user removes.
        step_chosen: int, the step to which the window is to go.
    """

    mark_moved = Signal(int, object)
    mark_removed = Signal(int)
    step_chosen = Signal(object)
    export_name = "Curve of the vocabulary sizes"
    ground = QPalette.ColorRole.Base

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("compare.curve")
        self.setAccessibleName("Tokens against vocabulary size")
        self._chart = SizeChart()
        self._handles: dict[int, SizeHandle] = {}
        self.is_late = False

    def export_size(self) -> QSize:
        """How large its picture is; empty where there is no curve."""
        return self.size() if self.series else QSize()

    def make_plot(self) -> CurvePlot:
        from bpe_studio.gui.plots.size_plot import SizePlot

        return SizePlot(self._chart, self)

    def message(self) -> str | None:
        return None if self._chart.shown else self._chart.message

    def fit(self) -> None:
        self._chart.size, self._chart.metrics = QSizeF(self.size()), QFontMetricsF(self.font())
        self._settle()

    # What is shown.

    def show_series(self, series: Sequence[Series], base: int, n_merges: int, knee: int | None) -> None:
        """Show curves; each reaches at least to `n_merges`."""
        chart = self._chart
        chart.series, chart.base, chart.n_merges, chart.knee = tuple(series), base, n_merges, knee
        self._redraw()

    def set_marks(self, steps: Sequence[int], step: int) -> None:
        """Set the steps of the chosen sizes and of the window."""
        chart = self._chart
        if (tuple(steps), step) != (chart.marks, chart.step):
            chart.marks, chart.step = tuple(steps), step
            self._settle()

    def set_points(self, points: Sequence[Point]) -> None:
        """Set the curves of other runs and the points of tokenizers."""
        if tuple(points) != self._chart.points:
            self._chart.points = tuple(points)
            self._redraw()

    def set_form(self, *, is_log: bool, is_ratio: bool) -> None:
        """Set whether sizes are logarithmic, and whether bytes per token or tokens are shown."""
        self._chart.is_log, self._chart.is_ratio = is_log, is_ratio
        self._redraw()

    def set_placeholder(self, text: str) -> None:
        """Set the sentence that is shown instead of a curve."""
        self._chart.placeholder = text
        self.update()

    @property
    def marks(self) -> tuple[int, ...]:
        """The steps of the marks."""
        return self._chart.marks

    @property
    def series(self) -> tuple[Series, ...]:
        """The curves that are shown."""
        return self._chart.series

    def handle(self, number: int) -> SizeHandle:
        """The handle of a mark, or of the window's step (`CURRENT`)."""
        return self._handles[number]

    def point(self, number: int) -> QPointF:
        """The position of a mark on the first curve."""
        return self._chart.point(self._step_of(number))

    def scale(self) -> StepScale:
        """The positions of sizes."""
        return self._chart.scale

    def _step_of(self, number: int) -> int:
        """The step of a mark, at most the end of the curves: the run may have been replaced by a shorter one."""
        chart = self._chart
        return min(chart.step if number == CURRENT else chart.marks[number], chart.n_merges)

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 100)

    def _settle(self) -> None:
        """Move the handles to the marks, and update their accessible texts."""
        wanted = [*range(len(self._chart.marks)), CURRENT] if self._chart.series else []
        for number in [number for number in self._handles if number not in wanted]:
            handle = self._handles.pop(number)
            handle.hide()
            handle.deleteLater()
        if wanted:
            scale, room = self.scale(), self._chart.room
            reach = QRectF(0, 2, 2 * NEAR_PX, room.bottom() - 2)
            before: QWidget | None = None
            for number in wanted:
                if number not in self._handles:
                    handle = self._handles[number] = SizeHandle(number, self)
                    handle.pulled.connect(self._on_pulled)
                    handle.nudged.connect(self._on_nudged)
                    handle.chosen.connect(self._on_chosen)
                    handle.removed.connect(self._on_removed)
                    handle.rested.connect(self._on_rested)
                    handle.changed.connect(self._on_handle_changed)
                    handle.show()
                handle = self._handles[number]
                step = self._step_of(number)
                handle.setGeometry(reach.translated(scale.x(step) - NEAR_PX, 0).toRect())
                what = "Step of the window" if number == CURRENT else f"Size {number + 1} of {len(self._chart.marks)}"
                handle.setAccessibleName(what)
                handle.setAccessibleDescription(self.tip(step))
                if before is not None:
                    QWidget.setTabOrder(before, handle)
                before = handle
        self.setAccessibleDescription(self._words())
        self.update_plot()

    def _redraw(self) -> None:
        """Draw again after the curves or their form have changed."""
        self.redraw_plot()
        self._settle()

    @Slot()
    def _on_handle_changed(self) -> None:
        self._chart.held = {number for number, each in self._handles.items() if each.hasFocus() or each.is_held}
        self.update_plot()

    # Texts.

    def tip(self, step: int) -> str:
        """The tooltip at a step: the values of the curves, those of other runs at the same vocabulary size."""
        locale = grouping_locale()
        step = min(max(0, step), self._chart.n_merges)
        lines = [f"Vocabulary {locale.toString(self._chart.base + step)}, step {locale.toString(step)}"]
        for each in self._chart.series:
            lines.append(f"{each.name}: {_tokens_of(int(each.n_tokens[step]), each.n_bytes)}")
        for point in self._chart.points:
            n_tokens = point.n_tokens_at(self._chart.base + step)
            if n_tokens is not None:
                lines.append(f"corpus by {point.name}: {_tokens_of(n_tokens, point.n_bytes)}")
        return "\n".join(lines)

    def _words(self) -> str:
        if not self._chart.series:
            return self._chart.placeholder
        ends = [self.tip(step).replace("\n", "; ") for step in (0, self._chart.n_merges)]
        knee = "" if self._chart.knee is None else f". The knee: {self.tip(self._chart.knee)}".replace("\n", "; ")
        points = "".join(f". {_words_of(each)}" for each in self._chart.points).replace("\n", "; ")
        return f"From {ends[0]} to {ends[1]}{knee}{points}"

    def _tell(self, place: QPointF, globally: QPointF) -> None:
        """Show the values at the pointer."""
        if not self._chart.series:
            return
        step = self.scale().step(place.x())
        self._hover(step)
        text = self.tip(step)
        for each, (point, _) in zip(self._chart.shown_points, self._chart.placed_points(), strict=True):
            if (place - point).manhattanLength() < 2 * NEAR_PX:
                text = _words_of(each)
        knee = self._chart.knee
        if knee is not None and (place - self._chart.point(knee)).manhattanLength() < 2 * NEAR_PX:
            text = f"{self.tip(knee)}\n{KNEE}"
        QToolTip.showText(globally.toPoint(), plain_tip(text), self)

    # User actions.

    @Slot(int, object)
    def _on_pulled(self, number: int, x: float) -> None:
        self._move(number, self.scale().step(x))

    @Slot(int, int, bool)
    def _on_nudged(self, number: int, n: int, is_fine: bool) -> None:
        """Move a mark by so many pixels, or merges if `is_fine`; always by at least one merge."""
        step, scale = self._step_of(number), self.scale()
        wanted = step + n if is_fine else scale.step(scale.x(step) + n)
        if wanted == step or (wanted > step) != (n > 0):
            wanted = step + (1 if n > 0 else -1)
        self._move(number, min(max(0, wanted), self._chart.n_merges))

    def _move(self, number: int, step: int) -> None:
        if number == CURRENT:
            self.step_chosen.emit(step)
        else:
            self.mark_moved.emit(number, step)

    @Slot(int)
    def _on_chosen(self, number: int) -> None:
        if number != CURRENT:
            self.step_chosen.emit(self._chart.marks[number])

    @Slot(int)
    def _on_removed(self, number: int) -> None:
        if number != CURRENT:
            self.mark_removed.emit(number)

    @Slot(object, object)
    def _on_rested(self, place: QPointF, globally: QPointF) -> None:
        self._tell(place, globally)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._chart.series:
            self.step_chosen.emit(self.scale().step(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton and self._chart.series:
            self.step_chosen.emit(self.scale().step(event.position().x()))
        self._tell(event.position(), event.globalPosition())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(None)

    def _hover(self, step: int | None) -> None:
        if step != self._chart.hovered:
            self._chart.hovered = step
            self.update_plot()

    def event(self, event: QEvent) -> bool:
        # The tooltip follows the mouse; it is shown in the move event.
        return True if event.type() == QEvent.Type.ToolTip else super().event(event)


def _words_of(point: Point) -> str:
    size = grouping_locale().toString(point.vocab_size)
    return f"{point.name}: vocabulary {size}\ncorpus: {_tokens_of(point.n_tokens, point.n_bytes)}"


def _tokens_of(n_tokens: int, n_bytes: int) -> str:
    """So many tokens, and the bytes of each if the size is known."""
    per = f", {grouping_locale().toString(n_bytes / n_tokens, 'f', 3)} bytes per token" if n_bytes and n_tokens else ""
    return f"{plural(n_tokens, 'token')}{per}"
