"""The records of a lesson: its text and settings, its steps and questions. Nothing here reads
files.

A record has what the file says; quantities from the run (`Quantity`) are filled in when the lesson
is played.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.training.overrides import Override
from bpe_studio.files.lessons.placeholders import Quantity

MAIN = "main"
"""The value of `other` that returns to the lesson's own run."""

Place = int | Literal["start", "end"]
AnswerKind = Literal["choice", "pair", "number", "text"]


@dataclass(frozen=True)
class Question:
    """A question to the learner.

    Attributes:
        text: the question.
        kind: the type of the answer.
        choices: the choices, if there are any.
        reasons: for each choice, why it is wrong, or "".
        answer: the right answer; "" until it is known from the run.
        computed: the quantity that is the answer; `None` if the file has the answer.
        why: the explanation after the answer, or "".
        line: its line in the file.
    """

    text: str
    kind: AnswerKind
    choices: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    answer: str = ""
    computed: Quantity | None = None
    why: str = ""
    line: int = 0


@dataclass(frozen=True)
class OtherRun:
    """A run that is shown instead of the lesson's own.

    Attributes:
        name: its name; `MAIN` is the lesson's own run.
        config: the settings of a side run; `None` for a branch.
        override: the override of a branch; `None` for a side run.
    """

    name: str
    config: TrainingConfig | None = None
    override: Override | None = None


@dataclass(frozen=True)
class LessonStep:
    """One step of a lesson. A value of `None` means the same as in the previous step.

    Attributes:
        heading: its title.
        say: its text.
        at: the step of the run: a number of merges, "start" or "end".
        typed: the text to type.
        look: the key of the panel that it refers to.
        pick: the names of the token, or of the two tokens of the pair, to select.
        other: the run to show.
        ask: the question.
        line: its first line in the file.
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
    """A lesson; it has one of `text`, `counts` and `sample`.

    Attributes:
        id: its name for scripts: the file's, without the suffix.
        title: its name in the window.
        about: one sentence about it.
        language: the language of its sentences.
        steps: its steps, in order.
        settings: the settings for splitting and training.
        text: the corpus as a text.
        counts: the corpus as words with their counts.
        sample: the id of a sample of the program.
        path: the file.
        group: the heading above it in a menu, or "".
        question: the question that it answers, the heading of its page; "" if that is its title.
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
    question: str = ""


@dataclass(frozen=True)
class LessonEntry:
    """A lesson as a menu shows it, without reading all of it."""

    id: str
    title: str
    about: str
    path: Path
    group: str = ""
    language: str = "English"
