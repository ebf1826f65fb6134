"""The merges of a third-party tokenizer, applied inside pieces at any step.

Merges may be in any order (`engine/textbook.encode_by_rank`), ids may have gaps, and one rank may
belong to several pairs: a SentencePiece model joins any two neighbours that spell a piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.encoding.cut import cut_word
from bpe_studio.engine.encoding.gap_closing import (
    PairTable,
    close_one,
    close_word,
    close_words,
    is_worth_a_kernel,
)
from bpe_studio.engine.encoding.tokenizer_model import apply_in_order
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.files.formats.ranked_pieces import Merge

Pair = tuple[int, int]
_MAX_CACHED = 100_000


class PieceMerges:
    """The merges that apply inside pieces.

    Args:
        made: the id of the token that each rank makes.
        ranks: the rank of each pair of ids that merges.

    >>> merges = PieceMerges([20, 21], {(7, 8): 0, (20, 9): 1})
    >>> merges.tokens([7, 8, 9], 1), merges.tokens([7, 8, 9])
    (([20, 9], [0, 2]), ([21], [0]))
    >>> merges.gap_ranks([7, 8, 9])
    [0, 1]
    """

    def __init__(self, made: Sequence[int], ranks: Mapping[Pair, int]) -> None:
        self.made = list(made)
        self.ranks = dict(ranks)
        self._made_by: dict[int, int] = {}
        for rank, token in enumerate(self.made):
            self._made_by.setdefault(token, rank)
        self._cache: dict[tuple[tuple[int, ...], int], tuple[list[int], list[int]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return PieceMerges, (self.made, self.ranks)

    def __len__(self) -> int:
        return len(self.made)

    def rank_of(self, token: int) -> int:
        """The rank of the merge that makes a token; -1 if no merge makes it: it is there from step
        0 on.
        """
        return self._made_by.get(token, -1)

    @cached_property
    def pairs(self) -> list[Pair]:
        """The pair of each rank; of several, the one that earlier merges cut the token into."""
        found: dict[int, list[Pair]] = {}
        for pair, rank in self.ranks.items():
            found.setdefault(rank, []).append(pair)
        symbols: dict[int, list[int]] = {}
        listed = []
        for rank, token in enumerate(self.made):
            options = found[rank]
            if len(options) > 1:
                cuts = [
                    (*symbols.get(left, [left]), *symbols.get(right, [right]))
                    for left, right in options
                ]
                usual = tuple(self.tokens(cuts[0], rank)[0])
                options = [pair for pair in options if pair == usual] or options
            left, right = options[0]
            symbols.setdefault(token, [*symbols.get(left, [left]), *symbols.get(right, [right])])
            listed.append(options[0])
        return listed

    @cached_property
    def are_in_order(self) -> bool:
        """Whether each merge uses only tokens that are there before it, so that gap ranks give the
        tokens at any step.
        """
        return all(
            max(self.rank_of(left), self.rank_of(right)) < rank
            for (left, right), rank in self.ranks.items()
        )

    def in_order(self) -> PieceMerges | None:
        """The merges in an order in which each uses only tokens that are there before it, for steps
        to show.

        `None` if there is no such order: several merges make a token, or a rank belongs to several
        pairs.
        """
        if self.are_in_order:
            return self
        is_made_once = len(set(self.made)) == len(self.made) == len(self.ranks)
        return OrderedMerges(self) if is_made_once else None

    def missing_at(self, step: int) -> set[int]:
        """The tokens that are not there after `step` merges: later merges make them, or their parts
        are missing.
        """
        missing = set(self._made_by)
        waiting: dict[int, list[tuple[int, int, int]]] = {}
        ready = [
            (left, right, self.made[rank])
            for (left, right), rank in self.ranks.items()
            if rank < step
        ]
        while ready:
            left, right, new = ready.pop()
            part = left if left in missing else right
            if part in missing:
                waiting.setdefault(part, []).append((left, right, new))
            elif new in missing:
                missing.remove(new)
                ready += waiting.pop(new, [])
        return missing

    def tokens(self, symbols: Sequence[int], limit: int = NEVER) -> tuple[list[int], list[int]]:
        """The ids of the tokens of one piece, and the index of the first symbol of each.

        Args:
            symbols: the ids of its initial symbols.
            limit: merges of this rank and above do not apply.
        """
        key = tuple(symbols), limit
        known = self._cache.get(key)
        if known is None:
            gaps, ids = self._closed(symbols, limit)
            known = ids, [place for place, rank in enumerate(gaps) if rank == NEVER]
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            self._cache[key] = known
        return known

    def gap_ranks(self, symbols: Sequence[int]) -> list[int]:
        """The rank of the merge that closes each gap of one piece; `NEVER` for none."""
        return self._closed(symbols, NEVER)[0][1:]

    def _closed(self, symbols: Sequence[int], limit: int) -> tuple[list[int], list[int]]:
        if is_worth_a_kernel(len(symbols)):
            gaps, tokens = close_one(symbols, self.pair_table, limit)
            return gaps.tolist(), tokens.tolist()
        ranks, firsts = close_word(symbols, self._ranks, self.made, limit=limit)
        return ranks, [token for token, rank in zip(firsts, ranks, strict=True) if rank == NEVER]

    @cached_property
    def _ranks(self) -> dict[int, int]:
        return {left << 32 | right: rank for (left, right), rank in self.ranks.items()}

    @cached_property
    def pair_table(self) -> PairTable:
        """The pairs that merge, for the kernels."""
        lefts, rights, ranks = self._columns
        return PairTable(lefts, rights, ranks, np.array(self.made, np.int64)[ranks])

    def as_array(self) -> Int64Array | None:
        """(m, 3) int64, the left id, right id and new id of each rank; `None` if a rank belongs to
        several pairs.
        """
        lefts, rights, ranks = self._columns
        if len(ranks) != len(self.made):
            return None
        order = np.argsort(ranks)
        return np.stack([lefts[order], rights[order], np.array(self.made, np.int64)], 1)

    @cached_property
    def _columns(self) -> tuple[Int64Array, Int64Array, Int64Array]:
        n = len(self.ranks)
        pairs = np.fromiter(chain.from_iterable(self.ranks), np.int64, 2 * n).reshape(-1, 2)
        return pairs[:, 0].copy(), pairs[:, 1].copy(), np.fromiter(self.ranks.values(), np.int64, n)


class OrderedMerges(PieceMerges):
    """Merges of which some use tokens of later ones, in another order: each follows the merge that
    makes it possible.

    A text is merged by the ranks of the file, whatever the step. The places in the new list decide
    which tokens a step shows. Below a rank k of the file, just the first merges of the list can
    apply (`limit_of`), and the tokens after so many are those of encoding with that limit: no merge
    of the file whose parts are there waits for one that is later in the list. Merges that can never
    apply are left out.

    Args:
        file: the merges in the order of the file; each token is made by one of them.
    """

    def __init__(self, file: PieceMerges) -> None:
        pairs = {rank: pair for pair, rank in file.ranks.items()}
        merges = [(*pairs[rank], new) for rank, new in enumerate(file.made)]
        symbols = set(chain.from_iterable(file.ranks)) - set(file.made)
        order = apply_in_order(merges, symbols)
        self._order = np.array(order, np.int64)
        made = [file.made[rank] for rank in order]
        ranks = {pairs[rank]: k for k, rank in enumerate(order)}
        super().__init__(made, ranks)
        self._file = file
        self._places = {NEVER: NEVER} | {rank: place for place, rank in enumerate(order)}

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedMerges, (self._file,)

    def limit_of(self, step: int) -> int | None:
        """The rank of the file below which just the first `step` merges can apply; `None` if there
        is no such rank.
        """
        limit = int(self._order[:step].max(initial=-1)) + 1
        return None if step < len(self) and self._order[step] < limit else limit

    def missing_at(self, step: int) -> set[int]:
        """The tokens that are not there after `step` merges."""
        return set(self.made[step:])

    def tokens(self, symbols: Sequence[int], limit: int = NEVER) -> tuple[list[int], list[int]]:
        """The ids of the tokens of one piece after `limit` merges, and the index of the first
        symbol of each.
        """
        if limit >= len(self):
            return self._file.tokens(symbols)
        cut = cut_word([NEVER, *self.gap_ranks(symbols)], limit) if symbols else []
        ids = []
        for first, _, rank in cut:
            number = symbols[first] if rank < 0 else self.made[rank]
            ids.append(number)
        return ids, [first for first, _, _ in cut]

    def gap_ranks(self, symbols: Sequence[int]) -> list[int]:
        """The place of the merge that closes each gap of one piece; `NEVER` for none."""
        return [self._places[rank] for rank in self._file.gap_ranks(symbols)]


def one_for_each_token(merges: list[Merge], vocab: Mapping[str, int]) -> list[Merge]:
    """The merges that ever apply, of a list that was made from ranked pieces.

    Such a list has every two tokens that spell a token. Until a token is made, all merges at its
    place in a text are inside it, so they are those of the token by itself, and only the last of
    these ever makes it. A token that its own text does not give is never made, but may be taken
    whole, at any step.
    """
    made = {new for _, _, new in merges}
    names = {number: name for name, number in vocab.items()}
    if len(made) == len(merges):
        return merges
    tokens = list(dict.fromkeys(new for _, _, new in merges))
    # A character without a token merges with nothing.
    none = max(vocab.values()) + 1
    texts = [names[token] for token in tokens]
    lengths = np.fromiter(map(len, texts), np.int64, len(tokens))
    symbols = [vocab.get(char, none) for char in chain.from_iterable(texts)]
    gaps = _gap_ranks(symbols, lengths, merges)
    # The merge that makes a token by itself is the only one in it that makes this token.
    made_of_rank = np.array([*(new for _, _, new in merges), -1], np.int64)
    made_by = made_of_rank[np.minimum(gaps, len(merges))]
    is_last = made_by == np.repeat(np.array(tokens, np.int64), lengths)
    return [merges[rank] for rank in np.unique(gaps[is_last]).tolist()]


def _gap_ranks(symbols: Sequence[int], lengths: Int64Array, merges: Sequence[Merge]) -> Int32Array:
    """(n,) int32, the rank that closes the gap before each symbol of many pieces, end to end."""
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    if is_worth_a_kernel(len(symbols)):
        return close_words(np.array(symbols, np.int32), bounds, PairTable.of_merges(tuple(merges)))
    ranks = {left << 32 | right: rank for rank, (left, right, _) in enumerate(merges)}
    made = [new for _, _, new in merges]
    gaps: list[int] = []
    for first, end in pairwise(bounds.tolist()):
        gaps += close_word(symbols[first:end], ranks, made)[0]
    return np.array(gaps, np.int32)
