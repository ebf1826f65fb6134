"""The number of tokens at every step: of a run's corpus, of a text, and of another counted corpus.

A gap of rank r closes at step r + 1, so the cumulative histogram of the gap ranks is the curve over
all vocabulary sizes. `size_measures.py` has more measures at single steps.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.analysis.size_measures import TokenUses, tally
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.counting.corpus import Corpus

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.text_gaps import TextGaps
    from bpe_studio.engine.run import Run


def corpus_curve(run: Run, n_merges: int) -> Int64Array:
    """(n_merges + 1,) int64: tokens of the run's corpus after each number of merges.

    Raises:
        VocabularyError: the run has fewer merges than that.
    """
    run.check_step(n_merges)
    return run.curve(n_merges)


def text_curve(gaps: TextGaps, n_merges: int) -> Int64Array:
    """(n_merges + 1,) int64: tokens of a text after each number of merges.

    Its gap ranks may be of fewer merges.
    """
    if gaps.first is not None and n_merges >= gaps.n_first:
        before = text_curve(gaps.first, n_merges)[: gaps.n_first]
        later = text_curve(replace(gaps, first=None), n_merges)[gaps.n_first :]
        return np.concatenate([before, later])
    gaps = gaps.at(n_merges)
    # Gaps between unknown symbols that form one token are closed from the start, and have a rank
    # below 0.
    return _falling(int(np.count_nonzero(gaps.gaps >= 0)), tally(gaps.gaps, None, n_merges))


def table_curve(run: Run, corpus: Corpus, n_merges: int) -> Int64Array:
    """(n_merges + 1,) int64: tokens of another corpus, such as a held-out part, after each number
    of merges.

    Args:
        run: the run; it may grow meanwhile.
        corpus: pre-tokens that were split with the same options as the run's corpus. Symbols
            outside the run's alphabet are tokens of their own.
        n_merges: the last step.

    Raises:
        VocabularyError: the run has fewer merges than that.
    """
    uses = table_uses(run, corpus, n_merges)
    found = _falling(int(uses.symbols.sum()) + uses.n_unknown, uses.closed)
    if corpus.first is not None and uses.first is not None:
        before = table_curve(run.at(0), corpus.first, uses.n_first)
        found[: uses.n_first] = before[: uses.n_first]
    return found


def table_uses(run: Run, corpus: Corpus, n_merges: int) -> TokenUses:
    """The token uses of another corpus, for `size_measures.py`; see `table_curve`."""
    run.check_step(n_merges)

    def uses_of(stage: Run, end: int) -> TokenUses:
        table = corpus.first if corpus.first is not None and stage is not run else corpus
        # The run's own segmenter belongs to the window, and this may run in another thread.
        words = stage.new_segmenter().close_table(table.blob, table.offsets)
        weights = np.repeat(table.counts, words.lengths)
        return TokenUses.of_gaps(stage, words.symbols, words.gaps, end, weights)

    return TokenUses.of_stages(run, n_merges, uses_of)


def _falling(n_tokens: int, closed: Int64Array) -> Int64Array:
    return np.asarray(n_tokens - np.concatenate([np.zeros(1, np.int64), np.cumsum(closed)]))
