"""Turns: panels show what is new one after another, each in a turn of the event loop of its own.

While a run learns at full speed, every panel has something new at the same moment. Drawn in one go that is a pause
which a hand feels; in turns, what one panel changed is painted before the next begins, and keys and the mouse come in
between. What is shown is always the newest, for a panel looks when its turn comes and not when it asks.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from shiboken6 import isValid

PAUSE_MS = 4


class RefreshSlot(QObject):
    """One panel's place in the line.

    Signals:
        came: the panel's turn; it may change as much as is drawn within a frame.
    """

    came = Signal()

    def __init__(self, workspace: QObject, parent: QObject) -> None:
        """A place that is not asked for yet.

        Args:
            workspace: the panels that draw it share one line.
            parent: the panel.
        """
        super().__init__(parent)
        self._line = workspace.findChild(_Line) or _Line(workspace)

    @property
    def is_waiting(self) -> bool:
        """Whether the turn was asked for and has not come."""
        return self in self._line.waiting

    def ask(self) -> None:
        """Wait for a turn; asked for again before it came, it stays one."""
        self._line.add(self)

    def drop(self) -> None:
        """Leave the line: what was to be shown is shown already."""
        self._line.waiting.pop(self, None)


class _Line(QObject):
    def __init__(self, workspace: QObject) -> None:
        super().__init__(workspace)
        self.waiting: dict[RefreshSlot, None] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._on_timeout)

    def add(self, turn: RefreshSlot) -> None:
        self.waiting.setdefault(turn)
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def _on_timeout(self) -> None:
        while self.waiting:
            turn = next(iter(self.waiting))
            del self.waiting[turn]
            if isValid(turn):
                # Before the panel does its part, so that the pause is one for the others' events and not for nothing.
                self._timer.start()
                turn.came.emit()
                return
