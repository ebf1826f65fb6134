"""Kernels that a C compiler has compiled: the same results, other threads run meanwhile, nothing is
misread.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bpe_studio.engine import build_kernels
from bpe_studio.engine.kernels import built_ahead, loader, to_c


@pytest.fixture(scope="module")
def states() -> Any:
    """The kernel module `states` as the extension module has it."""
    if built_ahead.extension() is None:
        assert "BPE_STUDIO_SKIPS_NOTHING" not in os.environ, "there is no C compiler"
        pytest.skip("there is no C compiler")
    return built_ahead.form_of("states", loader.plain("states"))


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
    name = built_ahead.name()
    shutil.copytree(built_ahead.FOLDER, tmp_path / "kernels")
    (tmp_path / "kernels" / "states.py").write_text("# changed")
    monkeypatch.setattr(built_ahead, "FOLDER", str(tmp_path / "kernels"))
    built_ahead.checksum.cache_clear()
    assert built_ahead.name() != name and built_ahead.module_file() is None
    monkeypatch.undo()
    built_ahead.checksum.cache_clear()


@pytest.mark.skipif(os.name == "nt", reason="no variable names the compiler there")
def test_a_compiler_that_fails_gets_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(built_ahead, "FOLDER", str(tmp_path))
    monkeypatch.setenv("CC", "false")
    with pytest.raises(SystemExit, match="C compiler"):
        build_kernels.main()
    assert not list(tmp_path.iterdir())


_KERNEL = """
from bpe_studio.engine.kernels.kinds import Bytes, Int32s, Int64s
from bpe_studio.engine.kernels.instructions import highest_bit, lowest_bit, n_bits, place

STEP = 3
SIZES = (5, -7, 2**40)


def both(a, b):
    return a - b, a + b if a > b else -b


def find(a: Int64s, low: int, high: int) -> int:
    for i in range(len(a) - 1, -1, -1):
        if low < a[i] <= high:
            return i
    return -1


def change(b: Bytes, small: Int32s, a: Int64s, x: int) -> bool:
    total = lowest = 0
    for k in range(0, len(a), STEP):
        total += a[k] // STEP - (x << 33) * (k & 1) + SIZES[place(k & 1)]
        lowest = min(lowest, a[k], b[k] - 200)
        a[k], small[k] = small[k], b[k] ^ 0xFF
    part = a[2:]
    k = 0
    while True:
        k += 1
        if k == len(part) or part[k] in (1, x):
            break
        if part[k] < 0 or not part[k] & 1:
            continue
        less, more = both(part[k], -x)
        part[k] = less ^ ~more
    a[0] = total + highest_bit(x & 0xFFFF) + lowest_bit(x) + n_bits(x)
    a[1] = lowest
    return find(a, -x, x) > 1
"""


def _compiled(tmp_path: Path, kernel: str) -> Any:
    (tmp_path / "probe.py").write_text(kernel, encoding="utf-8")
    for name in ("kinds.py", "buffers.py", "instructions.py", "instructions.h"):
        shutil.copy(Path(built_ahead.FOLDER, name), tmp_path)
    program = to_c.Program(str(tmp_path), ["probe"])
    file = build_kernels.build("probe", program, tmp_path)
    spec = importlib.util.spec_from_file_location("probe", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.usefixtures("states")
def test_c_does_what_python_does(tmp_path: Path) -> None:
    compiled = _compiled(tmp_path, _KERNEL)
    plain: dict[str, Any] = {}
    exec(_KERNEL, plain)
    draw = np.random.default_rng(2)
    for _ in range(200):
        n = int(draw.integers(4, 30))
        x = int(draw.integers(0, 2**20))
        given = draw.integers(0, 256, n), draw.integers(-9, 99, n), draw.integers(-99, 2**40, n)
        b, small, numbers = (each.tolist() for each in given)
        # A part of a list would be a copy.
        expected = np.array(numbers)
        is_found = plain["change"](b, small, expected, x)
        arrays = [each.astype(kind) for each, kind in zip(given, "Biq", strict=True)]
        assert compiled.probe__change(*arrays, x) is bool(is_found)
        assert [each.tolist() for each in arrays] == [b, small, expected.tolist()]


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("return a[0] % x", "line 4.*%"),
        ("return {}", "line 4"),
        ("return place(x) + x", "unsigned"),
    ],
)
def test_what_is_not_written_as_c_is_refused(tmp_path: Path, body: str, what: str) -> None:
    begin, _, _ = _KERNEL.partition("STEP")
    with pytest.raises(SyntaxError, match=what):
        _compiled(tmp_path, f"{begin.strip()}\ndef f(a: Int64s, x: int):\n    {body}\n")


def test_a_kernel_says_the_kind_of_each_argument(tmp_path: Path) -> None:
    begin, _, _ = _KERNEL.partition("STEP")
    with pytest.raises(SyntaxError, match=r"probe\.f lacks"):
        _compiled(tmp_path, f"{begin}\ndef f(a: Int64s, x):\n    return 0\n")
