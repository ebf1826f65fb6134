"""Imports pyqtgraph without a noticeable pause, and what touches Qt in the window's thread.

pyqtgraph reads every name of Qt's modules, and PySide creates many of them when they are first read. That is
not safe while a window paints: the process has crashed when two threads created a class at the same time. So another
thread imports only what does not touch Qt, and Qt's names are read here, a few at a time; the rest takes a few frames.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from time import perf_counter

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal, Slot

PLAIN_MODULES = ("numpy", "xml.etree.ElementTree", "pydoc", "multiprocessing", "decimal", "importlib.resources")
"""What pyqtgraph imports that does not touch Qt."""
_SLICE_S = 0.006


class PlotImport(QObject):
    """Prepares pyqtgraph for a widget that shows a curve.

    Signals:
        ready: a curve can be built; the first one takes a few frames.
    """

    ready = Signal()
    _imported = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_begun = False
        self._names = _read_names_of_qt()
        self._imported.connect(self._read_more, Qt.ConnectionType.QueuedConnection)

    @Slot()
    def prepare(self) -> None:
        """Start the import if it has not started; `ready` is never emitted within this call."""
        if not self._is_begun:
            self._is_begun = True
            QTimer.singleShot(0, self, self._begin)

    @staticmethod
    def is_done() -> bool:
        """Whether pyqtgraph is imported."""
        return "bpe_studio.gui.plots.curve_plot" in sys.modules

    @Slot()
    def _begin(self) -> None:
        if self.is_done():
            self.ready.emit()
        else:
            QThreadPool.globalInstance().start(_PlainImports(self._imported))

    @Slot()
    def _read_more(self) -> None:
        deadline = perf_counter() + _SLICE_S
        for _ in self._names:
            if perf_counter() > deadline:
                QTimer.singleShot(0, self, self._read_more)
                return
        self.ready.emit()


class _PlainImports(QRunnable):
    """Imports the plain modules in a thread of the pool, and emits `done`."""

    def __init__(self, done: QtCore.SignalInstance) -> None:
        super().__init__()
        self._done = done

    def run(self) -> None:
        for name in PLAIN_MODULES:
            importlib.import_module(name)
        try:
            self._done.emit()
        except RuntimeError:
            # The window was closed meanwhile.
            return


def _read_names_of_qt() -> Iterator[None]:
    """Read every name of the modules that pyqtgraph will read; yields after each, so that a caller can pause."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield
