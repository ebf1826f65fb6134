"""Prunes a tokenizer: removes tokens that no other token is made from, the least used first.

Such a token is a leaf. Where it occurred, its two parts occur instead, or larger tokens that a part
makes with its other neighbour. So the parts are used more often, and may become leaves themselves.
Only merges that made the removed tokens are gone.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Generator, Iterable, Iterator, MutableSequence, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from bpe_studio.engine.arguments import as_number, each_text
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.file_access import file_access
from bpe_studio.engine.generators import result_of
from bpe_studio.errors import ConfigError
from bpe_studio.files.changes.changeable import Changeable, Stage, Words
from bpe_studio.files.changes.id_map import IdMap
from bpe_studio.files.changes.kinds import changeable


@dataclass(frozen=True)
class RemovedToken:
    """A token that was removed.

    Attributes:
        id: its id in the tokenizer before.
        token: the token as files write it.
        count: its uses in the corpus when it was removed; the number of tokens grows by this at
            most, because its parts may merge with their neighbours.
    """

    id: int
    token: str
    count: int


@dataclass(frozen=True)
class Pruning:
    """A tokenizer with fewer tokens.

    Attributes:
        tokenizer: the tokenizer; ids are those of before without gaps, in the same order.
        removed: the tokens that were removed, in this order.
        n_tokens: the tokens of the corpus before and after.
        words: the words of the corpus as it cuts them, if our engine does.
        id_map: the ids before and after.
    """

    tokenizer: Tokenizer
    removed: Sequence[RemovedToken]
    n_tokens: tuple[int, int]
    words: Words | None
    id_map: IdMap

    def __repr__(self) -> str:
        before, after = self.n_tokens
        return (
            f"<Pruning: {len(self.removed):,} tokens removed, {before:,} tokens of the corpus"
            f" become {after:,}>"
        )

    def _repr_html_(self) -> str:
        return file_access().html_of(self)

    @property
    def old_ids(self) -> Int64Array:
        """(largest id + 1,) int64, the id before of each token."""
        return self.id_map.old_ids

    @property
    def n_left_out(self) -> int:
        """The number of words of the corpus with characters that the tokenizer does not know, which
        were not counted.
        """
        return 0 if self.words is None else self.words.n_left_out


def prune(tokenizer: Tokenizer, corpus: Corpus | Iterable[str], vocab_size: int) -> Pruning:
    """Remove the least used leaves of a tokenizer.

    Args:
        tokenizer: the tokenizer; it does not change.
        corpus: the texts in which uses are counted; or, for a tokenizer of ours, a corpus that was
            made with `tokenizer.model.config`. One that its library runs is pruned in its own file.
        vocab_size: the number of tokens that remain.

    Raises:
        SaveError: its file cannot be changed, or it is neither one of ours nor has a file.
        ConfigError: it has no list of merges, the corpus was cut otherwise, or so many tokens
            cannot be removed.

    >>> from bpe_studio import TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=3, vocab_size=None)
    >>> large = train(Corpus.from_text("hug hug hugs", config), config).tokenizer()
    >>> found = prune(large, Corpus.from_text("hug bug", config), large.vocab_size - 1)
    >>> [(token.token, token.count) for token in found.removed], found.n_tokens
    ([('Ġhug', 0)], (5, 5))
    """
    corpus = corpus if isinstance(corpus, Corpus) else list(each_text(corpus))
    before = changeable(tokenizer)
    size = as_number(vocab_size, "A vocabulary size")
    if size > before.vocab_size:
        raise ConfigError(
            f"The tokenizer has {before.vocab_size:,} tokens, fewer than {size:,}: choose a smaller"
            " size, or extend"
        )
    plan = result_of(planning(before, corpus))
    return result_of(plan.pruning(size))


def planning(
    before: Changeable, corpus: Corpus | Iterable[str]
) -> Generator[Stage, None, PruningPlan]:
    """Finds the tokens that can be removed, by their uses in a corpus, or in texts, which are read
    again for each size.
    """
    if len({new for *_, new in before.merges}) < len(before.merges):
        raise ConfigError(
            "Several merges of this tokenizer make the same token: use another tokenizer"
        )
    uses = yield from before.uses(corpus)
    n_tokens = int(uses.counts.sum())
    names = before.tokenizer.tokens
    leaves = _leaves_by_use(before.merges, uses.counts.tolist(), before.kept)
    removable = [RemovedToken(number, names[number], count) for number, count in leaves]
    n = (n_tokens, n_tokens)
    nothing = Pruning(
        before.tokenizer, (), n, uses.words, _id_map(before.tokenizer, before.tokenizer, ())
    )
    return PruningPlan(before, corpus, removable, nothing)


class PruningPlan:
    """All tokens that can be removed from a tokenizer, in order, so that any size can be tried
    without beginning anew.

    Args:
        before: the tokenizer.
        corpus: the corpus in which uses were counted.
        removable: the tokens that can be removed, in this order.
        nothing: the result of removing nothing.
    """

    def __init__(
        self,
        before: Changeable,
        corpus: Corpus | Iterable[str],
        removable: Sequence[RemovedToken],
        nothing: Pruning,
    ) -> None:
        self._before = before
        self._corpus = corpus
        self.removable = removable
        self._made = nothing
        self.config = before.config
        self.vocab_size = before.vocab_size
        self.n_tokens = nothing.n_tokens[0]
        counts = [token.count for token in removable]
        self._grown = np.cumsum(counts, dtype=np.int64)

    @property
    def smallest(self) -> int:
        """The smallest vocabulary that can be left."""
        return self.vocab_size - len(self.removable)

    def removed(self, vocab_size: int) -> Sequence[RemovedToken]:
        """The tokens that are removed for a vocabulary of a size, which is at least `smallest`."""
        return self.removable[: max(0, self.vocab_size - vocab_size)]

    @property
    def n_free(self) -> int:
        """The number of the first tokens that are not used, so that removing them costs nothing."""
        return int(self._grown.searchsorted(0, "right"))

    def most_tokens(self, vocab_size: int) -> int:
        """The most tokens that the corpus has afterwards; it has fewer if the parts of removed
        tokens merge with their neighbours.
        """
        n = len(self.removed(vocab_size))
        n_grown = int(self._grown[n - 1]) if n else 0
        return self.n_tokens + n_grown

    def pruning(self, vocab_size: int) -> Generator[Stage, None, Pruning]:
        """Remove the least used tokens; the result for the last size is kept.

        Raises:
            SaveError: its library would give different ids for what remains.
            ConfigError: the tokenizer cannot lose so many tokens.
        """
        if vocab_size < self.smallest:
            raise ConfigError(
                f"Only {len(self.removable):,} of the {self.vocab_size:,} tokens can be removed;"
                f" the smallest vocabulary has {self.smallest:,}"
            )
        removed = self.removed(vocab_size)
        made = self._made
        if len(made.removed) != len(removed):
            ids = [token.id for token in removed]
            tokenizer = yield from self._before.without(ids)
            uses = yield from changeable(tokenizer).uses(self._corpus)
            n_tokens = self.n_tokens, int(uses.counts.sum())
            id_map = _id_map(self._before.tokenizer, tokenizer, ids)
            made = Pruning(tokenizer, removed, n_tokens, uses.words, id_map)
            self._made = made
        return made


def _id_map(before: Tokenizer, after: Tokenizer, gone: Collection[int]) -> IdMap:
    """The map of pruning: ids move down by as many as are gone before them."""
    listed = sorted(gone)
    numbers = {}
    for old in sorted(before.tokens.keys() - set(gone)):
        numbers[old] = old - bisect_left(listed, old)
    return IdMap.of(before, after, numbers)


def _leaves_by_use(
    merges: Sequence[tuple[int, int, int]],
    uses: MutableSequence[int],
    kept: Collection[int | None],
) -> Iterator[tuple[int, int]]:
    """The tokens that can be removed, in order, and the uses of each at that point.

    Args:
        merges: (left, right, new); each token is made by one of them.
        uses: the uses of each token, parts of tokens included; changed, as a removed token becomes
            its two parts.
        kept: the tokens that are not removed.
    """
    made = {new: (left, right) for left, right, new in merges}
    n_wholes = Counter(chain.from_iterable(made.values()))

    def entry(token: int) -> tuple[int, int]:
        # Among equals, the youngest.
        return uses[token], -token

    def is_leaf(token: int) -> bool:
        return token in made and not n_wholes[token] and token not in kept

    heap = [entry(token) for token in made if is_leaf(token)]
    heapq.heapify(heap)
    while heap:
        count, negative = heapq.heappop(heap)
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
