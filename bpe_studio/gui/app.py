"""Opens the window, or draws it into a picture.

Looks first whether a window can open here at all, because Qt ends the process where it cannot. The platform plugin
is chosen before the first widget is made; the libraries that Qt needs are looked after by the caller, which sees the
ImportError of this module.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from bpe_studio import _system
from bpe_studio.errors import DisplayError
from bpe_studio.gui import icons


def check_display() -> None:
    """Makes sure that a window can open here.

    Raises:
        DisplayError: there is no display, or a library that its plugin needs is missing.
    """
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return
    has_x11, has_wayland = bool(os.environ.get("DISPLAY")), bool(os.environ.get("WAYLAND_DISPLAY"))
    program = _system.program()
    ways = f"{program} --screenshot OUT.png FILE draws it into a picture, and {program} train works without a window"
    if not has_x11 and not has_wayland:
        raise DisplayError(
            "The window cannot open here, because there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set): "
            f"start it in a desktop session; without one, {ways}"
        )
    if has_x11 and not has_wayland:
        lacking = _system.missing(_system.X11_LIBRARIES)
        if lacking:
            raise DisplayError(
                "The window cannot open here, because system libraries that Qt needs for X11 are missing "
                f"({', '.join(sorted(lacking))}); on Debian or Ubuntu this adds them: "
                f"{_system.apt_line(sorted(set(lacking.values())))}; without them, {ways}"
            )


def run_app(paths: Sequence[str | PathLike[str]] = ()) -> int:
    """Opens the window with these files and returns when it is closed.

    Raises:
        DisplayError: no window can open here.
    """
    check_display()
    application = make_application()
    from bpe_studio.gui.main_window import MainWindow

    window = MainWindow()
    window.show_in_place()
    if paths:
        window.open_files([Path(path) for path in paths])
    return int(application.exec())


def run_screenshot(out: Path, paths: Sequence[str | PathLike[str]] = ()) -> int:
    """Draws the window into `out`, as a person would see it after the files are loaded and trained.

    Nothing that a person has set or that the window remembers is read or changed.

    Returns:
        0.

    Raises:
        BpeError: the text could not be opened or learned (the picture then shows why), or the picture not be written.
    """
    if sys.platform == "linux":
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as folder:
        QSettings.setDefaultFormat(QSettings.Format.IniFormat)
        for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
            QSettings.setPath(QSettings.Format.IniFormat, scope, folder)
        make_application()
        from bpe_studio.gui.photographer import Photographer

        return Photographer(out).take([Path(path) for path in paths])


def make_application() -> QApplication:
    """The application, made once, with the name that its settings go by."""
    present = QApplication.instance()
    if isinstance(present, QApplication):
        return present
    QApplication.setApplicationName("BPE Studio")
    QApplication.setDesktopFileName("bpe-studio")
    application = QApplication([sys.argv[0] if sys.argv else "bpe-studio"])
    application.setWindowIcon(icons.window_icon())
    return application
