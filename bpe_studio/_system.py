"""Finds what a Linux system lacks for the program besides its packages: libraries of Qt, and fonts.

As root on Debian and Ubuntu it installs them; everybody else gets one line that does. It uses the
standard library only.
"""

from __future__ import annotations

import os
import sys
from itertools import chain

# The Debian package of each library, by the name that the loader uses.
BASE_LIBRARIES = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libX11.so.6": "libx11-6",
}
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
}
WAYLAND_LIBRARIES = {
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
FONTS = {
    "*Arabic*": "fonts-noto-core",
    "*CJK*": "fonts-noto-cjk",
    "*Emoji*": "fonts-noto-color-emoji",
}
"""The Debian package with a font for each pattern of file names; one such file is enough."""
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")


class SetupError(Exception):
    """The set-up cannot continue; the message says why and what to do."""


def say(sentence: str) -> None:
    """Prints a message on standard error; standard output is for results."""
    if sys.stderr is not None:
        print(sentence, file=sys.stderr, flush=True)


def is_installed_command() -> bool:
    """Whether a command that pip has made started the program, and not `python -m`."""
    return not sys.argv or os.path.basename(sys.argv[0]) != "__main__.py"


def program() -> str:
    """The command that starts the program here, for messages that name it."""
    if is_installed_command():
        return "bpe-studio"
    return "py -m bpe_studio" if os.name == "nt" else "python3 -m bpe_studio"


def missing(libraries: dict[str, str]) -> dict[str, str]:
    """The libraries that cannot be loaded, with the package of each."""
    return {name: package for name, package in libraries.items() if not _is_loadable(name)}


def missing_packages() -> tuple[list[str], list[str]]:
    """The missing Debian packages that the window needs to open, and those with which more scripts
    show than as boxes.
    """
    displays: list[dict[str, str]] = []
    if not os.environ.get("QT_QPA_PLATFORM"):
        named = {"DISPLAY": X11_LIBRARIES, "WAYLAND_DISPLAY": WAYLAND_LIBRARIES}
        displays = [missing(libraries) for name, libraries in named.items() if os.environ.get(name)]
    needed = missing(BASE_LIBRARIES)
    if displays:
        # One kind of display is enough.
        fewest: dict[str, str] = min(displays, key=len)
        needed.update(fewest)
    from pathlib import Path

    folders = [Path(folder).expanduser() for folder in FONT_FOLDERS]
    fonts = []
    for name, package in FONTS.items():
        files = chain.from_iterable(folder.rglob(name) for folder in folders)
        if next(files, None) is None:
            fonts.append(package)
    return sorted(set(needed.values())), fonts


def compiler_packages() -> list[str]:
    """The missing Debian packages that a C compiler needs to compile the kernels."""
    import shutil
    import sysconfig

    packages = []
    if shutil.which("cc") is None:
        packages += ["gcc", "libc6-dev"]
    if not os.path.isfile(os.path.join(sysconfig.get_path("include"), "Python.h")):
        packages.append(f"python3.{sys.version_info[1]}-dev")
    return packages


def apt_line(packages: list[str]) -> str:
    """The command that installs the packages."""
    return "sudo apt-get update && sudo apt-get install -y --no-install-recommends " + " ".join(
        packages
    )


def install(packages: list[str]) -> bool:
    """Installs Debian packages if this process may; returns whether it did."""
    import shutil
    import subprocess

    if not packages or not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    say(f"Installing system packages: {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    options = ["-q", "-y", "-o", "DPkg::Lock::Timeout=120", "--no-install-recommends"]
    for step in (["update", "-q"], ["install", *options, *packages]):
        ran = subprocess.run(
            ["apt-get", *step],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
    if ran.returncode:
        say(f"apt-get could not install them: {ran.stderr.strip()}")
    return ran.returncode == 0


def _is_loadable(name: str) -> bool:
    import ctypes

    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True
