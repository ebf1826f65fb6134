"""Keyword in context: the occurrences of a token in a text at a step, each in its line.

The text is the one that the run's corpus was counted from; it is read once and not kept in memory. The words that
contain the token are known from the gap ranks (`words_containing.py`), so of the pre-tokens of the text, only those
that may be one of these words are encoded. If no word contains the token, the text is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import regex

from bpe_studio.engine.analysis.concordance_text import PADDING, Chunk, CutText, border
from bpe_studio.engine.analysis.words_containing import words_with_token
from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.engine.counting.plain_counting import to_bytes
from bpe_studio.engine.counting.word_table import wide
from bpe_studio.engine.encoding.text_gaps import TextGaps
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.text.pretokenization import WORD_START
from bpe_studio.engine.text.utf8 import next_character

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

CONTEXT = 60
SMALL_BYTES = 1 << 19
"""Up to this much text is split without compiled kernels, if they are not ready."""
_AT_ONCE = 256
_REMEMBERED = 50_000
_BITS = 20
_MASKS = np.array([(1 << 8 * n) - 1 for n in range(9)], np.uint64)
_BREAKS = regex.compile(r"\X")
_SURROGATE = regex.compile(rb"\xed[\xa0-\xbf]")
_FAR = 48
"""How many characters beyond the context are searched for a grapheme boundary."""


@dataclass(frozen=True)
class Found:
    """An occurrence of the token.

    Attributes:
        text: the token's line without its line break, or the part near the token; cut at grapheme boundaries. Line
            breaks within the token are kept.
        start: the start of the token in `text`, in characters; a fraction is a share of a character's bytes.
        end: its end.
        line: the number of the line in which it begins, from 1.
        offset: the number of characters of the document before `text`.
        offset_bytes: the number of their bytes as UTF-8.
        is_cut_before: whether the line begins before `text`.
        is_cut_after: whether the line ends after `text`.
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
    """The occurrences of a token at a step, from left to right, in one document (a file, or a text).

    It also yields `None` about every 5 ms, so that a caller can stop.

    Args:
        run: the run.
        token: an internal id.
        step: how many merges apply.
        blocks: one of the documents that the run's corpus was counted from, in pieces; bytes are UTF-8 of whole
            characters, lone surrogates as three bytes.
        context: the maximum number of characters on each side.

    Raises:
        VocabularyError: the token does not exist at that step.
        PatternError: a custom expression takes too long.
    """
    finder = LineFinder(run, token, step)
    yield None
    yield from finder.lines(blocks, context)


class LineFinder:
    """Finds the occurrences of one token in any number of documents; see `find_lines`.

    Attributes:
        n_in_corpus: how often the token occurs in the whole corpus at the step.
    """

    def __init__(self, run: Run, token: int, step: int) -> None:
        holders = words_with_token(run, token, step, len(run.corpus))
        self.n_in_corpus = holders.total
        self._config = run.config
        self._may_compile = run.corpus.size_bytes > SMALL_BYTES
        if self.n_in_corpus:
            self._likely, self._cutter = _LikelyWords(run, holders.words), _Cutter(run, token, step)

    def lines(self, blocks: Iterable[str | bytes], context: int = CONTEXT) -> Iterator[Found | None]:
        """The occurrences in one document, with `None` in between. Nothing is read if the corpus has none."""
        if not self.n_in_corpus:
            return
        text = CutText(self._config, self._may_compile or loader.is_ready("counting"))
        lines = _Lines(text, context)
        for block in blocks:
            for chunk in text.feed(block):
                yield from _found_in(chunk, self._likely, self._cutter, lines)
            yield None
        for chunk in text.finish():
            yield from _found_in(chunk, self._likely, self._cutter, lines)


