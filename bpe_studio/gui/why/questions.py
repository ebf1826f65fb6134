"""Which questions the selection asks, and their answers: asked outside the window's thread, each only when it changes.

What depends on the step (the words that contain a token) is asked anew when the step moves; what does not (its
life) is not. The last
answers are kept, so that going back to what was looked at shows it at once; they go with the run.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.explain.why.answers import answer_containing_words, answer_pair, answer_token, answer_word
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
}
Question = tuple[Any, ...]

_log = logging.getLogger(__name__)


def questions_of(pick: Selected | None, run: Run, step: int, n_merges: int) -> dict[str, Question]:
    """What is to be asked for a pick at a step, by kind of answer.

    A pair is asked about at the step that merges it, if the run does so before the present step; else at the present
    one, or at the first at which its tokens are there.
    """
    if pick is None:
        return {"pair": (run, None, step)}
    if pick.kind is Kind.word:
        return {"word": (run, pick.word, step, n_merges)}
    asked: dict[str, Question] = {}
    rank = pick.token - run.n_alphabet
    if pick.kind is Kind.pair:
        is_merged = 0 <= rank < step
        there = max(0, *(token - run.n_alphabet + 1 for token in (pick.left, pick.right)))
        asked["pair"] = (run, (pick.left, pick.right), rank if is_merged else max(step, there))
        return asked
    if pick.kind is Kind.merge and rank >= 0:
        asked["pair"] = (run, (pick.left, pick.right), rank)
    asked["token"] = (run, pick.token, n_merges)
    asked["containing_words"] = (run, pick.token, step)
    return asked


class WhyQuestions(QObject):
    """Asks, keeps and tells.

    Signals:
        answered: (kind, question, answer); an answer of None could not be worked out.
    """

    answered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = {kind: LatestAnswer(_answer, self) for kind in ANSWERS}
        self._wanted: dict[str, Question] = {}
        self._waiting: set[str] = set()
        self._kept: OrderedDict[tuple[str, Question], Any] = OrderedDict()
        for job in self._jobs.values():
            job.answered.connect(self._on_answered)

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is on its way."""
        return bool(self._waiting)

    def ask(self, questions: dict[str, Question]) -> None:
        """Ask what is not asked yet, and drop what is not asked any more."""
        for kind, job in self._jobs.items():
            question = questions.get(kind)
            if question == self._wanted.get(kind):
                continue
            self._waiting.discard(kind)
            job.forget()
            if question is None:
                self._wanted.pop(kind, None)
                continue
            self._wanted[kind] = question
            kept = self._kept.get((kind, question))
            if kept is not None:
                self._kept.move_to_end((kind, question))
                self.answered.emit((kind, question, kept))
            else:
                self._waiting.add(kind)
                job.ask(kind, question)

    def forget(self) -> None:
        """Drop every question and every answer, as for another run."""
        self.pause()
        self._kept.clear()

    def pause(self) -> None:
        """Drop every question; asked again, it is asked anew."""
        for job in self._jobs.values():
            job.forget()
        self._wanted.clear()
        self._waiting.clear()

    @Slot(object)
    def _on_answered(self, told: tuple[str, Question, Any]) -> None:
        kind, question, answer = told
        if question != self._wanted.get(kind):
            return
        self._waiting.discard(kind)
        if answer is not None:
            self._kept[kind, question] = answer
            while len(self._kept) > N_KEPT:
                self._kept.popitem(last=False)
        self.answered.emit(told)


def _answer(kind: str, question: Question) -> tuple[str, Question, Any]:
    """Works out one answer, in a thread of the pool; what goes wrong there is logged, and told by None."""
    try:
        return kind, question, ANSWERS[kind](*question)
    except Exception:
        _log.exception("“%s” could not be computed.", kind)
        return kind, question, None
