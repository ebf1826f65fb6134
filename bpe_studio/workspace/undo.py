"""One step of the undo history: the state before it, and the two functions that restore states.

The window keeps the history (`gui/shell/undo.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class UndoStep:
    """An action of the user that can be undone.

    Args:
        text: the action, to follow "Undo".
        before: the state before it.
        here: returns the present state.
        go: restores a state that `here` returned.
    """

    def __init__(
        self, text: str, before: object, here: Callable[[], object], go: Callable[[Any], None]
    ) -> None:
        self.text = text
        self._before = before
        self._after = before
        self._here = here
        self._go = go

    @property
    def before(self) -> object:
        """The state before the action, as it is kept."""
        return self._before

    def undo(self) -> None:
        """Restores the state before the action."""
        self._after = self._here()
        self._go(self._before)

    def redo(self) -> None:
        """Restores the state from which it was undone."""
        self._before = self._here()
        self._go(self._after)
