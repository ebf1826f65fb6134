"""The agreement of subjects with gold words, which somebody has divided into their parts; and the
words that a subject cuts worst.

It is slow on many words, so call it in a worker thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bpe_studio.engine.encoding.boundaries import (
    Boundaries,
    GoldPlaces,
    GoldWord,
    borders_of,
    boundaries_of,
    load_gold,
)
from bpe_studio.engine.run import Run
from bpe_studio.errors import BpeError
from bpe_studio.explain.comparison.subjects import RunAt, Subject
from bpe_studio.explain.names import display_token
from bpe_studio.explain.wording import number, percent, plural

MOST_GROUPS = 8
"""If there are more groups, those with most words are shown."""
MOST_WORST = 200
NOTABLE = 0.001
"""A size agrees better if its F1 is higher by this."""


@dataclass(frozen=True, eq=False)
class Gold:
    """The gold words of a file.

    Attributes:
        name: the name of the file.
        words: the words.
        n_left_out: the number of its lines that are left out.
    """

    name: str
    words: Sequence[GoldWord]
    n_left_out: int = 0

    @classmethod
    def load(cls, path: str, name: str) -> Gold:
        """The words of a file.

        Raises:
            BpeError: it cannot be read, or has no gold words, or too many.
        """
        return cls(name, *load_gold(path))

    @cached_property
    def groups(self) -> dict[str, list[GoldWord]]:
        """The words of each group, the largest groups first; empty if the file names none."""
        found: dict[str, list[GoldWord]] = {}
        for gold in self.words:
            if gold.group:
                found.setdefault(gold.group, []).append(gold)
        largest = sorted(found.items(), key=lambda item: -len(item[1]))
        return dict(largest[:MOST_GROUPS])

    @property
    def about(self) -> str:
        """A sentence or two about the words of the file."""
        text = f"{plural(len(self.words), 'word')} of {self.name}."
        if not self.n_left_out:
            return text
        are = "is" if self.n_left_out == 1 else "are"
        return (
            f"{text} {plural(self.n_left_out, 'line')} {are} left out, because the word came"
            " before, or its parts do not add up to it."
        )


class Score(NamedTuple):
    """The agreement of a subject with the words of a group.

    Attributes:
        subject: the subject.
        group: the group; "" for all words.
        n_words: the number of words in the group.
        shares: precision, recall and F1 of the borders, and the share of stems that are one token;
            None if the subject cannot encode the words.
        why_not: a sentence on why it cannot, or "".
    """

    subject: Subject
    group: str
    n_words: int
    shares: tuple[float, float, float, float] | None
    why_not: str = ""


class WorstWord(NamedTuple):
    """A word that is cut inside a part, or not between two parts.

    Attributes:
        gold: the word.
        tokens: its tokens, as they are shown.
        wrong: the places where only tokens meet, in characters from the start of the word.
        missed: the places where only parts meet.
    """

    gold: GoldWord
    tokens: tuple[str, ...]
    wrong: tuple[int, ...]
    missed: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class GoldAnswer:
    """The agreement of a run and of all subjects, as a page shows it.

    Attributes:
        gold: the words.
        run: the open run.
        curves: the agreement of the run at each step, for each group or for all words.
        scores: the agreement of each subject, in their order, for each group or for all words.
        totals: the agreement of each subject with all words.
        best: the size of the run that agrees best, and its F1.
        worst: the words that A cuts worst, the worst first.
    """

    gold: Gold
    run: Run
    curves: dict[str, Boundaries]
    scores: Sequence[Score]
    totals: dict[Subject, Score]
    best: tuple[int, float]
    worst: Sequence[WorstWord]


@dataclass
class GoldMeasurer:
    """Measures the agreement, and keeps the results of the last gold words."""

    _gold: Gold | None = None
    _curves: dict[tuple[int, int, str], tuple[Run, Boundaries]] = field(default_factory=dict)
    _scores: dict[tuple[Subject, str], Score] = field(default_factory=dict)

    def measure(
        self, gold: Gold, run: Run, subjects: Sequence[Subject], a: Subject, *, by_group: bool
    ) -> GoldAnswer:
        """The agreement of a run at every step, and of all subjects.

        Args:
            gold: the words.
            run: the open run.
            subjects: the subjects.
            a: the subject whose worst words are wanted.
            by_group: whether to measure each group by itself.
        """
        if gold is not self._gold:
            self._gold = gold
            self._curves = {}
            self._scores = {}
        words = gold.groups if by_group else {"": gold.words}
        curves = {name: self._curve(run, name, some) for name, some in words.items()}
        scores = []
        for subject in subjects:
            for name, some in words.items():
                scores.append(self._score(subject, run, name, some, curves[name]))
        whole = self._curve(run, "", gold.words)
        totals = {each: self._score(each, run, "", gold.words, whole) for each in subjects}
        step = int(np.argmax(whole.f1))
        best = int(run.vocab_size_at(step)), float(whole.f1[step])
        return GoldAnswer(gold, run, curves, scores, totals, best, worst_words(a, gold.words))

    def _curve(self, run: Run, group: str, words: Sequence[GoldWord]) -> Boundaries:
        key = (id(run), len(run.merges), group)
        if key not in self._curves:
            self._curves[key] = run, run.boundaries(words)
        return self._curves[key][1]

    def _score(
        self, subject: Subject, run: Run, group: str, words: Sequence[GoldWord], curve: Boundaries
    ) -> Score:
        if isinstance(subject, RunAt) and subject.run is run and subject.step < len(curve.f1):
            return Score(subject, group, len(words), curve.at(subject.step))
        key = subject, group
        if key not in self._scores:
            self._scores[key] = _score_of(subject, group, words)
        return self._scores[key]


def _score_of(subject: Subject, group: str, words: Sequence[GoldWord]) -> Score:
    try:
        found = boundaries_of(subject.as_tokenizer(), words)
    except BpeError as error:
        return Score(subject, group, len(words), None, str(error))
    return Score(subject, group, len(words), found.at(0))


def worst_words(subject: Subject, words: Sequence[GoldWord]) -> list[WorstWord]:
    """The words with most wrong and missed borders, the worst first; empty if the subject cannot
    encode them.
    """
    gold = GoldPlaces.of(words)
    try:
        tokenizer = subject.as_tokenizer()
        is_border = borders_of(tokenizer, words, gold)
    except BpeError:
        return []
    is_gold = np.zeros(len(is_border), np.bool_)
    is_gold[gold.borders] = True
    n_errors = np.add.reduceat((is_border != is_gold).astype(np.int64), gold.starts[:-1])
    order = np.argsort(-n_errors, kind="stable")[:MOST_WORST]
    found = []
    for place in order[n_errors[order] > 0].tolist():
        letters = slice(int(gold.starts[place]) + 1, int(gold.starts[place + 1]))
        here = is_border[letters]
        wanted = is_gold[letters]
        ids = tokenizer.encode_ids(f" {words[place].word}", recognize_special=False).tolist()
        names = tuple(display_token(tokenizer.content(token)) for token in ids)
        wrong = tuple(np.flatnonzero(here & ~wanted).tolist())
        missed = tuple(np.flatnonzero(wanted & ~here).tolist())
        found.append(WorstWord(words[place], names, wrong, missed))
    return found


def gold_sentence(answer: GoldAnswer, a: Subject) -> str:
    """Sentences about the agreement of A with the gold words, and the size that agrees best."""
    name = f"In “{a.name}”" if a.name else f"At {number(a.vocab_size)} tokens"
    shares = answer.totals[a].shares
    if shares is None:
        return f"{name}, the gold words cannot be encoded."
    *_, f1, whole = shares
    text = (
        f"{name}, borders agree with the gold words by an F1 of {percent(f1, 1)}, and"
        f" {percent(whole, 1)} of the stems are one token."
    )
    size, best = answer.best
    if best - f1 < NOTABLE:
        return f"{text} No size of this run agrees notably better."
    return f"{text} The best size of this run is {number(size)}, with {percent(best, 1)}."
