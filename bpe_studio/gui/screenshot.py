"""Saves a picture of the main window without a user: opens a text, trains on it, and waits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, QSize, Qt, QThreadPool, QTimer, Slot

from bpe_studio.errors import BpeError, SaveError
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.state import Failure, State

SIZE = QSize(1440, 900)
LOOK_MS = 100
QUIET_LOOKS = 7
MOST_LOOKS = 300


class Screenshot(QObject):
    """Takes one picture.

    Args:
        out: the file of the picture.

    Attributes:
        window: the window that is drawn; it is closed after that, and the caller takes it apart.
    """

    def __init__(self, out: Path) -> None:
        super().__init__()
        self._out = out
        self._failure: Failure | None = None
        self._is_interrupted = False
        self._loop = QEventLoop(self)
        self.window = MainWindow()
        self.window.preloads = False  # no other view will be shown
        self.window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)

    def take(self, paths: Sequence[Path]) -> int:
        """Opens and trains `paths`, then draws.

        Returns:
            0.

        Raises:
            BpeError: something failed, and the picture shows it; or the picture cannot be written.
            KeyboardInterrupt: `interrupt` was called.
        """
        window = self.window
        workspace = self.window.workspace
        window.resize(SIZE)
        window.show()
        if paths:
            workspace.state_changed.connect(self._on_state_changed)
            workspace.failed.connect(self._on_failed)
            window.open_files(paths)
            self._wait()
        self._settle()
        is_saved = window.grab().save(str(self._out))
        window.close()
        if not is_saved:
            raise SaveError(
                f"The picture could not be written to {self._out}: choose a folder that exists, and"
                " a name with .png"
            )
        if self._failure is not None:
            raise BpeError(f"{self._failure.message} {self._failure.hint}".strip())
        return 0

    def interrupt(self) -> None:
        """Stop without a picture."""
        self._is_interrupted = True
        self._loop.quit()

    @Slot(object)
    def _on_state_changed(self, state: State) -> None:
        if state is State.ready:
            self.window.workspace.transport.run_training()
        elif state in (State.done, State.failed):
            self._loop.quit()

    @Slot(object)
    def _on_failed(self, failure: Failure) -> None:
        self._failure = failure
        self._loop.quit()

    def _settle(self) -> None:
        """Waits until the thread pool has been idle for a while, for half a minute at most."""
        n_quiet = 0
        for _ in range(MOST_LOOKS):
            QTimer.singleShot(LOOK_MS, self._loop, self._loop.quit)
            self._wait()
            n_quiet += 1
            if QThreadPool.globalInstance().activeThreadCount():
                n_quiet = 0
            if n_quiet == QUIET_LOOKS:
                return

    def _wait(self) -> None:
        if not self._is_interrupted:
            self._loop.exec()
        if self._is_interrupted:
            raise KeyboardInterrupt
