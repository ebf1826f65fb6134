"""Prunes a tokenizer: removes tokens that no other token is made from, the least used first.

Such a token is a leaf. Where it occurred, its two parts occur instead, so the parts are used more often, and may become
leaves themselves. Tokens that are never made, because an earlier merge always takes a part of them, go first. What
remains is made as before: only merges that made the removed tokens are gone.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol, runtime_checkable

import numpy as np

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.gap_closing import PairTable, close_words
from bpe_studio.engine.encoding.tokenizer import Tokenizer, TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.training.seeded_run import SeededRun, check_can_continue
from bpe_studio.errors import ConfigError


@dataclass(frozen=True)
class RemovedToken:
    """A token that was removed.

    Attributes:
        id: its id in the tokenizer before.
        token: as files write it.
        count: how often it was used in the corpus when it was removed; the number of tokens grows by this at most,
            because its parts may merge with their neighbours.
    """

    id: int
    token: str
    count: int


@dataclass(frozen=True)
class Pruning:
    """A tokenizer with fewer tokens.

    Attributes:
        tokenizer: the tokenizer; ids are those of before without gaps, in the same order.
        removed: what was removed, in this order.
        n_tokens: the tokens of the corpus before and after.
        n_left_out: how many words of the corpus have characters that the tokenizer does not know, and were not counted.
    """

    tokenizer: Tokenizer
    removed: Sequence[RemovedToken]
    n_tokens: tuple[int, int]
    n_left_out: int


@runtime_checkable
class PrunesItself(Protocol):
    """A tokenizer of another program, whose own file loses tokens."""

    def pruned(self, texts: Iterable[str], vocab_size: int) -> Pruning:
        """The tokenizer with fewer tokens."""


def prune(tokenizer: Tokenizer, corpus: Corpus | Iterable[str], vocab_size: int) -> Pruning:
    """Remove the least used leaves of a tokenizer.

    Args:
        tokenizer: the tokenizer; it does not change.
        corpus: the texts in which uses are counted, or a corpus of them, made with `tokenizer.model.config`. Given
            texts, a tokenizer that its library runs is pruned in its own file, whatever that does with a text.
        vocab_size: the number of tokens that remain.

    Raises:
        SaveError: what the tokenizer does before its merges is not known.
        ConfigError: it has no list of merges, the corpus was cut otherwise, or so many tokens cannot be removed.

    >>> from bpe_studio import TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=3, vocab_size=None)
    >>> large = train(Corpus.from_text("hug hug hugs", config), config).tokenizer()
    >>> found = prune(large, Corpus.from_text("hug bug", config), large.vocab_size - 1)
    >>> [(token.token, token.count) for token in found.removed], found.n_tokens
    ([('Ġhug', 0)], (5, 5))
    """
    if not isinstance(corpus, Corpus) and isinstance(tokenizer, PrunesItself):
        return tokenizer.pruned(corpus, vocab_size)
    model = tokenizer.model
    check_can_continue(model)
    if not isinstance(corpus, Corpus):
        corpus = Corpus.from_texts(corpus, model.config)
    if not corpus.is_counted and not model.config.same_cut(corpus.config):
        raise ConfigError("The corpus was cut in another way than the tokenizer cuts: make it with its model.config")
    seeded = SeededRun.of(corpus, model)
    n = len(model.tokens) - vocab_size
    removed = list(islice(_leaves_by_use(seeded), max(n, 0)))
    if len(removed) < n:
        raise ConfigError(
            f"Only {len(removed):,} of the {len(model.tokens):,} tokens can be removed; the smallest vocabulary "
            f"has {len(model.tokens) - len(removed):,}"
        )
    pruned = _without(model, {token.id for token in removed}) if removed else model
    after = SeededRun.of(corpus, pruned)
    n_tokens = seeded.n_tokens_at(seeded.n_seed), after.n_tokens_at(after.n_seed)
    return Pruning(Tokenizer(pruned) if removed else tokenizer, removed, n_tokens, seeded.n_left_out)


class PruningPlan:
    """All that can be removed from a tokenizer, in order, so that any size is looked at without beginning anew.

    Args:
        config: how the names of its tokens are written.
        vocab_size: the number of its tokens.
        removable: the tokens that can be removed, in this order.
        n_tokens: the tokens of the corpus now.
    """

    def __init__(
        self, config: TrainingConfig, vocab_size: int, removable: Sequence[RemovedToken], n_tokens: int
    ) -> None:
        self.config, self.vocab_size, self.removable, self.n_tokens = config, vocab_size, removable, n_tokens
        self._grown = np.cumsum([token.count for token in removable], dtype=np.int64)

    def counting(self, vocab_size: int) -> Generator[object, None, int]:
        """Counts the tokens of the corpus under the tokenizer that is left; can be stopped wherever it yields."""
        raise NotImplementedError

    @property
    def smallest(self) -> int:
        """The smallest vocabulary that can be left."""
        return self.vocab_size - len(self.removable)

    def removed(self, vocab_size: int) -> Sequence[RemovedToken]:
        """What is removed for a vocabulary of a size, which is at least `smallest`."""
        return self.removable[: max(0, self.vocab_size - vocab_size)]

    @property
    def n_free(self) -> int:
        """How many of the first tokens are not used, so that removing them costs nothing."""
        return int(self._grown.searchsorted(0, "right"))

    def most_tokens(self, vocab_size: int) -> int:
        """The tokens of the corpus afterwards, at most: what removed tokens become may merge with their neighbours."""
        n = len(self.removed(vocab_size))
        return self.n_tokens + (int(self._grown[n - 1]) if n else 0)


class CorpusPruning(PruningPlan):
    """What can be removed from a tokenizer whose merges our engine applies to a corpus.

    Attributes:
        n_left_out: how many words of the corpus have characters that the tokenizer does not know.

    Args:
        model: the tokenizer.
        corpus: the text in which uses are counted, which was cut as the tokenizer cuts.

    Raises:
        ConfigError: it has no list of merges.
    """

    def __init__(self, model: TokenizerModel, corpus: Corpus) -> None:
        check_can_continue(model)
        seeded = SeededRun.of(corpus, model)
        self._model, self._corpus = model, corpus
        self.n_left_out = seeded.n_left_out
        removable = list(_leaves_by_use(seeded))
        super().__init__(model.config, len(model.tokens), removable, seeded.n_tokens_at(seeded.n_seed))

    def counting(self, vocab_size: int) -> Generator[object, None, int]:
        """Counts the tokens of the corpus under the tokenizer that is left."""
        yield None
        run = self.run(vocab_size)
        return run.n_tokens_at(run.n_seed)

    def run(self, vocab_size: int) -> SeededRun:
        """The corpus under the tokenizer that is left; its number of tokens at its end is what pruning costs."""
        removed = self.removed(vocab_size)
        return SeededRun.of(self._corpus, _without(self._model, {token.id for token in removed}))


def leaves_by_use(
    merges: Sequence[tuple[int, int, int]],
    uses: dict[int, int],
    kept: Collection[int | None],
    never_made: Collection[int] = (),
) -> Iterator[tuple[int, int]]:
    """The tokens that can be removed, in order, and how often each is used then.

    Args:
        merges: (left, right, new); each token is made by one of them.
        uses: how often each token is used, parts of tokens included; changed, as a removed token becomes its two parts.
        kept: what is not removed.
        never_made: the tokens that go first.
    """
    made = {new: (left, right) for left, right, new in merges}
    n_wholes = Counter(part for pair in made.values() for part in pair)

    def entry(token: int) -> tuple[bool, int, int]:
        # Among equals, the youngest.
        return token not in never_made, uses[token], -token

    def is_leaf(token: int) -> bool:
        return token in made and not n_wholes[token] and token not in kept

    heap = [entry(token) for token in made if is_leaf(token)]
    heapq.heapify(heap)
    while heap:
        _, count, negative = heapq.heappop(heap)
        token = -negative
        if count != uses[token]:
            heapq.heappush(heap, entry(token))
            continue
        yield token, count
        for part in made[token]:
            uses[part] += count
            n_wholes[part] -= 1
            if is_leaf(part):
                heapq.heappush(heap, entry(part))


def _leaves_by_use(run: SeededRun) -> Iterator[RemovedToken]:
    """The tokens of a tokenizer that can be removed, in order."""
    model = run.model
    around = [] if model.template is None else model.template.names
    names = {model.pad_token, *around}
    kept = {*model.special_ids.values(), model.unknown_id, *(n for n, name in enumerate(model.tokens) if name in names)}
    left, right = run.columns.left[: len(run.columns)].tolist(), run.columns.right[: len(run.columns)].tolist()
    first, external = run.n_alphabet, run.external_ids(run.n_seed)[len(run.config.all_special) :].tolist()
    merges = [(a, b, new) for new, (a, b) in enumerate(zip(left, right, strict=True), first)]
    never_made = {first + rank for rank, is_made in enumerate(_made_by_themselves(run)) if not is_made}
    kept_here = {token for token, number in enumerate(external) if number in kept}
    uses = dict(enumerate(run.token_counts_at(len(left)).tolist()))
    for token, count in leaves_by_use(merges, uses, kept_here, never_made):
        yield RemovedToken(external[token], model.tokens[external[token]], count)


def _made_by_themselves(run: SeededRun) -> list[bool]:
    """Whether each merge's token is what its own symbols become."""
    n, first = len(run.columns), run.n_alphabet
    left, right = run.columns.left[:n].astype(np.int64), run.columns.right[:n].astype(np.int64)
    symbols: list[list[int]] = [[symbol] for symbol in range(first)]
    for a, b in zip(left.tolist(), right.tolist(), strict=True):
        symbols.append(symbols[a] + symbols[b])
    if not n:
        return []
    bounds = np.cumsum([0, *map(len, symbols[first:])]).astype(np.int64)
    every = np.array([symbol for word in symbols[first:] for symbol in word], np.int32)
    gaps = close_words(every, bounds, PairTable(left, right, run.ranks, np.arange(n) + first))
    found: list[bool] = (np.add.reduceat(gaps == NEVER, bounds[:-1]) == 1).tolist()
    return found


def _without(model: TokenizerModel, removed: set[int]) -> TokenizerModel:
    numbers = {old: new for new, old in enumerate(n for n in range(len(model.tokens)) if n not in removed)}
    return replace(
        model,
        tokens=tuple(model.tokens[old] for old in numbers),
        merges=tuple(
            (numbers[left], numbers[right], numbers[new]) for left, right, new in model.merges if new in numbers
        ),
        special_ids={name: numbers[number] for name, number in model.special_ids.items()},
        unknown_id=None if model.unknown_id is None else numbers[model.unknown_id],
    )
