"""Byte-pair encoding as in its definition: the place to begin.

This file is complete, and slow. The rest of the engine does the same, fast: `training/` and
`kernels/merging.py` are `train`, `encoding/` and `kernels/closing.py` are `gap_ranks`,
`encoding/cut.py` is `cut`. It has no other tie rules, no marks such as `</w>`, no bytes, splits or
files. The program never runs this file; the tests compare the fast code with it.

A corpus is a table of words and how often each occurs. A word is a list of symbols, at first its
characters:

>>> corpus = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
>>> words = [(list(word), count) for word, count in corpus.items()]

Training makes the most frequent pair of neighbours one token, again and again:

>>> for merge in train(words, n_merges=3):
...     print(merge)
Merge(left='u', right='g', token='ug', count=20)
Merge(left='u', right='n', token='un', count=16)
Merge(left='h', right='ug', token='hug', count=15)

A new text is encoded with the same merges in the same order:

>>> merges = train(words, n_merges=3)
>>> encode("hugsbun", merges)
['hug', 's', 'b', 'un']

Or for every vocabulary size at once: each gap between two symbols has the rank of the merge that
closes it, and the gaps whose rank is at least `step` separate the tokens after `step` merges. This
is how the program moves through a run.

>>> gap_ranks("hugsbun", merges)
[2, 0, inf, inf, inf, 1]
>>> for step in range(4):
...     print(step, cut("hugsbun", gap_ranks("hugsbun", merges), step))
0 ['h', 'u', 'g', 's', 'b', 'u', 'n']
1 ['h', 'ug', 's', 'b', 'u', 'n']
2 ['h', 'ug', 's', 'b', 'un']
3 ['hug', 's', 'b', 'un']

Source: Sennrich, Haddow and Birch, "Neural Machine Translation of Rare Words with Subword Units",
2016, Algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

Pair = tuple[str, str]
Words = list[tuple[list[str], int]]
"""Each distinct word as its tokens, and its count, in first-seen order."""

NEVER = math.inf
"""The rank of a gap that no merge closes."""


@dataclass(frozen=True)
class Merge:
    """One merge: its pair, the token that the pair became, and the count of the pair at
    that time.
    """

    left: str
    right: str
    token: str
    count: int


def count_pairs(words: Iterable[tuple[Sequence[str], int]]) -> dict[Pair, int]:
    """Every pair of neighbours with its number of occurrences, in the order of first occurrence.

    Overlapping occurrences all count: `aaa` holds the pair `a a` twice.

    >>> count_pairs([(["a", "a", "a"], 5), (["a", "b"], 2)])
    {('a', 'a'): 10, ('a', 'b'): 2}
    """
    counts: dict[Pair, int] = {}
    for tokens, count in words:
        for pair in pairwise(tokens):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def merge_pair(tokens: Sequence[str], pair: Pair, token: str) -> list[str]:
    """The tokens with every occurrence of a pair replaced by one token, from left to right.

    >>> merge_pair(["a", "a", "a", "b"], ("a", "a"), "aa")
    ['aa', 'a', 'b']
    """
    merged: list[str] = []
    place = 0
    while place < len(tokens):
        if tuple(tokens[place : place + 2]) == pair:
            merged.append(token)
            place += 2
        else:
            merged.append(tokens[place])
            place += 1
    return merged


def train(
    words: Words,
    n_merges: int,
    min_frequency: int = 1,
    first: Sequence[Merge] = (),
    is_allowed: Callable[[str], bool] = lambda token: True,
) -> list[Merge]:
    """Train until there are `n_merges` merges, or no pair occurs `min_frequency` times.

    Of equally frequent pairs, the one that occurs first in the text, as it is cut now, is merged. A
    pair is skipped if its token exists already or is not allowed. The words may already be cut by
    the merges of an earlier stage, `first`.

    >>> train([(["a", "b"], 2), (["c", "d"], 2)], n_merges=9)
    [Merge(left='a', right='b', token='ab', count=2), Merge(left='c', right='d', token='cd', count=2)]
    """  # noqa: E501
    merges = list(first)
    vocabulary = {merge.token for merge in first}
    for symbols, _ in words:
        vocabulary.update(symbols)
    while len(merges) < n_merges:
        counts = {
            pair: count
            for pair, count in count_pairs(words).items()
            if "".join(pair) not in vocabulary and is_allowed("".join(pair))
        }
        if not counts or max(counts.values()) < min_frequency:
            break
        best = max(counts, key=counts.__getitem__)  # of several best pairs, the first
        token = "".join(best)
        words = [(merge_pair(tokens, best, token), count) for tokens, count in words]
        vocabulary.add(token)
        merges.append(Merge(*best, token, counts[best]))
    return merges


def train_superwords(
    words: Words,
    pieces: Words,
    n_first: int,
    n_merges: int,
    is_allowed: Callable[[str], bool] = lambda token: True,
) -> list[Merge]:
    """Train in two stages: the split is a choice, and may change on the way.

    The first `n_first` merges are those of the words. Then they are applied to the same text, cut
    by a coarser split into `pieces`, and further merges are counted there. So these may join words.

    >>> words = [(list("by"), 3), (list(" the"), 3), (list(" way"), 2)]
    >>> pieces = [(list("by the way"), 2), (list("by the"), 1)]
    >>> for merge in train_superwords(words, pieces, n_first=4, n_merges=6):
    ...     print(merge)
    Merge(left='b', right='y', token='by', count=3)
    Merge(left=' ', right='t', token=' t', count=3)
    Merge(left=' t', right='h', token=' th', count=3)
    Merge(left=' th', right='e', token=' the', count=3)
    Merge(left='by', right=' the', token='by the', count=3)
    Merge(left='by the', right=' ', token='by the ', count=2)
    """
    first = train(words, n_first)
    if len(first) < n_first:
        return first
    cut = [(encode(symbols, first), count) for symbols, count in pieces]
    return train(cut, n_merges, first=first, is_allowed=is_allowed)


def encode(symbols: Sequence[str], merges: Iterable[Merge]) -> list[str]:
    """The tokens of one word: each merge is applied at every occurrence of its pair, in the order
    of training.

    >>> encode("abcab", [Merge("b", "c", "bc", 3), Merge("a", "b", "ab", 2), Merge("a", "bc", "abc", 1)])
    ['abc', 'ab']
    """  # noqa: E501
    tokens = list(symbols)
    for merge in merges:
        tokens = merge_pair(tokens, (merge.left, merge.right), merge.token)
    return tokens


def gap_ranks(symbols: Sequence[str], merges: Sequence[Merge]) -> list[float]:
    """The rank of the merge that closes each gap between neighbouring symbols; `NEVER` if none
    does.

    Of all pairs, the one of lowest rank is merged, the leftmost of equals, until none is left. No
    merge uses a token of higher rank, so the ranks come in rising order, and this is `encode` at
    every step: a gap is closed after `step` merges if its rank is below `step`.

    >>> gap_ranks("abcab", [Merge("b", "c", "bc", 3), Merge("a", "b", "ab", 2), Merge("a", "bc", "abc", 1)])
    [2, 0, inf, 1]
    """  # noqa: E501
    ranks = {(merge.left, merge.right): rank for rank, merge in enumerate(merges)}
    tokens = list(symbols)
    gaps = [NEVER] * (len(tokens) - 1)
    still_open = list(range(len(gaps)))  # the gap after each token except the last
    while found := [
        (ranks[pair], place) for place, pair in enumerate(pairwise(tokens)) if pair in ranks
    ]:
        rank, place = min(found)
        tokens[place : place + 2] = [merges[rank].token]
        gaps[still_open.pop(place)] = rank
    return gaps


def encode_by_rank(symbols: Sequence[str], merges: Sequence[Merge]) -> list[str]:
    """The tokens of one word by a list of merges in any order, such as one that another program
    wrote.

    A trainer's list is in order: no merge uses a token that a later one makes. With any list,
    tokenizers merge the pair of the word that comes first in the list, at its leftmost place, until
    the word has no pair of the list. With a list in order, this gives the same as `encode`.

    The tokenizer at a step has the first `step` merges of the list. If one of these uses a token
    that only a later merge makes, it does not apply before that step. So a gap can still be open at
    a step above the rank that `gap_ranks` gives it, and each step is encoded by itself.

    >>> merges = [Merge("ab", "c", "abc", 3), Merge("a", "b", "ab", 5)]
    >>> for step in range(3):
    ...     print(step, encode_by_rank("abcab", merges[:step]))
    0 ['a', 'b', 'c', 'a', 'b']
    1 ['a', 'b', 'c', 'a', 'b']
    2 ['abc', 'ab']
    """
    ranks = {(merge.left, merge.right): rank for rank, merge in enumerate(merges)}
    tokens = list(symbols)
    while found := [
        (ranks[pair], place) for place, pair in enumerate(pairwise(tokens)) if pair in ranks
    ]:
        rank, place = min(found)
        tokens[place : place + 2] = [merges[rank].token]
    return tokens


def cut(symbols: Sequence[str], gaps: Sequence[float], step: int) -> list[str]:
    """The tokens of one word after `step` merges: cut at every gap whose rank is at least `step`.

    >>> cut("abcab", [2, 0, NEVER, 1], step=2)
    ['a', 'bc', 'ab']
    """
    begins = [0, *(place for place, rank in enumerate(gaps, 1) if rank >= step), len(symbols)]
    return ["".join(symbols[begin:end]) for begin, end in pairwise(begins)]
