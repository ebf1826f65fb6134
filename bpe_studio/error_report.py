"""Writes a report of an unexpected error for a maintainer to a file in the user's folder.

The report is never sent. It has the versions, the system and the places in the code. It has neither
the messages of errors nor the values of variables, which may be text of the corpus, and no folder
of the user.
"""

from __future__ import annotations

import atexit
import faulthandler
import os
import platform
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import BinaryIO

from bpe_studio._version import __version__
from bpe_studio.user_folders import state_folder

_PACKAGES = (
    "PySide6-Essentials",
    "pyqtgraph",
    "numpy",
    "numba",
    "regex",
    "tokenizers",
    "transformers",
    "sentencepiece",
)
_CRASHES = "crash-*.txt"
_OLD_S = 7 * 24 * 3600
"""The age at which an empty file counts as left by a process that was killed."""
_MOST_REPORTS = 20
_MOST_PLACES = 100
_MOST_CRASH_BYTES = 1 << 20


def reports_folder() -> Path:
    """The folder of the reports; only the newest are kept."""
    return state_folder("reports")


def report(error: BaseException, doing: str) -> Path | None:
    """Writes a report.

    Args:
        error: the error.
        doing: the name of the action, without names of files.

    Returns:
        The file; `None` if it cannot be written.
    """
    return _written(f"BPE Studio {__version__}\nError in: {doing}\n\n{_system()}\n{_places(error)}")


def watch_for_crashes() -> Path | None:
    """Makes a crash of native code in this process write its place to a file, from now on.

    Returns:
        The report on a crash of an earlier process; `None` if there was none.
    """
    found = None
    with suppress(OSError):
        folder = reports_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for path in folder.glob(_CRASHES):
            found = _reported_crash(path) or found
        path = folder / _CRASHES.replace("*", str(os.getpid()))
        # It stays open, as the handler writes to it when nothing can be opened any more.
        stream = path.open("ab")
        faulthandler.enable(stream)
        atexit.register(_end_watching, stream, path)
    return found


def _reported_crash(path: Path) -> Path | None:
    with suppress(OSError):
        crash = path.read_bytes()[:_MOST_CRASH_BYTES].decode("utf-8", "replace")
        if crash.strip():
            path.unlink()
            return _written(
                f"BPE Studio {__version__}\nCrash\n\n{_system()}\n{_without_folders(crash)}"
            )
        if time.time() - path.stat().st_mtime > _OLD_S:
            path.unlink()
    return None


def _end_watching(stream: BinaryIO, path: Path) -> None:
    faulthandler.disable()
    stream.close()
    path.unlink(missing_ok=True)


def _written(text: str) -> Path | None:
    with suppress(OSError):
        folder = reports_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in sorted(folder.glob("report-*.txt"))[: -_MOST_REPORTS + 1]:
            old.unlink(missing_ok=True)
        path = folder / f"report-{time.strftime('%Y%m%d-%H%M%S')}-{time.time_ns() % 10**9:09}.txt"
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
        return path
    return None


def _system() -> str:
    lines = [f"Python {platform.python_version()} on {platform.platform()}"]
    for package in _PACKAGES:
        with suppress(metadata.PackageNotFoundError):
            lines.append(f"{package} {metadata.version(package)}")
    return "\n".join(lines) + "\n"


def _places(error: BaseException) -> str:
    parts = []
    for one in _with_causes(error):
        places = "".join(traceback.format_tb(one.__traceback__, -_MOST_PLACES))
        parts.append(f"{type(one).__name__}\n{places}")
    return _without_folders("\nBecause of:\n".join(parts))


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        context = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or context


def _without_folders(text: str) -> str:
    """The text without the folders of packages and of the user at the start of paths."""
    for folder in sorted({*filter(None, sys.path), str(Path.home())}, key=len, reverse=True):
        text = text.replace(folder + os.sep, "")
    return text
