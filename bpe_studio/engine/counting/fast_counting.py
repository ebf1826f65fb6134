"""Counts large texts: compiled kernels split and count blocks of text, while another thread reads
them.

The text arrives in pieces, as UTF-8 if the reader has it in that form, and passes three stages:
special tokens divide it into documents, each document is normalized, and the result is gathered
into blocks. A block ends where nothing depends on what follows, so that blocks are split and
counted one after the other; memory holds the table and a few blocks, however long the text is.

Custom expressions are served too, if they have an automaton (`splits/automaton.py`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex

from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.counting_thread import CountingThread
from bpe_studio.engine.counting.plain_counting import TextMeasures, add_up_by_bytes, words_of
from bpe_studio.engine.counting.word_table import TextBlock, Words
from bpe_studio.engine.kernels import loader
from bpe_studio.engine.kernels.measuring import (
    CHARACTERS,
    IN_WORD,
    LINE_FEEDS,
    N_MEASURES,
    STRAY_BYTES,
    SURROGATES,
)
from bpe_studio.engine.kernels.measuring import WORDS as SPACED_WORDS
from bpe_studio.engine.presets import digits_apart
from bpe_studio.engine.splits.automaton import find_automaton, split_automaton
from bpe_studio.engine.text.normalization import normalize
from bpe_studio.engine.text.special_text import specials_pattern
from bpe_studio.engine.text.utf8 import next_character, start_of_character, to_bytes
from bpe_studio.errors import CorpusError

_PIECE = 1 << 18
_BLOCK_BYTES = 1 << 19
_DIGITS_WHOLE = {"digits-right": "regex:" + digits_apart("gpt2", r"\p{N}+")}
"""For a split without an automaton, one that keeps digits in a row together; the finished table is
then cut.
"""
MOST_BLOCK_BYTES = (1 << 31) - (1 << 24)
"""The largest block, in which places are numbers of 31 bits.

