"""What is open as a whole, as it can be kept and returned to: a text, its runs, and the document that it is in.

Records only; `runs/run_list.py` makes them and goes back to them. Nothing in them is copied: a run only grows, so the
same run at an earlier position is an earlier state.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.workspace.marks import Bookmark, Breakpoint
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
    """Where a person is in a run.

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
    """A run of the open text, and what it branched off from.

    A side run, trained from the same text with other settings, has no parent and is not the first.

    Attributes:
        number: tells the runs of a text apart; the first run is `ROOT`.
        name: what the person calls it.
        parent: the number of the run that it branched off from; None for the first run and for a side run.
        override: what is different in a branch; None for those two.
        trainer: trains it.
        config: its settings.
        position: where the person was when they left it.
        corpus: what it is trained from; a side run may have another cut of the same text.
    """

    number: int
    name: str
    parent: int | None
    override: Override | None
    trainer: Trainer
    config: TrainingConfig
    position: RunPosition
    corpus: CorpusInfo

    @property
    def run(self) -> Run:
        """What is learned."""
        return self.trainer.run_record

    @property
    def is_side_run(self) -> bool:
        """Whether it was trained beside the first run, with other settings."""
        return self.parent is None and self.number != ROOT


@dataclass(frozen=True, eq=False)
class Session:
    """A text with all that was made of it.

    Attributes:
        entries: its runs; the first one first, a branch behind the run that it came from.
        number: the number of the run that is shown.
        bookmarks: the steps with a name.
    """

    entries: tuple[RunEntry, ...]
    number: int = ROOT
    bookmarks: tuple[Bookmark, ...] = ()

    @property
    def corpus(self) -> CorpusInfo:
        """The corpus of the run that is shown."""
        return self.current.corpus

    @property
    def name(self) -> str:
        """What the corpus is called."""
        return self.corpus.name

    @property
    def current(self) -> RunEntry:
        """The run that is shown."""
        return next(entry for entry in self.entries if entry.number == self.number)

    @property
    def n_merges(self) -> int:
        """How many merges are learned in the run that is shown."""
        return len(self.current.run.merges)


@dataclass(frozen=True, eq=False)
class Document:
    """The studio document that was opened or saved last.

    Attributes:
        path: where it is.
        view: what the window kept in it, in values that JSON can hold.
        holds_text: whether the text of the corpus is in it, and not only its words.
    """

    path: Path
    view: Mapping[str, Any] = field(default_factory=dict)
    holds_text: bool = False


@dataclass(frozen=True, eq=False)
class Project:
    """All that is open, as a document keeps it.

    Attributes:
        session: the corpus and its runs; None where nothing is open.
        breakpoints: where a run stops.
        typed_text: the text that was typed to see it cut.
        compared_steps: the steps side by side.
        document: where it is kept, and the window's view; None where it is in no document.
    """

    session: Session | None
    breakpoints: tuple[Breakpoint, ...] = ()
    typed_text: str = ""
    compared_steps: tuple[int, ...] = ()
    document: Document | None = None
