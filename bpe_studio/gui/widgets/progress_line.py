"""A thin progress bar, of which a part moves while the progress is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QElapsedTimer, QRectF, Qt, QTimer
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QProgressBar, QStyle, QWidget

from bpe_studio.explain.wording import percent

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.labels import Note
    from bpe_studio.workspace.state import Progress

FRAME_MS = 40
PERIOD_MS = 1600
MOVING_SHARE = 0.25


class ProgressLine(QProgressBar):
    """A line that is 6 pixels high."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextVisible(False)
        self._since = QElapsedTimer()
        self._since.start()
        self._frames = QTimer(self, interval=FRAME_MS)
        self._frames.timeout.connect(self.update)

    @property
    def is_unknown(self) -> bool:
        """Whether the progress is unknown."""
        return self.minimum() == self.maximum() == 0

    def filled(self) -> tuple[float, float]:
        """The start and the end of the filled part, as shares of the line."""
        if not self.is_unknown:
            return 0.0, (self.value() - self.minimum()) / max(1, self.maximum() - self.minimum())
        phase = self._since.elapsed() % PERIOD_MS / PERIOD_MS if self._frames.isActive() else 0.25
        start = (1.0 - MOVING_SHARE) * (1.0 - abs(2.0 * phase - 1.0))
        return start, start + MOVING_SHARE

    def paintEvent(self, event: QPaintEvent) -> None:
        palette = self.palette()
        top = (self.height() - 6) / 2
        px = self.width()
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            grounds = (
                ((0.0, 1.0), QPalette.ColorRole.Mid, 0.45),
                (self.filled(), QPalette.ColorRole.WindowText, 0.75),
            )
            for (start, end), role, opacity in grounds:
                painter.setBrush(palette.color(role))
                painter.setOpacity(opacity)
                if end > start:
                    painter.drawRoundedRect(QRectF(start * px, top, (end - start) * px, 6), 3, 3)

    def setRange(self, minimum: int, maximum: int) -> None:
        super().setRange(minimum, maximum)
        self._move()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._move()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._move()

    def _move(self) -> None:
        """Move while it is visible, unless the desktop wants no animations."""
        moves = (
            self.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration, None, self) > 0
        )
        if moves and self.is_unknown and self.isVisible():
            if not self._frames.isActive():
                self._frames.start()
        else:
            self._frames.stop()


def show_job(
    progress: Progress | None, start: QWidget, line: ProgressLine, cancel: QWidget, state: Note
) -> None:
    """Show the progress of a job, and swap the buttons that start and cancel it.

    The keyboard focus moves with them; otherwise, Qt would give it to the next control in the
    window.

    Args:
        progress: the progress of the job; None if it does not run.
        start: the button that starts the job, hidden while it runs.
        line: shows the share that is done.
        cancel: the button that cancels the job.
        state: says what is being done while the job runs; otherwise the caller sets it.
    """
    shown, hidden = (start, cancel) if progress is None else (cancel, start)
    shown.show()
    if hidden.hasFocus():
        shown.setFocus()
    hidden.hide()
    line.setVisible(progress is not None)
    if progress is not None:
        line.setValue(round(100 * (progress.fraction or 0.0)))
        state.set_message(f"{progress.what}: {percent(progress.fraction or 0.0, 0)}", "help")
