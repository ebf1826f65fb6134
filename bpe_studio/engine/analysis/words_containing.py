"""The words that contain a token or a pair at a step, the most frequent first.

For a pair, each word is also given as it is cut before and after the merge. A long word, as in a
corpus without a split, is cut around the first occurrence only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.analysis.token_life import birth_step, places_of
from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.kernels.buffers import NEVER

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_SYMBOLS = 2000
"""Of a word with more than twice as many symbols, this many are shown on each side of the first
occurrence."""
NO_TOKEN = -1


@dataclass(frozen=True)
class ContainingWords:
    """The words that contain a token.

    Attributes:
        words: (k,) int64, pre-tokens by number, the most frequent first, then in first-seen order.
        counts: (k,) int64, the count of each in the text.
        times: (k,) int64, how often the token occurs in each.
        n_words: the number of all words that contain it.
        total: how often it occurs in the corpus, weighted by the words' counts.
    """

    words: Int64Array
    counts: Int64Array
    times: Int64Array
    n_words: int
    total: int


@dataclass(frozen=True)
class WordWithPair:
    """A word that contains a pair.

    Attributes:
        word: the pre-token's number.
        count: its count in the text.
        times: how often the pair occurs in it, overlapping occurrences included.
        before: token ids, the word as it is cut at the step.
        before_places: the indices in `before` of the pair's left tokens, overlapping or not.
        after: token ids, the word after the merge; `NO_TOKEN` if the run has no token for the pair.
        after_places: the indices in `after` of the new tokens; fewer than `before_places` if pairs
            overlap.
        is_whole: whether these are the whole word, and not a part of a long one around the first
            occurrence.
    """

    word: int
    count: int
    times: int
    before: tuple[int, ...]
    before_places: tuple[int, ...]
    after: tuple[int, ...]
    after_places: tuple[int, ...]
    is_whole: bool


@dataclass(frozen=True)
class WordsWithPair:
    """The words that contain a pair.

    Attributes:
        words: the most frequent first, then in first-seen order.
        n_words: the number of all words that contain it.
        total: how often it occurs in the corpus, weighted by the words' counts: the candidate's
            count.
        made: the token that merging it makes; `NO_TOKEN` if the run never merges it.
    """

    words: tuple[WordWithPair, ...]
    n_words: int
    total: int
    made: int


def words_with_token(run: Run, token: int, step: int, n: int = 200) -> ContainingWords:
    """The words that contain a token at a step.

    Args:
        run: the run.
        token: an internal id.
        step: how many merges apply.
        n: the maximum number of words.

    Raises:
        VocabularyError: the token does not exist at that step.
    """
    birth_step(run, token, step)
    run = run.at(step)
    words, times, _ = _by_word(run, places_of(run, token).at(step).starts)
    weights = run.layout.weights[words]
    best = _most_frequent(weights, n)
    return ContainingWords(
        words[best], weights[best], times[best], len(words), int((weights * times).sum())
    )


def words_with_pair(run: Run, left: int, right: int, step: int, n: int = 200) -> WordsWithPair:
    """The words that contain two neighbouring tokens at a step, before and after these are merged.

    Args:
        run: the run.
        left: internal id of the left token.
        right: internal id of the right one.
        step: how many merges apply.
        n: the maximum number of words.

    Raises:
        VocabularyError: one of the tokens does not exist at that step.
    """
    for token in (left, right):
        birth_step(run, token, step)
    run = run.at(step)
    lefts = places_of(run, left).at(step)
    rights = lefts if left == right else places_of(run, right).at(step)
    begins_right = np.zeros(len(run.gaps), np.bool_)
    begins_right[rights.starts] = True
    starts = lefts.starts[begins_right[lefts.ends]]
    words, times, firsts = _by_word(run, starts)
    weights = run.layout.weights[words]
    best = _most_frequent(weights, n)
    rank = merge_of(run, left, right)
    made = NO_TOKEN if rank == NEVER else run.token_of(rank)
    columns = (words, weights, times, starts[firsts])
    rows = zip(*(column[best].tolist() for column in columns), strict=True)
    found = tuple(_pair_holder(run, step, (left, right, made), *row) for row in rows)
    return WordsWithPair(found, len(words), int((weights * times).sum()), made)


def merge_pair(ids: Sequence[int], left: int, right: int, made: int) -> tuple[list[int], list[int]]:
    """Tokens with a pair merged from left to right, and the indices of the new tokens.

    >>> merge_pair([0, 0, 0, 1], 0, 0, 9)
    ([9, 0, 1], [0])
    """
    after: list[int] = []
    places: list[int] = []
    i = 0
    while i < len(ids):
        if ids[i] == left and i + 1 < len(ids) and ids[i + 1] == right:
            places.append(len(after))
            after.append(made)
            i += 2
        else:
            after.append(ids[i])
            i += 1
    return after, places


def merge_of(run: Run, left: int, right: int, n_merges: int | None = None) -> int:
    """The rank at which one of the first `n_merges` merges merges a pair; `NEVER` if none does."""
    end = len(run.columns) if n_merges is None else n_merges
    ranks = np.flatnonzero((run.columns.left[:end] == left) & (run.columns.right[:end] == right))
    return int(ranks[0]) if len(ranks) else NEVER


def _by_word(run: Run, starts: Int64Array) -> tuple[Int64Array, Int64Array, npt.NDArray[np.intp]]:
    """The words of some places, which are given from left to right; the number of places in each;
    and the index of the first place in each.
    """
    words = run.layout.words_of(starts)
    firsts = np.flatnonzero(np.diff(words, prepend=np.int32(-1)))
    return words[firsts].astype(np.int64), np.diff(firsts, append=len(words)), firsts


def _most_frequent(weights: Int64Array, n: int) -> npt.NDArray[np.intp]:
    """The indices of the n largest weights, the largest first, then the first of equals."""
    places = np.arange(len(weights))
    if len(weights) > 4 * n > 0:
        place = len(weights) - n
        places = np.flatnonzero(weights >= np.partition(weights, place)[place])
    return places[np.argsort(-weights[places], kind="stable")[:n]]


def _pair_holder(
    run: Run, step: int, pair: tuple[int, int, int], word: int, count: int, times: int, first: int
) -> WordWithPair:
    left, right, made = pair
    start = int(run.layout.word_starts[word])
    stop = int(run.layout.word_starts[word + 1]) - 1
    low, high = _around(run.gaps, step, start, stop, first)
    before: list[int] = run.tokens_at(step, low, high).ids.tolist()
    places = tuple(
        i for i in range(len(before) - 1) if before[i] == left and before[i + 1] == right
    )
    after, new = merge_pair(before, left, right, made)
    is_whole = (low, high) == (start, stop)
    return WordWithPair(
        word, count, times, tuple(before), places, tuple(after), tuple(new), is_whole
    )


def _around(gaps: Int32Array, step: int, start: int, stop: int, first: int) -> tuple[int, int]:
    """The range of a word to show: all of it, or the part near a place, from token to token."""
    if stop - start <= 2 * MOST_SYMBOLS:
        return start, stop
    low = max(start, first - MOST_SYMBOLS)
    # No pair occurs before the first place, so merging this part gives the same as merging the
    # whole word.
    low += int(np.argmax(gaps[low : first + 1] >= step))
    borders = first + np.flatnonzero(gaps[first:stop] >= step)
    # The pair itself is shown, however long its tokens are.
    later = borders[2:][borders[2:] >= first + MOST_SYMBOLS]
    high = int(later[0]) if len(later) else stop
    return low, high
