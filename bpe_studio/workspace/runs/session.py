"""What is open as a whole, as it can be set aside and returned to: a text, its runs and their branches.

Records only; `branches.py` makes them and goes back to them. Nothing in them is copied: a run only grows, so the same
run with an earlier cursor is an earlier state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.workspace.marks import Bookmark
from bpe_studio.workspace.state import CorpusInfo

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.overrides import Override
    from bpe_studio.engine.training.trainer import Trainer

ROOT = 0
ROOT_NAME = "Main run"


@dataclass(frozen=True)
class RunPosition:
    """Where a person stands in a run.

    Attributes:
        n_merges: how many merges the window may read.
        step: how many apply.
        target: the merges that are asked for.
        stop_reason: why nothing more could be learned, or "".
        was_run: whether a run had begun.
    """

    n_merges: int = 0
    step: int = 0
    target: int = 0
    stop_reason: str = ""
    was_run: bool = False


@dataclass(frozen=True, eq=False)
class RunEntry:
    """A run, and what it branched off from.

    A run beside, learned from the same text by other settings, is a branch that came from none and is not the first.

    Attributes:
        number: tells the branches of a text apart; the first run is `ROOT`.
        name: what the person calls it.
        parent: the number of the branch that it came from; None for the first run and for a run beside.
        override: what was decided differently; None for those two.
        trainer: learns it.
        config: its settings.
        cursor: where the person stood when they left it.
        corpus: what it is learned from; a run beside may have another cut of the same text.
    """

    number: int
    name: str
    parent: int | None
    override: Override | None
    trainer: Trainer
    config: TrainingConfig
    cursor: RunPosition
    corpus: CorpusInfo

    @property
    def run(self) -> Run:
        """What is learned."""
        return self.trainer.run_record

    @property
    def is_beside(self) -> bool:
        """Whether it was learned beside the first run, by other settings."""
        return self.parent is None and self.number != ROOT


@dataclass(frozen=True, eq=False)
class Session:
    """A text with all that was made of it.

    Attributes:
        branches: its runs; the first one first, a branch behind the one that it came from.
        number: the number of the branch that is shown.
        bookmarks: the steps with a name.
    """

    branches: tuple[RunEntry, ...]
    number: int = ROOT
    bookmarks: tuple[Bookmark, ...] = ()

    @property
    def corpus(self) -> CorpusInfo:
        """The corpus of the branch that is shown."""
        return self.current.corpus

    @property
    def name(self) -> str:
        """What the corpus is called."""
        return self.corpus.name

    @property
    def current(self) -> RunEntry:
        """The branch that is shown."""
        return next(branch for branch in self.branches if branch.number == self.number)

    @property
    def n_merges(self) -> int:
        """How many merges are learned in the branch that is shown."""
        return len(self.current.run.merges)


class UndoStep:
    """Something that a person did and can take back.

    Args:
        text: what it was, as after "Undo".
        before: how it was before.
        here: gives how it is now.
        go: goes to what `here` gave.
    """

    def __init__(self, text: str, before: object, here: Callable[[], object], go: Callable[..., None]) -> None:
        self.text = text
        self._before, self._after = before, before
        self._here, self._go = here, go

    @property
    def session(self) -> Session | None:
        """What was open before it, as far as it keeps that to go back to; None where it keeps something else."""
        before = self._before if isinstance(self._before, tuple) else (getattr(self._before, "session", self._before),)
        return next((each for each in before if isinstance(each, Session)), None)

    def undo(self) -> None:
        """Go back to how it was."""
        self._after = self._here()
        self._go(self._before)

    def redo(self) -> None:
        """Go forward again, to how it was when it was taken back."""
        self._before = self._here()
        self._go(self._after)
