"""Settings of the open text: those for splitting and training, and the share that is held out.

Each change is an undo step, and keeps the corpus and the run as far as they stay valid. If it
fails, the old settings stay, with everything that is open.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bpe_studio.errors import BpeError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import NewRun, open_corpus, start_run
from bpe_studio.workspace.corpus.text_files import has_text
from bpe_studio.workspace.messages import changed_fields, failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.opening.opener import Opener
from bpe_studio.workspace.runs.loader import Loader
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.undo import UndoStep

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

_APPLY = "Apply the settings"
_CHANGE = "Change the settings"


class Settings:
    """Applies settings to the open text."""

    def __init__(
        self,
        open_state: OpenState,
        transport: Transport,
        loader: Loader,
        runs: RunList,
        opener: Opener,
        backend: Backend,
    ) -> None:
        """The settings are those of `open_state`.

        Args:
            open_state: the open values.
            transport: receives a new target.
            loader: runs the job that splits the text again.
            runs: receives the new run.
            opener: restarts an opening in progress with other settings.
            backend: the engine.
        """
        self._open = open_state
        self._transport = transport
        self._loader = loader
        self._runs = runs
        self._opener = opener
        self._backend = backend

    def apply(self, config: TrainingConfig) -> None:
        """Applies settings.

        A change of the target alone keeps the run. Settings that split the text in the same way
        keep the corpus and start a new run; others read the sources again.
        """
        self._open.leave_failure()
        self._opener.keep_config()
        corpus = self._open.corpus
        if self._loader.request is not None:
            self._opener.open(self._loader.request, config)
        elif corpus is None:
            self._loader.abandon()
            before = self._open.config
            self._open.set_config(config)
            if config != before:
                self._open.record(
                    UndoStep(_CHANGE, before, lambda: self._open.config, self._return_to)
                )
        elif not changed_fields(self._open.config, config):
            self._loader.abandon()
            self._change_target(config)
        elif config.same_cut(corpus.corpus.config) or self._has_counts_alone:
            self._loader.start(
                _APPLY, partial(start_run, self._backend, corpus, config), self._on_applied
            )
        else:
            make = partial(open_corpus, self._backend, corpus.request, config)
            self._loader.start(_APPLY, make, self._on_applied)

    def hold_out(self, share: float) -> None:
        """Reads the open text again with a share of it held out, and starts a new run on the rest.

        Args:
            share: the share, from 0 (nothing) to `held_out.MAX_SHARE`.
        """
        self._open.leave_failure()
        corpus = self._open.corpus
        if corpus is None or share == corpus.request.held_out or not self._open.can_be_replaced:
            return
        what = f"Hold out {100 * share:g} %" if share else "Hold out nothing"
        request = replace(corpus.request, held_out=share)
        make = partial(open_corpus, self._backend, request, self._open.config)
        self._loader.start(what, make, partial(self._runs.begin_anew, what))

    @property
    def _has_counts_alone(self) -> bool:
        """Whether only counted words are open, as of a document without text; no settings can split
        them.
        """
        info = self._open.corpus
        if info is None or info.request.counts or has_text(info.request):
            return False
        return info.corpus.is_counted and len(info.corpus) > 0

    def _on_applied(self, new: NewRun) -> None:
        self._runs.begin_anew(_CHANGE, new)

    def _change_target(self, config: TrainingConfig) -> None:
        run = self._open.run
        if run is None:
            return
        try:
            target = config.target_merges(run.alphabet.n_own)
        except BpeError as error:
            self._open.fail(failure_of(_APPLY, error))
            return
        before = self._runs.session()
        is_other = config != self._open.config
        self._transport.set_target(target, config)
        if is_other:
            self._runs.record(_CHANGE, before)

    def _return_to(self, config: TrainingConfig) -> None:
        """Returns to other settings for the next text; a text that was opened meanwhile keeps its
        own.
        """
        if self._open.corpus is None:
            self._open.set_config(config)
