"""Records of everything that is open, to store and to return to: a text, its runs, its document.

`runs/run_list.py` makes them and returns to them. Nothing in them is a copy: a run only grows, so
the same run at an earlier position is an earlier state.
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
    """The position of the user in a run.

    Attributes:
        n_merges: the number of merges that the window may read.
        step: the number of merges that apply.
        target: the requested number of merges.
        stop_reason: why training has ended, or "".
        was_run: whether training had begun.
    """

    n_merges: int = 0
    step: int = 0
    target: int = 0
    stop_reason: str = ""
    was_run: bool = False


@dataclass(frozen=True, eq=False)
class RunEntry:
    """A run of the open text: the first run, a branch, or a side run.

    Attributes:
        number: its number among the runs of a text; the first run is `ROOT`.
        name: its name.
        parent: the number of the run from which a branch differs; None for the first run and for a
            side run.
        override: the override of a branch; None for the first run and for a side run.
        trainer: its trainer.
        config: its settings.
        position: the position where the user left it.
        corpus: its corpus; the settings of a side run may split the same text differently.
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
        """The run."""
        return self.trainer.run_record

    @property
    def is_side_run(self) -> bool:
        """Whether it is a side run, trained with other settings."""
        return self.parent is None and self.number != ROOT


@dataclass(frozen=True, eq=False)
class Session:
    """A text with all its runs.

    Attributes:
        entries: its runs, each after the run that it branched off from.
        number: the number of the shown run.
        bookmarks: the named steps.
    """

    entries: tuple[RunEntry, ...]
    number: int = ROOT
    bookmarks: tuple[Bookmark, ...] = ()

    @property
    def corpus(self) -> CorpusInfo:
        """The corpus of the shown run."""
        return self.current.corpus

    @property
    def name(self) -> str:
        """The name of the corpus."""
        return self.corpus.name

    @property
    def current(self) -> RunEntry:
        """The shown run."""
        return next(entry for entry in self.entries if entry.number == self.number)

    @property
    def n_merges(self) -> int:
        """The number of merges of the shown run."""
        return len(self.current.run.merges)


@dataclass(frozen=True, eq=False)
class Document:
    """The studio document that was opened or saved last.

    Attributes:
        path: its path.
        view: the state of the window that is stored in it, as JSON values.
        holds_text: whether the text of the corpus is in it, and not only its words.
    """

    path: Path
    view: Mapping[str, Any] = field(default_factory=dict)
    holds_text: bool = False


@dataclass(frozen=True, eq=False)
class Project:
    """Everything that is open, as a document stores it.

    Attributes:
        session: the corpus and its runs; None if nothing is open.
        breakpoints: the breakpoints.
        typed_text: the typed text.
        compared_steps: the compared steps.
        document: the document that holds it, with the state of the window; None for none.
    """

    session: Session | None
    breakpoints: tuple[Breakpoint, ...] = ()
    typed_text: str = ""
    compared_steps: tuple[int, ...] = ()
    document: Document | None = None
