"""Extending and pruning: a run of the open corpus that begins with the merges of a tokenizer, in the list of runs.

The tokenizer is that of a run at its step, one that was opened before the text, one of those that are compared, or a
file. What it cuts and how is its own; the text is read again where it was cut in another way. The open runs and the
settings of the next one stay. Where no text is open, one is read from files, and the run is opened as any text is.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_studio.engine.generators import relay
from bpe_studio.errors import ConfigError, SaveError, SourceError
from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import (
    NewRun,
    check_has_text,
    count_request,
    request_of_files,
    with_files_of_folders,
)
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.documents import Opened
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.training import train
from bpe_studio.workspace.session import Project, RunPosition, Session
from bpe_studio.workspace.state import CorpusInfo, OpeningRequest, Progress

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.pruning import PruningPlan
    from bpe_studio.engine.training.seeded_run import SeededRun
    from bpe_studio.engine.training.trainer import Trainer


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
class Ready:
    """A tokenizer that can be extended or pruned.

    Attributes:
        name: what it is called.
        model: the tokenizer as data.
    """

    name: str
    model: TokenizerModel

    @property
    def vocab_size(self) -> int:
        """The number of its tokens."""
        return len(self.model.tokens)


@dataclass(frozen=True, eq=False)
class Place:
    """What the run is trained on.

    Attributes:
        info: the open corpus; None for files.
        paths: the files.
    """

    info: CorpusInfo | None
    paths: tuple[Path, ...] = ()


@dataclass(frozen=True, eq=False)
class Result:
    """The result of the job.

    Attributes:
        new: the run, its corpus and its settings.
        said: what has become of the corpus, in a sentence.
    """

    new: NewRun
    said: str


class Extensions:
    """Makes runs of the open corpus on top of a tokenizer."""

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

    def sources(self) -> list[Source]:
        """The tokenizers that are open: the one before the text first, then the shown run, then the other runs."""
        found = []
        previous = self._opener.previous
        if previous is not None and not previous.corpus.has_words:
            run = previous.current.run
            found.append(Source(previous.name, run, len(run.merges)))
        shown = self._runs.shown
        entries = sorted(self._runs.entries, key=lambda each: shown is None or each.number != shown.number)
        for entry in entries:
            if entry.position.n_merges:
                name = entry.corpus.name if not entry.corpus.has_words else entry.name
                found.append(Source(name, entry.run, entry.position.step))
        return found

    def open_place(self) -> Place | None:
        """The open corpus; None if no text is open."""
        info = self._open.corpus
        return Place(info) if info is not None and info.has_words else None

    def prepare(self, source: Source) -> Ready:
        """Reads and checks a tokenizer; may take seconds, and is called outside the window's thread.

        Raises:
            BpeError: it cannot be read, or merges cannot be added to it or taken from it.
        """
        from bpe_studio.engine.training.seeded_run import check_can_continue

        if source.run is not None:
            tokenizer = source.run.tokenizer(source.step)
        elif source.path is not None:
            tokenizer = self._backend.load(source.path)
        else:
            assert source.tokenizer is not None
            tokenizer = source.tokenizer
        model = _model_of(tokenizer, source.name)
        check_can_continue(model)
        if not model.merges:
            raise ConfigError(f"{source.name} has no merges: choose a tokenizer of byte-pair encoding")
        return Ready(source.name, model)

    def extend(self, ready: Ready, place: Place, vocab_size: int) -> None:
        """Trains further merges of a tokenizer, and shows the run.

        Args:
            ready: the tokenizer.
            place: what to train on.
            vocab_size: the number of tokens in all.
        """
        what = f"Extend {ready.name}"
        self._start(what, place, partial(extended, self._backend, ready, self._asked(place), vocab_size))

    def prune(self, ready: Ready, place: Place, plan: PruningPlan, info: CorpusInfo, vocab_size: int) -> None:
        """Removes the least used tokens of a tokenizer, and shows the run that is left.

        Args:
            ready: the tokenizer.
            place: what its uses were counted in.
            plan: what can be removed.
            info: the corpus as the tokenizer cuts it.
            vocab_size: the number of tokens that remain.
        """
        self._start(f"Prune {ready.name}", place, partial(pruned, ready, plan, info, vocab_size))

    def plan(self, ready: Ready, place: Place) -> Generator[Progress, None, tuple[PruningPlan, CorpusInfo]]:
        """The job that finds what can be removed from a tokenizer.

        Raises:
            BpeError: the text cannot be read again, or has changed.
        """
        return planned(self._backend, ready, self._asked(place))

    def _asked(self, place: Place) -> CorpusInfo | OpeningRequest:
        if place.info is not None:
            return place.info
        return replace(request_of_files(place.paths), own_config=self._opener.own_config)

    def _start(self, what: str, place: Place, make: partial[Generator[Progress, None, Result]]) -> None:
        self._open.leave_failure()
        if place.info is None:
            self._opener.confirm(lambda: self._loader.start(what, make, partial(self._on_read, what)), False)
        elif self._open.can_be_replaced:
            self._loader.start(what, make, partial(self._on_made, what))

    def _on_read(self, what: str, result: Result) -> None:
        session = result.new.as_session()
        entry = replace(session.entries[0], position=_at_end(result.new.trainer))
        opened = Opened(Project(Session((entry,))), (*result.new.info.notices, result.said))
        self._opener.put(what, opened)

    def _on_made(self, what: str, result: Result) -> None:
        name = f"{what.partition(' ')[2]}, {'extended' if what.startswith('Extend') else 'pruned'}"
        self._runs.add(what, name, result.new, _at_end(result.new.trainer), is_shown=True)
        self._open.notice(result.said, is_report=True)


def extended(
    backend: Backend, ready: Ready, asked: CorpusInfo | OpeningRequest, vocab_size: int
) -> Generator[Progress, None, Result]:
    """Trains further merges of a tokenizer.

    Raises:
        BpeError: the text cannot be read again or has changed, or nothing can be merged.
    """
    from bpe_studio.engine.training.extending import trainer_of
    from bpe_studio.engine.training.seeded_run import SeededRun

    info, model = yield from cut_for(backend, ready, asked)
    what = f"Extending {ready.name}"
    yield Progress(what, 0, 0, "merges")
    run = SeededRun.of(info.corpus, model)
    n_more = max(0, vocab_size - ready.vocab_size)
    trainer = trainer_of(run, n_more)
    n_seed, goal = run.n_seed, run.n_seed + n_more
    for fraction in trainer.prepare() if n_more else ():
        yield Progress(what, round(100 * fraction), 100, "%")
    yield from relay(
        train(trainer, goal),
        lambda news: Progress(what, news.n_merges - n_seed, n_more, "merges", news.seconds_left),
    )
    grown = trainer.run_record
    n_new = len(grown.merges) - n_seed
    before, after = grown.n_tokens_at(n_seed), grown.n_tokens_at(len(grown.merges))
    said = (
        f"{plural(n_new, 'merge')} added to the {number(ready.vocab_size)} tokens of {ready.name}: the corpus has "
        f"{number(after)} tokens instead of {number(before)}{_change(before, after)}. What each of them saves is its "
        f"count in Merges.{_left_out(run)}"
    )
    if n_more and not n_new:
        said = f"No merge could be added to {ready.name}, as {trainer.stop_reason}.{_left_out(run)}"
    return _result(info, trainer, said)


def planned(
    backend: Backend, ready: Ready, asked: CorpusInfo | OpeningRequest
) -> Generator[Progress, None, tuple[PruningPlan, CorpusInfo]]:
    """What can be removed from a tokenizer, in order, and the corpus as it cuts it.

    Raises:
        BpeError: the text cannot be read again, or has changed.
    """
    from bpe_studio.engine.training.pruning import PruningPlan

    info, model = yield from cut_for(backend, ready, asked)
    yield Progress(f"Counting the tokens of {ready.name}", 0, 0, "%")
    return PruningPlan(model, info.corpus), info


def pruned(ready: Ready, plan: PruningPlan, info: CorpusInfo, vocab_size: int) -> Generator[Progress, None, Result]:
    """Removes the least used tokens of a tokenizer."""
    from bpe_studio.engine.training.extending import trainer_of

    yield Progress(f"Pruning {ready.name}", 0, 0, "%")
    run = plan.run(vocab_size)
    before, after = plan.n_tokens, run.n_tokens_at(run.n_seed)
    n_removed = plural(len(plan.removed(vocab_size)), "token")
    said = (
        f"{n_removed} removed from the {number(ready.vocab_size)} of {ready.name}: the"
        f" corpus has {number(after)} tokens instead of {number(before)}{_change(before, after)}.{_left_out(run)}"
    )
    return _result(info, trainer_of(run, 0), said)


def cut_for(
    backend: Backend, ready: Ready, asked: CorpusInfo | OpeningRequest
) -> Generator[Progress, None, tuple[CorpusInfo, TokenizerModel]]:
    """A corpus as a tokenizer cuts it, read again where it was cut in another way; and the tokenizer, to match it.

    Args:
        backend: the engine and the file layer.
        ready: the tokenizer.
        asked: the open corpus, or what to read.

    Raises:
        BpeError: the text cannot be read again, or has changed.
    """
    model, info = ready.model, asked if isinstance(asked, CorpusInfo) else None
    config = model.config.replace(force=(), forbid=(), vocab_size=None, merges=len(model.merges))
    if info is not None:
        own = info.corpus.config
        special = own.special if own.documents == "separator" else config.special
        config = config.replace(documents=own.documents, special=special)
    model = replace(model, config=config.replace(special=model.config.special))
    if info is not None and (info.corpus.is_counted or config.same_cut(info.corpus.config)):
        return info, model
    request = asked.request if isinstance(asked, CorpusInfo) else asked
    if info is None:
        request, notices = yield from with_files_of_folders(backend, request)
    check_has_text(request)
    read = yield from count_request(backend, request, config)
    if info is not None and info.checksum not in (None, read.checksum):
        raise SourceError(f"{info.name} has changed since it was opened: open it again, and then extend or prune")
    if info is None:
        read = replace(read, notices=(*read.notices, *notices))
    return read, model


def _model_of(tokenizer: Tokenizer, name: str) -> TokenizerModel:
    try:
        return tokenizer.model
    except SaveError as error:
        if tokenizer.own_format is None or not tokenizer.n_merges:
            raise
        raise ConfigError(
            f"{name} is changed by the commands bpe-studio extend and prune, in its own file, and not in the window: "
            f"{error}"
        ) from None


def _result(info: CorpusInfo, trainer: Trainer, said: str) -> Result:
    run = trainer.run_record
    config = run.config.replace(merges=trainer.target)
    # The window first asks a run for the tokens of the typed text.
    run.segmenter.refresh()
    trainer.release()
    return Result(NewRun(info, trainer, config), said)


def _at_end(trainer: Trainer) -> RunPosition:
    n_merges = len(trainer.run_record.merges)
    reason = trainer.stop_reason if n_merges < trainer.target else ""
    return RunPosition(n_merges, n_merges, trainer.target, reason, was_run=True)


def _change(before: int, after: int) -> str:
    """How many percent more or fewer tokens there are, in brackets."""
    if not before or before == after:
        return ""
    return f" ({'+' if after > before else '−'}{percent(abs(after - before) / before)})"


def _left_out(run: SeededRun) -> str:
    if not run.n_left_out:
        return ""
    return f" {plural(run.n_left_out, 'word')} with characters that it does not know are left out."
