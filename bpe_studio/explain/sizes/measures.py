"""Measures of a text and of the corpus at a vocabulary size: tokens, ratios, use of the vocabulary.

Tokens and ratios are immediate; the use of the vocabulary takes a pass over it (`UseCounter`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.run import Run


@dataclass(frozen=True)
class TextCounts:
    """The sizes of a text and of the corpus, which do not depend on the step; 0 words if unknown."""

    n_bytes: int
    n_characters: int
    n_words: int
    corpus_bytes: int
    corpus_words: int = 0

    @classmethod
    def of(cls, text: str, run: Run) -> TextCounts:
        """The sizes of a text that is compared at steps of a run."""
        n_bytes = len(text.encode("utf-8", "surrogatepass"))
        corpus = run.corpus
        return cls(n_bytes, len(text), len(text.split()), int(corpus.size_bytes), int(corpus.n_whitespace_words or 0))

    def for_corpus(self, run: Run) -> TextCounts:
        """The same text, and the corpus of another run, which may have read it in another way."""
        corpus = run.corpus
        return replace(self, corpus_bytes=int(corpus.size_bytes), corpus_words=int(corpus.n_whitespace_words or 0))


@dataclass(frozen=True)
class SizeMeasures:
    """One row of measures: the text and the corpus at one step.

    Attributes:
        step: the number of merges.
        is_current: whether it is the step of the window.
        vocab_size: alphabet, merges and special tokens.
        n_tokens: tokens of the text; None if it cannot be encoded.
        corpus_tokens: tokens of the whole corpus; None if they are not counted.
        counts: the sizes behind the ratios.
        name: of another run or a tokenizer; "" for a size of the open run.
        key: what identifies that run or tokenizer; "" for a size of the open run.
    """

    step: int
    is_current: bool
    vocab_size: int
    n_tokens: int | None
    corpus_tokens: int | None
    counts: TextCounts
    name: str = ""
    key: str = ""

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of the text per token."""
        return _ratio(self.counts.n_bytes, self.n_tokens)

    @property
    def characters_per_token(self) -> float | None:
        """Code points of the text per token."""
        return _ratio(self.counts.n_characters, self.n_tokens)

    @property
    def fertility(self) -> float | None:
        """Tokens per word of the text; words are separated by white space."""
        return _ratio(self.n_tokens, self.counts.n_words)

    @property
    def corpus_bytes_per_token(self) -> float | None:
        """Bytes of the corpus per token; None if it was given as counts."""
        return _ratio(self.counts.corpus_bytes, self.corpus_tokens) if self.counts.corpus_bytes else None

    @property
    def corpus_fertility(self) -> float | None:
        """Tokens per word of the corpus, separated by white space; None if their number is not known."""
        return _ratio(self.corpus_tokens, self.counts.corpus_words)


class UseOfVocabulary(NamedTuple):
    """How much of the vocabulary is used at a step, by the text and by the corpus; takes a pass over the vocabulary.

    Attributes:
        step: the step.
        text_unused, unused: tokens of the vocabulary that do not occur in the text, and in the corpus.
        text_working, working: the share of the vocabulary that makes up 90 % of all occurrences in the text, and in the
            corpus.
        rare: tokens that occur in the corpus fewer times than the threshold.

    Each is None where the text cannot be encoded, or the corpus is not counted.
    """

    step: int
    text_unused: int | None
    text_working: float | None
    unused: int | None
    rare: int | None
    working: float | None


def measure(run: Run, live: EditableText, counts: TextCounts, step: int, is_current: bool) -> SizeMeasures:
    """Measure a text at one step."""
    return SizeMeasures(
        step=step,
        is_current=is_current,
        vocab_size=int(run.vocab_size_at(step)),
        n_tokens=int(live.n_tokens(step)),
        corpus_tokens=int(run.n_tokens_at(step)),
        counts=counts,
    )


def _ratio(count: int | None, per: int | None) -> float | None:
    return count / per if per and count is not None else None


@dataclass(frozen=True, eq=False)
class Subject:
    """What is measured: a text, encoded with a run.

    Attributes:
        run: the run.
        text: the text.
        rare: a token that occurs fewer times than this in the corpus is rare.
    """

    run: Run
    text: str
    rare: int

    def is_as(self, other: Subject | None) -> bool:
        """Whether the counts of the other are valid for this one."""
        return other is not None and other.run is self.run and (other.text, other.rare) == (self.text, self.rare)


class TextCutter:
    """Encodes texts with a run in the thread pool; the run's own segmenter belongs to the window's thread."""

    def __init__(self) -> None:
        self._segmenter: Segmenter | None = None
        self._last: tuple[str, int, TextGaps] | None = None

    def gaps(self, run: Run, text: str, n_merges: int) -> TextGaps:
        """The gap ranks of a text for at least `n_merges` merges of the run; the last answer is cached."""
        if self._segmenter is None or self._segmenter.columns is not run.columns:
            self._segmenter, self._last = run.new_segmenter(), None
        if self._last is None or self._last[0] != text or self._last[1] < n_merges:
            n_known = len(run.columns)
            self._last = (text, n_known, self._segmenter.text_gaps(text))
        return self._last[2]


@dataclass
class UseCounter:
    """Counts how much of the vocabulary is used at some steps; the segmenter of the text is cached."""

    _cutter: TextCutter = field(default_factory=TextCutter)

    def count(self, subject: Subject, steps: Sequence[int]) -> list[UseOfVocabulary]:
        """The use of the vocabulary at each of the steps; takes passes over the text and the corpus."""
        from bpe_studio.engine.analysis.size_measures import measure_corpus, measure_text

        gaps = self._cutter.gaps(subject.run, subject.text, max(steps))
        of_text = measure_text(gaps, subject.run, steps, subject.text)
        of_corpus = measure_corpus(subject.run, steps, subject.rare)
        return [
            UseOfVocabulary(
                step=own.step,
                text_unused=text.n_unused,
                text_working=text.working_share,
                unused=own.n_unused,
                rare=own.n_rare,
                working=own.working_share,
            )
            for text, own in zip(of_text, of_corpus, strict=True)
        ]
