"""One text that is being edited, and its tokens at any step.

It holds the text's symbols and gap ranks as arrays; `segmentation.py` encodes the words. It draws
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from threading import get_ident
from weakref import ref

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import FloatArray, Int32Array, Int64Array
from bpe_studio.engine.encoding.border import TextBorder
from bpe_studio.engine.encoding.cut import cut_at
from bpe_studio.engine.encoding.segmentation import Segmenter, Word
from bpe_studio.engine.encoding.text_gaps import CutWords, number_distinct
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.normalization import normalize_aligned
from bpe_studio.engine.text.outside_alphabet import LAST_SPECIAL, UNKNOWN
from bpe_studio.engine.text.pretokenization import SELF_SYNCING, spans
from bpe_studio.engine.text.timed_matches import TimeBudget

_CUTS = (
    "_is_in_pieces",
    "_known",
    "_source",
    "_map",
    "_begins",
    "_word_ends",
    "_source_begins",
    "_offsets",
    "_symbols",
    "_gaps",
    "_starts",
    "_ends",
    "_bases",
)

_NEAR = 1e-6
"""Places closer together than this, in code points, are the same."""

_BUDGET = 1.0, 2e-6
"""The seconds that a person's own expression may take, and those for each character: somebody waits
at the keyboard.
"""


@dataclass(frozen=True)
class TokenSpans:
    """Tokens of a text and their places.

    Attributes:
        starts: (n,) float64, in code points; a fraction is a share of a character's bytes.
        ends: (n,) float64.
        ids: (n,) int64, internal token ids; `UNKNOWN` for a symbol outside the alphabet,
            `LAST_SPECIAL` and below for a special token.
    """

    starts: FloatArray
    ends: FloatArray
    ids: npt.NDArray[np.int64]


@dataclass(frozen=True)
class _LaidOut:
    """The symbols of several pre-tokens of a text, laid end to end.

    Attributes:
        sizes: (w,) int64, the number of symbols of each pre-token.
        symbols: (n,) int32, as in `Word`.
        gaps: (n,) int32, as in `Word`.
        starts: (n,) float64, the start of each symbol within its pre-token.
        ends: (n,) float64.
    """

    sizes: Int64Array
    symbols: Int32Array
    gaps: Int32Array
    starts: FloatArray
    ends: FloatArray

    @classmethod
    def of(cls, words: list[Word], numbers: Int64Array) -> _LaidOut:
        """From distinct words, and (w,) int64, the number of the word at each place of the text."""
        if not words:
            return cls(
                np.zeros(0, np.int64),
                np.zeros(0, np.int32),
                np.zeros(0, np.int32),
                np.zeros(0),
                np.zeros(0),
            )
        sizes = np.fromiter((len(word.symbols) for word in words), np.int64, len(words))
        cut = CutWords(
            np.concatenate([word.symbols for word in words]),
            np.concatenate([word.gaps for word in words]),
            sizes,
        )
        places = cut.places(numbers)
        starts = np.concatenate([word.places[:-1] for word in words])
        ends = np.concatenate([word.places[1:] for word in words])
        return cls(
            sizes[numbers], cut.symbols[places], cut.gaps[places], starts[places], ends[places]
        )


class EditableText:
    """A text that is edited, and its tokens at any step.

    An edit encodes again only what it can change; a change of the step costs one comparison per
    symbol. If another text of the same segmenter and thread has the same content, its result is
    copied.
    """

    def __init__(self, segmenter: Segmenter) -> None:
        self._segmenter = segmenter
        self._thread = get_ident()
        self._reference = ref(self)
        self.text = ""
        self._known = 0
        self._map: FloatArray | None = None
        self._recognizes = False
        first = segmenter.first
        self._first = None if first is None else EditableText(first)
        self._clear()

    def at(self, step: int) -> EditableText:
        """The text as it is cut in the stage to which a step belongs."""
        if self._first is None or step >= self._segmenter.n_first:
            return self
        return self._first

    def set_text(self, text: str) -> None:
        """Replace the whole text."""
        if self._first is not None:
            self._first.set_text(text)
        self._segmenter.refresh()
        if self._copy_latest(text):
            return
        self.text = text
        config = self._segmenter.config
        self._clear()
        if self._set_pieces(text):
            self._known = self._segmenter.n_merges
            self._segmenter.latest = self._reference
            return
        if config.normalize:
            aligned = normalize_aligned(text, config.normalize)
            self._source = aligned.text
            self._map = aligned.starts
        else:
            self._source = text
        found = list(spans(self._source, config.cutting, budget=TimeBudget(*_BUDGET)))
        self._splice(0, 0, found, 0)
        self._known = self._segmenter.n_merges
        self._segmenter.latest = self._reference

    @property
    def encodes_whole(self) -> bool:
        """Whether each edit encodes the whole text, because of the normalization or the split."""
        config = self._segmenter.config
        return (
            self._first is not None or bool(config.normalize) or config.cutting not in SELF_SYNCING
        )

    def replace(self, start: int, n_removed: int, added: str) -> tuple[int, int]:
        """Replace `n_removed` code points from `start` on by `added`.

        Returns:
            The part of the new text that was encoded again: (start, end) in code points.
        """
        text = self.text[:start] + added + self.text[start + n_removed :]
        if self._first is not None:
            # Both stages are cut again.
            self.set_text(text)
            return 0, len(text)
        config = self._segmenter.config
        is_whole = self.encodes_whole or not len(self._begins)
        if self._is_in_pieces and self._recognizes == self._segmenter.recognizes_special:
            part = self._segmenter.separate_part(text, start, start + len(added))
            if part is not None:
                pieces = self._segmenter.pieces_of(text[part[0] : part[1]], part[0] == 0)
                if pieces is not None:
                    return self._replace_part(text, part, pieces, len(added) - n_removed)
        if is_whole or self._is_in_pieces or self._segmenter.special_places(text):
            self.set_text(text)
            return 0, len(text)
        if 2 * len(added) > len(text) and self._copy_latest(text):
            return 0, len(text)
        self._refresh()
        old = self.text
        delta = len(added) - n_removed
        # Begin one whole pre-token before the edit, and before white space there: how a run of
        # white space is split depends on what follows it.
        first = max(0, int(np.searchsorted(self._begins, start, "right")) - 2)
        while first > 0 and old[int(self._begins[first]) : int(self._word_ends[first])].isspace():
            first -= 1
        begin = int(self._begins[first]) if first else 0
        again = int(np.searchsorted(self._begins, start + n_removed, "left"))
        found: list[tuple[int, int]] = []
        last = len(self._begins)
        for a, b in spans(text, config.cutting, begin):
            if a >= start + len(added):
                while again < len(self._begins) and self._begins[again] + delta < a:
                    again += 1
                if again < len(self._begins) and self._begins[again] + delta == a:
                    last = again
                    break
            found.append((a, b))
        self.text = text
        self._source = text
        end = int(self._begins[last]) + delta if last < len(self._begins) else len(text)
        self._splice(first, last, found, delta)
        self._segmenter.latest = self._reference
        return begin, end

    def _replace_part(
        self,
        text: str,
        part: tuple[int, int],
        pieces: tuple[list[tuple[int, int]], list[Word]],
        delta: int,
    ) -> tuple[int, int]:
        """Take the pieces of a part of the text, which has become longer by `delta`."""
        begin, end = part
        first = int(np.searchsorted(self._begins, begin, "left"))
        last = int(np.searchsorted(self._begins, end - delta, "left"))
        found = [(begin + a, begin + b) for a, b in pieces[0]]
        self.text = text
        self._source = text
        self._splice(first, last, found, delta, pieces[1])
        self._segmenter.latest = self._reference
        return begin, end

    def tokens(self, step: int, start: int = 0, end: int | None = None) -> TokenSpans:
        """The tokens at a step that overlap the code points from `start` to `end` (`None`: the end
        of the text).
        """
        stage = self.at(step)
        if stage is not self:
            return stage.tokens(step, start, end)
        self._refresh()
        low = 0
        high = len(self._words)
        if start > 0 or end is not None:
            low = max(0, int(np.searchsorted(self._source_begins, start, "right")) - 1)
            high = high if end is None else int(np.searchsorted(self._source_begins, end, "left"))
        a = int(self._offsets[low])
        b = int(self._offsets[max(low, high)])
        cut = cut_at(self._gaps[a:b], step)
        firsts = cut.firsts
        if not len(firsts):
            return TokenSpans(np.zeros(0), np.zeros(0), np.zeros(0, np.int64))
        ids = cut.ids(self._symbols[a:b], len(self._segmenter.alphabet)).astype(np.int64)
        lasts = np.append(firsts[1:] - 1, b - a - 1)
        starts = self._starts[a:b][firsts] + self._bases[a:b][firsts]
        ends = self._ends[a:b][lasts] + self._bases[a:b][lasts]
        if self._map is not None:
            starts = self._to_source(starts)
            ends = self._to_source(ends)
        keep = ends > start
        if end is not None:
            keep &= starts < end
        # A mark has no width and belongs to its position.
        keep |= (ends == starts) & (starts >= start)
        return TokenSpans(starts[keep], ends[keep], ids[keep])

    def border_at(self, place: float, step: int, end: float | None = None) -> TextBorder | None:
        """The border at a place of the text; `None` if no two symbols meet there.

        Marks have no width, so several borders may be at one place. Of these, it is the first that
        is open at the step, and one within a pre-token rather than one between two.

        Args:
            place: in code points; a fraction is a share of that character's bytes.
            step: how many merges apply.
            end: where the token behind the border ends, if it is one; `None` takes the border
                before any token.
        """
        stage = self.at(step)
        if stage is not self:
            return stage.border_at(place, step, end)
        self._refresh()
        low = max(0, int(np.searchsorted(self._source_begins, place - _NEAR, "left")) - 1)
        high = int(np.searchsorted(self._source_begins, place + _NEAR, "right"))
        a = int(self._offsets[low])
        b = int(self._offsets[high])
        starts = self._to_source(self._starts[a:b] + self._bases[a:b])
        ends = self._to_source(self._ends[a:b] + self._bases[a:b])
        meets = (np.abs(starts - place) < _NEAR) & (np.abs(np.roll(ends, 1) - place) < _NEAR)
        meets[:1] = False
        found = np.flatnonzero(meets)
        if not len(found):
            return None
        firsts = set((self._offsets[low : high + 1] - a).tolist())
        is_open = self._gaps[a:b] >= step

        def worth(symbol: int) -> tuple[bool, bool, bool]:
            others = np.flatnonzero(is_open[symbol + 1 :])
            last = symbol + int(others[0]) if len(others) else b - a - 1
            is_other = end is not None and abs(float(ends[last]) - end) >= _NEAR
            return not is_open[symbol], is_other, symbol in firsts

        return self.border_before(a + min(found.tolist(), key=worth))

    def border_before(self, symbol: int) -> TextBorder | None:
        """The border before a symbol, given by its number in the text.

        `None` if there is text between it and the symbol before.
        """
        if not 0 < symbol < len(self._starts):
            return None
        around = [symbol - 1, symbol]
        starts = self._to_source(self._starts[around] + self._bases[around])
        ends = self._to_source(self._ends[around] + self._bases[around])
        if abs(float(ends[0]) - float(starts[1])) >= _NEAR:
            return None
        word = int(np.searchsorted(self._offsets, symbol, "left")) - 1
        is_end = int(self._offsets[word + 1]) == symbol
        following = self._piece(word + 1) if is_end else ""
        return TextBorder(self._piece(word), symbol - int(self._offsets[word]), following)

    def symbols_behind(self, border: TextBorder, first: int, last: int) -> list[int]:
        """The numbers of the symbols behind a border, wherever it occurs from symbol `first` up to
        `last`.
        """
        low = max(0, int(np.searchsorted(self._offsets, first, "right")) - 2)
        high = min(len(self._begins), int(np.searchsorted(self._offsets, last, "left")))
        found = []
        for word in range(low, high):
            symbol = int(self._offsets[word]) + border.place
            is_inside = first <= symbol < min(last, len(self._starts))
            if not is_inside or self._piece(word) != border.piece:
                continue
            if border.following:
                is_last = word + 1 >= len(self._begins)
                if is_last or self._piece(word + 1) != border.following:
                    continue
            found.append(symbol)
        return found

    def places_of_border(self, border: TextBorder, start: int, end: int) -> list[float]:
        """The places of a border in code points, wherever it occurs from `start` to `end`."""
        low = max(0, int(np.searchsorted(self._source_begins, start, "right")) - 2)
        high = int(np.searchsorted(self._source_begins, end, "right"))
        symbols = self.symbols_behind(border, int(self._offsets[low]), int(self._offsets[high]) + 1)
        places: list[float] = self._to_source(self._starts[symbols] + self._bases[symbols]).tolist()
        return [place for place in places if start <= place <= end]

    def _piece(self, word: int) -> str:
        return self._segmenter.piece(
            self._source, int(self._begins[word]), int(self._word_ends[word])
        )

    @property
    def symbols(self) -> Int32Array:
        """(n,) int32, the symbols of the text; see `Word`."""
        return self._symbols

    @property
    def gaps(self) -> Int32Array:
        """(n,) int32, the rank that closes the gap before each symbol."""
        self._refresh()
        return self._gaps

    def n_tokens(self, step: int) -> int:
        """The number of tokens at a step."""
        stage = self.at(step)
        if stage is not self:
            return stage.n_tokens(step)
        self._refresh()
        return int(np.count_nonzero(self._gaps >= step))

    def n_unknown(self, step: int) -> int:
        """The number of unknown tokens, which is the same at every step: no merge contains an
        unknown symbol.
        """
        return int(np.count_nonzero(self._symbols == UNKNOWN))

    def _clear(self) -> None:
        self._source = ""
        self._is_in_pieces = False
        self._map = None
        self._words: list[Word] = []
        self._begins: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._word_ends: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._source_begins: FloatArray = np.zeros(0)
        self._offsets: npt.NDArray[np.int64] = np.zeros(1, np.int64)
        self._symbols: Int32Array = np.zeros(0, np.int32)
        self._gaps: Int32Array = np.zeros(0, np.int32)
        self._starts: FloatArray = np.zeros(0)
        self._ends: FloatArray = np.zeros(0)
        self._bases: npt.NDArray[np.int64] = np.zeros(0, np.int64)

    def _copy_latest(self, text: str) -> bool:
        """Copy the result of the latest text if its content is the same; returns whether it is."""
        latest = self._segmenter.latest
        other = latest() if latest is not None else None
        if other is self:
            # If this fails half-way, nobody must copy this text.
            self._segmenter.latest = None
        if other is None or other is self or other._thread != self._thread or other.text != text:
            return False
        self.text = text
        for name in _CUTS:
            setattr(self, name, getattr(other, name))
        self._words = list(other._words)
        self._refresh()
        return True

    def _refresh(self) -> None:
        """Apply the merges that the run has trained since."""
        self._segmenter.refresh()
        if self._known != self._segmenter.n_merges:
            self._known = self._segmenter.n_merges
            if self._is_in_pieces:
                self._clear()
                self._set_pieces(self.text)
            elif self._words:
                # Words that the cache has dropped are encoded again.
                found = list(zip(self._begins.tolist(), self._word_ends.tolist(), strict=True))
                self._words, laid = self._cut(found)
                self._gaps = laid.gaps

    def _set_pieces(self, text: str) -> bool:
        """Take a text whose words are not those of the split alone; false if they are."""
        pieces = self._segmenter.pieces_of(text) or self._between_specials(text)
        if pieces is None:
            return False
        self._source = text
        self._is_in_pieces = True
        self._recognizes = self._segmenter.recognizes_special
        self._splice(0, 0, pieces[0], 0, pieces[1])
        return True

    def _between_specials(self, text: str) -> tuple[list[tuple[int, int]], list[Word]] | None:
        """The pieces of a text and their words, each special token a word.

        `None` if none is recognized in it.
        """
        specials = self._segmenter.special_places(text)
        if not specials:
            return None
        found: list[tuple[int, int]] = []
        words: list[Word] = []
        begin = 0
        for start, end, number in specials:
            self._add_pieces(found, words, text[begin:start], begin)
            found.append((start, end))
            symbol = np.array([LAST_SPECIAL - number], np.int32)
            words.append(Word(symbol, np.array([NEVER], np.int32), np.array([0.0, end - start])))
            begin = end
        self._add_pieces(found, words, text[begin:], begin)
        return found, words

    def _add_pieces(
        self, found: list[tuple[int, int]], words: list[Word], text: str, begin: int
    ) -> None:
        """Add the pieces of a text that begins at a place, with their words."""
        segmenter = self._segmenter
        config = segmenter.config
        aligned = normalize_aligned(text, config.normalize) if config.normalize else None
        source = text if aligned is None else aligned.text
        for a, b in spans(source, config.cutting, budget=TimeBudget(*_BUDGET)):
            word = segmenter.word(segmenter.piece(source, a, b))
            if aligned is not None:
                places = np.interp(a + word.places, np.arange(len(aligned.starts)), aligned.starts)
                a = int(places[0])
                b = ceil(places[-1])
                word = Word(word.symbols, word.gaps, places - a)
            found.append((begin + a, begin + b))
            words.append(word)

    def _cut(self, found: list[tuple[int, int]]) -> tuple[list[Word], _LaidOut]:
        """Encode the pre-tokens at (start, end) in the source, each distinct one once."""
        segmenter = self._segmenter
        source = self._source
        pieces, numbers = number_distinct([segmenter.piece(source, a, b) for a, b in found])
        words = segmenter.words(pieces)
        return [words[number] for number in numbers.tolist()], _LaidOut.of(words, numbers)

    def _splice(
        self,
        first: int,
        last: int,
        found: list[tuple[int, int]],
        delta: int,
        words: list[Word] | None = None,
    ) -> None:
        """Replace the pre-tokens from `first` to `last` with those found; later places move by
        `delta`.

        `words` are those found, if they are known.
        """
        if words is None:
            words, laid = self._cut(found)
        else:
            laid = _LaidOut.of(words, np.arange(len(words)))
        a = int(self._offsets[first])
        b = int(self._offsets[last])
        sizes = laid.sizes
        begins = np.array([begin for begin, _ in found], np.int64)
        lengths = np.diff(self._offsets)
        self._words[first:last] = words
        self._offsets = np.concatenate(
            [
                np.zeros(1, np.int64),
                np.cumsum(np.concatenate([lengths[:first], sizes, lengths[last:]])),
            ]
        )
        self._symbols = np.concatenate([self._symbols[:a], laid.symbols, self._symbols[b:]])
        self._gaps = np.concatenate([self._gaps[:a], laid.gaps, self._gaps[b:]])
        # Places are relative to their words, and the places of the words are added on request, so
        # that an edit before them causes no rounding.
        self._starts = np.concatenate([self._starts[:a], laid.starts, self._starts[b:]])
        self._ends = np.concatenate([self._ends[:a], laid.ends, self._ends[b:]])
        self._bases = np.concatenate(
            [self._bases[:a], np.repeat(begins, sizes), self._bases[b:] + delta]
        )
        ends = np.array([end for _, end in found], np.int64)
        self._word_ends = np.concatenate(
            [self._word_ends[:first], ends, self._word_ends[last:] + delta]
        )
        self._begins = np.concatenate([self._begins[:first], begins, self._begins[last:] + delta])
        self._source_begins = self._to_source(self._begins.astype(np.float64))

    def _to_source(self, places: FloatArray) -> FloatArray:
        if self._map is None:
            return places
        whole = np.minimum(places.astype(np.int64), len(self._map) - 1)
        following = self._map[np.minimum(whole + 1, len(self._map) - 1)]
        return np.asarray(self._map[whole] + (places - whole) * (following - self._map[whole]))
