"""The program as a process of its own: exit statuses, signals and pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from bpe_studio import cli
from tests.files.third_party.made import content_of

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
"""Runs a program that an interrupt reaches; a shell has its background jobs, and all that they start, ignore it."""


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
        cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
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
        [*PROGRAM, "count", str(tmp_path / "text.txt"), "-o", "-"], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE
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
    ran = subprocess.run(PROGRAM, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "libEGL.so.1" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    """A tokenizer of two merges, next to the text that it has learned from."""
    text = tmp_path / "text.txt"
    text.write_text("hug pug hug é", "utf-8")
    assert cli.main(["train", str(text), "-o", str(tmp_path / "tok"), "--preset", "textbook", "--merges", "2"]) == 0
    return tmp_path / "tok"


def _through_shell(line: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["sh", "-c", f'"$0" -m bpe_studio "$@" {line}', sys.executable, *map(str, arguments)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


other_command = pytest.mark.slow(buys="the same streams with the commands that read and write them elsewhere")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize(
    ("line", "arguments", "says"),
    [
        (">&-", ["encode", "-t", "{}", "--text", "hug"], "Standard output is closed"),
        pytest.param(">&-", ["decode", "-t", "{}", "1"], "Standard output is closed", marks=other_command),
        pytest.param(">&-", ["count", "{}/../text.txt", "-o", "-"], "Standard output is closed", marks=other_command),
        ("<&-", ["train", "--counts", "-", "-o", "{}2", "--preset", "textbook"], "There is no standard input"),
        pytest.param(
            "<&-",
            ["train", "-", "-o", "{}2", "--preset", "textbook"],
            "There is no standard input",
            marks=other_command,
        ),
        pytest.param("<&-", ["decode", "-t", "{}"], "There is no standard input", marks=other_command),
        (">/dev/full", ["encode", "-t", "{}", "--text", "hug"], "could not be written to standard output"),
    ],
)
def test_streams_that_are_closed_or_full(line: str, arguments: list[str], says: str, tokenizer: Path) -> None:
    if "/dev/full" in line and not os.path.exists("/dev/full"):
        pytest.skip("there is no full device here")
    ran = _through_shell(line, *(argument.format(tokenizer) for argument in arguments))
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1), ran.stderr
    assert says in ran.stderr


@pytest.mark.slow(buys="programs in several locales")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locale")
def test_arguments_are_utf_8_in_a_locale_without_letters(tokenizer: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0"}
    expected = _through_shell("", "encode", "-t", tokenizer, "--text", "hug é")
    assert _through_shell("", "encode", "-t", tokenizer, "--text", "hug é", **plain).stdout == expected.stdout != ""
    options = ["--preset", "textbook", "--merges", "2", "--special", "é!", "--split", r"regex:é|\p{L}+"]
    ran = _through_shell("", "train", tokenizer / "../text.txt", "-o", tokenizer.parent / "ä", *options, **plain)
    assert ran.returncode == 0, ran.stderr
    assert "é!" in (tokenizer.parent / "ä" / "tokenizer.json").read_text("utf-8")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("arguments", [["--version"], ["count", "-", "-o", "-"]])
def test_an_interrupt_among_the_imports_shows_no_traceback(arguments: list[str], tmp_path: Path) -> None:
    """The program is stopped where it imports a module that waits."""
    waiting = "import os, time\nos.write(1, b'here')\ntime.sleep(60)\n"
    (tmp_path / "argparse.py").write_text(waiting, "utf-8")
    code = INTERRUPTIBLE
    process = subprocess.Popen(
        [sys.executable, "-c", code, *PROGRAM, *arguments],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert process.stdout is not None and process.stdout.read(4) == b"here"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (130, b"Interrupted.\n")


@pytest.mark.slow(buys="programs in which native code fails; refused files are in each run")
def test_an_error_of_native_code_is_one_sentence(tmp_path: Path) -> None:
    """The library panics at this text only, so that opening it first does not find it, and prints where."""
    split = {"type": "Split", "pattern": {"Regex": "(x+x+)+y"}, "behavior": "Isolated", "invert": False}
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps({**json.loads(content_of("gpt2")), "pre_tokenizer": split}), "utf-8")
    ran = _run("encode", "-t", str(file), "--text", "x" * 40)
    assert ran.returncode == 1
    assert ran.stderr.decode().count("\n") == 1
    assert ran.stderr.startswith(b"The text cannot be encoded: tokenizers says ")
    (tmp_path / "text").write_text("a b")
    usage = _run("encode", "-t", str(file), "--no-such-option")
    assert usage.returncode == 2 and b"--no-such-option" in usage.stderr
