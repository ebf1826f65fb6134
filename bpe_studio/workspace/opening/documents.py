"""The jobs that open a request and save a studio document, and the conversion between documents and
the workspace.

Opening a document trains every run again from the counted words and the settings; a branch, from
its parent. Then it compares the merges with the stored ones. If they differ, a notice names the
first merge that does. The jobs are generators for the worker, as in `corpus/reading.py`;
`opener.py` and `saver.py` use their results.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_studio.engine.generators import relay
from bpe_studio.errors import BpeError, SourceError, TokenizerFormatError, TrainingError
from bpe_studio.explain.wording import merge_name
from bpe_studio.files.third_party.known import kept_as
from bpe_studio.workspace.corpus.embedded_text import (
    save_with_text,
    text_in_words,
    text_inside,
    with_text_inside,
)
from bpe_studio.workspace.corpus.reading import (
    count_request,
    open_corpus,
    start_run,
    with_files_of_folders,
)
from bpe_studio.workspace.corpus.text_files import stored_sources
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question
from bpe_studio.workspace.opening.tokenizers import SplitQuestion, open_tokenizer
from bpe_studio.workspace.runs.training import Growth, train
from bpe_studio.workspace.session import Document, Project, RunEntry, RunPosition, Session
from bpe_studio.workspace.state import CorpusInfo, HeldOut, OpeningRequest, Progress, SourceInfo
from bpe_studio.workspace.thread_job import run_in_thread

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.files.document.records import StoredBranch, StudioDocument
    from bpe_studio.files.text.columns import ColumnChoice
    from bpe_studio.workspace.backend import Backend


SUFFIX = ".bpestudio"


@dataclass(frozen=True, eq=False)
class Opened:
    """The result of opening a request.

    Attributes:
        project: the project to show.
        notices: sentences for the user about it.
        is_whole: whether the project replaces everything, as a document does; a text or a tokenizer
            replaces only the session with its marks, and compared steps stay.
        is_unsaved: whether it is work that is in no file, as a kept session or a changed tokenizer
            is.
        view: the state of the window that was kept with a session.
    """

    project: Project
    notices: tuple[str, ...] = ()
    is_whole: bool = False
    is_unsaved: bool = False
    view: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnQuestion:
    """A corpus that is opened once a person has chosen the column with the text.

    Attributes:
        request: the request to open.
        choice: the columns.
    """

    request: OpeningRequest
    choice: ColumnChoice


def open_request(
    backend: Backend,
    request: OpeningRequest,
    config: TrainingConfig,
    *,
    asks_column: bool = False,
    asks_split: bool = False,
) -> Generator[Progress, None, Opened | ColumnQuestion | SplitQuestion]:
    """Opens a single studio document or tokenizer, or else texts, with the given settings.

    Args:
        backend: the engine and the file layer.
        request: the request to open.
        config: the settings for a text.
        asks_column: whether a person can choose the column of the text if it is not certain.
        asks_split: whether a person can choose the split of a tokenizer if its file names none.

    Raises:
        BpeError: a file cannot be read, or the settings do not fit the text.
    """
    found = backend.recognize(request.paths[0]) if len(request.paths) == 1 else None
    if found is not None and found.kind == "studio":
        return (yield from open_document(backend, request.paths[0], config))
    for path in request.paths:
        if path.suffix.lower() == SUFFIX and path.is_file():
            why = "is a studio document: open it on its own, without other files"
            if len(request.paths) == 1:
                why = "has the name of a studio document but is not one"
            raise TokenizerFormatError(f"{path.name} {why}")
    if found is not None and (
        found.is_tokenizer or kept_as(request.paths[0].absolute()) is not None
    ):
        session = yield from open_tokenizer(
            backend, request.paths[0], config, asks_split=asks_split
        )
        if isinstance(session, SplitQuestion):
            return session
        return Opened(Project(session))  # its page shows the notices
    if found is not None and found.kind == "counts":
        return (yield from _open_counts(backend, request.paths[0], config))
    if asks_column and request.reading.column is None and not request.reading.is_plain:
        for choice in backend.column_choice(request.paths, request.reading):
            yield Progress(f"Checking {request.name}", 0, 0, "%")
            if choice is not None:
                return ColumnQuestion(request, choice)
    request, notices = yield from with_files_of_folders(backend, request)
    new = yield from open_corpus(backend, request, config)
    if notices:
        new = replace(new, info=replace(new.info, notices=(*new.info.notices, *notices)))
    return Opened(Project(new.as_session()), new.info.notices)


def _open_counts(
    backend: Backend, path: Path, config: TrainingConfig
) -> Generator[Progress, None, Opened]:
    """Opens a table of counts with its own options."""
    from bpe_studio.engine.counting.counter import cut_difference
    from bpe_studio.files.counts.files import load_counter

    yield Progress(f"Reading {path.name}", 0, 0, "bytes")
    counter = load_counter(path)
    notices = list(counter.notices)
    notices.append(f"{path.name} contains pre-tokens and their counts, but not their text.")
    own_config = None
    if cut_difference(counter.config, config):
        # The next text has the user's options again.
        own_config = config
        config = counter.config
    info = CorpusInfo(
        path.name,
        counter.corpus(config),
        (),
        tuple(notices),
        OpeningRequest(path.name, own_config=own_config),
    )
    new = yield from start_run(backend, info, config)
    return Opened(Project(new.as_session()), info.notices)


def open_document(
    backend: Backend, path: Path, own_config: TrainingConfig | None = None
) -> Generator[Progress, None, Opened]:
    """Reads a document and trains its runs again.

    Args:
        backend: the engine and the file layer.
        path: the document.
        own_config: the user's settings, for the next text; None for those of the document.

    Raises:
        BpeError: it cannot be read, or its settings do not fit its words.
    """
    document = yield from relay(
        backend.read_document(path), lambda news: Progress(f"Reading {path.name}", *news, "bytes")
    )
    inside = yield from text_inside(path)
    info = with_text_inside(backend, _corpus_info(document, own_config), inside)
    n_bytes = 0 if inside is None else inside.found.size_bytes
    notices: list[str] = [text_in_words(path, n_bytes)]
    entries: list[RunEntry] = []
    for stored in document.branches:
        parent = next((each for each in entries if each.number == stored.parent), None)
        try:
            entry = yield from _retrained(backend, info, stored, parent, notices)
            if stored.number != document.shown:
                # A thousand branches must not keep the buffers of a thousand trainers.
                entry.trainer.release()
            entries.append(entry)
        except BpeError as error:
            if not entries:
                raise
            kind = "run" if stored.is_side_run else "branch"
            notices.append(
                f"The {kind} “{stored.name}” was skipped, because it cannot be trained again:"
                f" {error}"
            )
    is_there = any(each.number == document.shown for each in entries)
    shown = document.shown if is_there else entries[0].number
    session = Session(tuple(entries), shown, tuple(Bookmark(*each) for each in document.bookmarks))
    breakpoints = tuple(
        Breakpoint(Question(each.question), each.text, each.number, each.is_on)
        for each in document.breakpoints
    )
    kept = Document(path, document.view, inside is not None)
    project = Project(session, breakpoints, document.typed_text, document.compared_steps, kept)
    return Opened(project, tuple(notices), is_whole=True)


def find_text(
    backend: Backend, project: Project, paths: tuple[Path, ...]
) -> Generator[Progress, None, CorpusInfo]:
    """Counts the text in files, which must have the words of the open corpus.

    Raises:
        BpeError: they cannot be read, or have another text.
    """
    assert project.session is not None
    info = project.session.entries[0].corpus
    request = replace(info.request, paths=paths, is_words_only=False)
    found = yield from count_request(backend, request, info.corpus.config)
    arrays = (
        (getattr(found.corpus, name), getattr(info.corpus, name))
        for name in ("blob", "offsets", "counts")
    )
    if not all(one.tobytes() == other.tobytes() for one, other in arrays):
        name = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1:,} more"
        raise SourceError(
            f"{name} does not contain the words that were counted: choose the right text, or open"
            " that file alone"
        )
    return found


def with_text(project: Project, found: CorpusInfo) -> Project:
    """A project with the text that was found for it; the runs stay as they are."""
    session = project.session
    assert session is not None
    corpora = {each.corpus for each in session.entries}
    changed = {
        one: replace(
            one,
            sources=found.sources,
            request=found.request,
            checksum=found.checksum,
            beginning=found.beginning,
        )
        for one in corpora
    }
    entries = tuple(replace(each, corpus=changed[each.corpus]) for each in session.entries)
    return replace(project, session=replace(session, entries=entries))


def save_document(backend: Backend, project: Project) -> Generator[Progress, None, None]:
    """Writes a document atomically.

    Raises:
        SaveError: it cannot be written, or exceeds a limit.
    """
    assert project.document is not None
    path = project.document.path
    yield Progress(f"Saving {path.name}", 0, 0, "bytes")
    data = yield from run_in_thread(partial(_packed, backend, project, path))
    if project.document.holds_text:
        yield from save_with_text(project, data)
        return
    yield Progress(f"Writing {path.name}", 0, 0, "bytes", can_cancel=False)
    backend.write(path, data)


def _packed(backend: Backend, project: Project, path: Path) -> Generator[Progress, None, bytes]:
    packing = backend.pack_document(document_of(project))
    return (yield from relay(packing, lambda news: Progress(f"Saving {path.name}", *news, "bytes")))


def document_of(project: Project) -> StudioDocument:
    """A project as the records of a document; its runs may grow meanwhile."""
    from bpe_studio.files.document.records import StoredBreakpoint, StudioDocument

    session = project.session
    assert session is not None
    info = session.entries[0].corpus
    for entry in session.entries:
        entry.trainer.run_record.check_stored()
    view = {} if project.document is None else project.document.view
    held_out = None if info.held_out is None else info.held_out.corpus
    share = 0.0 if info.held_out is None else info.held_out.share
    return StudioDocument(
        name=info.name,
        corpus=info.corpus,
        branches=tuple(_stored(entry, info) for entry in session.entries),
        sources=stored_sources(info),
        reading=info.request.reading,
        notices=info.notices,
        shown=session.number,
        bookmarks=tuple((each.step, each.name) for each in session.bookmarks),
        breakpoints=tuple(
            StoredBreakpoint(each.question.value, each.text, each.number, each.is_on)
            for each in project.breakpoints
        ),
        typed_text=project.typed_text,
        compared_steps=project.compared_steps,
        view=view,
        holds_text=project.document is not None and project.document.holds_text,
        held_out=held_out,
        held_out_share=share,
    )


def _stored(entry: RunEntry, info: CorpusInfo) -> StoredBranch:
    from bpe_studio.engine.training.seeded_run import SeededRun
    from bpe_studio.files.document.records import StoredBranch, stored_columns

    run = entry.run
    position = entry.position
    corpus = None
    held_out = None
    if entry.corpus is not info:
        corpus = entry.corpus.corpus
        if entry.corpus.held_out is not None:
            held_out = entry.corpus.held_out.corpus
    tokenizer = run.model if entry.parent is None and isinstance(run, SeededRun) else None
    return StoredBranch(
        number=entry.number,
        name=entry.name,
        parent=entry.parent,
        override=entry.override,
        config=entry.config,
        columns=stored_columns(run.columns, position.n_merges),
        step=position.step,
        target=position.target,
        is_ended=bool(position.stop_reason),
        was_run=position.was_run,
        corpus=corpus,
        held_out=held_out,
        tokenizer=tokenizer,
    )


def _corpus_info(document: StudioDocument, own_config: TrainingConfig | None) -> CorpusInfo:
    sources = tuple(
        SourceInfo(each.name, each.encoding, each.size_bytes, each.form, each.column)
        for each in document.sources
    )
    share = document.held_out_share
    held = document.held_out
    request = OpeningRequest(
        document.name,
        reading=document.reading,
        own_config=own_config,
        held_out=share,
        is_words_only=True,
    )
    held_out = None if held is None else HeldOut(share, held)
    return CorpusInfo(document.name, document.corpus, sources, document.notices, request, held_out)


def _retrained(
    backend: Backend,
    info: CorpusInfo,
    stored: StoredBranch,
    parent: RunEntry | None,
    notices: list[str],
) -> Generator[Progress, None, RunEntry]:
    """A stored run, trained again; adds a notice if it differs from the stored one.

    Raises:
        BpeError: it cannot be trained, because the settings do not fit the words, or its parent has
            changed.
    """
    if stored.override is None:
        if stored.corpus is not None:
            held_out = None
            if stored.held_out is not None:
                held_out = HeldOut(info.request.held_out, stored.held_out)
            info = replace(info, corpus=stored.corpus, held_out=held_out)
        if stored.tokenizer is None:
            trainer = (yield from start_run(backend, info, stored.config)).trainer
        else:
            trainer = yield from _on_tokenizer(info, stored)
    else:
        if parent is None:
            raise TrainingError("the run that it came from is missing")
        info = parent.corpus
        trainer = backend.branch(parent.run, stored.override)
        what = f"Branching off: {stored.name}"
        yield Progress(what, 0, 100, "%")
        for fraction in trainer.prepare():
            yield Progress(what, round(100 * fraction), 100, "%")
    growth = yield from _train_stored(trainer, stored)
    different = _first_difference(trainer.run_record, stored)
    if different is not None:
        notices.append(
            f"“{stored.name}” was trained again from the words in the document, and differs from"
            f" the document from {merge_name(different)} on: the file was changed, or comes from"
            " another version of the program"
        )
    n_merges = min(growth.n_merges, stored.n_merges)
    position = RunPosition(
        n_merges, min(stored.step, n_merges), stored.target, growth.stop_reason, stored.was_run
    )
    return RunEntry(
        stored.number,
        stored.name,
        stored.parent,
        stored.override,
        trainer,
        stored.config,
        position,
        info,
    )


def _on_tokenizer(info: CorpusInfo, stored: StoredBranch) -> Generator[Progress, None, Trainer]:
    """The trainer of a run that begins with the merges of a tokenizer."""
    from bpe_studio.engine.training.seeded_run import SeededRun
    from bpe_studio.engine.training.trainer import Trainer

    what = f"Training again: {stored.name}"
    yield Progress(what, 0, 0, "merges")
    assert stored.tokenizer is not None
    run = SeededRun.of_merges(stored.tokenizer, info.corpus)
    trainer = Trainer.from_run(run, run.n_seed, run.plan, target=max(run.n_seed, stored.target))
    if stored.n_merges + stored.is_ended > run.n_seed:
        for fraction in trainer.prepare():
            yield Progress(what, round(100 * fraction), 100, "%")
    return trainer


def _train_stored(trainer: Trainer, stored: StoredBranch) -> Generator[Progress, None, Growth]:
    """Trains as many merges as are stored, and tries one more if the stored run had ended."""
    what = f"Training again: {stored.name}"
    return (
        yield from relay(
            train(trainer, stored.n_merges + stored.is_ended),
            lambda growth: Progress(
                what, growth.n_merges, stored.n_merges, "merges", growth.seconds_left
            ),
        )
    )


def _first_difference(run: Run, stored: StoredBranch) -> int | None:
    """The rank of the first merge in which a run differs from the stored one; None for none."""
    n_merges = min(len(run.merges), stored.n_merges)
    firsts = []
    for name, values in stored.columns.items():
        differs = getattr(run.columns, name)[:n_merges] != values[:n_merges]
        if differs.any():
            firsts.append(int(differs.argmax()))
    if n_merges < stored.n_merges:
        firsts.append(n_merges)
    return min(firsts, default=None)
