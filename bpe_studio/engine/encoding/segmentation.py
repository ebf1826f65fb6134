"""A text encoded once, of which every vocabulary size is a threshold.

`close_gaps` gives each gap between the symbols of a pre-token the rank of the merge that closes it. Cutting at every
gap whose rank is at least k gives the tokens after k merges. `Segmenter` does so for the words of any text, by the
merges of a run that may still grow. A whole text that is being edited is `editable_text.py`'s.

Places are code points as floats: a fraction is a share of a character's bytes, so that a token which is part of a
character has its share of it.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import FloatArray, Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.plain_counting import to_bytes
from bpe_studio.engine.encoding.bulk_encoding import BulkEncoder, Content, is_bulk, n_by_rank
from bpe_studio.engine.encoding.gap_closing import PairTable, close_words, is_worth_a_kernel
from bpe_studio.engine.encoding.text_gaps import CutWords, TextGaps, number_distinct
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.alphabet import UNKNOWN, symbol_codes
from bpe_studio.engine.text.normalization import normalize_aligned
from bpe_studio.engine.text.pretokenization import WORD_START, spans

if TYPE_CHECKING:
    from weakref import ReferenceType

    from bpe_studio.engine.encoding.editable_text import EditableText
    from bpe_studio.engine.run import Run

_MAX_CACHED = 200_000
_MANY = 64
"""So many pre-tokens are cut sooner together."""

FUSED = -1
"""The gap rank between unknown symbols that make one token, as SentencePiece has it: closed at every step."""


def close_gaps(
    symbols: Sequence[int],
    ranks: Mapping[int, int],
    made: Sequence[int],
    gaps: list[int] | None = None,
    limit: int = NEVER,
) -> list[int]:
    """The merge rank that closes each gap between neighbouring symbols.

    Merges the pair of lowest rank first, the leftmost among equals, until no pair has a rank below the limit.

    Args:
        symbols: the ids of one pre-token's symbols; not modified.
        ranks: each merge's rank by its pair, as `left << 32 | right`.
        made: the token that each merge makes, by rank.
        gaps: the result with fewer merges, to continue from.
        limit: only merges of lower rank apply.

    Returns:
        One rank a symbol, for the gap before it; `NEVER` where no merge closes the gap, and at the first symbol.

    Source: Sennrich et al. 2016, Algorithm 1, run once with every merge.
    """
    n = len(symbols)
    tokens = list(symbols)
    gaps = [NEVER] * n if gaps is None else gaps
    after = list(range(1, n + 1))
    before = list(range(-1, n - 1))
    if min(gaps, default=NEVER) < NEVER:
        # Go on from the tokens that the given gap ranks make.
        first = 0
        for i in range(1, n):
            if gaps[i] == NEVER:
                after[first], before[i], first = i, first, i
            else:
                last = max(gaps[first + 1 : i + 1])
                tokens[first] = UNKNOWN if last == FUSED else made[last]
        if n:
            after[first] = n
    heap: list[tuple[int, int]] = []
    i = 0
    while i < n and after[i] < n:
        rank = ranks.get(tokens[i] << 32 | tokens[after[i]])
        if rank is not None and rank < limit:
            heap.append((rank, i))
        i = after[i]
    heapq.heapify(heap)
    while heap:
        rank, i = heapq.heappop(heap)
        j = after[i]
        # A pair that was merged away in the meantime no longer reads as it did.
        if gaps[i] != NEVER or j >= n or ranks.get(tokens[i] << 32 | tokens[j]) != rank:
            continue
        tokens[i] = made[rank]
        gaps[j] = rank
        after[i] = k = after[j]
        if k < n:
            before[k] = i
            found = ranks.get(tokens[i] << 32 | tokens[k])
            if found is not None and found < limit:
                heapq.heappush(heap, (found, i))
        h = before[i]
        if h >= 0:
            found = ranks.get(tokens[h] << 32 | tokens[i])
            if found is not None and found < limit:
                heapq.heappush(heap, (found, h))
    return gaps


def characters_of(text: str) -> tuple[str, list[float]]:
    """The characters that a text is learned and cut by, and where each begins and, as the last entry, the last ends.

    They are those of the text, but for lone surrogates: the bytes that these stand for are read as UTF-8, and what is
    none becomes U+FFFD, as `alphabet.symbol_codes` has it. A character may stand for several of them, and be a part of
    one that is no byte.

    >>> characters_of("a" + chr(0xDCC3) + chr(0xDCA9))  # the two bytes of an é
    ('aé', [0.0, 1.0, 3.0])
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        content, places = to_bytes(text), _byte_places(text)
    else:
        return text, [float(i) for i in range(len(text) + 1)]
    characters, begins, at = [], [], 0
    while at < len(content):
        head = content[at : at + 4]
        try:
            character = head.decode()[0]
        except UnicodeDecodeError as error:
            # What is before the first bad bytes is whole.
            character = head[: error.start].decode()[0] if error.start else ""
            width = error.end
        width = len(character.encode()) or width
        characters.append(character or "\ufffd")
        begins.append(places[at])
        at += width
    return "".join(characters), [*begins, float(len(text))]


