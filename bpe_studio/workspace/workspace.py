"""The workspace: all that is open, and every action that changes it.

The top of seven layers, `open_state.py` to `workspace.py`. It opens corpora, applies settings and
saves, each as a job of the worker; what a job made is taken over in one go when it has succeeded, so that a failure or
a cancel leaves everything as it was. The window calls its methods and draws its values; it keeps no state of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Signal, Slot

from bpe_studio.errors import BpeError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.jobs import Ended, Outcome
from bpe_studio.workspace.lessons.player import LessonPlayer
from bpe_studio.workspace.messages import changed_fields, failure_of, loss, sentence
from bpe_studio.workspace.opening.corpus import Opened, open_corpus, request_of_files, start_run
from bpe_studio.workspace.opening.documents import Document, OpenedDocument, Project, open_request, save_document
from bpe_studio.workspace.opening.embedded_text import text_in_words, text_size
from bpe_studio.workspace.runs.reach import Advising
from bpe_studio.workspace.runs.session import ROOT_NAME, Session, UndoStep
from bpe_studio.workspace.runs.training import save_tokenizer
from bpe_studio.workspace.runs.transport import RESTING
from bpe_studio.workspace.samples import find_sample
from bpe_studio.workspace.state import Notice, OpeningRequest, State

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

_APPLY = "Apply the settings"
_WHY_NOT_SAVED = {
    False: "There is no {} to save: open a text and train it first.",
    True: "Another job is under way: save the {} again when it has ended.",
}


class Workspace(Advising):
    """What a person has open: one corpus, the runs of it, a step, and a text typed to see it cut.

    Attributes:
        lesson: the lesson that is followed.

    Signals:
        document_changed: another studio document is open or none, or what is open was saved as one; read `document`.
    """

    document_changed = Signal()

    def __init__(
        self, parent: QObject | None = None, *, config: TrainingConfig | None = None, parts: Backend | None = None
    ) -> None:
        """An empty workspace.

        Args:
            parent: the QObject that owns it.
            config: the settings to begin with; the default preset without.
            parts: the engine's parts; the tests put others in.
        """
        parts = parts if parts is not None else Backend()
        super().__init__(config if config is not None else parts.default_config(), parts, parent)
        self._saving: int | None = None
        self._is_config_chosen = config is not None
        self._was_preset_lent = False
        self._set_aside: Session | None = None
        self._document: Document | None = None
        self.lesson = LessonPlayer(self, self._jobs)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.shutdown)

    def open_files(self, paths: Sequence[str | PathLike[str]], encoding: str | None = None) -> None:
        """Opens files as one corpus, or one studio document as it was saved, or one tokenizer.

        What is open stays until they are read.

        Args:
            paths: the files, in order.
            encoding: a name such as "latin-1", or None to detect it.
        """
        files = tuple(Path(path) for path in paths)
        if files:
            self._open(request_of_files(files, encoding), self._config_for(""))

    def open_text(self, text: str, name: str = "Pasted text") -> None:
        """Opens a text that stands in no file."""
        self._open(OpeningRequest(name, text=text), self._config_for(""))

    def open_sample(self, name: str) -> None:
        """Opens one of the samples by its id or title."""
        self._leave_failure()
        try:
            sample = find_sample(name)
        except BpeError as error:
            self._abandon_loading()
            self._fail(failure_of(f"Open the sample {name}", error))
            return
        self._open(OpeningRequest(sample.title, (sample.path,), "utf-8"), self._config_for(sample.preset))

    def open_with(self, request: OpeningRequest, config: TrainingConfig) -> None:
        """Opens a text with settings of its own; those that the person has stay theirs for the next text."""
        self._open(replace(request, own_config=self._own_config), config)

    def apply_config(self, config: TrainingConfig) -> None:
        """Takes other settings, and keeps of the corpus and the run all that they leave valid.

        Another target alone keeps the run. Settings that cut the text in the same way keep the corpus and start a new
        run; others read the sources again. If that fails, the old settings stay with all that is open.
        """
        self._leave_failure()
        self._is_config_chosen = self._is_config_chosen or self._own_config is self._config
        if self._state is State.loading and self._request is not None:
            self._open(self._request, config)
        elif self._corpus is None or self._trainer is None:
            self._abandon_loading()
            before = self._config
            self._set_config(config)
            if config != before:
                change = UndoStep("Change the settings", before, lambda: self._config, self._return_to_config)
                self.changed_by_hand.emit(change)
        elif not changed_fields(self._config, config):
            self._abandon_loading()
            self._change_target(config)
        elif config.same_cut(self._corpus.corpus.config) or self._has_counts_alone:
            self._load(_APPLY, None, partial(start_run, self._parts, self._corpus, config), self._take_over)
        else:
            make = partial(open_corpus, self._parts, self._corpus.request, config)
            self._load(_APPLY, None, make, self._take_over)

    @property
    def _has_counts_alone(self) -> bool:
        """Whether words are open that were given with counts, as a document has them, which no settings cut."""
        info = self._corpus
        if info is None or info.request.counts or info.request.paths or info.request.text is not None:
            return False
        return info.corpus.is_counted and len(info.corpus) > 0

    def what_is_lost(self, config: TrainingConfig) -> str:
        """What `apply_config` would discard, in one sentence, or ""."""
        return loss(self._n_merges, self._config, config)

    @property
    def set_aside(self) -> Session | None:
        """The corpus that the open one took the place of, where it had merges; None if it had none."""
        return self._set_aside

    def take_back(self) -> None:
        """Opens again, as it stood, the corpus and run that were set aside; the present ones are set aside instead."""
        back = self._set_aside
        if back is None or self._state not in (*RESTING, State.running, State.failed):
            return
        self._leave_failure()
        self._take_session(f"Go back to {back.name}", back)

    def save_tokenizer(self, path: str | PathLike[str], form: str = "huggingface") -> None:
        """Saves the tokenizer as it stands at the present step; training goes on afterwards."""
        self._leave_failure()
        run = self._run
        if run is None or self._saving is not None or self._state is State.loading:
            self.noticed.emit(Notice(_WHY_NOT_SAVED[run is not None].format("tokenizer")))
            return
        target = Path(path)
        what = f"Save {target.name}"
        self._saving = self._jobs.start(
            partial(save_tokenizer, self._parts, run, self._step, target, form),
            self._set_progress,
            partial(self._on_saved, what),
        )

    @property
    def document(self) -> Document | None:
        """The studio document that what is open was opened from or saved as last."""
        return self._document

    def save_document(
        self, path: str | PathLike[str], view: Mapping[str, Any] | None = None, *, holds_text: bool = False
    ) -> None:
        """Saves all that is open as a studio document; training goes on afterwards.

        Args:
            path: where to; its suffix is ".bpestudio".
            view: what the window wants to have back with it, in values that JSON can hold.
            holds_text: put the text of the corpus in it as well, and not only its words and their counts.
        """
        self._leave_failure()
        document = Document(Path(path), view if view is not None else {}, holds_text)
        project = self._project(document)
        if project.session is None or self._saving is not None or self._state is State.loading:
            self.noticed.emit(Notice(_WHY_NOT_SAVED[project.session is not None].format("document")))
            return
        self._saving = self._jobs.start(
            partial(save_document, self._parts, project), self._set_progress, partial(self._on_document_saved, project)
        )

    def cancel(self) -> None:
        """Stops what is under way: saving, opening (the old corpus stays) or training (what is learned stays)."""
        if self._saving is not None:
            self._jobs.stop(self._saving)
        elif self._state is State.loading:
            self._abandon_loading()
        else:
            self.pause()

    def stop_opening(self) -> None:
        """Gives up what is being opened, or learned to be shown; what is open stays."""
        self._abandon_loading()

    def dismiss_failure(self) -> None:
        """Goes back from `failed` to what was before."""
        self._leave_failure()

    def start_warm_up(self) -> None:
        """Compiles the engine's kernels in the background, once; until then the engine works without them."""
        self._parts.begin_warm_up()

    def end_warm_up(self) -> None:
        """Gives up compiling; to be called when the window is gone and the program is about to end."""
        self._parts.end_warm_up()

    @Slot()
    def shutdown(self) -> None:
        """Stops everything and ends the worker's thread; may be called again."""
        self._pace.stop()
        self._stop_reaching()
        self._jobs.shutdown()

    @property
    def _own_config(self) -> TrainingConfig:
        """The settings that are the person's own: not those of a text that came with its own."""
        kept = None if self._corpus is None else self._corpus.request.own_config
        return self._config if kept is None else kept

    def _config_for(self, preset: str) -> TrainingConfig:
        """The settings to open a text with: a sample may lend its own as long as the person has chosen none."""
        if self._is_config_chosen or not (preset or self._was_preset_lent):
            return self._own_config
        self._was_preset_lent = bool(preset)
        return type(self._config).preset(preset) if preset else self._parts.default_config()

    def _open(self, request: OpeningRequest, config: TrainingConfig) -> None:
        self._leave_failure()
        make = partial(open_request, self._parts, request, config)
        self._load(f"Open {request.name}", request, make, self._take)

    def _take(self, opened: Opened | OpenedDocument | Session) -> None:
        if isinstance(opened, OpenedDocument):
            self._take_document(opened)
        elif isinstance(opened, Session):
            self._take_session(f"Open {opened.name}", opened)
            said = f"{opened.name} is a tokenizer: its merges are shown as they are, without a corpus, so counts are 0."
            self.noticed.emit(Notice(said))
        else:
            self._take_over(opened)

    def _take_document(self, opened: OpenedDocument) -> None:
        """Puts what was in a document in place of what was open."""
        before = self._project(self._document)
        session = before.session
        self._set_aside = session if session is not None and session.n_merges else None
        self._put_project(opened.project)
        for notice in opened.notices:
            self.noticed.emit(Notice(sentence(notice)))
        if session is not None and opened.project.document is not None:
            text = f"Open {opened.project.document.path.name}"
            self.changed_by_hand.emit(UndoStep(text, before, self._project_now, self._return_to_project))

    def _take_session(self, what: str, session: Session) -> None:
        """Puts a sitting that is in no document in place of what was open, which is kept if it has merges."""
        before, document = self._session(), self._document
        self._set_aside = before if before is not None and before.n_merges else None
        self._put((session, None))
        self._tell_opening(what, before, document)

    def _project(self, document: Document | None) -> Project:
        return Project(self._session(), self.marks.breakpoints, self._typed_text, self._compared_steps, document)

    def _project_now(self) -> Project:
        return self._project(self._document)

    def _return_to_project(self, project: Project) -> None:
        self._leave_failure()
        self._abandon_loading()
        self._put_project(project)

    def _put_project(self, project: Project) -> None:
        self._put_breakpoints(project.breakpoints)
        self._put((project.session, project.document))
        self.set_typed_text(project.typed_text)
        self.set_compared_steps(project.compared_steps)

    def _put(self, opened: tuple[Session | None, Document | None]) -> None:
        """Opens a sitting and the document that it is in; whoever hears of the one finds the other."""
        session, document = opened
        is_other = document is not self._document
        self._document = document
        self._restore(session)
        if is_other:
            self.document_changed.emit()

    def _tell_opening(self, what: str, before: Session | None, document: Document | None) -> None:
        """As `_tell_change`, where another text took the place of one that may be in a document."""
        if before is not None:
            change = UndoStep(
                what, (before, document), lambda: (self._session(), self._document), self._return_to_opened
            )
            self.changed_by_hand.emit(change)

    def _return_to_opened(self, opened: tuple[Session | None, Document | None]) -> None:
        self._leave_failure()
        self._abandon_loading()
        self._put(opened)

    def _return_to_config(self, config: TrainingConfig) -> None:
        """Goes back to other settings for the next text; those of one that was opened meanwhile stay."""
        if self._corpus is None:
            self._set_config(config)

    def _set_document(self, document: Document | None) -> None:
        if document is not self._document:
            self._document = document
            self.document_changed.emit()

    def _take_over(self, opened: Opened) -> None:
        """Puts what was opened in place of what was open, which is kept if merges were learned from another text."""
        before, info = self._session(), opened.info
        is_other_corpus = before is not None and info is not before.corpus
        is_other_text = before is not None and info.request is not before.corpus.request
        if before is None or not (before.corpus.request.own_config and info.request.own_config):
            # From one lesson to the next, what was open before the first stays set aside.
            self._set_aside = before if before is not None and is_other_text and before.n_merges > 0 else None
        document = self._document
        session = self._opened_as(info, opened.trainer, opened.config, ROOT_NAME)
        self._put((session, None if before is None or is_other_text else document))
        if before is None or is_other_corpus:
            for notice in info.notices:
                self.noticed.emit(Notice(sentence(notice)))
        if is_other_text:
            self._tell_opening(f"Open {info.name}", before, document)
        else:
            self._tell_change("Change the settings", before)

    def _change_target(self, config: TrainingConfig) -> None:
        if self._run is None:
            return
        try:
            target = config.target_merges(self._run.n_alphabet)
        except BpeError as error:
            self._fail(failure_of("Apply the settings", error))
            return
        before = self._session()
        is_other = config != self._config
        self._set_config(config)
        self._set_target(target)
        if self._step > target:
            self._move_to(target)
        self._retarget()
        if is_other:
            self._tell_change("Change the settings", before)

    def _on_saved(self, what: str, ended: Ended) -> None:
        self._saving = None
        self._set_progress(None)
        if ended.outcome is Outcome.finished:
            self.saved.emit(ended.result)
            self.noticed.emit(Notice(f"The tokenizer was saved as {ended.result}."))
        elif ended.error is not None:
            self._fail(failure_of(what, ended.error))

    def _on_document_saved(self, project: Project, ended: Ended) -> None:
        document, saved = project.document, project.session
        assert document is not None and saved is not None
        self._saving = None
        self._set_progress(None)
        if ended.outcome is Outcome.finished:
            if self._corpus is not None and self._corpus.request is saved.corpus.request:
                # Another text may have been opened meanwhile, which is not in that document.
                self._set_document(document)
            size_bytes = text_size(saved.branches[0].corpus) if document.holds_text else 0
            said = text_in_words(document.path, size_bytes)
            self.noticed.emit(Notice(f"The document was saved as {document.path}. {said}."))
        elif ended.error is not None:
            self._fail(failure_of(f"Save {document.path.name}", ended.error))
