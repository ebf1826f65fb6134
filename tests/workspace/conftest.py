"""A stand-in engine whose pace and mishaps a test chooses, and workspaces that are shut down after
a test.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import SaveError, SourceError
from bpe_studio.files.recognition import Found
from bpe_studio.files.records.pieces import END, Piece
from bpe_studio.files.text.reading import Reading
from bpe_studio.workspace import jobs
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.jobs import Ended, Jobs, Work
from bpe_studio.workspace.state import State
from bpe_studio.workspace.workspace import Workspace

NO_PAIR = "no pair occurs twice"


class FakeRun:
    def __init__(self, config: TrainingConfig) -> None:
        self.config = config
        self.corpus = object()
        self.merges: list[int] = []
        self.gaps: tuple[int, ...] = ()
        self.n_alphabet = 256
        self.alphabet = SimpleNamespace(n_own=256)
        self.n_seed = 0
        self.columns = SimpleNamespace(count=range(1_000_000, 0, -1))

    def tokenizer(self, step: int) -> SimpleNamespace:
        return SimpleNamespace(step=step, n_merges=len(self.merges[:step]))

    def at(self, step: int) -> FakeRun:
        return self

    def token_of(self, rank: int) -> int:
        return self.n_alphabet + rank

    def rank_of(self, token: int) -> int:
        return max(-1, token - self.n_alphabet)

    def forget_derived(self) -> None:
        pass


class FakeTrainer:
    def __init__(self, backend: FakeBackend, config: TrainingConfig) -> None:
        self.backend = backend
        self.run_record = FakeRun(config)
        self.target = config.target_merges(256)
        self.stop_reason = ""
        self.threads: set[int] = set()

    @property
    def finished(self) -> bool:
        return bool(self.stop_reason)

    def prepare(self) -> Iterator[float]:
        for i in range(self.backend.n_prepare_pauses):
            self.backend.pause("n_prepare_pauses")
            yield i / self.backend.n_prepare_pauses

    def advance(self, max_merges: int, budget_s: float) -> int:
        self.threads.add(threading.get_ident())
        if self.backend.training_error is not None:
            raise self.backend.training_error
        merges = self.run_record.merges
        n = max(
            0,
            min(
                max_merges,
                self.backend.n_a_slice,
                self.target - len(merges),
                self.backend.n_possible - len(merges),
            ),
        )
        self.stop_reason = ""
        if n == 0:
            self.stop_reason = (
                NO_PAIR if len(merges) >= self.backend.n_possible else "target reached"
            )
        time.sleep(min(self.backend.slice_s, budget_s))
        merges.extend(range(n))
        return n

    def release(self) -> None:
        self.backend.n_released += 1


class FakeBuilder:
    def __init__(self, backend: FakeBackend, config: TrainingConfig) -> None:
        self.backend = backend
        self.config = config
        self.texts = [""]

    def begin_source(self, path: str) -> None:
        pass

    def feed(self, text: str | bytes, ends: Sequence[int] = ()) -> Iterator[None]:
        if ends:
            assert not text
            yield from self.finish_document()
            return
        for _ in range(self.backend.n_feed_pauses):
            self.backend.pause("n_feed_pauses")
            yield
        self.texts[-1] += text if isinstance(text, str) else text.decode()

    def finish_document(self) -> Iterator[None]:
        yield
        self.texts.append("")

    def finish_counting(self) -> Iterator[None]:
        yield

    def finish(self) -> SimpleNamespace:
        self.backend.n_counted += 1
        corpus = SimpleNamespace(config=self.config, texts=self.texts[:-1])
        corpus.weighed = lambda config: corpus
        return corpus


class FakeBackend(Backend):
    """The stand-in: texts by path, how slow each phase is, and what goes wrong."""

    def __init__(self) -> None:
        self.n_released = 0
        super().__init__()
        self.needs_warm_up = False
        self.texts: dict[str, str] = {}
        self.pause_s = 0.005
        self.phase = ""
        self.n_feed_pauses = 1
        self.n_blocks = 1
        self.n_prepare_pauses = 1
        self.slice_s = 0.002
        self.n_a_slice = 5
        self.n_possible = 10**9
        self.training_error: Exception | None = None
        self.save_error: SaveError | None = None
        self.n_save_pauses = 0
        self.saved: dict[Path, SimpleNamespace] = {}
        self.n_counted = 0
        self.tokenizers: set[Path] = set()

    def pause(self, phase: str) -> None:
        """Takes a while in a phase, which is named by what says how often it does."""
        self.phase = phase
        time.sleep(self.pause_s)

    def default_config(self) -> TrainingConfig:
        return TrainingConfig.preset("gpt2", vocab_size=257 + 200)

    def source(self, path: Path, reading: Reading) -> Any:
        if str(path) not in self.texts:
            raise SourceError(f"{path} does not exist: check the name")
        text = self.texts[str(path)]
        source = SimpleNamespace(
            path=str(path),
            name=path.name,
            encoding=reading.encoding or "utf-8",
            size_bytes=len(text),
            position_bytes=0,
            notices=(),
            form="plain text",
            column_read="",
        )

        def pieces() -> Iterator[Piece]:
            for _ in range(self.n_blocks):
                self.pause("n_blocks")
                yield Piece(text.encode())
                source.position_bytes += len(text) // self.n_blocks
            yield END

        source.pieces = pieces
        return source

    def builder(self, config: TrainingConfig) -> Any:
        return FakeBuilder(self, config)

    def trainer(self, corpus: Any, config: TrainingConfig) -> Any:
        return FakeTrainer(self, config)

    def recognize(self, path: Path) -> Found:
        return Found("gpt2" if path in self.tokenizers else "text", (str(path),))

    def save(self, tokenizer: Any, path: Path, form: str) -> None:
        time.sleep(self.pause_s)
        if self.save_error is not None:
            raise self.save_error
        self.saved[path] = tokenizer

    def warm_up(self) -> None:
        return

    def needs_kernels(self, corpus: Any) -> bool:
        return self.needs_warm_up


class Watch:
    """Remembers what a workspace says."""

    def __init__(self, workspace: Workspace) -> None:
        self.states: list[str] = []
        self.failures: list[Any] = []
        self.notices: list[str] = []
        self.steps: list[int] = []
        self.growth: list[int] = []
        self.progress: list[Any] = []
        self.saved: list[Path] = []
        workspace.state_changed.connect(lambda state: self.states.append(state.name))
        workspace.failed.connect(self.failures.append)
        workspace.noticed.connect(lambda notice: self.notices.append(notice.message))
        workspace.step_changed.connect(self.steps.append)
        workspace.run_grew.connect(self.growth.append)
        workspace.progress_changed.connect(self.progress.append)
        workspace.saver.saved.connect(self.saved.append)


@pytest.fixture(autouse=True)
def no_worker_is_left() -> Iterator[None]:
    yield
    gc.collect()
    assert not jobs._OPEN, "the test left the worker's thread running"


@pytest.fixture
def backend() -> FakeBackend:
    return FakeBackend()


@pytest.fixture
def make_workspace(qapp: QCoreApplication) -> Iterator[Callable[..., Workspace]]:
    made: list[Workspace] = []

    def make(**options: Any) -> Workspace:
        made.append(Workspace(**options))
        return made[-1]

    yield make
    for workspace in made:
        workspace.shutdown()
        workspace.deleteLater()


@pytest.fixture
def workspace(make_workspace: Callable[..., Workspace], backend: FakeBackend) -> Workspace:
    """An empty workspace with the stand-in engine."""
    return make_workspace(backend=backend)


@pytest.fixture
def watch(workspace: Workspace) -> Watch:
    return Watch(workspace)


@pytest.fixture
def watched() -> type[Watch]:
    return Watch


@pytest.fixture
def wait_for(qtbot: Any) -> Callable[[Workspace, str], None]:
    """Waits until a workspace is in a state."""

    def wait(workspace: Workspace, name: str) -> None:
        qtbot.waitUntil(lambda: workspace.state is State[name])

    return wait


@pytest.fixture
def settled(qtbot: Any) -> Callable[[Jobs], None]:
    """Waits until the worker has done all that it was asked, and its news have arrived."""

    def nothing() -> Work:
        yield

    def wait(jobs: Jobs) -> None:
        ends: list[Ended] = []
        jobs.start(nothing, ends.append, ends.append)
        qtbot.waitUntil(lambda: bool(ends))

    return wait


@pytest.fixture
def ready(workspace: Workspace, wait_for: Callable[[Workspace, str], None]) -> Workspace:
    """A workspace with a corpus and a run of no merges; the target is 200."""
    workspace.opener.open_text("some text to learn from", "Some text")
    wait_for(workspace, "ready")
    return workspace
