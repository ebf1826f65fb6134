"""The questions that the selection poses, and their answers, computed in the thread pool.

When the step changes, only questions that depend on it (such as the words that contain a token) are
asked again. The last answers of a run are cached, so that going back shows them at once.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.explain.why.answers import (
    answer_containing_words,
    answer_pair,
    answer_token,
    answer_word,
)
from bpe_studio.explain.why.border import answer_border
from bpe_studio.gui.actions_on.targets import border_place
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.workspace.selection import Kind, Selected

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

N_KEPT = 40
ANSWERS: dict[str, Callable[..., Any]] = {
    "pair": answer_pair,
    "token": answer_token,
    "containing_words": answer_containing_words,
    "word": answer_word,
    "border": answer_border,
}
Question = tuple[Any, ...]

_log = logging.getLogger(__name__)


def questions_of(
    selected: Selected | None, run: Run, step: int, n_merges: int
) -> dict[str, Question]:
    """The questions that a selection poses at a step, by kind of answer.

    A pair is explained at the step that merges it, if that is before the current step; otherwise at
    the current step, or the first one at which its tokens exist.
    """
    if selected is None:
        return {"pair": (run, None, step)}
    if selected.kind is Kind.word:
        return {"word": (run, selected.word, step, n_merges)}
    if selected.kind is Kind.border:
        return {"border": (run, border_place(selected, run.at(step)), step, n_merges)}
    asked: dict[str, Question] = {}
    rank = run.rank_of(selected.token)
    if selected.kind is Kind.pair:
        is_merged = 0 <= rank < step
        there = run.rank_of(max(selected.left, selected.right)) + 1
        at_rank = rank if is_merged else max(step, there)
        asked["pair"] = (run, (selected.left, selected.right), at_rank)
        return asked
    if selected.kind is Kind.merge and rank >= 0:
        asked["pair"] = (run, (selected.left, selected.right), rank)
    asked["token"] = (run, selected.token, n_merges)
    asked["containing_words"] = (run, selected.token, step)
    return asked


def is_about_same(one: Question, other: Question | None) -> bool:
    """Whether two questions of one kind have the same subject, perhaps at different steps."""
    return other is not None and one[:2] == other[:2]


class WhyQuestions(QObject):
    """Asks questions, caches the answers and emits them.

    Signals:
        answered: (kind, question, answer); perhaps of an earlier step. The answer is None if it
            could not be computed.
    """

    answered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = {kind: LatestAnswer(_answer, self, keeps_late=True) for kind in ANSWERS}
        self._wanted: dict[str, Question] = {}
        self._waiting: set[str] = set()
        self._kept: OrderedDict[tuple[str, Question], Any] = OrderedDict()
        for job in self._jobs.values():
            job.answered.connect(self._on_answered)

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is being computed."""
        return bool(self._waiting)

    def ask(self, questions: dict[str, Question]) -> None:
        """Ask the questions that are not asked yet, and drop all others."""
        for kind, job in self._jobs.items():
            question = questions.get(kind)
            if question == self._wanted.get(kind):
                continue
            self._waiting.discard(kind)
            if question is None:
                job.forget()
                self._wanted.pop(kind, None)
                continue
            self._wanted[kind] = question
            kept = self._kept.get((kind, question))
            if kept is not None:
                job.forget()
                self._kept.move_to_end((kind, question))
                self.answered.emit((kind, question, kept))
            else:
                self._waiting.add(kind)
                job.ask(kind, question)

    def forget(self) -> None:
        """Drop all questions and answers, for example for another run."""
        self.pause()
        self._kept.clear()

    def pause(self) -> None:
        """Drop all questions, so that they are asked again later."""
        for job in self._jobs.values():
            job.forget()
        self._wanted.clear()
        self._waiting.clear()

    @Slot(object)
    def _on_answered(self, answered: tuple[str, Question, Any]) -> None:
        kind, question, answer = answered
        if not is_about_same(question, self._wanted.get(kind)):
            return
        if question == self._wanted.get(kind):
            self._waiting.discard(kind)
        if answer is not None:
            self._kept[kind, question] = answer
            while len(self._kept) > N_KEPT:
                self._kept.popitem(last=False)
        self.answered.emit(answered)


def _answer(kind: str, question: Question) -> tuple[str, Question, Any]:
    """Compute an answer, in the thread pool; errors are logged, and the answer is None."""
    try:
        return kind, question, ANSWERS[kind](*question)
    except Exception:
        _log.exception("“%s” could not be computed.", kind)
        return kind, question, None
