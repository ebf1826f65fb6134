"""The open state: every value that the window shows, each with a signal for its changes.

`OpenState` stores values and emits signals; it decides nothing. The parts of the workspace read its
values, and change them only through its methods, which emit the signals. A test or a script can
create one on its own: it needs no thread and no engine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from bpe_studio.workspace.excerpt import corpus_excerpt
from bpe_studio.workspace.marks import Marks
from bpe_studio.workspace.selection import Selection
from bpe_studio.workspace.state import RESTING, CorpusInfo, Failure, Notice, Progress, State
from bpe_studio.workspace.unsaved import SavedWork

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.trainer import Trainer
    from bpe_studio.workspace.session import Document, RunEntry
    from bpe_studio.workspace.undo import UndoStep


EXCERPT_CHARACTERS = 600
"""The limit for the beginning of the corpus that is shown while nothing is typed."""


class Replaced(NamedTuple):
    """The values that `OpenState.put` has replaced."""

    corpus: bool
    run: bool
    config: bool


class OpenState(QObject):
    """The open corpus, its run and step, and the state of the workspace.

    Attributes:
        selection: the selection.
        marks: the breakpoints and bookmarks.
        state: the state of the workspace.
        corpus: the open corpus and its sources.
        trainer: the trainer of the open run.
        run: the open run. It grows in the worker: read only its first `n_merges` merges.
        n_merges: the number of merges that the window may read.
        step: the number of merges that apply in everything that is shown.
        target: the number of merges at which training ends; 0 without a run.
        config: the settings of the open run, or of the next one.
        document: the studio document that was opened or saved last, with what is open.
        progress: the progress of the current job.
        failure: the failure, while the state is `failed`.
        typed_text: the typed text; "" while the beginning of the corpus is shown instead.
        shown_text: the text that is cut into tokens: the typed text, or else the beginning of the
            corpus.
        typed_before: the text that was typed before a corpus with a text of its own was opened; ""
            for none.
        compared_steps: the compared steps.
        recognizes_special: whether special tokens are recognized in the typed text; `None` for the
            default of `encode`.
        stop_reason: why the run has ended, or "".
        was_run: whether training of the run has begun.
        is_loading: whether a job is running that will replace what is open.
        saved_work: remembers the work that was opened from a document or saved to one.

    Signals:
        state_changed: State.
        corpus_changed: another corpus is open; read `corpus`.
        run_changed: another run (or none) is open; read `run`.
        run_grew: int, the new `n_merges`.
        step_changing: int, the next `step`, while everything still shows the old one.
        step_changed: int, the new `step`.
        target_changed: int, the new `target`.
        config_changed: TrainingConfig.
        document_changed: another studio document is open, or none, or it was saved; read
            `document`.
        progress_changed: Progress, or None if no job reports any.
        failed: Failure.
        noticed: Notice.
        typed_text_changed: str.
        shown_text_changed: str, the typed text or the beginning of the corpus.
        compared_steps_changed: tuple of int.
        undo_step_added: UndoStep, for an action that can be undone.
        special_changed: whether special tokens are recognized in the typed text.
    """

    state_changed = Signal(object)
    corpus_changed = Signal()
    run_changed = Signal()
    run_grew = Signal(object)
    step_changing = Signal(object)
    step_changed = Signal(object)
    target_changed = Signal(object)
    config_changed = Signal(object)
    document_changed = Signal()
    progress_changed = Signal(object)
    failed = Signal(object)
    noticed = Signal(object)
    typed_text_changed = Signal(object)
    shown_text_changed = Signal(object)
    compared_steps_changed = Signal(object)
    undo_step_added = Signal(object)
    special_changed = Signal()

    def __init__(self, config: TrainingConfig, parent: QObject | None = None) -> None:
        """Nothing is open.

        Args:
            config: the settings of the next run.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self.selection = Selection(self)
        self.marks = Marks(self)
        self.marks.undo_step_added.connect(self.undo_step_added)
        self.stop_reason = ""
        self.was_run = False
        self.is_loading = False
        self.saved_work = SavedWork()
        self.state = State.empty
        self.corpus: CorpusInfo | None = None
        self.trainer: Trainer | None = None
        self.run: Run | None = None
        self.n_merges = 0
        self.step = 0
        self.target = 0
        self.config = config
        self.document: Document | None = None
        self.progress: Progress | None = None
        self.failure: Failure | None = None
        self.typed_text = ""
        self.typed_before = ""
        self.shown_text = ""
        self.compared_steps: tuple[int, ...] = ()
        self._is_cleared = False
        self._excerpt = ""
        self.recognizes_special: bool | None = None

    @property
    def is_resting(self) -> bool:
        """Whether something is open and no job is changing it."""
        return self.state in RESTING

    @property
    def can_be_replaced(self) -> bool:
        """Whether another run can replace the open one, which may be in training."""
        return self.state in (*RESTING, State.running)

    @property
    def is_complete(self) -> bool:
        """Whether the run has reached its target, or has no merge left to train."""
        return bool(self.stop_reason) or self.n_merges >= self.target

    @property
    def is_excerpt_shown(self) -> bool:
        """Whether the shown text is the beginning of the corpus, because nothing was typed."""
        return bool(self.shown_text) and not self.typed_text

    def set_state(self, state: State) -> None:
        """Sets the state."""
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)

    @property
    def shown_state(self) -> State:
        """The state; after a failure, which changes nothing, the state that follows from the open
        values.
        """
        return self._state_at_rest if self.state is State.failed else self.state

    @property
    def _state_at_rest(self) -> State:
        if self.run is None:
            return State.empty
        if not self.was_run:
            return State.ready
        return State.done if self.is_complete else State.paused

    def rest(self) -> None:
        """Sets the state that follows from the open values while no job is running."""
        self.set_state(self._state_at_rest)

    def fail(self, failure: Failure) -> None:
        """Sets the state to `failed`; while something is being loaded, only emits the failure."""
        if not self.is_loading:
            self.set_progress(None)
            self.failure = failure
            self.set_state(State.failed)
        self.failed.emit(failure)

    def leave_failure(self) -> None:
        """Leaves the state `failed` for the previous one; does nothing in any other state."""
        if self.state is State.failed:
            self.failure = None
            self.rest()

    def grow(self, n_merges: int) -> None:
        """Sets the number of merges, if it is larger than before."""
        if n_merges > self.n_merges:
            self.n_merges = n_merges
            self.run_grew.emit(n_merges)

    def set_step(self, step: int) -> None:
        """Sets the step, within the number of merges."""
        step = min(max(0, step), self.n_merges)
        if step != self.step:
            self.step_changing.emit(step)
            self.step = step
            if self.run is not None and self.run.at(step) is not self.selection.run:
                # The other stage has other words.
                self.selection.follow(self.run.at(step), is_same_text=True)
            self.step_changed.emit(step)
            self.selection.announce()

    def set_target(self, target: int) -> None:
        """Sets the number of merges at which training ends."""
        if target != self.target:
            self.target = target
            self.target_changed.emit(target)

    def set_config(self, config: TrainingConfig) -> None:
        """Sets the settings of the open run, or of the next one."""
        if config != self.config:
            self.config = config
            self.config_changed.emit(config)

    def set_progress(self, progress: Progress | None) -> None:
        """Sets the progress of the current job."""
        if progress != self.progress:
            self.progress = progress
            self.progress_changed.emit(progress)

    def set_typed_text(self, text: str, *, is_cleared: bool = False) -> None:
        """Sets the typed text.

        Args:
            text: "" for none, so that the beginning of the corpus is shown.
            is_cleared: show an empty text as such, because the person deleted all of it.
        """
        is_other = text != self.typed_text
        if text == self.typed_before:
            self.typed_before = ""
        self.typed_text = text
        self._is_cleared = is_cleared and not text
        self._update_shown_text()
        if is_other:
            self.typed_text_changed.emit(text)

    def update_excerpt(self) -> None:
        """Reads the beginning of the corpus again, for example when its text has become known."""
        excerpt = corpus_excerpt(self.corpus, EXCERPT_CHARACTERS).lstrip("\r\n")
        if excerpt != self._excerpt:
            self._excerpt = excerpt
            self._update_shown_text()

    def _update_shown_text(self) -> None:
        text = self.typed_text
        if not text and not self._is_cleared:
            text = self._excerpt
        if text != self.shown_text:
            self.shown_text = text
            self.shown_text_changed.emit(text)

    def set_recognizes_special(self, is_on: bool) -> None:
        """Sets whether this tokenizer and all others recognize special tokens in the typed text."""
        if is_on != self.recognizes_special:
            self.recognizes_special = is_on
            self._apply_special()
            self.special_changed.emit()

    def _apply_special(self) -> None:
        if self.recognizes_special is not None and self.run is not None:
            self.run.segmenter.recognize_special(self.recognizes_special)

    def set_compared_steps(self, steps: Iterable[int]) -> None:
        """Sets the compared steps, without duplicates, in the given order."""
        unique = tuple(dict.fromkeys(max(0, int(step)) for step in steps))
        if unique != self.compared_steps:
            self.compared_steps = unique
            self.compared_steps_changed.emit(unique)

    def set_document(self, document: Document | None) -> None:
        """Sets the document that holds the open values."""
        if self.put_document(document):
            self.document_changed.emit()

    def put_document(self, document: Document | None) -> bool:
        """Sets the document, but emits nothing: if this returns true, emit `document_changed`."""
        is_other = document is not self.document
        self.document = document
        return is_other

    def put(self, entry: RunEntry) -> Replaced:
        """Replaces the shown run, with its corpus, settings and position; emits nothing.

        The caller sets the other values that belong together, then calls `announce`: all values
        change before any signal is emitted, so that a slot never sees a mixture.
        """
        before = self.corpus
        is_same_text = before is not None and entry.corpus.request is before.request
        replaced = Replaced(
            entry.corpus is not before,
            entry.trainer is not self.trainer,
            entry.config != self.config,
        )
        self.corpus = entry.corpus
        self.config = entry.config
        self.failure = None
        position = entry.position
        self.target = position.target
        if replaced.run:
            self.trainer = entry.trainer
            self.run = entry.run
            self.n_merges = position.n_merges
            self.step = position.step
            self._apply_special()
            self.stop_reason = position.stop_reason
            self.was_run = position.was_run
            run = None if self.run is None else self.run.at(self.step)
            self.selection.follow(run, is_same_text=is_same_text)
        return replaced

    def announce(self, replaced: Replaced) -> None:
        """Emits the signals for what `put` has changed."""
        if replaced.config:
            self.config_changed.emit(self.config)
        if replaced.corpus:
            self._is_cleared = False
            self.update_excerpt()
            self.corpus_changed.emit()
        if replaced.run:
            self.run_changed.emit()
            self.selection.announce()
        self.target_changed.emit(self.target)
        if replaced.run:
            self.run_grew.emit(self.n_merges)
            self.step_changed.emit(self.step)

    def notice(self, message: str, *, is_report: bool = False) -> None:
        """Emits a notice; a report stays until it is dismissed."""
        self.noticed.emit(Notice(message, is_report))

    def record(self, step: UndoStep) -> None:
        """Emits an action that can be undone."""
        self.undo_step_added.emit(step)