def _found_in(chunk: Chunk, likely: _LikelyWords, cutter: _Cutter, lines: _Lines) -> Iterator[Found | None]:
    numbers = likely.among(chunk)
    yield None
    raw = chunk.contents.tobytes()
    for first in range(0, len(numbers), _AT_ONCE):
        some = numbers[first : first + _AT_ONCE]
        bounds = list(zip(chunk.starts[some].tolist(), chunk.ends[some].tolist(), strict=True))
        pieces = [raw[a:b] for a, b in bounds]
        cutter.encode(pieces)
        for (start, _), piece in zip(bounds, pieces, strict=True):
            for a, b in cutter.places[piece]:
                yield lines.at(chunk.base + start + a, chunk.base + start + b)
        yield None


class _LikelyWords:
    """Finds the pre-tokens that may be among some words of the corpus, in a few array operations."""

    def __init__(self, run: Run, words: Int64Array) -> None:
        corpus = run.corpus
        prefix = len(WORD_START.encode()) if run.config.split == "sentencepiece" else 0
        self._marks = np.zeros(1 << _BITS, np.bool_)
        padded = np.concatenate([corpus.blob, np.zeros(PADDING, np.uint8)])
        self._marks[_hashes(padded, corpus.offsets[words] + prefix, corpus.offsets[words + 1])] = True

    def among(self, chunk: Chunk) -> npt.NDArray[np.intp]:
        """The numbers of these pre-tokens."""
        may_be = self._marks[_hashes(chunk.contents, chunk.starts, chunk.ends)]
        if int(chunk.contents.max(initial=0)) >= 0xED:
            # Stray bytes are bytes in the corpus, and lone surrogates here.
            content = chunk.contents.tobytes()
            places = np.array([match.start() for match in _SURROGATE.finditer(content)], np.int64)
            numbers = np.searchsorted(chunk.starts, places, "right") - 1
            may_be[numbers[numbers >= 0]] = True
        return np.flatnonzero(may_be)


def _hashes(contents: ByteArray, starts: Int64Array, ends: Int64Array) -> npt.NDArray[np.int64]:
    """A hash below 2**_BITS of each pre-token: of its first and last eight bytes, and its length."""
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
    """Encodes pre-tokens, each distinct one once.

    Attributes:
        places: the places of the token in each, in bytes.
    """

    def __init__(self, run: Run, token: int, step: int) -> None:
        # A segmenter of its own, because the window's thread uses that of the run.
        self._segmenter = run.new_segmenter()
        self._config = run.config
        self._n_alphabet, self._token, self._step = run.n_alphabet, token, step
        self._prefix = WORD_START.encode() if run.config.split == "sentencepiece" else b""
        self.places: dict[bytes, list[tuple[int, int]]] = {}

    def encode(self, pieces: list[bytes]) -> None:
        """Encode the pre-tokens that are new."""
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
    """The starts of the symbols of a pre-token in its bytes."""

    def __init__(self, content: bytes, by_character: bool) -> None:
        self._size = len(content)
        self._starts: Int64Array | None = None
        if by_character and not content.isascii():
            sizes = [len(to_bytes(char)) for char in content.decode("utf-8", "surrogateescape")]
            self._starts = np.cumsum([0, *sizes])

    def at(self, number: int) -> int:
        """The start of a symbol; for a mark that is a symbol of its own, the end."""
        if self._starts is None:
            return min(number, self._size)
        return int(self._starts[min(number, len(self._starts) - 1)])


def _in_longer(piece: bytes, place: int) -> int:
    """A place in bytes, converted to text in which lone surrogates have three bytes each."""
    found = 0
    for char in piece.decode("utf-8", "surrogatepass"):
        size, width = len(to_bytes(char)), len(char.encode("utf-8", "surrogatepass"))
        if place < size:
            return found + place
        place, found = place - size, found + width
    return found


class _Lines:
    """Shows occurrences in their lines, from left to right."""

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
        whole_stop = next_character(content, stop + 1) if last_share else stop
        break_at = content.find(b"\n", max(begin, whole_stop - 1))
        line_end = len(content) if break_at < 0 else max(break_at, whole_stop)
        if line_end > whole_stop and content[line_end - 1] == 0x0D:
            line_end -= 1
        reach = 4 * (self._context + _FAR)
        low = border(content, max(line_start, begin - reach))
        # The text so far may end with half a character.
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
        """The number of characters and of line feeds before a place."""
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
