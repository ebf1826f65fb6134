"""What an action does when it is triggered; the signal's `checked` must not reach what counts or asks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction


def on_trigger(action: QAction, do: Callable[[], object]) -> None:
    """Do something each time that an action is triggered."""
    action.triggered.connect(partial(_call, do))


def _call(do: Callable[[], object], checked: bool = False) -> None:
    do()
