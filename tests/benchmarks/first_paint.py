"""Opens a window and ends the process at its first paint: `python -m tests.benchmarks.first_paint ours|empty`."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QMainWindow


def _end_soon() -> None:
    """Ends the process once what is being painted is on the screen; nothing of its end is timed."""
    QTimer.singleShot(0, lambda: os._exit(0))


def show_empty() -> None:
    """The least that a window with a plot can be."""
    import pyqtgraph

    class Plot(pyqtgraph.PlotWidget):
        def paintEvent(self, event: QPaintEvent) -> None:
            super().paintEvent(event)
            _end_soon()

    application = QApplication([])
    window = QMainWindow()
    window.setCentralWidget(Plot())
    window.show()
    application.exec()


def show_ours() -> None:
    """The program, as the command opens it."""
    from bpe_studio import cli
    from bpe_studio.gui.main_window import MainWindow

    paint = MainWindow.paintEvent

    def paint_and_end(self: MainWindow, event: QPaintEvent) -> None:
        paint(self, event)
        _end_soon()

    MainWindow.paintEvent = paint_and_end
    cli.main([])


if __name__ == "__main__":
    {"empty": show_empty, "ours": show_ours}[sys.argv[1]]()
