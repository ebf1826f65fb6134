"""Opens the window, or draws it into a picture.

It first checks whether a window can open here. The platform plugin is chosen before the first
widget is created. If libraries are missing that Qt needs, importing this module raises ImportError,
which the caller handles.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QThreadPool, QTimer
from PySide6.QtWidgets import QApplication

from bpe_studio.error_report import watch_for_crashes
from bpe_studio.gui.background.garbage import GarbageCollection
from bpe_studio.gui.background.plain_imports import import_plainly
from bpe_studio.gui.background.unexpected_errors import UnexpectedErrors
from bpe_studio.gui.display_check import check_display
from bpe_studio.gui.look import icons
from bpe_studio.gui.widgets import window_settings
from bpe_studio.workspace.jobs import SWITCH_INTERVAL_S

if TYPE_CHECKING:
    from bpe_studio.gui.main_window import MainWindow

WAKE_MS = 250
_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3


def run_app(paths: Sequence[str | PathLike[str]] = ()) -> int:
    """Opens the window with these files and returns when it is closed.

    Raises:
        DisplayError: no window can open here.
    """
    check_display()
    application = make_application()
    from bpe_studio.gui.main_window import MainWindow

    window = MainWindow()
    UnexpectedErrors(window).found.connect(window.banner.show_failure)
    try:
        _end_on_signals(application, partial(_close_unasked, application, window))
        window.show_in_place()
        window.session_offer.show_crash(watch_for_crashes())
        window.begin_keeping()
        if paths:
            files = [Path(path) for path in paths]
            window.open_files(files)
        # Modules and window live as long as the program, so no collection looks at them.
        gc.freeze()
        return int(application.exec())
    finally:
        take_apart(window)


def run_screenshot(out: Path, paths: Sequence[str | PathLike[str]] = ()) -> int:
    """Draws the window into `out`, as a user would see it after the files are loaded and trained.

    The settings of the user and of the window are neither read nor changed.

    Returns:
        0.

    Raises:
        BpeError: the text could not be opened or trained on (the picture shows why), or the picture
            cannot be written.
        KeyboardInterrupt: it was interrupted.
    """
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        window_settings.keep_in(folder)
        application = make_application()
        from bpe_studio.gui.screenshot import Screenshot

        taken = Screenshot(out)
        try:
            _end_on_signals(application, taken.interrupt)
            files = [Path(path) for path in paths]
            return taken.take(files)
        finally:
            take_apart(taken.window)


def _end_on_signals(application: QApplication, end: Callable[[], None]) -> None:
    """Makes Ctrl+C at the terminal and a request to terminate call `end`, which closes the program.

    Otherwise a `KeyboardInterrupt` could arise in any call that Qt makes; some of them cannot pass
    it on and crash the process. Python looks at signals only while it runs, so a timer wakes it. A
    widget may be painting itself at that moment and must not be closed then, so the event loop
    calls `end`. A second signal ends the process at once. If the process was started to ignore
    Ctrl+C, like the background jobs of a shell, it still ignores it.
    """

    def on_signal(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        QTimer.singleShot(0, application, end)

    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, on_signal)
    waking = QTimer(application)
    waking.timeout.connect(_wake)
    waking.start(WAKE_MS)


def _close_unasked(application: QApplication, window: MainWindow) -> None:
    """Close everything without a question, which may have no user to answer it.

    The next start offers unsaved work.
    """
    window.guard.asks = False
    application.closeAllWindows()


def _wake() -> None:
    """Does nothing; Python checks for signals when it is called."""


def make_application() -> QApplication:
    """The application, created once, with the name under which its settings are stored."""
    import_plainly()
    present = QApplication.instance()
    if isinstance(present, QApplication):
        return present
    QApplication.setApplicationName("BPE Studio")
    QApplication.setDesktopFileName("bpe-studio")
    program = sys.argv[0] if sys.argv else "bpe-studio"
    application = QApplication([program])
    GarbageCollection(application)
    sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL_S))
    _limit_heaps()
    application.setWindowIcon(icons.window_icon())
    return application


def _limit_heaps() -> None:
    """Makes glibc return large arrays to the system once they are freed, and share two heaps.

    By default it has eight heaps for each processor and keeps freed arrays; an open text then takes
    a sixth more memory.
    """
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            library = ctypes.CDLL(None)
            library.mallopt(_M_ARENA_MAX, 2)
            library.mallopt(_M_MMAP_THRESHOLD, 1 << 20)


def take_apart(window: MainWindow) -> None:
    """Waits for the threads that outlive the closed window, then deletes it, before Python ends.

    A thread that still imports or counts while Python exits can crash the process; so can charts
    that Python deletes in another order. If an error left the window open, it is closed first.
    """
    if window.isVisible():
        window.guard.asks = False
        window.close()
    window.workspace.backend.end_warm_up()
    QThreadPool.globalInstance().waitForDone()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)
