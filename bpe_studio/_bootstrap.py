"""Sets up a checkout: makes a virtual environment in its folder and installs the packages.

It uses the standard library only, and a syntax that Python versions too old for the program can still read, so that
they can say so. `_system` handles what Qt needs from the system. An installed program never comes here, because pip has
done this work.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bpe_studio import _system
from bpe_studio._system import SetupError, say

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
STAMP = VENV / "bpe-studio-setup.json"
LOG = VENV / "bpe-studio-setup.log"
OLDEST_PYTHON = (3, 11)
GUARD = "BPE_STUDIO_IS_SET_UP"

PROGRAM_MODULES = (
    "numpy",
    "numba",
    "regex",
    "charset_normalizer",
    "platformdirs",
    "PySide6",
    "pyqtgraph",
    "qtawesome",
    "yaml",
    "PIL",
    "tokenizers",
    "sentencepiece",
    "ftfy",
)
TEST_MODULES = (
    "pytest",
    "pytestqt",
    "xdist",
    "hypothesis",
    "transformers",
    "rustbpe",
    "tiktoken",
    "subword_nmt",
    "huggingface_hub",
    "pyarrow",
    "fsspec",
    "aiohttp",
    "zstandard",
    "isal",
    "distributed",
    "hatchling",
    "ruff",
    "mypy",
    "importlinter",
)
NO_NETWORK_SIGNS = ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ReadTimeout", "ProxyError")


def is_checkout() -> bool:
    """Whether the package is in a checkout, which can set itself up."""
    return (ROOT / "pyproject.toml").is_file()


def missing_modules(*, tests: bool = False) -> list[str]:
    """The names of needed modules that this interpreter cannot import.

    PySide6 6.12 counts as missing before Python 3.12, where it aborts (see pyproject.toml).
    """
    needed = PROGRAM_MODULES + (TEST_MODULES if tests else ())
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if sys.version_info < (3, 12) and "PySide6" not in missing:
        from importlib.metadata import PackageNotFoundError, version

        try:
            numbers = version("PySide6-Essentials").split(".")
        except PackageNotFoundError:
            numbers = ["0"]
        if [int(number) for number in numbers[:2] if number.isdigit()] >= [6, 12]:
            missing.append("PySide6")
    return missing


def is_ready(*, tests: bool = False) -> bool:
    """Whether this interpreter can run the program (or its tests)."""
    return sys.version_info >= OLDEST_PYTHON and not missing_modules(tests=tests)


def start(module: str, arguments: list[str], *, tests: bool = False, window: bool = True) -> int:
    """Sets up what is missing and runs `python -m module` with the arguments in the checkout's environment.

    Args:
        module: the module to run.
        arguments: its arguments.
        tests: also install what the tests need.
        window: also check the system's libraries and fonts, which only a window (and the tests) needs, and with `tests`
            a browser.

    Returns:
        The exit status; if the system allows it, the new process replaces this one and nothing is returned.
    """
    try:
        python = ensure(tests=tests, window=window)
    except SetupError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(
            f"The set-up stopped in {ROOT}: {error.strerror or error} ({error.filename or 'no file named'}). "
            "Make room there, or copy the checkout to a folder that you may write to, and run the same command again."
        )
        return 1
    except KeyboardInterrupt:
        say("The set-up was interrupted; run the same command again to continue it.")
        return 130
    os.environ[GUARD] = "twice" if os.environ.get(GUARD) else "once"
    command = [str(python), "-m", module, *arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 130


def ensure(*, tests: bool, window: bool) -> Path:
    """The interpreter of a complete environment, which is made or repaired if necessary.

    Raises:
        SetupError: the environment cannot be made; the text says why and what to do.
    """
    if is_ready(tests=tests) and not _is_own_environment():
        return Path(sys.executable)
    if os.environ.get(GUARD) == "twice":
        names = ", ".join(missing_modules(tests=tests))
        raise SetupError(f"{VENV} still lacks {names} after the set-up; delete that folder and run the command again.")
    stamp = _read_stamp()
    is_current = stamp.get("project") == _project_hash() and stamp.get("root") == str(ROOT) and _venv_python().exists()
    if is_current and tests:
        is_current = bool(stamp.get("tests"))
    if is_current and _is_own_environment():
        is_current = not missing_modules(tests=tests)
    if not is_current:
        tests = tests or bool(stamp.get("tests"))
        if STAMP.exists():
            STAMP.unlink()
        _make_venv()
        _install(tests=tests)
        stamp = {"project": _project_hash(), "root": str(ROOT), "tests": tests}
        _write_stamp(stamp)
    if window and sys.platform == "linux":
        checked = list(stamp.get("checked", []))
        now_checked = _system.check(_venv_python(), checked)
        if tests:
            now_checked = _system.check_browser(now_checked)
        if now_checked != checked:
            _write_stamp({**stamp, "checked": now_checked})
    return _venv_python()


def _is_own_environment() -> bool:
    """Whether this interpreter belongs to the checkout's own environment."""
    return Path(sys.prefix).resolve() == VENV.resolve()


