"""Runs beside: the same text learned once more by other settings, to be compared with the run that is shown.

The fifth of seven layers, `open_state.py` to `workspace.py`. A run beside is a branch that came from no other: it stays
open with the others, can be shown, renamed, removed and branched off from, and has a corpus of its own where its
settings cut the text otherwise. Like is compared with like: it learns to the vocabulary size that the run shown has
reached.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.errors import SourceError, TrainingError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.messages import changed_fields, difference_words
from bpe_studio.workspace.opening.corpus import Opened, open_corpus, start_run
from bpe_studio.workspace.runs.branches import Branching
from bpe_studio.workspace.runs.session import RunEntry, RunPosition
from bpe_studio.workspace.runs.training import Growth, learn
from bpe_studio.workspace.runs.transport import RESTING
from bpe_studio.workspace.state import CorpusInfo, Notice, Progress, State

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig


@dataclass(frozen=True, eq=False)
class SideRunResult:
    """What the job gives: a corpus, its run, and where the run ended."""

    opened: Opened
    growth: Growth


class LearningBeside(Branching):
    """Learns runs beside the one that is shown."""

    def learn_beside(self, config: TrainingConfig, name: str = "") -> None:
        """Learns the open text by other settings, in a run beside those that there are; what is shown stays.

        The text is read again only where the settings cut it otherwise. The run learns until its vocabulary is as
        large as that of the run shown (as its target, where nothing is left to learn in that), and as its own
        settings ask where nothing is learned yet. Its target is raised where it lies below that.

        Args:
            config: the settings.
            name: what the run is called; without it, what its settings change in those of the run shown.
        """
        self._leave_failure()
        run, info = self._run, self._corpus
        if run is None or info is None or self._state not in (*RESTING, State.running):
            return
        alike = (each for each in self.branches if each.override is None and not changed_fields(each.config, config))
        same = next(alike, None)
        if same is not None:
            said = f"“{same.name}” is learned by these settings already: change one of them to learn a run beside it."
            self.noticed.emit(Notice(said))
            return
        name = name.strip() or difference_words(self._config, config)
        n_merges = self._target if self._stop_reason else self._n_merges
        size = run.vocab_size_at(0) + n_merges if n_merges else 0
        # A run beside may have cut the text in that way already.
        info = next((each.corpus for each in self._branches if _serves(each.corpus, config)), info)
        make = partial(learn_run_beside, self._parts, info, config, size, n_merges)
        self._load(f"Learn beside: {name}", None, make, partial(self._on_learned_beside, name))

    def _on_learned_beside(self, name: str, learned: SideRunResult) -> None:
        before, opened = self._session(), learned.opened
        assert before is not None and self._run is not None
        trainer, n_merges = opened.trainer, learned.growth.n_merges
        run = trainer.run_record
        # It stands where its vocabulary is as large as the one that the person looks at.
        step = self._run.vocab_size_at(0) + self._step - run.vocab_size_at(0)
        reason = learned.growth.stop_reason if n_merges < trainer.target else ""
        cursor = RunPosition(n_merges, min(max(0, step), n_merges), trainer.target, reason, was_run=True)
        number, name = 1 + max(each.number for each in self._branches), self._free_name(name)
        self._branches += (RunEntry(number, name, None, None, trainer, opened.config, cursor, opened.info),)
        self.branches_changed.emit()
        self._set_state(self._resting_state())
        self._tell_change(f"Learn beside: {name}", before)


def learn_run_beside(
    parts: Backend, info: CorpusInfo, config: TrainingConfig, size: int, n_merges: int
) -> Generator[Progress, None, SideRunResult]:
    """Learns a text by other settings, up to a vocabulary size; its buffers are let go of afterwards.

    Args:
        parts: the engine.
        info: the open corpus; it is cut anew where the settings ask for it.
        config: the settings.
        size: the vocabulary size to reach; 0 for as many merges as the settings ask for.
        n_merges: how many merges to learn where the alphabet alone is as large as that.

    Raises:
        BpeError: the text cannot be read again, is not what it was, or the settings do not fit it.
    """
    if config.vocab_size is not None and config.vocab_size < size:
        config = config.replace(vocab_size=size)
    opened = yield from _cut(parts, info, config)
    trainer = opened.trainer
    n_before = trainer.run_record.vocab_size_at(0)
    goal = (size - n_before if size > n_before else n_merges) if size else trainer.target
    trainer.target = target = max(trainer.target, goal)
    if config.vocab_size is not None:
        config = config.replace(vocab_size=n_before + target)
    elif config.merges is not None:
        config = config.replace(merges=target)
    learning = learn(trainer, goal)
    while True:
        try:
            growth = next(learning)
        except StopIteration as stop:
            growth = stop.value
            break
        yield Progress("Learning the run beside", growth.n_merges, goal, "merges", growth.seconds_left)
    if goal and not growth.n_merges:
        raise TrainingError(
            f"By these settings nothing is learned from {info.name}, as {growth.stop_reason}: choose a smaller min "
            "frequency, or a split that leaves longer words"
        )
    # What the window asks first of a run is how it cuts the typed text.
    trainer.run_record.segmenter.refresh()
    trainer.release()
    return SideRunResult(Opened(opened.info, trainer, config), growth)


def _cut(parts: Backend, info: CorpusInfo, config: TrainingConfig) -> Generator[Progress, None, Opened]:
    """The text as the settings cut it, with a run of no merge; read again where the table does not serve them."""
    if _serves(info, config):
        return (yield from start_run(parts, info, config))
    opened = yield from open_corpus(parts, info.request, config)
    if _read_as(opened.info) != _read_as(info) or info.checksum not in (None, opened.info.checksum):
        raise SourceError(
            f"{info.name} is not what it was when it was opened: open it again to compare runs over it as it is now"
        )
    return opened


def _read_as(info: CorpusInfo) -> list[tuple[str, int]]:
    """Encoding and size of each source; a file that was taken out of a document may be called otherwise."""
    return [(source.encoding, source.size_bytes) for source in info.sources]


def _serves(info: CorpusInfo, config: TrainingConfig) -> bool:
    """Whether a table of words is what settings cut the text into; one that was given as counts is not cut."""
    return info.corpus.is_counted or config.same_cut(info.corpus.config)
