"""A checkout sets itself up: what is recognized as missing, and what is said where it cannot be had."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_studio import _bootstrap, _system

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A checkout of nothing but the set-up's own modules."""
    (tmp_path / "bpe_studio").mkdir()
    for name in (
        "__init__.py",
        "__main__.py",
        "_bootstrap.py",
        "_system.py",
        "_version.py",
        "cli.py",
        "errors.py",
        "interrupts.py",
        "commands",
    ):
        source = ROOT / "bpe_studio" / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / "bpe_studio" / name)
    (tmp_path / "bpe_studio" / "engine").mkdir()
    for name in ("__init__.py", "file_access.py"):  # all that the package imports of it before it is asked for more
        shutil.copy(ROOT / "bpe_studio" / "engine" / name, tmp_path / "bpe_studio" / "engine")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    monkeypatch.setattr(_bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(_bootstrap, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(_bootstrap, "STAMP", tmp_path / ".venv" / "stamp.json")
    monkeypatch.setattr(_bootstrap, "LOG", tmp_path / ".venv" / "setup.log")
    return tmp_path


class Installation:
    """Stands in for making the environment and for pip; counts how often they are asked."""

    def __init__(self) -> None:
        self.n_made = 0
        self.installed: list[bool] = []

    def make(self) -> None:
        self.n_made += 1
        _bootstrap._venv_python().parent.mkdir(parents=True, exist_ok=True)
        _bootstrap._venv_python().touch()

    def install(self, *, tests: bool) -> None:
        self.installed.append(tests)


@pytest.fixture
def installation(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Installation:
    stand_in = Installation()
    monkeypatch.setattr(_bootstrap, "is_ready", lambda tests=False: False)
    monkeypatch.setattr(_bootstrap, "_make_venv", stand_in.make)
    monkeypatch.setattr(_bootstrap, "_install", stand_in.install)
    return stand_in


def test_this_interpreter_is_ready() -> None:
    assert _bootstrap.missing_modules(tests=True) == []
    assert _bootstrap.is_checkout()


def test_the_lists_of_modules_and_of_packages_agree() -> None:
    """Each dependency of pyproject.toml is looked for by the name that it is imported by."""
    import tomllib
    from importlib.metadata import packages_distributions

    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    homes = packages_distributions()

    def named(requirements: list[str]) -> set[str]:
        return {requirement.split(">=")[0].lower().replace("-", "_") for requirement in requirements}

    def home(module: str) -> str:
        return next(name.lower().replace("-", "_") for name in homes[module] if "addons" not in name.lower())

    assert {home(module) for module in _bootstrap.PROGRAM_MODULES} == named(project["dependencies"])
    only_annotations = {"types_pyyaml"}  # read by mypy, imported by nobody
    needed = named(project["optional-dependencies"]["test"])
    assert {home(module) for module in _bootstrap.TEST_MODULES} == needed - only_annotations


def test_set_up_happens_once(installation: Installation) -> None:
    for _ in range(3):
        assert _bootstrap.ensure(tests=False, window=False) == _bootstrap._venv_python()
    assert (installation.n_made, installation.installed) == (1, [False])


def test_the_tests_add_to_what_the_program_needs_and_it_stays(installation: Installation, checkout: Path) -> None:
    _bootstrap.ensure(tests=False, window=False)
    _bootstrap.ensure(tests=True, window=False)
    (checkout / "pyproject.toml").write_text("changed", "utf-8")
    _bootstrap.ensure(tests=False, window=False)
    assert installation.installed == [False, True, True]


def test_an_interrupted_set_up_is_taken_up_again(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*, tests: bool) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_bootstrap, "_install", interrupted)
        assert _bootstrap.start("bpe_studio", []) == 130
    _bootstrap.ensure(tests=False, window=False)
    assert installation.installed == [False]


def test_a_checkout_that_was_moved_is_set_up_again(installation: Installation, monkeypatch: pytest.MonkeyPatch) -> None:
    _bootstrap.ensure(tests=False, window=False)
    _bootstrap.STAMP.write_text(_bootstrap.STAMP.read_text("utf-8").replace(_bootstrap.ROOT.name, "elsewhere"), "utf-8")
    _bootstrap.ensure(tests=False, window=False)
    assert len(installation.installed) == 2


@pytest.mark.parametrize("content", ["", "not json", "[]", '{"project": 3}'])
def test_a_damaged_stamp_counts_as_none(installation: Installation, content: str) -> None:
    _bootstrap.ensure(tests=False, window=False)
    _bootstrap.STAMP.write_text(content, "utf-8")
    _bootstrap.ensure(tests=False, window=False)
    assert len(installation.installed) == 2


def test_a_folder_that_cannot_be_written_gets_a_sentence(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused() -> None:
        raise PermissionError(13, "Permission denied", str(_bootstrap.VENV))

    monkeypatch.setattr(_bootstrap, "_make_venv", refused)
    assert _bootstrap.start("bpe_studio", []) == 1
    err = capsys.readouterr().err
    assert "Permission denied" in err and ".venv" in err and err.count("\n") == 1


def test_an_old_python_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(_system.SetupError, match=r"needs Python 3\.11 or newer, and this is Python 3\.9"):
        _bootstrap._find_python()


def test_an_old_python_finds_a_newer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(_bootstrap, "_answers", lambda command: command[0].endswith("3.12"))
    assert _bootstrap._find_python() == "/usr/bin/python3.12"


@pytest.mark.slow(buys="a virtual environment that is really made")
def test_without_a_network_there_is_one_sentence(checkout: Path) -> None:
    """The whole command in a process of its own, with an index that nobody answers."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "BPE_"))}
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
    assert last.startswith("The packages could not be fetched") and "internet" in last


def test_missing_libraries_are_named_with_the_line_that_adds_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_system, "_is_loadable", lambda name: name not in ("libEGL.so.1", "libxcb-cursor.so.0"))
    monkeypatch.setattr(_system, "_root_prefix", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(_system.SetupError, match="works without") as told:
        _system.check(Path(sys.executable), [])
    assert "apt-get install -y --no-install-recommends libegl1 libxcb-cursor0" in str(told.value)
    monkeypatch.delenv("DISPLAY")
    with pytest.raises(_system.SetupError) as told:
        _system.check(Path(sys.executable), [])
    assert "libxcb-cursor0" not in str(told.value)


def test_one_kind_of_display_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_system, "_is_loadable", lambda name: name != "libxcb-cursor.so.0")
    monkeypatch.setattr(_system, "_missing_fonts", lambda python: [])
    monkeypatch.setattr(_system, "_root_prefix", lambda: None)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    checked = _system.check(Path(sys.executable), [])
    assert checked == ["libraries", "wayland", "fonts"]
    assert _system.check(Path(sys.executable), checked) == checked
    monkeypatch.delenv("WAYLAND_DISPLAY")
    with pytest.raises(_system.SetupError, match=r"libxcb-cursor\.so\.0"):
        _system.check(Path(sys.executable), [])


def test_nothing_is_installed_where_nothing_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(packages: list[str], why: str) -> bool:
        raise AssertionError(packages)

    monkeypatch.setattr(_system, "install", refuse)
    monkeypatch.setattr(_system, "_is_loadable", lambda name: True)
    monkeypatch.setattr(_system, "_missing_fonts", lambda python: [])
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert _system.check(Path(sys.executable), []) == ["libraries", "fonts"]
    assert _system.check(Path(sys.executable), ["libraries", "fonts"]) == ["libraries", "fonts"]


def test_fonts_that_cannot_be_added_are_named_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_system, "_is_loadable", lambda name: True)
    monkeypatch.setattr(_system, "_missing_fonts", lambda python: ["fonts-noto-cjk"])
    monkeypatch.setattr(_system, "_root_prefix", lambda: None)
    checked = _system.check(Path(sys.executable), [])
    assert "fonts-noto-cjk" in capsys.readouterr().err
    _system.check(Path(sys.executable), checked)
    assert capsys.readouterr().err == ""


def test_a_browser_for_the_tests_is_installed_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed: list[str] = []
    monkeypatch.setattr(_system, "install", lambda packages, why: not installed.extend(packages))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert _system.check_browser(["fonts"]) == ["fonts", "browser"]
    assert installed == ["chromium"] and capsys.readouterr().err == ""
    monkeypatch.setattr(_system, "install", lambda packages, why: False)
    assert _system.check_browser(["fonts"]) == ["fonts", "browser"]
    assert "tests that do so are skipped" in capsys.readouterr().err
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    assert "sudo apt-get install -y --no-install-recommends chromium" in _system.no_browser()


def test_a_browser_that_is_here_or_was_seen_to_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(packages: list[str], why: str) -> bool:
        raise AssertionError(packages)

    monkeypatch.setattr(_system, "install", refuse)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert _system.check_browser(["browser"]) == ["browser"]
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/google-chrome" if name == "google-chrome" else None)
    assert _system.check_browser([]) == ["browser"]
    assert _system.browser() == "/usr/bin/google-chrome"


def test_where_qt_cannot_be_loaded_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_system, "PROBE", "raise ImportError('libodd.so.1: cannot open shared object file')")
    with pytest.raises(_system.SetupError, match=r"libodd\.so\.1"):
        _system._missing_fonts(Path(sys.executable))


def test_the_probe_of_fonts_runs() -> None:
    missing = _system._missing_fonts(Path(sys.executable))
    assert set(missing) <= set(_system.FONT_SAMPLES)
