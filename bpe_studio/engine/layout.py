"""A corpus laid end to end as symbol ids, and its tokens at any step.

The array form that training and time travel share: `symbols` with -1 before, between and behind the pre-tokens, and
one gap rank for each symbol. The gap rank at a symbol belongs to the gap before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.alphabet import Alphabet, build_alphabet, symbol_codes
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.corpus import Corpus
from bpe_studio.engine.kernels.buffers import NEVER

Int32Array = npt.NDArray[np.int32]
Int64Array = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Layout:
    """A corpus as symbols.

    Attributes:
        alphabet: what the ids mean.
        symbols: (n,) int32, initial symbol ids; -1 before, between and behind pre-tokens.
        words: (n,) int32, the pre-token of each symbol.
        word_starts: (w + 1,) int64, where each pre-token's first symbol stands; the last entry is n.
        weights: (w,) int64, how often each pre-token stands in the text.
    """

    alphabet: Alphabet
    symbols: Int32Array
    words: Int32Array
    word_starts: Int64Array
    weights: Int64Array

    def no_gaps_closed(self) -> Int32Array:
        """(n,) int32 gap ranks before the first merge: all `NEVER`."""
        return np.full(len(self.symbols), NEVER, np.int32)


def lay_out(corpus: Corpus, config: TrainingConfig) -> Layout:
    """The corpus as symbols, and the alphabet that they make."""
    codes, lengths = symbol_codes(corpus.blob, corpus.offsets, config)
    word_of = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    alphabet = build_alphabet(codes, corpus.counts, word_of, config)
    size = len(codes) + len(lengths) + 1
    places = np.arange(len(codes)) + word_of + 1
    symbols = np.full(size, -1, np.int32)
    symbols[places] = alphabet.ids(codes)
    words = np.zeros(size, np.int32)
    words[places] = word_of
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)]) + np.arange(len(lengths) + 1) + 1
    return Layout(alphabet, symbols, words, starts, corpus.counts)


@dataclass(frozen=True)
class Tokens:
    """The tokens of a stretch of the corpus at one step, in text order.

    Attributes:
        ids: (t,) int32, token ids.
        starts: (t,) int64, where each token's first symbol stands.
        words: (t,) int32, the pre-token of each.
    """

    ids: Int32Array
    starts: Int64Array
    words: Int32Array


def tokens_at(layout: Layout, gaps: Int32Array, step: int, start: int = 0, stop: int | None = None) -> Tokens:
    """The corpus cut as it stood after `step` merges.

    Cut where the gap rank is at least `step`; a token's id is that of the last merge inside it.

    Args:
        layout: the corpus.
        gaps: (n,) int32 gap ranks; ranks of merges after `step` may be there and are taken as open.
        step: how many merges apply.
        start: the first symbol to look at; where a pre-token or its sentinel stands.
        stop: the end of the stretch; `None` for all.
    """
    symbols = layout.symbols[start:stop]
    ranks = gaps[start:stop]
    inside = np.flatnonzero(symbols >= 0)
    ranks = ranks[inside]
    opens = ranks >= step
    firsts = np.flatnonzero(opens)
    if not len(firsts):
        return Tokens(np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int32))
    made = np.where(opens, -1, ranks)
    last = np.maximum.reduceat(made, firsts)
    places = inside[firsts]
    ids = np.where(last < 0, symbols[places], last + len(layout.alphabet)).astype(np.int32)
    return Tokens(ids, places + start, layout.words[start:stop][places])
