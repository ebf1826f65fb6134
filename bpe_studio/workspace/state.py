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
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.files.leftovers import PrivateFolder
    from bpe_studio.workspace.document_text import DocumentText


class State(Enum):
    """What the workspace is doing; the names are the ones that the window and scripts use."""

    empty = "empty"
    loading = "loading"
    ready = "ready"
    running = "running"
    paused = "paused"
    done = "done"
    failed = "failed"


RESTING = (State.ready, State.paused, State.done)
"""Something is open, and no job is under way that changes it."""


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
        paths: the files, in order; empty for a text. A person has chosen them: paths from a document are in `stored`.
        encoding: the files' encoding, or None to detect it.
        text: the text itself, or None for files.
        counts: words and how often each occurs, where neither text nor files are there.
        own_config: the settings to go back to with the next text, where this one came with its own; else None.
        held_out: the share of the text that is held out before training; 0 for nothing.
        stored: of what was opened from a studio document, the text as the document describes it; else None.
        inside: the folder with the files, where they were taken out of the document; it is there as long as this is.
    """

    name: str
    paths: tuple[Path, ...] = ()
    encoding: str | None = None
    text: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    own_config: TrainingConfig | None = None
    held_out: float = 0.0
    stored: DocumentText | None = None
    inside: PrivateFolder | None = None


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What was held out of a text before training.

    Attributes:
        share: how much of it was asked for.
        corpus: its table of counted pre-tokens, cut as those that are learned from.
    """

    share: float
    corpus: Corpus

    @property
    def n_bytes(self) -> int:
        """Its size as UTF-8."""
        return self.corpus.size_bytes

    @property
    def n_characters(self) -> int:
        """Its length in code points."""
        return self.corpus.n_characters

    @property
    def n_space_words(self) -> int | None:
        """How many words white space separates in it."""
        return self.corpus.n_whitespace_words


@dataclass(frozen=True)
class LargestVocabularyInfo:
    """The largest vocabulary that a corpus can reach, or how far the search for it is.

    Attributes:
        n_merges: how many merges can be learned; so far, while it is looked for.
        vocab_size: the alphabet, these and the special tokens.
        reason: why there are no more, as a phrase; "" while it is looked for.
    """

    n_merges: int
    vocab_size: int
    reason: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it is found."""
        return bool(self.reason)


@dataclass(frozen=True, eq=False)
class CorpusInfo:
    """The open corpus and where it came from.

    Attributes:
        name: what it is called in the window.
        corpus: the engine's table of counted pre-tokens, without those that were held out.
        sources: its files, in order.
        notices: sentences that reading them gave rise to.
        request: what it was read from.
        held_out: what was held out of the text before training; None for nothing.
        checksum: of the text of files as it was read; None where that is not known.
        beginning: of the text of files, as it was read; "" where that is not known.
    """

    name: str
    corpus: Corpus
    sources: tuple[SourceInfo, ...]
    notices: tuple[str, ...]
    request: OpeningRequest
    held_out: HeldOut | None = None
    checksum: int | None = None
    beginning: str = ""

    @property
    def n_space_words(self) -> int | None:
        """How many words white space separates in what is learned from; None where it was given as counts."""
        return self.corpus.n_whitespace_words