def _venv_python() -> Path:
    return VENV / "Scripts" / "python.exe" if os.name == "nt" else VENV / "bin" / "python"


def _read_stamp() -> dict[str, Any]:
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(stamp: dict[str, Any]) -> None:
    part = STAMP.with_suffix(".part")
    part.write_text(json.dumps(stamp), encoding="utf-8")
    part.replace(STAMP)


def _project_hash() -> str:
    return hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()


def _make_venv() -> None:
    """Makes the environment, unless there is a working one."""
    if _answers([str(_venv_python()), "-c", "import sys, pip; sys.exit(sys.version_info < (3, 11))"]):
        return
    python = _find_python()
    version = subprocess.check_output(
        [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], text=True
    ).strip()
    if not _answers([python, "-c", "import venv, ensurepip"]):
        _system.need([f"python{version}-venv"], f"Python {version} lacks its venv module here")
    say(f"Making a virtual environment with Python {version} in {VENV}")
    made = subprocess.run(
        [python, "-m", "venv", "--clear", str(VENV)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip
    if made.returncode:
        lines = made.stdout.strip().splitlines() or ["no reason given"]
        raise SetupError(
            f"The virtual environment {VENV} could not be made: {lines[-1]} "
            "Delete that folder if it is there, see that the disk has room, and run the same command again."
        )


def _find_python() -> str:
    """An interpreter that is new enough for the program: this one, or another one on this machine."""
    if sys.version_info >= OLDEST_PYTHON:
        return getattr(sys, "_base_executable", None) or sys.executable
    for minor in range(15, OLDEST_PYTHON[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found and _answers([found, "-c", f"import sys; sys.exit(sys.version_info[:2] != (3, {minor}))"]):
            return found
    raise SetupError(
        "BPE Studio needs Python 3.11 or newer, and this is Python {}.{}; install a newer one from your system's "
        "packages or from python.org, and run the same command with it.".format(*sys.version_info[:2])
    )


def _answers(command: list[str]) -> bool:
    """Whether a command can be run and succeeds."""
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _install(*, tests: bool) -> None:
    """Installs the project and its dependencies into the environment."""
    what = "the program, its tests and all that they need" if tests else "the program and all that it needs"
    say(f"Installing {what}; the first time this fetches some 500 MB")
    target = f"{ROOT}[test]" if tests else str(ROOT)
    command = [str(_venv_python()), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    command += ["--progress-bar", "off", "--retries", "2", "-e", target]
    lines = []
    is_terminal = sys.stderr.isatty()
    with LOG.open("w", encoding="utf-8") as log, subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, encoding="utf-8", errors="replace", cwd=str(ROOT),
    ) as pip:  # fmt: skip
        assert pip.stdout is not None
        for line in pip.stdout:
            log.write(line)
            lines.append(line.strip())
            if is_terminal and re.match(r"\s*(Collecting|Downloading|Installing|Preparing|Building)\b", line):
                sys.stderr.write("\r\033[K  " + line.strip()[:76])
                sys.stderr.flush()
    if is_terminal:
        sys.stderr.write("\r\033[K")
    if pip.returncode == 0:
        return
    if any(sign in line for line in lines for sign in NO_NETWORK_SIGNS):
        raise SetupError(
            "The packages could not be fetched, because the Python package index cannot be reached: connect to the "
            f"internet (or set pip's proxy or index) and run the same command again; pip's output is in {LOG}."
        )
    errors = [line for line in lines if line.startswith("ERROR:")] or lines[-1:] or ["no reason given"]
    raise SetupError(
        f"pip could not install the packages ({errors[0][:300]}); fix what it names and run the same command "
        f"again; all of pip's output is in {LOG}."
    )


if __name__ == "__main__":
    # For scripts: the interpreter in which the program and its tests are set up.
    try:
        print(ensure(tests=True, window=False))
    except SetupError as error:
        say(str(error))
        sys.exit(1)
