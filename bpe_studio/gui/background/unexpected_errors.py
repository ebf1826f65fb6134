"""Uncaught errors, each shown once in the window instead of being lost on a terminal."""

from __future__ import annotations

import sys
import threading
from types import TracebackType

from PySide6.QtCore import QObject, Signal

from bpe_studio.workspace.messages import unexpected_failure


class UnexpectedErrors(QObject):
    """Watches this process from its creation on.

    Signals:
        found(Failure): an error at a place that had none before.
    """

    found = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._seen: set[tuple[type[BaseException], str, int]] = set()
        sys.excepthook = self._on_error
        threading.excepthook = self._on_error_in_thread

    def _on_error(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        sys.__excepthook__(kind, error, trace)
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = (kind, "", 0)
        if trace is not None:
            place = (kind, trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        # A widget that cannot paint itself tries again and again.
        if isinstance(error, Exception) and place not in self._seen:
            self._seen.add(place)
            self.found.emit(unexpected_failure("Finish the last action", error))

    def _on_error_in_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_error(args.exc_type, args.exc_value, args.exc_traceback)
