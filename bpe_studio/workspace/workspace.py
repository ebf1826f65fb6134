"""The workspace: everything that is open, and the parts that change it.

`Workspace` is an `OpenState` (`workspace.step`, `workspace.step_changed`) with the parts that
change it. Actions are methods of the parts (`workspace.transport.pause()`,
`workspace.runs.show(1)`). A part knows `OpenState` and the parts below it, but not the workspace.
The window shows the values and keeps no state of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Slot

from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.jobs import Jobs
from bpe_studio.workspace.keeping import Keeping
from bpe_studio.workspace.lessons.player import LessonPlayer
from bpe_studio.workspace.lessons.stage import LessonParts
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.changes import Changes
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.opening.saver import Saver
from bpe_studio.workspace.opening.settings import Settings
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.side_runs import SideRuns
from bpe_studio.workspace.runs.transport import Transport

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.corpus.compared_tokenizers import ComparedTokenizers
    from bpe_studio.workspace.corpus.group_measurer import GroupMeasurer
    from bpe_studio.workspace.corpus.inspector import Inspector
    from bpe_studio.workspace.corpus.known_tokenizers import KnownTokenizers
    from bpe_studio.workspace.corpus.sampler import Sampler
    from bpe_studio.workspace.game.guessing import Guessing
    from bpe_studio.workspace.opening.trainer_checker import TrainerChecker
    from bpe_studio.workspace.runs.examiner import Examiner


class Workspace(OpenState):
    """Everything that is open: one corpus, its runs, a step, and a typed text.

    Attributes:
        backend: the functions of the engine and of the file layer.
        jobs: the worker that the parts share.
        transport: runs, pauses, moves the step, and sets the speed.
        loader: the job that is replacing what is open.
        runs: the runs of the open text; shows, renames, removes and branches them.
        side_runs: trains the text again with other settings.
        opener: opens files, texts and samples.
        settings: applies settings, and holds out a share of the text.
        changes: extends and prunes tokenizers on the open corpus.
        saver: saves the tokenizer and the document.
        lesson: the current lesson.
        keeping: keeps unsaved work for the next start.
    """

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        config: TrainingConfig | None = None,
        backend: Backend | None = None,
    ) -> None:
        """An empty workspace.

        Args:
            parent: the QObject that owns it.
            config: the settings to begin with; None for the default preset.
            backend: the engine and the file layer; tests pass another one.
        """
        backend = backend if backend is not None else Backend()
        first_config = config if config is not None else backend.default_config()
        super().__init__(first_config, parent)
        self.backend = backend
        self.jobs = Jobs(self)
        self.transport = Transport(self, self.jobs, self)
        self.loader = Loader(self, self.jobs, self.transport)
        self.runs = RunList(self, self.transport, self.loader, self.backend, self)
        self.side_runs = SideRuns(self, self.loader, self.runs, self.backend)
        self.opener = Opener(
            self,
            self.transport,
            self.loader,
            self.runs,
            self.backend,
            is_config_chosen=config is not None,
        )
        self.settings = Settings(
            self, self.transport, self.loader, self.runs, self.opener, self.backend
        )
        self.changes = Changes(self, self.loader, self.runs, self.opener, self.backend)
        self.saver = Saver(self, self.jobs, self.transport, self.runs, self.backend, self)
        parts = LessonParts(
            self, self.transport, self.loader, self.runs, self.side_runs, self.opener
        )
        self.lesson = LessonPlayer(parts, self.jobs, self)
        self.keeping = Keeping(
            self, self.transport, self.runs, self.opener, self.lesson, self.backend, self
        )
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

        return ComparedTokenizers(self, self.backend, self)

    @cached_property
    def inspector(self) -> Inspector:
        """Inspects the open text; made on first access."""
        from bpe_studio.workspace.corpus.inspector import Inspector

        return Inspector(self, self.backend, self)

    @cached_property
    def sampler(self) -> Sampler:
        """Trains on samples of the open text; made on first access."""
        from bpe_studio.workspace.corpus.sampler import Sampler

        return Sampler(self, self.backend, self)

    @cached_property
    def group_measurer(self) -> GroupMeasurer:
        """Measures the open text by groups at many sizes; made on first access."""
        from bpe_studio.workspace.corpus.group_measurer import GroupMeasurer

        return GroupMeasurer(self, self.backend, self)

    @cached_property
    def examiner(self) -> Examiner:
        """Examines the tokenizer of the shown step; made on first access."""
        from bpe_studio.workspace.runs.examiner import Examiner

        return Examiner(self, self.runs, self)

    @cached_property
    def known_tokenizers(self) -> KnownTokenizers:
        """The known tokenizers, to encode a few lines; made on first access."""
        from bpe_studio.workspace.corpus.known_tokenizers import KnownTokenizers

        return KnownTokenizers(self.backend, self)

    @cached_property
    def trainer_checker(self) -> TrainerChecker:
        """Checks somebody's own trainer; made on first access."""
        from bpe_studio.workspace.opening.trainer_checker import TrainerChecker

        return TrainerChecker(self.backend, self)

    @Slot()
    def cancel(self) -> None:
        """Cancels saving, opening (the old corpus stays) or training (its merges so far stay)."""
        if self.saver.is_saving:
            self.saver.cancel()
        elif self.is_loading:
            self.loader.abandon()
        else:
            self.transport.pause()

    @Slot()
    def shutdown(self) -> None:
        """Stops everything and ends the worker's thread; may be called again."""
        self.keeping.end()
        self.transport.shutdown()
        made_later = (
            "tokenizers",
            "known_tokenizers",
            "examiner",
            "inspector",
            "sampler",
            "group_measurer",
            "trainer_checker",
        )
        for name in made_later:
            if name in self.__dict__:
                getattr(self, name).shutdown()
        self.jobs.shutdown()
