"""Ends the program with a sentence on an interrupt, from the first moment on, even during imports.

Until a command runs there is nothing to clean up, and an exception in the middle of an import would
end in a traceback, or look like a failed import. So an interrupt ends the process at once; `cli`
later restores the usual `KeyboardInterrupt`.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

INTERRUPTED = 130
"""The exit status after an interrupt."""


def end_on_interrupt() -> None:
    """Makes an interrupt end the process at once, unless the parent process has set another
    handler.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_interrupts() -> None:
    """Makes an interrupt raise `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"Interrupted.\n")
    finally:
        os._exit(INTERRUPTED)
