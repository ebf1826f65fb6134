"""Opening: the one way from a request (files, a text, a sample) to an open project.

A request goes to the worker with its settings. The worker recognizes a document, a tokenizer or a
text, and returns a `Project`, which replaces the open one as an undo step. Nothing that is open
changes before that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from bpe_studio.errors import BpeError
from bpe_studio.files.samples import find_sample
from bpe_studio.files.text.reading import UTF_8, Reading
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import request_of_files
from bpe_studio.workspace.excerpt import corpus_excerpt
from bpe_studio.workspace.messages import failure_of, sentence
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.documents import (
    ColumnQuestion,
    Opened,
    find_text,
    open_request,
    with_text,
)
from bpe_studio.workspace.opening.tokenizers import SplitQuestion
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.session import Project, Session
from bpe_studio.workspace.state import OpeningRequest
from bpe_studio.workspace.undo import UndoStep
from bpe_studio.workspace.unsaved import is_beginning

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.option_types import PresetName
    from bpe_studio.files.text.columns import ColumnChoice
    from bpe_studio.workspace.opening.kept_session import KeptSession
    from bpe_studio.workspace.state import CorpusInfo


FEW_WORDS = 40
FEW_CHARACTERS = 250
"""A typed text up to these sizes is an example to merge by hand; the largest sample for that has 36
words.
"""
ChooseColumn = Callable[["ColumnChoice", Callable[[str | None], None]], None]
ChooseSplit = Callable[[SplitQuestion, Callable[[str], None]], None]


def _nothing(before: Project, is_whole: bool) -> None:
    """Does nothing: nobody wants to know."""


class Opener:
    """Opens files, texts and samples.

    Attributes:
        on_replaced: called before the open project is replaced, with the project, and with whether
            its typed text is replaced, too.
        previous: the session before, if it had any merges.
        choose_column: called with the columns of the files if it is not certain which one holds the
            text, and with a function to call with the right one, or with None to read the files as
            plain text; None if nobody can choose.
        choose_split: called if a tokenizer's file names no split, with the likely split and a
            function to call with the chosen one; None if nobody can choose, and the likely split is
            used.
    """

    def __init__(
        self,
        open_state: OpenState,
        transport: Transport,
        loader: Loader,
        runs: RunList,
        backend: Backend,
        *,
        is_config_chosen: bool = False,
    ) -> None:
        """Nothing has been opened.

        Args:
            open_state: the open values.
            transport: knows how long runs were trained.
            loader: runs the job that opens.
            runs: replaces the session.
            backend: the engine and the file layer.
            is_config_chosen: whether the user has chosen the settings of `open_state`, so that
                samples do not set theirs.
        """
        self._open = open_state
        self._transport = transport
        self._loader = loader
        self._runs = runs
        self._backend = backend
        self._is_config_chosen = is_config_chosen
        self._first_config = open_state.config
        self._was_preset_lent = False
        self.previous: Session | None = None
        self.on_replaced: Callable[[Project, bool], None] = _nothing
        self.choose_column: ChooseColumn | None = None
        self.choose_split: ChooseSplit | None = None

    def open_files(
        self,
        paths: Sequence[str | PathLike[str]],
        encoding: str | None = None,
        *,
        column: str | None = None,
        is_plain: bool = False,
    ) -> None:
        """Opens files as one corpus, or one studio document as it was saved, or one tokenizer.

        The open project stays until they have been read.

        Args:
            paths: the files, in order.
            encoding: a name such as "latin-1", or None to detect it.
            column: the column of records that holds the text; None to find it.
            is_plain: read files with records as plain text.
        """
        files = tuple(map(_path_of, paths))
        if files:
            reading = Reading(encoding, column, is_plain, is_lenient=True)
            is_same = self._open.corpus is not None and self._open.corpus.request.paths == files
            config = self.own_config if is_same else self._config_for("")
            self.open(request_of_files(files, reading), config)

    def open_text(
        self, text: str, name: str = "Pasted text", preset: PresetName | Literal[""] = ""
    ) -> None:
        """Opens a text that was typed, pasted or dropped.

        Args:
            text: the text.
            name: its name in the window.
            preset: the settings for this text alone; "" for those of the user.
        """
        if preset:
            request = OpeningRequest(name, text=text, own_config=self.own_config)
            self.open(request, type(self._open.config).preset(preset))
        else:
            self.open(OpeningRequest(name, text=text), self._config_for(""))

    def open_typed(self, text: str, preset: PresetName | Literal[""] = "") -> None:
        """Opens a text that was typed in the window, with a preset; "" for one that fits it."""
        self.open_text(text, "Typed text", preset or fitting_preset(text))

    def open_sample(self, name: str) -> None:
        """Opens one of the samples by its id or title."""
        self._open.leave_failure()
        try:
            sample = find_sample(name)
        except BpeError as error:
            self._loader.abandon()
            self._open.fail(failure_of(f"Open the sample {name}", error))
            return
        self.open(
            OpeningRequest(sample.title, (sample.path,), UTF_8), self._config_for(sample.preset)
        )

    def open_kept(self, kept: KeptSession, on_opened: Callable[[Mapping[str, Any]], None]) -> None:
        """Opens a kept session; it counts as unsaved.

        Args:
            kept: the session.
            on_opened: called with the state of the window that was kept with it.
        """
        from bpe_studio.workspace.opening.kept_session import open_session

        self._open.leave_failure()
        what = f"Restore {kept.name}"
        take = partial(self._on_restored, what, on_opened)
        self._loader.start(what, partial(open_session, self._backend, kept), take)

    def locate_text(self, paths: Sequence[str | PathLike[str]]) -> None:
        """Opens files as the text of the open words; they must have the same words."""
        project = self._runs.project()
        if project.session is None or not paths:
            return
        self._open.leave_failure()
        make = partial(find_text, self._backend, project, tuple(map(_path_of, paths)))
        self._loader.start("Locate the text", make, self._on_located)

    def _on_located(self, found: CorpusInfo) -> None:
        self._put_project(with_text(self._runs.project(), found))
        self._open.notice(f"The text of {found.name} is open.")

    def open_with(self, request: OpeningRequest, config: TrainingConfig) -> None:
        """Opens the text of a lesson with its settings.

        The user's settings are kept for the next text.
        """
        self.open(replace(request, own_config=self.own_config, is_lesson=True), config)

    def open(self, request: OpeningRequest, config: TrainingConfig) -> None:
        """Opens a request; a text is split and trained on with the given settings."""
        self._open.leave_failure()
        if self._open.corpus is None:
            # Settings that are made before anything is open are for all later texts.
            self._first_config = self._open.config
        what = f"Open {request.name}"
        asks_column = self.choose_column is not None
        asks_split = self.choose_split is not None
        make = partial(
            open_request,
            self._backend,
            request,
            config,
            asks_column=asks_column,
            asks_split=asks_split,
        )
        self._loader.start(what, make, partial(self._on_opened, what, request, config), request)

    def _on_opened(
        self,
        what: str,
        request: OpeningRequest,
        config: TrainingConfig,
        result: Opened | ColumnQuestion | SplitQuestion,
    ) -> None:
        if isinstance(result, Opened):
            self.put(what, result)
            return
        self._open.rest()
        if isinstance(result, SplitQuestion):
            assert self.choose_split is not None
            self.choose_split(result, partial(self._open_split, request, config, result.key))
            return
        assert self.choose_column is not None
        self.choose_column(result.choice, partial(self._open_column, result.request, config))

    def _open_split(
        self, request: OpeningRequest, config: TrainingConfig, key: str, split: str
    ) -> None:
        self._backend.splits[key] = split
        self.open(request, config)

    def _open_column(
        self, request: OpeningRequest, config: TrainingConfig, column: str | None
    ) -> None:
        reading = replace(request.reading, column=column, is_plain=column is None)
        self.open(replace(request, reading=reading), config)

    def keep_config(self) -> None:
        """Keeps the user's settings for all later texts: samples no longer set theirs."""
        self._is_config_chosen = self._is_config_chosen or self._kept_config is None

    @property
    def _kept_config(self) -> TrainingConfig | None:
        """The user's settings, while a text is open that came with its own; else None."""
        return None if self._open.corpus is None else self._open.corpus.request.own_config

    @property
    def own_config(self) -> TrainingConfig:
        """The user's own settings, not those of a text that came with its own, or of a branch."""
        if self._kept_config is not None:
            return self._kept_config
        entries = self._runs.entries
        return entries[0].config if entries else self._open.config

    def _config_for(self, preset: PresetName | Literal[""]) -> TrainingConfig:
        """The settings for opening a text: those of a sample, unless the user has chosen some."""
        if self._is_config_chosen or not (preset or self._was_preset_lent):
            # The weights are those of other files.
            return self._with_first_target(self.own_config.unweighted)
        self._was_preset_lent = bool(preset)
        return type(self._open.config).preset(preset) if preset else self._backend.default_config()

    def _with_first_target(self, config: TrainingConfig) -> TrainingConfig:
        """Settings for another text, without the target to which the last one was trained."""
        if self._open.corpus is None:
            return config
        first = self._first_config
        if config.preset_name != first.preset_name:
            first = type(config).preset(config.preset_name)
        return config.with_target_of(first)

    def _on_restored(
        self, what: str, on_opened: Callable[[Mapping[str, Any]], None], opened: Opened
    ) -> None:
        self.put(what, opened)
        for each in self._runs.entries:
            # It was worth keeping, however quickly it was trained again.
            if each.corpus.has_words:
                self._transport.add_trained_s(each.run, math.inf)
        on_opened(opened.view)

    def put(self, what: str, opened: Opened) -> None:
        """Replaces the open project, as an undo step.

        Args:
            what: the action, to follow "Undo".
            opened: the result of opening.
        """
        before = self._runs.project()
        old = before.session
        self.previous = old if old is not None and old.n_merges else None
        put = self._put_project if opened.is_whole else self._put_session
        project = opened.project
        if old is None and not opened.is_whole:
            # Breakpoints that were set before anything was open are for the first run.
            project = replace(project, breakpoints=before.breakpoints)
        typed = before.typed_text
        if not opened.is_whole and _has_no_other_text(project, before):
            project = replace(project, typed_text=typed)
        elif typed.strip() and not is_beginning(typed, before) and not is_beginning(typed, project):
            self._open.typed_before = typed
        if old is not None:
            self._transport.set_speed(math.inf)  # a document may bring its own
        put(project)
        if opened.is_whole and not opened.is_unsaved:
            self._open.saved_work.remember(self._runs.project(), self._transport.trained_s)
        elif opened.is_unsaved and not opened.is_whole:
            self._open.saved_work.ask_for(self._runs.entries)
        for notice in opened.notices:
            self._open.notice(sentence(notice), is_report=True)
        if old is not None:
            self._open.record(
                UndoStep(what, before, self._runs.project, partial(self._return_to, put))
            )

    def _return_to(self, put: Callable[[Project], None], project: Project) -> None:
        self._open.leave_failure()
        self._loader.abandon()
        put(project)

    def _put_project(self, project: Project) -> None:
        """Opens a whole project."""
        self._put_session(project, is_whole=True)
        self._open.set_compared_steps(project.compared_steps)

    def _put_session(self, project: Project, *, is_whole: bool = False) -> None:
        """Opens the session of a project with its marks, its typed text and its document, but not
        its compared steps.

        All values change before any signal is emitted. Breakpoints go first: they belong to the old
        session, and would stop the new run.
        """
        before = self._runs.project()
        new = project.session
        if (
            before.session is not None
            and new is not None
            and new.entries[0].run is not before.session.entries[0].run
        ):
            self.on_replaced(before, is_whole)
        is_other = self._open.put_document(project.document)
        self._open.marks.set_all(project.breakpoints, self._open.marks.bookmarks)
        if project.session is not None:
            self._runs.restore(project.session)
        self._open.set_typed_text(project.typed_text)
        if is_other:
            self._open.document_changed.emit()


def _has_no_other_text(project: Project, before: Project) -> bool:
    """Whether a project has no text to show, as a tokenizer has none, or the same as before."""
    assert project.session is not None
    info = project.session.corpus
    is_same = before.session is not None and info.request is before.session.corpus.request
    return is_same or not corpus_excerpt(info)


def _path_of(path: str | PathLike[str]) -> Path:
    """A path, or the path that stands for an address."""
    text = fspath(path)
    if not text.startswith("file://"):
        return Path(text)
    # Imported here, because it imports modules for fetching, which the start does not need.
    from urllib.request import url2pathname

    return Path(url2pathname(urlsplit(text).path))


def fitting_preset(text: str) -> PresetName:
    """The preset that fits a typed text: characters and words for a few lines, else bytes."""
    is_short = len(text) <= FEW_CHARACTERS and len(text.split()) <= FEW_WORDS
    return "textbook" if is_short else "gpt2"
