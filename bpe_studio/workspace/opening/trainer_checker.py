"""Checks somebody's own trainer on request, in a thread of its own, as the command `check` does."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from bpe_studio.engine.generators import relay
from bpe_studio.errors import CorpusError
from bpe_studio.workspace.backend import Backend
from bpe_studio.workspace.corpus.reading import (
    check_has_text,
    check_is_text,
    request_of_files,
    with_files_of_folders,
)
from bpe_studio.workspace.corpus.text_files import has_text
from bpe_studio.workspace.opening.changes import CorpusText, Place
from bpe_studio.workspace.state import Progress
from bpe_studio.workspace.user_job import UserJob

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.counting.corpus import Corpus
    from bpe_studio.explain.check.check import Check
    from bpe_studio.explain.check.grading import Test
    from bpe_studio.explain.check.split import SplitCheck
    from bpe_studio.explain.why.answers import WordRows

_TITLE = "Check a trainer"
CONTEXT = 30
"""The number of characters that are shown on each side of the beginning of a wrong piece."""


@dataclass(frozen=True, eq=False)
class TrainerQuestion:
    """A trainer, and the text and settings for its check.

    Attributes:
        path: a list of merges, a tokenizer, or a Python file.
        function: the name of the function in a Python file; "" for other files.
        place: the text.
        text_name: the name of the text.
        config: the settings that the merges should follow.
        settings_name: the name of the settings.
        seconds: the time limit of a function.
        as_many: whether a list is compared with as many merges as it has.
        encoded: JSON lines with texts and their tokens, to check an encoder, too; None for none.
        is_split: whether the file has a split: a function, or a list of pieces.
    """

    path: Path
    function: str
    place: Place
    text_name: str
    config: TrainingConfig
    settings_name: str
    seconds: int
    as_many: bool = False
    encoded: Path | None = None
    is_split: bool = False

    @property
    def given(self) -> str:
        """The trainer as `check` takes it."""
        return f"{self.path}:{self.function}" if self.function else str(self.path)


@dataclass(frozen=True, eq=False)
class CheckedTrainer:
    """The result of a check.

    Attributes:
        found: the answer.
        given_words, expected_words: the words with the two pairs of the first wrong merge.
    """

    found: Check
    given_words: WordRows
    expected_words: WordRows


@dataclass(frozen=True, eq=False)
class CheckedSplit:
    """The result of the check of a split.

    Attributes:
        found: the answer.
        before, after: the text on each side of the place where the first wrong piece should begin.
    """

    found: SplitCheck
    before: str
    after: str


class TrainerChecker(UserJob[CheckedTrainer | CheckedSplit]):
    """Checks trainers, one at a time.

    Attributes:
        question: the last question; None for none.
        rubric: the tests that give points; empty for none.
    """

    def __init__(self, backend: Backend, parent: QObject | None = None) -> None:
        """Nothing has been checked.

        Args:
            backend: reads the files.
            parent: the QObject that owns it.
        """
        super().__init__(_TITLE, _TITLE, parent)
        self._backend = backend
        self.question: TrainerQuestion | None = None
        self.rubric: list[Test] = []

    def check(self, question: TrainerQuestion) -> None:
        """Checks a trainer, and forgets the result of the last one."""
        self.cancel()
        self.question = question
        self._result = None
        check = checked_split if question.is_split else checked
        self._start(partial(check, self._backend, question))


def checked(
    backend: Backend, question: TrainerQuestion
) -> Generator[Progress, None, CheckedTrainer]:
    """Checks a trainer.

    Raises:
        BpeError: the text or the merges cannot be read, or the function fails.
    """
    from bpe_studio.explain.check.check import checking
    from bpe_studio.files.merge_lists import read_encoded

    encoded = [] if question.encoded is None else read_encoded(question.encoded)
    name = question.path.name
    first = f"Reading {name}"
    if question.function:
        first = (
            f"Running {question.function} of {name} twice, for at most {question.seconds} seconds"
            " each"
        )
    yield Progress(first, 0, 0, "%")
    source = yield from _source(backend, question.place)

    def progress(share: float) -> Progress:
        if share == 0.0:
            return Progress(first, 0, 0, "%")
        return Progress("Looking for the mistake", round(100 * share), 100, "%")

    work = checking(
        question.given,
        source,
        question.config,
        encoded=encoded,
        seconds=question.seconds,
        as_many=question.as_many,
    )
    found = yield from relay(work, progress)
    wrong = found.first_wrong
    given = None if wrong is None else wrong.given
    expected = None if wrong is None else wrong.expected
    return CheckedTrainer(found, found.words_with(given), found.words_with(expected))


def checked_split(
    backend: Backend, question: TrainerQuestion
) -> Generator[Progress, None, CheckedSplit]:
    """Checks a split.

    Raises:
        BpeError: the text or the pieces cannot be read, or the function fails.
    """
    from bpe_studio.explain.check.split import checking_split

    source = yield from _source(backend, question.place)
    if not isinstance(source, tuple):
        raise CorpusError("Words with counts are no text to split: choose another text")
    text = "".join(source)
    work = checking_split(question.given, text, question.config, seconds=question.seconds)
    name = question.path.name
    found = yield from relay(
        work, lambda share: Progress(f"Checking {name}", round(100 * share), 100, "%")
    )
    start = found.start or 0
    before = text[max(0, start - CONTEXT) : start]
    return CheckedSplit(found, before, text[start : start + CONTEXT])


def _source(backend: Backend, place: Place) -> Generator[Progress, None, tuple[str, ...] | Corpus]:
    """The texts of a place, or its words if there is no text."""
    if place.info is not None:
        request = place.info.request
        if not has_text(request):
            return place.info.corpus
    else:
        request, _ = yield from with_files_of_folders(backend, request_of_files(place.paths))
        check_has_text(request)
        for path in request.paths:
            check_is_text(backend, path)
    texts = []
    for text in CorpusText(backend, request, None):
        texts.append(text)
        yield Progress(f"Reading {request.name}", 0, 0, "%")
    return tuple(texts)
