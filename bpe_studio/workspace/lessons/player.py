"""Plays a lesson on the open workspace: one step after another, with its text and its question.

`stage.py` brings the workspace to the state that a step needs. Then the worker fills in the
placeholders of its sentences (`facts.py`), and the step is ready. After a failure, the lesson goes
on; opening another text ends it.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from bpe_studio.errors import BpeError
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.messages import failure_of, sentence

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.lessons.records import Lesson, LessonStep, Question
    from bpe_studio.files.lessons.results import Answer
    from bpe_studio.workspace.lessons.facts import Spell, StepFacts, Value
    from bpe_studio.workspace.lessons.stage import LessonParts, LessonStage


@dataclass(frozen=True)
class Verdict:
    """The verdict on an answer.

    Attributes:
        is_right: whether the answer was right; `False` if it was revealed.
        right: the right answer.
        why: an explanation, or "".
        reason: why the given answer is wrong, or "".
        given: the given answer; "" if the answer was revealed.
        is_revealed: whether the answer was revealed.
    """

    is_right: bool
    right: str
    why: str
    reason: str = ""
    given: str = ""
    is_revealed: bool = False


class LessonPlayer(QObject):
    """A lesson, its current step, and the answers.

    Signals:
        changed: the lesson, the current step, or whether it is ready has changed; read `lesson`,
            `place`, `step` and `is_ready`.
        answered: Verdict, on the question of the current step.
        look_requested: str, the key of the panel that the step refers to; once the step is ready.
    """

    changed = Signal()
    answered = Signal(object)
    look_requested = Signal(object)

    def __init__(self, parts: LessonParts, jobs: Jobs, parent: QObject | None = None) -> None:
        """No lesson is open.

        Args:
            parts: the parts of the workspace that a lesson uses.
            jobs: the worker that fills in the sentences.
            parent: the QObject that owns it.
        """
        super().__init__(parent)
        self._parts = parts
        self._open = parts.open_state
        self._jobs = jobs
        self._lesson: Lesson | None = None
        self._place = 0
        self._is_busy = False
        self._told: LessonStep | None = None
        self._value: Value | None = None
        self._verdicts: dict[int, Verdict] = {}
        self._answers: dict[int, Answer] = {}
        self._filling: int | None = None
        self._spell: Spell | None = None
        self._facts: StepFacts | None = None
        parts.open_state.corpus_changed.connect(self._on_corpus_changed)

    @cached_property
    def _stage(self) -> LessonStage:
        # Imported when a lesson is first played, to keep the start fast.
        from bpe_studio.workspace.lessons.stage import LessonStage

        stage = LessonStage(self._parts, self)
        stage.arranged.connect(self._on_arranged)
        stage.given_up.connect(self._give_up)
        return stage

    @property
    def lesson(self) -> Lesson | None:
        """The current lesson, or None."""
        return self._lesson

    @property
    def place(self) -> int:
        """The number of the current step, from 0."""
        return self._place

    @property
    def step(self) -> LessonStep | None:
        """The current step; once it is ready, with its placeholders filled in."""
        if self._lesson is None:
            return None
        return self._told if self._told is not None else self._lesson.steps[self._place]

    @property
    def is_ready(self) -> bool:
        """Whether the workspace has the state of the step, and its sentences are filled in."""
        return self._told is not None

    @property
    def is_busy(self) -> bool:
        """Whether the step is being prepared; if it is neither busy nor ready, `go` tries again."""
        return self._is_busy

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the current question; None before an answer."""
        return self._verdicts.get(self._place)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The questions that were answered since the lesson began, in the order of its steps."""
        return tuple(self._answers[place] for place in sorted(self._answers))

    def set_spelling(self, spell: Spell) -> None:
        """Sets the spelling of tokens in the sentences; by default that of logs."""
        self._spell = spell

    def start(self, lesson: Lesson) -> None:
        """Starts a lesson at its first step; a current lesson is left."""
        try:
            self._stage.begin(lesson)
        except BpeError as error:
            self._open.notice(sentence(str(error)))
            return
        self._lesson = lesson
        self._verdicts = {}
        self._answers = {}
        self.go(0)

    @Slot()
    def next(self) -> None:
        """Goes to the next step, if there is one."""
        self.go(self._place + 1)

    @Slot()
    def back(self) -> None:
        """Goes to the previous step."""
        self.go(self._place - 1)

    def go(self, place: int) -> None:
        """Goes to a step, and brings the workspace to the state that it needs."""
        if self._lesson is None:
            return
        self._stop_filling()
        self._place = min(max(0, place), len(self._lesson.steps) - 1)
        self._told = None
        self._value = None
        self._facts = None
        self._is_busy = True
        self._stage.arrange(self._place)
        self.changed.emit()

    def answer(self, value: object) -> Verdict | None:
        """Answers the question.

        Args:
            value: one of the choices, a number, a text, or the names of the tokens of a pair.

        Returns:
            The verdict; None if there is no question, or the step is not ready.
        """
        from bpe_studio.workspace.lessons.facts import is_right

        ask = None if self._told is None else self._told.ask
        if ask is None:
            return None
        given = " + ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
        is_answer = is_right(ask, self._value, value)
        reason = "" if is_answer else self._reason(ask, given, value)
        return self._judge(ask, Verdict(is_answer, ask.answer, ask.why, reason, given))

    def reveal(self) -> Verdict | None:
        """Reveals the answer; returns None if there is no question."""
        ask = None if self._told is None else self._told.ask
        if ask is None:
            return None
        return self._judge(ask, Verdict(False, ask.answer, ask.why, is_revealed=True))

    @Slot()
    def leave(self) -> None:
        """Ends the lesson; its text stays open."""
        if self._lesson is None:
            return
        self._stop_filling()
        self._lesson = None
        self._told = None
        self._value = None
        self._facts = None
        self._place = 0
        self._is_busy = False
        self._verdicts = {}
        self._answers = {}
        self._stage.end()
        self.changed.emit()

    def _reason(self, ask: Question, given: str, value: object) -> str:
        """The thing that a wrong answer forgot; "" if that is not known."""
        if given in ask.choices:
            return ask.reasons[ask.choices.index(given)]
        if ask.computed is None or self._facts is None:
            return ""
        return self._facts.forgotten(ask.computed, value)

    def _judge(self, ask: Question, verdict: Verdict) -> Verdict:
        from bpe_studio.files.lessons.results import Answer

        before = self._answers.get(self._place)
        given = () if before is None else before.given
        if verdict.given:
            given = (*given, verdict.given)
        self._verdicts[self._place] = verdict
        self._answers[self._place] = Answer(ask.text, verdict.right, given, verdict.is_right)
        self.answered.emit(verdict)
        return verdict

    @Slot()
    def _on_corpus_changed(self) -> None:
        """Ends the lesson if a text that is not its own is open now."""
        lesson = self._lesson
        corpus = self._open.corpus
        if lesson is None or corpus is None or self._stage.is_own(corpus.request):
            return
        self.leave()
        self._open.notice(f"The lesson “{lesson.title}” ended because you opened another text.")

    @Slot()
    def _on_arranged(self) -> None:
        """Has the worker fill in the sentences of the step, which takes a pass over the corpus."""
        # Imported when a lesson is first played, to keep the start fast.
        from bpe_studio.workspace.lessons.facts import StepFacts
        from bpe_studio.workspace.lessons.language import locale_of

        lesson = self._lesson
        run = self._open.run
        assert lesson is not None and run is not None
        step = lesson.steps[self._place]
        facts = StepFacts(
            run,
            self._open.step,
            self._stage.last("typed") or "",
            self._spell,
            locale_of(lesson.language),
        )
        self._facts = facts
        self._filling = self._jobs.start(
            partial(_fill_step, step, facts), self._on_no_news, partial(self._on_filled, run, step)
        )

    def _on_filled(self, run: Run, step: LessonStep, ended: Ended) -> None:
        self._filling = None
        if ended.outcome is not Outcome.finished:
            if ended.error is not None:
                failure = failure_of("Follow the lesson", ended.error)
                self._open.notice(f"{failure.message} {failure.hint}".strip())
            self._give_up()
            return
        self._told, self._value, problem = ended.result
        self._is_busy = False
        at = self._stage.last("at")
        if isinstance(at, int) and at > len(run.merges):
            problem = (
                f"line {step.line:,} of the lesson: it goes to step {at:,}, but its text has only"
                f" {len(run.merges):,} merges, so the last of them is shown"
            )
        if step.pick is not None and run is self._open.run:
            problem = self._select(run, step.pick, step.line) or problem
        if problem:
            self._open.notice(sentence(problem[0].upper() + problem[1:]))
        self.changed.emit()
        if step.look is not None:
            self.look_requested.emit(step.look)

    def _on_no_news(self, _news: object) -> None:
        """Filling in a step reports no progress."""

    def _select(self, run: Run, names: tuple[str, ...], line: int) -> str:
        """Selects a token or a pair; returns a problem, or ""."""
        from bpe_studio.workspace.lessons.facts import find_token

        tokens = []
        for name in names:
            token = find_token(run, name)
            if token is None or token >= run.token_of(self._open.step):
                return (
                    f"line {line:,} of the lesson: there is no token “{name}” to select at that"
                    " step"
                )
            tokens.append(token)
        if len(tokens) == 1:
            self._open.selection.select_token(tokens[0])
        else:
            self._open.selection.select_pair(tokens[0], tokens[1])
        return ""

    @Slot()
    def _give_up(self) -> None:
        """Leaves the step as it is, not ready; the problem has been reported."""
        self._is_busy = False
        self.changed.emit()

    def _stop_filling(self) -> None:
        if self._filling is not None:
            self._jobs.abandon(self._filling)
            self._filling = None


def _fill_step(
    step: LessonStep, facts: StepFacts
) -> Generator[None, None, tuple[LessonStep, Value | None, str]]:
    from bpe_studio.workspace.lessons.facts import filled_step

    yield
    return filled_step(step, facts)
