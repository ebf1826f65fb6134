"""The content of a studio document, as plain records, and the names and limits of its parts.

`writing.py` makes a file of the records, `reading.py` reads one, and `studio.py` describes the
file. Nothing here trains or checks a record against a corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.files.text.reading import LENIENT_READING, Reading

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
    from bpe_studio.engine.training.merge_log import MergeColumns
    from bpe_studio.engine.training.overrides import Override

VERSION = 1
VERSION_WITH_RUNS_BESIDE = 2
VERSION_WITH_TOKENIZERS = 3
"""A document with side runs has the second version, and one with a run on top of a tokenizer the
third, so that programs that know only those before refuse to open it."""
FORMAT_NAME = "bpe-studio"
MAIN_PART = "document.json"
WORDS = "corpus"
HELD_OUT_WORDS = "held_out"
"""The names of the tables of counted words; see `word_parts`."""

MAX_FILE_BYTES = 16 << 30
MAX_MAIN_BYTES = 32 << 20
MAX_VIEW_CHARACTERS = 1 << 20
MAX_WORD_BYTES = 1 << 30
MAX_BRANCHES = 1_000
MAX_RUN_BYTES = 2 << 30
"""The most bytes of words of all runs together, counted for each run: an open run takes about eight
times the size of its words.
"""
MAX_SEED_TOKENS = 4_000_000
"""The most tokens of all tokenizers together that runs begin with; see
`StudioDocument.n_seed_tokens`.
"""
MAX_MARKS = 10_000
MAX_BREAKPOINTS = 100
MAX_NAME_CHARACTERS = 1_000
FREELY_UNPACKED_BYTES = 64 << 20
MAX_RATIO = 200
"""A file may decompress to this many bytes, or to this many times its own size if that is more."""

MERGE_COLUMNS: tuple[tuple[str, str], ...] = (
    ("left", "<i4"),
    ("right", "<i4"),
    ("count", "<i8"),
    ("n_tokens", "<i8"),
    ("tied", "<i8"),
    ("forced", "|u1"),
)
"""The columns of a run's merges in the order of their part, and the dtypes in which they are
stored.
"""
MERGE_BYTES = sum(np.dtype(kind).itemsize for _, kind in MERGE_COLUMNS)

QUESTIONS = ("token", "contains", "length", "tie", "count_below", "word")
"""The questions of breakpoints; the same as `workspace.marks.Question`."""


def word_parts(table: str) -> tuple[str, str, str]:
    """The names of the parts with the words of a table, their lengths and their counts."""
    return f"{table}/words", f"{table}/lengths", f"{table}/counts"


def first_words(table: str) -> str:
    """The name of the table of the same text as the first of two stages cuts it."""
    return f"{table}/first"


def file_words(table: str, number: int) -> str:
    """The name of the table of one file of the text."""
    return f"{table}/files/{number}"


def has_files(corpus: Corpus) -> bool:
    """Whether a document holds the table of each file: where files can be told apart."""
    return len(corpus.sources) > 1 or corpus.config.is_weighted


def own_words(number: int) -> str:
    """The name of the word table of a side run that splits the text differently."""
    return f"branches/{number}"


def own_held_out(number: int) -> str:
    """The name of the table of its held-out words."""
    return f"branches/{number}/held_out"


def merges_part(number: int) -> str:
    """The name of the part with the merges of a branch."""
    return f"branches/{number}/merges"


def tokenizer_parts(number: int) -> tuple[str, str, str]:
    """The names of the parts with the tokens, their lengths and the merges of the tokenizer that a
    run begins with.
    """
    folder = f"branches/{number}/tokenizer"
    return f"{folder}/tokens", f"{folder}/lengths", f"{folder}/merges"


@dataclass(frozen=True)
class StoredSource:
    """A file or a pasted text that the corpus was counted from; a document does not say where it
    is.

    Attributes:
        name: its name.
        encoding: the encoding that it was decoded with.
        size_bytes: its size.
        form: the form of its content, such as "JSON lines in gzip"; "" if it is not known.
        column: the column of its records that was read as the text; "" for plain text.
    """

    name: str
    encoding: str
    size_bytes: int
    form: str = ""
    column: str = ""


def as_stored(sources: Sequence[StoredSource]) -> tuple[StoredSource, ...]:
    """The sources as a document has them: more than it may name become one, which it cannot read
    again.
    """
    if len(sources) <= MAX_MARKS:
        return tuple(sources)
    first = sources[0]
    n_bytes = sum(source.size_bytes for source in sources)
    return (
        StoredSource(
            f"{len(sources):,} files", first.encoding, n_bytes, form=first.form, column=first.column
        ),
    )


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
        number: identifies the branch in the document.
        name: its name on the screen.
        parent: the number of the run that it branched off from; `None` for the first run and for a
            side run.
        override: the difference from the parent; `None` for those two.
        config: its settings.
        columns: its merges, one array of n_merges entries for each of `MERGE_COLUMNS`.
        step: how many merges apply.
        target: the number of merges that were requested.
        is_ended: whether training ended, with no merge left to train.
        was_run: whether training had begun.
        corpus: the counted words of a side run that splits the text differently, and of its
            branches; `None` for the document's corpus.
        held_out: the held-out words of that corpus; `None` for none.
        tokenizer: the tokenizer with whose merges a run without a parent begins; `None` for none.
            Its branches begin with those up to their overrides.
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
    tokenizer: TokenizerModel | None = None

    @property
    def n_merges(self) -> int:
        """The number of merges."""
        return len(self.columns["left"])

    @property
    def is_side_run(self) -> bool:
        """Whether it is a side run, trained with other settings."""
        return self.parent is None and self.number != 0


@dataclass(frozen=True, eq=False)
class StudioDocument:
    """All that a document holds, except for the text of the corpus.

    Attributes:
        name: the name of the corpus.
        corpus: the counted words, in first-seen order.
        branches: the runs, each after the run that it branched off from.
        sources: the files or texts that the corpus was counted from.
        reading: the user's choices about reading them.
        notices: sentences of the reader about them.
        shown: the number of the branch that is shown.
        bookmarks: (step, name) of each bookmark.
        breakpoints: the conditions at which a run stops.
        typed_text: the typed text.
        compared_steps: the steps that are compared.
        view: the state of the window, as JSON values.
        holds_text: whether the file also holds the text (`embedded_text.py`), and not only its
            counted words.
        held_out: the counted words of the held-out text; `None` for none.
        held_out_share: the share of the text to hold out, from 0 to 1.
    """

    name: str
    corpus: Corpus
    branches: tuple[StoredBranch, ...]
    sources: tuple[StoredSource, ...] = ()
    reading: Reading = LENIENT_READING
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

    @property
    def n_seed_tokens(self) -> int:
        """The tokens of all tokenizers that runs begin with.

        A branch that begins inside one has it once more.
        """
        total = 0
        seeds = dict[int, tuple[int, int]]()
        for branch in self.branches:
            model = branch.tokenizer
            is_own = model is not None
            n_tokens = 0
            n_seed = 0
            if model is not None:
                n_tokens = len(model.tokens)
                n_seed = len(model.merges)
            if branch.parent is not None and branch.override is not None:
                n_tokens, n_seed = seeds[branch.parent]
                is_own = branch.override.step < n_seed
                n_seed = min(n_seed, branch.override.step)
            seeds[branch.number] = n_tokens, n_seed
            if is_own:
                total += n_tokens
        return total

    @property
    def n_run_bytes(self) -> int:
        """The size of the words of all runs, counted for each run that uses them."""
        n_bytes = 0
        for branch in self.branches:
            corpus = self.corpus if branch.corpus is None else branch.corpus
            n_bytes += len(corpus.blob)
            if corpus.first is not None:
                n_bytes += len(corpus.first.blob)
        return n_bytes

    def fault_of_runs(self) -> str:
        """The limit that all runs together exceed, as a sentence; "" for none."""
        n_runs = len(self.branches)
        n_bytes = self.n_run_bytes
        n_tokens = self.n_seed_tokens
        if n_bytes > MAX_RUN_BYTES:
            return (
                f"its {n_runs:,} runs contain {n_bytes:,} bytes of words, and the limit is"
                f" {MAX_RUN_BYTES:,}"
            )
        if n_tokens > MAX_SEED_TOKENS:
            return (
                f"its {n_runs:,} runs begin with {n_tokens:,} tokens, and the limit is"
                f" {MAX_SEED_TOKENS:,}"
            )
        return ""

    @property
    def shown_branch(self) -> StoredBranch:
        """The branch that is shown."""
        return next(branch for branch in self.branches if branch.number == self.shown)


def stored_columns(columns: MergeColumns, n_merges: int) -> dict[str, npt.NDArray[Any]]:
    """The first merges of a run as columns of a document; views, because a run only grows."""
    return {name: getattr(columns, name)[:n_merges] for name, _ in MERGE_COLUMNS}


def view_fault(view: object) -> str:
    """The reason why a value cannot be a window's view, in a few words; "" if it can.

    >>> view_fault({"zoom": {1}})
    'it is not JSON (Object of type set is not JSON serializable)'
    """
    if not isinstance(view, dict):
        return "it is not an object"
    try:
        size = len(json.dumps(view, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        return f"it is not JSON ({error})"
    if size > MAX_VIEW_CHARACTERS:
        return f"it takes more than {MAX_VIEW_CHARACTERS:,} characters"
    return ""
