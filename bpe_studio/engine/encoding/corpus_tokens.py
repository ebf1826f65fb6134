"""Counts the tokens of any tokenizer in a corpus, which is a table of counted pre-tokens.

Each distinct pre-token is encoded once. With byte units, all of them are encoded at once by the
compiled kernels: a gap that a merge closes makes one token and uses up two, so the counts follow
from the ranks of the closed gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from itertools import chain

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import ByteArray, Int32Array, Int64Array
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.bulk_encoding import byte_ids_of, is_bulk
from bpe_studio.engine.encoding.gap_closing import PairTable, close_words
from bpe_studio.engine.encoding.pre_token_encoder import PreTokenEncoder
from bpe_studio.engine.encoding.token_marks import TokenMarks
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER

_WORDS_AT_ONCE = 1 << 14
"""Few enough that no call of numpy keeps the interpreter's lock for more than some milliseconds."""
_BYTES_AT_ONCE = 1 << 20
_PIECES_AT_ONCE = 500


def can_share_pieces(model: TokenizerModel) -> bool:
    """Whether one table of pre-tokens serves all models that cut text as this one does: a mark at a
    word's end is always a token.
    """
    return not model.finals


def tokens_in_corpus(tokenizer: Tokenizer, corpus: Corpus) -> Generator[float, None, Int64Array]:
    """Counts the tokens of a corpus under a tokenizer whose split and normalization cut it in the
    same way.

    Args:
        tokenizer: one of ours, or one whose `model` is known; the pre-tokens are encoded with its
            merges.
        corpus: the counted pre-tokens.

    Yields:
        The share that is done.

    Returns:
        (n,) int64, the number of occurrences of each id.

    Raises:
        VocabularyError: a character is outside the alphabet and there is no unknown token.

    >>> from bpe_studio import TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=1)
    >>> corpus = Corpus.from_text("aa aab", config)
    >>> tokenizer = train(corpus, config).tokenizer()
    >>> from bpe_studio.engine.generators import result_of
    >>> counts = result_of(tokens_in_corpus(tokenizer, corpus))
    >>> {tokenizer.tokens[number]: int(counts[number]) for number in counts.nonzero()[0].tolist()}
    {'b': 1, 'Ġ': 1, 'aa': 2}
    """
    model = tokenizer.model
    byte_ids = byte_ids_of(model) if is_bulk(model.config) else np.full(256, -1, np.int32)
    if corpus.blob.size and (byte_ids[_used_bytes(corpus)] >= 0).all():
        merges = np.fromiter(
            chain.from_iterable(model.merges), np.int64, 3 * len(model.merges)
        ).reshape(-1, 3)
        pairs = PairTable.of_merges(model.merges)
        symbols = partial(symbols_of_bytes, byte_ids)
        return (
            yield from tokens_by_kernels(
                symbols, pairs, merges, len(model.tokens), corpus, corpus.counts
            )
        )
    return (yield from _piece_by_piece(model, corpus))


def _used_bytes(corpus: Corpus) -> npt.NDArray[np.bool_]:
    """(256,) bool, whether each byte occurs in a pre-token."""
    used = np.zeros(256, np.bool_)
    for start in range(0, len(corpus.blob), _BYTES_AT_ONCE):
        used |= np.bincount(corpus.blob[start : start + _BYTES_AT_ONCE], minlength=256) > 0
    return used


def symbols_of_bytes(
    byte_ids: Int32Array, blob: ByteArray, offsets: Int64Array
) -> tuple[Int32Array, Int64Array]:
    """The symbols of pieces of bytes, laid end to end, and the first of each, and the end.

    Args:
        byte_ids: (256,) int32, the symbol of each byte.
        blob: (size,) uint8, the pieces.
        offsets: (w + 1,) int64, the start of each, and the end.
    """
    return byte_ids[blob], offsets


def tokens_by_kernels(
    symbols_of: Callable[[ByteArray, Int64Array], tuple[Int32Array, Int64Array]],
    pairs: PairTable,
    merges: Int64Array,
    n_ids: int,
    corpus: Corpus,
    counts: Int64Array,
) -> Generator[float, None, Int64Array]:
    """Counts the tokens of pre-tokens.

    Args:
        symbols_of: the initial symbols of pre-tokens, as `symbols_of_bytes`.
        pairs: the merges.
        merges: (m, 3) int64, their left id, right id and new id in rank order; no pair has two
            ranks.
        n_ids: the largest id, plus one.
        corpus: the pre-tokens.
        counts: (w,) int64, the number of times that each is counted.

    Yields:
        The share that is done.

    Returns:
        (n_ids,) int64, the number of occurrences of each id.
    """
    found = np.zeros(n_ids, np.int64)
    closed = np.zeros(len(merges), np.int64)
    n_words = len(corpus.counts)
    for first in range(0, n_words, _WORDS_AT_ONCE):
        yield first / n_words
        last = min(n_words, first + _WORDS_AT_ONCE)
        offsets = corpus.offsets[first : last + 1]
        symbols, starts = symbols_of(corpus.blob[offsets[0] : offsets[-1]], offsets - offsets[0])
        times = np.repeat(counts[first:last], np.diff(starts))
        np.add.at(found, symbols, times)
        gaps = close_words(symbols, starts, pairs)
        is_closed = gaps != NEVER
        np.add.at(closed, gaps[is_closed], times[is_closed])
    if len(merges):
        left, right, made = merges.T
        np.add.at(found, made, closed)
        np.subtract.at(found, left, closed)
        np.subtract.at(found, right, closed)
    return found


def _piece_by_piece(model: TokenizerModel, corpus: Corpus) -> Generator[float, None, Int64Array]:
    ids = {
        name: number for number, name in reversed(list(enumerate(model.tokens)))
    } | model.special_ids
    encoder = PreTokenEncoder(model, ids, TokenMarks(model))
    found = np.zeros(len(model.tokens), np.int64)
    for number, piece in enumerate(corpus.pre_tokens()):
        if number % _PIECES_AT_ONCE == 0:
            yield number / len(corpus.counts)
        np.add.at(found, encoder.cut(piece, NEVER)[0], corpus.counts[number])
    return found
