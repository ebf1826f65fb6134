"""Counts the tokens of a corpus under a third-party tokenizer by its distinct pieces: each is
encoded once.

Our engine cuts the text and counts the pieces, as it does for our own tokenizers, and its kernels
merge them. Without merges, the library encodes them. This works if we have the split of the
tokenizer, or if its vocabulary shows where no merge can cross (`borders`), and only for characters
that the library takes for the same as we do. On a sample of the corpus, the counts must be those of
the whole text. A text with a token that is found before the text is cut (`names_found`) is not
counted by its pieces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.corpus import Corpus
from bpe_studio.engine.encoding.corpus_tokens import symbols_of_bytes, tokens_by_kernels
from bpe_studio.engine.encoding.encoded_texts import EncodedTexts
from bpe_studio.engine.generators import result_of
from bpe_studio.engine.presets import WORD_START
from bpe_studio.engine.text.alphabet import byte_to_stand_in, to_stand_ins
from bpe_studio.engine.text.pretokenization import compile_split
from bpe_studio.engine.text.special_text import specials_pattern
from bpe_studio.engine.text.utf8 import next_character
from bpe_studio.errors import BpeError, VocabularyError
from bpe_studio.files.formats.broad_text import usual_texts
from bpe_studio.files.formats.tokenizer_file import config_as_read
from bpe_studio.files.third_party.borders import Cutting
from bpe_studio.files.third_party.native_library import HALF_SURROGATE, Library
from bpe_studio.files.third_party.piece_merges import PieceMerges
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_BEGINNING = re.compile(rf"[ {WORD_START}\n]*[^ {WORD_START}\n]*")
_NOTHING: Mapping[str, int] = {}
_PIECES_AT_ONCE = 1_000
"""The pieces of one call: so few that another thread waits for the library some milliseconds at
most.
"""
_BYTES_AT_ONCE = 1 << 20
_SAMPLE_CHARACTERS = 1 << 13
Symbols = Callable[[ByteArray, Int64Array], tuple[Int32Array, Int64Array]]


def cutting_for_counting(tokenizer: ThirdPartyTokenizer) -> Cutting | None:
    """The settings that cut a corpus so that its distinct pieces can be counted; `None` if only the
    whole text can be.
    """
    cutting = tokenizer.native.cutting()
    if cutting is None:
        return None
    # The library would put its prefix before each piece.
    if cutting.prefix and _characters_of(tokenizer) is None:
        return None
    try:
        config_for_counting(cutting)
    except BpeError:
        return None
    return cutting


def config_for_counting(cutting: Cutting) -> TrainingConfig:
    """The options of a corpus that is cut in this way.

    Raises:
        BpeError: the split cannot be used.
    """
    return config_as_read(units="bytes", split=cutting.split, normalize=cutting.normalize)


def names_found(tokenizer: ThirdPartyTokenizer, cutting: Cutting) -> set[str]:
    """The tokens that are found in a text before it is cut."""
    names = set(cutting.absent)
    if tokenizer.finds_special():
        names.update(tokenizer.added_ids)
    return names


def is_exact(tokenizer: ThirdPartyTokenizer, cutting: Cutting, corpus: Corpus, sample: str) -> bool:
    """Whether the distinct pieces of a corpus have the tokens of its text.

    Args:
        tokenizer: the tokenizer.
        cutting: the settings that cut the corpus.
        corpus: the corpus.
        sample: a part of its text. On this and on the broad text, the counts by pieces must be
            those of the whole text.
    """
    if cutting.cut_otherwise(_characters_in(corpus)):
        return False
    broad = "\n".join(usual_texts())
    strange = cutting.cut_otherwise("".join(sorted(set(broad))))
    strange |= cutting.normalized_otherwise(broad)
    plain = "".join(char for char in broad if char not in strange)
    try:
        for text in (plain, sample):
            is_usable = not any(name in text for name in cutting.absent)
            if is_usable and not _is_the_same(tokenizer, text, cutting):
                return False
        return True
    except BpeError:
        return False


def tokens_in_texts(tokenizer: ThirdPartyTokenizer, texts: Sequence[str]) -> Int64Array | None:
    """(n,) int64, the number of occurrences of each token in large texts, by distinct pieces.

    `None` if the pieces may not have the tokens of the texts: the tokenizer does not say where a
    text can be cut, or the texts hold added tokens or characters that the library takes for others.
    """
    cutting = None if tokenizer.is_stopped else cutting_for_counting(tokenizer)
    if cutting is None:
        return None
    names = specials_pattern(names_found(tokenizer, cutting))
    if any(names.search(text) or HALF_SURROGATE.search(text) for text in texts):
        return None
    if cutting.normalize and cutting.normalized_otherwise("".join(sorted(set().union(*texts)))):
        return None
    corpus = Corpus.from_texts(texts, config_for_counting(cutting))
    if not is_exact(tokenizer, cutting, corpus, texts[0][:_SAMPLE_CHARACTERS]):
        return None
    beginnings = _NOTHING
    if cutting.prefix:
        beginnings = Counter(beginning(text) for text in texts if text)
    return result_of(tokens_in_pieces(tokenizer, cutting, corpus, beginnings))


def tokens_in_pieces(
    tokenizer: ThirdPartyTokenizer,
    cutting: Cutting,
    corpus: Corpus,
    beginnings: Mapping[str, int] = _NOTHING,
) -> Generator[float, None, Int64Array]:
    """Counts the tokens of a corpus that is cut as `config_for_counting` says.

    A byte that is not text counts as U+FFFD.

    Args:
        tokenizer: the tokenizer.
        cutting: the settings that cut the corpus.
        corpus: its pieces.
        beginnings: the number of texts with each first word, if the library puts a prefix before a
            text.

    Yields:
        The share that is done.

    Returns:
        (n,) int64, the number of occurrences of each id.
    """
    found = yield from _of_pieces(tokenizer, corpus)
    if not cutting.prefix or not beginnings:
        return found
    pattern = compile_split(cutting.split)
    pieces: Counter[str] = Counter()
    for text, count in beginnings.items():
        for piece in pattern.findall(text):
            pieces[to_stand_ins(piece.encode("utf-8", "surrogateescape"))] += count
    found -= yield from _of_pieces(tokenizer, Corpus.from_counts(pieces, corpus.config))
    for some in _batches(beginnings):
        yield 1.0
        counts = [beginnings[text] for text in some]
        encoded = tokenizer.encode_many(some, as_arrays=True, recognize_special=False)
        _add(found, encoded, np.array(counts, np.int64))
    return found


def _of_pieces(
    tokenizer: ThirdPartyTokenizer, corpus: Corpus
) -> Generator[float, None, Int64Array]:
    merges = tokenizer.piece_merges
    table = None if merges is None else merges.as_array()
    symbols = _bytes_of(tokenizer) or _characters_of(tokenizer)
    if merges is not None and table is not None and symbols is not None:
        # An unknown character may become one token with its neighbours.
        with suppress(VocabularyError):
            return (yield from _by_kernels(tokenizer, merges, table, symbols, corpus))
    found = np.zeros(max(tokenizer.tokens, default=0) + 1, np.int64)
    n_done = 0
    n_pieces = len(corpus.counts)
    for pieces in _batches(corpus.pre_tokens()):
        yield n_done / n_pieces
        texts = (HALF_SURROGATE.sub("\ufffd", piece) for piece in pieces)
        encoded = tokenizer.encode_many(texts, as_arrays=True, recognize_special=False)
        _add(found, encoded, corpus.counts[n_done : n_done + len(pieces)])
        n_done += len(pieces)
    return found


def _add(found: Int64Array, encoded: EncodedTexts, counts: Int64Array) -> None:
    np.add.at(found, encoded.ids, counts.repeat(np.diff(encoded.offsets)))


def _by_kernels(
    tokenizer: ThirdPartyTokenizer,
    merges: PieceMerges,
    table: Int64Array,
    symbols: Symbols,
    corpus: Corpus,
) -> Generator[float, None, Int64Array]:
    library = tokenizer.native
    n_ids = max((*tokenizer.tokens, *library.hidden)) + 1
    counts = corpus.counts
    wholes = np.zeros(n_ids, np.int64)
    if library.takes_whole_pieces:
        counts = counts.copy()
        added = set(library.added_ids.values())
        numbers = {
            library.content(number): number for number in library.tokens if number not in added
        }
        raw = corpus.blob.tobytes()
        bounds = corpus.offsets.tolist()
        for place, count in enumerate(counts.tolist()):
            if place % _PIECES_AT_ONCE == 0:
                yield 0.5 * place / len(counts)
            number = numbers.get(raw[bounds[place] : bounds[place + 1]])
            if number is not None:
                wholes[number] += count
                counts[place] = 0
    found = yield from tokens_by_kernels(symbols, merges.pair_table, table, n_ids, corpus, counts)
    found += wholes
    for symbol, others in library.unmerged.items():
        np.add.at(found, list(others), found[symbol])
    return found[: max(tokenizer.tokens) + 1]


def _bytes_of(tokenizer: ThirdPartyTokenizer) -> Symbols | None:
    """The function that gives the symbols of pieces of bytes; `None` for other pieces."""
    if tokenizer.native.units != "bytes" or tokenizer.native.unmerged:
        return None
    ids = [tokenizer.id_of(name) for name in byte_to_stand_in]
    return None if None in ids else partial(symbols_of_bytes, np.array(ids, np.int32))


def _characters_of(tokenizer: ThirdPartyTokenizer) -> Symbols | None:
    """The function that gives the symbols of pieces of characters; `None` for other pieces."""
    merges = tokenizer.piece_merges
    if tokenizer.native.units != "characters" or merges is None or merges.as_array() is None:
        return None
    return _CharacterSymbols(tokenizer.native)


class _CharacterSymbols:
    """The symbols of pieces of characters, some of which become several.

    Args:
        library: gives the symbols of a character.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._firsts = np.full(0x110000, -1, np.int64)
        self._sizes = np.ones(0x110000, np.int64)
        self._symbols: list[int] = []

    def __call__(self, blob: ByteArray, offsets: Int64Array) -> tuple[Int32Array, Int64Array]:
        """As `symbols_of_bytes`.

        Raises:
            VocabularyError: a character is unknown, or a byte is not text.
        """
        try:
            points = np.frombuffer(blob.tobytes().decode().encode("utf-32-le"), np.uint32)
        except UnicodeError:
            raise VocabularyError("A byte is not text") from None
        for point in np.unique(points[self._firsts[points] < 0]).tolist():
            found = self._library.symbols_of(chr(point))
            self._firsts[point] = len(self._symbols)
            self._sizes[point] = len(found)
            self._symbols += found
        n_characters = np.concatenate([np.zeros(1, np.int64), np.cumsum((blob & 0xC0) != 0x80)])
        sizes = self._sizes[points]
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        places = np.repeat(self._firsts[points] - ends[:-1], sizes) + np.arange(ends[-1])
        return np.array(self._symbols, np.int32)[places], ends[n_characters[offsets]]


