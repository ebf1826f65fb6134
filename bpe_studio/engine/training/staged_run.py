"""A run of two stages: words first, then merges that join words.

Up to a vocabulary size the corpus is cut by one split, from there on by a coarser one. Both stages
are runs over their own table of pre-tokens, with one list of merges. `Run.at` says which of the two
answers for a step; whatever reads the corpus, or gap ranks, asks it.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from os import PathLike

import numpy as np

from bpe_studio.engine.arrays import Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus, check_has_one_stage
from bpe_studio.engine.encoding.boundaries import Boundaries, GoldWord
from bpe_studio.engine.encoding.gap_closing import PairTable, close_words
from bpe_studio.engine.encoding.segmentation import Segmenter
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.run import Run, WordTable
from bpe_studio.engine.text.alphabet import Alphabet
from bpe_studio.engine.token_statistics import Float64Array
from bpe_studio.engine.training.corpus_array import CorpusArray, Tokens, lay_out
from bpe_studio.engine.training.overrides import Plan

_SLICE = 1 << 20
"""Symbols in which merges are made at a time."""


def new_run(corpus: Corpus, config: TrainingConfig) -> Run:
    """A run without merges.

    Raises:
        ConfigError: the corpus was not counted for two stages, or the second stage would begin
            before the first merge, or after the last one.
    """
    if config.superwords_from is None:
        return Run(corpus, config, lay_out(corpus, config))
    if corpus.first is None:
        check_has_one_stage(config)
    assert corpus.first is not None
    words = config.stages[0]
    return StagedRun(Run(corpus.first, words, lay_out(corpus.first, words)), corpus, config)


class StagedRun(Run):
    """A run whose merges join words from some step on.

    From that step on, it answers itself, and its corpus, layout, gap ranks and rules about tokens
    are those of the second stage.

    Attributes:
        first: the run of the first stage, which has the same merges, and answers for earlier steps.
        n_first: the number of merges of the first stage.
        is_open: whether the second stage has begun.
    """

    def __init__(self, first: Run, corpus: Corpus, config: TrainingConfig) -> None:
        super().__init__(corpus, config, first.layout, first.plan, first.gaps)
        self.first = first
        self.columns = first.columns
        self.passed = first.passed
        self.n_first = config.first_merges(first.alphabet.n_own)
        first.end_of_stage = self.n_first
        self.is_open = False
        self._n_tokens_before = np.zeros(0, np.int64)

    def at(self, step: int) -> Run:
        """The run of the stage to which a step belongs."""
        return self if self.is_open and step >= self.n_first else self.first

    @property
    def is_due(self) -> bool:
        """Whether the second stage is to be opened before training goes on."""
        return not self.is_open and len(self.columns) >= self.n_first

    def open(self) -> Generator[None, None, None]:
        """Open the second stage: make the merges of the first one in the pieces of the coarser
        split.

        It yields every few milliseconds, and nothing changes if it is abandoned.
        """
        layout = _with_alphabet(lay_out(self.corpus, self.config), self.first.alphabet)
        yield
        n = self.n_first
        left = self.columns.left[:n].astype(np.int64)
        right = self.columns.right[:n].astype(np.int64)
        ranks = np.arange(n)
        pairs = PairTable(left, right, ranks, ranks + self.token_of(0))
        gaps = layout.no_gaps_closed()
        closed = np.zeros(n + 1, np.int64)
        starts = layout.word_starts
        begin = 0
        while begin < len(layout.weights):
            place = int(starts.searchsorted(starts[begin] + _SLICE))
            end = min(max(begin + 1, place), len(layout.weights))
            symbols = layout.symbols[starts[begin] : starts[end]]
            bounds = starts[begin : end + 1] - starts[begin] - np.arange(end - begin + 1)
            found = close_words(symbols[symbols >= 0], bounds, pairs)
            gaps[starts[begin] : starts[end]][symbols >= 0] = found
            weights = np.repeat(layout.weights[begin:end], np.diff(bounds))
            np.add.at(closed, np.minimum(found, n), weights)
            begin = end
            yield
        start = np.array([layout.n_tokens], np.int64)
        self._open(layout, gaps, np.cumsum(np.concatenate([start, -closed[:-1]])))

    def _open(self, layout: CorpusArray, gaps: Int32Array, n_tokens_before: Int64Array) -> None:
        vars(self).pop("initial_counts", None)
        self.layout = layout
        with self._lock:
            self._facts = None
        self.gaps = gaps
        self._n_tokens_before = n_tokens_before
        # Other threads ask for the second stage from now on.
        self.is_open = True

    def until(self, step: int, plan: Plan) -> Run:
        """A run of its own with the first merges of this one; see `Run.until`."""
        first = self.first.until(step, plan)
        config = self.config.replace(ties=first.config.ties)
        run = StagedRun(first, self.corpus, config)
        if self.is_open and step >= self.n_first:
            gaps = self.gaps.copy()
            gaps[gaps >= step] = NEVER
            run._open(_with_alphabet(self.layout, run.alphabet), gaps, self._n_tokens_before)
        return run

    def n_tokens_at(self, step: int) -> int:
        """Tokens in the whole corpus after `step` merges."""
        if self.at(step) is self and step == self.n_first:
            return int(self._n_tokens_before[-1])
        return super().n_tokens_at(step)

    def curve(self, n_merges: int) -> Int64Array:
        """(n_merges + 1,) int64: tokens of the corpus after each number of merges."""
        found = super().curve(n_merges).copy()
        if self.at(n_merges) is self:
            found[self.n_first] = self._n_tokens_before[-1]
        return found

    def own_curve(self, n_merges: int) -> Int64Array:
        """The `curve` in the pieces of the second stage, even for the merges of the first."""
        later = self.columns.n_tokens[self.n_first : n_merges]
        return np.concatenate([self._n_tokens_before, later])

    def boundaries(self, gold: str | PathLike[str] | Sequence[GoldWord]) -> Boundaries:
        """The agreement of token borders with those of parts of words; see `Run.boundaries`."""
        first = self.first.boundaries(gold)
        if self.at(len(self.columns)) is not self:
            return first
        later = super().boundaries(gold)

        def joined(before: Float64Array, after: Float64Array) -> Float64Array:
            return np.concatenate([before[: self.n_first], after[self.n_first :]])

        return replace(
            later,
            precision=joined(first.precision, later.precision),
            recall=joined(first.recall, later.recall),
            f1=joined(first.f1, later.f1),
            whole_stems=joined(first.whole_stems, later.whole_stems),
        )

    def measure(self, name: str, *, alpha: float = 2.5) -> Float64Array:
        """A measure of the corpus at every step; see `Run.measure`."""
        n_merges = len(self.columns)
        found = self.first._measure(name, alpha, min(n_merges, self.n_first))
        if self.at(n_merges) is self:
            later = self._measure(name, alpha, n_merges)[self.n_first :]
            found = np.concatenate([found[: self.n_first], later])
        return found

    def _counts_by_source(self, n_merges: int) -> Int64Array:
        found = self.first._counts_by_source(min(n_merges, self.n_first))
        if self.at(n_merges) is self:
            later = super()._counts_by_source(n_merges)[:, self.n_first :]
            found = np.concatenate([found, later], axis=1)
        return found

    def tokens_at(self, step: int, start: int = 0, stop: int | None = None) -> Tokens:
        """The tokens of the corpus, or of a part of it, after `step` merges."""
        run = self.at(step)
        if run is self:
            return super().tokens_at(step, start, stop)
        return run.tokens_at(step, start, stop)

    def words_at(self, step: int) -> WordTable:
        """The pre-tokens of the stage as they are cut at a step."""
        run = self.at(step)
        return super().words_at(step) if run is self else run.words_at(step)

    def token_counts_at(self, step: int) -> Int64Array:
        """(alphabet + step,) int64: how often each token occurs in the corpus at a step."""
        run = self.at(step)
        return super().token_counts_at(step) if run is self else run.token_counts_at(step)

    def gap_ranks(self, text: str) -> list[Int32Array]:
        """The gap ranks of a text as the last stage that has begun cuts it; see `Run.gap_ranks`."""
        run = self.at(len(self.columns))
        return super().gap_ranks(text) if run is self else run.gap_ranks(text)

    @property
    def segmenter(self) -> Segmenter:
        """Encodes any text with this run's merges."""
        segmenter = super().segmenter
        # Whether special tokens are recognized is set once for both.
        segmenter.first = self.first.segmenter
        return segmenter

    def new_segmenter(self) -> Segmenter:
        """A segmenter of its own, for another thread than that of `segmenter`."""
        segmenter = super().new_segmenter()
        segmenter.first = self.first.new_segmenter()
        segmenter.n_first = self.n_first
        return segmenter

    def _tokenizer_model(self, step: int) -> TokenizerModel:
        if step < self.n_first:
            return self.first._tokenizer_model(step)
        return super()._tokenizer_model(step)


def _with_alphabet(layout: CorpusArray, alphabet: Alphabet) -> CorpusArray:
    """The same corpus with the symbol ids of another alphabet, which has all its symbols."""
    if np.array_equal(alphabet.codes, layout.alphabet.codes):
        return layout
    # The -1 of separators indexes the last entry.
    ids = np.append(alphabet.ids(layout.alphabet.codes), np.int32(-1))
    return CorpusArray(alphabet, ids[layout.symbols], layout.word_starts, layout.weights)
