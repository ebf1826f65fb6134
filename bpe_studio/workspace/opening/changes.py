"""Extends and prunes tokenizers on the open corpus or on files.

The tokenizer is from a run at its step or from a file; it may also be a compared one, or the one
that was opened before the text. The merges of our own tokenizers become the beginning of a run of
the corpus. The corpus is read again if the tokenizer cuts it differently. The run is added to the
list of runs, or opened if no text is open. A third-party tokenizer is changed in its own file
(`files/changes`), and the result is opened as that file would be.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bpe_studio.engine.generators import relay
from bpe_studio.errors import ConfigError, SourceError
from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.raw_facts import documents_of_request
from bpe_studio.workspace.corpus.reading import (
    Countdown,
    NewRun,
    check_has_text,
    check_is_text,
    count_request,
    request_bytes,
    request_of_files,
    with_files_of_folders,
)
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.documents import Opened
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.opening.tokenizers import session_of
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.session import Project, RunPosition, Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.files.changes.changeable import Changeable, Stage
    from bpe_studio.files.changes.prune import PruningPlan
    from bpe_studio.files.records.pieces import Piece
    from bpe_studio.files.text.sources import Source as TextSource

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Source:
    """A tokenizer that a person may choose to extend or prune.

    Attributes:
        name: its name.
        run, step: the run and the step of its merges; None for an opened tokenizer or a file.
        tokenizer: the tokenizer, if it is open to be compared; else None.
        path: its file or folder, if it is to be read; else None.
    """

    name: str
    run: Run | None = None
    step: int = 0
    tokenizer: Tokenizer | None = None
    path: Path | None = None


@dataclass(frozen=True, eq=False)
class Place:
    """The text on which a tokenizer is changed.

    Attributes:
        info: the open corpus; None for files.
        paths: the files.
    """

    info: CorpusInfo | None
    paths: tuple[Path, ...] = ()


@dataclass(frozen=True, eq=False)
class Ready:
    """A tokenizer that was read and can be changed.

    Attributes:
        name: its name.
        kind: the tokenizer.
    """

    name: str
    kind: Changeable

    @property
    def vocab_size(self) -> int:
        """The number of its tokens."""
        return self.kind.vocab_size

    @property
    def replaces_what_is_open(self) -> bool:
        """Whether the result replaces the open session; otherwise it is a run in the list."""
        return self.kind.cuts_as is None


@dataclass(frozen=True, eq=False)
class Plan:
    """The tokens that can be removed from a tokenizer.

    Attributes:
        order: the tokens, in the order in which they are removed.
        text: the corpus as one of our tokenizers cuts it, or the text for a library.
    """

    order: PruningPlan
    text: CorpusInfo | CorpusText


@dataclass(frozen=True, eq=False)
class Change:
    """A tokenizer that was extended or pruned.

    Attributes:
        name: the name of the result.
        session: a session whose only run is the result.
        said: a sentence on the change and its effect on the corpus.
        is_same: whether the tokenizer has not changed.
    """

    name: str
    session: Session
    said: str
    is_same: bool = False


class Changes:
    """Extends and prunes tokenizers on the open corpus or on files."""

    def __init__(
        self, open_state: OpenState, loader: Loader, runs: RunList, opener: Opener, backend: Backend
    ) -> None:
        """No tokenizer is being changed.

        Args:
            open_state: the open values, with the corpus.
            loader: runs the job.
            runs: receives the run.
            opener: opens the result if no text is open; knows the session before.
            backend: the engine and the file layer.
        """
        self._open = open_state
        self._loader = loader
        self._runs = runs
        self._opener = opener
        self._backend = backend
        self._changed: Source | None = None

    def sources(self) -> list[Source]:
        """The open tokenizers: the previous one first, then the shown run, then the other runs.

        The previous one was open before the text or, after an undo, was changed last in its own
        file. Without a text, it comes last.
        """
        before = self._changed
        previous = self._opener.previous
        if previous is not None and not previous.corpus.has_words:
            run = previous.current.run
            before = Source(previous.name, run, len(run.merges))
        found = []
        shown = self._runs.shown
        entries = sorted(
            self._runs.entries, key=lambda each: shown is None or each.number != shown.number
        )
        for entry in entries:
            if entry.position.n_merges:
                name = entry.corpus.name if not entry.corpus.has_words else entry.name
                found.append(Source(name, entry.run, entry.position.step))
        if before is not None:
            place = 0 if self.open_place() else len(found)
            found.insert(place, before)
        return found

    def open_place(self) -> Place | None:
        """The open corpus; None if no text is open."""
        info = self._open.corpus
        return Place(info) if info is not None and info.has_words else None

    def prepare(self, source: Source) -> Ready:
        """Reads and checks a tokenizer; it may take seconds, so do it outside the window's thread.

        Raises:
            BpeError: it cannot be read, or merges can neither be added to it nor removed from it.
        """
        from bpe_studio.files.changes.kinds import changeable

        if source.run is not None:
            tokenizer = source.run.tokenizer(source.step)
        elif source.path is not None:
            tokenizer = self._backend.load(source.path)
        else:
            assert source.tokenizer is not None
            tokenizer = source.tokenizer
        found = Ready(source.name, changeable(tokenizer))
        if not found.kind.merges:
            raise ConfigError(f"{source.name} has no merges: choose a byte-pair-encoding tokenizer")
        return found

    def extend(self, ready: Ready, place: Place, vocab_size: int) -> None:
        """Trains further merges of a tokenizer, and shows the run or opens the tokenizer.

        Args:
            ready: the tokenizer.
            place: the text to train on.
            vocab_size: the number of tokens in all.
        """
        self._start(
            f"Extend {ready.name}",
            ready,
            place,
            partial(self._extending, ready, self._asked(place), vocab_size),
        )

    def prune(self, ready: Ready, place: Place, plan: Plan, vocab_size: int) -> None:
        """Removes the least used tokens of a tokenizer, and shows the rest of the run or opens the
        tokenizer.

        Args:
            ready: the tokenizer.
            place: the text in which its tokens were counted.
            plan: the tokens that can be removed.
            vocab_size: the number of tokens that remain.
        """
        self._start(
            f"Prune {ready.name}", ready, place, partial(self._pruning, ready, plan, vocab_size)
        )

    def plan(self, ready: Ready, place: Place) -> Generator[Progress, None, Plan]:
        """The job that finds the tokens that can be removed from a tokenizer.

        Raises:
            BpeError: the text cannot be read again or has changed, or nothing can be removed.
        """
        from bpe_studio.files.changes.prune import planning

        kind, text = yield from self._read(ready.kind, self._asked(place))
        corpus = text.corpus if isinstance(text, CorpusInfo) else text
        order = yield from _shown(
            planning(kind, corpus), f"Counting the tokens of {ready.name}", text
        )
        return Plan(order, text)

    def _extending(
        self, ready: Ready, asked: CorpusInfo | OpeningRequest, vocab_size: int
    ) -> Generator[Progress, None, Change]:
        from bpe_studio.files.changes.extend import extending

        kind, text = yield from self._read(ready.kind, asked)
        corpus = text.corpus if isinstance(text, CorpusInfo) else text
        found = yield from _shown(
            extending(kind, corpus, vocab_size), f"Extending {ready.name}", text
        )
        n_new = len(found.merges)
        saved = [merge.count for merge in found.merges]
        if n_new or vocab_size == ready.vocab_size:
            said = (
                f"{plural(n_new, 'merge')} added to the {number(ready.vocab_size)} tokens of"
                f" {ready.name}: {_corpus_now(*found.n_tokens)} In Merges, the count of each is"
                " what it saves."
            )
        else:
            said = f"No merge could be added to {ready.name}: {found.stop_reason}."
        name = f"{ready.name}, extended"
        if isinstance(text, CorpusText):
            session = self._opened(name, found.tokenizer, saved, text)
        else:
            session = _session_of_run(text, found.trainer)
            if found.tokenizer.model.two_stages is not None:
                said += " The corpus is cut by the split of superwords at every step."
        return Change(name, session, said + _left_out(found.n_left_out), is_same=not saved)

    def _pruning(
        self, ready: Ready, plan: Plan, vocab_size: int
    ) -> Generator[Progress, None, Change]:
        from bpe_studio.engine.training.trainer import Trainer

        found = yield from _shown(
            plan.order.pruning(vocab_size), f"Pruning {ready.name}", plan.text
        )
        said = (
            f"{plural(len(found.removed), 'token')} removed from the {number(ready.vocab_size)} of"
            f" {ready.name}: {_corpus_now(*found.n_tokens)}"
        )
        name = f"{ready.name}, pruned"
        if isinstance(plan.text, CorpusText):
            session = self._opened(name, found.tokenizer, (), plan.text)
        else:
            assert found.words is not None
            run = found.words.run
            n_merges = found.words.n_merges
            session = _session_of_run(
                plan.text, Trainer.from_run(run, n_merges, run.plan, target=n_merges)
            )
        return Change(name, session, said + _left_out(found.n_left_out))

    def _opened(
        self, name: str, tokenizer: Tokenizer, saved: Sequence[int], text: CorpusText
    ) -> Session:
        run = self._backend.run_of(tokenizer, saved)
        return session_of(name, run, self._opener.own_config, text.notices)

    def _read(
        self, kind: Changeable, asked: CorpusInfo | OpeningRequest
    ) -> Generator[Progress, None, tuple[Changeable, CorpusInfo | CorpusText]]:
        """The tokenizer, and the text for its library, or the corpus as it cuts it if it is ours.

        Raises:
            BpeError: the text cannot be read again, or has changed.
        """
        if kind.cuts_as is not None:
            return (yield from _cut(self._backend, kind, asked))
        if isinstance(asked, CorpusInfo):
            check_has_text(asked.request)
            return kind, CorpusText(self._backend, asked.request, asked.checksum)
        request, left_out = yield from with_files_of_folders(self._backend, asked)
        check_has_text(request)
        for path in request.paths:
            check_is_text(self._backend, path)
        return kind, CorpusText(self._backend, request, None, left_out)

    def _asked(self, place: Place) -> CorpusInfo | OpeningRequest:
        if place.info is not None:
            return place.info
        return replace(request_of_files(place.paths), own_config=self._opener.own_config)

    def _start(
        self,
        what: str,
        ready: Ready,
        place: Place,
        make: Callable[[], Generator[Progress, None, Change]],
    ) -> None:
        self._open.leave_failure()
        if ready.replaces_what_is_open:
            self._changed = Source(ready.name, tokenizer=ready.kind.tokenizer)
        if place.info is None or ready.replaces_what_is_open:
            self._loader.start(what, make, partial(self._on_opened, what))
        elif self._open.can_be_replaced:
            self._loader.start(what, make, partial(self._on_made, what))

    def _on_opened(self, what: str, change: Change) -> None:
        notices = change.session.corpus.notices
        opened = Opened(
            Project(change.session), (*notices, change.said), is_unsaved=not change.is_same
        )
        self._opener.put(what, opened)

    def _on_made(self, what: str, change: Change) -> None:
        entry = change.session.current
        new = NewRun(entry.corpus, entry.trainer, entry.config)
        self._runs.add(what, change.name, new, entry.position, is_shown=True)
        self._open.notice(change.said, is_report=True)


class CorpusText:
    """The documents of a corpus, each as a whole; each iteration reads them again.

    Attributes:
        size_bytes: their approximate size; 0 if it is not known.
        notices: sentences about reading them.

    Args:
        backend: the file layer.
        request: the request of the text, which must be readable.
        checksum: the checksum of the files when they were opened; None if it is not known.
        left_out: sentences about files that were left out.
    """

    def __init__(
        self,
        backend: Backend,
        request: OpeningRequest,
        checksum: int | None,
        left_out: Sequence[str] = (),
    ) -> None:
        self._backend = backend
        self._request = request
        self._left_out = left_out
        self._checksum = None if request.text is not None else checksum
        self.size_bytes = request_bytes(request)
        self.notices: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[str]:
        checksum = 0
        notices = [*self._left_out]

        def read(source: TextSource) -> Iterator[Piece]:
            nonlocal checksum
            for piece in source.pieces():
                checksum = zlib.crc32(piece.content, checksum)
                yield piece
            notices.extend(source.notices)

        for document in documents_of_request(self._backend, self._request, read):
            yield b"".join(document).decode("utf-8", "surrogatepass")
        if self._checksum not in (None, checksum):
            raise _has_changed(self._request.name)
        self.notices = tuple(notices)


def _cut(
    backend: Backend, kind: Changeable, asked: CorpusInfo | OpeningRequest
) -> Generator[Progress, None, tuple[Changeable, CorpusInfo]]:
    """A corpus as one of our tokenizers cuts it, read again if it was cut differently."""
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.files.changes.kinds import OwnTokenizer

    model = kind.tokenizer.model
    info = asked if isinstance(asked, CorpusInfo) else None
    config = model.config.replace(force=(), forbid=(), vocab_size=None, merges=len(model.merges))
    if info is not None:
        own = info.corpus.config
        special = own.special if own.documents == "separator" else config.special
        config = config.replace(documents=own.documents, special=special)
    kind = OwnTokenizer(
        Tokenizer(replace(model, config=config.replace(special=model.config.special)))
    )
    if info is not None and (info.corpus.is_counted or config.same_cut(info.corpus.config)):
        return kind, info
    notices: Sequence[str] = ()
    if isinstance(asked, CorpusInfo):
        request = asked.request
    else:
        request, notices = yield from with_files_of_folders(backend, asked)
    check_has_text(request)
    read = yield from count_request(backend, request, config)
    if info is not None and info.checksum not in (None, read.checksum):
        raise _has_changed(info.name)
    return kind, replace(read, notices=(*read.notices, *notices))


def _has_changed(name: str) -> SourceError:
    return SourceError(
        f"{name} has changed since it was opened: open it again, and then extend or prune"
    )


def _session_of_run(info: CorpusInfo, trainer: Trainer) -> Session:
    """A session whose run begins with the merges of a tokenizer, at its end."""
    run = trainer.run_record
    # The window first asks a run for the tokens of the typed text.
    run.segmenter.refresh()
    trainer.release()
    n_merges = len(run.merges)
    stop_reason = trainer.stop_reason if n_merges < trainer.target else ""
    position = RunPosition(n_merges, n_merges, trainer.target, stop_reason, was_run=True)
    return NewRun(info, trainer, run.config.replace(merges=trainer.target)).as_session(position)


def _shown(
    work: Generator[Stage, None, R], what: str, text: CorpusInfo | CorpusText
) -> Generator[Progress, None, R]:
    """Runs some work on a tokenizer, and yields its progress."""
    countdowns: dict[str, Countdown] = {}
    size_bytes = text.size_bytes if isinstance(text, CorpusText) else 0

    def progress(stage: Stage) -> Progress:
        unit, done, total = stage
        if unit == "bytes":
            done = min(done, size_bytes)
            total = size_bytes
        left = countdowns.setdefault(unit, Countdown(done)).seconds_left(done, total)
        return Progress(what, done, total, unit, left)

    return (yield from relay(work, progress))


def _corpus_now(before: int, after: int) -> str:
    """A clause about the tokens of the corpus, with the change in percent."""
    change = ""
    if before and before != after:
        sign = "+" if after > before else "−"
        change = f" ({sign}{percent(abs(after - before) / before)})"
    return f"the corpus has {number(after)} tokens instead of {number(before)}{change}."


def _left_out(n_words: int) -> str:
    if not n_words:
        return ""
    return f" {plural(n_words, 'word')} with characters that it does not know are skipped."
