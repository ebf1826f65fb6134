"""Examines the tokenizer of the shown step on request, in a thread of its own.

The result is kept as long as its run is open: it is for one step of one run, and neither changes.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from bpe_studio.engine.generators import relay
from bpe_studio.workspace.open_state import OpenState
from bpe_studio.workspace.runs.run_list import RunList
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.user_job import UserJob

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.doctor.examination import Examination

_WHAT = "Examining the tokenizer"


@dataclass(frozen=True, eq=False)
class Examined:
    """The examination of the tokenizer of a step.

    Attributes:
        run, step: the run and the step of the tokenizer.
        found: the findings.
        tokens: the internal id in the run of each token of `found.tokens`; -1 for a special token
            that has none.
        n_unused: the number of tokens, without special ones, that do not occur in the open corpus;
            None without a corpus.
    """

    run: Run
    step: int
    found: Examination
    tokens: tuple[int, ...]
    n_unused: int | None


class Examiner(UserJob[Examined]):
    """Examines the tokenizer of the shown step; another run or step may be shown since."""

    def __init__(self, open_state: OpenState, runs: RunList, parent: QObject | None = None) -> None:
        """Nothing has been examined.

        Args:
            open_state: the open values, with the shown run and its step.
            runs: the runs whose results are kept.
            parent: the QObject that owns it.
        """
        super().__init__("Examine the tokenizer", _WHAT, parent)
        self._open = open_state
        self._runs = runs
        self._run: Run | None = None
        open_state.run_changed.connect(self._on_run_changed)

    def result_of(self, run: Run | None, step: int) -> Examined | None:
        """The result for a run and a step; None if there is none."""
        found = self._result
        if found is None or found.run is not run or found.step != step:
            return None
        return found

    def examine(self) -> None:
        """Examines the tokenizer of the shown step, unless that is known or being examined."""
        run = self._open.run
        step = self._open.step
        info = self._open.corpus
        if (
            run is not None
            and info is not None
            and self._job is None
            and self.result_of(run, step) is None
        ):
            self._run = run
            self._start(partial(examined, run, step, has_words=info.has_words))

    @Slot()
    def _on_run_changed(self) -> None:
        open_runs = [entry.run for entry in self._runs.entries]
        if self._job is not None and not any(each is self._run for each in open_runs):
            self.cancel()
        self._problem = ""
        if self._result is not None and not any(each is self._result.run for each in open_runs):
            self._result = None
        self.changed.emit()


def examined(run: Run, step: int, *, has_words: bool) -> Generator[Progress, None, Examined]:
    """Examines the tokenizer of a step.

    Args:
        run: the run, which may grow meanwhile.
        step: the step.
        has_words: whether the run has a corpus, in which tokens may be unused.

    Raises:
        BpeError: the tokenizer cannot be made.
    """
    from bpe_studio.explain.doctor.examination import examining
    from bpe_studio.explain.doctor.unreachable import remember_examined

    yield Progress(_WHAT, 0, 100, "%")
    tokenizer = run.tokenizer(step)
    corpus = run.at(step).corpus if has_words else None
    work = examining(tokenizer, corpus)
    found = yield from relay(work, lambda share: Progress(_WHAT, round(100 * share), 100, "%"))
    ids = run.external_ids(step).tolist()
    n_special = len(ids) - run.token_of(step)
    internal = {number: place - n_special for place, number in reversed(list(enumerate(ids)))}
    yield Progress(_WHAT, 100, 100, "%")
    special = {*tokenizer.added_ids.values(), *tokenizer.special_ids.values()}
    n_unused = None
    if found.unused is not None:
        n_unused = sum(number not in special for number in found.unused)
    tokens = tuple(max(-1, internal.get(token.id, -1)) for token in found.tokens)
    remember_examined(run, run.ids_at(step), dict(zip(tokens, found.tokens, strict=True)))
    return Examined(run, step, found, tokens, n_unused)
