"""A checkout sets itself up: what is recognized as missing, and what is said where it cannot be
had.
"""

from __future__ import annotations

import ast
import importlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_studio import _bootstrap, _system, interrupts
from bpe_studio.engine.kernels import built_ahead

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout without an environment."""
    (tmp_path / "bpe_studio").mkdir()
    for source in (ROOT / "bpe_studio").iterdir():
        (tmp_path / "bpe_studio" / source.name).symlink_to(source)
    # It takes the folder in which it lies for the checkout.
    (tmp_path / "bpe_studio" / "_bootstrap.py").unlink()
    shutil.copy(ROOT / "bpe_studio" / "_bootstrap.py", tmp_path / "bpe_studio")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.setattr(_bootstrap, "ROOT", str(tmp_path))
    monkeypatch.setattr(_bootstrap, "VENV", str(tmp_path / ".venv"))
    monkeypatch.setattr(_bootstrap, "STAMP", str(tmp_path / ".venv" / "stamp.json"))
    return tmp_path


@pytest.fixture
def installed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The extras of each installation; none is made in earnest."""
    found: list[str] = []

    def make(python: str) -> None:
        made = Path(_bootstrap._venv_python())
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(
            f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8"
        )  # a link would lack its pip
        made.chmod(0o755)

    monkeypatch.setattr(_bootstrap, "is_ready", lambda **_: False)
    monkeypatch.setattr(_bootstrap, "_make_venv", make)
    monkeypatch.setattr(
        _bootstrap, "_refuse_another_environment", lambda: None
    )  # as that script does
    monkeypatch.setattr(_bootstrap, "_install", found.append)
    monkeypatch.setattr(_bootstrap, "_compile_kernels", lambda: None)
    return found


def test_this_interpreter_is_ready() -> None:
    assert _bootstrap.missing_modules(tests=True) == []
    assert _bootstrap.is_checkout()


def test_only_a_set_up_asks_for_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_bootstrap, "COMPILER_MODULES", ("no_such_module",))
    assert _bootstrap.missing_modules(kernels=False) == []
    monkeypatch.setattr(built_ahead, "module_file", lambda: None)
    assert _bootstrap.missing_modules() == ["no_such_module"]
    monkeypatch.setattr(built_ahead, "module_file", lambda: "file")
    assert _bootstrap.missing_modules() == []


def test_the_lists_of_modules_and_of_packages_agree() -> None:
    """Each dependency of pyproject.toml is looked for by the name that it is imported by."""
    import tomllib
    from importlib.metadata import packages_distributions

    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    core = pyproject["project"]["dependencies"]
    homes = packages_distributions()

    def named(requirements: list[str]) -> set[str]:
        return {
            requirement.split(">=")[0].lower().replace("-", "_") for requirement in requirements
        }

    def home(module: str) -> str:
        return next(
            name.lower().replace("-", "_") for name in homes[module] if "addons" not in name.lower()
        )

    extras = pyproject["project"]["optional-dependencies"]
    assert {home(module) for module in _bootstrap.CORE_MODULES} == named(core)
    assert {home(module) for module in _bootstrap.WINDOW_MODULES} == named(extras["gui"])
    assert {home(module) for module in _bootstrap.COMPILER_MODULES} == named(extras["kernels"])
    others, *own = extras["test"]
    assert others == "bpe-studio[gui,hub,data,cluster,chat,kernels]"
    needed = named([*own, *extras["hub"], *extras["data"], *extras["cluster"], *extras["chat"]])
    of_others = {"types_pyyaml", "protobuf"}  # read by mypy, and imported by Transformers
    assert {home(module) for module in _bootstrap.TEST_MODULES} == needed - of_others


def test_set_up_happens_once(installed: list[str]) -> None:
    for _ in range(3):
        assert _bootstrap.ensure(tests=False, window=False) == _bootstrap._venv_python()
    assert installed == ["gui"]


