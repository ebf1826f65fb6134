"""The entry point, also of `python -m bpe_studio`: runs the program.

A fresh checkout sets itself up first.
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
"""What commands, numpy or dataclasses import, and seldom use."""


def main() -> int:
    """Runs the program here if its packages are installed, otherwise in the checkout's own
    environment.
    """
    # Before the other imports, so that an interrupt among them shows no traceback.
    interrupts.end_on_interrupt()
    from bpe_studio import _bootstrap, _system, cli

    arguments = sys.argv[1:]
    # A command of pip's runs in the environment that it was installed into; there, the window and
    # the compiled kernels may be left out.
    sets_up = _bootstrap.is_checkout() and not _system.is_installed_command()
    window = arguments[:1] not in [[name] for name in cli.COMMANDS]
    if _bootstrap.is_ready(window=window and sets_up, kernels=sets_up) or arguments[:1] in (
        ["--help"],
        ["-h"],
        ["--version"],
    ):
        os.environ.pop(_bootstrap.GUARD, None)
        if not window:
            # A command's objects live until it ends: looking for circles among them would take a
            # tenth of its time.
            gc.set_threshold(200_000)
            # What numpy would use more threads for, no command does; making them takes longer than
            # numpy's import.
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
            for name in _RARELY_USED:
                import_when_used(name)
            if arguments[0] == "encode":
                import_when_used("numpy")  # to encode a sentence, nothing does
        status = cli.main(arguments)
        gc.freeze()  # or the interpreter looks for circles among all objects before it ends
        if not window and sum(not thread.daemon for thread in threading.enumerate()) == 1:
            # To free all objects one by one would take longer still, and can crash a thread that
            # compiles kernels. What was printed is flushed by now.
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