def _byte_places(text: str) -> list[float]:
    """Where each byte of a text is and, as the last entry, where the text ends."""
    places: list[float] = []
    for i, char in enumerate(text):
        size = len(to_bytes(char))
        places.extend(i + k / size for k in range(size))
    return [*places, float(len(text))]


def symbol_places(piece: str, config: TrainingConfig) -> list[float]:
    """Where each symbol of a pre-token begins and, as the last entry, where the last one ends.

    Args:
        piece: the pre-token; the mark of the `sentencepiece` split, which is not in the text, has no width.
        config: units and marks.

    Returns:
        One place a symbol and one more, counted in code points from the first character of the text.
    """
    hidden = config.split == "sentencepiece"
    chars = piece[1:] if hidden else piece
    if config.units == "characters":
        places = characters_of(chars)[1]
        places = [0.0, *places] if hidden else places
    else:
        places = [0.0] * len(WORD_START.encode()) if hidden else []
        places += _byte_places(chars)
    if config.word_end_as == "own-symbol":
        places.append(places[-1])
    return places


class Word:
    """One pre-token, cut.

    Attributes:
        symbols: (n,) int32, internal symbol ids; `UNKNOWN` outside the alphabet.
        gaps: (n,) int32, the rank that closes the gap before each symbol; `NEVER` at the first.
        places: (n + 1,) float64, where each symbol begins within the pre-token; see `symbol_places`.
    """

    __slots__ = ("gaps", "places", "symbols")

    def __init__(self, symbols: Int32Array, gaps: Int32Array, places: FloatArray) -> None:
        self.symbols = symbols
        self.gaps = gaps
        self.places = places