def _characters_in(corpus: Corpus) -> str:
    """The characters of a corpus that are not ASCII, each once."""
    is_there = np.zeros(0x110000, np.bool_)
    start = 0
    size = len(corpus.blob)
    while start < size:
        end = next_character(corpus.blob, min(size, start + _BYTES_AT_ONCE))
        content = corpus.blob[start:end].tobytes()
        if not content.isascii():
            text = content.decode("utf-8", "replace")
            is_there[np.frombuffer(text.encode("utf-32-le"), np.uint32)] = True
        start = end
    is_there[:128] = False
    return "".join(map(chr, is_there.nonzero()[0].tolist()))


def _batches(pieces: Iterable[str]) -> Iterator[list[str]]:
    iterator = iter(pieces)
    while batch := list(islice(iterator, _PIECES_AT_ONCE)):
        yield batch


def _is_the_same(tokenizer: ThirdPartyTokenizer, text: str, cutting: Cutting) -> bool:
    """Whether the pieces of a text and the whole text have the same tokens, each as often."""
    try:
        whole = tokenizer.encode_ids(text, recognize_special=False)
    except VocabularyError:
        # The library itself does not encode this text.
        return True
    corpus = Corpus.from_text(text, config_for_counting(cutting))
    beginnings = {beginning(text): 1} if text else {}
    found = result_of(tokens_in_pieces(tokenizer, cutting, corpus, beginnings))
    return np.array_equal(found, np.bincount(np.array(whole, np.int64), minlength=len(found)))


def beginning(text: str) -> str:
    """The first word of a text with the white space before it; these are whole pieces if the
    library puts a prefix before a text.
    """
    match = _BEGINNING.match(text)
    return match[0] if match else ""
