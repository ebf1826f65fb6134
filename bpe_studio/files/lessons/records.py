"""The records of a lesson: its text and settings, its steps, and what it asks. Nothing here reads files.

A lesson is what its file says; what comes from the run (`Quantity`) is filled in when the lesson is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override
from bpe_studio.files.lessons.placeholders import Quantity

MAIN = "main"
"""What a step writes for `other` to go back to the lesson's own run."""

Place = int | Literal["start", "end"]
AnswerKind = Literal["choice", "pair", "number", "text"]


@dataclass(frozen=True)
class Question:
    """What a learner is asked before the answer is shown.

    Attributes:
        text: the question.
        kind: how it is answered.
        choices: what to choose from, where there is a choice.
        answer: the right answer; "" until it is read from the run.
        computed: what tells the answer; `None` where the file does.
        why: what is said after the answer, or "".
        line: where it is in the file.
    """

    text: str
    kind: AnswerKind
    choices: tuple[str, ...] = ()
    answer: str = ""
    computed: Quantity | None = None
    why: str = ""
    line: int = 0


@dataclass(frozen=True)
class OtherRun:
    """A run that is shown in place of the lesson's own.

    Attributes:
        name: what it is called; `MAIN` is the lesson's own run.
        config: its settings, where it is a side run; `None` for a branch.
        override: what a branch decides differently; `None` for a side run.
    """

    name: str
    config: TrainingConfig | None = None
    override: Override | None = None


@dataclass(frozen=True)
class LessonStep:
    """One step of a lesson. What is `None` stays as the step before left it.

    Attributes:
        heading: its title.
        say: what is said.
        at: the step of the run: a number of merges, "start" or "end".
        typed: the text to type.
        look: the key of the panel to look at.
        pick: the names of a token, or of the two tokens of a pair.
        other: the run to show.
        ask: what is asked.
        line: where the step begins in the file.
    """

    heading: str
    say: str
    at: Place | None = None
    typed: str | None = None
    look: str | None = None
    pick: tuple[str, ...] | None = None
    other: OtherRun | None = None
    ask: Question | None = None
    line: int = 0


@dataclass(frozen=True)
class Lesson:
    """A lesson; one of `text`, `counts` and `sample` is there.

    Attributes:
        id: its name for scripts: the file's, without the suffix.
        title: its name for people.
        about: one sentence about it.
        language: the language of its sentences.
        steps: what is shown and asked, in order.
        settings: how its text is cut and learned from.
        text: the corpus as a text.
        counts: the corpus as words and how often each occurs.
        sample: the id of a sample of the program.
        path: the file.
        group: the heading above it in a menu, or "".
    """

    id: str
    title: str
    about: str
    language: str
    steps: tuple[LessonStep, ...]
    settings: TrainingConfig
    text: str | None = None
    counts: tuple[tuple[str, int], ...] = ()
    sample: str | None = None
    path: Path = Path()
    group: str = ""


@dataclass(frozen=True)
class LessonEntry:
    """What a menu shows of a lesson before it is read."""

    id: str
    title: str
    about: str
    path: Path
    group: str = ""
