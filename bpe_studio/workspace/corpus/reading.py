"""The jobs that make a corpus from a text: read the sources, split and count them, and prepare a
run without merges.

They are generators for the worker that yield `Progress` about every 10 ms. They change nothing that
is open; the caller uses the result.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from bpe_studio import _system
from bpe_studio.engine.counting.source_weights import check_patterns
from bpe_studio.errors import SourceError, TokenizerFormatError
from bpe_studio.files.text.reading import LENIENT_READING, Reading
from bpe_studio.files.third_party.known import name_of
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.text_files import LOCATE_FIRST, has_text
from bpe_studio.workspace.excerpt import beginning_of
from bpe_studio.workspace.session import ROOT, ROOT_NAME, RunEntry, RunPosition, Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress, SourceInfo

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import CorpusBuilder
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.files.text.sources import Source
    from bpe_studio.workspace.corpus.held_out import HoldOutBuilder
    from bpe_studio.workspace.marks import Bookmark

ESTIMATE_AFTER_S = 0.5
POLL_S = 0.01

# Qt may pass on half of a surrogate pair at the end of a paste. Surrogates that represent stray
# bytes (DC80 to DCFF) are kept.
_HALF_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")


@dataclass(frozen=True, eq=False)
class NewRun:
    """A corpus, and a run of it without merges.

    Attributes:
        info: the corpus.
        trainer: the trainer of the run, which is prepared.
        config: the settings of both.
    """

    info: CorpusInfo
    trainer: Trainer
    config: TrainingConfig

    def as_session(
        self, position: RunPosition | None = None, bookmarks: tuple[Bookmark, ...] = ()
    ) -> Session:
        """A new session with this run, at its beginning or at another position."""
        position = position or RunPosition(target=self.trainer.target)
        root = RunEntry(ROOT, ROOT_NAME, None, None, self.trainer, self.config, position, self.info)
        return Session((root,), ROOT, bookmarks)


class Countdown:
    """Estimates the remaining time from the share that is done."""

    def __init__(self, done: float = 0) -> None:
        self._start_s = monotonic()
        self._done_before = done

    def seconds_left(self, done: float, total: float) -> float | None:
        """Remaining seconds, or None while it is too early to tell."""
        passed_s = monotonic() - self._start_s
        newly_done = done - self._done_before
        if passed_s < ESTIMATE_AFTER_S or newly_done <= 0:
            return None
        return passed_s * max(0.0, total - done) / newly_done


class Meter:
    """Measures the progress of reading several files."""

    def __init__(self, total: int) -> None:
        self.what = ""
        self.done = 0
        self._total = total
        self._countdown = Countdown()

    def progress(self) -> Progress:
        """The current progress."""
        seconds_left = self._countdown.seconds_left(self.done, self._total)
        return Progress(self.what, self.done, self._total, "bytes", seconds_left)


def open_corpus(
    backend: Backend, request: OpeningRequest, config: TrainingConfig
) -> Generator[Progress, None, NewRun]:
    """Reads, splits and counts the text or the words of `request`, then prepares a run.

    Raises:
        BpeError: a source cannot be read, or the settings do not fit the text.
    """
    if request.counts:
        if request.held_out:
            raise SourceError(
                f"{request.name} has only words and counts, so no text can be held out: open the"
                " text that was counted"
            )
        info = CorpusInfo(request.name, backend.counted(request.counts, config), (), (), request)
        return (yield from start_run(backend, info, config))
    check_has_text(request)
    info = yield from count_request(backend, request, config)
    return (yield from start_run(backend, info, config))


def count_request(
    backend: Backend, request: OpeningRequest, config: TrainingConfig
) -> Generator[Progress, None, CorpusInfo]:
    """Reads, splits and counts the text of `request`.

    Raises:
        BpeError: a source cannot be read, or the settings do not fit the text.
    """
    size_bytes = request_bytes(request)
    yield from _kernels(backend, lambda: backend.counts_with_kernels(size_bytes))
    builder: CorpusBuilder | HoldOutBuilder = backend.builder(config)
    holding: HoldOutBuilder | None = None
    if request.held_out:
        # Imported only if something is held out, to keep the start fast.
        from bpe_studio.workspace.corpus.held_out import (
            HoldOutBuilder,
            check_share,
            held_out_notice,
        )

        check_share(request.held_out)
        holding = HoldOutBuilder(
            backend.builder(config),
            backend.builder(config.unweighted),
            request.held_out,
            size_bytes,
        )
        builder = holding
    check_patterns(config, [str(path) for path in request.paths] or [request.name])
    sources, notices, checksum, beginning = yield from _add_sources(backend, builder, request)
    for _ in builder.finish_counting():
        yield Progress(f"Counting {request.name}", 0, 0, "bytes")
    corpus = builder.finish()
    held_out = None
    if holding is not None:
        held_out = holding.held_out(request.name)
        notices += (held_out_notice(held_out, corpus),)
    return CorpusInfo(
        request.name, corpus, sources, notices, request, held_out, checksum, beginning
    )


def check_has_text(request: OpeningRequest) -> None:
    """Refuses a corpus whose text cannot be read.

    Raises:
        SourceError: its text cannot be read.
    """
    if has_text(request):
        return
    if request.is_words_only:
        raise SourceError(f"The text of {request.name} is not open: {LOCATE_FIRST}")
    raise SourceError(
        f"{request.name} was opened without its text, as words and counts: open the text itself"
    )


def start_run(
    backend: Backend, info: CorpusInfo, config: TrainingConfig
) -> Generator[Progress, None, NewRun]:
    """Makes a new run of an open corpus, with the weights that the settings give its files."""
    corpus = info.corpus.weighed(config)
    if corpus is not info.corpus:
        info = replace(info, corpus=corpus)
    what = f"Preparing {info.name}"
    yield from _kernels(backend, lambda: backend.needs_kernels(info.corpus))
    yield Progress(what, 0, 100, "%")
    trainer = backend.trainer(info.corpus, config)
    for fraction in trainer.prepare():
        yield Progress(what, round(100 * fraction), 100, "%")
    return NewRun(info, trainer, config)


def request_of_files(paths: tuple[Path, ...], reading: Reading = LENIENT_READING) -> OpeningRequest:
    """The request for one or more files that form one corpus."""
    name = name_of(paths[0]) or str(paths[0])
    if len(paths) > 1:
        name += f" and {len(paths) - 1} more"
    return OpeningRequest(name, paths, reading)


def with_files_of_folders(
    backend: Backend, request: OpeningRequest
) -> Generator[Progress, None, tuple[OpeningRequest, tuple[str, ...]]]:
    """A request with the files of its folders and patterns, and notices about files that are left
    out.

    An empty file among others is left out, too.

    Raises:
        SourceError: a folder has no file of text, or all files are empty.
    """
    found = [(path, backend.files_in(path)) for path in request.paths]
    if len(found) < 2 and all(files is None for _, files in found):
        return request, ()
    paths: list[Path] = []
    chosen: list[Path] = []
    left_out: list[str] = []
    for path, files in found:
        if files is None and backend.is_empty(path, request.reading, left_out):
            continue
        chosen.append(path)
        checked = [path] if files is None else files
        for number, file in enumerate(checked):
            yield Progress(f"Checking {path.name}", 100 * number // len(checked), 100, "%")
            if files is None or backend.holds_text(file, request.reading, left_out):
                paths.append(file)
    from bpe_studio.files.text.sources import left_out_notice

    if not chosen:
        raise SourceError(f"None of these files contains text ({left_out[0]}): choose others")
    if not paths:
        raise SourceError(f"{request.name} contains no text file: choose another folder")
    name = request.name if len(chosen) == len(found) else request_of_files(tuple(chosen)).name
    where = request.name if len(found) == 1 else "the corpus"
    asked = request.chosen or request.paths
    with_files = replace(request, name=name, paths=tuple(paths), chosen=asked)
    return with_files, tuple(left_out_notice(left_out, where))


def request_bytes(request: OpeningRequest) -> int:
    """The approximate number of bytes to read; 0 if unknown."""
    if request.text is not None:
        return len(request.text)
    return sum(map(_size_bytes, request.paths))


def _kernels(backend: Backend, are_needed: Callable[[], bool]) -> Generator[Progress, None, None]:
    """Compiles kernels before they are needed, instead of in the middle of other work."""
    while are_needed() and (compiling := backend.begin_warm_up()).is_alive():
        yield Progress("Compiling for this computer, the first time only", 0, 0, "%")
        compiling.join(POLL_S)


def _add_sources(
    backend: Backend, builder: CorpusBuilder | HoldOutBuilder, request: OpeningRequest
) -> Generator[Progress, None, tuple[tuple[SourceInfo, ...], tuple[str, ...], int, str]]:
    from bpe_studio.files.text.regular_files import fingerprint

    if request.text == "":
        raise SourceError(f"{request.name} is empty: copy some text first, then paste it")
    places: list[tuple[str, Path | None, int]] = [
        (path.name, path, _size_bytes(path)) for path in request.paths
    ]
    places = places or [(request.name, None, len(request.text or ""))]
    meter = Meter(sum(size_bytes for *_, size_bytes in places))
    sources: list[SourceInfo] = []
    notices: list[str] = []
    checksum = 0
    beginning = ""
    for number, (name, path, size_bytes) in enumerate(places):
        meter.what = f"Reading {name}"
        yield meter.progress()
        # A single file that a person chose has been recognized before.
        if path is not None and (len(places) > 1 or request.chosen):
            check_is_text(backend, path)
        before = meter.done
        identity = None if path is None else fingerprint(path)
        source = source_of(backend, request, number)
        builder.begin_source(source.path)
        for content, ends, *_ in source.pieces():
            checksum = zlib.crc32(content, checksum)
            if not beginning and not number:
                beginning = beginning_of(content)
            # The rest of a file is counted at its end; its amount is not known.
            is_at_end = len(ends) > 0 and not content
            for _ in builder.feed(content, ends):
                if is_at_end:
                    yield Progress(f"Counting {name}", 0, 0, "bytes")
                else:
                    yield meter.progress()
            meter.done = before + min(size_bytes, source.position_bytes)
            yield meter.progress()
        meter.done = before + size_bytes
        n_bytes = source.size_bytes or source.position_bytes
        form = "" if path is None else source.form
        sources.append(
            SourceInfo(source.name, source.encoding, n_bytes, form, source.column_read, identity)
        )
        notices.extend(source.notices)
    return tuple(sources), tuple(notices), checksum, beginning


def check_is_text(backend: Backend, path: Path) -> None:
    """Refuses a file that is no text.

    Raises:
        TokenizerFormatError: it is a studio document or a tokenizer.
    """
    found = backend.recognize(path)
    if found.kind == "studio":
        raise TokenizerFormatError(
            f"{path.name} is a studio document, not a text to train on: open it on its own"
        )
    if found.is_tokenizer:
        raise TokenizerFormatError(
            f"{path.name} is a tokenizer, not a text: open a text here, or use the tokenizer on the"
            f" command line with {_system.program()} encode -t"
        )


def whole_characters(text: str) -> tuple[str, int]:
    """A text whose broken characters are replaced by U+FFFD, and their number."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _HALF_SURROGATE.subn("\ufffd", text)
    return text, 0  # ten times as fast as the search; other threads wait meanwhile


def source_of(backend: Backend, request: OpeningRequest, number: int) -> Source:
    """A file of a corpus by its number, or the text that came from no file, to read it again."""
    from bpe_studio.files.text.sources import TypedText

    if request.text is not None:
        whole, n_halves = whole_characters(request.text)
        typed = TypedText(request.name, whole)
        typed.notices = []
        if n_halves:
            typed.notices.append(f"{n_halves:,} broken characters were replaced by U+FFFD.")
        return typed
    return backend.source(request.paths[number], request.reading)


def sources_of(backend: Backend, request: OpeningRequest) -> Iterator[Source]:
    """All files of a corpus, or its text; see `source_of`."""
    n_sources = len(request.paths) if request.text is None else 1
    return (source_of(backend, request, number) for number in range(n_sources))


def _size_bytes(path: Path) -> int:
    """The size of a file for the progress; 0 if it cannot be read, which is reported later."""
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0
