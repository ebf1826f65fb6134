"""Keyword in context: the places of a text at which a token occurs at a step, each in its line.

The text is the one that the run's corpus was counted from. It is read once and not held: the pre-tokens in which the
token occurs are known from the gap ranks (`words_containing.py`), so that of the text, cut into pre-tokens, only
those that look like one of them are cut into tokens. Where no pre-token holds the token any more, nothing is read at
all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import regex

from bpe_studio.engine.analysis.concordance_text import PADDING, CutText, Stretch, border
from bpe_studio.engine.analysis.words_containing import words_with_token
from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.engine.counting.plain_counting import to_bytes
from bpe_studio.engine.counting.word_table import wide
from bpe_studio.engine.encoding.segmentation import Segmenter
from bpe_studio.engine.encoding.text_gaps import TextGaps
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.text.pretokenization import WORD_START

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

CONTEXT = 60
SMALL_BYTES = 1 << 19
"""Up to this much text is cut without anything compiled, where the kernels are not ready."""
_AT_ONCE = 256
_REMEMBERED = 50_000
_BITS = 20
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_BREAKS = regex.compile(r"\X")
_SURROGATE = regex.compile(rb"\xed[\xa0-\xbf]")
_FAR = 48
"""How many characters farther than the context one looks for a border between graphemes."""


@dataclass(frozen=True)
class Found:
    """A place at which the token occurs.

    Attributes:
        text: the token's line without its break, or what is near the token; cut between graphemes. A token that holds
            line breaks has them in it.
        start: where the token begins in `text`, in characters; a fraction is a share of a character's bytes.
        end: where it ends.
        line: the number of the line in which it begins, from 1 on.
        offset: how many characters of the document are before `text`.
        offset_bytes: how many bytes they have as UTF-8.
        is_cut_before: whether the line begins before `text`.
        is_cut_after: whether it continues behind.
    """

    text: str
    start: float
    end: float
    line: int
    offset: int
    offset_bytes: int
    is_cut_before: bool
    is_cut_after: bool


def find_lines(
    run: Run, token: int, step: int, blocks: Iterable[str | bytes], context: int = CONTEXT
) -> Iterator[Found | None]:  # fmt: skip
    """The places at which a token occurs at a step, from left to right, in one document (a file, or a text).

    Yields `None` about every 5 ms besides, so that a caller can stop there.

    Args:
        run: the run.
        token: an internal id.
        step: how many merges apply.
        blocks: a document of those that the run's corpus was counted from, in pieces; bytes are UTF-8 of whole
            characters, lone surrogates as three bytes.
        context: how many characters to show on each side at most.

    Raises:
        VocabularyError: the token is not there at that step.
        PatternError: a person's own expression takes too long.
    """
    finder = LineFinder(run, token, step)
    yield None
    yield from finder.lines(blocks, context)


class LineFinder:
    """Finds the places of one token in any number of documents; see `find_lines`.

    Attributes:
        n_in_corpus: how often the token occurs in all documents of the corpus at the step.
    """

    def __init__(self, run: Run, token: int, step: int) -> None:
        holders = words_with_token(run, token, step, len(run.corpus))
        self.n_in_corpus = holders.total
        self._config = run.config
        self._may_compile = run.corpus.size_bytes > SMALL_BYTES
        if self.n_in_corpus:
            self._likely, self._cutter = _Likely(run, holders.words), _Cutter(run, token, step)

    def lines(self, blocks: Iterable[str | bytes], context: int = CONTEXT) -> Iterator[Found | None]:
        """The places in one document; yields `None` besides. Nothing is read where the corpus has none."""
        if not self.n_in_corpus:
            return
        text = CutText(self._config, self._may_compile or loader.is_ready("counting"))
        lines = _Lines(text, context)
        for block in blocks:
            for stretch in text.feed(block):
                yield from _found_in(stretch, self._likely, self._cutter, lines)
            yield None
        for stretch in text.finish():
            yield from _found_in(stretch, self._likely, self._cutter, lines)


def _found_in(stretch: Stretch, likely: _Likely, cutter: _Cutter, lines: _Lines) -> Iterator[Found | None]:
    numbers = likely.among(stretch)
    yield None
    raw = stretch.contents.tobytes()
    for first in range(0, len(numbers), _AT_ONCE):
        some = numbers[first : first + _AT_ONCE]
        bounds = list(zip(stretch.starts[some].tolist(), stretch.ends[some].tolist(), strict=True))
        pieces = [raw[a:b] for a, b in bounds]
        cutter.learn(pieces)
        for (start, _), piece in zip(bounds, pieces, strict=True):
            for a, b in cutter.places[piece]:
                yield lines.at(stretch.base + start + a, stretch.base + start + b)
        yield None


class _Likely:
    """Tells in a few array operations which pre-tokens may be among some words of the corpus."""

    def __init__(self, run: Run, words: Int64Array) -> None:
        corpus = run.corpus
        prefix = len(WORD_START.encode()) if run.config.split == "sentencepiece" else 0
        self._marks = np.zeros(1 << _BITS, np.bool_)
        padded = np.concatenate([corpus.blob, np.zeros(PADDING, np.uint8)])
        self._marks[_hashes(padded, corpus.offsets[words] + prefix, corpus.offsets[words + 1])] = True

    def among(self, stretch: Stretch) -> npt.NDArray[np.intp]:
        """The numbers of the pre-tokens that may be."""
        may_be = self._marks[_hashes(stretch.contents, stretch.starts, stretch.ends)]
        if int(stretch.contents.max(initial=0)) >= 0xED:
            # Stray bytes are in the corpus as they were, and here as lone surrogates.
            content = stretch.contents.tobytes()
            places = np.array([match.start() for match in _SURROGATE.finditer(content)], np.int64)
            numbers = np.searchsorted(stretch.starts, places, "right") - 1
            may_be[numbers[numbers >= 0]] = True
        return np.flatnonzero(may_be)


def _hashes(contents: ByteArray, starts: Int64Array, ends: Int64Array) -> npt.NDArray[np.int64]:
    """A number below 2**_BITS for each stretch: of its first and last eight bytes, and its length."""
    eight = wide(contents).view(np.uint64)
    lengths = ends - starts
    masks = _MASKS[np.minimum(lengths, 8)]
    mixed = (eight[starts] & masks) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= (eight[np.maximum(ends - 8, starts)] & masks) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed += lengths.astype(np.uint64) * np.uint64(0x165667B19E3779F9)
    mixed ^= mixed >> np.uint64(29)
    found = mixed * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(64 - _BITS)
    return np.asarray(found.astype(np.int64))


class _Cutter:
    """Cuts pre-tokens into tokens, each distinct one once.

    Attributes:
        places: where the token occurs in each, in bytes.
    """

    def __init__(self, run: Run, token: int, step: int) -> None:
        # One of its own: the run's is used by the window's thread.
        self._segmenter = Segmenter(run)
        self._config = run.config
        self._n_alphabet, self._token, self._step = run.n_alphabet, token, step
        self._prefix = WORD_START.encode() if run.config.split == "sentencepiece" else b""
        self.places: dict[bytes, list[tuple[int, int]]] = {}

    def learn(self, pieces: list[bytes]) -> None:
        """Cut those that were not met before."""
        if len(self.places) > _REMEMBERED:
            self.places.clear()
        fresh = [piece for piece in dict.fromkeys(pieces) if piece not in self.places]
        if not fresh:
            return
        self.places.update((piece, []) for piece in fresh)
        raw = [to_bytes(p.decode("utf-8", "surrogatepass")) if _SURROGATE.search(p) else p for p in fresh]
        contents = [self._prefix + content for content in raw]
        offsets = np.cumsum([0, *map(len, contents)]).astype(np.int64)
        words = self._segmenter.close_table(np.frombuffer(b"".join(contents), np.uint8), offsets)
        firsts = np.flatnonzero(words.gaps >= self._step)
        ids = TextGaps(words.symbols, words.gaps, self._n_alphabet).ids(self._step)
        hits = np.flatnonzero(ids == self._token)
        bounds = np.cumsum(words.lengths) - words.lengths
        numbers = np.searchsorted(bounds, firsts[hits], "right") - 1
        ends = np.append(firsts, len(words.symbols))[hits + 1]
        rows = (numbers, firsts[hits] - bounds[numbers], ends - bounds[numbers])
        for number, a, b in zip(*(column.tolist() for column in rows), strict=True):
            places = _SymbolPlaces(contents[number], self._config.units == "characters")
            shift, piece = len(self._prefix), fresh[number]
            start, end = (min(max(0, places.at(k) - shift), len(raw[number])) for k in (a, b))
            if len(piece) > len(raw[number]):
                start, end = (_in_longer(piece, place) for place in (start, end))
            self.places[piece].append((start, end))


class _SymbolPlaces:
    """Where the symbols of a pre-token begin in its bytes."""

    def __init__(self, content: bytes, by_character: bool) -> None:
        self._size = len(content)
        self._starts: Int64Array | None = None
        if by_character and not content.isascii():
            sizes = [len(to_bytes(char)) for char in content.decode("utf-8", "surrogateescape")]
            self._starts = np.cumsum([0, *sizes])

    def at(self, number: int) -> int:
        """Where one begins; of a mark that is a symbol of its own, the end."""
        if self._starts is None:
            return min(number, self._size)
        return int(self._starts[min(number, len(self._starts) - 1)])


def _in_longer(piece: bytes, place: int) -> int:
    """A place among bytes, where the lone surrogates that stand for some of them have three bytes each."""
    found = 0
    for char in piece.decode("utf-8", "surrogatepass"):
        size, width = len(to_bytes(char)), len(char.encode("utf-8", "surrogatepass"))
        if place < size:
            return found + place
        place, found = place - size, found + width
    return found


class _Lines:
    """Shows places in their lines; they come from left to right."""

    def __init__(self, text: CutText, context: int) -> None:
        self._text = text
        self._context = context
        self._at = self._n_characters = self._n_lines = 0

    def at(self, start: int, end: int) -> Found:
        """The token from start to end, in bytes of the normalized text."""
        window = self._text.window
        first, share = self._text.source_place(start, is_end=start == end)
        last, last_share = self._text.source_place(end, is_end=True)
        content, base = window.content, window.n_bytes
        begin, stop = first - base, last - base
        line_start = content.rfind(b"\n", 0, begin) + 1
        whole_stop = stop + bool(last_share) * _size_at(content, stop)
        break_at = content.find(b"\n", max(begin, whole_stop - 1))
        line_end = len(content) if break_at < 0 else max(break_at, whole_stop)
        if line_end > whole_stop and content[line_end - 1] == 0x0D:
            line_end -= 1
        reach = 4 * (self._context + _FAR)
        low = border(content, max(line_start, begin - reach))
        # What has been read so far may end with half a character.
        high = max(whole_stop, border(content, min(line_end, whole_stop + reach)))
        before, token = _text(content, low, begin), _text(content, begin, whole_stop)
        text = before + token + _text(content, whole_stop, high)
        borders = [match.start() for match in _BREAKS.finditer(text)] + [len(text)]
        a, b = len(before), len(before) + len(token)
        left = min((p for p in borders if a - self._context <= p <= a), default=None)
        left = max((p for p in borders if p <= a), default=0) if left is None else left
        right = max((p for p in borders if b <= p <= b + self._context), default=None)
        right = min((p for p in borders if p >= b), default=len(text)) if right is None else right
        offset_bytes = base + low + len(text[:left].encode("utf-8", "surrogatepass"))
        n_characters, n_lines = self._counted(first)
        end_in_text = a + len(_text(content, begin, stop)) + last_share
        return Found(
            text[left:right],
            a + share - left,
            end_in_text - left,
            n_lines + 1,
            n_characters - a + left,
            offset_bytes,
            offset_bytes > base + line_start or (line_start == 0 and not window.begins_line),
            right < len(text) or high < line_end,
        )

    def _counted(self, place: int) -> tuple[int, int]:
        """How many characters and line feeds are before a place."""
        window = self._text.window
        if self._at < window.n_bytes or place < self._at:
            self._at, self._n_characters, self._n_lines = window.n_bytes, window.n_characters, window.n_lines
        passed = window.content[self._at - window.n_bytes : place - window.n_bytes]
        self._n_characters += len(passed.decode("utf-8", "surrogatepass"))
        self._n_lines += passed.count(b"\n")
        self._at = place
        return self._n_characters, self._n_lines


def _text(content: bytearray, start: int, end: int) -> str:
    return content[start:end].decode("utf-8", "surrogatepass")


def _size_at(content: bytearray, place: int) -> int:
    """How many bytes the character has that begins at a place."""
    end = place + 1
    while end < len(content) and content[end] & 0xC0 == 0x80:
        end += 1
    return end - place
