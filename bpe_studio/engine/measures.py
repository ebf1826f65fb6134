"""How many tokens a text has at every step: one histogram of the gap ranks, added up.

The merge of rank r takes one token away wherever it closes a gap, so after k merges there are as many tokens as
symbols, less the gaps of a rank below k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.layout import Int32Array, Int64Array

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


def n_tokens_by_step(gaps: Int32Array, n_merges: int, weights: Int64Array | None = None) -> Int64Array:
    """Tokens after each number of merges.

    Args:
        gaps: (n,) one gap rank a symbol, for the gap before it; see `segmentation.close_gaps`.
        n_merges: the last step.
        weights: (n,) how often each symbol's pre-token stands in the text; `None` for once.

    Returns:
        (n_merges + 1,) int64.
    """
    weights = np.ones(len(gaps), np.int64) if weights is None else weights
    # Gaps between unknown symbols that make one token are closed from the start; sums stay exact up to 2**53.
    ranks = np.minimum(np.maximum(gaps, -1), n_merges) + 1
    by_rank = np.bincount(ranks, weights, n_merges + 2).astype(np.int64)
    return _left(by_rank[1:])


def corpus_n_tokens_by_step(run: Run) -> Int64Array:
    """(merges + 1,) int64: tokens of the run's corpus after each number of merges."""
    return np.concatenate([np.array([run.initial_n_tokens]), run.columns.n_tokens])


def text_n_tokens_by_step(run: Run, text: str) -> Int64Array:
    """(merges + 1,) int64: tokens of any text after each number of the run's merges."""
    by_rank = run.segmenter.n_by_rank(text)
    if by_rank is not None:
        return _left(by_rank)
    counted = Corpus.from_text(text, run.config.replace(documents="file"))
    words = run.segmenter.close_table(counted.blob, counted.offsets)
    return n_tokens_by_step(words.gaps, len(run.merges), np.repeat(counted.counts, words.lengths))


def _left(by_rank: Int64Array) -> Int64Array:
    """Tokens after each number of merges, of how many gaps each merge closes and, last, of those that stay open."""
    return np.asarray(by_rank.sum() - np.concatenate([np.zeros(1, np.int64), np.cumsum(by_rank[:-1])]))
