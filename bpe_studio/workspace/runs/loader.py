"""One job at a time that replaces open values: opening, applying settings, branching off, training
a side run.

Nothing that is open changes until the job has succeeded, or if it fails or is cancelled. Meanwhile
the state is `loading`, and the transport is stopped.
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
    """Runs a job in a thread of its own, and passes on its result if it succeeds."""

    def __init__(self, open_state: OpenState, jobs: Jobs, transport: Transport) -> None:
        """No job is running.

        Args:
            open_state: receives the state, the progress and a failure.
            jobs: the worker.
            transport: is stopped when a job begins.
        """
        self._open = open_state
        self._jobs = jobs
        self._transport = transport
        self._job: int | None = None
        self._request: OpeningRequest | None = None

    @property
    def request(self) -> OpeningRequest | None:
        """The request that is being opened; None if no job opens one."""
        return self._request

    def start(
        self,
        what: str,
        make: Callable[[], Work],
        take: Callable[[Any], None],
        request: OpeningRequest | None = None,
    ) -> None:
        """Starts a job; a running job is abandoned.

        Args:
            what: the job in words, such as "Open war.txt", for a failure.
            make: called in the job's thread; returns the generator, which yields `Progress`.
            take: called with the result of the job, if it has succeeded.
            request: the request that it opens; None if it does something else.
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
        """Abandons the running job; everything that is open stays."""
        if self._job is not None:
            self._jobs.abandon(self._job)
            self._forget()
            self._open.rest()

    def _forget(self) -> None:
        self._job = None
        self._request = None
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
