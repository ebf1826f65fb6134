"""Where compiled kernels are kept, who compiles them first, and that all works where they cannot be
kept.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from bpe_studio.engine import warm_up
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting import corpus
from bpe_studio.engine.kernels import built_ahead, loader
from bpe_studio.engine.training.trainer import train

_WITHOUT_A_FOLDER = """
from bpe_studio.engine.kernels import loader
assert loader.use_cache_folder() is None
from numba import njit
def double(number):
    return 2 * number
print(loader.jit(njit, double)(21))
"""


@pytest.fixture(autouse=True)
def _no_c(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Numba compiles, as where no C compiler has."""
    with monkeypatch.context() as patch:
        patch.setattr(built_ahead, "extension", lambda: None)
        loader.why_plain.cache_clear()
        yield
    loader.why_plain.cache_clear()


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What `warm_up` does, noted instead of done."""
    noted: list[str] = []
    monkeypatch.setattr(warm_up, "_compile_in_processes", lambda: noted.append("elsewhere"))
    monkeypatch.setattr(warm_up, "compile_kernels", lambda: noted.append("here"))
    return noted


def test_only_the_first_warm_up_of_a_folder_compiles_elsewhere(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new"))
    warm_up.warm_up()
    warm_up.warm_up()
    assert calls == ["elsewhere", "here", "here"]


def test_no_process_compiles_for_a_folder_that_cannot_be_written(
    calls: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "folder"))
    warm_up.warm_up()
    assert calls == ["here"]


def test_who_waits_for_a_module_does_not_wait_for_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    others = threading.Event()
    monkeypatch.setattr(warm_up, "_thread", None)
    monkeypatch.setattr(loader, "_ready", set())
    monkeypatch.setattr(
        warm_up, "warm_up", lambda: [loader.mark_ready("counting"), others.wait(30)]
    )
    warm_up.wait_for("counting")
    assert warm_up.begin().is_alive()
    others.set()
    warm_up.begin().join()


@pytest.mark.slow(buys="a kernel that is really compiled")
def test_without_any_folder_a_kernel_is_compiled_all_the_same(tmp_path: Path) -> None:
    blocking = tmp_path / "file"
    blocking.touch()
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["XDG_CACHE_HOME"] = environment["LOCALAPPDATA"] = environment["HOME"] = str(
        blocking / "cache"
    )
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


_WITH_A_FOLDER = """
from pathlib import Path
from bpe_studio.engine.kernels import loader
folder = loader.use_cache_folder()
from numba import njit
def double(number):
    return 2 * number
print(loader.jit(njit, double)(21), {path.stat().st_size > 9 for path in folder.rglob("*.nb?")})
for path in folder.rglob("*.nb?"):
    path.write_bytes(b"damaged")
"""


@pytest.mark.slow(buys="a kernel that is really compiled")
def test_damaged_files_are_written_again(tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(_WITH_A_FOLDER, encoding="utf-8")
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(tmp_path),
        "PYTHONPATH": str(Path(loader.__file__).parents[3]),
    }
    for _ in range(2):
        ran = subprocess.run(
            [sys.executable, "kernel.py"],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert ran.stdout.strip() == "42 {True}", ran.stderr


def test_where_nothing_is_on_disk_a_text_sixteen_times_as_large_is_trained_without_compiling(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    compiled = loader.compiled
    monkeypatch.setattr(loader, "_ready", set())
    monkeypatch.setattr(loader, "compiled", lambda name: asked.append(name) or compiled(name))
    monkeypatch.setattr(loader, "PLAIN_WORK", 100)
    monkeypatch.setattr(corpus, "FAST_CHARACTERS", 100)
    tokens = []
    for is_on_disk in (False, True):
        monkeypatch.setattr(loader, "is_on_disk", lambda is_on_disk=is_on_disk: is_on_disk)
        tokens.append(_tokens())
        assert bool(asked) == is_on_disk
    assert tokens[0] == tokens[1]


def _tokens() -> list[str]:
    config = TrainingConfig.preset("gpt2", merges=3)
    text = "".join(f"a{number} " for number in range(200))
    return [merge.token for merge in train(corpus.Corpus.from_text(text, config), config).merges]


def test_where_nothing_compiles_kernels_all_work_is_plain_and_a_warning_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = _tokens()
    monkeypatch.setattr(loader, "_ready", set())
    monkeypatch.setattr(loader, "PLAIN_WORK", 1)
    monkeypatch.setattr(corpus, "FAST_CHARACTERS", 1)
    monkeypatch.setattr(loader, "compiled", None)
    monkeypatch.setattr(metadata, "version", lambda name: "0.60.1")
    loader._say_why_plain.cache_clear()
    with pytest.warns(RuntimeWarning, match=r"numba 0.60.1 is too old.*pip install"):
        assert _tokens() == expected
    warm_up.warm_up()


_USUAL_WORK = """
import hashlib
import random
import sys
from bpe_studio.engine.kernels import built_ahead
if "numba" in sys.argv:
    built_ahead.extension = lambda: None
from bpe_studio import Corpus, Counter, TrainingConfig, train
from bpe_studio.engine import warm_up
from bpe_studio.engine.kernels import built_ahead, loader
from bpe_studio.engine.training.corpus_at_step import PairCounter

def forms():
    modules = loader._compiled.items()
    return {
        (name, *map(str, form))
        for module, functions in modules
        for name, function in vars(functions).items()
        if hasattr(function, "signatures")
        for form in function.signatures
    }

warm_up.compile_kernels()
loader.note_on_disk()
before = forms()
found = hashlib.sha256()
draw = random.Random(1)
words = ["".join(draw.choices("abcdefgh é漢", k=draw.randint(1, 9))) for _ in range(9_000)]
text = " ".join(draw.choices(words, k=130_000))
for preset in ("gpt2", "textbook", "sennrich", "sentencepiece"):
    config = TrainingConfig.preset(preset, merges=100)
    run = train(Corpus.from_texts([text, text[:99]], config), config)
    tokenizer = run.tokenizer()
    ids = tokenizer.encode_ids(text)
    found.update(repr([ids, run.gaps.tolist(), [merge.to_log() for merge in run.merges]]).encode())
    tokenizer.decode(ids)
    tokenizer.encode(text[:200_000])
    tokenizer.encode_many([text[:500]] * 20)
    tokenizer.single_ids(words)
    run.gap_ranks(text[:100_000])
    run.tokens_at(50)
    run.measure("renyi")
    PairCounter(run.layout, run.gaps, 50).counts(2)
    counter = Counter(config)
    counter.update([text])
    counter.merge(Counter.of(run.corpus))
    counter.corpus()
print(sorted(forms() - before), found.hexdigest())
"""


@pytest.mark.slow(buys="a process in which numba compiles nothing but what its warm-up did")
def test_usual_work_needs_no_kernel_that_the_warm_up_has_not_compiled_and_gives_what_c_gives() -> (
    None
):
    printed = []
    for way in ("numba", "c"):
        ran = subprocess.run(
            [sys.executable, "-c", _USUAL_WORK, way], capture_output=True, text=True, check=False
        )
        assert ran.stdout.startswith("[] "), ran.stdout + ran.stderr
        printed.append(ran.stdout)
    assert printed[0] == printed[1]
