"""What holds for every test: no screen, no settings of the person who runs them, no thread left
behind.

Each process that runs tests has its own folders, so that several can run at once. All that tests
and the programs that they start leave in the temporary folder is in one of them, which is removed
at the end unless a test has failed."""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# A short name, as the names of sockets are limited.
_FOLDER = tempfile.mkdtemp(prefix="bpe-")
_removal = weakref.finalize(sys, shutil.rmtree, _FOLDER, ignore_errors=True)
os.environ["TMPDIR"] = tempfile.tempdir = _FOLDER
for _name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
    os.environ[_name] = str(Path(_FOLDER, "home"))
Path(_FOLDER, "home").mkdir()

import pytest  # noqa: E402

from bpe_studio.gui.background.plain_imports import import_plainly  # noqa: E402
from tests import examples  # noqa: E402
from tests.hub_server import endpoint, here  # noqa: E402, F401 - fixtures of several folders

ROOT = Path(__file__).resolve().parents[1]
LEAVING_S = 5.0
COMPILING_S = 300.0
MODULES_TO_A_SEARCH = 20
_n_modules = 0

examples.register_profiles()


def _running_threads() -> set[threading.Thread]:
    """Python's own threads; Qt's and kernels' come and go by other rules, and fsspec keeps one for
    all its calls.
    """
    return {
        thread
        for thread in threading.enumerate()
        if thread.is_alive()
        and not isinstance(thread, threading._DummyThread)
        and thread.name != "fsspecIO"
    }


def _running_jobs() -> set[object]:
    """The threads of the workspace's jobs, which are all of Qt's that the program begins."""
    jobs = sys.modules.get("bpe_studio.workspace.jobs")
    return set() if jobs is None else {thread for thread in list(jobs._OPEN) if thread.isRunning()}


def _running_qt_threads() -> set[object]:
    """All of Qt's threads, looked for among all objects of Qt: milliseconds."""
    if "PySide6.QtCore" not in sys.modules:
        return set()
    import shiboken6
    from PySide6.QtCore import QThread

    return {
        thread
        for thread in shiboken6.getAllValidWrappers()
        if type(thread) is QThread and thread.isRunning() and not thread.isCurrentThread()
    }


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compiles kernels, which several processes would each do at the same time."""
    from bpe_studio.engine.kernels import built_ahead

    import_plainly()  # the plug-in for Qt has imported it
    if "PYTEST_XDIST_WORKER" in os.environ or built_ahead.module_file() is not None:
        return
    # A C compiler takes seconds.
    build = [sys.executable, "-m", "bpe_studio.engine.build_kernels"]
    has_compiler = subprocess.run(build, cwd=ROOT, capture_output=True).returncode == 0
    if not has_compiler and session.config.getoption("numprocesses", None):
        # It takes as long as the others take to collect the tests, which leaves a processor to it.
        threading.Thread(target=_prepare, name="compile kernels", daemon=True).start()


def pytest_sessionfinish(exitstatus: int) -> None:
    """Keeps the files of tests that have failed."""
    if exitstatus == pytest.ExitCode.TESTS_FAILED:
        _removal.detach()


def _prepare() -> None:
    from bpe_studio.engine import warm_up
    from bpe_studio.engine.kernels import loader

    if not loader.is_on_disk():
        # Here, as other processes would have a lower priority.
        warm_up.compile_kernels()
        loader.note_on_disk()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[Any]:
    """Looks for no garbage while modules are imported and tests collected, which leaves none: a
    fifth of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def kernels_on_disk() -> None:
    """Has the engine's inner loops compiled before the first test, which on a fresh machine takes
    longer than any test.

    They are not left ready: small corpora are still trained by the plain loops, as on a first
    start. One of several processes waits until the first has compiled them for all."""
    from bpe_studio.engine import warm_up
    from bpe_studio.engine.kernels import loader

    until = time.monotonic() + COMPILING_S
    while (
        "PYTEST_XDIST_WORKER" in os.environ and not loader.is_on_disk() and time.monotonic() < until
    ):
        time.sleep(0.1)
    warm_up.warm_up()
    loader._ready.clear()


