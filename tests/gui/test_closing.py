"""The program ends cleanly whenever its window is closed: while it starts, imports, and reads or
compiles kernels.
"""

from __future__ import annotations

import os

import pytest

from tests.gui.programs import Ended, run_programs

CODE = """
import sys
from PySide6.QtCore import QTimer
from bpe_studio.gui import app
from bpe_studio.gui.main_window import MainWindow

show = MainWindow.show_in_place


def show_and_close(self):
    show(self)
    QTimer.singleShot(int(sys.argv[1]), self, self.close)


MainWindow.show_in_place = show_and_close
sys.exit(app.run_app(sys.argv[2:]))
"""
AT_ONCE = 4
BETWEEN_MS = 300
LAST_MS = AT_ONCE * BETWEEN_MS


@pytest.mark.slow(
    buys="programs closed at other moments of their start; a crash shows in some runs only"
)
def test_it_ends_with_0_and_says_nothing(tmp_path):
    programs = {}
    for delay_ms in range(0, LAST_MS, BETWEEN_MS):
        environment = {"XDG_CONFIG_HOME": str(tmp_path)}
        if delay_ms // BETWEEN_MS % 2 == 1:
            # Kernels that were never compiled: another process compiles them.
            environment["NUMBA_CACHE_DIR"] = str(tmp_path / f"kernels{delay_ms}")
            os.mkdir(environment["NUMBA_CACHE_DIR"])
        programs[delay_ms] = ([str(delay_ms)], environment)
    for delay_ms, end in zip(programs, run_programs(CODE, programs.values(), AT_ONCE), strict=True):
        assert end == Ended(0, "", ""), f"closed after {delay_ms} ms"


UNDER_WAY = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QFileDialog
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.gui import app
from bpe_studio.gui.main_window import MainWindow
from bpe_studio.workspace.state import State

what, delay_ms, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
QFileDialog.getSaveFileName = lambda parent, title, start, kind, *options: (str(folder / Path(start).name), kind)
show = MainWindow.show_in_place


def begin(window):
    workspace = window.workspace
    if what == "game":
        window.game.play()
    elif what == "lesson":
        window.lessons.start_file(window.lessons.entries[-1].path)
    elif what == "beside":
        workspace.side_runs.train(workspace.config.replace(split="none"))
    elif what == "held out":
        workspace.settings.hold_out(0.2)
    else:
        window.export_menu.save_table(window.panels["merges"].table)
        window.actions_by_id["file.export_animation"].trigger()
    QTimer.singleShot(delay_ms, window, window.close)


def show_and_begin(window):
    show(window)
    workspace = window.workspace
    workspace.settings.apply(TrainingConfig.preset("gpt2", merges=40))
    workspace.opener.open_text("the hug of a pug in the sun " * 400, "Text")
    timer = QTimer(window, interval=10)

    def look():
        if workspace.run is not None and workspace.state is State.ready:
            workspace.transport.run_training()
        elif workspace.state is State.done:
            timer.stop()
            begin(window)

    timer.timeout.connect(look)
    timer.start()


MainWindow.show_in_place = show_and_begin
sys.exit(app.run_app([]))
"""


@pytest.mark.slow(
    buys="programs that are closed in the midst of a job, each in a process of its own"
)
def test_it_ends_cleanly_with_something_under_way(tmp_path):
    moments = [("game", 60), ("lesson", 60), ("beside", 0), ("held out", 60), ("export", 0)]
    # Qt names scripts for which no font is installed.
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "QT_LOGGING_RULES": "qt.text.font.db=false"}
    programs = [([what, str(delay_ms), str(tmp_path)], environment) for what, delay_ms in moments]
    ends = run_programs(UNDER_WAY, programs, at_once=2)
    for (what, delay_ms), end in zip(moments, ends, strict=True):
        # The offscreen platform says so of each dialog.
        problems = end.problems.replace("This plugin does not support propagateSizeHints()\n", "")
        assert (end.status, end.out, problems) == (0, "", ""), f"{what}, closed after {delay_ms} ms"


ENDING = """
import signal
import sys
import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from bpe_studio import cli, interrupts
from bpe_studio.gui import app
from bpe_studio.gui.main_window import MainWindow

way, arguments = sys.argv[1], sys.argv[2:]
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job is started to ignore it
interrupts.end_on_interrupt()
take_apart, show = app.take_apart, MainWindow.showEvent


def note(window):
    take_apart(window)
    print("taken apart" if not shiboken6.isValid(window) else "still there")


class Painting(QWidget):
    # Ctrl+C comes while it paints itself.

    is_painted = False

    def paintEvent(self, event):
        if not self.is_painted:
            self.is_painted = True
            signal.raise_signal(signal.SIGINT)


def end(window):
    if way == "paint":
        Painting(window).show()
    elif way.startswith("SIG"):
        signal.raise_signal(getattr(signal, way))
    elif way == "quit":
        window.actions_by_id["file.quit"].trigger()
    elif way == "close":
        window.close()


def show_and_end(window, event):
    show(window, event)
    QTimer.singleShot(200, window, lambda: end(window))


def fail(window, paths):
    raise OSError(5, "no such luck")


app.take_apart, MainWindow.showEvent = note, show_and_end
if way == "error":
    MainWindow.open_files = fail
sys.exit(cli.main(arguments))
"""


@pytest.mark.slow(
    buys="eight programs that end in as many ways, and leave nothing to Python's own end"
)
def test_the_window_is_taken_apart_however_the_program_ends(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat " * 2000, "utf-8")
    picture = ["--screenshot", str(tmp_path / "out.png"), str(text)]
    ways = {
        ("close",): (0, ""),
        ("quit", str(text)): (0, ""),
        ("SIGINT", str(text)): (0, ""),
        ("paint", str(text)): (0, ""),
        ("SIGTERM", str(text)): (0, ""),
        ("error", str(text)): (
            1,
            "no such luck; check the name, the permissions and the free space on the disk.\n",
        ),
        ("picture", *picture): (0, ""),
        ("SIGINT", *picture): (130, "Interrupted.\n"),
    }
    environment = {"XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    ends = run_programs(ENDING, [(way, environment) for way in ways])
    for (way, (status, sentence)), end in zip(ways.items(), ends, strict=True):
        assert end == Ended(status, "taken apart\n", sentence), way
