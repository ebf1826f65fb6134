"""The typed text of the skyline as pieces (words, or parts of long words), each with its symbols
and gap ranks.

`SkylinePieces` follows edits and the run as `EditableText` does. It divides a very long word, such
as a text without a split, into several pieces at gaps that no merge closes. It measures and draws
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.cut import cut_at
from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.engine.encoding.segmentation import Segmenter
from bpe_studio.explain.merge_tree import NEVER

IntArray = npt.NDArray[np.int64]

LONG_WORD = 64
"""The minimum number of symbols in a piece."""
SHORT_PIECE = 24


class SkylinePieces(EditableText):
    """A text and its pieces.

    Attributes:
        is_joined: (p,) bool, whether each piece continues the word of the previous piece.
        paragraphs: (p,) int64, the number of line breaks before each piece.
        firsts, lasts: (p,) int64, the start and the end of each piece, in code points of `source`.
        offsets: (p + 1,) int64, the index of the first symbol of each piece, and the number of all
            symbols.
    """

    def __init__(self, segmenter: Segmenter) -> None:
        super().__init__(segmenter)
        self._is_list = False
        self._cut_pieces()

    def __len__(self) -> int:
        return len(self.firsts)

    @property
    def config(self) -> TrainingConfig:
        """The options of the run."""
        return self._segmenter.config

    @property
    def source(self) -> str:
        """The text after normalization."""
        return self._source

    @property
    def gaps(self) -> npt.NDArray[np.int32]:
        """(n,) int32, the rank that closes the gap before each symbol of the pieces."""
        return self._gaps

    def show(self, text: str | Sequence[str]) -> None:
        """Set the text, or a list of words, each of which is a pre-token."""
        self._is_list = not isinstance(text, str)
        if isinstance(text, str):
            self.set_text(text)
        else:
            self._set_words(text)
        self._cut_pieces()

    def _set_words(self, words: Sequence[str]) -> None:
        segmenter = self._segmenter
        segmenter.refresh()
        self._clear()
        self.text = self._source = "".join(words)
        self._splice(0, 0, list(pairwise(accumulate(map(len, words), initial=0))), 0)
        self._known = segmenter.n_merges
        if segmenter.latest is self._reference:
            segmenter.latest = None  # the split would cut this text at other places

    def distinct_words(self) -> list[str]:
        """The distinct words of the text, in its order, without those that are only white space."""
        places = zip(self._begins.tolist(), self._word_ends.tolist(), strict=True)
        found = dict.fromkeys(self._source[begin:end] for begin, end in places)
        return [word for word in found if not word.isspace()]

    def holds_pair(self, word: str, pair: tuple[int, int], step: int) -> bool:
        """Whether two tokens are neighbours in a word at a step."""
        self._segmenter.refresh()
        encoded = self._segmenter.word(self._segmenter.piece(word, 0, len(word)))
        cut = cut_at(encoded.gaps, step)
        ids = cut.ids(encoded.symbols, len(self._segmenter.alphabet)).tolist()
        return pair in pairwise(ids)

    def follow(self, text: str | Sequence[str]) -> tuple[int, int]:
        """Change the text, and encode again only what differs.

        Returns:
            The range [first, end) of the pieces that may have changed.
        """
        if self._is_list or not isinstance(text, str):
            self.show(text)
            return 0, len(self)
        old = self.text
        known = self._known
        start, end = common_ends(old, text)
        if self._words and (start or end):
            begin, behind = self.replace(
                start, len(old) - start - end, text[start : len(text) - end]
            )
        else:
            self.set_text(text)
            begin = 0
            behind = len(text)
        self._cut_pieces()
        if self._known != known or self.config.normalize:
            return 0, len(self)
        first = max(0, int(np.searchsorted(self.firsts, begin, "left")) - 1) if begin else 0
        return first, int(np.searchsorted(self.firsts, behind, "left"))

    def grow(self) -> None:
        """Apply the merges that the run has learned since the last call."""
        self._refresh()
        self._cut_pieces()

    def piece(self, number: int) -> str:
        """The text of a piece, with the mark of the `sentencepiece` split at the start of a
        word.
        """
        begin = int(self.firsts[number])
        end = int(self.lasts[number])
        if self.is_joined[number]:
            return self._source[begin:end]
        return self._segmenter.piece(self._source, begin, end)

    def ends_word(self, number: int) -> bool:
        """Whether a piece is the last one of its word."""
        return number + 1 >= len(self) or not self.is_joined[number + 1]

    def ranks(self) -> IntArray:
        """(r,) int64, the ranks of the merges that apply to the text, rising and without
        duplicates.
        """
        return np.unique(self._gaps[(self._gaps >= 0) & (self._gaps < NEVER)]).astype(np.int64)

    def n_before(self, symbol: int, step: int) -> int:
        """The number of tokens in the same paragraph before a symbol that begins a piece."""
        piece = int(np.searchsorted(self.offsets, symbol, "right")) - 1
        paragraph = int(self.paragraphs[piece])
        first = int(np.searchsorted(self.paragraphs, paragraph, "left"))
        begin = int(self.offsets[first])
        if first and paragraph:
            # A piece with line breaks may end in this paragraph.
            start = int(self._breaks[paragraph - 1]) + 1
            before = slice(int(self.offsets[first - 1]), begin)
            places = self._starts[before] + self._bases[before]
            begin -= len(places) - int(np.searchsorted(places, start, "left"))
        return int(np.count_nonzero(self._gaps[begin:symbol] >= step))

    def _cut_pieces(self) -> None:
        self.firsts = self._begins
        self.lasts = self._word_ends
        self.offsets = self._offsets
        self.is_joined = np.zeros(len(self.firsts), np.bool_)
        longs = np.flatnonzero(np.diff(self._offsets) > LONG_WORD)
        self._breaks = _line_breaks(self._source)
        if len(longs):
            self._cut_long(longs.tolist(), self._breaks)
        self.paragraphs = np.searchsorted(self._breaks, self.firsts, "left")

    def _cut_long(self, longs: list[int], breaks: IntArray) -> None:
        """Divide words of very many symbols at gaps that stay open at every step."""
        inserted: list[tuple[int, int, int]] = []
        for word in longs:
            a = int(self._offsets[word])
            b = int(self._offsets[word + 1])
            starts = self._starts[a:b]
            can_cut = (self._gaps[a:b] == NEVER) & (starts == np.floor(starts))
            can_cut[0] = False
            begins = starts.astype(np.int64) + int(self._begins[word])
            last = 0
            for k in np.flatnonzero(can_cut).tolist():
                is_line = _has_break(breaks, int(begins[last]), int(begins[k]))
                if begins[k] > begins[last] and (k - last >= SHORT_PIECE or is_line):
                    inserted.append((word + 1, int(begins[k]), a + k))
                    last = k
        if not inserted:
            return
        places = [place for place, _, _ in inserted]
        points = [point for _, point, _ in inserted]
        symbols = [symbol for _, _, symbol in inserted]
        words = [place - 1 for place in places]
        self.firsts = np.insert(self._begins, places, points)
        self.lasts = np.insert(self._word_ends, words, points)
        self.offsets = np.insert(self._offsets, places, symbols)
        self.is_joined = np.insert(self.is_joined, places, np.True_)


def common_ends(old: str, new: str) -> tuple[int, int]:
    """The length of the common beginning of two texts, and that of the common end of the rest."""
    most = min(len(old), len(new))
    start = _longest(most, lambda n: old[:n] == new[:n])
    return start, _longest(most - start, lambda n: n == 0 or old[-n:] == new[-n:])


def _longest(most: int, is_common: Callable[[int], bool]) -> int:
    low = 0
    high = most
    while low < high:
        middle = (low + high + 1) // 2
        if is_common(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _line_breaks(text: str) -> IntArray:
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.flatnonzero(codes == ord("\n"))


def _has_break(breaks: IntArray, start: int, end: int) -> bool:
    return bool(np.searchsorted(breaks, start, "left") < np.searchsorted(breaks, end, "left"))
