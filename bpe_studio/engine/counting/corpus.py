"""A corpus as a table of counted pre-tokens, in the order in which they are first seen.

`CorpusBuilder` splits and counts text as it is read; `Corpus` is the finished table. Tables add up,
so texts may be counted separately. What a pre-token consists of (bytes, characters, marks) is
decided later, by the run's alphabet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bpe_studio.engine.arguments import as_text, each_text, shown
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.config import TrainingConfig, checked_config
from bpe_studio.engine.counting.fast_counting import FastCounting, can_count_fast
from bpe_studio.engine.counting.plain_counting import PlainCounting, TextMeasures, words_of
from bpe_studio.engine.counting.source_weights import (
    check_has_no_weights,
    repetitions,
    short_names,
)
from bpe_studio.engine.counting.word_table import Words, compile_kernels
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import Report, result_of
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.options import REGEX
from bpe_studio.engine.progress_bar import reported
from bpe_studio.engine.text.alphabet import from_stand_ins, to_stand_ins
from bpe_studio.engine.text.pretokenization import compile_split, takes_too_long
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.errors import ArgumentError, ConfigError, CorpusError, VocabularyError

if TYPE_CHECKING:
    from bpe_studio.engine.counting.cleaner import Cleaner

FAST_CHARACTERS = 1 << 19
"""Up to this much text is counted without compiled kernels."""
SMALL_CHARACTERS = 1 << 14
"""After other files, a file below this size is counted faster without kernels: they take 3 ms to
begin."""

MOST_SOURCES = 100
"""The most files that are counted apart, and named, if there are no weights."""
_MAX_COUNT = 2**53
MOST_SYMBOLS = 2**60
"""The most symbols that a text may have, every occurrence counted: all counts of pairs and tokens,
and sums of counts, then fit into 63 bits."""


def n_symbols_about(counts: Int64Array, lengths: Int64Array) -> float:
    """The number of symbols of counted pre-tokens, as a float, which does not overflow.

    It avoids a matrix product (`@`), after which the threads of numpy's BLAS would keep all
    processors busy for 30 ms.
    """
    return float(np.multiply(counts, lengths, dtype=np.float64).sum())


class Corpus:
    """The training text as counted pre-tokens; immutable.

    Attributes:
        config: the options that it was split with.
        words: the distinct pre-tokens and their counts, in first-seen order; the next three are its
            parts.
        blob: (size,) uint8, the UTF-8 bytes of the pre-tokens, end to end.
        offsets: (n + 1,) int64, the start of each in `blob`, and the end.
        counts: (n,) int64, the number of occurrences of each in the text.
        size_bytes: the size of the text as UTF-8, before normalization; 0 if it was given as
            counts.
        n_characters: its length in code points; 0 if it was given as counts.
        n_whitespace_words: the number of words separated by white space; `None` if it was given as
            counts.
        n_documents: the number of texts that were split separately.
        is_counted: whether it was given as counts, so that no split was applied.
        first: the same text as the first of two stages cuts it; `None` if there is one stage.
        sources: the corpus of each file by its path, without weights; empty if the files are not
            known, or are more than `MOST_SOURCES` without weights.
        repetitions: how many times each of these files counts, by its path.

    With weights, all counts and sizes are those of a text in which each file is repeated.

    >>> corpus = Corpus.from_text("low low lower", TrainingConfig.preset("textbook"))
    >>> dict(corpus.items())
    {'low': 2, 'lower': 1}
    """

    def __init__(
        self,
        config: TrainingConfig,
        words: Words,
        *,
        size_bytes: int = 0,
        n_characters: int = 0,
        n_whitespace_words: int | None = None,
        n_documents: int = 0,
        is_counted: bool = False,
        first: Corpus | None = None,
        sources: Mapping[str, Corpus] = MappingProxyType({}),
        repetitions: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.config = config
        self.is_counted = is_counted
        self.words = words
        self.blob, self.offsets, self.counts = words
        # A mark may add a symbol to each pre-token.
        if n_symbols_about(self.counts, np.diff(self.offsets) + 1) > MOST_SYMBOLS:
            raise too_many()
        self.size_bytes = size_bytes
        self.n_characters = n_characters
        self.n_whitespace_words = n_whitespace_words
        self.n_documents = n_documents
        self.first = first
        self.sources = dict(sources)
        self.repetitions = dict(repetitions)

    @classmethod
    def from_text(cls, text: str | bytes, config: TrainingConfig) -> Corpus:
        """The corpus of one text.

        Raises:
            PatternError: the split's regular expression is not valid or takes too long.
        """
        return cls.from_texts([as_text(text)], config)

    @classmethod
    def from_texts(cls, texts: Iterable[str], config: TrainingConfig) -> Corpus:
        """The corpus of several texts, each of which is split by itself.

        Raises:
            PatternError: the split's regular expression is not valid or takes too long.
        """
        builder = CorpusBuilder(config)
        for text in each_text(texts):
            builder.add_text(text)
            builder.end_document()
        return builder.finish()

    @classmethod
    def from_files(
        cls,
        paths: Iterable[str | PathLike[str]] | str | PathLike[str],
        config: TrainingConfig,
        encoding: str | None = None,
        column: str | None = None,
        progress: Report | bool | None = None,
    ) -> Corpus:
        """The corpus of several files, in the order given.

        A file holds plain text or records (JSON lines, CSV, TSV, Parquet, Arrow), may be
        compressed, and may be in an archive; see `docs/corpora.md`.

        Args:
            paths: files, folders, patterns or addresses, or one of them.
            config: the options for splitting text.
            encoding: the encoding of the files; `None` to detect it for each.
            column: the column of records that holds the text; `None` to find it.
            progress: true for a progress bar; or a function that is called with the bytes of a file
                that have been read, and its size.

        Raises:
            SourceError: a file cannot be read as text.
            ConfigError: a weight is that of no file.
        """
        builder = CorpusBuilder(config)
        with reported(progress, "Reading") as report:
            file_access().feed_files(builder, paths, encoding, column, report)
        return builder.finish()

    @classmethod
    def from_counts(
        cls, counts: Mapping[str, int] | Iterable[tuple[str, int]], config: TrainingConfig
    ) -> Corpus:
        """The corpus of pre-tokens that were counted elsewhere.

        Args:
            counts: pre-tokens and their counts; with byte units, pre-tokens are written with
                GPT-2's stand-ins.
            config: the units; no split or normalization is applied.

        Raises:
            CorpusError: a pre-token is empty, or a count is not a whole number greater than 0.
        """
        check_has_one_stage(checked_config(config))
        check_has_no_weights(config)
        counted: Counter[bytes] = Counter()
        if isinstance(counts, Mapping):
            counts = counts.items()
        for name, count in _pairs(counts):
            if (
                isinstance(count, bool)
                or not isinstance(count, int | np.integer)
                or not 0 <= count <= _MAX_COUNT
            ):
                raise CorpusError(
                    f"The count of {shown(name)} is {shown(count)}; counts are whole numbers from 0"
                    f" to {_MAX_COUNT:,}"
                )
            if not isinstance(name, str) or not name:
                raise CorpusError(f"{name!r} with count {count} is not a pre-token; leave it out")
            if not count:
                continue
            try:
                content = from_stand_ins(name) if config.units == "bytes" else to_bytes(name)
                counted[content] += int(count)
            except VocabularyError as error:
                raise CorpusError(str(error)) from None
        if max(counted.values(), default=0) > MOST_SYMBOLS:
            raise too_many()
        return cls(config, words_of(counted), is_counted=True)

    @property
    def source_names(self) -> tuple[str, ...]:
        """The names of its files, with as much of their folders as tells them apart."""
        return short_names(self.sources)

    @cached_property
    def rows_by_source(self) -> list[tuple[Int64Array, Int64Array]]:
        """For each file, the numbers of its pre-tokens here, and their counts with its weight."""
        numbers = {word: number for number, (word, _) in enumerate(self.words.rows())}
        found = []
        for path, source in self.sources.items():
            # A run that begins with a tokenizer may leave words out.
            rows = [numbers.get(word, -1) for word, _ in source.words.rows()]
            rows_here = np.array(rows, np.int64)
            is_here = rows_here >= 0
            counts = source.counts[is_here] * self.repetitions[path]
            found.append((rows_here[is_here], counts))
        return found

    def weighed(self, config: TrainingConfig) -> Corpus:
        """The same text with the weights of other options.

        Raises:
            ConfigError: a weight is that of no file, or the files are not known.
            CorpusError: the counts add up to too many.
        """
        if (config.weight, config.alpha) == (self.config.weight, self.config.alpha):
            return self
        if not self.sources:
            check_has_no_weights(config)
            check_has_no_weights(self.config)
        own = self.config.replace(weight=config.weight, alpha=config.alpha)
        return result_of(adding_up(self.sources, own))

    def __repr__(self) -> str:
        return f"<Corpus: {self.n_words:,} pre-tokens, {len(self):,} of them distinct>"

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def n_words(self) -> int:
        """The number of pre-tokens in the text, every occurrence counted."""
        return int(self.counts.sum())

    def pre_token_bytes(self, index: int) -> bytes:
        """The bytes of one distinct pre-token."""
        return self.blob[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def pre_token(self, index: int) -> str:
        """One distinct pre-token as text; bytes that are not valid UTF-8 are lone surrogates."""
        return self.pre_token_bytes(index).decode("utf-8", "surrogateescape")

    def pre_tokens(self) -> Iterator[str]:
        """Each distinct pre-token, in first-seen order."""
        return (name for name, _ in self.items())

    def items(self) -> Iterator[tuple[str, int]]:
        """Each distinct pre-token and its count, in first-seen order."""
        return (
            (content.decode("utf-8", "surrogateescape"), count)
            for content, count in self.words.rows()
        )

    def named_items(self) -> Iterator[tuple[str, int]]:
        """Each distinct pre-token as `from_counts` reads it (bytes as stand-ins), and its count."""
        by_bytes = self.config.units == "bytes"
        for content, count in self.words.rows():
            name = to_stand_ins(content) if by_bytes else content.decode("utf-8", "replace")
            yield name, count


def _pairs(counts: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    try:
        yield from ((name, count) for name, count in counts)
    except (TypeError, ValueError):
        wanted = 'pre-tokens and their counts, such as {"hug": 10}'
        raise ArgumentError(f"{shown(counts)} is not a table of counts: give {wanted}") from None


def check_has_one_stage(config: TrainingConfig) -> None:
    """Check that one table of counts holds what training needs.

    Raises:
        ConfigError: the options have two stages, each of which has a table of its own.
    """
    if config.superwords_from is not None:
        raise ConfigError(
            f"These counts are of one split, but superwords (superwords-from"
            f" {config.superwords_from:,}) need those of a second one; train from the text,"
            " or drop superwords-from"
        )


def too_many() -> CorpusError:
    """The error of counts that do not fit into 63 bits."""
    return CorpusError(
        f"The counts add up to more than {MOST_SYMBOLS:,} symbols, too many; divide all of them by"
        " one number"
    )


def _check_pieces(config: TrainingConfig) -> None:
    split = config.superwords_split
    has_own_split = config.superwords_from is not None and split.startswith(REGEX)
    if has_own_split and compile_split(split).match(""):
        raise ConfigError(
            f"The superwords-split {shown(split)} matches an empty text; write + where it has *"
        )


class CorpusBuilder:
    """Splits text into pre-tokens and counts them, as it is read.

    Text may be fed in pieces of any size; `end_document` ends a text that is split separately, and
    so does an end in a piece. `begin_source` says which file the text after it is from.

    Args:
        config: the options.
        keeps_files: count each of any number of files apart, as with weights.
    """

    def __init__(self, config: TrainingConfig, *, keeps_files: bool = False) -> None:
        _check_pieces(checked_config(config))
        if config.cutting != "none":
            compile_split(config.cutting)
        self.config = config
        self._table_config = config.unweighted
        self._keeps_files = keeps_files or config.is_weighted
        self._tables: dict[str, _TableBuilder] = {}
        self._source = ""
        self._table: _TableBuilder | None = None
        self._n_fed = 0
        self._corpus: Corpus | None = None
        self._cleaner: Cleaner | None = None
        if config.clean:
            from bpe_studio.engine.counting.cleaner import Cleaner

            self._cleaner = Cleaner(config.clean)

    def begin_source(self, path: str) -> None:
        """Say which file the text that follows is from; the text before it has ended.

        Of more than `MOST_SOURCES` files without weights, the later ones are counted together.
        """
        is_kept = self._keeps_files or path in self._tables
        self._source = path if is_kept or len(self._tables) < MOST_SOURCES else ""

    def feed(self, text: str | bytes, ends: Sequence[int] = ()) -> Iterator[None]:
        """Count a piece of text; yields about every 10 ms, so that a caller can pause or stop.

        Args:
            text: the piece; bytes are UTF-8 of whole characters, lone surrogates as three bytes.
            ends: the offsets in it at which documents end, in order.
        """
        if self._cleaner is None:
            yield from self._feed(text, ends)
            return
        content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        for clean, clean_ends in self._cleaner.feed(content, ends):
            yield from self._feed(clean, clean_ends)

    def _feed(self, text: str | bytes, ends: Sequence[int]) -> Iterator[None]:
        self._corpus = None
        table = self._tables.get(self._source)
        if table is None:
            table = _TableBuilder(self._table_config, self._n_fed)
            self._tables[self._source] = table
        if table is not self._table and self._table is not None:
            yield from self._table.finish_counting()
        self._table = table
        self._n_fed += len(text)
        yield from table.feed(text, ends)

    def add_text(self, text: str | bytes) -> None:
        """Count a piece of text at once."""
        for _ in self.feed(text):
            pass

    def finish_document(self) -> Iterator[None]:
        """Count the rest of the document; yields about every 10 ms."""
        return self.feed(b"", (0,))

    def end_document(self) -> None:
        """End a document and count the rest of it at once."""
        for _ in self.finish_document():
            pass

    def finish_counting(self) -> Iterator[None]:
        """Count all that is left, so that `finish` need not; yields about every 10 ms."""
        if self._corpus is not None:
            return
        if self._cleaner is not None:
            for clean, ends in self._cleaner.finish():
                yield from self._feed(clean, ends)
        for table in self._tables.values():
            yield from table.finish_counting()
        sources = {path: table.finish() for path, table in self._tables.items()}
        sources = sources or {"": _TableBuilder(self._table_config).finish()}
        self._corpus = yield from adding_up(sources, self.config)

    def finish(self) -> Corpus:
        """The table of all text that was fed.

        Raises:
            ConfigError: a weight is that of no file.
            CorpusError: the counts add up to too many.
        """
        for _ in self.finish_counting():
            pass
        assert self._corpus is not None
        return self._corpus


class _TableBuilder:
    """Splits the text of one file, or one without a name, and counts it; see `CorpusBuilder`.

    A small text is split by the `regex` library, so that nothing needs to be compiled; once there
    are more than `FAST_CHARACTERS`, or more still if no kernels are on disk, the kernels of
    `fast_counting.py` count all of it, with the same result. They also serve a custom expression
    that has an automaton; for any other, `regex` splits all text.

    Args:
        config: the options.
        n_before: the size of the text that was fed to other tables before.
    """

    def __init__(self, config: TrainingConfig, n_before: int = 0) -> None:
        self.config = config
        # Of two stages, each has a table of the same text.
        self._first: _TableBuilder | None = None
        if len(config.stages) > 1:
            self._first = _TableBuilder(config.stages[0], n_before)
        self._counting: PlainCounting | FastCounting = PlainCounting(config)
        # All pieces that were fed, until they are enough for kernels.
        self._held: list[tuple[str | bytes, Sequence[int]]] | None = []
        self._n_before = n_before
        self._n_held = 0
        self._n_counted = 0
        self._is_finished = False

    def feed(self, text: str | bytes, ends: Sequence[int]) -> Iterator[None]:
        """Count a piece of text."""
        self._is_finished = False
        if self._first is not None:
            yield from self._first.feed(text, ends)
        if self._held is None:
            yield from self._timed(self._count(text, ends))
            return
        self._held.append((text, ends))
        self._n_held += len(text) + len(ends)
        n_fed = self._n_before + self._n_held
        is_small = self._n_before > 0 and self._n_held < SMALL_CHARACTERS
        if not is_small and loader.is_worth_compiling(n_fed, FAST_CHARACTERS):
            held = self._held
            self._held = None
            if can_count_fast(self.config):
                self._counting = FastCounting(self.config)
            for piece in held:
                yield from self._timed(self._count(*piece))

    def _count(self, text: str | bytes, ends: Sequence[int]) -> Iterator[None]:
        counting = self._counting
        if len(ends) and isinstance(counting, FastCounting) and isinstance(text, bytes):
            yield from counting.feed_documents(text, ends)
            return
        start = 0
        for end in ends:
            if end > start:
                yield from self._count_part(text[start:end])
            yield from counting.finish_document()
            start = end
        if start < len(text):
            yield from self._count_part(text[start:])

    def _count_part(self, text: str | bytes) -> Iterator[None]:
        if isinstance(self._counting, FastCounting):
            return self._counting.feed(text)
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogatepass")
        return self._counting.feed(text)

    def finish_counting(self) -> Iterator[None]:
        """Count all that is left."""
        if not self._is_finished:
            while self._held is not None and self._n_counted < len(self._held):
                self._n_counted += 1
                yield from self._timed(self._count(*self._held[self._n_counted - 1]))
            yield from self._timed(self._counting.finish())
            if self._first is not None:
                yield from self._first.finish_counting()
            self._is_finished = True

    def finish(self) -> Corpus:
        """The table, once all is counted."""
        first = None
        if self._first is not None:
            first = self._first.finish()
        measures = asdict(self._counting.measures)
        return Corpus(self.config, self._counting.words(), **measures, first=first)

    def _timed(self, steps: Iterator[None]) -> Iterator[None]:
        try:
            yield from steps
        except TimeoutError:
            raise takes_too_long(self.config.cutting.removeprefix(REGEX)) from None


def adding_up(
    sources: Mapping[str, Corpus], config: TrainingConfig
) -> Generator[None, None, Corpus]:
    """The corpus of several files, in order; yields between them.

    Args:
        sources: the corpus of each file by its path, "" for text of no file; at least one.
        config: the options, with the weights.

    Raises:
        ConfigError: a weight is that of no file.
        CorpusError: the counts add up to too many.
    """
    are_known = "" not in sources
    if not are_known:
        check_has_no_weights(config)
    corpora = list(sources.values())
    sizes = {path: corpus.size_bytes for path, corpus in sources.items()}
    repeated = repetitions(config, sizes)
    times = list(repeated.values())
    words = yield from _sum_of(corpora, times)
    about: dict[str, Any] = {"is_counted": any(corpus.is_counted for corpus in corpora)}
    if not about["is_counted"]:
        measures = TextMeasures()
        for corpus, number in zip(corpora, times, strict=True):
            measures.add(measures_of(corpus) or TextMeasures(), number)
        about |= asdict(measures)
    if are_known:
        about["repetitions"] = repeated
        about["sources"] = sources
    first = None
    firsts = {path: corpus.first for path, corpus in sources.items() if corpus.first is not None}
    if firsts:
        table = yield from _sum_of(list(firsts.values()), times)
        first = Corpus(config.stages[0], table, **about)
        first.sources = firsts if are_known else {}
    return Corpus(config, words, first=first, **about)


def _sum_of(corpora: Sequence[Corpus], times: Sequence[int]) -> Generator[None, None, Words]:
    """The words of several corpora, each counted the given number of times."""
    from bpe_studio.engine.counting.word_sum import FEW, WordSum

    if len(corpora) == 1 and times[0] == 1:
        return corpora[0].words
    n_symbols = 0.0
    for corpus, number in zip(corpora, times, strict=True):
        n_symbols += number * n_symbols_about(corpus.counts, np.diff(corpus.offsets) + 1)
    if n_symbols > MOST_SYMBOLS:
        raise CorpusError(
            f"The weights make more than {MOST_SYMBOLS:,} symbols of the text, too many; give"
            " weights with fewer digits"
        )
    if sum(map(len, corpora)) > FEW:
        yield from loader.compile_in_thread("counting", compile_kernels)
    total = WordSum()
    for corpus, number in zip(corpora, times, strict=True):
        total.add(corpus.words._replace(counts=corpus.counts * number))
        yield
    return total.words()


def measures_of(corpus: Corpus) -> TextMeasures | None:
    """The measures of the text of a corpus; `None` if it was given as counts."""
    if corpus.n_whitespace_words is None:
        return None
    return TextMeasures(
        corpus.size_bytes, corpus.n_characters, corpus.n_whitespace_words, corpus.n_documents
    )
