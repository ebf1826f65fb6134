"""What waits in the tests of the window: as pytest-qt's, but long enough for a computer that is
busy with other things.

Five seconds, its own time, pass on two cores that compile or test something else as well. Waiting
longer costs nothing where nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytestqt.qtbot import QtBot

PATIENCE_MS = 20_000


class PatientBot(QtBot):
    """Waits for twenty seconds where a test does not say how long, and keeps the widgets until the
    test is over.

    Without that, a search for garbage while the events after a test are processed may take a widget
    away in the middle of its painting."""

    def __init__(self, request: Any) -> None:
        super().__init__(request)
        self._kept: list[Any] = []

    def addWidget(self, widget: Any, *, before_close_func: Any = None) -> None:
        super().addWidget(widget, before_close_func=before_close_func)
        self._kept.append(widget)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = PATIENCE_MS) -> None:
        super().waitUntil(callback, timeout=timeout)

    def waitSignal(self, signal: Any, *, timeout: int = PATIENCE_MS, **options: Any) -> Any:
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitSignals(self, signals: list[Any], *, timeout: int = PATIENCE_MS, **options: Any) -> Any:
        return super().waitSignals(signals, timeout=timeout, **options)

    def waitExposed(self, widget: Any, *, timeout: int = PATIENCE_MS) -> Any:
        return super().waitExposed(widget, timeout=timeout)
