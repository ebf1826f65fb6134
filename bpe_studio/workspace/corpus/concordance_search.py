"""Searches the corpus for the lines in which a token or a string occurs, in a thread of its own.

The files are read again, and only the lines that are shown are kept. A file that has changed since
it was opened is an error. There is one search at a time: a new one abandons the previous one, which
then emits no more signals. `engine/analysis/concordance.py` finds the token.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from bpe_studio.errors import SourceError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import Meter, check_has_text, request_bytes, source_of
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.state import CorpusInfo, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.concordance import Found, StringFinder, TokenFinder
    from bpe_studio.engine.run import Run
    from bpe_studio.files.records.pieces import Piece
    from bpe_studio.files.text.sources import Source
    from bpe_studio.workspace.corpus.held_out import KeptText
    from bpe_studio.workspace.corpus.place_lines import FoundPlaces

MOST = 200
_OPEN_IT_AGAIN = "open it again to search its current text"


class SearchOutcome(Enum):
    """The outcome of a search."""

    complete = "complete"
    enough = "enough"
    cancelled = "cancelled"
    failed = "failed"


@dataclass(frozen=True)
class SearchEnd:
    """The end of a search.

    Attributes:
        outcome: complete: the whole corpus was read, or no word contains the token; enough: the
            requested number of lines was found, and there may be more; cancelled; failed.
        n_found: the number of occurrences that were found.
        n_in_corpus: the count in the corpus, of a token at that step; 0 if it is not known.
        message: the error, as a plain sentence; "" for none.
    """

    outcome: SearchOutcome
    n_found: int
    n_in_corpus: int = 0
    message: str = ""


@dataclass(frozen=True)
class FoundLine:
    """An occurrence of the token.

    Attributes:
        source: the number of the file in the corpus, from 0.
        name: the name of the file.
        found: the line, and the place of the token in it.
        is_chosen: whether it is the place that was clicked.
    """

    source: int
    name: str
    found: Found
    is_chosen: bool = False


@dataclass(frozen=True)
class _News:
    """Everything found so far: a list that only grows, and the number of its valid lines."""

    lines: list[FoundLine]
    n_lines: int
    n_in_corpus: int
    progress: Progress


@dataclass(frozen=True)
class _Result:
    is_complete: bool
    n_in_corpus: int


class ConcordanceSearch(QObject):
    """Runs one search at a time, which can be started and cancelled from the window's thread at any
    time.

    Signals:
        found: tuple of FoundLine, the new lines, in the order of the text.
        progressed: Progress, in bytes read.
        ended: SearchEnd; once for each search that is not abandoned.
    """

    found = Signal(object)
    progressed = Signal(object)
    ended = Signal(object)

    def __init__(self, parent: QObject | None = None, *, backend: Backend | None = None) -> None:
        """No search is running.

        Args:
            parent: the QObject that owns it.
            backend: reads the files; tests pass another one.
        """
        super().__init__(parent)
        self._backend = backend if backend is not None else Backend()
        self._jobs = Jobs(self)
        self._job: int | None = None
        self._n_told = 0
        self._n_in_corpus = 0
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.shutdown)

    @property
    def is_searching(self) -> bool:
        """Whether a search is running."""
        return self._job is not None

    def start(self, run: Run, info: CorpusInfo, token: int, step: int, most: int = MOST) -> None:
        """Search for a token; a running search is abandoned.

        Args:
            run: the run.
            info: the corpus of the run.
            token: an internal id of the run.
            step: the number of merges that apply.
            most: the maximum number of occurrences.
        """
        self.abandon()
        make_finder = partial(_token_finder, run, token, step)
        self._begin(partial(_search, self._backend, make_finder, info, most))

    def start_text(self, info: CorpusInfo, text: str, most: int = MOST) -> None:
        """Search for a string, exactly as it is written; a running search is abandoned."""
        self.abandon()
        self._begin(partial(_search, self._backend, partial(_string_finder, text), info, most))

    def start_places(self, info: CorpusInfo, places: FoundPlaces) -> None:
        """Find the lines at places of the corpus; a running search is abandoned."""
        self.abandon()
        self._begin(partial(_lines_at, self._backend, info, places))

    def _begin(self, make: Callable[[], Generator[Any, None, _Result]]) -> None:
        self._n_told = 0
        self._n_in_corpus = 0
        self._job = self._jobs.start(make, self._on_news, self._on_end)

    def cancel(self) -> None:
        """Stop the search; `ended` is emitted as usual. Does nothing if no search is running."""
        if self._job is not None:
            self._jobs.stop(self._job)

    def abandon(self) -> None:
        """Stop the search without further signals."""
        if self._job is not None:
            self._jobs.abandon(self._job)
            self._job = None

    @Slot()
    def shutdown(self) -> None:
        """Stop the search, and end the thread; may be called again."""
        self._job = None
        self._jobs.shutdown()

    def _on_news(self, news: _News) -> None:
        job = self._job
        self._n_in_corpus = news.n_in_corpus
        if news.n_lines > self._n_told:
            fresh = tuple(news.lines[self._n_told : news.n_lines])
            self._n_told = news.n_lines
            self.found.emit(fresh)
        # A slot may have started another search, or ended this one.
        if self._job is not None and self._job == job:
            self.progressed.emit(news.progress)

    def _on_end(self, ended: Ended) -> None:
        self._job = None
        if ended.outcome is Outcome.stopped:
            self.ended.emit(SearchEnd(SearchOutcome.cancelled, self._n_told, self._n_in_corpus))
        elif ended.outcome is Outcome.failed:
            assert ended.error is not None
            failure = failure_of("Search the corpus", ended.error)
            message = f"{failure.message} {failure.hint}".strip()
            self.ended.emit(
                SearchEnd(SearchOutcome.failed, self._n_told, self._n_in_corpus, message)
            )
        else:
            result: _Result = ended.result
            outcome = SearchOutcome.complete if result.is_complete else SearchOutcome.enough
            self.ended.emit(SearchEnd(outcome, self._n_told, result.n_in_corpus))


def _token_finder(run: Run, token: int, step: int) -> TokenFinder:
    from bpe_studio.engine.analysis.concordance import TokenFinder

    return TokenFinder(run, token, step)


def _string_finder(text: str) -> StringFinder:
    from bpe_studio.engine.analysis.concordance import StringFinder

    return StringFinder(text)


def _search(
    backend: Backend,
    make_finder: Callable[[], TokenFinder | StringFinder],
    info: CorpusInfo,
    most: int,
) -> Generator[Any, None, _Result]:
    """The job: reads every source until enough is found.

    Raises:
        BpeError: the token does not exist at that step, or a source has changed.
    """
    yield None
    finder = make_finder()
    expected = finder.n_in_corpus
    yield None
    lines: list[FoundLine] = []
    reading = _Reading(backend, info)
    cleaned = _cleaning(info.corpus.config.clean)
    if expected != 0:
        for number, name, blocks in reading.documents():
            for found in finder.lines(cleaned(blocks)):
                if found is not None:
                    if len(lines) == most:
                        return _Result(False, expected or 0)
                    lines.append(FoundLine(number, name, reading.in_document(found)))
                yield _News(lines, len(lines), expected or 0, reading.progress())
            yield _News(lines, len(lines), expected or 0, reading.progress())
        if expected is not None and len(lines) != expected:
            raise SourceError(
                f"{info.name} has changed since it was opened: the token now occurs {len(lines):,}"
                f" times instead of {expected:,}; {_OPEN_IT_AGAIN}"
            )
    return _Result(True, len(lines))


def _cleaning(names: Sequence[str]) -> Callable[[Iterator[bytes]], Iterator[bytes]]:
    """Cleans blocks as before the text was counted, because lines are counted in clean text."""
    if not names:
        return lambda blocks: blocks
    from bpe_studio.engine.counting.cleaner import Cleaner

    cleaner = Cleaner(names)

    def cleaned(blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            yield from (content for content, _ in cleaner.feed(block))
            yield b""
        yield from (content for content, _ in cleaner.feed(b"", (0,)))

    return cleaned


def _lines_at(
    backend: Backend, info: CorpusInfo, asked: FoundPlaces
) -> Generator[Any, None, _Result]:
    """The job: reads the files with places.

    Raises:
        BpeError: a source has changed.
    """
    from bpe_studio.workspace.corpus.place_lines import documents_at, lines_at

    yield None
    lines: list[FoundLine] = []
    reading = _Reading(backend, info)
    for number, name, pieces in reading.sources(asked.places):
        wanted = asked.places[number]
        n_read = 0
        for document, parts in documents_at(pieces, wanted):
            member, record = document
            file = f"{member} in {name}" if member else name
            places = iter(wanted.get(document, ()))
            for found in lines_at(parts, wanted.get(document, ()), asked.finding):
                if found is not None:
                    is_chosen = (number, document, next(places)) == asked.chosen
                    where = f"{file}, record {record:,}" if record else file
                    lines.append(FoundLine(number, where, found, is_chosen))
                yield _News(lines, len(lines), asked.n_places, reading.progress())
            yield _News(lines, len(lines), asked.n_places, reading.progress())
            if document in wanted:
                n_read += 1
            if n_read == len(wanted):
                break
    if len(lines) != asked.n_places:
        raise SourceError(f"{info.name} has changed since it was inspected; {_OPEN_IT_AGAIN}")
    return _Result(True, len(lines))


class _Reading:
    """Reads the sources of a corpus again, and measures the progress."""

    def __init__(self, backend: Backend, info: CorpusInfo) -> None:
        self._backend = backend
        self._info = info
        self._meter = Meter(sum(source.size_bytes for source in info.sources))
        self._meter.what = f"Searching {info.name}"
        self.progress = self._meter.progress
        share = info.request.held_out
        self._kept: KeptText | None = None
        if share:
            # Imported only if something is held out, to keep the start fast.
            from bpe_studio.workspace.corpus.held_out import KeptText

            self._kept = KeptText(share, request_bytes(info.request))

    def documents(self) -> Iterator[tuple[int, str, Iterator[bytes]]]:
        """The sources of the corpus: number, name, and text in pieces without the held-out part."""
        for number, name, blocks in self._whole_documents():
            if self._kept is not None:
                blocks = self._kept.document(blocks)
            yield number, name, blocks

    def in_document(self, found: Found) -> Found:
        """An occurrence in the kept part of a document, with its place in the whole document."""
        if self._kept is None:
            return found
        n_bytes, n_lines = self._kept.left_out_before(found.offset_bytes)
        return replace(
            found,
            line=found.line + n_lines,
            offset_bytes=found.offset_bytes + n_bytes,
        )

    def sources(self, numbers: Container[int]) -> Iterator[tuple[int, str, Iterator[Piece]]]:
        """The sources with these numbers: number, name, and all text in pieces."""
        for number, known in enumerate(self._info.sources):
            if number in numbers:
                yield number, known.name, self._pieces_of(self._source(number), number)
            else:
                self._meter.done += known.size_bytes

    def _whole_documents(self) -> Iterator[tuple[int, str, Iterator[bytes]]]:
        check_has_text(self._info.request)
        from bpe_studio.files.records.pieces import documents_of

        for number, known in enumerate(self._info.sources):
            source = self._source(number)
            for place, parts in enumerate(documents_of(self._pieces_of(source, number)), 1):
                name = f"{known.name}, text {place:,}" if source.has_records else known.name
                yield number, name, parts

    def _source(self, number: int) -> Source:
        from bpe_studio.files.text.regular_files import fingerprint

        known = self._info.sources[number]
        request = self._info.request
        if known.fingerprint is not None and fingerprint(request.paths[number]) not in (
            None,
            known.fingerprint,
        ):
            raise SourceError(f"{known.name} has changed since it was opened; {_OPEN_IT_AGAIN}")
        return source_of(self._backend, request, number)

    def _pieces_of(self, source: Source, number: int) -> Iterator[Piece]:
        size_bytes = self._info.sources[number].size_bytes
        before = self._meter.done
        for piece in source.pieces():
            yield piece
            self._meter.done = before + min(size_bytes, source.position_bytes)
        self._meter.done = before + size_bytes
