"""The canvas of a skyline: it shows a part of the picture, scrolls and zooms it, and lays out the rest bit by bit.

It takes no mouse or keys but the wheel's; `view.py` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from bpe_studio.gui.look import theme
from bpe_studio.gui.skyline.picture import SkylinePicture

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.gui.tokens.merge_animation import MergeAnimation

ZOOMS = (50, 67, 80, 100, 125, 150, 200, 250, 300, 400)
_SLICE_S = 0.006
_FITTED = range(ZOOMS[-1], ZOOMS[0] - 1, -5)


class SkylineCanvas(QAbstractScrollArea):
    """A text with the merge trees of its words over it, scrolled and zoomed.

    Signals:
        zoom_changed: int, percent.
    """

    zoom_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.picture = SkylinePicture(self.font())
        self.zoom = 100
        self.n_merges = 0
        self._placeholder = ""
        self._animation: MergeAnimation | None = None
        self._rest = QTimer(self, interval=0)
        self._rest.timeout.connect(self._lay_out_more)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self.viewport().setBackgroundRole(QPalette.ColorRole.Base)
        self.viewport().setAutoFillBackground(True)

    def sizeHint(self) -> QSize:
        return QSize(560, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 120)

    @property
    def placeholder(self) -> str:
        """The sentence in place of the picture."""
        return self._placeholder

    def set_placeholder(self, text: str) -> None:
        """Say something in place of the picture; "" shows the picture."""
        if text != self._placeholder:
            self._placeholder = text
            self.viewport().update()

    def set_run(self, run: Run | None, text: str, step: int, n_merges: int, top: int) -> None:
        """Show a text as another run cuts it; `top` is the most merges that the scale has to hold."""
        self.picture.animation = None
        self.picture.set_run(run, text, top)
        self.picture.step, self.n_merges = step, n_merges
        self._fit_bars()

    def set_text(self, text: str) -> None:
        """Show another text."""
        self.picture.animation = None
        self.picture.set_text(text)
        self._fit_bars()

    def grow(self, n_merges: int, top: int) -> None:
        """Show what the run has trained meanwhile."""
        self.n_merges = n_merges
        self.picture.grow(top)
        self._fit_bars()

    def set_step(self, step: int) -> None:
        """Show the tokens at another step."""
        if step != self.picture.step:
            self.picture.step = step
            self.viewport().update()

    @Slot(object)
    def show_merge(self, animation: MergeAnimation | None) -> None:
        """Show a merge in the moment in which it is made, if it has a joint in what is visible; None: it is over."""
        before, self._animation, picture = self._animation, animation, self.picture
        if animation is None:
            was_shown, picture.animation = picture.animation is not None, None
            if before is not None and was_shown:
                self.set_step(before.step)
                self.viewport().update()
            return
        if before is None:
            is_shown = self.isVisible() and not self._placeholder and animation.rank < self.n_merges
            picture.animation = animation if is_shown and picture.holds(animation.rank, self._seen()) else None
        if picture.animation is not None:
            picture.animation = animation
            self.viewport().update()

    def set_zoom(self, percent: int, anchor: QPointF | None = None) -> None:
        """Show it larger or smaller, what is at the anchor staying there."""
        percent = min(max(ZOOMS[0], percent), ZOOMS[-1])
        if percent == self.zoom:
            return
        anchor = anchor if anchor is not None else QPointF(0, 0)
        share = (self.verticalScrollBar().value() + anchor.y()) / max(1.0, self.picture.height)
        self.zoom = percent
        self._arrange()
        self.verticalScrollBar().setValue(round(share * self.picture.height - anchor.y()))
        self.zoom_changed.emit(percent)

    @Slot()
    def zoom_in(self) -> None:
        """Show it larger."""
        self.set_zoom(next((zoom for zoom in ZOOMS if zoom > self.zoom), ZOOMS[-1]))

    @Slot()
    def zoom_out(self) -> None:
        """Show it smaller."""
        self.set_zoom(next((zoom for zoom in reversed(ZOOMS) if zoom < self.zoom), ZOOMS[0]))

    @Slot()
    def fit(self) -> None:
        """Show it as large as all of it can be seen."""
        size = self.viewport().size()
        picture, rows = self.picture, self.picture.rows
        if rows is None:
            return
        for percent in _FITTED:
            picture.set_room(size.width(), size.height(), percent / 100)
            if rows.is_complete and picture.height <= size.height() and picture.width <= size.width():
                break
        picture.set_room(size.width(), size.height(), self.zoom / 100)
        self.set_zoom(percent)
        self._fit_bars()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            inner = self.viewport().rect()
            if self._placeholder:
                painter.setPen(theme.muted(self.palette()))
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(inner.adjusted(16, 16, -16, -16), int(flags), self._placeholder)
            else:
                self.picture.paint(painter, self._seen(), self.palette())
            if self.hasFocus():
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(theme.muted(self.palette()))
                painter.drawRect(inner.adjusted(0, 0, -1, -1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.picture.set_font(self.font())
            self._fit_bars()
        elif event.type() == QEvent.Type.PaletteChange:
            self.viewport().update()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = 1.0 + event.angleDelta().y() / 1200
            self.set_zoom(round(self.zoom * min(max(factor, 0.5), 2.0)), event.position())
            event.accept()
        else:
            super().wheelEvent(event)

    def _seen(self) -> QRectF:
        across, down = self.horizontalScrollBar().value(), self.verticalScrollBar().value()
        return QRectF(QPointF(across, down), self.viewport().size())

    def _show_place(self, place: QRectF) -> None:
        for bar, low, high, size in (
            (self.verticalScrollBar(), place.top() - 16, place.bottom() + self.picture.measures.letters * 2,
             self.viewport().height()),
            (self.horizontalScrollBar(), place.left() - self.picture.left - 8, place.right() + 16,
             self.viewport().width()),
        ):  # fmt: skip
            bar.setValue(round(min(max(bar.value(), high - size), low)))

    def _arrange(self) -> None:
        size = self.viewport().size()
        self.picture.set_room(size.width(), size.height(), self.zoom / 100)
        self._fit_bars()

    def _fit_bars(self) -> None:
        size, picture = self.viewport().size(), self.picture
        down, across = self.verticalScrollBar(), self.horizontalScrollBar()
        down.setRange(0, max(0, round(picture.height - size.height())))
        down.setPageStep(size.height())
        down.setSingleStep(max(10, round(picture.row_height / 2)))
        across.setRange(0, max(0, round(picture.width - size.width())))
        across.setPageStep(size.width())
        across.setSingleStep(20)
        if picture.rows is not None and not picture.rows.is_complete:
            self._rest.start()
        self.viewport().update()

    @Slot()
    def _lay_out_more(self) -> None:
        rows = self.picture.rows
        if rows is None or rows.extend(None, _SLICE_S):
            self._rest.stop()
            self.picture.arrange()
            self._fit_bars()
        else:
            self.verticalScrollBar().setMaximum(max(0, round(self.picture.height - self.viewport().height())))
