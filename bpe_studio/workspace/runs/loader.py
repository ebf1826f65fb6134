"""One job at a time that changes what is open: opening, applying settings, branching off, training a side run.

What is open stays as it is until the job has succeeded; a failure or a cancel leaves it so. The state is `loading`
meanwhile, and the transport rests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from bpe_studio.workspace.jobs import Ended, Jobs, Outcome, Work
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.runs.transport import Transport
from bpe_studio.workspace.state import OpeningRequest, State
from bpe_studio.workspace.thread_job import run_in_thread


class Loader:
    """Runs the job in a thread of its own, and hands its result over when it has succeeded."""

    def __init__(self, open_state: OpenState, jobs: Jobs, transport: Transport) -> None:
        """Nothing is under way.

        Args:
            open_state: told that it is loading, how far, and that it failed.
            jobs: the worker.
            transport: halted when a job begins.
        """
        self._open = open_state
        self._jobs = jobs
        self._transport = transport
        self._job: int | None = None
        self._request: OpeningRequest | None = None

    @property
    def request(self) -> OpeningRequest | None:
        """What is being opened; None where nothing is, or the job does something else."""
        return self._request

    def start(
        self,
        what: str,
        make: Callable[[], Work],
        take: Callable[[Any], None],
        request: OpeningRequest | None = None,
    ) -> None:
        """Starts a job; one that is under way is abandoned.

        Args:
            what: what the job does, as in "Open war.txt"; a failure is called so.
            make: called in the job's thread; returns the generator, which yields `Progress`.
            take: called with the job's result, when it has succeeded.
            request: what it opens, where it opens something.
        """
        if self._job is not None:
            self._jobs.abandon(self._job)
        self._transport.halt()
        self._request = request
        self._open.is_loading = True
        self._open.set_state(State.loading)
        on_end = partial(self._on_end, what, take)
        self._job = self._jobs.start(partial(run_in_thread, make), self._open.set_progress, on_end)

    def abandon(self) -> None:
        """Gives up the job that is under way; what is open stays."""
        if self._job is not None:
            self._jobs.abandon(self._job)
            self._forget()
            self._open.rest()

    def _forget(self) -> None:
        self._job = self._request = None
        self._open.is_loading = False
        self._open.set_progress(None)

    def _on_end(self, what: str, take: Callable[[Any], None], ended: Ended) -> None:
        self._forget()
        if ended.outcome is Outcome.finished:
            take(ended.result)
        elif ended.error is not None:
            self._open.fail(failure_of(what, ended.error))
        else:
            self._open.rest()
