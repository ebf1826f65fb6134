"""Marks of a run: breakpoints, at which it stops, and bookmarks, which name steps.

A breakpoint is a condition on a merge; `Watch` evaluates those that are switched on. The marks are
stored here; the transport stops at them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from bpe_studio.errors import BpeError
from bpe_studio.explain.names import display_text, elided, isolated
from bpe_studio.workspace.undo import UndoStep

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.segmentation import Segmenter
    from bpe_studio.engine.run import Run

MOST_BREAKPOINTS = 100
_SHOWN_CHARACTERS = 24
_SHOWN = str.maketrans({"␣": " ", "⏎": "\n", "␍": "\r", "⇥": "\t", "⍽": "\u00a0"})


class Question(enum.Enum):
    """The kinds of conditions of a breakpoint."""

    token = "token"
    contains = "contains"
    length = "length"
    tie = "tie"
    count_below = "count_below"
    word = "word"


@dataclass(frozen=True)
class Breakpoint:
    """A condition at which a run stops.

    Attributes:
        question: the kind of condition.
        text: the token (`token`), the text that it contains (`contains`), or the word that becomes
            one token (`word`); with visible white space.
        number: the minimum number of characters (`length`), or the count that the pair falls below
            (`count_below`).
        is_on: whether it stops a run.
    """

    question: Question
    text: str = ""
    number: int = 0
    is_on: bool = True

    def describe(self) -> str:
        """The condition in words, to follow "Stop when"."""
        if self.question is Question.token:
            return f"the token is “{self.text}”"
        if self.question is Question.contains:
            return f"the token contains “{self.text}”"
        if self.question is Question.length:
            return f"the token has {self.number:,} or more characters"
        if self.question is Question.tie:
            return "a tie decides"
        if self.question is Question.count_below:
            return f"the pair's count falls below {self.number:,}"
        return f"“{self.text}” becomes one token"


def breakpoint_in_words(point: Breakpoint) -> str:
    """The condition as the window shows it: white space is visible, right-to-left text isolated."""
    shown = isolated(elided(display_text(point.text), _SHOWN_CHARACTERS))
    return replace(point, text=shown).describe()


@dataclass(frozen=True)
class Bookmark:
    """A step with a name.

    Attributes:
        step: the step.
        name: its name.
    """

    step: int
    name: str


class Marks(QObject):
    """The breakpoints and bookmarks that are set.

    Signals:
        changed: a mark was set, changed or removed.
        undo_step_added: UndoStep, the user has changed the marks.
    """

    changed = Signal()
    undo_step_added = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._breakpoints: tuple[Breakpoint, ...] = ()
        self._bookmarks: tuple[Bookmark, ...] = ()

    @property
    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """The breakpoints, in the order in which they were set."""
        return self._breakpoints

    @property
    def bookmarks(self) -> tuple[Bookmark, ...]:
        """The bookmarks, by step."""
        return self._bookmarks

    def set_breakpoints(self, breakpoints: Iterable[Breakpoint]) -> None:
        """Sets all breakpoints, as an undo step."""
        before = self._breakpoints
        self._put_breakpoints(tuple(breakpoints))
        if self._breakpoints != before:
            step = UndoStep(
                "Change the breakpoints", before, lambda: self._breakpoints, self._put_breakpoints
            )
            self.undo_step_added.emit(step)

    def set_bookmarks(self, bookmarks: Iterable[Bookmark]) -> None:
        """Sets all bookmarks, as an undo step."""
        before = self._bookmarks
        self._put_bookmarks(tuple(bookmarks))
        if self._bookmarks != before:
            step = UndoStep(
                "Change the bookmarks", before, lambda: self._bookmarks, self._put_bookmarks
            )
            self.undo_step_added.emit(step)

    def add_bookmark(self, step: int, name: str) -> None:
        """Sets a bookmark at a step, as an undo step."""
        self.set_bookmarks([*self._bookmarks, Bookmark(step, name)])

    def remove_bookmark(self, step: int) -> None:
        """Removes the bookmark of a step, as an undo step."""
        kept = [each for each in self._bookmarks if each.step != step]
        self.set_bookmarks(kept)

    def set_all(self, breakpoints: Iterable[Breakpoint], bookmarks: Iterable[Bookmark]) -> None:
        """Replaces all marks, without an undo step.

        Duplicates are removed; of several bookmarks at a step, the last is kept. There are at most
        `MOST_BREAKPOINTS` breakpoints, because each one is evaluated for every merge.
        """
        by_condition = {(each.question, each.text, each.number): each for each in breakpoints}
        kept = tuple(by_condition.values())[:MOST_BREAKPOINTS]
        by_step = {each.step: each for each in bookmarks}
        marks = tuple(by_step[step] for step in sorted(by_step))
        if (kept, marks) != (self._breakpoints, self._bookmarks):
            self._breakpoints = kept
            self._bookmarks = marks
            self.changed.emit()

    def _put_breakpoints(self, breakpoints: tuple[Breakpoint, ...]) -> None:
        self.set_all(breakpoints, self._bookmarks)

    def _put_bookmarks(self, bookmarks: tuple[Bookmark, ...]) -> None:
        self.set_all(self._breakpoints, bookmarks)


class Watch:
    """Evaluates breakpoints for the merges of one run. Not thread-safe.

    Args:
        run: the run; it may grow.
        breakpoints: the breakpoints; those that are off are ignored.
        is_window: whether it is used in the window's thread, and can use the run's own segmenter.

    Attributes:
        run: the run.
        breakpoints: those that are on.
    """

    def __init__(
        self, run: Run, breakpoints: Iterable[Breakpoint], *, is_window: bool = False
    ) -> None:
        self.run = run
        self._is_window = is_window
        self.breakpoints = tuple(each for each in breakpoints if each.is_on)
        self._segmenter: Segmenter | None = None

    def __bool__(self) -> bool:
        return bool(self.breakpoints)

    def first(self, begin: int, end: int) -> tuple[int, Breakpoint] | None:
        """The rank of the first merge in [begin, end) at which a breakpoint stops, and that
        breakpoint; None for none.
        """
        return min(self._first_of_each(begin, end), key=lambda found: found[0], default=None)

    def last(self, begin: int, end: int) -> tuple[int, Breakpoint] | None:
        """The rank of the last such merge, and its breakpoint; None for none."""
        found: list[tuple[int, Breakpoint]] = []
        for each in self.breakpoints:
            found += [(rank, each) for rank in self._asked(each, begin, end)]
        return max(found, key=lambda one: one[0], default=None)

    def ranks(self, begin: int, end: int) -> list[int]:
        """The ranks of all such merges, rising."""
        ranks: set[int] = set()
        for each in self.breakpoints:
            ranks.update(self._asked(each, begin, end))
        return sorted(ranks)

    def _first_of_each(self, begin: int, end: int) -> Iterator[tuple[int, Breakpoint]]:
        for each in self.breakpoints:
            rank = next(iter(self._asked(each, begin, end)), None)
            if rank is not None:
                yield rank, each

    def _asked(self, each: Breakpoint, begin: int, end: int) -> Iterable[int]:
        run = self.run
        if each.question is Question.tie:
            columns = run.columns
            tied = (columns.tied[begin:end] > 1) & ~columns.forced[begin:end]
            return (begin + tied.nonzero()[0]).tolist()
        if each.question is Question.count_below:
            columns = run.columns
            below = (columns.count[begin:end] < each.number) & ~columns.forced[begin:end]
            if (
                not below.any()
                or ((columns.count[:begin] < each.number) & ~columns.forced[:begin]).any()
            ):
                return []
            return [begin + int(below.argmax())]
        if each.question is Question.word:
            rank = self._last_of_word(each.text)
            return [rank] if begin <= rank < end else []
        contents = ((rank, run.token_content(run.token_of(rank))) for rank in range(begin, end))
        if each.question is Question.token:
            whole = as_written(each.text).encode("utf-8", "surrogatepass")
            return (rank for rank, content in contents if content == whole)
        if each.question is Question.contains:
            part = as_written(each.text).encode("utf-8", "surrogatepass")
            return (rank for rank, content in contents if part in content)
        enough = each.number
        return (
            rank
            for rank, content in contents
            if len(content) >= enough and _n_characters(content) >= enough
        )

    def _last_of_word(self, word: str) -> int:
        """The rank of the merge that closes the last gap of a word, perhaps after a space; -1 for
        none.
        """
        if self._segmenter is None:
            self._segmenter = self.run.segmenter if self._is_window else self.run.new_segmenter()
        word = as_written(word)
        ranks = []
        for text in (word, " " + word):
            try:
                gaps = self._segmenter.gap_ranks(text)
            except BpeError:
                continue
            if len(gaps) == 1 and len(gaps[0]):
                ranks.append(int(gaps[0].max()))
        last = min(ranks, default=-1)
        return last if last < len(self.run.merges) else -1


def as_written(text: str) -> str:
    """A text as it is in the corpus, from one typed with visible white space.

    >>> as_written("␣the")
    ' the'
    """
    return text.translate(_SHOWN)


def _n_characters(content: bytes) -> int:
    """The number of characters of a token; a part of a character counts as one."""
    return len(content.decode("utf-8", "replace"))
