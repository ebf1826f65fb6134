"""Side runs: the same text trained again with other settings, to compare with the shown run.

A side run is an entry of the run list without a parent: it can be shown, renamed, removed and
branched off from, and has a corpus of its own if its settings split the text differently. For a
fair comparison, it is trained to the vocabulary size of the shown run.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import SourceError, TrainingError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import NewRun, open_corpus, start_run
from bpe_studio.workspace.messages import changed_fields, difference_words
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.training import Growth, train
from bpe_studio.workspace.session import RunPosition
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig


@dataclass(frozen=True, eq=False)
class SideRunResult:
    """The result of the job: a corpus, its run, and where training ended."""

    new: NewRun
    growth: Growth


class SideRuns:
    """Trains side runs, and adds them to the run list."""

    def __init__(
        self, open_state: OpenState, loader: Loader, runs: RunList, backend: Backend
    ) -> None:
        """No side run is being trained.

        Args:
            open_state: the open values, with the shown run, which does not change.
            loader: runs the job.
            runs: receives the side run.
            backend: the engine.
        """
        self._open = open_state
        self._loader = loader
        self._runs = runs
        self._backend = backend

    def train(self, config: TrainingConfig, name: str = "") -> None:
        """Trains a run of the open text with other settings; the shown run stays.

        The text is read again only if the settings split it differently. The run is trained to the
        vocabulary size of the shown run, or of that run's target if it has ended. If the shown run
        has no merges yet, the new run is trained to its own target. A smaller target is raised.

        Args:
            config: the settings.
            name: the name of the run; "" for a description of the changed settings.
        """
        self._open.leave_failure()
        run = self._open.run
        info = self._open.corpus
        if run is None or info is None or not self._open.can_be_replaced:
            return
        entries = self._runs.entries
        alike = (
            each
            for each in entries
            if each.override is None and not changed_fields(each.config, config)
        )
        same = next(alike, None)
        if same is not None:
            self._open.notice(
                f"“{same.name}” has these settings already: change one of them to train a"
                " comparison run."
            )
            return
        name = name.strip() or difference_words(self._open.config, config)
        n_merges = self._open.target if self._open.stop_reason else self._open.n_merges
        size = run.vocab_size_at(0) + n_merges if n_merges else 0
        # Another run may have split the text in this way already.
        info = next((each.corpus for each in entries if _serves(each.corpus, config)), info)
        make = partial(train_side_run, self._backend, info, config, size, n_merges)
        self._loader.start(f"Train comparison run: {name}", make, partial(self._on_trained, name))

    def _on_trained(self, name: str, trained: SideRunResult) -> None:
        shown = self._open.run
        trainer = trained.new.trainer
        n_merges = trained.growth.n_merges
        assert shown is not None
        run = trainer.run_record
        # Its step has the vocabulary size of the current step.
        step = shown.vocab_size_at(0) + self._open.step - run.vocab_size_at(0)
        reason = trained.growth.stop_reason if n_merges < trainer.target else ""
        position = RunPosition(
            n_merges, min(max(0, step), n_merges), trainer.target, reason, was_run=True
        )
        self._runs.add("Train comparison run", name, trained.new, position)


def train_side_run(
    backend: Backend, info: CorpusInfo, config: TrainingConfig, size: int, n_merges: int
) -> Generator[Progress, None, SideRunResult]:
    """Trains a text with other settings, up to a vocabulary size; the trainer's buffers are freed
    afterwards.

    Args:
        backend: the engine.
        info: the open corpus; it is split again if the settings require it.
        config: the settings.
        size: the target vocabulary size; 0 for the target of the settings.
        n_merges: the number of merges to train if the alphabet alone is as large as that.

    Raises:
        BpeError: the text cannot be read again or has changed, or the settings do not fit it.
    """
    if config.vocab_size is not None and config.vocab_size < size:
        config = config.replace(vocab_size=size)
    new = yield from _cut(backend, info, config)
    trainer = new.trainer
    n_before = trainer.run_record.vocab_size_at(0)
    goal = trainer.target
    if size:
        goal = size - n_before if size > n_before else n_merges
    target = max(trainer.target, goal)
    trainer.target = target
    if config.vocab_size is not None:
        config = config.replace(vocab_size=n_before + target)
    elif config.merges is not None:
        config = config.replace(merges=target)
    growth = yield from relay(
        train(trainer, goal),
        lambda news: Progress(
            "Training the comparison run", news.n_merges, goal, "merges", news.seconds_left
        ),
    )
    if goal and not growth.n_merges:
        raise TrainingError(
            f"Nothing can be learned from {info.name} with these settings, because"
            f" {growth.stop_reason}: choose a smaller min frequency, or a split that leaves longer"
            " words"
        )
    # The window first asks a run for the tokens of the typed text.
    trainer.run_record.segmenter.refresh()
    trainer.release()
    return SideRunResult(NewRun(new.info, trainer, config), growth)


def _cut(
    backend: Backend, info: CorpusInfo, config: TrainingConfig
) -> Generator[Progress, None, NewRun]:
    """The text as the settings split it, with a run without merges.

    The text is read again if its present table does not fit the settings.
    """
    if _serves(info, config):
        return (yield from start_run(backend, info, config))
    new = yield from open_corpus(backend, info.request, config)
    if _read_as(new.info) != _read_as(info) or info.checksum not in (None, new.info.checksum):
        raise SourceError(
            f"{info.name} has changed since it was opened: open it again to compare runs on its"
            " current text"
        )
    return new


def _read_as(info: CorpusInfo) -> list[tuple[str, int]]:
    """The encoding and the size of each source; a file from a document may have another name."""
    return [(source.encoding, source.size_bytes) for source in info.sources]


def _serves(info: CorpusInfo, config: TrainingConfig) -> bool:
    """Whether the settings split the text into this table of words; given counts are not split."""
    return info.corpus.is_counted or config.same_cut(info.corpus.config)