@pytest.fixture(scope="session", autouse=True)
def nothing_remembered() -> None:
    """Checks of files are made, not remembered from an earlier run, and none is left in the user's
    cache.
    """
    from bpe_studio.files import remembered

    folder = Path(_FOLDER, "checks")
    remembered._folder = lambda: folder


@pytest.fixture(autouse=True, scope="module")
def lasting_objects() -> None:
    """Has a test's end look through what the test made only, and not through all that was ever
    imported.

    Many tests look for garbage at their end, so that nothing of theirs does its last in the middle
    of another; each would take a third of a second. What a module has left is looked through once
    in some modules."""
    global _n_modules
    _n_modules += 1
    if _n_modules % MODULES_TO_A_SEARCH == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Fails a test that leaves a thread running."""
    before = _running_threads()
    jobs_before = _running_jobs()
    yield
    until = time.monotonic() + LEAVING_S
    while time.monotonic() < until and (
        _running_threads() - before or _running_jobs() - jobs_before
    ):
        time.sleep(0.01)
    left = [thread.name for thread in _running_threads() - before]
    left += ["a QThread"] * len(_running_jobs() - jobs_before)
    assert not left, f"the test left threads running: {', '.join(left)}"


@pytest.fixture(autouse=True, scope="module")
def no_qt_thread_left() -> Iterator[None]:
    """Fails the last test of a module if one of them leaves a thread of Qt's running that is not of
    the jobs.
    """
    before = _running_qt_threads()
    yield
    until = time.monotonic() + LEAVING_S
    while (left := _running_qt_threads() - _running_jobs() - before) and time.monotonic() < until:
        time.sleep(0.01)
    assert not left, "the tests of this module left a QThread running"


@pytest.fixture
def sound_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has libraries load the files of a test without a trial in another process, each of which is a
    program to start.

    For files that the test has written: sound ones, or such as the libraries refuse by themselves.
    """
    for module in ("hugging_face", "sentencepiece_model"):
        monkeypatch.setattr(
            f"bpe_studio.files.third_party.{module}.check_in_process", lambda *_: None
        )


@pytest.fixture
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has two tokenizers compared on thousands of texts, not tens of thousands: a tenth of the
    time.
    """
    from bpe_studio.explain.tokenizer_diff import made_texts, search

    monkeypatch.setattr(made_texts, "_KINDS", "ab A1.\n\u00a0é漢😀")
    monkeypatch.setattr(made_texts, "_MOST_PAIRS", 1000)
    some = made_texts._characters()[::10]
    monkeypatch.setattr(made_texts, "_characters", lambda: some)
    monkeypatch.setattr(search, "_MOST_OF_A_LENGTH", 2000)


@pytest.fixture
def transformers_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asks Transformers in this process, as a process of its own imports it for a second for each
    folder.
    """
    from bpe_studio.files.third_party import trial_process
    from bpe_studio.files.third_party.trial import Answer

    def ids(encode: Any, text: str) -> list[int] | None:
        try:
            return list(encode(text))
        except Exception:
            return None

    def asked(folder: str, texts: Sequence[str], *, wants_files: bool = False) -> Answer:
        try:
            encode = trial_process._loaded("transformers", folder.encode())
            files, notice = (
                trial_process._files(encode.__self__, texts) if wants_files else ({}, "")
            )
        except Exception as error:
            return Answer(str(error) or type(error).__name__, [], {}, "")
        return Answer("", [ids(encode, text) for text in texts], files, notice)

    module = importlib.import_module("bpe_studio.files.third_party.folders.transformers")
    monkeypatch.setattr(module, "asked_of_transformers", asked)


@pytest.fixture
def few_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the doctor encode a few thousand characters instead of all, which takes seconds where
    most are unknown.
    """
    from bpe_studio.explain.doctor import gates

    few = gates.assigned_characters()[:2000] + gates.assigned_characters()[2000::97]
    monkeypatch.setattr(gates, "assigned_characters", lambda: few)


@pytest.fixture
def qtbot(qapp, request):
    """As pytest-qt's, with more patience."""
    from tests.patient_bot import PatientBot

    return PatientBot(request)
