"""A check that a window can open here. Without it, Qt would end the process with no useful message.

Only Linux needs this: there may be no display, it may not answer, or its libraries may be missing.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path

from bpe_studio import _system
from bpe_studio.errors import DisplayError

PATIENCE_S = 2.0
FIRST_X11_PORT = 6000


def check_display() -> None:
    """Makes sure that a window can open here.

    Raises:
        DisplayError: there is no display that answers, or a library that Qt needs for it is
            missing.
    """
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return
    displays = {name: os.environ.get(name, "") for name in ("DISPLAY", "WAYLAND_DISPLAY")}
    program = _system.program()
    ways = (
        f"{program} --screenshot OUT.png FILE draws it into a picture, and {program} train works"
        " without a window"
    )
    if not any(displays.values()):
        raise DisplayError(
            "The window cannot open here, because there is no display (neither DISPLAY nor"
            f" WAYLAND_DISPLAY is set): start it in a desktop session; without one, {ways}"
        )
    has_x11 = answers_x11(displays["DISPLAY"])
    has_wayland = answers_wayland(displays["WAYLAND_DISPLAY"])
    if not has_x11 and not has_wayland:
        named = " and ".join(f"{name}={value}" for name, value in displays.items() if value)
        raise DisplayError(
            f"The window cannot open here, because no display answers at {named}: "
            f"start it in a desktop session that runs; without one, {ways}"
        )
    lacking: dict[str, str] = {}
    if has_wayland:
        lacking = _system.missing(_system.WAYLAND_LIBRARIES)
        if not lacking:
            return
    if has_x11:
        lacking = _system.missing(_system.X11_LIBRARIES)
        if not lacking:
            return
    raise DisplayError(
        "The window cannot open here, because system libraries that Qt needs are missing "
        f"({', '.join(sorted(lacking))}); on Debian or Ubuntu this installs them: "
        f"{_system.apt_line(sorted(set(lacking.values())))}; without them, {ways}"
    )


def answers_x11(display: str) -> bool:
    """Whether an X server answers at a display such as ":0" or "host:10.0"."""
    found = re.fullmatch(r"(?P<host>.*):(?P<number>\d+)(\.\d+)?", display)
    if found is None:
        # A path, as macOS writes it, or a name that only Qt may know: left to Qt.
        return bool(display)
    host = found["host"]
    number = int(found["number"])
    if host in ("", "unix"):
        path = f"/tmp/.X11-unix/X{number}"
        return _connects(path) or _connects(f"\0{path}")
    try:
        with socket.create_connection((host.strip("[]"), FIRST_X11_PORT + number), PATIENCE_S):
            return True
    except OSError:
        return False


def answers_wayland(display: str) -> bool:
    """Whether a compositor answers at a display such as "wayland-0"."""
    if not display:
        return False
    return _connects(str(Path(os.environ.get("XDG_RUNTIME_DIR", "/")) / display))


def _connects(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trying:
        trying.settimeout(PATIENCE_S)
        try:
            trying.connect(path)
        except OSError:
            return False
    return True
