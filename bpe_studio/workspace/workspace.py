"""The workspace: all that a person has open, and the parts that change it.

It builds the parts and connects them. What is open is read here (`workspace.step`, `workspace.step_changed`), what is
done is done by a part (`workspace.transport.pause()`, `workspace.runs.show(1)`). A part knows `OpenState` and the parts
below it, and none of them knows the workspace. The window draws the values; it keeps no state of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.text_access import TextAccess
from bpe_studio.workspace.jobs import Jobs
from bpe_studio.workspace.lessons.player import LessonParts, LessonPlayer
from bpe_studio.workspace.open_state import OpenState
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
    from bpe_studio.workspace.game.guessing import Guessing
    from bpe_studio.workspace.session import Document
    from bpe_studio.workspace.state import CorpusInfo, Failure, Progress


class Workspace(QObject):
    """What a person has open: one corpus, the runs of it, a step, and a text typed to see it cut.

    Attributes:
        backend: the engine and the files layer, as the parts use them.
        jobs: the worker that they share.
        open_state: every value that is open. Its properties and signals are the workspace's too.
        selection: what a person has selected to look at.
        marks: the breakpoints and bookmarks.
        transport: runs, pauses, moves the step, and knows the speed.
        loader: the job that is putting something else in place of what is open.
        runs: the runs of the open text; shows, renames, removes and branches them off.
        side_runs: trains the text once more with other settings.
        largest_vocabulary: how large a vocabulary the run can reach.
        opener: opens files, texts and samples.
        settings: applies settings, and holds out a share of the text.
        text_access: the permission to read the files that the open document names.
        saver: saves the tokenizer and the document.
        lesson: the lesson that is followed.
    """

    def __init__(
        self, parent: QObject | None = None, *, config: TrainingConfig | None = None, backend: Backend | None = None
    ) -> None:
        """An empty workspace.

        Args:
            parent: the QObject that owns it.
            config: the settings to begin with; the default preset without.
            backend: the engine and the files layer; the tests put others in.
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
        self.opener = Opener(state, self.loader, self.runs, self.backend, is_config_chosen=config is not None)
        self.settings = Settings(state, self.transport, self.loader, self.runs, self.opener, self.backend)
        self.text_access = TextAccess(state, self.backend, self)
        self.saver = Saver(state, self.jobs, self.runs, self.text_access, self.backend, self)
        parts = LessonParts(state, self.transport, self.loader, self.runs, self.side_runs, self.opener)
        self.lesson = LessonPlayer(parts, self.jobs, self)
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
        self.compared_steps_changed = state.compared_steps_changed
        self.undo_step_added = state.undo_step_added
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.shutdown)

    @cached_property
    def game(self) -> Guessing:
        """The game over the open run; made when it is first asked for."""
        from bpe_studio.workspace.game.guessing import Guessing

        return Guessing(self)

    @property
    def state(self) -> State:
        """What the workspace is doing."""
        return self.open_state.state

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
        """The studio document that what is open was opened from or saved as last."""
        return self.open_state.document

    @property
    def progress(self) -> Progress | None:
        """How far the present job is."""
        return self.open_state.progress

    @property
    def failure(self) -> Failure | None:
        """What failed, while the state is `failed`."""
        return self.open_state.failure

    @property
    def typed_text(self) -> str:
        """The text that the person typed to see it cut."""
        return self.open_state.typed_text

    @property
    def compared_steps(self) -> tuple[int, ...]:
        """The steps that are shown side by side."""
        return self.open_state.compared_steps

    @Slot()
    def cancel(self) -> None:
        """Stops what is under way: saving, opening (the old corpus stays) or training (what is learned stays)."""
        if self.saver.is_saving:
            self.saver.cancel()
        elif self.open_state.is_loading:
            self.loader.abandon()
        else:
            self.transport.pause()

    @Slot()
    def dismiss_failure(self) -> None:
        """Goes back from `failed` to what was before."""
        self.open_state.leave_failure()

    @Slot()
    def shutdown(self) -> None:
        """Stops everything and ends the worker's thread; may be called again."""
        self.transport.shutdown()
        self.largest_vocabulary.shutdown()
        self.text_access.shutdown()
        self.jobs.shutdown()
