"""The small immutable records of the workspace: state, progress, failures and the open corpus.

They contain no logic. They are sent with `Signal(object)`, because Qt's own conversions of int and
dict lose data.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.files.text.reading import LENIENT_READING, Reading

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.files.private_folder import PrivateFolder
    from bpe_studio.files.text.regular_files import Fingerprint


class State(Enum):
    """The state of the workspace; the window and scripts use these names."""

    empty = "empty"
    loading = "loading"
    ready = "ready"
    running = "running"
    paused = "paused"
    done = "done"
    failed = "failed"


RESTING = (State.ready, State.paused, State.done)
"""The states in which something is open and no job is changing it."""


@dataclass(frozen=True)
class Progress:
    """The progress of a job.

    Attributes:
        what: the job in words, for example "Reading war.txt".
        done: the amount that is done, in `unit`.
        total: the whole amount; 0 if unknown.
        unit: "bytes", "merges" or "%".
        seconds_left: an estimate of the remaining time; None for none.
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
        """The share that is done, 0 to 1; None if the total is unknown."""
        return min(1.0, self.done / self.total) if self.total > 0 else None


@dataclass(frozen=True)
class Failure:
    """A requested action that failed.

    Attributes:
        what: the action, for example "Open war.txt".
        message: a plain sentence on what happened.
        hint: a sentence on what to do next, or "" if the message says it.
        report: a file with the facts that a maintainer needs; `None` for an expected error.
    """

    what: str
    message: str
    hint: str = ""
    report: Path | None = None


@dataclass(frozen=True)
class Notice:
    """A sentence worth reading that is not a failure.

    Attributes:
        message: the sentence.
        is_report: whether it reports on something that was opened, made or saved, and stays until
            it is dismissed.
    """

    message: str
    is_report: bool = False


class SourceInfo(NamedTuple):
    """One file (or pasted text) of a corpus.

    Attributes:
        name: its name.
        encoding: the encoding from which it was decoded.
        size_bytes: its size, as it is stored.
        form: its content and packing, such as "JSON lines in gzip"; "" if they are not known.
        column: the column of its records that was read as the text; "" for plain text.
        fingerprint: identifies the state of the file when it was read; None if there is no file.
    """

    name: str
    encoding: str
    size_bytes: int
    form: str = ""
    column: str = ""
    fingerprint: Fingerprint | None = None


@dataclass(frozen=True)
class OpeningRequest:
    """The sources of a corpus; stored with the corpus, so that they can be read again for another
    split.

    Attributes:
        name: the name of the corpus in the window.
        paths: the files, in order; empty for a text. The user has chosen them, or they were
            extracted from a document.
        reading: the options for reading the files.
        text: the text itself, or None for files.
        counts: words and their counts, if there is neither a text nor a file.
        own_config: the user's settings, for the next text, if a lesson, a document or a tokenizer
            came with its own; else None.
        is_lesson: whether a lesson opened it.
        held_out: the share of the text that is held out before training; 0 for nothing.
        is_words_only: whether the words are from a document that does not hold its text.
        inside: the folder of the files that were extracted from a document, which exists as long as
            this record.
        chosen: the folders, patterns and files in which `paths` were found; empty if `paths` were
            chosen themselves.
        tokenizer: the file, folder or address of a tokenizer that was opened by itself; None for
            anything else.
    """

    name: str
    paths: tuple[Path, ...] = ()
    reading: Reading = LENIENT_READING
    text: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    own_config: TrainingConfig | None = None
    is_lesson: bool = False
    held_out: float = 0.0
    is_words_only: bool = False
    inside: PrivateFolder | None = None
    chosen: tuple[Path, ...] = ()
    tokenizer: Path | None = None


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The part of a text that was held out before training.

    Attributes:
        share: the requested share.
        corpus: its table of counted pre-tokens, split like those for training.
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


@dataclass(frozen=True, eq=False)
class CorpusInfo:
    """The open corpus and its sources.

    Attributes:
        name: its name in the window.
        corpus: the table of counted pre-tokens, without the held-out part.
        sources: its files, in order.
        notices: sentences about reading them.
        request: the request that it was read for.
        held_out: the held-out part; None for none.
        checksum: the CRC-32 of the text of the files as it was read; None if unknown.
        beginning: the beginning of the text of the files as it was read; "" if unknown.
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
    def has_words(self) -> bool:
        """Whether there is a text, or words and counts; false if only a tokenizer is open."""
        request = self.request
        return bool(request.paths) or request.text is not None or len(self.corpus) > 0

    @property
    def lacks_text(self) -> bool:
        """Whether the words are from a document without the text that they were counted in."""
        return self.request.is_words_only and not self.corpus.is_counted
