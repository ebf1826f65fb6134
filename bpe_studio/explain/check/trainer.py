"""A plain trainer with a hook for each decision that people get wrong.

Without a mistake, it is `engine/textbook.py` with the tie rules, marks and limits of the settings;
a mistake replaces one of its decisions (`mistakes.py`). It updates the counts of pairs instead of
counting all of them again, and remembers the words in which each pair occurs. If a pair makes a
token for the second time, it is merged again, as in most trainers that people write; without a
mistake, this does not happen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from bpe_studio.engine.config import MAX_VOCAB_SIZE, TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.kernels.buffers import CHARACTERS, CLASS, LENGTH
from bpe_studio.engine.text.alphabet import from_stand_ins
from bpe_studio.engine.textbook import Pair, Words
from bpe_studio.engine.tie_rules import Compared, TieRule
from bpe_studio.engine.training.corpus_array import CorpusArray, lay_out
from bpe_studio.engine.training.merge_log import MergeColumns
from bpe_studio.engine.training.token_facts import TokenFacts
from bpe_studio.engine.training.trainer import Trainer
from bpe_studio.errors import VocabularyError

_ABOVE_ZERO = 1e-300
_LONG_WORD = 1000
"""The pairs of a longer word, such as a text that is not split, are kept from one merge to the
next.
"""
Choose = Callable[[list[Pair], "PlainTrainer"], Pair]
"""Chooses one of several pairs that occur equally often."""


def places_of(pair: Pair, tokens: list[str]) -> Iterator[int]:
    """The places where a pair is merged in a word, from the left to the right.

    >>> list(places_of(("a", "a"), ["a", "a", "a", "b", "a", "a"]))
    [0, 4]
    """
    begin = 0
    last = len(tokens) - 1
    with suppress(ValueError):  # there is no other
        while True:
            place = tokens.index(pair[0], begin, last)
            begin = place + 1
            if tokens[begin] == pair[1]:
                yield place
                begin += 1


def merged_in_order(tokens: list[str], pair: Pair, token: str) -> list[str]:
    """A faster `textbook.merge_pair`.

    >>> merged_in_order(["a", "a", "a", "b"], ("a", "a"), "aa")
    ['aa', 'a', 'b']
    """
    merged: list[str] = []
    begin = 0
    for place in places_of(pair, tokens):
        merged += tokens[begin:place]
        merged.append(token)
        begin = place + 2
    return merged + tokens[begin:]


@dataclass(frozen=True)
class Procedure:
    """All decisions of a trainer.

    Attributes:
        source: the texts, or a corpus whose texts are not known.
        config: the settings; `choose` replaces their tie rule.
        n_merges: the number of merges to train.
        choose: breaks ties; `None` for the tie rule of the settings.
        pairs_in: gives the pairs that are counted in a word.
        merged: replaces a pair in a word by its token.
        merges_everywhere: whether `merged` may change words in which the pair does not occur.
        taken_from: gives the pairs that are taken from the counts when a merge changes a word;
            `None` for those that were counted in it.
        n_at_once: the number of merges that are chosen before pairs are counted again.
        weighs_words: whether a word counts as often as it occurs.
        lowers_counts: whether the counts of pairs that a merge destroys are lowered.
        raises_counts: whether pairs that a merge makes are counted.
        keeps_lowered: whether a pair whose count a merge has lowered may still be merged.
        laid_out: changes the words before the first merge.
        moves_changed: whether a word that a merge changes comes after all others.
        merged_by: makes `merged` for a trainer that needs to know more than the word.
        values: gives the worth of each pair, the greatest of which is merged; `None` for its count.
        has_minimum: whether the minimum frequency is a limit for the worth.
        reported: changes the merges before they are reported.
    """

    source: tuple[str, ...] | Corpus
    config: TrainingConfig
    n_merges: int
    choose: Choose | None = None
    pairs_in: Callable[[Sequence[str]], Iterable[Pair]] = pairwise
    merged: Callable[[list[str], Pair, str], list[str]] = merged_in_order
    merges_everywhere: bool = False
    taken_from: Callable[[Sequence[str]], Iterable[Pair]] | None = None
    n_at_once: int = 1
    weighs_words: bool = True
    lowers_counts: bool = True
    raises_counts: bool = True
    keeps_lowered: bool = True
    laid_out: Callable[[Words], Words] | None = None
    moves_changed: bool = False
    merged_by: Callable[[PlainTrainer], Callable[[list[str], Pair, str], list[str]]] | None = None
    values: Callable[[PlainTrainer], Mapping[Pair, float]] | None = None
    has_minimum: bool = True
    reported: Callable[[Iterator[Pair], Procedure], Iterator[Pair]] | None = None

    @property
    def is_of_engine(self) -> bool:
        """Whether the engine, which is faster, can train it: only texts or settings differ."""
        return self == Procedure(self.source, self.config, self.n_merges)


def merges_of(procedure: Procedure) -> Iterator[Pair]:
    """The pairs that a procedure merges, one by one."""
    if procedure.reported is not None:
        yield from procedure.reported(merges_of(replace(procedure, reported=None)), procedure)
        return
    if not procedure.is_of_engine:
        yield from _plain_merges_of(procedure)
        return
    trainer = Trainer(corpus_of(procedure), procedure.config.replace(merges=procedure.n_merges))
    n_merges = 1
    while learned := trainer.run(n_merges):
        yield from ((merge.left, merge.right) for merge in learned)
        n_merges *= 2  # whoever compares them may soon stop


def _plain_merges_of(procedure: Procedure) -> Iterator[Pair]:
    """The same by a plain trainer; of two stages, each has one."""
    config = procedure.config
    if config.superwords_from is None:
        yield from PlainTrainer(procedure)
        return
    corpus = corpus_of(procedure).first
    assert corpus is not None
    n_first = config.first_merges(lay_out(corpus, config.stages[0]).alphabet.n_own)
    n_merges = min(n_first, procedure.n_merges)
    words = replace(procedure, source=corpus, config=config.stages[0], n_merges=n_merges)
    first = PlainTrainer(words)
    yield from first
    if len(first.merges) == n_first < procedure.n_merges:
        yield from PlainTrainer(procedure, first.merges)


class PlainTrainer:
    """Trains merges by a procedure; iterating over it gives their pairs.

    Args:
        procedure: says it.
        made: the merges of an earlier stage, which are made before pairs are counted.

    Attributes:
        words: the tokens and the count of each distinct word, in first-seen order; no tokens where
            a word was moved.
        counts: the count of each pair that may be merged, in the order in which the pairs came up.
        ids: the id of each token, which some tie rules compare.
        texts: the name or the bytes of each token, which other tie rules compare.
        merges: the pairs that were merged.
        totals: the sums of counts, for procedures that add them up.
    """

    def __init__(self, procedure: Procedure, made: Sequence[Pair] = ()) -> None:
        self.procedure = procedure
        config = procedure.config
        layout = lay_out(corpus_of(procedure), config)
        facts = TokenFacts(layout, config, MergeColumns())
        self._pieces = facts.pieces
        self._facts = dict(zip(layout.alphabet.names, facts.rows(0).tolist(), strict=True))
        self.ids = {name: number for number, name in enumerate(layout.alphabet.names)}
        self.texts = {name: _text_of(name, config) for name in self.ids}
        self._contents = dict(zip(layout.alphabet.names, layout.alphabet.contents, strict=True))
        self.words = _words(layout, procedure.weighs_words)
        if procedure.laid_out is not None:
            self.words = procedure.laid_out(self.words)
        self.totals: Counter[Pair] = Counter()
        self._merged = procedure.merged
        if procedure.merged_by is not None:
            self._merged = procedure.merged_by(self)
        self.counts: dict[Pair, int] = {}
        self.merges: list[Pair] = list(made)
        for pair in made:
            self._add_token(self.token_of(pair), pair)
        ranks = {pair: rank for rank, pair in enumerate(made)}
        self.words = [(self._with_merges(tokens, ranks), count) for tokens, count in self.words]
        self._long: dict[int, Counter[Pair]] = {}
        self._words_with: dict[Pair, set[int]] = {}
        for number, (tokens, count) in enumerate(self.words):
            for pair in procedure.pairs_in(tokens):
                if pair in self.counts or self._is_allowed(pair):
                    self._words_with.setdefault(pair, set()).add(number)
                    self.counts[pair] = self.counts.get(pair, 0) + count

    def _with_merges(self, tokens: list[str], ranks: Mapping[Pair, int]) -> list[str]:
        """A word in which merges are made, in their order."""
        while found := [pair for pair in pairwise(tokens) if pair in ranks]:
            pair = min(found, key=ranks.__getitem__)
            tokens = self._merged(tokens, pair, self.token_of(pair))
        return tokens

    def __iter__(self) -> Iterator[Pair]:
        from bpe_studio.explain.check.ties import by_rule

        choose = self.procedure.choose or by_rule(self.procedure.config.ties)
        least: float = max(1, self.procedure.config.min_frequency)
        if not self.procedure.has_minimum:
            least = _ABOVE_ZERO
        while len(self.merges) < self.procedure.n_merges:
            values: Mapping[Pair, float] = self.counts
            if self.procedure.values is not None:
                values = self.procedure.values(self)
            chosen = self._best(values, least, choose)
            if not chosen:
                break
            for pair in chosen[: self.procedure.n_merges - len(self.merges)]:
                self.merges.append(pair)
                yield pair
                self._merge(pair)

    def _best(self, values: Mapping[Pair, float], least: float, choose: Choose) -> list[Pair]:
        """The pairs that are merged before the next count; each is worth enough."""
        chosen: list[Pair] = []
        while len(chosen) < self.procedure.n_at_once:
            if chosen:
                values = {pair: worth for pair, worth in values.items() if pair != chosen[-1]}
            value = max(values.values(), default=0)
            if value < least:
                break
            best = [pair for pair, worth in values.items() if worth == value]
            pair = best[0] if len(best) == 1 else choose(best, self)
            chosen.append(pair)
        return chosen

    def first_place(self, pair: Pair) -> tuple[int, int]:
        """The first place of a pair, as the text is cut now: the word, and the place in it."""
        number = min(self._words_with.get(pair, ()), default=len(self.words))
        tokens = self.words[number][0] if number < len(self.words) else []
        return number, next(places_of(pair, tokens), len(tokens))

    def compared(self, rule: TieRule) -> Compared:
        """The facts about pairs that a tie rule may use."""
        text_of = str if rule.compares_names else self.texts.__getitem__
        return Compared(
            self.ids.__getitem__,
            text_of,
            lambda token: self._facts[token][CHARACTERS],
            lambda left, right: self.first_place((left, right)),
        )

    def token_of(self, pair: Pair) -> str:
        """The token that a pair makes, without a prefix of a continuing symbol inside it."""
        return self.procedure.config.joined(*pair)

    def _is_allowed(self, pair: Pair) -> bool:
        """Whether the settings allow the token that a pair makes."""
        return not self._pieces.refusal(self._facts[pair[0]], self._facts[pair[1]])

    def _merge(self, pair: Pair) -> None:
        token = self.token_of(pair)
        pairs_in = self.procedure.pairs_in
        self._add_token(token, pair)
        changes: dict[Pair, int] = {}
        numbers: Iterable[int] = range(len(self.words))
        if not self.procedure.merges_everywhere:
            numbers = sorted(self._words_with.get(pair, ()))
        for number in numbers:
            tokens, count = self.words[number]
            after = self._merged(tokens, pair, token)
            if after == tokens:
                continue
            for strange in after:
                if strange not in self.ids:
                    self._add_token(strange, pair)
            place = number
            if self.procedure.moves_changed:
                place = len(self.words)
                self.words[number] = [], 0
                self.words.append((after, count))
            else:
                self.words[number] = after, count
            new = Counter(pairs_in(after))
            old = self._long.pop(number, None) or Counter(pairs_in(tokens))
            if self.procedure.taken_from is not None:
                old = Counter(self.procedure.taken_from(tokens))
            if len(after) > _LONG_WORD:
                self._long[place] = new
            for each in {**new, **old}:  # in the order in which they come up
                if each not in self.counts and not self._is_allowed(each):
                    continue
                change = (new[each] - old[each]) * count
                if change:
                    changes[each] = changes.get(each, 0) + change
                if self.procedure.lowers_counts and each in self._words_with:
                    self._words_with[each].discard(number)
                if new[each]:
                    self._words_with.setdefault(each, set()).add(place)
        if not self.procedure.lowers_counts:
            self.counts[pair] = 0  # even a trainer that forgets the neighbours takes each pair once
        lowers = self.procedure.lowers_counts
        raises = self.procedure.raises_counts
        for each, change in changes.items():
            is_followed = lowers if change < 0 else raises
            if is_followed:
                self.counts[each] = self.counts.get(each, 0) + change
            if change < 0 and not self.procedure.keeps_lowered:
                self.counts[each] = 0
        if self.procedure.taken_from is not None:
            self.counts[pair] = 0  # otherwise it would be merged again and again

    def _add_token(self, token: str, pair: Pair) -> None:
        """Number a new token. It has the class of the pair, even if a wrong merge made it of other
        tokens.
        """
        if token in self.ids:
            return
        a = self._facts[pair[0]]
        b = self._facts[pair[1]]
        self.ids[token] = len(self.ids)
        self.texts[token] = _text_of(token, self.procedure.config)
        self._contents[token] = self._contents[pair[0]] + self._contents[pair[1]]
        joined = int(self._pieces.joins[a[CLASS], b[CLASS]])
        joined = self._pieces.settled(joined, self._contents[token])
        self._facts[token] = [a[LENGTH] + b[LENGTH], a[CHARACTERS] + b[CHARACTERS], joined]


def corpus_of(procedure: Procedure) -> Corpus:
    """The corpus that a procedure trains on."""
    if isinstance(procedure.source, Corpus):
        return procedure.source
    cut_alike = procedure.config.replace(ties="first-seen", min_frequency=1, merges=MAX_VOCAB_SIZE)
    return _corpus_of_texts(procedure.source, cut_alike)


@lru_cache(maxsize=4)
def _corpus_of_texts(texts: tuple[str, ...], config: TrainingConfig) -> Corpus:
    return Corpus.from_texts(texts, config)


def forget_texts() -> None:
    """Frees the texts that are kept from one procedure to the next."""
    _corpus_of_texts.cache_clear()


def _words(layout: CorpusArray, weighs: bool) -> list[tuple[list[str], int]]:
    names = layout.alphabet.names
    starts = layout.word_starts.tolist()
    symbols = layout.symbols.tolist()
    weights = layout.weights.tolist()
    words = []
    for start, end, weight in zip(starts, starts[1:], weights, strict=False):
        tokens = [names[symbol] for symbol in symbols[start : end - 1]]
        count = weight if weighs else 1
        words.append((tokens, count))
    return words


def _text_of(name: str, config: TrainingConfig) -> Any:
    """A token as tie rules by text compare it: its name, or its bytes with their marks."""
    if config.units == "characters":
        return name
    try:
        return from_stand_ins(name)
    except VocabularyError:  # a mark that is no stand-in
        return name.encode("utf-8", "surrogatepass")
