"""Opening the window from the command line: where it cannot open, and the picture that needs no
screen.

Each case is a process of its own, because the platform is chosen once a process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from bpe_studio import _system, cli
from bpe_studio.errors import DisplayError
from bpe_studio.gui import display_check
from tests.gui.programs import run_programs

ROOT = Path(__file__).resolve().parents[2]
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux runs without a display")


def studio(tmp_path, *arguments, **environment):
    left_out = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    inherited = {key: value for key, value in os.environ.items() if key not in left_out}
    home = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from bpe_studio.cli import main; sys.exit(main())",
            *map(str, arguments),
        ],
        cwd=ROOT,
        env={**inherited, **home, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@on_linux
def test_without_a_display_one_sentence_says_so_and_names_the_ways_out(tmp_path):
    ran = studio(tmp_path)
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert len(ran.stderr.strip().splitlines()) == 1
    for words in (
        "cannot open here",
        "no display",
        "desktop session",
        "--screenshot OUT.png",
        "bpe-studio train",
    ):
        assert words in ran.stderr


@on_linux
def test_without_a_display_a_missing_file_is_named_first(monkeypatch, capsys):
    for name in ("DISPLAY", "QT_QPA_PLATFORM", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for file, words in ("missing.txt", "does not exist"), ("*.txt", "display"), ("gpt2", "display"):
        assert cli.main([file]) == 1
        assert words in capsys.readouterr().err


@on_linux
def test_missing_libraries_are_named_with_the_line_that_adds_them(monkeypatch):
    for name in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setattr(display_check, "answers_x11", bool)
    monkeypatch.setattr(_system, "_is_loadable", lambda name: name != "libxcb-cursor.so.0")
    with pytest.raises(
        DisplayError, match=r"libxcb-cursor\.so\.0.*apt-get install .*libxcb-cursor0"
    ):
        display_check.check_display()
    monkeypatch.setattr(_system, "_is_loadable", lambda name: True)
    display_check.check_display()


@on_linux
@pytest.mark.parametrize("environment", [{"DISPLAY": ":4711"}, {"WAYLAND_DISPLAY": "wayland-4711"}])
def test_a_display_that_does_not_answer_is_named(tmp_path, environment):
    ran = studio(tmp_path, **environment)
    assert ran.returncode == 1
    assert len(ran.stderr.strip().splitlines()) == 1
    assert "no display answers at" in ran.stderr and "4711" in ran.stderr


@pytest.mark.slow(buys="the whole program, from its command to a picture")
def test_the_picture_shows_a_trained_text(tmp_path):
    text = tmp_path / "story.txt"
    text.write_text("A small story about a small bridge and a small river. " * 20, encoding="utf-8")
    out = tmp_path / "window.png"
    ran = studio(tmp_path, "--screenshot", out, text)
    assert (ran.returncode, ran.stderr.strip()) == (0, "")
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1440, 900)
    colours = {
        image.pixelColor(x, y).name() for x in range(300, 1000, 2) for y in range(150, 400, 2)
    }
    of_tokens = {"#dcefff", "#f0cc9c", "#daf5e5", "#e9c3f2", "#f0efd4", "#ffbfc3"}
    assert len(colours & of_tokens) >= 3  # in the typed text
    assert not (tmp_path / "config").exists()  # no setting of a person was touched


@pytest.mark.slow(buys="three whole programs, each in a process of its own")
def test_a_picture_without_a_text_and_what_cannot_be_opened_or_written(tmp_path):
    empty, failed, nowhere = (
        tmp_path / name for name in ("empty.png", "failed.png", "no such folder/window.png")
    )
    ways = [(str(empty),), (str(failed), str(tmp_path / "missing.txt")), (str(nowhere),)]
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "HOME": str(tmp_path)}
    code = "import sys; from bpe_studio.cli import main; sys.exit(main())"
    programs = [(["--screenshot", *way], environment) for way in ways]
    whole, missing, unwritable = run_programs(code, programs)
    assert (whole.status, whole.problems) == (0, "") and not QImage(str(empty)).isNull()
    for end, said in ((missing, "missing.txt"), (unwritable, "could not be written")):
        assert end.status == 1 and said in end.problems
        assert len(end.problems.strip().splitlines()) == 1
    assert not QImage(str(failed)).isNull(), "the failure is drawn"


def test_building_the_window_loads_nothing_heavy(tmp_path):
    code = (
        "import sys; from bpe_studio.gui import app; application = app.make_application();"
        "from bpe_studio.gui.main_window import MainWindow; window = MainWindow();"
        "heavy = ('numpy', 'regex', 'numba', 'pyqtgraph', 'qtawesome', 'http.client');"
        "print([name for name in heavy if name in sys.modules]);"
        "window.close()"
    )
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ran.stdout.strip() == "[]", ran.stderr


def test_qt_keeps_the_references_of_none(qapp):
    """PySide6 6.12.0 on Python 3.11 loses one with each call, and the process dies after some
    thousands.
    """
    before = sys.getrefcount(None)
    for _ in range(500):
        qapp.setObjectName("x")
    assert abs(sys.getrefcount(None) - before) < 50
