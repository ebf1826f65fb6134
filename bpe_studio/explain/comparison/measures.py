"""Measures of a text and of the corpus under each subject: tokens, ratios, use of the vocabulary,
tokens in common.

The tokens of a size of the open run are known at once (`texts.py`). Everything else takes a pass
over a vocabulary, so compute it in the thread pool (`Measurer`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.subjects import ComparedTokenizer, LiveTexts, RunAt, Subject
from bpe_studio.explain.comparison.verdict import KindsOfWords

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.size_measures import VocabularyUse
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.cut_text import CutText


@dataclass(frozen=True)
class TextSize:
    """The sizes of a text, whatever the tokenizer."""

    n_bytes: int
    n_characters: int
    n_words: int

    @classmethod
    def of(cls, text: str) -> TextSize:
        """Measure a text."""
        return cls(len(text.encode("utf-8", "surrogatepass")), len(text), len(text.split()))


@dataclass(frozen=True)
class Row:
    """One row of measures: the text and the corpus under one subject.

    Attributes:
        subject: the subject.
        is_current: whether it is the step of the window.
        n_tokens: tokens of the text; None if it cannot be encoded, or is not encoded yet.
        corpus_tokens: tokens of the whole corpus; None if they are not counted.
        text: the sizes of the text.
        corpus_bytes: the size of the corpus; 0 if unknown.
        corpus_words: its words, separated by white space; 0 if unknown.
    """

    subject: Subject
    is_current: bool
    n_tokens: int | None
    corpus_tokens: int | None
    text: TextSize
    corpus_bytes: int
    corpus_words: int

    @classmethod
    def of(
        cls,
        subject: Subject,
        run: Run,
        text: TextSize,
        n_tokens: int | None,
        *,
        is_current: bool = False,
    ) -> Row:
        """The row of a subject.

        Args:
            subject: the subject.
            run: the open run; a tokenizer is measured on its corpus.
            text: the sizes of the text.
            n_tokens: the tokens of the text.
            is_current: whether it is the step of the window.
        """
        corpus = (subject.run or run).corpus
        n_corpus = subject.n_corpus_tokens
        return cls(
            subject,
            is_current,
            n_tokens,
            n_corpus,
            text,
            int(corpus.size_bytes),
            int(corpus.n_whitespace_words or 0),
        )

    @property
    def step(self) -> int:
        """The number of merges; -1 for a tokenizer."""
        return self.subject.step if isinstance(self.subject, RunAt) else -1

    @property
    def is_size(self) -> bool:
        """Whether it is a size of the open run."""
        return not self.subject.name

    @property
    def vocab_size(self) -> int:
        """Alphabet, merges and special tokens."""
        return self.subject.vocab_size

    @property
    def bytes_per_token(self) -> float | None:
        """Bytes of the text per token."""
        return _ratio(self.text.n_bytes, self.n_tokens)

    @property
    def characters_per_token(self) -> float | None:
        """Code points of the text per token."""
        return _ratio(self.text.n_characters, self.n_tokens)

    @property
    def fertility(self) -> float | None:
        """Tokens per word of the text; words are separated by white space."""
        return _ratio(self.n_tokens, self.text.n_words)

    @property
    def corpus_bytes_per_token(self) -> float | None:
        """Bytes of the corpus per token; None if it was given as counts."""
        return _ratio(self.corpus_bytes, self.corpus_tokens) if self.corpus_bytes else None

    @property
    def corpus_fertility(self) -> float | None:
        """Tokens per word of the corpus, separated by white space; None if they are not known."""
        return _ratio(self.corpus_tokens, self.corpus_words)


class UseOfVocabulary(NamedTuple):
    """The use of a vocabulary.

    Attributes:
        text: in the text; None if it cannot be encoded.
        corpus: in the corpus; None if it is not counted.
    """

    text: VocabularyUse | None
    corpus: VocabularyUse | None


@dataclass(frozen=True, eq=False)
class Measured:
    """The measures that take a pass over a vocabulary or a long text.

    Attributes:
        use: the use of the vocabulary.
        n_tokens: tokens of the text; None if it cannot be encoded.
        content: the text as the subject cuts it, without marks; None if it cannot be encoded, and
            for a size.
        why_not: why the text cannot be encoded, or "".
        kinds: tokens of the text by kind of word.
    """

    use: UseOfVocabulary
    n_tokens: int | None
    content: CutText | None = None
    why_not: str = ""
    kinds: Mapping[str, int] = field(default_factory=dict)


def _ratio(count: int | None, per: int | None) -> float | None:
    return count / per if per and count is not None else None


def shared_in_run(subject: Subject, reference: Subject) -> int | None:
    """The number of tokens that two steps of one run share, without a pass; None for others."""
    if isinstance(subject, RunAt) and isinstance(reference, RunAt) and subject.run is reference.run:
        return subject.run.token_of(min(subject.step, reference.step))
    return None


@dataclass
class Measurer:
    """Measures subjects; keeps encoded texts and the bytes of tokens from one call to the next."""

    _lives: LiveTexts = field(default_factory=LiveTexts)
    _contents: dict[int, tuple[object, list[bytes]]] = field(default_factory=dict)
    _kinds: tuple[str, KindsOfWords] | None = None

    def measure(self, subjects: Iterable[Subject], text: str, rare: int) -> dict[Subject, Measured]:
        """The measures of each subject.

        Args:
            subjects: the subjects.
            text: the compared text.
            rare: the count in the corpus below which a token is rare.
        """
        found: dict[Subject, Measured] = {}
        by_run: dict[int, list[RunAt]] = {}
        for subject in subjects:
            if isinstance(subject, RunAt):
                by_run.setdefault(id(subject.run), []).append(subject)
            elif isinstance(subject, ComparedTokenizer):
                found[subject] = self._of_tokenizer(subject, text, rare)
        for group in by_run.values():
            found |= self._of_run(group, text, rare)
        return found

    def n_shared(self, subjects: Sequence[Subject], reference: Subject) -> list[int]:
        """The number of tokens of each subject that the reference has, too, compared by their
        bytes.
        """
        there: frozenset[bytes] = frozenset()
        found = []
        for subject in subjects:
            there = there or frozenset(self._contents_of(reference))
            found.append(sum(content in there for content in self._contents_of(subject)))
        return found

    def _of_run(self, subjects: Sequence[RunAt], text: str, rare: int) -> dict[Subject, Measured]:
        """The measures at several steps of a run: a pass over the text, and one over the corpus."""
        from bpe_studio.engine.analysis.size_measures import TokenUses, vocabulary_use

        run = subjects[0].run
        steps = sorted({subject.step for subject in subjects})
        live = self._lives.live(run, text)

        def uses_of(stage: Run, end: int) -> TokenUses:
            text = live if stage is run else live.at(0)
            return TokenUses.of_gaps(stage, text.symbols, text.gaps, end)

        text_uses = TokenUses.of_stages(run, steps[-1], uses_of)
        of_text = {step: vocabulary_use(counts) for step, counts in text_uses.counts_at(steps)}
        corpus_uses = TokenUses.of_corpus(run, steps[-1])
        of_corpus = {
            step: vocabulary_use(counts, rare) for step, counts in corpus_uses.counts_at(steps)
        }
        found: dict[Subject, Measured] = {}
        for subject in subjects:
            in_corpus = None if subject.n_corpus_tokens is None else of_corpus[subject.step]
            use = UseOfVocabulary(of_text[subject.step], in_corpus)
            cut = subject.cut(text, self._lives)
            content = cut.drawn if subject.name else None
            found[subject] = Measured(
                use,
                live.n_tokens(subject.step),
                content,
                kinds=self._kinds_of(text).count(cut.starts),
            )
        return found

    def _of_tokenizer(self, subject: ComparedTokenizer, text: str, rare: int) -> Measured:
        import numpy as np

        from bpe_studio.engine.analysis.size_measures import vocabulary_use
        from bpe_studio.explain.comparison.subjects import counts_of

        counts = subject.counts()
        tokens = subject.tokens()
        of_corpus = None if counts is None else vocabulary_use(counts, rare)
        try:
            ids, starts, content = subject.cut(text, self._lives)
        except BpeError as error:
            return Measured(UseOfVocabulary(None, of_corpus), None, None, str(error))
        of_text = vocabulary_use(counts_of(np.bincount(ids, minlength=1), tokens))
        return Measured(
            UseOfVocabulary(of_text, of_corpus),
            len(ids),
            content,
            kinds=self._kinds_of(text).count(starts),
        )

    def _kinds_of(self, text: str) -> KindsOfWords:
        if self._kinds is None or self._kinds[0] != text:
            self._kinds = text, KindsOfWords(text)
        return self._kinds[1]

    def _contents_of(self, subject: Subject) -> list[bytes]:
        holder = subject.run.columns if isinstance(subject, RunAt) else subject.tokenizer  # type: ignore[attr-defined]
        known, contents = self._contents.get(id(holder), (None, []))
        if known is not holder:
            contents = []
            self._contents[id(holder)] = holder, contents
        tokens = subject.tokens()
        contents += [subject.content(token) for token in tokens[len(contents) :].tolist()]
        return contents[: len(tokens)]
