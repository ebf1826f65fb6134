"""Imports pyqtgraph without a noticeable pause, and what touches Qt in the window's thread.

pyqtgraph reads every name of Qt's modules, and PySide creates many of them when they are first read. That is
not safe while a window paints: the process has crashed when two threads created a class at the same time. So another
thread imports only what does not touch Qt, and Qt's names are read here, a few at a time. Then pyqtgraph itself is
imported, one module and then one statement of its package at a time, without the graphics items and widgets that no
curve uses; `pyqtgraph_import.py` is where the plots get it from, so that none of them sees it half imported.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib.abc import InspectLoader
from itertools import chain
from pathlib import Path
from time import perf_counter
from types import CodeType

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, QTimer, Signal, Slot

from bpe_studio.gui.background.import_steps import import_steps
from bpe_studio.gui.background.scheduling import BREATH_MS, TurnTimer

PLAIN_MODULES = (
    "numpy", "xml.etree.ElementTree", "pydoc", "multiprocessing", "decimal", "importlib.resources", "colorsys", "regex",
    "yaml",
)  # fmt: skip
"""What pyqtgraph and the panels import that does not touch Qt."""
_PYQTGRAPH = "pyqtgraph"
_CLASSES = re.compile(r"graphicsItems\.|widgets\.|imageview$")
_USED = {
    f"graphicsItems.{name}"
    for name in ("AxisItem", "GraphicsObject", "GraphicsWidget", "LabelItem", "PlotDataItem", "PlotItem", "ViewBox")
} | {"widgets.GraphicsLayoutWidget", "widgets.GraphicsView"}
"""The modules that its package has classes of, and those of them that the plots use, or its own clean-up at the end."""
_QT_OF_PYQTGRAPH = ("PySide6.QtSvg", "PySide6.QtOpenGLWidgets", "PySide6.QtTest")
_SLICE_S = 0.002


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
        self._steps = chain(_read_names_of_qt(), _pyqtgraph_steps(), import_steps("bpe_studio.gui.plots.growth_plot"))
        self._soon = TurnTimer(self)
        self._soon.setSingleShot(True)
        self._soon.timeout.connect(self._go_on)
        self._imported.connect(self._go_on, Qt.ConnectionType.QueuedConnection)

    @Slot()
    def prepare(self) -> None:
        """Start the import if it has not started; `ready` is never emitted within this call."""
        if not self._is_begun:
            self._is_begun = True
            QTimer.singleShot(0, self, self._begin)

    @staticmethod
    def is_done() -> bool:
        """Whether pyqtgraph is imported."""
        return "bpe_studio.gui.plots.growth_plot" in sys.modules

    @Slot()
    def _begin(self) -> None:
        if self.is_done():
            self.ready.emit()
        else:
            QThreadPool.globalInstance().start(_PlainImports(self._imported))

    @Slot()
    def _go_on(self) -> None:
        deadline = perf_counter() + _SLICE_S
        for _ in self._steps:
            if perf_counter() > deadline:
                self._soon.start(BREATH_MS)
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
        _statements()
        try:
            self._done.emit()
        except RuntimeError:
            # The window was closed meanwhile.
            return


def finish() -> None:
    """Import the rest of pyqtgraph now, if it is half imported."""
    for _ in _pyqtgraph_steps():
        pass


def _read_names_of_qt() -> Iterator[None]:
    """Read every name of the modules that pyqtgraph will read; yields after each, so that a caller can pause."""
    for name in _QT_OF_PYQTGRAPH:
        with suppress(ImportError):  # pyqtgraph does without them
            importlib.import_module(name)
        yield
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield


_running: list[Iterator[None]] = []
"""The one import of pyqtgraph, once it has begun."""


def _pyqtgraph_steps() -> Iterator[None]:
    """Goes on with the import of pyqtgraph, which all widgets share."""
    if not _running and _PYQTGRAPH not in sys.modules:
        _running.append(_execute())
    for steps in _running:
        for _ in steps:  # not `yield from`, which would end the import together with a widget
            yield


def _execute() -> Iterator[None]:
    spec = importlib.util.find_spec(_PYQTGRAPH)
    assert spec is not None
    package = sys.modules[_PYQTGRAPH] = importlib.util.module_from_spec(spec)
    try:
        for imported, statement in _statements():
            if spec.origin is not None:
                yield from import_steps(*imported, root=Path(spec.origin).parent.parent)
            exec(statement, vars(package))
            yield
    except GeneratorExit:
        raise  # only where Python exits, and the modules are going
    except BaseException:
        del sys.modules[_PYQTGRAPH]
        raise


@cache
def _statements() -> tuple[tuple[tuple[str, ...], CodeType], ...]:
    """The statements of pyqtgraph's package that are needed, compiled, each with the module of its own it imports."""
    spec = importlib.util.find_spec(_PYQTGRAPH)
    assert spec is not None
    assert isinstance(spec.loader, InspectLoader)
    source = spec.loader.get_source(_PYQTGRAPH)
    if source is None:  # in a frozen program
        code = spec.loader.get_code(_PYQTGRAPH)
        assert code is not None
        return (((), code),)
    return tuple(
        (
            _imported(statement),
            compile(ast.Module([statement], []), spec.origin or _PYQTGRAPH, "exec", dont_inherit=True),
        )
        for statement in ast.parse(source).body
        if not _is_unused(statement)
    )


def _is_unused(statement: ast.stmt) -> bool:
    """Whether a statement imports classes that no plot uses: they take half of the time, with 80 modules."""
    module = statement.module if isinstance(statement, ast.ImportFrom) and statement.level == 1 else None
    return module is not None and _CLASSES.match(module) is not None and module not in _USED


def _imported(statement: ast.stmt) -> tuple[str, ...]:
    if isinstance(statement, ast.ImportFrom) and statement.level == 1 and statement.module is not None:
        return (f"{_PYQTGRAPH}.{statement.module}",)
    return ()