def test_an_interrupted_set_up_is_taken_up_again(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(extras: str) -> None:
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # another test may have left its own
    interrupts.end_on_interrupt()  # as the program does, before it knows that it has to set up
    with monkeypatch.context() as patch:
        patch.setattr(_bootstrap, "_install", interrupted)
        assert _bootstrap.start("bpe_studio", [], window=False) == 130
    signal.signal(signal.SIGINT, before)
    _bootstrap.ensure(tests=False, window=False)
    assert installed == ["gui"]


@pytest.mark.skipif(os.name == "nt", reason="files are not locked there")
def test_two_set_ups_at_once_are_one(installed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    is_told = threading.Event()
    monkeypatch.setattr(_bootstrap, "say", lambda sentence: is_told.set())
    with open(os.path.join(_bootstrap.ROOT, "pyproject.toml")) as project:
        fcntl.flock(project, fcntl.LOCK_EX)
        second = threading.Thread(
            target=_bootstrap.ensure, kwargs={"tests": False, "window": False}
        )
        second.start()
        assert is_told.wait(30) and not installed
    second.join(30)
    assert installed == ["gui"]


def test_a_folder_that_cannot_be_written_gets_a_sentence(
    installed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(python: str) -> None:
        raise PermissionError(13, "Permission denied", str(_bootstrap.VENV))

    monkeypatch.setattr(_bootstrap, "_make_venv", refused)
    assert _bootstrap.start("bpe_studio", [], window=False) == 1
    err = capsys.readouterr().err
    assert "Permission denied" in err and ".venv" in err and err.count("\n") == 1


def test_an_environment_that_cannot_be_made_gets_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(_bootstrap, "VENV", str(tmp_path / "file" / ".venv"))
    with pytest.raises(_system.SetupError, match="Error"):
        _bootstrap._make_venv(sys.executable)
    assert capfd.readouterr().err.count("\n") == 1


def test_an_environment_of_another_place_is_left_alone(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_bootstrap, "is_ready", lambda **_: False)
    other = tmp_path_factory.mktemp("other")
    (other / "kept").touch()
    for link, target in ((".venv", other), (".venv/bin", Path(sys.prefix, "bin"))):
        (checkout / link).parent.mkdir(exist_ok=True)
        (checkout / link).symlink_to(target)
        with pytest.raises(_system.SetupError, match="another environment"):
            _bootstrap.ensure(tests=False, window=False)
        (checkout / link).unlink()
    assert [path.name for path in other.iterdir()] == ["kept"]


def test_an_old_python_finds_a_newer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(_bootstrap, "_answers", lambda python, code: python.endswith("3.12"))
    assert _bootstrap._find_python() == "/usr/bin/python3.12"


def test_a_python_that_is_too_old_can_read_what_says_so() -> None:
    code = (
        "import sys, bpe_studio.__main__, bpe_studio._bootstrap, bpe_studio.cli;"
        " print(*sys.modules)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    found = [importlib.import_module(name) for name in loaded if name.startswith("bpe_studio")]
    assert len(found) > 9
    for module in found:
        tree = ast.parse(Path(str(module.__file__)).read_text("utf-8"), feature_version=(3, 9))
        values = [statement.value for statement in tree.body if isinstance(statement, ast.Assign)]
        assert not any(
            isinstance(each, ast.BitOr) for value in values for each in ast.walk(value)
        ), module


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for Python is a shell script")
@pytest.mark.parametrize("works", ["build_kernels", "warm-up", "nothing"])
def test_numba_compiles_what_no_c_compiler_can(
    works: str, checkout: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    python = Path(_bootstrap._venv_python())
    python.parent.mkdir(parents=True)
    python.write_text(
        f'#!/bin/sh\necho "$@" >> "{checkout}/log"\necho full >&2\n'
        f'case "$*" in *{works}*|*pip*) exit 0;; esac\nexit 1\n'
    )
    python.chmod(0o755)
    _bootstrap._compile_kernels()
    said = capfd.readouterr().err
    assert ("full numba" in said) == (works != "build_kernels")
    assert ("(full)" in said) == (works == "nothing")
    assert ("[gui,kernels]" in (checkout / "log").read_text()) == (works != "build_kernels")


@pytest.mark.parametrize("is_built", [True, False])
def test_kernels_that_are_missing_are_compiled_again(
    is_built: bool, installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[bool] = []
    monkeypatch.setattr(_bootstrap, "_compile_kernels", lambda: compiled.append(True))
    monkeypatch.setattr(_bootstrap, "_has_numba", lambda: False)
    monkeypatch.setattr(built_ahead, "module_file", lambda: "file" if is_built else None)
    for _ in range(2):
        _bootstrap.ensure(tests=False, window=False)
    assert installed == ["gui"] and len(compiled) == 2 * (not is_built)


@pytest.mark.slow(buys="a virtual environment that is really made")
def test_without_a_network_there_is_one_sentence(checkout: Path) -> None:
    """The whole command in a process of its own, with an index that nobody answers."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "BPE_"))
    }
    environment |= {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_INDEX_URL": "https://127.0.0.1:9/simple",
        "PIP_RETRIES": "1",  # after the second it would wait for ever longer times
        "PYTHONNOUSERSITE": "1",
    }
    base = str(getattr(sys, "_base_executable", sys.executable))
    ran = subprocess.run(
        [base, "-S", "-m", "bpe_studio", "count"],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("The packages could not be installed") and "internet" in last


def test_all_that_is_missing_is_one_line(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_bootstrap, "_answers", lambda python, code: False)
    monkeypatch.setattr(
        _system, "_is_loadable", lambda name: name not in ("libEGL.so.1", "libxcb-cursor.so.0")
    )
    monkeypatch.setattr(_system, "FONT_FOLDERS", ())
    monkeypatch.setattr(_system, "install", lambda packages: False)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(_system.SetupError, match="run this line") as told:
        _bootstrap.ensure(tests=False, window=True)
    line = str(told.value).splitlines()[-1]
    assert " libegl1 libxcb-cursor0 python" in line
    assert line.endswith("-venv fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji")
    assert not installed
    # Nothing but another kind of display is needed where that is complete.
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert _system.missing_packages()[0] == ["libegl1"]


def test_missing_fonts_are_named_once_and_hinder_nothing(
    installed: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_system, "missing_packages", lambda: ([], ["fonts-noto-cjk"]))
    monkeypatch.setattr(_system, "install", lambda packages: False)
    _bootstrap.ensure(tests=False, window=True)
    assert "fonts-noto-cjk" in capsys.readouterr().err
    _bootstrap.ensure(tests=False, window=True)
    _bootstrap.ensure(tests=False, window=False)
    assert capsys.readouterr().err == "" and installed == ["gui"]


def test_root_installs_what_is_missing(
    installed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(_system, "missing_packages", lambda: (["libgl1"], ["fonts-noto-cjk"]))
    monkeypatch.setattr(_system, "install", lambda packages: not asked.extend(packages))
    _bootstrap.ensure(tests=False, window=True)
    assert asked == ["libgl1", "fonts-noto-cjk"] and installed == ["gui"]
