"""A text is encoded once, and every vocabulary size is a threshold.

Each gap between the symbols of a pre-token has the rank of the merge that closes it
(`gap_closing.py`). Cutting at every gap whose rank is at least k gives the tokens after k merges.
`Segmenter` does this for the words of any text, with merges that may still be added to.
`editable_text.py` holds a whole text that is being edited.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import BoolArray, FloatArray, Int32Array, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.bulk_encoding import BulkEncoder, Content, is_bulk
from bpe_studio.engine.encoding.gap_closing import (
    FUSED,
    PairTable,
    close_word,
    close_words,
    is_worth_a_kernel,
)
from bpe_studio.engine.encoding.symbol_places import byte_places, divided_places, symbol_places
from bpe_studio.engine.encoding.text_gaps import CutWords, TextGaps, number_distinct
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.alphabet import Alphabet, added_up, symbol_codes
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.outside_alphabet import LAST_SPECIAL, UNKNOWN
from bpe_studio.engine.text.pretokenization import spans
from bpe_studio.engine.text.special_text import specials_pattern
from bpe_studio.engine.text.utf8 import to_bytes

if TYPE_CHECKING:
    from weakref import ReferenceType

    from bpe_studio.engine.training.merge_log import MergeColumns

_MAX_CACHED = 200_000
_MANY = 64
"""At least this many pre-tokens are faster together, with kernels."""


class Word:
    """One pre-token with its gap ranks.

    Attributes:
        symbols: (n,) int32, internal symbol ids; `UNKNOWN` outside the alphabet.
        gaps: (n,) int32, the rank that closes the gap before each symbol; `NEVER` at the first.
        places: (n + 1,) float64, the start of each symbol within the pre-token; see
            `symbol_places`.
    """

    __slots__ = ("gaps", "places", "symbols")

    def __init__(self, symbols: Int32Array, gaps: Int32Array, places: FloatArray) -> None:
        self.symbols = symbols
        self.gaps = gaps
        self.places = places


class Segmenter:
    """Encodes the words of any text with merges, and caches the words.

    Attributes:
        config: how text is cut.
        alphabet: the symbols.
        columns: the merges, which may grow.
        latest: the text that was encoded last, while it exists; an `EditableText` with the same
            content copies it.
        first: encodes the words of the first of two stages, for steps before `n_first`; `None` if
            there is one stage.
        recognizes_special: whether the text of a special token is that token, and not text like any
            other.

    Args:
        order: (k,) int64, a number for each of the first k merges; the lowest applies first. It is
            given if they do not apply in the order of `columns`. A gap rank is always a place in
            `columns`.
    """

    recognizes_special = True
    first: Segmenter | None = None
    n_first = 0

    def __init__(
        self,
        config: TrainingConfig,
        alphabet: Alphabet,
        columns: MergeColumns,
        order: Int64Array | None = None,
    ) -> None:
        self.config = config
        self.alphabet = alphabet
        self.columns = columns
        self._order = np.zeros(0, np.int64) if order is None else order
        self._places = np.argsort(self._order)
        self._ranks: dict[int, int] = {}
        self._made: Sequence[int] = ()
        self._words: dict[str, Word] = {}
        self._pairs: PairTable | None = None
        self._bulk: BulkEncoder | None = None
        self._specials: re.Pattern[str] | None = None
        self.n_merges = 0
        self.latest: ReferenceType[Any] | None = None
        if len(self._order):
            # Words are closed with all merges of the tokenizer or not at all: later merges continue
            # from there.
            self.refresh()

    def pieces_of(
        self, text: str, begins_text: bool = True
    ) -> tuple[list[tuple[int, int]], list[Word]] | None:
        """The pieces of a text, (start, end) in code points and their words, if another program
        cuts it.

        Args:
            text: the text.
            begins_text: whether it is not a later part of a text (`separate_part`).

        Returns:
            `None` for our own splits.
        """
        return None

    def separate_part(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """The part around an edit that another program cuts as it does in the whole text, in code
        points.

        No word crosses its ends, before and after the edit.

        Args:
            text: the text after the edit.
            start: the start of what has changed.
            end: the end of what has changed.

        Returns:
            `None` if there is no such part but the text.
        """
        return None

    def recognize_special(self, is_on: bool) -> None:
        """Recognize special tokens in every text that is encoded from now on, or no longer."""
        if is_on != self.recognizes_special:
            self.recognizes_special = is_on
            self.latest = None
        if self.first is not None:
            self.first.recognize_special(is_on)

    def special_places(self, text: str) -> list[tuple[int, int, int]]:
        """The special tokens in a text, if they are recognized: (start, end, number among those of
        the options).
        """
        names = self.config.all_special if self.recognizes_special else ()
        if not names:
            return []
        if self._specials is None:
            self._specials = specials_pattern(names)
        return [
            (*match.span(), names.index(match.group())) for match in self._specials.finditer(text)
        ]

    def refresh(self) -> bool:
        """Apply the merges that were added since the last call; returns whether there were any."""
        columns = self.columns
        known = self.n_merges
        n = len(columns)
        if n == known:
            return False
        left = columns.left[known:n].tolist()
        right = columns.right[known:n].tolist()
        ranks = self._ranks_of(known, n).tolist()
        self._ranks.update(
            {a << 32 | b: rank for rank, a, b in zip(ranks, left, right, strict=True)}
        )
        self.n_merges = n
        self._bulk = None
        self._made = self._made_by_rank()
        words = list(self._words.values())
        if len(words) >= _MANY and loader.is_ready("encoding"):
            self._close_anew(words)
            return True
        made = range(len(self.alphabet), len(self.alphabet) + n)
        for word in words:
            gaps, _ = close_word(word.symbols.tolist(), self._ranks, made, word.gaps.tolist())
            word.gaps = np.array(gaps, np.int32)
        return True

    def _close_anew(self, words: list[Word]) -> None:
        symbols = np.concatenate([word.symbols for word in words])
        bounds = np.cumsum([0, *(len(word.symbols) for word in words)]).astype(np.int64)
        is_fused = np.concatenate([word.gaps for word in words]) == FUSED
        gaps = self._gaps_of(symbols, bounds, is_fused)
        for word, a, b in zip(words, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            word.gaps = gaps[a:b]

    def word(self, piece: str) -> Word:
        """One pre-token with its gap ranks; it includes the mark of the `sentencepiece` split."""
        word = self._words.get(piece)
        if word is None:
            blob = np.frombuffer(to_bytes(piece), np.uint8)
            by_kernel = is_worth_a_kernel(len(blob))
            cut, sizes = self._closed(blob, np.array([0, len(blob)]), by_kernel=by_kernel)
            places = np.array(divided_places(symbol_places(piece, self.config), sizes.tolist()))
            word = Word(cut.symbols, cut.gaps, places)
            if len(self._words) >= _MAX_CACHED:
                self._words.clear()
            self._words[piece] = word
        return word

    def words(self, pieces: list[str]) -> list[Word]:
        """Distinct pre-tokens with their gap ranks.

        If many are not in the cache, they are encoded together.
        """
        missing = [piece for piece in pieces if piece not in self._words]
        # Do not wait for the kernels to compile, unless the work is large.
        is_quick = loader.is_ready("encoding") or 4 * sum(map(len, missing)) <= loader.PLAIN_WORK
        has_room = len(self._words) + len(missing) <= _MAX_CACHED
        if len(missing) >= _MANY and has_room and is_quick and not self.config.byte_fallback:
            self._cut_together(missing)
        return [self.word(piece) for piece in pieces]

    def _cut_together(self, pieces: list[str]) -> None:
        try:
            contents = [piece.encode() for piece in pieces]
        except UnicodeEncodeError:
            # What stray bytes become depends on their pre-token.
            return
        offsets = np.cumsum([0, *map(len, contents)]).astype(np.int64)
        cut, _ = self._closed(np.frombuffer(b"".join(contents), np.uint8), offsets)
        has_marks = (
            self.config.word_start
            or self.config.word_end_as == "own-symbol"
            or self.config.units == "items"
        )
        whole = np.arange(int(cut.lengths.max(initial=0)) + 1, dtype=np.float64)
        of_bytes = None
        if not has_marks and self.config.units == "bytes":
            of_bytes = byte_places(b"".join(contents), offsets)
        begin = 0
        for number, (piece, length) in enumerate(zip(pieces, cut.lengths.tolist(), strict=True)):
            end = begin + length
            if has_marks:
                places = np.array(symbol_places(piece, self.config))
            elif of_bytes is None:
                places = whole[: length + 1]
            else:
                places = of_bytes[begin + number : end + number + 1]
            self._words[piece] = Word(cut.symbols[begin:end], cut.gaps[begin:end], places)
            begin = end

    def close_table(self, blob: npt.NDArray[np.uint8], offsets: Int64Array) -> CutWords:
        """Many pre-tokens, each encoded separately.

        Args:
            blob: (size,) uint8, the bytes of the pre-tokens, end to end; none is empty.
            offsets: (w + 1,) int64, the start of each in `blob`, and the end.
        """
        self.refresh()
        return self._closed(blob, offsets)[0]

    def _closed(
        self, blob: npt.NDArray[np.uint8], offsets: Int64Array, by_kernel: bool | None = None
    ) -> tuple[CutWords, Int64Array]:
        """Many pre-tokens, encoded, and the number of symbols of each of their units."""
        codes, lengths = symbol_codes(blob, offsets, self.config)
        symbols, sizes = self.alphabet.symbols(codes)
        if len(symbols) != len(codes):
            lengths = added_up(sizes, lengths)
        bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
        is_unknown = symbols == UNKNOWN
        symbols[is_unknown] = self.alphabet.unknown
        is_fused = np.zeros(len(symbols), np.bool_)
        if self.config.fuses_unknown:
            is_fused[1:] = is_unknown[1:] & is_unknown[:-1]
            is_fused[bounds[:-1]] = False
        gaps = self._gaps_of(symbols, bounds, is_fused, by_kernel)
        return CutWords(symbols, gaps, lengths), sizes

    def _gaps_of(
        self,
        symbols: Int32Array,
        bounds: Int64Array,
        is_fused: BoolArray,
        by_kernel: bool | None = None,
    ) -> Int32Array:
        """The gap ranks of pre-tokens.

        Args:
            symbols: (n,) int32, their symbols, end to end.
            bounds: (w + 1,) int64, the first symbol of each, and the end.
            is_fused: (n,) bool, which of them form one symbol with the one before.
            by_kernel: whether to use kernels; `None`: if there is enough work.
        """
        if by_kernel is None:
            by_kernel = loader.choose("encoding", len(symbols))[1]
        if not is_fused.any():
            return self._close(symbols, bounds, by_kernel=by_kernel)
        gaps = np.full(len(symbols), FUSED, np.int32)
        bounds = bounds - np.searchsorted(np.flatnonzero(is_fused), bounds)
        gaps[~is_fused] = self._close(symbols[~is_fused], bounds, by_kernel=by_kernel)
        return gaps

    def _close(self, symbols: Int32Array, bounds: Int64Array, *, by_kernel: bool) -> Int32Array:
        """(n,) int32, the place in the run of the merge that closes each gap; `NEVER` for none."""
        if by_kernel:
            gaps = close_words(symbols, bounds, self._pair_table())
        else:
            closed: list[int] = []
            for start, end in pairwise(bounds.tolist()):
                closed += close_word(symbols[start:end].tolist(), self._ranks, self._made)[0]
            gaps = np.array(closed, np.int32)
        if len(self._order):
            is_first = gaps < len(self._places)
            gaps[is_first] = self._places[gaps[is_first]]
        return gaps

    def _ranks_of(self, first: int, end: int) -> Int64Array:
        """(end - first,) int64, a number for each merge; the lowest applies first."""
        n = len(self._order)
        return np.concatenate([self._order[first:end], np.arange(max(first, n), max(end, n))])

    def _made_by_rank(self) -> Sequence[int]:
        n_alphabet = len(self.alphabet)
        n = len(self._order)
        later = range(n_alphabet + n, n_alphabet + self.n_merges)
        if not n:
            return later
        return [*(self._places + n_alphabet).tolist(), *later]

    def _pair_table(self) -> PairTable:
        if self._pairs is None or len(self._pairs) != self.n_merges:
            lefts = self.columns.left[: self.n_merges].astype(np.int64)
            rights = self.columns.right[: self.n_merges].astype(np.int64)
            ranks = self._ranks_of(0, self.n_merges)
            made = np.arange(self.n_merges) + len(self.alphabet)
            if self._pairs is None:
                self._pairs = PairTable(lefts, rights, ranks, made)
            else:
                self._pairs.extend(lefts, rights, ranks, made)
        return self._pairs

    def text_gaps(self, text: str) -> TextGaps:
        """The symbols and gap ranks of a text: its tokens at any step are one comparison away."""
        found = self._own_text_gaps(text)
        if self.first is None:
            return found
        return replace(found, first=self.first.text_gaps(text), n_first=self.n_first)

    def _own_text_gaps(self, text: str) -> TextGaps:
        self.refresh()
        parts = list[TextGaps]()
        begin = 0
        for start, end, number in self.special_places(text):
            symbol = np.array([LAST_SPECIAL - number], np.int32)
            parts.append(self._gaps_between_specials(text[begin:start]))
            parts.append(TextGaps(symbol, np.array([NEVER], np.int32), len(self.alphabet)))
            begin = end
        parts.append(self._gaps_between_specials(text[begin:]))
        if len(parts) == 1:
            return parts[0]
        symbols = np.concatenate([part.symbols for part in parts])
        return TextGaps(symbols, np.concatenate([part.gaps for part in parts]), len(self.alphabet))

    def _gaps_between_specials(self, text: str) -> TextGaps:
        source = self._normalized(text)
        content = self._bulk_content(source)
        gaps = None if content is None else self._bulk_encoder.gap_ranks(content)
        if content is not None and gaps is not None:
            return TextGaps(self._bulk_encoder.symbols(content), gaps, len(self.alphabet))
        words, numbers = self._cut_words(source)
        places = words.places(numbers)
        return TextGaps(words.symbols[places], words.gaps[places], len(self.alphabet))

    def gaps_of_each(self, texts: Iterable[str]) -> Int32Array:
        """The gap ranks of several texts, each cut by itself, end to end, as in `TextGaps`; special
        tokens are text like any other.
        """
        self.refresh()
        pieces: list[str] = []
        for text in texts:
            pieces += self._pieces(self._normalized(text))
        words, numbers = self._closed_pieces(pieces)
        return words.gaps[words.places(numbers)]

    def gap_ranks(self, text: str) -> list[Int32Array]:
        """The gap ranks of each pre-token of a text, without its first symbol; a special token has
        none.

        Equal pre-tokens share an array.
        """
        found = list[Int32Array]()
        begin = 0
        for start, end, _ in self.special_places(text):
            found += self._ranks_between_specials(text[begin:start])
            found.append(np.zeros(0, np.int32))
            begin = end
        return found + self._ranks_between_specials(text[begin:])

    def _ranks_between_specials(self, text: str) -> list[Int32Array]:
        words, numbers = self._cut_words(self._normalized(text))
        ends = np.cumsum(words.lengths).tolist()
        found = [
            words.gaps[end - n + 1 : end]
            for end, n in zip(ends, words.lengths.tolist(), strict=True)
        ]
        return [found[number] for number in numbers.tolist()]

    def _normalized(self, text: str) -> str:
        return normalize(text, self.config.normalize)

    def _cut_words(self, source: str) -> tuple[CutWords, Int64Array]:
        """The distinct pre-tokens of a text, encoded, and the sequence of their numbers in the
        text.
        """
        return self._closed_pieces(self._pieces(source))

    def _pieces(self, source: str) -> list[str]:
        return [self.piece(source, a, b) for a, b in spans(source, self.config.cutting)]

    def _closed_pieces(self, pieces: list[str]) -> tuple[CutWords, Int64Array]:
        distinct, numbers = number_distinct(pieces)
        contents = [to_bytes(piece) for piece in distinct]
        offsets = np.cumsum([0, *map(len, contents)]).astype(np.int64)
        return self.close_table(np.frombuffer(b"".join(contents), np.uint8), offsets), numbers

    def _bulk_content(self, source: str) -> Content | None:
        """The bytes of a text, if kernels can encode it and it is large enough for them."""
        # The kernels for large texts take merges in order.
        if (
            is_bulk(self.config)
            and not len(self._order)
            and loader.choose("encoding", len(source))[1]
        ):
            return Content.of(source)
        return None

    @property
    def _bulk_encoder(self) -> BulkEncoder:
        if self._bulk is None:
            byte_ids = self.alphabet.ids_by_unit(256)
            byte_ids[byte_ids == UNKNOWN] = self.alphabet.unknown
            self._bulk = BulkEncoder(self.config.cutting, byte_ids, self._pair_table)
        return self._bulk

    def piece(self, text: str, start: int, end: int) -> str:
        """The pre-token from `start` to `end` of a text, with the mark of its split."""
        return self.config.word_start + text[start:end]
