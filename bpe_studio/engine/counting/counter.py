"""`Counter`: a table of counted pre-tokens that grows, adds up and travels between processes.

A `Corpus` is finished; counters can do the counting anywhere: each worker has one, they are merged,
and `corpus` makes the corpus of the sum. After a merge, the table has its own pre-tokens first,
then the new ones of the other counter. So merge in the order of the text if the order of first
sight matters (the tie rule `first-seen`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from typing import Any

from bpe_studio.engine.arguments import as_path, shown
from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.corpus import (
    MOST_SOURCES,
    Corpus,
    CorpusBuilder,
    adding_up,
    measures_of,
)
from bpe_studio.engine.counting.plain_counting import TextMeasures, words_of
from bpe_studio.engine.counting.source_weights import check_has_no_weights
from bpe_studio.engine.counting.word_sum import WordSum
from bpe_studio.engine.counting.word_table import Words
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import result_of
from bpe_studio.errors import ArgumentError, ConfigError, CorpusError

_NO_WORDS = words_of({})


class Counter:
    """Counts the pre-tokens of texts.

    Raises:
        ConfigError: the options are not a `TrainingConfig`, or clean text.

    Attributes:
        config: the options that text is split with.
        sources: the names of the first sources of the text, as far as they are known.
        n_sources: the number of all of them.
        notices: sentences about how it was read; usually none.

    >>> counter = Counter(TrainingConfig.preset("textbook"))
    >>> counter.update(["low low", "lower"])
    >>> dict(counter.corpus().items())
    {'low': 2, 'lower': 1}
    """

    def __init__(self, config: TrainingConfig) -> None:
        if checked_config(config).clean:
            # Lines and documents that repeat are found only where all of a text is read in one go.
            raise ConfigError(
                f"A table of counts cannot be cleaned (clean {','.join(config.clean)}): leave clean"
                " out, or train from the text"
            )
        self.config = config
        self.sources: list[str] = []
        self.n_sources = 0
        self.notices: list[str] = []
        # The table of each file by its path; None if some are not known, or too many.
        self._parts: dict[str, Counter] | None = {}
        self._builder: CorpusBuilder | None = None
        self._sum: WordSum | None = None
        self._words: Words | None = _NO_WORDS
        self._measures: TextMeasures | None = TextMeasures()
        # Of two stages, each has a table of the same text.
        self._first = None
        if len(config.stages) > 1:
            self._first = Counter(config.unweighted.stages[0])

    @classmethod
    def of(cls, corpus: Corpus) -> Counter:
        """A counter that begins with the table of a corpus."""
        counter = cls(corpus.config)
        counter._take(corpus)
        return counter

    @classmethod
    def from_tables(
        cls, config: TrainingConfig, tables: Sequence[Words], measures: TextMeasures | None
    ) -> Counter:
        """A counter of a text that was counted before.

        Args:
            config: the options.
            tables: the pre-tokens of each stage, as `tables` gives them.
            measures: the measures of the text; `None` if they are not known.
        """
        counter = cls(config)
        counter._words = tables[-1]
        counter._measures = measures
        if counter._first is not None:
            counter._first = cls.from_tables(counter._first.config, tables[:1], measures)
        return counter

    @classmethod
    def load(cls, path: str | PathLike[str], config: TrainingConfig | None = None) -> Counter:
        """A counter that was saved.

        Args:
            path: a file that `save` or `bpe-studio count` has written, several of them joined end
                to end, or a folder of them.
            config: the options that the text must have been split with; `None` for those in the
                head of the file.

        Raises:
            SourceError: it cannot be read, or it was split with other options.
        """
        counter: Counter = file_access().load_counter(as_path(path), config)
        return counter

    def save(self, path: str | PathLike[str]) -> None:
        """Write the table, with a head that says how the text was split, as TSV, or as Parquet if
        the path ends so.

        Raises:
            SaveError: it cannot be written.
        """
        file_access().save_counter(self, as_path(path))

    def update(self, texts: Iterable[str | bytes] | str | bytes) -> None:
        """Count texts, each of which is a document.

        Args:
            texts: the texts, or one text; bytes are UTF-8, and invalid ones are kept as they are.

        Raises:
            ArgumentError: one of them is not text; those before it have been counted.
        """
        if not isinstance(texts, Iterable) or isinstance(texts, Mapping):
            raise ArgumentError(
                f"{shown(texts)} is not text: give update texts (str or bytes), such as a list of"
                " them"
            )
        if isinstance(texts, str | bytes):
            texts = [texts]
        for text in texts:
            if not isinstance(text, str | bytes):
                raise ArgumentError(
                    f"{shown(text)} is not text: leave it out, and give update only str or bytes"
                )
            whole = text.decode("utf-8", "surrogateescape") if isinstance(text, bytes) else text
            content = whole.encode("utf-8", "surrogatepass")
            for _ in self.feed(content, (len(content),)):
                pass

    def begin_source(self, path: str) -> None:
        """Say which file the text that follows is from, as `CorpusBuilder.begin_source`."""
        self._begun().begin_source(path)

    def feed(self, content: bytes, ends: Sequence[int] = ()) -> Iterator[None]:
        """Count a piece of text, as `CorpusBuilder.feed`; the last piece must end a document."""
        return self._begun().feed(content, ends)

    def _begun(self) -> CorpusBuilder:
        if self._builder is None:
            config = self.config
            self._builder = CorpusBuilder(config.unweighted, keeps_files=config.is_weighted)
        return self._builder

    def merge(self, other: Counter) -> None:
        """Add what another counter has counted, after what this one has.

        Raises:
            CorpusError: it has split text in another way, or there are too many pre-tokens to add
                up.
            ArgumentError: it is not a counter.
        """
        if not isinstance(other, Counter):
            raise ArgumentError(
                f"merge takes a Counter, not a {type(other).__name__}: for a corpus, give"
                " Counter.of(corpus)"
            )
        different = cut_difference(other.config, self.config)
        if different:
            raise CorpusError(
                f"The counters cannot be merged: {different}; count with the same options"
            )
        words = other.words()
        self._keep(len(words.counts), other._parts)
        self._as_sum().add(words)
        self._add_measures(other._measures)
        if self._first is not None and other._first is not None:
            self._first.merge(other._first)
        self.add_sources(other.sources, other.n_sources)
        self.notices += other.notices

    def as_file(self, path: str) -> Counter:
        """A counter with the same counts as those of one file, which can have a weight."""
        found = Counter.of(self.corpus())
        found._parts = {path: self}
        found.add_sources(self.sources, self.n_sources)
        found.notices = self.notices
        return found

    def add_sources(self, names: Sequence[str], n_sources: int | None = None) -> None:
        """Note the sources of the text."""
        self.sources += names[: max(0, MOST_SOURCES - len(self.sources))]
        self.n_sources += len(names) if n_sources is None else n_sources

    def corpus(self, config: TrainingConfig | None = None) -> Corpus:
        """The corpus of all that was counted.

        Args:
            config: options to train with that split text in the same way; `None` for those of the
                counter.

        Raises:
            CorpusError: there are too many pre-tokens to add up, or the options split text in
                another way.
            ConfigError: a weight is that of no file, or the files are not known.
        """
        different = "" if config is None else cut_difference(self.config, checked_config(config))
        if different:
            raise CorpusError(
                f"The counter cannot be used with these options, because {different}: count again"
            )
        config = config or self.config
        self._settle()
        if self._parts:
            parts = {path: part.corpus() for path, part in self._parts.items()}
            return result_of(adding_up(parts, config))
        check_has_no_weights(config)
        measures = {} if self.measures is None else asdict(self.measures)
        first = None if self._first is None else self._first.corpus(config.stages[0])
        return Corpus(
            config, self.words(), **measures, is_counted=self.measures is None, first=first
        )

    @property
    def measures(self) -> TextMeasures | None:
        """The measures of the text; `None` if they are not known."""
        self._settle()
        return self._measures

    def words(self) -> Words:
        """The pre-tokens and their counts, in first-seen order.

        With superwords, these are the pieces of the second stage.
        """
        self._settle()
        if self._words is None:
            self._words = self._as_sum().words()
            self._sum = None
        return self._words

    def tables(self) -> tuple[Words, ...]:
        """The pre-tokens of each stage and their counts; usually one table."""
        self._settle()
        if self._first is None:
            return (self.words(),)
        return self._first.words(), self.words()

    def rows(self) -> Iterator[tuple[bytes, int]]:
        """Each pre-token and its count, in first-seen order."""
        return self.words().rows()

    def __len__(self) -> int:
        self._settle()
        return len(self._as_sum()) if self._words is None else len(self._words.counts)

    def __getstate__(self) -> dict[str, Any]:
        words = self.words()
        return {
            "config": self.config,
            "words": tuple(words),
            "measures": self._measures,
            "sources": (self.sources, self.n_sources),
            "notices": self.notices,
            "first": self._first,
            "parts": self._parts,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["config"])  # type: ignore[misc]
        self._words = Words(*state["words"])
        self._measures = state["measures"]
        self.sources, self.n_sources = state["sources"]
        self.notices = state["notices"]
        self._first = state["first"]
        self._parts = state["parts"]

    def _settle(self) -> None:
        """Add what the builder has counted to the table."""
        if self._builder is None:
            return
        builder = self._builder
        self._builder = None
        self._take(builder.finish())

    def _take(self, corpus: Corpus) -> None:
        corpus = corpus.weighed(corpus.config.unweighted)
        parts = {path: Counter.of(source) for path, source in corpus.sources.items()}
        self._keep(len(corpus), parts or None)
        if self._first is not None and corpus.first is not None:
            self._first._take(corpus.first)
        if self._words is not None and not len(self._words.counts):
            self._words = corpus.words
        else:
            self._as_sum().add(corpus.words)
        self._add_measures(measures_of(corpus))

    def _keep(self, n_words: int, parts: Mapping[str, Counter] | None) -> None:
        """Keep the tables of further files, or none if some of the words are of no known file."""
        if not n_words or self._parts is None:
            return
        for path, part in (parts or {}).items():
            if path in self._parts:
                self._parts[path].merge(part)
            else:
                self._parts[path] = part
        is_too_many = len(self._parts) > MOST_SOURCES and not self.config.is_weighted
        if parts is None or is_too_many:
            self._parts = None

    def _as_sum(self) -> WordSum:
        self._settle()
        if self._sum is None:
            self._sum = WordSum()
        if self._words is not None:
            self._sum.add(self._words)
            self._words = None
        return self._sum

    def _add_measures(self, other: TextMeasures | None) -> None:
        if self._measures is None or other is None:
            self._measures = None
            return
        total = TextMeasures()
        total.add(self._measures)
        total.add(other)
        self._measures = total


def cut_difference(there: TrainingConfig, here: TrainingConfig) -> str:
    """The difference in how two configurations cut text, as a phrase; "" if there is none.

    >>> cut_difference(TrainingConfig.preset("gpt2"), TrainingConfig.preset("cl100k"))
    'its text was cut with split gpt2 and not cl100k'
    """
    names = ("units",) if there.units != here.units else ()
    different = []
    for name in dict.fromkeys((*names, *there.different_cut(here))):
        member = "all_special" if name == "special" else name
        one = getattr(there, member)
        other = getattr(here, member)
        different.append(f"{name.replace('_', '-')} {_shown(one)} and not {_shown(other)}")
    return f"its text was cut with {', '.join(different)}" if different else ""


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value)) or "none"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)[:100]
