"""The workspace: everything that is open, and the parts that change it.

It builds the parts and connects them. What is open is read here (`workspace.step`, `workspace.step_changed`); actions
are methods of the parts (`workspace.transport.pause()`, `workspace.runs.show(1)`). A part knows `OpenState` and the
parts below it, and none of them knows the workspace. The window shows the values and keeps no state of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.text_access import TextAccess
from bpe_studio.workspace.jobs import Jobs
from bpe_studio.workspace.keeping import Keeping
from bpe_studio.workspace.lessons.player import LessonPlayer
from bpe_studio.workspace.lessons.stage import LessonParts
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.changes import Changes
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.opening.saver import Saver
from bpe_studio.workspace.opening.settings import Settings
from bpe_studio.workspace.runs.largest_vocabulary import LargestVocabulary
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.side_runs import SideRuns
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.corpus.compared_tokenizers import ComparedTokenizers
    from bpe_studio.workspace.corpus.inspector import Inspector
    from bpe_studio.workspace.corpus.sampler import Sampler
    from bpe_studio.workspace.game.guessing import Guessing
    from bpe_studio.workspace.runs.examiner import Examiner
    from bpe_studio.workspace.session import Document
    from bpe_studio.workspace.state import CorpusInfo, Failure, Progress


class Workspace(QObject):
    """Everything that is open: one corpus, its runs, a step, and a typed text.

    Attributes:
        backend: the functions of the engine and of the file layer.
        jobs: the worker that the parts share.
        open_state: every open value. Its properties and signals are the workspace's too.
        selection: the selection.
        marks: the breakpoints and bookmarks.
        transport: runs, pauses, moves the step, and sets the speed.
        loader: the job that is replacing what is open.
        runs: the runs of the open text; shows, renames, removes and branches them.
        side_runs: trains the text again with other settings.
        largest_vocabulary: finds the largest vocabulary of the shown run.
        opener: opens files, texts and samples.
        settings: applies settings, and holds out a share of the text.
        changes: extends and prunes tokenizers on the open corpus.
        text_access: the permission to read the files that the open document names.
        saver: saves the tokenizer and the document.
        lesson: the current lesson.
        keeping: what is not saved, which is kept for the case of a crash.
    """

    def __init__(
        self, parent: QObject | None = None, *, config: TrainingConfig | None = None, backend: Backend | None = None
    ) -> None:
        """An empty workspace.

        Args:
            parent: the QObject that owns it.
            config: the settings to begin with; the default preset without.
            backend: the engine and the file layer; tests pass another one.
        """
        super().__init__(parent)
        self.backend = backend if backend is not None else Backend()
        self.jobs = Jobs(self)
        state = OpenState(config if config is not None else self.backend.default_config(), self)
        self.open_state = state
        self.selection, self.marks = state.selection, state.marks
        self.transport = Transport(state, self.jobs, self)
        self.loader = Loader(state, self.jobs, self.transport)
        self.runs = RunList(state, self.transport, self.loader, self.backend, self)
        self.side_runs = SideRuns(state, self.loader, self.runs, self.backend)
        self.largest_vocabulary = LargestVocabulary(state, self)
        self.opener = Opener(
            state, self.transport, self.loader, self.runs, self.backend, is_config_chosen=config is not None
        )
        self.settings = Settings(state, self.transport, self.loader, self.runs, self.opener, self.backend)
        self.changes = Changes(state, self.loader, self.runs, self.opener, self.backend)
        self.text_access = TextAccess(state, self.backend, self)
        self.saver = Saver(state, self.jobs, self.transport, self.runs, self.text_access, self.backend, self)
        parts = LessonParts(state, self.transport, self.loader, self.runs, self.side_runs, self.opener)
        self.lesson = LessonPlayer(parts, self.jobs, self)
        self.keeping = Keeping(state, self.transport, self.runs, self.opener, self.text_access, self.lesson, self)
        self.saver.ended.connect(self.keeping.look)
        self.state_changed = state.state_changed
        self.corpus_changed = state.corpus_changed
        self.run_changed = state.run_changed
        self.run_grew = state.run_grew
        self.step_changed = state.step_changed
        self.target_changed = state.target_changed
        self.config_changed = state.config_changed
        self.document_changed = state.document_changed
        self.progress_changed = state.progress_changed
        self.failed = state.failed
        self.noticed = state.noticed
        self.typed_text_changed = state.typed_text_changed
        self.shown_text_changed = state.shown_text_changed
        self.compared_steps_changed = state.compared_steps_changed
        self.undo_step_added = state.undo_step_added
        self.text_access.changed.connect(state.update_excerpt)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.shutdown)

    @cached_property
    def game(self) -> Guessing:
        """The game over the open run; made on first access."""
        from bpe_studio.workspace.game.guessing import Guessing

        return Guessing(self)

    @cached_property
    def tokenizers(self) -> ComparedTokenizers:
        """The tokenizers that are compared with the open run; made on first access."""
        from bpe_studio.workspace.corpus.compared_tokenizers import ComparedTokenizers

        return ComparedTokenizers(self.open_state, self.backend, self)

    @cached_property
    def inspector(self) -> Inspector:
        """Inspects the open text; made on first access."""
        from bpe_studio.workspace.corpus.inspector import Inspector

        return Inspector(self.open_state, self.backend, self)

    @cached_property
    def sampler(self) -> Sampler:
        """Trains on samples of the open text; made on first access."""
        from bpe_studio.workspace.corpus.sampler import Sampler

        return Sampler(self.open_state, self.backend, self)

    @cached_property
    def examiner(self) -> Examiner:
        """Examines the tokenizer of the shown step; made on first access."""
        from bpe_studio.workspace.runs.examiner import Examiner

        return Examiner(self.open_state, self.runs, self)

    @property
    def state(self) -> State:
        """What the workspace is doing."""
        return self.open_state.state

    @property
    def shown_state(self) -> State:
        """As `state`; after a failure, the state that follows from what is open."""
        return self.open_state.shown_state

    @property
    def corpus(self) -> CorpusInfo | None:
        """The open corpus and where it came from."""
        return self.open_state.corpus

    @property
    def run(self) -> Run | None:
        """The open run. It grows in the worker: read only its first `n_merges` merges."""
        return self.open_state.run

    @property
    def n_merges(self) -> int:
        """How many merges the window may read."""
        return self.open_state.n_merges

    @property
    def step(self) -> int:
        """How many merges apply in everything that is shown."""
        return self.open_state.step

    @property
    def target(self) -> int:
        """The number of merges at which training ends; 0 without a run."""
        return self.open_state.target

    @property
    def stop_reason(self) -> str:
        """Why the run can learn no more merges or has ended, or ""."""
        return self.open_state.stop_reason

    @property
    def config(self) -> TrainingConfig:
        """The settings of the open run, or of the next one."""
        return self.open_state.config

    @property
    def document(self) -> Document | None:
        """The studio document that was opened or saved last, with what is open."""
        return self.open_state.document

    @property
    def progress(self) -> Progress | None:
        """The progress of the current job."""
        return self.open_state.progress

    @property
    def failure(self) -> Failure | None:
        """The failure, while the state is `failed`."""
        return self.open_state.failure

    @property
    def typed_text(self) -> str:
        """What the person typed; "" while the beginning of the corpus is shown instead."""
        return self.open_state.typed_text

    @property
    def shown_text(self) -> str:
        """The text that is cut into tokens: the typed one, or else the beginning of the corpus."""
        return self.open_state.shown_text

    @property
    def compared_steps(self) -> tuple[int, ...]:
        """The compared steps."""
        return self.open_state.compared_steps

    @Slot()
    def cancel(self) -> None:
        """Cancels saving, opening (the old corpus stays) or training (the merges so far stay)."""
        if self.saver.is_saving:
            self.saver.cancel()
        elif self.open_state.is_loading:
            self.loader.abandon()
        else:
            self.transport.pause()

    @Slot()
    def dismiss_failure(self) -> None:
        """Leaves the state `failed` for the previous one."""
        self.open_state.leave_failure()

    @Slot()
    def shutdown(self) -> None:
        """Stops everything and ends the worker's thread; may be called again."""
        self.keeping.end(is_clean=False)
        self.transport.shutdown()
        self.largest_vocabulary.shutdown()
        self.text_access.shutdown()
        for name in ("tokenizers", "examiner", "inspector", "sampler"):
            if name in self.__dict__:
                getattr(self, name).shutdown()
        self.jobs.shutdown()
