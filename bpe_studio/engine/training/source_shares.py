"""Counts how often each file of a corpus has the pair of each merge.

The gap ranks say where every merge was made, so one pass over them counts all merges.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.token_statistics import Float64Array
from bpe_studio.engine.training.corpus_array import CorpusArray
from bpe_studio.engine.training.merge_log import MergeColumns


class SourceCounts(NamedTuple):
    """The counts of the pairs of merges in each file, with the weights of the files.

    Attributes:
        names: the names of the files, as in `Corpus.source_names`; empty if they are not known.
        counts: (files, merges) int64, the count of the pair in the file when it was merged.
    """

    names: tuple[str, ...]
    counts: Int64Array

    def shares(self, rank: int) -> dict[str, float]:
        """The share of the count of a merge that each file gave; empty if it does not occur."""
        counts = self.counts[:, rank].tolist()
        total = sum(counts)
        if not total:
            return {}
        shares = [count / total for count in counts]
        return dict(zip(self.names, shares, strict=True))

    def all_shares(self) -> Float64Array:
        """(files, merges) float64, the shares of all merges; 0 where there are none."""
        shares: Float64Array = self.counts / np.maximum(self.counts.sum(axis=0), 1)
        return shares


def counts_by_source(
    corpus: Corpus, layout: CorpusArray, gaps: Int32Array, columns: MergeColumns, n_merges: int
) -> Int64Array:
    """(files, merges) int64: how often each file has the pair of each merge, with its weight.

    Args:
        corpus: the corpus, or that of one of two stages.
        layout: its symbols.
        gaps: its gap ranks.
        columns: the merges.
        n_merges: how many of them are counted.
    """
    found = np.zeros((len(corpus.sources), n_merges), np.int64)
    if not corpus.sources:
        return found
    ranks, words = _places(layout, gaps, columns, n_merges)
    for number, (rows, counts) in enumerate(corpus.rows_by_source):
        weights = np.zeros(len(corpus), np.int64)
        weights[rows] = counts
        is_here = weights[words] > 0
        np.add.at(found[number], ranks[is_here], weights[words[is_here]])
    return found


def _places(
    layout: CorpusArray, gaps: Int32Array, columns: MergeColumns, n_merges: int
) -> tuple[Int32Array, Int32Array]:
    """The merge and the pre-token of each occurrence of a pair that was merged, in any order."""
    places = np.flatnonzero(gaps < n_merges)
    ranks = gaps[places]
    is_double = columns.left[:n_merges] == columns.right[:n_merges]
    more = _overlapping(layout, gaps, columns, places[is_double[ranks]])
    places = np.concatenate([places, more.places])
    return np.concatenate([ranks, more.ranks]), layout.words_of(places)


class _Overlapping(NamedTuple):
    places: Int64Array
    ranks: Int32Array


def _overlapping(
    layout: CorpusArray, gaps: Int32Array, columns: MergeColumns, places: Int64Array
) -> _Overlapping:
    """The occurrences of pairs of equal tokens that were not merged: the second of two in "aaa".

    Each one comes right after one that was merged.

    Args:
        layout: the corpus as symbols.
        gaps: its gap ranks.
        columns: the merges.
        places: the gaps that merges of equal tokens closed.
    """
    symbols = layout.symbols
    last = len(symbols) - 1
    sizes = _sizes(len(layout.alphabet), columns)
    found = [np.zeros(0, np.int64)]
    ranks = gaps[places]
    order = np.argsort(ranks, kind="stable")
    places = places[order]
    distinct, starts = np.unique(ranks[order], return_index=True)
    for rank, some in zip(distinct.tolist(), np.split(places, starts)[1:], strict=True):
        size = sizes[int(columns.right[rank])]
        nexts = some + size
        is_open = gaps[nexts] > rank
        some = some[is_open]
        nexts = nexts[is_open]
        for inside in range(size):
            here = np.minimum(nexts + inside, last)
            is_same = symbols[some + inside] == symbols[here]
            if inside:
                is_same &= gaps[here] < rank
            some = some[is_same]
            nexts = nexts[is_same]
        ends = np.minimum(nexts + size, last)
        found.append(nexts[gaps[ends] >= rank])
    sizes_found = [len(each) for each in found[1:]]
    return _Overlapping(np.concatenate(found), np.repeat(distinct, sizes_found).astype(np.int32))


def _sizes(n_alphabet: int, columns: MergeColumns) -> list[int]:
    """The number of symbols of each token."""
    sizes = [1] * n_alphabet
    for left, right in zip(columns.left.tolist(), columns.right.tolist(), strict=True):
        sizes.append(sizes[left] + sizes[right])
    return sizes
