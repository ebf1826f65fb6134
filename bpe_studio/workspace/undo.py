"""One step of the undo history: how it was before, and the two functions that go there and back.

Who keeps the steps, and how many, is the window's matter; `runs/undo_memory.py` tells how much memory they hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class UndoStep:
    """Something that a person did and can undo.

    Args:
        text: what it was, as after "Undo".
        before: how it was before.
        here: gives how it is now.
        go: goes to what `here` gave.
    """

    def __init__(self, text: str, before: object, here: Callable[[], object], go: Callable[[Any], None]) -> None:
        self.text = text
        self._before, self._after = before, before
        self._here, self._go = here, go

    @property
    def before(self) -> object:
        """What it keeps of the state before."""
        return self._before

    def undo(self) -> None:
        """Goes back to how it was."""
        self._after = self._here()
        self._go(self._before)

    def redo(self) -> None:
        """Goes forward again, to how it was when it was undone."""
        self._before = self._here()
        self._go(self._after)