A block grows so large only if the split finds no place to cut it.
"""


def can_count_fast(config: TrainingConfig) -> bool:
    """Whether large texts with this split are counted here."""
    split = _DIGITS_WHOLE.get(config.cutting, config.cutting)
    if sys.byteorder != "little":
        return False
    return find_automaton(split, config.documents == "line") is not None


class FastCounting:
    """Counts text as it is read; `CorpusBuilder` describes the methods.

    Args:
        config: the options; `can_count_fast` must be true for them.
        block_bytes: the size of a block.
    """

    def __init__(self, config: TrainingConfig, block_bytes: int = _BLOCK_BYTES) -> None:
        self.measures = TextMeasures()
        self._config = config
        self._block_bytes = block_bytes
        split = _DIGITS_WHOLE.get(config.cutting, config.cutting)
        self._automaton = split_automaton(split, config.documents == "line")
        specials = config.all_special if config.documents == "separator" else ()
        self._separator = re.compile(
            specials_pattern(specials).pattern.encode("utf-8", "surrogatepass")
        )
        # No character has more than four bytes.
        self._longest_separator = 4 * max(map(len, config.all_special), default=1)
        self._spaces = white_space()
        self._found = np.zeros(N_MEASURES, np.int64)
        self._ends_line = True
        self._is_open = False  # whether the current document has any text
        self._unparted = b""  # the end of the text, which may be half a special token
        # The end of the document, which may combine with what follows.
        self._unnormalized: list[str] = []
        self._block = TextBlock(_room(block_bytes))
        self._searched = 0  # there is no place to divide the block before this offset
        self._thread = CountingThread()
        self._words = words_of({})

    def feed(self, text: str | bytes) -> Iterator[None]:
        """Count a piece of text; as bytes it is UTF-8 of whole characters, lone surrogates as three
        bytes.
        """
        yield from self._thread.compile()
        for content in _pieces(text):
            self._add(content)
            yield from self._hand_over_full()
            yield

    def feed_documents(self, content: bytes, ends: Sequence[int]) -> Iterator[None]:
        """Count a piece of text in which documents end.

        Short ones are measured and appended many at a time.
        """
        yield from self._thread.compile()
        contents = np.frombuffer(content, np.uint8)
        places = np.asarray(ends, np.int64)
        is_simple = not self._config.normalize and self._config.documents != "separator"
        start = 0
        n = 0
        while n < len(places):
            if self._is_open or not is_simple or places[n] - start > _PIECE:
                yield from self.feed(content[start : places[n]])
                self._end_document()
                start = int(places[n])
                n += 1
            else:
                last = int(np.searchsorted(places, start + _PIECE, "right"))
                self._add_documents(contents[start : places[last - 1]], places[n:last] - start)
                start = int(places[last - 1])
                n = last
            yield from self._hand_over_full()
            yield
        if start < len(content):
            yield from self.feed(content[start:])

    def _add_documents(self, contents: ByteArray, ends: Int64Array) -> None:
        """Add whole documents that are neither normalized nor divided."""
        ends = ends[np.diff(ends, prepend=0) > 0]
        if not len(ends):
            return
        self._measure(contents)
        if self._config.documents == "line":
            self.measures.n_documents += int(np.count_nonzero(contents[ends - 1] != ord("\n")))
        else:
            self.measures.n_documents += len(ends)
        # What was measured as one word is two if a document ends in it.
        inner = ends[:-1]
        before = contents[inner - 1]
        after = contents[inner]
        is_known = (before < 0x80) & (after < 0x80)
        is_space = white_space()[:0x80].astype(np.bool_)
        has_space = is_space[before & 0x7F] | is_space[after & 0x7F]
        n_divided = int(np.count_nonzero(~has_space & is_known))
        n_divided += sum(_divides_word(contents, place) for place in inner[~is_known].tolist())
        self.measures.n_whitespace_words += n_divided
        base = self._block.size
        self._block.append(contents)
        self._block.stops += (ends + base).tolist()
        self._is_open = False
        self._ends_line = True
        self._found[IN_WORD] = 0

    def finish_document(self) -> Iterator[None]:
        """End a document."""
        self._end_document()
        yield

    def _add(self, content: ByteArray) -> None:
        self._measure(content)
        if self._config.documents == "separator":
            self._part(content.tobytes())
        elif self._config.normalize:
            self._normalize(content.tobytes())
        else:
            self._block.append(content)

    def _hand_over_full(self) -> Iterator[None]:
        while self._block.size >= self._block_bytes and (rest := self._cut_block()) is not None:
            yield from self._hand_over(rest)
        if self._block.size > MOST_BLOCK_BYTES:
            raise CorpusError(
                f"The split found no boundary in {self._block.size:,} bytes of text; train on less"
                " text, or with another split"
            )

    def _end_document(self) -> None:
        if self._config.documents == "separator":
            self._part(b"", is_end=True)
        if self._is_open and not (self._config.documents == "line" and self._ends_line):
            self.measures.n_documents += 1
        self._end_text()
        self._found[IN_WORD] = 0
        self._ends_line = True

    def finish(self) -> Iterator[None]:
        """Count the rest, and wait for the thread."""
        yield from self.finish_document()
        yield from self._hand_over(TextBlock(0))
        table = yield from self._thread.finish()
        self._words = table.words(self._config.word_start.encode())
        yield
        if self._config.cutting in _DIGITS_WHOLE:
            self._words = _in_threes(self._words)
        if self._found[SURROGATES]:
            self._words = _with_stray_bytes(self._words)

    def words(self) -> Words:
        """The table of all text that was fed."""
        return self._words

    def _measure(self, content: ByteArray) -> None:
        found = self._found
        measures = self.measures
        n_surrogates = found[SURROGATES]
        found[:IN_WORD] = 0
        found[SURROGATES] = n_surrogates
        loader.compiled("measuring").measure(content, len(content), self._spaces, found)
        # A stray byte is a lone surrogate here, of three bytes.
        measures.size_bytes += len(content) - 2 * int(found[STRAY_BYTES])
        measures.n_characters += int(found[CHARACTERS])
        measures.n_whitespace_words += int(found[SPACED_WORDS])
        if self._config.documents == "line":
            measures.n_documents += int(found[LINE_FEEDS])
            self._ends_line = bool(content[-1] == ord("\n"))
        if self._config.documents != "separator":
            self._is_open = True

    def _part(self, content: bytes, is_end: bool = False) -> None:
        """The first stage: special tokens divide documents.

        Half of one at the end waits for the other half.
        """
        content = self._unparted + content
        decided = len(content)
        if not is_end:
            decided = start_of_character(content, len(content) - self._longest_separator + 1)
        place = 0
        while (match := self._separator.search(content, place)) and match.start() < decided:
            self._add_part(content[place : match.start()])
            if self._is_open:
                self.measures.n_documents += 1
            self._end_text()
            place = match.end()
        decided = max(place, decided)
        self._add_part(content[place:decided])
        self._unparted = content[decided:]

    def _add_part(self, content: bytes) -> None:
        if content:
            self._is_open = True
            self._normalize(content)

    def _normalize(self, content: bytes) -> None:
        """The second stage. An ASCII character never combines with the one before it, so a piece
        may begin there.
        """
        if not self._config.normalize:
            self._block.append(content)
            return
        text = content.decode("utf-8", "surrogatepass")
        last = regex.search(r"(?r)[\x00-\x7f]", text)
        if last:
            self._append_normalized(text[: last.start()])
            text = text[last.start() :]
        self._unnormalized.append(text)

    def _append_normalized(self, text: str) -> None:
        text = "".join([*self._unnormalized, text])
        self._unnormalized = []
        if text:
            self._block.append(
                normalize(text, self._config.normalize).encode("utf-8", "surrogatepass")
            )

    def _end_text(self) -> None:
        self._append_normalized("")
        self._block.end_text()
        self._is_open = False

    def _cut_block(self) -> TextBlock | None:
        """Divide the block at the last possible place.

        Returns the rest, or `None` if there is no such place.
        """
        block = self._block
        place = loader.compiled("scanning").last_boundary(
            block.contents,
            self._searched,
            block.size,
            self._automaton.columns,
            self._automaton.parts,
        )
        if block.stops:
            place = max(place, block.stops[-1])
        rest = block.cut(place, _room(self._block_bytes)) if place > 0 else None
        # The rest has no such place, except perhaps after its last character.
        self._searched = (rest or block).last_character()
        return rest

    def _hand_over(self, rest: TextBlock) -> Iterator[None]:
        """Pass the block to the thread; yields while too many are waiting."""
        block = self._block
        self._block = rest
        if block.stops:
            yield from self._thread.count(block, self._automaton)


def _divides_word(contents: ByteArray, place: int) -> bool:
    """Whether there is no white space on either side of a place between two characters."""
    start = start_of_character(contents, place - 1)
    end = next_character(contents, place + 1)
    around = contents[start:end].tobytes().decode("utf-8", "surrogatepass")
    return not any(char.isspace() for char in around)


def _pieces(text: str | bytes) -> Iterator[ByteArray]:
    """The UTF-8 bytes of a text in pieces of whole characters."""
    if isinstance(text, str):
        for start in range(0, len(text), _PIECE):
            yield np.frombuffer(
                text[start : start + _PIECE].encode("utf-8", "surrogatepass"), np.uint8
            )
        return
    contents = np.frombuffer(text, np.uint8)
    start = 0
    while start < len(contents):
        end = next_character(contents, min(start + _PIECE, len(contents)))
        yield contents[start:end]
        start = end


def _room(block_bytes: int) -> int:
    return block_bytes + 2 * _PIECE


@lru_cache(maxsize=1)
def white_space() -> npt.NDArray[np.uint8]:
    """(n,) uint8, 1 for each code point that is white space for `str.split`.

    No code point from the last one on is white space.
    """
    return np.array([chr(code).isspace() for code in range(0x3002)], np.uint8)


def _in_threes(words: Words) -> Words:
    """The words with digits in a row cut into threes from the right, in first-seen order."""
    digits = regex.compile(r"\p{N}{4,}")
    counted: dict[bytes, int] = {}
    for name, count in words.rows():
        parts = [name]
        if b"0" <= name[:1] <= b"9" or name[0] >= 0x80:
            text = name.decode("utf-8", "surrogatepass")
            if digits.fullmatch(text):
                places = range(len(text) % 3 - 3, len(text), 3)
                parts = [text[max(0, at) : at + 3].encode() for at in places if at + 3]
        for part in parts:
            counted[part] = counted.get(part, 0) + count
    return words_of(counted)


def _with_stray_bytes(words: Words) -> Words:
    """Words whose lone surrogates are replaced by the bytes that they represent."""
    blob, offsets, counts = words
    places = np.flatnonzero((blob[:-1] == 0xED) & (blob[1:] >= 0xA0))
    if not len(places):
        return words
    affected = np.unique(np.searchsorted(offsets, places, side="right") - 1).tolist()
    for i in affected:
        name = blob[offsets[i] : offsets[i + 1]].tobytes().decode("utf-8", "surrogatepass")
        content = to_bytes(name)
        if content.decode("utf-8", "surrogateescape") != name:
            # Stray bytes may form a character together, so that two words become equal.
            counted = {word.decode("utf-8", "surrogatepass"): count for word, count in words.rows()}
            return words_of(add_up_by_bytes(counted))
    blob = blob.copy()
    blob[places] = (blob[places + 1] & 3) << 6 | blob[places + 2] & 0x3F
    is_kept = np.ones(len(blob), np.bool_)
    is_kept[places + 1] = False
    is_kept[places + 2] = False
    return Words(blob[is_kept], np.concatenate([[0], np.cumsum(is_kept)])[offsets], counts)
