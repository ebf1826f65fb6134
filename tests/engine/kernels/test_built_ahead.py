"""Kernels that are compiled ahead of time: the same results, other threads run meanwhile, nothing
is misread.
"""

from __future__ import annotations

import shutil
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bpe_studio.engine import build_kernels
from bpe_studio.engine.kernels import built_ahead, loader
from bpe_studio.engine.training import corpus_at_step

NAME = "built_for_a_test"


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The kernel module `states` as an extension module has it."""
    if not shutil.which("cc") and sys.platform != "win32":
        pytest.skip("there is no C compiler")
    folder = tmp_path_factory.mktemp("built")
    corpus_at_step.compile_kernels()
    called = [
        kernel for kernel in build_kernels.called_by_python() if kernel[0].startswith("states__")
    ]
    build_kernels.build(NAME, "generic", called, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        patch.setattr(built_ahead, "extension", lambda: __import__(NAME))
        yield built_ahead.form_of("states", loader.plain("states"))


def _cut(kernel: Any, symbols: Any, gaps: Any) -> list[list[int]]:
    ids = np.zeros(len(symbols) + 1, np.int32)
    starts = np.zeros(len(symbols) + 1, np.int32)
    n = kernel.cut(symbols, gaps, 2, 9, 0, len(symbols), ids, starts)
    return [ids[:n].tolist(), starts[:n].tolist()]


def test_the_same_results_as_in_plain_python(states: Any) -> None:
    draw = np.random.default_rng(1)
    symbols = np.array([-1, *draw.integers(0, 9, 99), -1], np.int32)
    gaps = draw.integers(0, 5, 101).astype(np.int32)
    assert _cut(states, symbols, gaps) == _cut(loader.plain("states"), symbols, gaps)
    assert states.PAIR == loader.plain("states").PAIR


@pytest.mark.parametrize("wrong", [np.zeros(202, np.int32)[::2], np.zeros(101, np.int64), None])
def test_an_array_of_another_kind_is_refused(states: Any, wrong: Any) -> None:
    with pytest.raises(TypeError):
        _cut(states, np.zeros(101, np.int32), wrong)


def test_other_threads_run_meanwhile(states: Any) -> None:
    n = 50_000_000
    symbols = np.zeros(n, np.int32)
    gaps = np.ones(n, np.int32)
    thread = threading.Thread(target=_cut, args=(states, symbols, gaps))
    thread.start()
    n_turns = 0
    while thread.is_alive():
        thread.join(0.001)
        n_turns += 1
    assert n_turns > 2


def test_a_name_goes_with_the_kernels_as_they_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = built_ahead.name_of("")
    shutil.copytree(Path(built_ahead.__file__).parent, tmp_path / "kernels")
    (tmp_path / "kernels" / "states.py").write_text("# changed")
    monkeypatch.setattr(built_ahead, "FOLDER", str(tmp_path / "kernels"))
    built_ahead.checksum.cache_clear()
    assert built_ahead.name_of("") != name
    monkeypatch.undo()
    built_ahead.checksum.cache_clear()
