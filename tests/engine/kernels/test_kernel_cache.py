"""Where compiled kernels are kept, who compiles them first, and that all works where they cannot be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_studio.engine import kernels

_WITHOUT_A_FOLDER = """
from bpe_studio.engine import kernels
assert kernels._use_cache_folder() is None
from numba import njit
def double(number):
    return 2 * number
print(kernels._jit(njit, double)(21))
"""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `warm_up` does, noted instead of done."""
    noted: list[str] = []
    monkeypatch.setattr(kernels, "_compile_elsewhere", lambda: noted.append("elsewhere"))
    monkeypatch.setattr(kernels, "compile_all", lambda: noted.append("here"))
    return noted


def test_only_the_first_warm_up_of_a_folder_compiles_elsewhere(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernels.warm_up()
    kernels.warm_up()
    assert calls == ["elsewhere", "here", "here"]


def test_no_process_compiles_for_a_folder_that_cannot_be_written(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "missing"))
    kernels.warm_up()
    assert calls == ["here"]


def test_without_any_folder_a_kernel_is_compiled_all_the_same(tmp_path: Path) -> None:
    blocking = tmp_path / "file"
    blocking.touch()
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = environment["LOCALAPPDATA"] = environment["HOME"] = str(blocking / "cache")
    # The package's own folder, which numba would take next, may well be writable here.
    environment["NUMBA_CACHE_LOCATOR_CLASSES"] = "UserProvidedCacheLocator"
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT_A_FOLDER],
        env=environment,
        cwd=Path(kernels.__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.strip() == "42", ran.stderr
