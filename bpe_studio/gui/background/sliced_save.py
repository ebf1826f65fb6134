"""Makes the content of a file in slices of a few milliseconds, then writes it.

It is for content that only the window's thread can make, such as pictures and rows of a table: a
generator makes it while the window stays responsive. A strip above the panels shows the progress,
with a button to cancel. One file is saved at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.gui.background.file_writing import Content, Written, try_write
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.widgets.containers import row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.progress_line import ProgressLine

Making = Generator[tuple[int, int] | None, None, Content]

_PIECE_S = 0.008
_PATIENCE_MS = 300
_MOST_BEGINNINGS = 4
CHANGING = "it changes faster than it can be written: pause the run, then save it again"


class ChangedMeanwhileError(Exception):
    """The content changed while it was being saved."""


class SlicedSave(QObject):
    """Saves one file after another.

    Signals:
        ended: (str, Path, str): the name of what was saved, the file, and why it failed or "".
    """

    ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.strip = SavingStrip()
        self._what = ""
        self._path = Path()
        self._make: Callable[[], Making] | None = None
        self._making: Making | None = None
        self._n_beginnings = 0
        self._pieces = QTimer(self, interval=0)
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._writer = LatestAnswer(try_write, self)
        self._pieces.timeout.connect(self._on_piece)
        self._patience.timeout.connect(self.strip.show)
        self._writer.answered.connect(self._on_written)
        self.strip.cancelled.connect(self.cancel)

    @property
    def is_busy(self) -> bool:
        """Whether a file is being saved."""
        return self._make is not None

    def begin(self, what: str, path: Path, make: Callable[[], Making]) -> None:
        """Save something.

        Args:
            what: its name, such as "the merges".
            path: the file.
            make: gives the generator that makes the content and yields its progress; called again
                if that ends with `ChangedMeanwhileError`. It may raise a BpeError.
        """
        assert not self.is_busy
        self._what = what
        self._path = path
        self._make = make
        self._making = None
        self._n_beginnings = 0
        self.strip.begin(f"Saving {what} as {path.name}")
        self._patience.start()
        self._pieces.start()

    @Slot()
    def cancel(self) -> None:
        """Stop; nothing is written."""
        if self._pieces.isActive():
            self._rest()

    @Slot()
    def _on_piece(self) -> None:
        end = perf_counter() + _PIECE_S
        assert self._make is not None
        try:
            if self._making is None:
                self._n_beginnings += 1
                self._making = self._make()
            progress = next(self._making)
            while perf_counter() < end:
                progress = next(self._making)
            if progress is not None:
                self.strip.show_progress(*progress)
        except StopIteration as stop:
            self._pieces.stop()
            self.strip.show_writing()
            self._writer.ask(stop.value, self._path)
        except ChangedMeanwhileError:
            self._making = None
            if self._n_beginnings >= _MOST_BEGINNINGS:
                self._end(CHANGING)
        except BpeError as error:
            self._end(str(error))
        except Exception:
            self._rest()
            raise

    @Slot(object)
    def _on_written(self, written: Written) -> None:
        self._end(written.problem)

    def _end(self, problem: str) -> None:
        self._rest()
        self.ended.emit((self._what, self._path, problem))

    def _rest(self) -> None:
        self._pieces.stop()
        self._patience.stop()
        self.strip.hide()
        if self._making is not None:
            self._making.close()
        self._make = None
        self._making = None


class SavingStrip(QWidget):
    """Shows what is being saved, with the progress and a button to cancel.

    Signals:
        cancelled: the user clicked "Cancel".
    """

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("saving")
        tip = "You can keep using the window; if the content changes, saving starts again"
        self.what = named(QLabel(), "saving.what", "File that is being saved", tip)
        self.what.setTextFormat(Qt.TextFormat.PlainText)
        self.what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        done = "Progress of saving"
        self.bar = named(ProgressLine(), "saving.progress", done, done)
        self.bar.setFixedSize(220, 8)
        self.stop = named(
            QToolButton(), "saving.cancel", "Cancel saving", "Stops; nothing is written"
        )
        self.stop.setText("Cancel")
        row((self.what, 1), self.bar, self.stop, parent=self, margins=(12, 2, 12, 6))
        self.stop.clicked.connect(self.cancelled)
        self.hide()

    def begin(self, what: str) -> None:
        """Show that something is saved, with no progress yet."""
        self.what.setText(what)
        self.bar.setRange(0, 0)
        self.stop.setEnabled(True)

    def show_progress(self, done: int, total: int) -> None:
        """Show the progress."""
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)

    def show_writing(self) -> None:
        """Show that the content is complete and the file is being written."""
        self.bar.setRange(0, 0)
        self.stop.setEnabled(False)
