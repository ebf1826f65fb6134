"""A corpus as one array of symbol ids, and its tokens at any step.

Training and time travel share this form: `symbols` with -1 before, between and after the
pre-tokens, and one gap rank for each symbol, which belongs to the gap before it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from bpe_studio.engine.arrays import BoolArray, ByteArray, Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.cut import cut_at
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.alphabet import (
    Alphabet,
    added_up,
    build_alphabet,
    code_points,
    reorder_alphabet,
    symbol_units,
)
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.engine.text.utf8 import next_character
from bpe_studio.errors import CorpusError

MOST_PLACES = 2**31 - 1
"""The most places in a corpus. They, and the lengths of tokens, are numbers of 31 bits; counts are
numbers of 63 bits.
"""
_OUTSIDE = UNKNOWN - 1
"""Stands for a character outside the alphabet, because -1 separates pre-tokens."""
_BLOCK = 1 << 20
"""Bytes in which characters are looked for at a time."""
_FEW = 64
"""Finding the pre-token of one symbol takes as long as writing those of this many symbols in a
row."""


@dataclass(frozen=True)
class CorpusArray:
    """A corpus as symbols.

    Attributes:
        alphabet: the meaning of the ids.
        symbols: (n,) int32, initial symbol ids; -1 before, between and after pre-tokens.
        word_starts: (w + 1,) int64, the position of each pre-token's first symbol; the last entry
            is n.
        weights: (w,) int64, the count of each pre-token in the text.
        shortened: the pre-tokens that are longer in the text, because training drops some of their
            characters.
    """

    alphabet: Alphabet
    symbols: Int32Array
    word_starts: Int64Array
    weights: Int64Array
    shortened: Shortened | None = None

    @property
    def lengths(self) -> Int64Array:
        """(w,) int64, the number of symbols of each pre-token."""
        return np.diff(self.word_starts) - 1

    @property
    def n_tokens(self) -> int:
        """Symbols in the whole corpus, without those that training drops."""
        return int((self.lengths * self.weights).sum())

    def symbol_counts(self) -> Int64Array:
        """(alphabet,) int64, how often each symbol occurs in the corpus."""
        # With each pre-token goes the separator after it, whose -1 numpy counts in the last entry.
        lengths = np.diff(self.word_starts)
        counts = _weighed(self.symbols[1:], lengths, self.weights, len(self.alphabet) + 1)
        return counts[:-1]

    def places_in(self, words: Int64Array) -> Int64Array:
        """(k,) int64, the positions of all symbols of some pre-tokens."""
        lengths = self.lengths[words]
        befores = np.cumsum(lengths) - lengths
        return np.asarray(
            np.repeat(self.word_starts[words] - befores, lengths) + np.arange(lengths.sum())
        )

    def characters(self) -> list[str]:
        """The distinct characters of a corpus whose symbols are bytes, in order."""
        # The -1 of separators indexes the last entry; 0xFF is in no character.
        bytes_of = np.append(np.minimum(self.alphabet.codes >> 2, 0xFF), 0xFF).astype(np.uint8)
        blob = bytes_of[self.symbols]
        is_there = np.zeros(sys.maxunicode + 1, np.bool_)
        begin = 0
        while begin < len(blob):
            end = next_character(blob, begin + _BLOCK)
            text = blob[begin:end].tobytes().decode("utf-8", "ignore")
            is_there[code_points(text)] = True
            begin = end
        return list(map(chr, np.flatnonzero(is_there).tolist()))

    @cached_property
    def words(self) -> Int32Array:
        """(n,) int32, the pre-token of each symbol; 0 for separators."""
        return self._spread(np.arange(len(self.weights), dtype=np.int32))

    def forget_words(self) -> None:
        """Drops `words`, which is as long as the corpus, until it is asked for again."""
        vars(self).pop("words", None)

    def words_of(self, places: Int64Array) -> Int32Array:
        """(k,) int32, the pre-tokens of some symbols.

        For few symbols, `words`, which is as long as the corpus, is not computed.
        """
        if "words" in vars(self) or len(places) > len(self.symbols) // _FEW:
            return self.words[places]
        return (self.word_starts.searchsorted(places, "right") - 1).astype(np.int32)

    def weights_by_symbol(self) -> tuple[Int32Array, Int64Array]:
        """The count of each symbol's pre-token in the text.

        Returns:
            (n,) int32 counts, -1 - i for the i-th of those that need more than 31 bits; and (k,)
            int64, these.
        """
        weights = self.weights
        heavy = np.flatnonzero(self.weights >= 2**31)
        if len(heavy):
            weights = weights.copy()
            weights[heavy] = np.arange(-1, -1 - len(heavy), -1)
        return self._spread(weights.astype(np.int32)), self.weights[heavy]

    def under(self, config: TrainingConfig, totals: Int64Array) -> tuple[CorpusArray, Int32Array]:
        """The same corpus with the symbol ids of other options.

        Args:
            config: options that differ only in the order of the alphabet.
            totals: (alphabet,) int64, the count of each symbol in the text.

        Returns:
            The layout, which is this one if the order is the same; and (alphabet,) int32, each
            symbol's new id.
        """
        alphabet = reorder_alphabet(self.alphabet, totals, config)
        ids = alphabet.ids(self.alphabet.codes)
        if np.array_equal(alphabet.codes, self.alphabet.codes):
            return self, ids
        # The -1 of separators indexes the last entry.
        symbols = np.append(ids, np.int32(-1))[self.symbols]
        shortened = self.shortened
        if shortened is not None:
            shortened = Shortened(shortened.words, shortened.whole.under(config, totals)[0])
        layout = CorpusArray(alphabet, symbols, self.word_starts, self.weights, shortened)
        if "words" in vars(self):
            vars(layout)["words"] = self.words
        return layout, ids

    def _spread(self, values: Int32Array) -> Int32Array:
        kernel, is_compiled = loader.choose("laying_out", len(self.symbols))
        if is_compiled:
            by_symbol = np.empty(len(self.symbols), np.int32)
            kernel.spread(self.word_starts, values, by_symbol)
        else:
            by_symbol = np.zeros(len(self.symbols), np.int32)
            by_symbol[self.symbols >= 0] = np.repeat(values, self.lengths)
        return by_symbol

    def no_gaps_closed(self) -> Int32Array:
        """(n,) int32 gap ranks before the first merge: all `NEVER`."""
        return np.full(len(self.symbols), NEVER, np.int32)


class Shortened(NamedTuple):
    """Pre-tokens with characters that training drops.

    Attributes:
        words: (k,) int64, their numbers, rising.
        whole: the same pre-tokens as tokenizers write them, with the unknown token or bytes for
            those characters.
    """

    words: Int64Array
    whole: CorpusArray


def lay_out(corpus: Corpus, config: TrainingConfig) -> CorpusArray:
    """The corpus as symbols, with its alphabet.

    Characters that a limit leaves out are dropped, as in Hugging Face, which makes neighbours of
    those around them. Those that a coverage leaves out become the unknown token, or their bytes.
    """
    units, lengths, n_units = symbol_units(corpus.blob, corpus.offsets, config)
    totals = _weighed(units, lengths, corpus.counts, n_units)
    alphabet = build_alphabet(totals, config)
    ids = alphabet.ids_by_unit(n_units)
    is_outside = (ids == UNKNOWN) & (totals > 0)
    ids[is_outside] = _OUTSIDE
    if not is_outside.any() or config.limit_alphabet is None:
        return _written(alphabet, ids, units, lengths, corpus.counts)
    layout = _from_units(alphabet, ids, units, lengths, corpus.counts)
    is_dropped = layout.symbols == _OUTSIDE
    words = np.unique(layout.word_starts.searchsorted(np.flatnonzero(is_dropped), "right") - 1)
    layout = _without(layout, is_dropped)
    if alphabet.left_out == UNKNOWN and not config.byte_fallback:
        return layout
    is_shortened = np.zeros(len(lengths), np.bool_)
    is_shortened[words] = True
    units = units[np.repeat(is_shortened, lengths)]
    whole = _written(alphabet, ids, units, lengths[words], corpus.counts[words])
    return replace(layout, shortened=Shortened(words, whole))


def _written(
    alphabet: Alphabet,
    ids: Int32Array,
    units: ByteArray | Int64Array,
    lengths: Int64Array,
    weights: Int64Array,
) -> CorpusArray:
    """Pre-tokens as tokenizers write them, from their units; see `_from_units`."""
    config = alphabet.config
    is_any_outside = bool((ids == _OUTSIDE).any())
    if is_any_outside and config.byte_fallback:
        symbols, sizes = alphabet.symbols(units.astype(np.int64))
        return laid_out(alphabet, symbols, added_up(sizes, lengths), weights)
    layout = _from_units(alphabet, ids, units, lengths, weights)
    if not is_any_outside:
        return layout
    is_outside = layout.symbols == _OUTSIDE
    layout.symbols[is_outside] = alphabet.left_out
    if config.fuses_unknown:
        # Unknown characters side by side are one unknown token.
        is_outside[1:] &= is_outside[:-1].copy()
        return _without(layout, is_outside)
    return layout


def _from_units(
    alphabet: Alphabet,
    ids: Int32Array,
    units: ByteArray | Int64Array,
    lengths: Int64Array,
    weights: Int64Array,
) -> CorpusArray:
    """Pre-tokens as symbols.

    Args:
        alphabet: the meaning of the symbols.
        ids: the symbol of each unit.
        units: the units of the pre-tokens, end to end.
        lengths: (w,) int64, the number of units of each.
        weights: (w,) int64, the count of each in the text.
    """
    kernel, is_compiled = loader.choose("laying_out", len(units))
    if not is_compiled:
        return laid_out(alphabet, ids[units], lengths, weights)
    symbols = np.empty(_checked_size(len(units), lengths), np.int32)
    starts = np.empty(len(lengths) + 1, np.int64)
    kernel.lay_out(units, lengths, ids, symbols, starts)
    return CorpusArray(alphabet, symbols, starts, weights)


def _without(layout: CorpusArray, is_gone: BoolArray) -> CorpusArray:
    """The same pre-tokens without some of their symbols."""
    starts = layout.word_starts - np.searchsorted(np.flatnonzero(is_gone), layout.word_starts)
    return CorpusArray(layout.alphabet, layout.symbols[~is_gone], starts, layout.weights)


def _weighed(
    units: ByteArray | Int32Array | Int64Array, lengths: Int64Array, weights: Int64Array, n: int
) -> Int64Array:
    """(n,) int64, how often each unit occurs in the text; see `_from_units`."""
    totals = np.zeros(n, np.int64)
    kernel, is_compiled = loader.choose("laying_out", len(units))
    if is_compiled:
        kernel.weigh(units, lengths, weights, totals)
    else:
        np.add.at(totals, units, np.repeat(weights, lengths))
    return totals


def laid_out(
    alphabet: Alphabet, symbols: Int32Array, lengths: Int64Array, weights: Int64Array
) -> CorpusArray:
    """Pre-tokens as one array.

    Args:
        alphabet: the meaning of the symbols.
        symbols: (n,) int32, the symbols of the pre-tokens, end to end.
        lengths: (w,) int64, the number of symbols of each.
        weights: (w,) int64, the count of each in the text.
    """
    array = np.full(_checked_size(len(symbols), lengths), -1, np.int32)
    array[np.arange(len(symbols)) + np.repeat(np.arange(len(lengths)), lengths) + 1] = symbols
    starts = (
        np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        + np.arange(len(lengths) + 1)
        + 1
    )
    return CorpusArray(alphabet, array, starts, weights)


def _checked_size(n_symbols: int, lengths: Int64Array) -> int:
    size = n_symbols + len(lengths) + 1
    if size > MOST_PLACES:
        raise CorpusError(
            f"The distinct words of the text have {size:,} symbols, more than {MOST_PLACES:,};"
            " train on less text, or with a split that makes shorter words"
        )
    return size


def compile_kernels() -> None:
    """Compile the kernels, or load them from disk."""
    kernel = loader.compiled("laying_out")
    one = np.ones(1, np.int64)
    symbols = np.zeros(3, np.int32)
    starts = np.zeros(2, np.int64)
    for kind in (np.uint8, np.int32, np.int64):
        kernel.weigh(np.zeros(1, kind), one, one, np.zeros(1, np.int64))
    for kind in (np.uint8, np.int64):
        units = np.zeros(1, kind)
        kernel.lay_out(units, one, np.zeros(1, np.int32), symbols, starts)
    kernel.spread(starts, np.ones(1, np.int32), symbols)
    loader.mark_ready("laying_out")


@dataclass(frozen=True)
class Tokens:
    """The tokens of the corpus, or of a part of it, at one step, in text order.

    Attributes:
        ids: (t,) int32, token ids.
        starts: (t,) int64, the position of each token's first symbol.
        words: (t,) int32, the pre-token of each.
    """

    ids: Int32Array
    starts: Int64Array
    words: Int32Array


def tokens_at(
    layout: CorpusArray, gaps: Int32Array, step: int, start: int = 0, stop: int | None = None
) -> Tokens:
    """The tokens of the corpus after `step` merges.

    Args:
        layout: the corpus.
        gaps: (n,) int32 gap ranks; those of later merges count as open.
        step: how many merges apply.
        start: the position to begin at, which is the start of a pre-token or the separator before
            it.
        stop: the position to end at; `None` for the end.
    """
    symbols = layout.symbols[start:stop]
    inside = np.flatnonzero(symbols >= 0)
    cut = cut_at(gaps[start:stop][inside], step)
    ids = cut.ids(symbols[inside], len(layout.alphabet)).astype(np.int32, copy=False)
    places = inside[cut.firsts] + start
    return Tokens(ids, places, layout.words_of(places))
