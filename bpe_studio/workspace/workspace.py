"""The workspace: all that is open, and every action that changes it.

The top of three layers (values, transport, workspace). It opens corpora, applies settings and saves, each as a job of
the worker; what a job made is taken over in one go when it has succeeded, so that a failure or a cancel leaves
everything as it was. The window calls its methods and draws its values; it keeps no state of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Slot

from bpe_studio.errors import BpeError
from bpe_studio.workspace.beside import beside
from bpe_studio.workspace.jobs import Ended, Outcome, Work
from bpe_studio.workspace.opening import Opened, open_corpus, request_of_files, start_run
from bpe_studio.workspace.parts import Parts
from bpe_studio.workspace.samples import find_sample
from bpe_studio.workspace.state import Notice, OpeningRequest, Progress, State
from bpe_studio.workspace.training import save_tokenizer
from bpe_studio.workspace.transport import RESTING, Transport
from bpe_studio.workspace.wording import changed_fields, failure_of, loss, sentence

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig


_WHY_NOT_SAVED = {
    False: "There is no tokenizer to save: open a text and train it first.",
    True: "Another job is under way: save the tokenizer again when it has ended.",
}


@dataclass(frozen=True, eq=False)
class SetAside:
    """A corpus with its run that another one took the place of; it can be taken back.

    Attributes:
        opened: the corpus, the trainer and its settings.
        step: where the step stood.
        target: the merges that were asked for.
        stop_reason: why nothing more could be learned, or "".
        was_run: whether a run had begun.
    """

    opened: Opened
    step: int
    target: int
    stop_reason: str
    was_run: bool

    @property
    def name(self) -> str:
        """What the corpus is called."""
        return self.opened.info.name

    @property
    def n_merges(self) -> int:
        """How many merges it has."""
        return len(self.opened.trainer.run_record.merges)


class Workspace(Transport):
    """What a person has open: one corpus, one run of it, a step, and a text typed to see it cut."""

    def __init__(
        self, parent: QObject | None = None, *, config: TrainingConfig | None = None, parts: Parts | None = None
    ) -> None:
        """An empty workspace.

        Args:
            parent: the QObject that owns it.
            config: the settings to begin with; the default preset without.
            parts: the engine's parts; the tests put others in.
        """
        parts = parts if parts is not None else Parts()
        super().__init__(config if config is not None else parts.default_config(), parent)
        self._parts = parts
        self._loading: int | None = None
        self._saving: int | None = None
        self._request: OpeningRequest | None = None
        self._set_aside: SetAside | None = None
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(self.shutdown)

    def open_files(self, paths: Sequence[str | PathLike[str]], encoding: str | None = None) -> None:
        """Opens files as one corpus; what is open stays until they are read.

        Args:
            paths: the files, in order.
            encoding: a name such as "latin-1", or None to detect it.
        """
        files = tuple(Path(path) for path in paths)
        if files:
            self._open(request_of_files(files, encoding), self._config)

    def open_text(self, text: str, name: str = "Pasted text") -> None:
        """Opens a text that stands in no file."""
        self._open(OpeningRequest(name, text=text), self._config)

    def open_sample(self, name: str) -> None:
        """Opens one of the samples by its id or title."""
        self._leave_failure()
        try:
            sample = find_sample(name)
        except BpeError as error:
            self._abandon_loading()
            self._fail(failure_of(f"Open the sample {name}", error))
            return
        self._open(OpeningRequest(sample.title, (sample.path,), "utf-8"), self._config)

    def apply_config(self, config: TrainingConfig) -> None:
        """Takes other settings, and keeps of the corpus and the run all that they leave valid.

        Another target alone keeps the run. Settings that cut the text in the same way keep the corpus and start a new
        run; others read the sources again. If that fails, the old settings stay with all that is open.
        """
        self._leave_failure()
        if self._state is State.loading and self._request is not None:
            self._open(self._request, config)
        elif self._corpus is None or self._trainer is None:
            self._abandon_loading()
            self._set_config(config)
        elif not changed_fields(self._config, config):
            self._abandon_loading()
            self._change_target(config)
        elif config.same_cut(self._corpus.corpus.config):
            self._load("Apply the settings", None, partial(start_run, self._parts, self._corpus, config))
        else:
            self._load("Apply the settings", None, partial(open_corpus, self._parts, self._corpus.request, config))

    def what_is_lost(self, config: TrainingConfig) -> str:
        """What `apply_config` would discard, in one sentence, or ""."""
        return loss(self._n_merges, self._config, config)

    @property
    def set_aside(self) -> SetAside | None:
        """The corpus that the open one took the place of, where it had merges; None if it had none."""
        return self._set_aside

    def take_back(self) -> None:
        """Opens again, as it stood, the corpus and run that were set aside; the present ones are set aside instead."""
        back = self._set_aside
        self._leave_failure()
        if back is None or self._state not in (*RESTING, State.running):
            return
        self._halt()
        self._put_aside(back.opened)
        self._take_over(back.opened, back)

    def save_tokenizer(self, path: str | PathLike[str], form: str = "huggingface") -> None:
        """Saves the tokenizer as it stands at the present step; training goes on afterwards."""
        self._leave_failure()
        run = self._run
        if run is None or self._saving is not None or self._state is State.loading:
            self.noticed.emit(Notice(_WHY_NOT_SAVED[run is not None]))
            return
        target = Path(path)
        what = f"Save {target.name}"
        self._saving = self._jobs.start(
            partial(save_tokenizer, self._parts, run, self._step, target, form),
            self._on_progress,
            partial(self._on_saved, what),
        )

    def cancel(self) -> None:
        """Stops what is under way: saving, opening (the old corpus stays) or training (what is learned stays)."""
        if self._saving is not None:
            self._jobs.stop(self._saving)
        elif self._state is State.loading:
            self._abandon_loading()
        else:
            self.pause()

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
        self._jobs.shutdown()

    def _open(self, request: OpeningRequest, config: TrainingConfig) -> None:
        self._leave_failure()
        self._load(f"Open {request.name}", request, partial(open_corpus, self._parts, request, config))

    def _load(self, what: str, request: OpeningRequest | None, make: Callable[[], Work]) -> None:
        if self._loading is not None:
            self._jobs.abandon(self._loading)
        self._halt()
        self._request = request
        self._set_state(State.loading)
        self._loading = self._jobs.start(partial(beside, make), self._on_progress, partial(self._on_opened, what))

    def _abandon_loading(self) -> None:
        if self._loading is not None:
            self._jobs.abandon(self._loading)
            self._end_loading()
            self._set_state(self._resting_state())

    def _end_loading(self) -> None:
        self._loading = None
        self._request = None
        self._set_progress(None)

    def _on_progress(self, progress: Progress) -> None:
        self._set_progress(progress)

    def _on_opened(self, what: str, ended: Ended) -> None:
        self._end_loading()
        if ended.outcome is Outcome.finished:
            self._take_over(ended.result)
        elif ended.error is not None:
            self._fail(failure_of(what, ended.error))
        else:
            self._set_state(self._resting_state())

    def _put_aside(self, other: Opened) -> None:
        """Keeps the open corpus and run for `take_back`, if merges were learned and another text replaces them."""
        self._set_aside = None
        if self._corpus is None or self._trainer is None or self._corpus.request is other.info.request:
            return
        if self._n_merges > 0:
            opened = Opened(self._corpus, self._trainer, self._config)
            self._set_aside = SetAside(opened, self._step, self._target, self._stop_reason, self._was_run)

    def _take_over(self, opened: Opened, back: SetAside | None = None) -> None:
        """Puts what was opened in place of what was open: every value first, then every signal."""
        is_other_corpus = opened.info is not self._corpus
        is_other_config = opened.config != self._config
        if back is None:
            self._put_aside(opened)
        self._corpus = opened.info
        self._config = opened.config
        self._failure = None
        self._take_run(opened.trainer)
        if back is not None:
            self._n_merges, self._step, self._target = back.n_merges, back.step, back.target
            self._stop_reason, self._was_run = back.stop_reason, back.was_run
        if is_other_config:
            self.config_changed.emit(self._config)
        if is_other_corpus:
            self.corpus_changed.emit()
        self.run_changed.emit()
        self.target_changed.emit(self._target)
        self.run_grew.emit(self._n_merges)
        self.step_changed.emit(self._step)
        self._set_state(self._resting_state())
        for notice in opened.info.notices if is_other_corpus and back is None else ():
            self.noticed.emit(Notice(sentence(notice)))

    def _change_target(self, config: TrainingConfig) -> None:
        if self._run is None:
            return
        try:
            target = config.target_merges(self._run.n_alphabet)
        except BpeError as error:
            self._fail(failure_of("Apply the settings", error))
            return
        self._set_config(config)
        self._set_target(target)
        if self._step > target:
            self._move_to(target)
        self._retarget()

    def _on_saved(self, what: str, ended: Ended) -> None:
        self._saving = None
        self._set_progress(None)
        if ended.outcome is Outcome.finished:
            self.saved.emit(ended.result)
            self.noticed.emit(Notice(f"The tokenizer was saved as {ended.result}."))
        elif ended.error is not None:
            self._fail(failure_of(what, ended.error))
