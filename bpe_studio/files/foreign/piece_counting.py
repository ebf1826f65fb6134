"""The tokens of a corpus under a tokenizer of others, by its distinct pieces: each is encoded once.

Our engine cuts the text and counts the pieces, as it does for our own tokenizers. Pieces of bytes are merged by its
kernels, all others by the library. That is possible if we have the split
of the tokenizer, or if its vocabulary shows where no merge can cross (`hugging_face`). It is used only if, on the broad
text and on a sample of the corpus, it gives the counts of the whole text. Special tokens are text like any other, as
when our own tokenizers are counted.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from itertools import islice

import numpy as np

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.corpus_tokens import tokens_by_kernels
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.text.alphabet import byte_to_stand_in
from bpe_studio.errors import BpeError, VocabularyError
from bpe_studio.files.foreign.broad_text import usual_texts
from bpe_studio.files.foreign.tokenizer import ForeignTokenizer
from bpe_studio.files.formats.tokenizer_file import config_as_read

_HALF_SURROGATE = re.compile("[\ud800-\udfff]")
_PIECES_AT_ONCE = 1_000
"""So few that another thread, which waits for the library, does not wait longer than some milliseconds."""


def config_for_counting(tokenizer: ForeignTokenizer, sample: str) -> TrainingConfig | None:
    """How a corpus is cut so that its distinct pieces can be counted; `None` if only the whole text can be.

    Args:
        tokenizer: the tokenizer.
        sample: a part of the corpus, on which the counts are compared with those of the whole text.
    """
    split = tokenizer.native.split_for_counting()
    if split is None:
        return None
    try:
        config = config_as_read(units="bytes", split=split)
        if all(_is_the_same(tokenizer, text, config) for text in (*usual_texts(), sample)):
            return config
    except BpeError:
        pass
    return None


def tokens_in_pieces(tokenizer: ForeignTokenizer, corpus: Corpus) -> Generator[float, None, Int64Array]:
    """Counts the tokens of a corpus, which is cut as `config_for_counting` says.

    Yields:
        The share that is done.

    Returns:
        (n,) int64, the number of occurrences of each id.

    A byte that is no text counts as U+FFFD.
    """
    byte_ids = _byte_ids(tokenizer)
    if byte_ids is not None:
        return (yield from _of_bytes(tokenizer, byte_ids, corpus))
    found = np.zeros(max(tokenizer.tokens, default=0) + 1, np.int64)
    n_done, n_pieces = 0, len(corpus.counts)
    for pieces in _batches(corpus.pre_tokens()):
        yield n_done / n_pieces
        ids = tokenizer.encode_many([_HALF_SURROGATE.sub("\ufffd", piece) for piece in pieces])
        counts = corpus.counts[n_done : n_done + len(pieces)]
        np.add.at(
            found, np.fromiter((one for each in ids for one in each), np.int64), counts.repeat(list(map(len, ids)))
        )
        n_done += len(pieces)
    return found


def _byte_ids(tokenizer: ForeignTokenizer) -> Int64Array | None:
    """(256,) int64, the symbol of each byte, if all pieces are bytes and there are merges."""
    if tokenizer.piece_merges is None or tokenizer.native.units != "bytes" or tokenizer.native.unmerged:
        return None
    ids = [tokenizer.id_of(name) for name in byte_to_stand_in]
    return None if None in ids else np.array(ids, np.int64)


def _of_bytes(tokenizer: ForeignTokenizer, byte_ids: Int64Array, corpus: Corpus) -> Generator[float, None, Int64Array]:
    n_ids, counts = max(tokenizer.tokens) + 1, corpus.counts
    wholes = np.zeros(n_ids, np.int64)
    if tokenizer.native.takes_whole_pieces:
        counts = counts.copy()
        for place, (name, count) in enumerate(corpus.named_items()):
            if place % _PIECES_AT_ONCE == 0:
                yield 0.5 * place / len(counts)
            number = tokenizer.id_of(name)
            if number is not None and name not in tokenizer.added_ids:
                wholes[number] += count
                counts[place] = 0
    return wholes + (yield from tokens_by_kernels(byte_ids, tokenizer.merges, n_ids, corpus, counts))


def _batches(pieces: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(pieces)
    while batch := list(islice(iterator, _PIECES_AT_ONCE)):
        yield batch


def _is_the_same(tokenizer: ForeignTokenizer, text: str, config: TrainingConfig) -> bool:
    """Whether the pieces of a text and the whole text have the same tokens, each as often."""
    try:
        whole = tokenizer.encode_many([text])[0]
    except VocabularyError:
        return True  # what the library itself does not encode
    found = result_of(tokens_in_pieces(tokenizer, Corpus.from_text(text, config)))
    return np.array_equal(found, np.bincount(np.array(whole, np.int64), minlength=len(found)))
