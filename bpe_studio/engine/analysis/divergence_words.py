"""Words of a text that show why a pair occurs in one run, and less often or not at all in another.

A run keeps words and their counts, not the text. So a word in one run's table is taken as a text of
its own, which the other's settings normalize, split and cut with the merges that both have in
common; if the pair then occurs another number of times, the word shows the difference. Applying one
run's normalization or split to the other shows which of them is the cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.analysis.token_meaning import BEGINS, ENDS, Writing
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.cut import cut_at
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.pretokenization import pre_tokens
from bpe_studio.engine.text.timed_matches import TimeBudget
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.engine.training.corpus_array import Tokens

if TYPE_CHECKING:
    from bpe_studio.engine.option_types import Normalization
    from bpe_studio.engine.run import Run

N_WORDS = 5
_MOST_TRIED = 200
_MOST_SEARCHED = 20_000
_MOST_BYTES = 80
"""Of a longer word, such as the whole text without a split, parts are taken."""
_AROUND = 8
MeantPair = tuple[str, str]
"""A pair, by the meanings of its tokens."""


@dataclass(frozen=True)
class WordCut:
    """A word, or a part of a text, as each of two runs cuts it.

    Attributes:
        text: the text, as it is in one of the two tables.
        count: how often that word occurs in its table.
        cut_a: for each pre-token of the first run, the names of its tokens.
        cut_b: the same for the second run.
        times_a: how often the pair occurs in it as the first run cuts it.
        times_b: the same for the second run.
    """

    text: str
    count: int
    cut_a: tuple[tuple[str, ...], ...]
    cut_b: tuple[tuple[str, ...], ...]
    times_a: int
    times_b: int


class Side:
    """A run at a step that can cut any text.

    Args:
        run: the run.
        step: how many merges apply.
        tokens: its corpus at the step.
        meant: the meaning of each of its tokens, by id.
        number: 0 for the first of the two runs, 1 for the second.
    """

    def __init__(
        self, run: Run, step: int, tokens: Tokens, meant: Sequence[str], number: int
    ) -> None:
        run = run.at(step)
        self.run = run
        self.step = step
        self.tokens = tokens
        self.meant = meant
        self.number = number
        self.config = run.config
        self.writing = Writing.of(run)
        self._segmenter = run.new_segmenter()
        self._segmenter.refresh()

    def cut(self, text: str, rules: TrainingConfig | None = None) -> list[list[int]]:
        """The tokens of each pre-token of a text; below 0 outside the alphabet.

        Args:
            text: the text.
            rules: settings whose normalization and split are used instead; `None` for the run's
                own.
        """
        words = pieces(text, rules or self.config)
        if rules is not None and rules.cutting != self.config.cutting:
            # What precedes a word is written as in this run.
            mark = rules.word_start or " "
            own = self.config.word_start
            if not own and self.writing.space:
                own = " "
            for number, word in enumerate(words):
                if word.startswith(mark):
                    words[number] = own + word.removeprefix(mark)
        found = [self._segmenter.word(word) for word in words if word]
        return [
            cut_at(word.gaps, self.step).ids(word.symbols, self.run.n_alphabet).tolist()
            for word in found
        ]

    def times(self, cut: list[list[int]], pair: MeantPair) -> int:
        """The number of times that a pair occurs in a cut text."""
        meant = self.meant
        n = 0
        for word in cut:
            for left, right in pairwise(word):
                if left >= 0 and right >= 0 and (meant[left], meant[right]) == pair:
                    n += 1
        return n

    def names(self, cut: list[list[int]]) -> tuple[tuple[str, ...], ...]:
        """A cut text with its tokens in the spelling of logs."""
        return tuple(tuple(map(self._name, word)) for word in cut)

    def _name(self, token: int) -> str:
        if token < 0:
            return self.config.unknown or "\ufffd"
        return self.run.token_name(token)

    def words_with(self, pair: MeantPair) -> Iterator[tuple[str, int]]:
        """The words in which a pair occurs, as texts, and their counts, the most frequent first."""
        words = self.tokens.words
        places = places_of(pair, self.tokens, self.meant)
        found = np.unique(words[places])
        weights = self.run.layout.weights[found]
        for k in np.argsort(-weights, kind="stable")[:_MOST_TRIED].tolist():
            word = self.run.corpus.pre_token_bytes(int(found[k]))
            if len(word) <= _MOST_BYTES:
                yield self._text(word), int(weights[k])
            else:
                inside = places[words[places] == found[k]][:_MOST_TRIED].tolist()
                yield from ((self._text_around(place), int(weights[k])) for place in inside)

    def words_that_may_hold(self, content: str, rules: TrainingConfig) -> Iterator[tuple[str, int]]:
        """The run's own words, as texts, that may contain some bytes after normalization with other
        settings.
        """
        corpus = self.run.corpus
        best = np.argsort(-corpus.counts, kind="stable")[:_MOST_SEARCHED]
        n_found = 0
        for index in best.tolist():
            word = corpus.pre_token_bytes(index)
            count = int(corpus.counts[index])
            text = self._text(word)
            if len(word) <= _MOST_BYTES:
                changed = to_bytes(normalize(text, rules.normalize))
                if content in changed.decode("latin-1"):
                    yield text, count
                    n_found += 1
            if n_found > _MOST_TRIED:
                return

    def _text(self, word: bytes) -> str:
        text = word.decode("utf-8", "surrogateescape")
        mark = self.config.word_start
        return text.replace(mark, " ", 1) if mark else text

    def _text_around(self, place: int) -> str:
        """The text around a token of a long word."""
        around = slice(max(0, place - _AROUND), place + _AROUND + 2)
        ids = self.tokens.ids[around]
        words = self.tokens.words[around]
        inside = ids[words == self.tokens.words[place]].tolist()
        return self._text(b"".join(map(self.run.token_content, inside)))


def places_of(pair: MeantPair, tokens: Tokens, meant: Sequence[str]) -> Int64Array:
    """The places of a pair, or of several that mean the same, in a corpus: the index of each left
    token.
    """
    ids = tokens.ids
    words = tokens.words
    left, right = pair
    lefts = [token for token, each in enumerate(meant) if each == left]
    rights = [token for token, each in enumerate(meant) if each == right]
    return np.flatnonzero(
        np.isin(ids[:-1], lefts) & np.isin(ids[1:], rights) & (words[:-1] == words[1:])
    )


def pieces(text: str, rules: TrainingConfig) -> list[str]:
    """The pre-tokens of a text under some settings; special tokens are taken as text."""
    *whole, rest = text.split("\n") if rules.documents == "line" else [text]
    lines = [*(line + "\n" for line in whole), rest]
    budget = TimeBudget()
    found: list[str] = []
    for line in lines:
        found += pre_tokens(normalize(line, rules.normalize), rules.cutting, budget)
    return found


def cuts_that_differ(more: Side, less: Side, pair: MeantPair) -> tuple[WordCut, ...]:
    """Words in which a pair occurs more often, as one run cuts them, than as the other does.

    Args:
        more: the run in which the pair occurs more often.
        less: the other run.
        pair: the pair.
    """
    space = ""
    if less.writing.space and not more.writing.space and more.config.split != "none":
        space = " "
    found: dict[tuple[object, object], WordCut] = {}
    for text, count in more.words_with(pair):
        _try(found, more, less, pair, space + text, count)
        if len(found) >= 4 * N_WORDS:
            break
    if more.run.corpus is not less.run.corpus and len(found) < N_WORDS:
        content = "".join(pair).replace(BEGINS, "").replace(ENDS, "")
        for text, count in less.words_that_may_hold(content, more.config):
            _try(found, more, less, pair, text, count)
            if len(found) >= 4 * N_WORDS:
                break
    return tuple(sorted(found.values(), key=lambda word: (-word.count, len(word.text)))[:N_WORDS])


def group_that_differs(more: Side, less: Side, pair: MeantPair, words: tuple[WordCut, ...]) -> str:
    """The settings that make a pair more frequent in one run: "normalization", "cut" or "alphabet".

    Those of the other run are applied to it, each separately; those that make the pair as rare as
    in the other run are the cause. If neither does, and both together do not, the cause is how
    words are written.

    Returns:
        "" if the cause is not known.
    """
    lent = {
        "normalization": _rules(less.config.normalize, more.config),
        "cut": _rules(more.config.normalize, less.config),
        "both": less.config,
    }
    votes = dict.fromkeys((*lent, "alphabet"), 0)
    for word in words:
        wanted = word.times_a if more.number else word.times_b
        explained = (
            name
            for name, rules in lent.items()
            if more.times(more.cut(word.text, rules), pair) == wanted
        )
        votes[next(explained, "alphabet")] += word.count
    best = max(votes, key=lambda name: votes[name])
    return best if votes[best] and best != "both" else ""


def _rules(normalization: tuple[Normalization, ...], split_of: TrainingConfig) -> TrainingConfig:
    return replace(split_of, normalize=normalization)


def _try(
    found: dict[tuple[object, object], WordCut],
    more: Side,
    less: Side,
    pair: MeantPair,
    text: str,
    count: int,
) -> None:
    """Adds a text to the words if the pair occurs in it more often in the one run."""
    cuts = more.cut(text), less.cut(text)
    times = more.times(cuts[0], pair), less.times(cuts[1], pair)
    if times[0] <= times[1]:
        return
    names = more.names(cuts[0]), less.names(cuts[1])
    if names in found:
        return
    if more.number:
        names = names[::-1]
        times = times[::-1]
    found[more.names(cuts[0]), less.names(cuts[1])] = WordCut(text, count, *names, *times)
