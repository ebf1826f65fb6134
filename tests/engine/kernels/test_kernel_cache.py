"""Where compiled kernels are kept, who compiles them first, and that all works where they cannot be kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bpe_studio.engine import warm_up
from bpe_studio.engine.kernels import loader

_WITHOUT_A_FOLDER = """
from bpe_studio.engine.kernels import loader
assert loader.use_cache_folder() is None
from numba import njit
def double(number):
    return 2 * number
print(loader.jit(njit, double)(21))
"""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `warm_up` does, noted instead of done."""
    noted: list[str] = []
    monkeypatch.setattr(warm_up, "_compile_in_process", lambda: noted.append("elsewhere"))
    monkeypatch.setattr(warm_up, "compile_kernels", lambda: noted.append("here"))
    return noted


def test_only_the_first_warm_up_of_a_folder_compiles_elsewhere(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    warm_up.warm_up()
    warm_up.warm_up()
    assert calls == ["elsewhere", "here", "here"]


def test_no_process_compiles_for_a_folder_that_cannot_be_written(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "missing"))
    warm_up.warm_up()
    assert calls == ["here"]


@pytest.mark.slow(buys="a kernel that is really compiled")
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
        cwd=Path(loader.__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.strip() == "42", ran.stderr
