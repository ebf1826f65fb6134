"""Extending and pruning: a run of the open corpus that begins with the merges of a tokenizer, in the list of runs.

The tokenizer is that of a run at its step, one that was opened before the text, one of those that are compared, or a
file. What it cuts and how is its own; the text is read again where it was cut in another way. The open runs and the
settings of the next one stay. Where no text is open, one is read from files, and the run is opened as any text is.

A tokenizer of others that our engine cannot train is changed in its own file, and opened in place of what is open, as
that file would be.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.errors import BpeError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import NewRun, request_of_files
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.documents import Opened
from bpe_studio.workspace.opening.extended_run import RunToChange
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.opening.own_file import FileToChange
from bpe_studio.workspace.opening.tokenizer_change import Change, Changeable, Plan
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.session import Project
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.run import Run


@dataclass(frozen=True, eq=False)
class Source:
    """A tokenizer that can be extended or pruned, as it is chosen.

    Attributes:
        name: what it is called.
        run, step: whose tokenizer it is; None for one that was opened.
        tokenizer: one that is open to be compared; None for others.
        path: the file or folder to read it from; None for others.
    """

    name: str
    run: Run | None = None
    step: int = 0
    tokenizer: Tokenizer | None = None
    path: Path | None = None


@dataclass(frozen=True, eq=False)
class Place:
    """What the run is trained on.

    Attributes:
        info: the open corpus; None for files.
        paths: the files.
    """

    info: CorpusInfo | None
    paths: tuple[Path, ...] = ()


class Extensions:
    """Extends and prunes tokenizers on the open corpus or on files."""

    def __init__(self, open_state: OpenState, loader: Loader, runs: RunList, opener: Opener, backend: Backend) -> None:
        """Nothing is being made.

        Args:
            open_state: has the open corpus.
            loader: runs the job.
            runs: receives the run.
            opener: opens it where no text is open; knows what was open before.
            backend: the engine and the file layer.
        """
        self._open, self._loader, self._runs = open_state, loader, runs
        self._opener, self._backend = opener, backend
        self._changed: Source | None = None

    def sources(self) -> list[Source]:
        """The tokenizers that are open: the one before the text first, then the shown run, then the other runs.

        That is the one that was open or, after an undo, the one whose file was changed last. Where a tokenizer is open
        and no text, it comes last.
        """
        before = self._changed
        previous = self._opener.previous
        if previous is not None and not previous.corpus.has_words:
            run = previous.current.run
            before = Source(previous.name, run, len(run.merges))
        found = []
        shown = self._runs.shown
        entries = sorted(self._runs.entries, key=lambda each: shown is None or each.number != shown.number)
        for entry in entries:
            if entry.position.n_merges:
                name = entry.corpus.name if not entry.corpus.has_words else entry.name
                found.append(Source(name, entry.run, entry.position.step))
        if before is not None:
            found.insert(0 if self.open_place() else len(found), before)
        return found

    def open_place(self) -> Place | None:
        """The open corpus; None if no text is open."""
        info = self._open.corpus
        return Place(info) if info is not None and info.has_words else None

    def prepare(self, source: Source) -> Changeable:
        """Reads and checks a tokenizer; may take seconds, and is called outside the window's thread.

        Raises:
            BpeError: it cannot be read, or merges cannot be added to it or taken from it.
        """
        if source.run is not None:
            tokenizer = source.run.tokenizer(source.step)
        elif source.path is not None:
            tokenizer = self._backend.load(source.path)
        else:
            assert source.tokenizer is not None
            tokenizer = source.tokenizer
        try:
            return RunToChange.of(source.name, tokenizer)
        except BpeError:
            changeable = self._backend.changeable_in_file(tokenizer)
            if changeable is None:
                raise
            return FileToChange(source.name, changeable)

    def extend(self, tokenizer: Changeable, place: Place, vocab_size: int) -> None:
        """Trains further merges of a tokenizer, and shows the run or opens the tokenizer.

        Args:
            tokenizer: the tokenizer.
            place: what to train on.
            vocab_size: the number of tokens in all.
        """
        work = partial(tokenizer.extending, self._backend, self._asked(place), vocab_size, self._opener.own_config)
        self._start(f"Extend {tokenizer.name}", tokenizer, place, work)

    def prune(self, tokenizer: Changeable, place: Place, plan: Plan, vocab_size: int) -> None:
        """Removes the least used tokens of a tokenizer, and shows the run that is left or opens the tokenizer.

        Args:
            tokenizer: the tokenizer.
            place: what its uses were counted in.
            plan: what can be removed.
            vocab_size: the number of tokens that remain.
        """
        work = partial(plan.pruning, vocab_size, self._opener.own_config)
        self._start(f"Prune {tokenizer.name}", tokenizer, place, work)

    def plan(self, tokenizer: Changeable, place: Place) -> Generator[Progress, None, Plan]:
        """The job that finds what can be removed from a tokenizer.

        Raises:
            BpeError: the text cannot be read again, or has changed.
        """
        return tokenizer.planning(self._backend, self._asked(place))

    def _asked(self, place: Place) -> CorpusInfo | OpeningRequest:
        if place.info is not None:
            return place.info
        return replace(request_of_files(place.paths), own_config=self._opener.own_config)

    def _start(
        self, what: str, tokenizer: Changeable, place: Place, make: partial[Generator[Progress, None, Change]]
    ) -> None:
        self._open.leave_failure()
        if isinstance(tokenizer, FileToChange):
            self._changed = Source(tokenizer.name, tokenizer=tokenizer.tokenizer)
        if place.info is None or tokenizer.replaces_what_is_open:
            self._opener.confirm(lambda: self._loader.start(what, make, partial(self._on_opened, what)), False)
        elif self._open.can_be_replaced:
            self._loader.start(what, make, partial(self._on_made, what))

    def _on_opened(self, what: str, change: Change) -> None:
        notices = change.session.corpus.notices
        opened = Opened(Project(change.session), (*notices, change.said), is_unsaved=not change.is_same)
        self._opener.put(what, opened)

    def _on_made(self, what: str, change: Change) -> None:
        name = f"{what.partition(' ')[2]}, {'extended' if what.startswith('Extend') else 'pruned'}"
        entry = change.session.current
        new = NewRun(entry.corpus, entry.trainer, entry.config)
        self._runs.add(what, name, new, entry.position, is_shown=True)
        self._open.notice(change.said, is_report=True)
