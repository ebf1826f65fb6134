"""The entry point, also of `python -m bpe_studio`: runs the program, and first sets up a fresh
checkout.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading

from bpe_studio import interrupts
from bpe_studio._lazy_import import import_when_used

_RARELY_USED = (
    "ctypes",
    "inspect",
    "pickle",
    "platform",
    "subprocess",
    "tarfile",
    "tempfile",
    "zipfile",
)
"""Modules that commands, numpy or dataclasses import, and seldom use."""


def main() -> int:
    """Runs the program here if its packages are installed, otherwise in the checkout's own
    environment; returns the exit status.
    """
    # Before the other imports, so that an interrupt among them shows no traceback.
    interrupts.end_on_interrupt()
    from bpe_studio import _bootstrap, _system, cli

    arguments = sys.argv[1:]
    # A command that pip has made runs in the environment that it was installed into, which may lack
    # the window and the compiled kernels.
    sets_up = _bootstrap.is_checkout() and not _system.is_installed_command()
    first = arguments[0] if arguments else ""
    window = first not in cli.COMMANDS
    asks_for_help = first in ("--help", "-h", "--version")
    if asks_for_help or _bootstrap.is_ready(window=window and sets_up, kernels=sets_up):
        os.environ.pop(_bootstrap.GUARD, None)
        if not window:
            # A command's objects live until it ends. Looking for circles among them would take a
            # tenth of its time.
            gc.set_threshold(200_000)
            # No command does what numpy uses more threads for, and making them takes longer than
            # numpy's import.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            for name in _RARELY_USED:
                import_when_used(name)
            if first == "encode":
                # Nothing uses numpy to encode a sentence.
                import_when_used("numpy")
        status = cli.main(arguments)
        # Otherwise the interpreter looks for circles among all objects before it ends.
        gc.freeze()
        n_threads = len([thread for thread in threading.enumerate() if not thread.daemon])
        if not window and n_threads == 1:
            # Freeing all objects one by one would take longer still, and can crash a thread that
            # compiles kernels. All output is flushed by now.
            atexit._run_exitfuncs()
            os._exit(status)
        return status
    if sets_up:
        return _bootstrap.start("bpe_studio", arguments, window=window)
    missing = ", ".join(_bootstrap.missing_modules(kernels=False)) or "Python 3.11 or newer"
    _system.say(f"bpe-studio needs {missing}; run pip install . in the folder of its source")
    return 1


if __name__ == "__main__":
    sys.exit(main())
