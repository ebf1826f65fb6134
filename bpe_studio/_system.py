"""What Qt needs from a Linux system: libraries that its wheels do not contain, and fonts for the world's scripts.

Also the browser in which tests open exported pages.

It checks first, and calls apt-get only if something is missing and this process may install it; otherwise it says which
line to run and what works without it. It uses the standard library only.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

# The libraries by the names that the loader uses, with the Debian package of each.
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

# Characters of which a missing one shows that its package is missing.
FONT_SAMPLES = {
    "fonts-noto-core": "aپअก",
    "fonts-noto-cjk": "中あ한",
    "fonts-noto-color-emoji": "👍🧑",
}

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER_PACKAGE = "chromium"

# Runs in the program's environment; prints the packages of FONT_SAMPLES that are missing.
PROBE = """
import json, sys
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6 import QtWidgets
application = QGuiApplication(["probe", "-platform", "offscreen"])
metrics = QFontMetrics(application.font())
samples = json.loads(sys.argv[1])
print(*[name for name, text in samples.items() if not all(metrics.inFontUcs4(ord(letter)) for letter in text)])
"""


class SetupError(Exception):
    """The set-up cannot continue; the text says why and what to do."""


def say(sentence: str) -> None:
    """Prints a message on standard error; standard output is for results."""
    if sys.stderr is not None:
        print(sentence, file=sys.stderr, flush=True)


def program() -> str:
    """The command that starts the program here, for messages that name it."""
    if os.path.basename(sys.argv[0] if sys.argv else "") != "__main__.py":
        return "bpe-studio"
    return "py -m bpe_studio" if os.name == "nt" else "python3 -m bpe_studio"


def check(python: Path, checked: list[str]) -> list[str]:
    """Checks, and if possible installs, the libraries and fonts that the window needs and that were not checked before.

    Args:
        python: an interpreter that has PySide6.
        checked: the result of the last call.

    Returns:
        What needs no further check: `libraries`, `x11`, `wayland`, `fonts`.

    Raises:
        SetupError: Qt cannot be loaded; the text says what to run, and what works without.
    """
    wanted = {"libraries": BASE_LIBRARIES}
    if not os.environ.get("QT_QPA_PLATFORM"):
        if os.environ.get("DISPLAY"):
            wanted["x11"] = X11_LIBRARIES
        if os.environ.get("WAYLAND_DISPLAY"):
            wanted["wayland"] = WAYLAND_LIBRARIES
    lacking = {part: {} if part in checked else missing(libraries) for part, libraries in wanted.items()}
    if any(lacking.values()):
        _install_libraries(lacking)
    done = checked + [part for part, names in lacking.items() if part not in checked and not missing(names)]
    if "fonts" not in done:
        fonts = _missing_fonts(python)
        if fonts and not install(fonts, "to show every script, fonts"):
            say(
                "Some scripts will show as empty boxes, because fonts for them are missing; to add them, run:\n  "
                + apt_line(fonts)
            )
        done = [*done, "fonts"]
    return done


def check_browser(checked: list[str]) -> list[str]:
    """Installs a browser for the tests, unless there is one or it was checked before.

    Args:
        checked: the result of the last call.

    Returns:
        `checked`, with `browser`.
    """
    if "browser" in checked:
        return checked
    if browser() is None and not install([BROWSER_PACKAGE], "to test the pages that the program writes, a browser"):
        say(no_browser())
    return [*checked, "browser"]


def browser() -> str | None:
    """The Chromium of this machine; None if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def no_browser() -> str:
    """The message if there is no Chromium."""
    advice = f", first run {apt_line([BROWSER_PACKAGE])}" if shutil.which("apt-get") else ", install Chromium or Chrome"
    return f"There is no Chromium here to open pages in, and the tests that do so are skipped; to run them{advice}"


def need(packages: list[str], why: str) -> None:
    """Installs packages that are indispensable.

    Raises:
        SetupError: they cannot be installed from here; the text contains the line to run.
    """
    if not install(packages, why):
        raise SetupError(
            f"{why}, and it could not be installed from here; run this line, then the same command again:\n  "
            + apt_line(packages)
        )


def install(packages: list[str], why: str) -> bool:
    """Announces and installs Debian packages, if this process may; returns whether it worked."""
    prefix = _root_prefix()
    if prefix is None:
        return False
    say(f"Installing system packages ({why}): {' '.join(packages)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    options = ["-q", "-y", "-o", "DPkg::Lock::Timeout=120", "--no-install-recommends"]
    words = ""
    for step in (["update", "-q"], ["install", *options, *packages]):
        ran = subprocess.run(
            [*prefix, "apt-get", *step],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        words = ran.stdout
    if ran.returncode == 0:
        return True
    errors = [line for line in words.splitlines() if line.startswith("E:")] or ["E: no reason given"]
    say(f"apt-get could not install them ({errors[0][3:]}).")
    return False


def missing(libraries: dict[str, str]) -> dict[str, str]:
    """The libraries that cannot be loaded, with the package of each."""
    return {name: package for name, package in libraries.items() if not _is_loadable(name)}


def apt_line(packages: list[str]) -> str:
    """The command that installs the packages."""
    return "sudo apt-get update && sudo apt-get install -y --no-install-recommends " + " ".join(packages)


def _install_libraries(lacking: dict[str, dict[str, str]]) -> None:
    """Installs the packages of the libraries.

    Args:
        lacking: the missing libraries, of Qt itself and of each kind of display.

    Raises:
        SetupError: they cannot be installed from here, and no kind of display works without them.
    """
    libraries = {name: package for names in lacking.values() for name, package in names.items()}
    packages = sorted(set(libraries.values()))
    if install(packages, "libraries that Qt needs"):
        return
    displays = [names for part, names in lacking.items() if part != "libraries"]
    if not lacking.get("libraries") and not all(displays):
        return
    advice = "install them with your system's package manager"
    if shutil.which("apt-get"):
        advice = "to add them, run:\n  " + apt_line(packages)
    raise SetupError(
        f"The window cannot open, because system libraries that Qt needs are missing ({', '.join(sorted(libraries))}); "
        f"the command line ({program()} train --help) works without them; {advice}"
    )


def _missing_fonts(python: Path) -> list[str]:
    """The packages of missing fonts.

    Raises:
        SetupError: Qt cannot be loaded, which the check needs.
    """
    ran = subprocess.run(
        [str(python), "-c", PROBE, json.dumps(FONT_SAMPLES)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    if ran.returncode == 0:
        return ran.stdout.split()
    last = (ran.stderr.strip().splitlines() or [f"it ended with status {ran.returncode}"])[-1]
    raise SetupError(
        f"The window cannot open, because Qt cannot be loaded ({last}); install what it names with your system's "
        f"package manager; the command line ({program()} train --help) works without it."
    )


def _is_loadable(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _root_prefix() -> list[str] | None:
    """What to put before apt-get to run it as root: nothing, or sudo; None if neither is possible."""
    if sys.platform != "linux" or not shutil.which("apt-get"):
        return None
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        tried = subprocess.run(["sudo", "-n", "true"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if tried.returncode == 0:
            return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None
