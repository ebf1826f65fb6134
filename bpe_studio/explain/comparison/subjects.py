"""Subjects of a comparison: a run at a step, or a tokenizer.

A size of the open run is a run at a step, and so is another run of its text. To cut a long text, or
to ask for a vocabulary or its counts, takes long, so do it in the thread pool.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.explain.cut_text import CutText
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import display_name, display_token
from bpe_studio.explain.token_facts import token_tip
from bpe_studio.explain.wording import number

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.int64]

MOST_DRAWN = 4000
"""The number of characters of a text that are drawn; measures are of the whole text."""


@dataclass
class LiveTexts:
    """Texts that runs encode, in one thread of the pool; the last text of each run is kept."""

    _lives: dict[int, tuple[Segmenter, EditableText]] = field(default_factory=dict)

    def live(self, run: Run, text: str) -> EditableText:
        """A text, encoded with a run."""
        from bpe_studio.engine.encoding.editable_text import EditableText

        # The run's own segmenter belongs to the window's thread.
        segmenter, live = self._lives.get(id(run.columns), (None, None))
        if segmenter is None or live is None or segmenter.columns is not run.columns:
            segmenter = run.new_segmenter()
            live = EditableText(segmenter)
            self._lives[id(run.columns)] = segmenter, live
        if live.text != text:
            live.set_text(text)
        return live


class Cut(NamedTuple):
    """A text as a subject cuts it.

    Attributes:
        ids: (n,) its tokens.
        starts: (n,) the place where each token begins, in code points.
        drawn: the part that is drawn, without marks.
    """

    ids: IntArray
    starts: FloatArray
    drawn: CutText


class Subject(ABC):
    """Something that cuts a text into tokens. Two subjects are equal if their answers are the same.

    Attributes:
        key: a key that no other subject has.
        name: its name; "" for a size of the open run.
        run: the run; None for a tokenizer.
    """

    key: str
    name: str
    run: Run | None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Subject) and self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    @abstractmethod
    def identity(self) -> tuple[object, ...]:
        """The values on which its answers depend."""

    @property
    @abstractmethod
    def vocab_size(self) -> int:
        """The size of its vocabulary."""

    @property
    @abstractmethod
    def tip(self) -> str:
        """A tooltip that describes it."""

    @abstractmethod
    def tokens(self) -> IntArray:
        """(n,) the tokens of its vocabulary, without special tokens."""

    @abstractmethod
    def content(self, token: int) -> bytes:
        """The bytes that a token stands for."""

    @abstractmethod
    def shown(self, token: int) -> str:
        """The display name of a token."""

    @abstractmethod
    def written(self, token: int) -> str:
        """A token as logs and files write it."""

    @abstractmethod
    def id_of(self, token: int) -> int:
        """The id of a token of `Cut.ids` as the tokenizer gives it; below 0 for an unknown one."""

    @abstractmethod
    def counts(self) -> IntArray | None:
        """(n,) the count of each of `tokens()` in the corpus; None if they are not counted."""

    @property
    @abstractmethod
    def n_corpus_tokens(self) -> int | None:
        """Tokens of the whole corpus; None if they are not counted."""

    @abstractmethod
    def as_tokenizer(self) -> Tokenizer:
        """The subject as a tokenizer.

        Raises:
            BpeError: its rules are not those of a tokenizer.
        """

    @abstractmethod
    def cut(self, text: str, lives: LiveTexts) -> Cut:
        """The tokens of a text, and the part of it that is drawn.

        Raises:
            BpeError: it has no token for a part of the text.
        """

    def vocabulary(self) -> dict[bytes, int]:
        """Its tokens by their bytes; of several tokens with the same bytes, the first."""
        found: dict[bytes, int] = {}
        for token in self.tokens().tolist():
            found.setdefault(self.content(token), token)
        return found


@dataclass(frozen=True, eq=False)
class RunAt(Subject):
    """A run at a step.

    Attributes:
        key: "size N" for a size of the open run, or "run N".
        name: the name of the run; "" for a size of the open run.
        run: the run.
        step: the number of merges that apply.
        config: the settings of the run; None for those of its corpus.
        number: the number of the run entry.
    """

    key: str
    name: str
    run: Run
    step: int
    config: TrainingConfig | None = None
    number: int = -1

    @property
    def identity(self) -> tuple[object, ...]:
        return self.name, self.run, self.step

    @cached_property
    def vocab_size(self) -> int:
        return int(self.run.vocab_size_at(self.step))

    @cached_property
    def tip(self) -> str:
        if not self.name:
            return (
                f"Vocabulary size {number(self.vocab_size)} of the open run, step"
                f" {number(self.step)}"
            )
        return f"Run {self.name}: vocabulary {number(self.vocab_size)}"

    @property
    def settings(self) -> TrainingConfig:
        """The settings of the run."""
        return self.config or self.run.config

    def at(self, step: int) -> RunAt:
        """The run at another step."""
        return RunAt(self.key, self.name, self.run, step, self.config, self.number)

    def tokens(self) -> IntArray:
        import numpy as np

        return np.arange(self.run.token_of(self.step))

    def content(self, token: int) -> bytes:
        return self.run.token_content(token)

    def shown(self, token: int) -> str:
        return display_name(self.run, token)

    def written(self, token: int) -> str:
        return self.run.token_name(token)

    def id_of(self, token: int) -> int:
        return token if token == UNKNOWN else self.run.external_id(token, self.step)

    @property
    def n_corpus_tokens(self) -> int | None:
        return int(self.run.n_tokens_at(self.step)) if has_pairs(self.run) else None

    def counts(self) -> IntArray | None:
        if not has_pairs(self.run):
            return None
        return self.run.token_counts_at(self.step)[: self.run.token_of(self.step)]

    def as_tokenizer(self) -> Tokenizer:
        return self.run.tokenizer(self.step)

    def cut(self, text: str, lives: LiveTexts) -> Cut:
        live = lives.live(self.run, text)
        spans = live.tokens(self.step, 0, len(text))
        return Cut(spans.ids, spans.starts, drawn_at(self.run, live, self.step))


@dataclass(frozen=True, eq=False)
class ComparedTokenizer(Subject):
    """A tokenizer that was opened to be compared.

    Attributes:
        number: a number of its own.
        name: the name of its file or folder.
        tokenizer: the tokenizer.
        corpus_counts: (n,) int64, the count of each id in the open corpus; None if they are not
            counted.
        why_not: a sentence on why they are not counted; "" if they are, or are being counted.
        remark: a sentence on how they were counted; "" for the usual way.
    """

    number: int
    name: str
    tokenizer: Tokenizer
    corpus_counts: IntArray | None = None
    why_not: str = ""
    remark: str = ""
    run: None = field(default=None, init=False)

    @property
    def key(self) -> str:  # type: ignore[override]
        """A key that no other subject has."""
        return f"tokenizer {self.number}"

    @property
    def is_being_counted(self) -> bool:
        """Whether its tokens of the corpus are still to be counted."""
        return self.corpus_counts is None and not self.why_not

    @property
    def identity(self) -> tuple[object, ...]:
        return self.name, self.number, self.corpus_counts is None, self.why_not

    @property
    def vocab_size(self) -> int:
        return self.tokenizer.vocab_size

    @property
    def tip(self) -> str:
        what = (
            f"Tokenizer {self.name} ({self.tokenizer.kind}): vocabulary {number(self.vocab_size)}"
        )
        return "\n".join(filter(None, (what, self.why_not or self.remark)))

    def tokens(self) -> IntArray:
        import numpy as np

        special = set(self.tokenizer.special_ids.values())
        return np.array(
            sorted(token for token in self.tokenizer.tokens if token not in special), np.int64
        )

    def content(self, token: int) -> bytes:
        return self.tokenizer.content(token)

    def shown(self, token: int) -> str:
        return display_token(self.content(token))

    def written(self, token: int) -> str:
        return self.tokenizer.tokens[token]

    def id_of(self, token: int) -> int:
        return -1 if token == self.tokenizer.unknown_id else token

    @property
    def n_corpus_tokens(self) -> int | None:
        return None if self.corpus_counts is None else int(self.corpus_counts.sum())

    def counts(self) -> IntArray | None:
        return None if self.corpus_counts is None else counts_of(self.corpus_counts, self.tokens())

    def as_tokenizer(self) -> Tokenizer:
        return self.tokenizer

    def cut(self, text: str, lives: LiveTexts) -> Cut:
        import numpy as np

        tokenizer = self.tokenizer
        encoded = tokenizer.encode(text)
        ids = np.array(encoded.ids, np.int64)
        drawn = min(len(text), MOST_DRAWN)
        kept = [place for place, (start, _) in enumerate(encoded.offsets) if start < drawn]
        found = ids[kept]
        offsets = [encoded.offsets[place] for place in kept]
        starts, ends = places_of(offsets, found.tolist(), tokenizer, text)
        unknown = -1 if tokenizer.unknown_id is None else tokenizer.unknown_id

        def tip(k: int) -> str:
            token = int(found[k])
            return f"{self.shown(token)}\nid {number(token)}"

        none = np.zeros(0)
        content = CutText(
            text[:drawn],
            starts,
            np.minimum(ends, drawn),
            found == unknown,
            tip,
            none,
            none,
            None,
            found,
        )
        all_starts = [start for start, _ in encoded.offsets]
        return Cut(ids, np.array(all_starts, np.float64), content)


def counts_of(counts: IntArray, tokens: IntArray) -> IntArray:
    """The counts of some tokens, from (n,) counts by token; a token beyond their end has 0."""
    import numpy as np

    filled = np.zeros(max(int(tokens.max(initial=-1)) + 1, len(counts)), np.int64)
    filled[: len(counts)] = counts
    return filled[tokens]


def drawn_at(run: Run, live: EditableText, step: int) -> CutText:
    """The part of a text that is drawn, as a run cuts it at a step, without marks."""
    import numpy as np

    span = live.tokens(step, 0, min(len(live.text), MOST_DRAWN))
    none = np.zeros(0)

    def tip(k: int) -> str:
        return token_tip(run, int(span.ids[k]), step)

    return CutText(
        live.text[:MOST_DRAWN], span.starts, span.ends, span.ids < 0, tip, none, none, run, span.ids
    )


def places_of(
    offsets: Sequence[tuple[int, int]], ids: Sequence[int], tokenizer: Tokenizer, text: str
) -> tuple[FloatArray, FloatArray]:
    """The places of tokens as fractions of characters.

    Offsets are whole characters; several tokens that share a character divide it by their bytes.
    """
    import numpy as np

    starts, ends = np.array(offsets, np.float64).reshape(-1, 2).T.copy()
    place = 0
    while place < len(offsets):
        last = place
        # Tokens that end inside a character overlap the next one by that character.
        while last + 1 < len(offsets) and offsets[last + 1][0] < offsets[last][1]:
            last += 1
        if last > place:
            first = int(starts[place])
            end = int(max(ends[place : last + 1]))
            sizes = [max(1, len(tokenizer.content(token))) for token in ids[place : last + 1]]
            # Tokens share the text by bytes, and characters have different numbers of them.
            in_bytes = byte_places(text[first:end].encode("utf-8", "replace"))
            shares = in_bytes[-1] * np.cumsum([0, *sizes]) / sum(sizes)
            edges = first + np.interp(shares, in_bytes, np.arange(len(in_bytes)))
            starts[place : last + 1] = edges[:-1]
            ends[place : last + 1] = edges[1:]
        place = last + 1
    return starts, ends


def byte_places(content: bytes) -> IntArray:
    """(n + 1,) int64: the byte at which each character of UTF-8 begins, and the end."""
    import numpy as np

    sizes = [len(character.encode()) for character in content.decode("utf-8", "replace")]
    return np.cumsum([0, *sizes], dtype=np.int64)
