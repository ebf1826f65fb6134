"""Where the program begins: an interrupt ends it with a sentence from its first moment on, also while it imports.

Until a command runs there is nothing to clean up, and an exception in the middle of an import would end in a traceback,
or in an import that seems to have failed. So an interrupt ends the process at once; `cli` has it raised as usual then.
"""

from __future__ import annotations

import os
import signal
from types import FrameType

INTERRUPTED = 130
"""The exit status after an interrupt."""


def main() -> int:
    """Runs the command line; the installed command begins here."""
    end_on_interrupt()
    from bpe_studio import cli

    return cli.main()


def end_on_interrupt() -> None:
    """Have an interrupt end the process at once, unless whoever started it chose otherwise."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def raise_interrupts() -> None:
    """Have an interrupt raised as `KeyboardInterrupt` again."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> None:
    try:
        os.write(2, b"Interrupted.\n")
    finally:
        os._exit(INTERRUPTED)
