"""Brings the workspace to the state that a step of a lesson needs, whatever the user has done
meanwhile.

`LessonStage` opens the lesson's text, and makes or shows the run of the step. It trains as far as
necessary, goes to the step and types its text. Each action begins when the workspace is idle after
the previous one. `player.py` handles the sentences and questions of a step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bpe_studio.files.text.reading import UTF_8
from bpe_studio.workspace.messages import changed_fields
from bpe_studio.workspace.session import ROOT, RunEntry
from bpe_studio.workspace.state import OpeningRequest, State

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import Lesson, OtherRun, Place
    from bpe_studio.workspace.open_state import OpenState
    from bpe_studio.workspace.opening.opener import Opener
    from bpe_studio.workspace.runs.loader import Loader
    from bpe_studio.workspace.runs.run_list import RunList
    from bpe_studio.workspace.runs.side_runs import SideRuns
    from bpe_studio.workspace.runs.transport import Transport


@dataclass(frozen=True)
class LessonParts:
    """The parts of the workspace that a lesson uses.

    Attributes:
        open_state: the open values.
        transport: goes to the steps of the lesson, and trains its run.
        loader: cancels opening something else.
        runs: shows the run of a step, and branches it off.
        side_runs: trains a run with other settings.
        opener: opens the lesson's text.
    """

    open_state: OpenState
    transport: Transport
    loader: Loader
    runs: RunList
    side_runs: SideRuns
    opener: Opener


class LessonStage(QObject):
    """Prepares the workspace for one step at a time.

    Signals:
        arranged: the workspace has the state that the step needs.
        given_up: the workspace cannot be brought there; it has reported why.
    """

    arranged = Signal()
    given_up = Signal()

    def __init__(self, parts: LessonParts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._parts = parts
        self._open = parts.open_state
        self._lesson: Lesson | None = None
        self._request: OpeningRequest | None = None
        self._place = 0
        self._is_arranging = False
        self._tried: set[str] = set()
        self._asked_at = -1
        self._typed: tuple[str, str] | None = None
        self._next_turn = QTimer(self)
        self._next_turn.setSingleShot(True)
        self._next_turn.setInterval(0)
        self._next_turn.timeout.connect(self._go_on)
        parts.open_state.state_changed.connect(self._on_state_changed)

    def begin(self, lesson: Lesson) -> None:
        """Takes another lesson; cancels opening another text, because the lesson opens its own.

        Raises:
            SourceError: its sample is not installed.
        """
        self._request = _request_of(lesson)
        self._lesson = lesson
        self._parts.loader.abandon()

    def end(self) -> None:
        """Ends the lesson; its text stays open, and the text that the user had typed before is
        restored.
        """
        self._is_arranging = False
        self._lesson = None
        self._request = None
        if self._typed is not None and self._open.typed_text == self._typed[1]:
            self._open.set_typed_text(self._typed[0])
        self._typed = None

    def arrange(self, place: int) -> None:
        """Begins to prepare the workspace for a step."""
        self._place = place
        self._is_arranging = True
        self._tried = set()
        self._asked_at = -1
        if self._open.state is State.running:
            self._parts.transport.pause()
        elif self._open.state is State.failed:
            self._open.leave_failure()
        self._next_turn.start()

    def is_own(self, request: OpeningRequest) -> bool:
        """Whether a text was opened for the lesson.

        The user may have held out a part of it since.
        """
        return (
            self._request is not None
            and replace(request, own_config=None, is_lesson=False, held_out=0.0) == self._request
        )

    def last(self, name: str) -> Any:
        """The latest value of a field in the steps up to this one; `None` if no step sets it."""
        assert self._lesson is not None
        said = (getattr(step, name) for step in reversed(self._lesson.steps[: self._place + 1]))
        return next((value for value in said if value is not None), None)

    @Slot(object)
    def _on_state_changed(self, _state: State) -> None:
        if self._is_arranging:
            # Not at once: the workspace may be emitting signals.
            self._next_turn.start()

    @Slot()
    def _go_on(self) -> None:
        """Starts the next action that the step needs, until none is left."""
        if not self._is_arranging or self._open.state in (State.loading, State.running):
            return
        if (
            self._open.state is not State.failed
            and self._has_text()
            and self._has_run()
            and self._has_merges()
        ):
            at: Place | None = self.last("at")
            self._parts.transport.go_to(_step_of(at, self._open.n_merges))
            self._type(self.last("typed"))
            self._is_arranging = False
            self.arranged.emit()
        elif self._open.state not in (State.loading, State.running):
            self._is_arranging = False
            self.given_up.emit()

    def _has_text(self) -> bool:
        """Whether the lesson's text is open as the lesson needs it; if not, opens it."""
        lesson = self._lesson
        corpus = self._open.corpus
        assert lesson is not None and self._request is not None
        root = next((entry for entry in self._parts.runs.entries if entry.number == ROOT), None)
        is_open = corpus is not None and self.is_own(corpus.request) and corpus.held_out is None
        if is_open and root is not None and not changed_fields(root.config, lesson.settings):
            return True
        if self._is_first_try("open"):
            self._parts.opener.open_with(self._request, lesson.settings)
        return False

    def _has_run(self) -> bool:
        """Whether the run of the step is shown; if not, makes it, or shows it."""
        other = self.last("other")
        entry = self._entry_of(other)
        if entry is not None:
            self._parts.runs.show(entry.number)
            return True
        self._parts.runs.show(ROOT)
        # First train the lesson's own run as far as earlier steps show it, because the two runs
        # are compared.
        begin = 0 if other.override is None else other.override.step
        if not self._is_trained_to(max(self._own_goal(), begin)):
            return False
        if self._is_first_try("run"):
            if other.override is not None:
                self._parts.runs.branch_off(other.override, other.name)
            else:
                self._parts.side_runs.train(other.config, other.name)
        return False

    def _own_goal(self) -> int:
        """The number of merges of the lesson's own run that the steps up to this one show."""
        assert self._lesson is not None
        goal = 0
        is_own = True
        for step in self._lesson.steps[: self._place + 1]:
            if step.other is not None:
                is_own = step.other.override is None and step.other.config is None
            if is_own and step.at is not None:
                goal = max(goal, _step_of(step.at, self._open.target))
        return goal

    def _entry_of(self, other: OtherRun | None) -> RunEntry | None:
        """The entry of a run of the lesson; `None` if the run has not been made yet."""
        entries = self._parts.runs.entries
        if other is None or (other.override is None and other.config is None):
            return next(entry for entry in entries if entry.number == ROOT)
        for entry in entries:
            if other.override is not None and (entry.parent, entry.override) == (
                ROOT,
                other.override,
            ):
                return entry
            if (
                other.config is not None
                and entry.is_side_run
                and not changed_fields(entry.config, other.config)
            ):
                return entry
        return None

    def _has_merges(self) -> bool:
        """Whether the run has enough merges for the step; if not, trains it."""
        at: Place | None = self.last("at")
        return self._is_trained_to(_step_of(at, self._open.target))

    def _is_trained_to(self, step: int) -> bool:
        """Whether the shown run has that many merges, or as many as possible; if not, trains it."""
        if self._open.n_merges >= step or not self._parts.transport.can_train_more:
            return True
        if self._open.n_merges != self._asked_at:
            # A breakpoint may stop the run; then training starts again.
            self._asked_at = self._open.n_merges
            self._parts.transport.go_to_end()
            self._parts.transport.step_forward(step - self._open.n_merges)
        return False

    def _type(self, typed: str | None) -> None:
        if typed is not None:
            before = self._open.typed_text if self._typed is None else self._typed[0]
            self._typed = (before, typed)
            self._open.set_typed_text(typed, is_cleared=True)

    def _is_first_try(self, what: str) -> bool:
        is_first = what not in self._tried
        self._tried.add(what)
        return is_first


def _step_of(at: Place | None, end: int) -> int:
    if at == "end":
        return end
    return at if isinstance(at, int) else 0


def _request_of(lesson: Lesson) -> OpeningRequest:
    """The request that opens the lesson's corpus."""
    name = f"Lesson: {lesson.title}"
    if lesson.sample is not None:
        from bpe_studio.files.samples import find_sample

        return OpeningRequest(name, (find_sample(lesson.sample).path,), UTF_8)
    return OpeningRequest(name, text=lesson.text, counts=lesson.counts)
