"""Unexpected errors: one file says where they were, and none of the user's text."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QWidget

from bpe_studio import cli
from bpe_studio.error_report import reports_folder
from bpe_studio.gui.background.unexpected_errors import UnexpectedErrors
from bpe_studio.gui.shell.banner import Banner
from bpe_studio.gui.widgets.containers import column

SECRET = "a line of the corpus"


@pytest.fixture(autouse=True)
def state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))


def reports() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in reports_folder().glob("report-*.txt")]


def _fail(*_: object) -> None:
    try:
        {}[SECRET]
    except KeyError as error:
        raise ValueError(SECRET) from error


def test_a_command_names_a_file_that_says_where_and_nothing_of_the_text(monkeypatch, capsys):
    monkeypatch.setattr(cli, "_command", _fail)
    assert cli.main(["train", SECRET]) == 1
    (text,) = reports()
    assert str(reports_folder()) in capsys.readouterr().err
    assert "train" in text and "ValueError" in text and "KeyError" in text and "in _fail" in text
    assert SECRET not in text and str(Path.home()) not in text


def test_without_a_writable_folder_the_sentence_remains(monkeypatch, capsys, tmp_path):
    (tmp_path / "bpe-studio").write_text("a file where the folder would be")
    monkeypatch.setattr(cli, "_command", _fail)
    assert cli.main(["train"]) == 1
    assert "ValueError" in capsys.readouterr().err


def test_the_window_shows_an_error_of_a_slot_once_and_copies_its_report(qtbot, monkeypatch):
    page = QWidget()
    panels = QLabel("panels", page)
    banner = Banner(panels)
    column(panels, parent=page)
    qtbot.addWidget(page)
    for module, hook in ((sys, "excepthook"), (threading, "excepthook"), (sys, "__excepthook__")):
        monkeypatch.setattr(module, hook, lambda *_: None)
    UnexpectedErrors(page).found.connect(banner.show_failure)
    for _ in range(3):
        QTimer.singleShot(0, _fail)
    qtbot.waitUntil(lambda: banner.kind == "failure")
    thread = threading.Thread(target=_fail)
    thread.start()
    thread.join()
    (text,) = reports()
    assert text.count("in _fail") == 2
    banner.actions_row[0].click()
    assert QGuiApplication.clipboard().text() == text


def test_a_crash_is_reported_by_the_next_start():
    starting = "from bpe_studio.error_report import watch_for_crashes; found = watch_for_crashes();"

    def start(then: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", f"{starting} {then}"]
        return subprocess.run(
            command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False
        )

    crash = "import faulthandler; faulthandler._sigsegv()"
    assert start(crash).returncode != 0
    # Another process that starts and crashes before the report is read does not take it away.
    other = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {starting!r}])"
    nested = f"print(found.read_text(), flush=True); {other}; {crash}"
    assert "Segmentation fault" in start(nested).stdout
    assert "Segmentation fault" in start("print(found.read_text())").stdout
    assert start("print(found)").stdout == "None\n"
