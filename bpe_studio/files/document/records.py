"""What a studio document holds, as plain records, and the names and limits of its parts.

Records only: `writing.py` makes a file of them and `reading.py` reads one; `studio.py` tells what the
file looks like. Nothing here is learned or checked against a corpus.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus

if TYPE_CHECKING:
    from bpe_studio.engine.training.merge_log import MergeColumns
    from bpe_studio.engine.training.overrides import Override

VERSION, VERSION_WITH_RUNS_BESIDE = 1, 2
"""A document says the second where it has side runs, which a program that knows the first alone cannot open."""
FORMAT_NAME = "bpe-studio"
MIMETYPE = b"application/x-bpe-studio"
MIMETYPE_PART, MAIN_PART = "mimetype", "document.json"
WORDS, HELD_OUT_WORDS = "corpus", "held_out"
"""The names of the tables of counted words; see `word_parts`."""

MAX_FILE_BYTES = 16 << 30
MAX_MAIN_BYTES = 32 << 20
MAX_VIEW_CHARACTERS = 1 << 20
MAX_VIEW_DEPTH = 20
MAX_WORD_BYTES = 1 << 30
MAX_BRANCHES = 1_000
MAX_RUN_BYTES = 2 << 30
"""The words of all runs together, counted again for each: an open run takes about eight times its words."""
MAX_MARKS = 10_000
MAX_BREAKPOINTS = 100
MAX_NAME_CHARACTERS = 1_000
FREELY_UNPACKED_BYTES, MAX_RATIO = 64 << 20, 200
"""A file may unpack to so many bytes, or else to so many times its own size."""

MERGE_COLUMNS: tuple[tuple[str, str], ...] = (
    ("left", "<i4"), ("right", "<i4"), ("count", "<i8"), ("n_tokens", "<i8"), ("tied", "<i8"), ("forced", "|u1"),
)  # fmt: skip
"""The columns of a run's merges in the order of its part, and how their numbers are written."""
MERGE_BYTES = sum(np.dtype(kind).itemsize for _, kind in MERGE_COLUMNS)

QUESTIONS = ("contains", "length", "tie", "count_below", "word")
"""What a breakpoint may ask; the same as `workspace.marks.Question`."""


def word_parts(table: str) -> tuple[str, str, str]:
    """The names of the parts with a table's words, their lengths and their counts."""
    return f"{table}/words", f"{table}/lengths", f"{table}/counts"


def own_words(number: int) -> str:
    """The name of the words of a side run that cuts the text differently."""
    return f"branches/{number}"


def own_held_out(number: int) -> str:
    """The same for its held-out text."""
    return f"branches/{number}/held_out"


def merges_part(number: int) -> str:
    """The name of the part with the merges of a branch."""
    return f"branches/{number}/merges"


@dataclass(frozen=True)
class StoredSource:
    """A file, or pasted text, that the corpus was counted from.

    Attributes:
        name: what it is called.
        encoding: how it was read.
        size_bytes: its size.
        path: where it was; None for what was in no file. It may not be there any more.
    """

    name: str
    encoding: str
    size_bytes: int
    path: Path | None = None


@dataclass(frozen=True)
class StoredBreakpoint:
    """A breakpoint; the fields are those of `workspace.marks.Breakpoint`."""

    question: str
    text: str = ""
    number: int = 0
    is_on: bool = True


@dataclass(frozen=True, eq=False)
class StoredBranch:
    """A run and the step at which it was shown.

    Attributes:
        number: tells the branches apart.
        name: what the person calls it.
        parent: the number of the branch that it came from; None for the first run and for a side run.
        override: what was decided differently; None for those two.
        config: its settings.
        columns: what its merges were, as `MERGE_COLUMNS` names them, each with as many entries.
        step: how many merges apply.
        target: the merges that were asked for.
        is_ended: whether nothing more could be learned.
        was_run: whether a run had begun.
        corpus: the counted words that it was learned from, where they are not the document's: those of a side run
            that cuts the text otherwise, and of its branches.
        held_out: the held-out words of these; None for none.
    """

    number: int
    name: str
    parent: int | None
    override: Override | None
    config: TrainingConfig
    columns: Mapping[str, npt.NDArray[Any]]
    step: int
    target: int
    is_ended: bool = False
    was_run: bool = False
    corpus: Corpus | None = None
    held_out: Corpus | None = None

    @property
    def n_merges(self) -> int:
        """How many merges there were."""
        return len(self.columns["left"])

    @property
    def is_side_run(self) -> bool:
        """Whether it is a side run, trained with other settings."""
        return self.parent is None and self.number != 0


@dataclass(frozen=True, eq=False)
class StudioDocument:
    """All that a document holds; the text of the corpus, where it is in it, stands apart.

    Attributes:
        name: what the corpus is called.
        corpus: the counted words, in the order in which they were first seen.
        branches: the runs; the first one first, a branch behind the one that it came from.
        sources: what the corpus was counted from.
        encoding: the encoding that was asked for; None where it was detected.
        notices: what there was to tell about the sources.
        shown: the number of the branch that is shown.
        bookmarks: (step, name) of the steps with a name.
        breakpoints: where a run stops.
        typed_text: the text that was typed to see it cut.
        compared_steps: the steps side by side.
        view: what the window keeps, in values that JSON can hold.
        holds_text: whether the text is added to it (`embedded_text.py`), and not only its counted words.
        held_out: the counted words of the held-out text; None for none.
        held_out_share: how much of the text was asked to be held out.
        checksum: of the text as it was read; None where that is not known.
    """

    name: str
    corpus: Corpus
    branches: tuple[StoredBranch, ...]
    sources: tuple[StoredSource, ...] = ()
    encoding: str | None = None
    notices: tuple[str, ...] = ()
    shown: int = 0
    bookmarks: tuple[tuple[int, str], ...] = ()
    breakpoints: tuple[StoredBreakpoint, ...] = ()
    typed_text: str = ""
    compared_steps: tuple[int, ...] = ()
    view: Mapping[str, Any] = field(default_factory=dict)
    holds_text: bool = False
    held_out: Corpus | None = None
    held_out_share: float = 0.0
    checksum: int | None = None

    @property
    def n_run_bytes(self) -> int:
        """The words of all runs, those that several share counted for each."""
        return sum(len((self.corpus if each.corpus is None else each.corpus).blob) for each in self.branches)

    @property
    def shown_branch(self) -> StoredBranch:
        """The branch that is shown."""
        return next(branch for branch in self.branches if branch.number == self.shown)


def stored_columns(columns: MergeColumns, n_merges: int) -> dict[str, npt.NDArray[Any]]:
    """The first merges of a run, as a document keeps them; views, for a run only grows."""
    return {name: getattr(columns, name)[:n_merges] for name, _ in MERGE_COLUMNS}


def view_fault(view: object) -> str:
    """What keeps values from being a window's view, in a few words, or "".

    >>> view_fault({"zoom": float("inf")})
    'it holds a number that is not finite'
    """
    if not isinstance(view, dict):
        return "it is no object"
    level: list[Any] = [view]
    for _ in range(MAX_VIEW_DEPTH):
        if any(isinstance(one, float) and not math.isfinite(one) for one in level):
            return "it holds a number that is not finite"
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            break
    else:
        return f"it is nested more than {MAX_VIEW_DEPTH} deep"
    try:
        size = len(json.dumps(view, allow_nan=False))
    except (TypeError, ValueError) as error:
        return f"it is no JSON ({error})"
    return f"it takes more than {MAX_VIEW_CHARACTERS:,} characters" if size > MAX_VIEW_CHARACTERS else ""
