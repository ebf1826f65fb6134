"""What is compared besides the sizes of the open run: which runs and tokenizers, and their results from the pool."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.explain.sizes.measures import SizeMeasures
from bpe_studio.explain.sizes.others import Other, OtherResult, OtherRun, OthersCounter, OtherTokenizer
from bpe_studio.gui.background.latest_answer import LatestAnswer

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.sizes.measures import TextCounts
    from bpe_studio.workspace.workspace import Workspace

_log = logging.getLogger(__name__)


class Others(QObject):
    """The other runs of the open text, and the tokenizers that were opened.

    Signals:
        changed: what is compared, or what is known of it.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._hidden: set[int] = set()
        self._counter, self._sharing = OthersCounter(), OthersCounter()
        self._results: dict[str, OtherResult] = {}
        self._wanted: tuple[Any, ...] | None = None
        self._answered: tuple[Any, ...] | None = None
        self._shared: tuple[tuple[Any, ...], list[int]] | None = None
        self._shared_wanted: tuple[Any, ...] | None = None
        self._measuring = LatestAnswer(self._measure, self)
        self._comparing = LatestAnswer(self._compare, self)
        self._measuring.answered.connect(self._on_measured)
        self._comparing.answered.connect(self._on_compared)
        workspace.tokenizers.changed.connect(self.changed)
        workspace.runs.changed.connect(self.changed)

    @property
    def entries(self) -> list[Other]:
        """What is compared: the runs in the order of the list, then the tokenizers."""
        runs = [
            OtherRun(entry.number, entry.name, entry.run, entry.position.n_merges)
            for entry in self._runs()
            if entry.number not in self._hidden
        ]
        return [*runs, *self._workspace.tokenizers.entries]

    @property
    def hidden_runs(self) -> list[tuple[int, str]]:
        """The number and the name of each run that is left out."""
        return [(entry.number, entry.name) for entry in self._runs() if entry.number in self._hidden]

    def _runs(self) -> list[Any]:
        shown = self._workspace.runs.shown
        if shown is None:
            return []
        return [entry for entry in self._workspace.runs.entries if entry.number != shown.number]

    def remove(self, key: str) -> None:
        """Leave out a run, or close a tokenizer."""
        kind, _, number = key.partition(" ")
        if kind == "tokenizer":
            self._workspace.tokenizers.remove(int(number))
        else:
            self._hidden.add(int(number))
            self.changed.emit()

    def add_run(self, number: int) -> None:
        """Compare a run that was left out."""
        self._hidden.discard(number)
        self.changed.emit()

    def forget(self) -> None:
        """Drop what is known, as another text was opened."""
        self._hidden.clear()
        self._results.clear()
        self._wanted = self._answered = self._shared_wanted = self._shared = None
        self._measuring.forget()
        self._comparing.forget()
        self._counter, self._sharing = OthersCounter(), OthersCounter()

    # Measures and cuts.

    def want(self, entries: Sequence[Other], text: str, counts: TextCounts, rare: int) -> None:
        """Request the results that are not known yet."""
        keys = tuple(_identity(other) for other in entries)
        question = (keys, text, counts, rare)
        if question != self._wanted:
            self._wanted = question
            self._measuring.ask(question, tuple(entries), text, counts, rare)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the results are those that were requested last."""
        return not self.entries or self._wanted == self._answered

    def result(self, other: Other) -> OtherResult | None:
        """The newest result; None before the first one, which may be of another text or step."""
        return self._results.get(other.key)

    def row(self, other: Other, counts: TextCounts) -> SizeMeasures:
        """The measures, as far as they are known."""
        found = self._results.get(other.key)
        if found is not None:
            return found.row
        if isinstance(other, OtherRun):
            n_tokens = int(other.run.n_tokens_at(other.step))
            size = int(other.run.vocab_size_at(other.step))
            return SizeMeasures(other.step, False, size, None, n_tokens, counts, other.name, other.key)
        return SizeMeasures(-1, False, other.tokenizer.vocab_size, None, None, counts, other.name, other.key)

    def _measure(
        self, question: tuple[Any, ...], entries: Sequence[Other], text: str, counts: TextCounts, rare: int
    ) -> tuple[tuple[Any, ...], list[OtherResult]] | None:
        """Runs in the pool."""
        try:
            return question, self._counter.measure(entries, text, counts, rare)
        except Exception:
            _log.exception("Other runs and tokenizers could not be measured.")
            return None

    @Slot(object)
    def _on_measured(self, answer: tuple[tuple[Any, ...], list[OtherResult]]) -> None:
        question, results = answer
        if question == self._wanted:
            self._answered = question
            self._results = {result.other.key: result for result in results}
            self.changed.emit()

    # Tokens in common with the reference.

    def shared(self, run: Run, steps: Sequence[int], entries: Sequence[Other], reference: int) -> list[int] | None:
        """How many tokens each row has that the reference has too; None until it is counted."""
        keys = tuple(_identity(other) for other in entries)
        question = (run, tuple(steps), keys, reference)
        if self._shared is not None and self._shared[0] == question:
            return self._shared[1]
        if question != self._shared_wanted:
            self._shared_wanted = question
            self._comparing.ask(question, run, tuple(steps), tuple(entries), reference)
        return None

    def _compare(
        self, question: tuple[Any, ...], run: Run, steps: Sequence[int], entries: Sequence[Other], reference: int
    ) -> tuple[tuple[Any, ...], list[int]] | None:
        """Runs in the pool."""
        try:
            return question, self._sharing.shared(run, steps, entries, reference)
        except Exception:
            _log.exception("The vocabularies could not be compared.")
            return None

    @Slot(object)
    def _on_compared(self, answer: tuple[tuple[Any, ...], list[int]]) -> None:
        self._shared = answer
        self.changed.emit()


def _identity(other: Other) -> tuple[object, ...]:
    """What a result depends on; records are compared by the objects that they hold."""
    if isinstance(other, OtherTokenizer):
        return other.key, id(other.tokenizer), other.counts is None, other.why_not
    return other.key, id(other.run), other.step, other.name
