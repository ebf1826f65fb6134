"""The program as a process of its own: exit statuses, signals and pipes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

import bpe_studio as bpe

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = [sys.executable, "-m", "bpe_studio"]


def _run(*arguments: str, **how: object) -> subprocess.CompletedProcess[bytes]:
    settings: dict[str, object] = {"cwd": ROOT, "capture_output": True, "timeout": 120, **how}
    return subprocess.run([*PROGRAM, *arguments], **settings)  # type: ignore[call-overload, no-any-return]


def test_statuses() -> None:
    assert _run("--version").returncode == 0
    assert _run("--nonsense").returncode == 2
    failed = _run("count", "missing.txt", "-o", "-")
    assert (failed.returncode, failed.stdout) == (1, b"")
    assert failed.stderr.count(b"\n") == 1


INTERRUPTIBLE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Runs a program that an interrupt reaches.

A shell has its background jobs, and all that they start, ignore it.
"""


def _n_unread(pipe: IO[bytes]) -> int:
    """How many bytes of what was written into a pipe nobody has read yet."""
    import fcntl
    import termios

    found = fcntl.ioctl(pipe.fileno(), termios.FIONREAD, b"\0" * 4)
    return int.from_bytes(found, sys.byteorder)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
def test_an_interrupt_ends_with_130_and_one_sentence() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, *PROGRAM, "count", "-", "-o", "-"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stderr is not None
    process.stdin.write(b"words ")
    process.stdin.flush()
    until = time.monotonic() + 60
    while _n_unread(process.stdin) and time.monotonic() < until:
        time.sleep(0.01)
    assert not _n_unread(process.stdin), "the program does not read its input"
    process.send_signal(signal.SIGINT)
    err = process.stderr.read()
    process.stdin.close()
    process.stderr.close()
    assert process.wait(30) == 130
    assert err == b"Interrupted.\n"


@pytest.mark.slow(buys="programs whose reader goes away")
@pytest.mark.skipif(sys.platform == "win32", reason="pipes break in another way there")
def test_a_reader_who_has_read_enough_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text(" ".join(map(str, range(200_000))), "utf-8")
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [*PROGRAM, "count", str(tmp_path / "text.txt"), "-o", "-"],
        cwd=ROOT,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    os.read(reading, 10)
    os.close(reading)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, b"")


def test_without_a_library_of_qt_the_window_says_what_to_install(tmp_path: Path) -> None:
    broken = tmp_path / "PySide6"
    broken.mkdir()
    reason = "libEGL.so.1: cannot open shared object file: No such file or directory"
    (broken / "__init__.py").write_text(f"raise ImportError({reason!r})\n", "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ran = subprocess.run(
        PROGRAM, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "libEGL.so.1" in ran.stderr
    assert "Traceback" not in ran.stderr


WITHOUT_THE_EXTRA = """
import sys
from bpe_studio import __main__, _bootstrap
sys.modules.update(dict.fromkeys(_bootstrap.WINDOW_MODULES))
sys.argv[0] = "bpe-studio"
sys.exit(__main__.main())
"""


def test_without_the_extra_gui_commands_run_and_the_window_names_it(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", WITHOUT_THE_EXTRA, *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)

    (tmp_path / "text.txt").write_text("hug pug", "utf-8")
    assert (
        run(
            "train", str(tmp_path / "text.txt"), "-o", str(tmp_path / "tok"), "--merges", "1"
        ).returncode
        == 0
    )
    window = run()
    assert window.returncode == 1 and window.stderr.count("\n") == 1
    assert "PySide6" in window.stderr and 'pip install ".[gui]"' in window.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("arguments", [["--version"], ["count", "-", "-o", "-"]])
def test_an_interrupt_among_the_imports_shows_no_traceback(
    arguments: list[str], tmp_path: Path
) -> None:
    """The program is stopped where it imports a module that waits."""
    waiting = "import os, time\nos.write(1, b'here')\ntime.sleep(60)\n"
    (tmp_path / "argparse.py").write_text(waiting, "utf-8")
    code = INTERRUPTIBLE
    process = subprocess.Popen(
        [sys.executable, "-c", code, *PROGRAM, *arguments],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )
    assert process.stdout is not None and process.stdout.read(4) == b"here"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"Interrupted.\n")


STILL_COMPILING = """
import threading
from bpe_studio.__main__ import main
threading.Thread(target=threading.Event().wait, daemon=True).start()
main()
print("not ended yet")
"""


def test_a_command_does_not_leave_its_end_to_the_interpreter_while_a_thread_compiles(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-c", STILL_COMPILING, "count", "-", "-o", str(tmp_path / "c.tsv")]
    ran = subprocess.run(command, cwd=ROOT, input=b"hug pug", capture_output=True, timeout=60)
    assert (ran.returncode, ran.stdout) == (0, b"")


IMPORTED = """
import atexit, sys
from bpe_studio.__main__ import main
used = lambda: (name for name, module in sys.modules.items() if type(module).__name__ != "_Unused")
atexit.register(lambda: print(*used(), file=sys.stderr))
main()
"""


def test_help_is_written_to_a_file(tmp_path: Path) -> None:
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with (tmp_path / "help.txt").open("wb") as file:
        subprocess.run(
            [*PROGRAM, "train", "--help"], cwd=ROOT, env=buffered, stdout=file, check=True
        )
    assert "--vocab-size" in (tmp_path / "help.txt").read_text("utf-8")


def test_commands_import_only_what_they_need(tmp_path: Path) -> None:
    def imported(*arguments: str) -> tuple[str, set[str]]:
        ran = subprocess.run(
            [PROGRAM[0], "-c", IMPORTED, *arguments], cwd=ROOT, capture_output=True, text=True
        )
        return ran.stdout, set(ran.stderr.splitlines()[-1].split())

    (tmp_path / "text.txt").write_text("low low lower lowest", "utf-8")
    _, modules = imported(
        "train", str(tmp_path / "text.txt"), "-o", str(tmp_path / "low"), "--vocab-size", "260"
    )
    assert "numpy" in modules and not modules & {"numpy.ma", "numba", "PySide6"}
    encode = ["encode", "-t", str(tmp_path / "low"), "--text", "low lower"]
    ids, modules = imported(*encode)
    assert list(map(int, ids.split())) == bpe.load(tmp_path / "low").encode("low lower").ids
    unneeded = {"numpy", "numba", "tokenizers", "inspect", "pathlib"}
    if sys.version_info >= (3, 13):
        unneeded.remove("inspect")  # dataclasses need it
    assert "bpe_studio.cli" in modules and not modules & unneeded
    assert _run(*encode, "--json").returncode == 0  # which numpy is imported for
