"""The small frozen records that the workspace hands out: its state, progress, failures and what is open.

They only carry; nothing here decides. They travel in `Signal(object)`, because Qt's own int and dict conversions
lose data.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.corpus import Corpus


class State(Enum):
    """What the workspace is doing; the names are the ones that the window and scripts use."""

    empty = "empty"
    loading = "loading"
    ready = "ready"
    running = "running"
    paused = "paused"
    done = "done"
    failed = "failed"


@dataclass(frozen=True)
class Progress:
    """How far a job is.

    Attributes:
        what: the job in words, for example "Reading war.txt".
        done: how much is done, in `unit`.
        total: how much there is; 0 where that is not known.
        unit: "bytes", "merges" or "%".
        seconds_left: an estimate, or None while there is none.
        can_cancel: whether `Workspace.cancel` stops it.
    """

    what: str
    done: int
    total: int
    unit: str
    seconds_left: float | None = None
    can_cancel: bool = True

    @property
    def fraction(self) -> float | None:
        """The share that is done, 0 to 1, or None where the total is not known."""
        return min(1.0, self.done / self.total) if self.total > 0 else None


@dataclass(frozen=True)
class Failure:
    """Something that was asked for and did not happen.

    Attributes:
        what: what was tried, for example "Open war.txt".
        message: one plain sentence: what happened.
        hint: what to do next, or "" where the message says it.
    """

    what: str
    message: str
    hint: str = ""


@dataclass(frozen=True)
class Notice:
    """A sentence worth reading that is not a failure."""

    message: str


class SourceInfo(NamedTuple):
    """One file (or pasted text) of a corpus."""

    name: str
    encoding: str
    size_bytes: int


@dataclass(frozen=True)
class OpeningRequest:
    """What a corpus is read from; kept with the corpus, so that another split can read it again.

    Attributes:
        name: what the corpus is called in the window.
        paths: the files, in order; empty for a text.
        encoding: the files' encoding, or None to detect it.
        text: the text itself, or None for files.
        counts: words and how often each occurs, where neither text nor files are there.
        own_config: the settings to go back to with the next text, where this one came with its own; else None.
    """

    name: str
    paths: tuple[Path, ...] = ()
    encoding: str | None = None
    text: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    own_config: TrainingConfig | None = None


@dataclass(frozen=True, eq=False)
class CorpusInfo:
    """The open corpus and where it came from.

    Attributes:
        name: what it is called in the window.
        corpus: the engine's table of counted pre-tokens.
        sources: its files, in order.
        notices: sentences that reading them gave rise to.
        request: what it was read from.
    """

    name: str
    corpus: Corpus
    sources: tuple[SourceInfo, ...]
    notices: tuple[str, ...]
    request: OpeningRequest
