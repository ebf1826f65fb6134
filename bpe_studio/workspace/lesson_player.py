"""Follows a lesson on the open workspace: opens its text, learns as far as a step needs, goes there, types and picks.

Each step is arranged from whatever the person has made of the workspace meanwhile, so they may wander off and come
back. The workspace does one thing after the other; the player asks for the next when it rests. What a step's sentences
say of the run is told in the worker (`lesson_facts.py`).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bpe_studio.errors import BpeError
from bpe_studio.workspace.jobs import Ended, Jobs, Outcome
from bpe_studio.workspace.lesson_facts import Spell, StepFacts, Value, find_token, is_right, told
from bpe_studio.workspace.sitting import ROOT, Branch
from bpe_studio.workspace.state import Notice, OpeningRequest, State
from bpe_studio.workspace.wording import changed_fields, failure_of, sentence

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.lesson import Lesson, LessonStep, OtherRun, Place
    from bpe_studio.workspace.workspace import Workspace


@dataclass(frozen=True)
class Verdict:
    """What came of a question.

    Attributes:
        is_right: whether the answer was right; `False` where it was only shown.
        right: the right answer.
        why: what is to be said about it, or "".
        given: what was answered; "" where the answer was only shown.
        is_revealed: whether it was shown without an answer.
    """

    is_right: bool
    right: str
    why: str
    given: str = ""
    is_revealed: bool = False


class LessonPlayer(QObject):
    """A lesson, the step of it that is shown, and what was answered.

    Signals:
        changed: another lesson or none is followed, another step is shown, or the step shown is ready; read `lesson`,
            `place`, `step` and `is_ready`.
        answered: Verdict, of the question of the step that is shown.
        look_requested: str, the key of the panel that the step looks at; once the step is ready.
    """

    changed = Signal()
    answered = Signal(object)
    look_requested = Signal(object)

    def __init__(self, workspace: Workspace, jobs: Jobs) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._jobs = jobs
        self._lesson: Lesson | None = None
        self._request: OpeningRequest | None = None
        self._place = 0
        self._told: LessonStep | None = None
        self._value: Value | None = None
        self._verdicts: dict[int, Verdict] = {}
        self._is_arranging = False
        self._has_typed = ""
        self._typed_before = ""
        self._tried: set[str] = set()
        self._asked_of = -1
        self._telling: int | None = None
        self._spell: Spell | None = None
        self._next_turn = QTimer(self)
        self._next_turn.setSingleShot(True)
        self._next_turn.setInterval(0)
        self._next_turn.timeout.connect(self._go_on)
        workspace.state_changed.connect(self._on_news)
        workspace.corpus_changed.connect(self._on_corpus_changed)

    @property
    def lesson(self) -> Lesson | None:
        """The lesson that is followed, or None."""
        return self._lesson

    @property
    def place(self) -> int:
        """The number of the step that is shown, from 0 on."""
        return self._place

    @property
    def step(self) -> LessonStep | None:
        """The step that is shown; once it is ready, its sentences are told from the run."""
        if self._lesson is None:
            return None
        return self._told if self._told is not None else self._lesson.steps[self._place]

    @property
    def is_ready(self) -> bool:
        """Whether the workspace shows what the step says, and its sentences are told."""
        return self._told is not None

    @property
    def is_busy(self) -> bool:
        """Whether the step is being arranged; where it is neither ready nor busy, `go` tries again."""
        return self._is_arranging

    @property
    def verdict(self) -> Verdict | None:
        """What came of the question of the step that is shown; None while it is not answered."""
        return self._verdicts.get(self._place)

    @property
    def n_right(self) -> int:
        """How many questions were answered, and rightly, without their answers being shown before."""
        return sum(verdict.is_right for verdict in self._verdicts.values())

    def set_spelling(self, spell: Spell) -> None:
        """Has tokens written in another way in the sentences; without it, as logs write them."""
        self._spell = spell

    def start(self, lesson: Lesson) -> None:
        """Follows a lesson from its first step; one that is followed is left."""
        if self._lesson is None:
            self._typed_before, self._has_typed = self._workspace.typed_text, ""
        try:
            self._request = _request_of(lesson)
        except BpeError as error:
            self._workspace.noticed.emit(Notice(sentence(str(error))))
            return
        self._lesson = lesson
        self._verdicts = {}
        self.go(0)

    @Slot()
    def next(self) -> None:
        """Goes to the next step; at the last one it stays."""
        self.go(self._place + 1)

    @Slot()
    def back(self) -> None:
        """Goes to the step before."""
        self.go(self._place - 1)

    def go(self, place: int) -> None:
        """Goes to a step, and has the workspace show what it says, whatever it shows now."""
        lesson = self._lesson
        if lesson is None:
            return
        self._stop_telling()
        self._place = min(max(0, place), len(lesson.steps) - 1)
        self._told = self._value = None
        self._is_arranging = True
        self._tried, self._asked_of = set(), -1
        self.changed.emit()
        if self._workspace.state is State.running:
            self._workspace.pause()
        elif self._workspace.state is State.failed:
            self._workspace.dismiss_failure()
        self._next_turn.start()

    def answer(self, value: object) -> Verdict | None:
        """Takes the learner's answer: one of the choices, a number, a text, or the names of the tokens of a pair.

        Returns:
            What came of it; None where nothing is asked, or the step is not ready.
        """
        ask = None if self._told is None else self._told.ask
        if ask is None:
            return None
        given = " + ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
        return self._judge(Verdict(is_right(ask, self._value, value), ask.answer, ask.why, given))

    def reveal(self) -> Verdict | None:
        """Shows the answer without one being given."""
        ask = None if self._told is None else self._told.ask
        if ask is None:
            return None
        return self._judge(Verdict(False, ask.answer, ask.why, is_revealed=True))

    @Slot()
    def leave(self) -> None:
        """Ends the lesson; its text stays open, and what the person had typed before it comes back."""
        if self._lesson is None:
            return
        self._stop_telling()
        self._lesson = self._request = self._told = self._value = None
        self._place, self._is_arranging = 0, False
        self._verdicts = {}
        if self._has_typed and self._workspace.typed_text == self._has_typed:
            self._workspace.set_typed_text(self._typed_before)
        self.changed.emit()

    def _judge(self, verdict: Verdict) -> Verdict:
        self._verdicts[self._place] = verdict
        self.answered.emit(verdict)
        return verdict

    @Slot()
    def _on_corpus_changed(self) -> None:
        """Ends the lesson where another text than its own is open now."""
        lesson, corpus = self._lesson, self._workspace.corpus
        if lesson is None or corpus is None or self._is_own(corpus.request):
            return
        self.leave()
        self._workspace.noticed.emit(Notice(f"The lesson “{lesson.title}” ended, as another text is open now."))

    @Slot(object)
    def _on_news(self, _state: State) -> None:
        if self._is_arranging:
            # Not at once: the workspace may be in the middle of what it tells.
            self._next_turn.start()

    @Slot()
    def _go_on(self) -> None:
        """Asks for the next thing that the step needs, until there is none left."""
        workspace = self._workspace
        if not self._is_arranging or self._telling is not None or workspace.state in (State.loading, State.running):
            return
        if workspace.state is State.failed or not (self._has_text() and self._has_run() and self._has_learned()):
            if workspace.state not in (State.loading, State.running):
                self._give_up()
            return
        run = workspace.run
        assert run is not None
        workspace.go_to(self._wanted_step(run))
        typed = self._last("typed")
        if typed is not None:
            self._has_typed = typed
            workspace.set_typed_text(typed)
        self._tell(run)

    def _has_text(self) -> bool:
        """Whether the lesson's text is open as the lesson wants it; if not, opens it."""
        lesson, corpus, workspace = self._lesson, self._workspace.corpus, self._workspace
        assert lesson is not None and self._request is not None
        root = next((branch for branch in workspace.branches if branch.number == ROOT), None)
        is_open = corpus is not None and self._is_own(corpus.request) and root is not None
        if is_open and root is not None and not changed_fields(root.config, lesson.settings):
            return True
        if self._is_first_try("open"):
            workspace.open_with(self._request, lesson.settings)
        return False

    def _has_run(self) -> bool:
        """Whether the run that the step wants is shown; if not, makes it or goes to it."""
        workspace, other = self._workspace, self._last("other")
        branch = self._branch_of(other)
        if branch is not None:
            workspace.switch_to(branch.number)
            return True
        if not self._is_first_try("run"):
            return False
        workspace.switch_to(ROOT)
        if other.override is not None:
            if workspace.n_merges < other.override.step:
                self._tried.discard("run")
                return self._learn_to(other.override.step) and self._has_run()
            workspace.branch_off(other.override, other.name)
        else:
            getattr(workspace, "learn_beside")(other.config, other.name)  # noqa: B009
        return False

    def _branch_of(self, other: OtherRun | None) -> Branch | None:
        """The run of the workspace that is meant; None where it is not made yet."""
        branches = self._workspace.branches
        if other is None or (other.override is None and other.config is None):
            return next(branch for branch in branches if branch.number == ROOT)
        for branch in branches:
            if other.override is not None and (branch.parent, branch.override) == (ROOT, other.override):
                return branch
            is_beside = branch.parent is None and branch.number != ROOT
            if other.config is not None and is_beside and not changed_fields(branch.config, other.config):
                return branch
        return None

    def _has_learned(self) -> bool:
        """Whether as much is learned as the step needs; if not, learns on."""
        at: Place | None = self._last("at")
        return self._learn_to(self._workspace.target if at == "end" else at if isinstance(at, int) else 0)

    def _learn_to(self, step: int) -> bool:
        """Whether a run holds so many merges, or as many as it can; if not, learns on."""
        workspace = self._workspace
        if workspace.n_merges >= step or not workspace.can_learn_more:
            return True
        if workspace.n_merges == self._asked_of:
            return False
        # A breakpoint may stop it on the way; then it is asked again.
        self._asked_of = workspace.n_merges
        workspace.go_to_end()
        workspace.step_forward(step - workspace.n_merges)
        return False

    def _wanted_step(self, run: Run) -> int:
        at: Place | None = self._last("at")
        return self._workspace.n_merges if at == "end" else at if isinstance(at, int) else 0

    def _tell(self, run: Run) -> None:
        """Has the step's sentences told, for it takes a pass over the corpus."""
        workspace, lesson = self._workspace, self._lesson
        assert lesson is not None
        step = lesson.steps[self._place]
        facts = StepFacts(run, workspace.step, self._last("typed") or "", self._spell)
        self._telling = self._jobs.start(
            partial(_telling, step, facts), self._on_no_news, partial(self._on_told, run, step)
        )

    def _on_told(self, run: Run, step: LessonStep, ended: Ended) -> None:
        self._telling = None
        if ended.outcome is not Outcome.finished:
            if ended.error is not None:
                failure = failure_of("Follow the lesson", ended.error)
                self._workspace.noticed.emit(Notice(failure.message))
            self._give_up()
            return
        self._told, self._value, problem = ended.result
        self._is_arranging = False
        if step.pick is not None:
            problem = self._pick(run, step.pick, step.line) or problem
        if problem:
            self._workspace.noticed.emit(Notice(sentence(problem[0].upper() + problem[1:])))
        self.changed.emit()
        if step.look is not None:
            self.look_requested.emit(step.look)

    def _on_no_news(self, _news: object) -> None:
        """Telling a step says nothing on the way."""

    def _pick(self, run: Run, names: tuple[str, ...], line: int) -> str:
        """Picks a token or a pair; says what is wrong, or ""."""
        tokens = []
        for name in names:
            token = find_token(run, name)
            if token is None or token >= run.n_alphabet + self._workspace.step:
                return f"line {line:,} of the lesson: there is no token “{name}” to pick at that step"
            tokens.append(token)
        if len(tokens) == 1:
            self._workspace.picks.pick_token(tokens[0])
        else:
            self._workspace.picks.pick_pair(tokens[0], tokens[1])
        return ""

    def _give_up(self) -> None:
        """Leaves the step as it is, not ready; what went wrong is told already."""
        self._is_arranging = False
        self.changed.emit()

    def _stop_telling(self) -> None:
        if self._telling is not None:
            self._jobs.abandon(self._telling)
            self._telling = None

    def _is_own(self, request: OpeningRequest) -> bool:
        return self._request is not None and replace(request, own_config=None) == self._request

    def _is_first_try(self, what: str) -> bool:
        is_first = what not in self._tried
        self._tried.add(what)
        return is_first

    def _last(self, name: str) -> Any:
        """What the steps up to the one that is shown say last of something."""
        assert self._lesson is not None
        said = (getattr(step, name) for step in reversed(self._lesson.steps[: self._place + 1]))
        return next((value for value in said if value is not None), None)


def _request_of(lesson: Lesson) -> OpeningRequest:
    """What the lesson's corpus is read from.

    Raises:
        SourceError: its sample is not installed.
    """
    name = f"Lesson: {lesson.title}"
    if lesson.sample is not None:
        from bpe_studio.files.samples import find_sample

        return OpeningRequest(name, (find_sample(lesson.sample).path,), "utf-8")
    return OpeningRequest(name, text=lesson.text, counts=lesson.counts)


def _telling(step: LessonStep, facts: StepFacts) -> Generator[None, None, tuple[LessonStep, Value | None, str]]:
    yield
    return told(step, facts)
