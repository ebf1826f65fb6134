"""The end of the program: what goes on beside the closed window is waited for, and the window taken apart in order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QThreadPool

if TYPE_CHECKING:
    from bpe_studio.gui.main_window import MainWindow


def take_apart(window: MainWindow) -> None:
    """Waits for what goes on beside the closed window and takes it apart; to be called before Python ends.

    A thread that still imports or counts while Python takes itself down may crash the process, and so may curves
    that Python takes apart in an order of its own.
    """
    window.workspace.end_warm_up()
    QThreadPool.globalInstance().waitForDone()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete.value)
