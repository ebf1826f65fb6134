"""Makes what is saved a few milliseconds at a time, so that the window stays live, and has it written in the pool.

What can be made only in the window's thread (painting, the rows of a table) is a generator. A line above the panels
says what is saved and how far it is, and stops it. One thing at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QProgressBar, QSizePolicy, QToolButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.gui.background.file_writing import Content, FileWriter, Written
from bpe_studio.gui.widgets.containers import row
from bpe_studio.gui.widgets.controls import named

Making = Generator[tuple[int, int] | None, None, Content]

_PIECE_S = 0.008
_PATIENCE_MS = 300
_MOST_BEGINNINGS = 4
CHANGING = "it changes faster than it can be written: pause the run, then save it again"


class ChangedMeanwhileError(Exception):
    """What is being saved has changed since it was begun."""


class SlicedSave(QObject):
    """Saves one thing after the other.

    Signals:
        ended: (str, Path, str), what was saved, where, and why it was not or "".
    """

    ended = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.strip = SavingStrip()
        self._what, self._path = "", Path()
        self._make: Callable[[], Making] | None = None
        self._making: Making | None = None
        self._n_beginnings = 0
        self._pieces = QTimer(self, interval=0)
        self._patience = QTimer(self, singleShot=True, interval=_PATIENCE_MS)
        self._writer = FileWriter(self)
        self._pieces.timeout.connect(self._on_piece)
        self._patience.timeout.connect(self.strip.show)
        self._writer.written.connect(self._on_written)
        self.strip.cancelled.connect(self.cancel)

    @property
    def is_busy(self) -> bool:
        """Whether something is being saved."""
        return self._make is not None

    def begin(self, what: str, path: Path, make: Callable[[], Making]) -> None:
        """Save something.

        Args:
            what: such as "the merges".
            path: the file.
            make: gives what makes its content and yields how far it is; called again where it ends with
                `ChangedMeanwhileError`. It may raise a BpeError.
        """
        assert not self.is_busy
        self._what, self._path, self._make = what, path, make
        self._making, self._n_beginnings = None, 0
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
            self._writer.write(stop.value, self._path)
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
        self._make = self._making = None


class SavingStrip(QWidget):
    """What is being saved, how far, and the way to stop it.

    Signals:
        cancelled: the person wants it stopped.
    """

    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("saving")
        tip = "You can keep using the window; saving starts again where its content changes"
        self.what = named(QLabel(), "saving.what", "What is being saved", tip)
        self.what.setTextFormat(Qt.TextFormat.PlainText)
        self.what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        done = "Progress of saving"
        self.bar = named(QProgressBar(), "saving.progress", done, done)
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(220, 8)
        self.stop = named(QToolButton(), "saving.cancel", "Cancel saving", "Stops; nothing is written")
        self.stop.setText("Cancel")
        row((self.what, 1), self.bar, self.stop, parent=self, margins=(12, 2, 12, 6))
        self.stop.clicked.connect(self.cancelled)
        self.hide()

    def begin(self, what: str) -> None:
        """Say what is saved, of which nothing is made yet."""
        self.what.setText(what)
        self.bar.setRange(0, 0)
        self.stop.setEnabled(True)

    def show_progress(self, done: int, total: int) -> None:
        """Say how far it is."""
        self.bar.setRange(0, max(1, total))
        self.bar.setValue(done)

    def show_writing(self) -> None:
        """All is made; the file is being written in one move."""
        self.bar.setRange(0, 0)
        self.stop.setEnabled(False)
