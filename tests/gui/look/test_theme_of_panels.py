"""The panels follow the theme in the program as it is started, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from bpe_studio.gui.app import __file__ as app_file
from bpe_studio.gui.views.layouts import PANELS

PROGRAM = """
import sys
from pathlib import Path
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtGui import QPalette
from bpe_studio.gui.widgets import window_settings
window_settings.keep_in(sys.argv[1])
from bpe_studio.gui.app import make_application
application = make_application()
from bpe_studio.gui.app import take_apart
from bpe_studio.gui.main_window import MainWindow
window = MainWindow()
window.show()
window.open_files([Path(sys.argv[2])])
def wait_until(is_so):
    loop, looking = QEventLoop(), QTimer(interval=20)
    looking.timeout.connect(lambda: is_so() and loop.quit())
    looking.start()
    QTimer.singleShot(50_000, loop, loop.quit)
    loop.exec()
    assert is_so()
def has_lightness(low, high):
    return all(low <= each.palette().color(QPalette.ColorRole.Base).lightness() <= high for each in of_the_theme())
def of_the_theme():
    return window, window.views, *window.panels.values()
wait_until(lambda: window.pages.currentWidget() is window.views)
window.set_theme("light")
window.views.show_panel("compare")
wait_until(lambda: has_lightness(200, 255))
window.set_theme("dark")
wait_until(lambda: has_lightness(0, 60))
for widget in of_the_theme():
    print(widget.palette().color(QPalette.ColorRole.Base).name())
bar = window.panels["compare"].tabs.tabBar()
picture = bar.grab().toImage()
for place in range(1, bar.count()):
    rect = bar.tabRect(place)
    across, down = range(rect.left(), rect.right()), range(rect.top(), rect.bottom())
    print(max(picture.pixelColor(x, y).lightness() for x in across for y in down))
window.close()
take_apart(window)
"""


@pytest.mark.slow(buys="the panels as the started program makes them, in a process of its own")
def test_every_panel_turns_dark(tmp_path):
    path = tmp_path / "story.txt"
    path.write_text("hug pug pun bun hugs\n" * 50, "utf-8")
    root = os.path.dirname(os.path.dirname(os.path.dirname(app_file)))
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": root}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path), str(path)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
        check=True,
    )
    said = ran.stdout.split()
    grounds = [each for each in said if each.startswith("#")]
    tabs = [each for each in said if each.isdigit()]
    assert set(grounds) == {"#191c20"} and len(grounds) == 2 + len(PANELS)
    assert len(tabs) >= 3 and all(int(lightness) > 140 for lightness in tabs), (
        "the names of tabs are legible too"
    )