class Segmenter:
    """Cuts the words of any text by a run's merges; words that were cut before are remembered.

    Attributes:
        latest: the text that was cut last, for as long as it is there: another `EditableText` like it takes its cuts.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.config = run.config
        self._ranks: dict[int, int] = {}
        self._words: dict[str, Word] = {}
        self._pairs: PairTable | None = None
        self._bulk: BulkEncoder | None = None
        self.n_merges = 0
        self.latest: ReferenceType[EditableText] | None = None

    def refresh(self) -> bool:
        """Take in the merges that the run has learned since; says whether there were any."""
        columns = self.run.columns
        known, n = self.n_merges, len(columns)
        if n == known:
            return False
        left, right = columns.left[known:n].tolist(), columns.right[known:n].tolist()
        added = {a << 32 | b: rank for rank, (a, b) in enumerate(zip(left, right, strict=True), known)}
        self._ranks.update(added)
        self.n_merges, self._bulk = n, None
        words = list(self._words.values())
        if len(words) >= _MANY and loader.is_ready("encoding"):
            self._close_anew(words)
            return True
        made = range(self.run.n_alphabet, self.run.n_alphabet + n)
        for word in words:
            gaps = close_gaps(word.symbols.tolist(), self._ranks, made, word.gaps.tolist())
            word.gaps = np.array(gaps, np.int32)
        return True

    def _close_anew(self, words: list[Word]) -> None:
        symbols = np.concatenate([word.symbols for word in words])
        bounds = np.cumsum([0, *(len(word.symbols) for word in words)]).astype(np.int64)
        gaps = self._gaps_of(symbols, bounds)
        for word, a, b in zip(words, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            word.gaps = gaps[a:b]

    def word(self, piece: str) -> Word:
        """One pre-token, cut; the `sentencepiece` split's mark is part of it."""
        word = self._words.get(piece)
        if word is None:
            symbols = self.run.alphabet.symbol_ids(to_bytes(piece))
            made = range(self.run.n_alphabet, self.run.n_alphabet + self.n_merges)
            if is_worth_a_kernel(len(symbols)):
                gaps = close_words(symbols, np.array([0, len(symbols)]), self._pair_table())
            else:
                gaps = np.array(close_gaps(symbols.tolist(), self._ranks, made), np.int32)
            if self.config.split == "sentencepiece":
                gaps[1:][(symbols[1:] == UNKNOWN) & (symbols[:-1] == UNKNOWN)] = FUSED
            word = Word(symbols, gaps, np.array(symbol_places(piece, self.config)))
            if len(self._words) >= _MAX_CACHED:
                self._words.clear()
            self._words[piece] = word
        return word

    def words(self, pieces: list[str]) -> list[Word]:
        """Distinct pre-tokens, cut; those that are not remembered are cut together where they are many."""
        missing = [piece for piece in pieces if piece not in self._words]
        # Kernels that are not there yet are not waited for: much work would have them compiled.
        is_quick = loader.is_ready("encoding") or 4 * sum(map(len, missing)) <= loader.PLAIN_WORK
        if len(missing) >= _MANY and len(self._words) + len(missing) <= _MAX_CACHED and is_quick:
            self._cut_together(missing)
        return [self.word(piece) for piece in pieces]

    def _cut_together(self, pieces: list[str]) -> None:
        try:
            contents = [piece.encode() for piece in pieces]
        except UnicodeEncodeError:
            # Stray bytes: what they are depends on the pre-token that they are in.
            return
        offsets = np.cumsum([0, *map(len, contents)]).astype(np.int64)
        cut = self._closed(np.frombuffer(b"".join(contents), np.uint8), offsets)
        has_plain_places = self.config.split != "sentencepiece" and self.config.word_end_as != "own-symbol"
        whole = np.arange(int(cut.lengths.max(initial=0)) + 1, dtype=np.float64)
        begin = 0
        for piece, length in zip(pieces, cut.lengths.tolist(), strict=True):
            is_plain = has_plain_places and (self.config.units == "characters" or piece.isascii())
            places = whole[: length + 1] if is_plain else np.array(symbol_places(piece, self.config))
            end = begin + length
            self._words[piece] = Word(cut.symbols[begin:end], cut.gaps[begin:end], places)
            begin = end

    def close_table(self, blob: npt.NDArray[np.uint8], offsets: Int64Array) -> CutWords:
        """Many pre-tokens, each cut by itself.

        Args:
            blob: (size,) uint8, the pre-tokens' bytes, end to end; none is empty.
            offsets: (w + 1,) int64, where each begins in `blob`.
        """
        self.refresh()
        return self._closed(blob, offsets)

    def _closed(self, blob: npt.NDArray[np.uint8], offsets: Int64Array) -> CutWords:
        codes, lengths = symbol_codes(blob, offsets, self.config)
        symbols = self.run.alphabet.ids(codes)
        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        return CutWords(symbols, self._gaps_of(symbols, bounds), lengths)

    def _gaps_of(self, symbols: Int32Array, bounds: Int64Array) -> Int32Array:
        """(n,) int32, the gap ranks of pre-tokens that begin at these bounds, the last of which is the end."""
        if loader.choose("encoding", len(symbols))[1]:
            gaps = close_words(symbols, bounds, self._pair_table())
        else:
            made = range(self.run.n_alphabet, self.run.n_alphabet + self.n_merges)
            words = (symbols[a:b].tolist() for a, b in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
            gaps = np.array([gap for word in words for gap in close_gaps(word, self._ranks, made)], np.int32)
        if self.config.split == "sentencepiece":
            unknown = symbols == UNKNOWN
            unknown[1:] &= unknown[:-1].copy()
            unknown[bounds[:-1]] = False
            gaps[unknown] = FUSED
        return gaps

    def _pair_table(self) -> PairTable:
        if self._pairs is None or len(self._pairs) != self.n_merges:
            columns = self.run.columns
            lefts, rights = (side[: self.n_merges].astype(np.int64) for side in (columns.left, columns.right))
            ranks = np.arange(self.n_merges)
            self._pairs = PairTable(lefts, rights, ranks, ranks + self.run.n_alphabet)
        return self._pairs

    def text_gaps(self, text: str) -> TextGaps:
        """A text's symbols and gap ranks, from which its tokens at every step are one comparison."""
        self.refresh()
        source = self._normalized(text)
        content = self._bulk_content(source)
        gaps = None if content is None else self._bulk_encoder.gap_ranks(content)
        if content is not None and gaps is not None:
            return TextGaps(self._bulk_encoder.symbols(content), gaps, self.run.n_alphabet)
        words, numbers = self._cut_words(source)
        places = words.places(numbers)
        return TextGaps(words.symbols[places], words.gaps[places], self.run.n_alphabet)

    def n_by_rank(self, text: str) -> Int64Array | None:
        """(merges + 1,) int64: how many gaps of a text each merge closes, and how many none does.

        `None` where kernels cannot cut the text, or it is not worth them.
        """
        self.refresh()
        content = self._bulk_content(self._normalized(text))
        gaps = None if content is None else self._bulk_encoder.gap_ranks(content)
        return None if gaps is None else n_by_rank(gaps, self.n_merges)

    def gap_ranks(self, text: str) -> list[Int32Array]:
        """The gap ranks of a text's pre-tokens, the first symbol's left out; each distinct one is cut once."""
        words, numbers = self._cut_words(self._normalized(text))
        ends = np.cumsum(words.lengths).tolist()
        found = [words.gaps[end - n + 1 : end] for end, n in zip(ends, words.lengths.tolist(), strict=True)]
        return [found[number] for number in numbers.tolist()]

    def _normalized(self, text: str) -> str:
        return normalize_aligned(text, self.config.normalize).text if self.config.normalize else text

    def _cut_words(self, source: str) -> tuple[CutWords, Int64Array]:
        """The distinct pre-tokens of a text, cut, and which of them the text has, one after another."""
        pieces, numbers = number_distinct([self.piece(source, a, b) for a, b in spans(source, self.config.split)])
        contents = [to_bytes(piece) for piece in pieces]
        offsets = np.cumsum([0, *map(len, contents)]).astype(np.int64)
        return self.close_table(np.frombuffer(b"".join(contents), np.uint8), offsets), numbers

    def _bulk_content(self, source: str) -> Content | None:
        """The text's bytes where it is worth kernels, and they can cut it."""
        if is_bulk(self.config) and loader.choose("encoding", len(source))[1]:
            return Content.of(source)
        return None

    @property
    def _bulk_encoder(self) -> BulkEncoder:
        if self._bulk is None:
            byte_ids = self.run.alphabet.ids_by_unit(256)
            self._bulk = BulkEncoder(self.config.split, byte_ids, self._pair_table)
        return self._bulk

    def piece(self, text: str, start: int, end: int) -> str:
        """The pre-token from start to end of a text."""
        return WORD_START + text[start:end] if self.config.split == "sentencepiece" else text[start:end]
