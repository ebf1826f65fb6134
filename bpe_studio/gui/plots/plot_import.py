"""Importing pyqtgraph without a pause that is felt, and in the window's thread.

pyqtgraph reads every name of Qt's modules, and PySide makes much of what they stand for when it is first read. That is
not safe beside a window that draws: a class that two threads make at a time has crashed the process. So another thread
imports only what does not touch Qt, and Qt's names are read here, a few at a time; what is left takes a few frames.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QRunnable

PLAIN_MODULES = ("numpy", "xml.etree.ElementTree", "pydoc", "multiprocessing", "decimal", "importlib.resources")
"""What pyqtgraph imports that does not touch Qt."""


class PlainImports(QRunnable):
    """Imports those modules in a thread of the pool, and says so.

    Args:
        done: a signal without arguments, emitted in the end.
    """

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


def read_names_of_qt() -> Iterator[None]:
    """Read every name of the modules that pyqtgraph will read; yields after each, so that a caller can pause."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield
