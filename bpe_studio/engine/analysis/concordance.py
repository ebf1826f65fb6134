"""Keyword in context: the occurrences of a token at a step, or of a string, each in its line.

The text is the one that the run's corpus was counted from; it is read once and not kept in memory.
It is divided where no pre-token can go on (`_Divider`). For a token, only those parts are encoded
that have one of the words that contain it, which the gap ranks tell (`words_containing.py`); if no
word does, the text is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil, floor
from typing import TYPE_CHECKING

import numpy as np
import regex

from bpe_studio.engine.analysis.words_containing import words_with_token
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.engine.splits.automaton import find_automaton
from bpe_studio.engine.text.normalization import normalize

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

CONTEXT = 60
_CHUNK = 1 << 16
_UNIT = 1 << 9
"""The characters that are searched together, and those that are encoded together."""
_LONG_LINE = 1 << 18
"""A text without a line break is divided between words from this length on."""
_MOST_NEEDLES = 64
_BREAKS = regex.compile(r"\X")
_SURROGATE = regex.compile("[\ud800-\udfff]")
_FAR = 48
"""Characters beyond the context that are searched for a grapheme boundary."""


@dataclass(frozen=True)
class Found:
    """An occurrence.

    Attributes:
        text: its line without the line break, or the part near it; cut at grapheme boundaries. Line
            breaks within the occurrence are kept.
        start: its start in `text`, in characters; a fraction is a share of a character's bytes.
        end: its end.
        line: the number of the line in which it begins, from 1.
        offset_bytes: the number of bytes of the document before `text`, as UTF-8.
        is_cut_before: whether the line begins before `text`.
        is_cut_after: whether the line ends after `text`.
    """

    text: str
    start: float
    end: float
    line: int
    offset_bytes: int
    is_cut_before: bool
    is_cut_after: bool


class TokenFinder:
    """Finds the occurrences of one token in any number of documents.

    Args:
        run: the run.
        token: an internal id.
        step: how many merges apply.

    Raises:
        VocabularyError: the token does not exist at that step.

    Attributes:
        n_in_corpus: how often the token occurs in the whole corpus at the step.
    """

    def __init__(self, run: Run, token: int, step: int) -> None:
        run = run.at(step)
        holders = words_with_token(run, token, step, len(run.corpus))
        self.n_in_corpus = holders.total
        self._token = token
        self._step = step
        self._config = run.config
        self._needles = _needles(run, token, holders.words)
        # A segmenter of its own, because the window's thread uses that of the run.
        self._segmenter = run.new_segmenter()
        self._segmenter.recognize_special(run.config.documents == "separator")

    def lines(
        self, blocks: Iterable[str | bytes], context: int = CONTEXT
    ) -> Iterator[Found | None]:
        """The occurrences in one document (a file, or a text), from left to right.

        If there are none in the corpus, it reads nothing. It also yields `None` every few
        milliseconds, so that a caller can stop.

        Args:
            blocks: one of the documents that the run's corpus was counted from, in pieces; bytes
                are UTF-8 of whole characters, lone surrogates as three bytes.
            context: the maximum number of characters on each side.

        Raises:
            PatternError: a custom expression takes too long.
        """
        if not self.n_in_corpus:
            return
        divider = _Divider(self._config)
        for chunk in chunks(blocks, divider):
            yield None
            if not self._may_have(chunk.text):
                continue
            for start, end in divider.units(chunk.text):
                unit = chunk.text[start:end]
                if not self._may_have(unit):
                    continue
                encoded = EditableText(self._segmenter)
                encoded.set_text(unit)
                tokens = encoded.tokens(self._step)
                for k in np.flatnonzero(tokens.ids == self._token).tolist():
                    yield chunk.found(
                        start + float(tokens.starts[k]), start + float(tokens.ends[k]), context
                    )
                yield None

    def _may_have(self, text: str) -> bool:
        """Whether a part of the text may have the token.

        Stray bytes may form a character together.
        """
        if not self._needles:
            return True
        changed = normalize(text, self._config.normalize)
        is_there = any(needle in changed for needle in self._needles)
        return is_there or (not changed.isascii() and _SURROGATE.search(changed) is not None)


class StringFinder:
    """Finds a string, exactly as it is written, in any number of documents.

    Attributes:
        n_in_corpus: `None`, because only reading the corpus tells.
    """

    n_in_corpus = None

    def __init__(self, text: str) -> None:
        self._text = text

    def lines(
        self, blocks: Iterable[str | bytes], context: int = CONTEXT
    ) -> Iterator[Found | None]:
        """The occurrences in one document, as `TokenFinder.lines`.

        They do not overlap, and cross no line.
        """
        for chunk in chunks(blocks):
            yield None
            place = chunk.text.find(self._text)
            while place >= 0:
                end = place + len(self._text)
                yield chunk.found(place, end, context)
                place = chunk.text.find(self._text, end)


def _needles(run: Run, token: int, words: Int64Array) -> list[str]:
    """Strings, one of which is in every word that contains the token; empty if any word may."""
    if len(words) <= _MOST_NEEDLES:
        needles = [run.corpus.pre_token(word) for word in words.tolist()]
    else:
        try:
            needles = [run.token_content(token).decode()]
        except UnicodeDecodeError:
            return []  # a part of a character
    needles = [needle.removeprefix(run.config.word_start) for needle in needles]
    return needles if all(needles) else []


@dataclass(frozen=True)
class Chunk:
    """A part of a document, which ends where a line does if there are lines.

    Attributes:
        text: the part.
        n_bytes: the number of bytes before it.
        n_lines: the number of line feeds before it.
        begins_line: whether a line begins with it.
    """

    text: str
    n_bytes: int
    n_lines: int
    begins_line: bool

    def found(self, start: float, end: float, context: int = CONTEXT) -> Found:
        """An occurrence with its context."""
        text = self.text
        first = floor(start)
        last = ceil(end)
        line_start = text.rfind("\n", 0, first) + 1
        break_at = text.find("\n", max(first, last - 1))
        line_end = len(text) if break_at < 0 else max(break_at, last)
        if line_end > last and text[line_end - 1] == "\r":
            line_end -= 1
        low = max(line_start, first - context - _FAR)
        high = min(line_end, last + context + _FAR)
        borders = [low + match.start() for match in _BREAKS.finditer(text[low:high])] + [high]
        before = [p for p in borders if p <= first]
        after = [p for p in borders if p >= last]
        left = min((p for p in before if p >= first - context), default=before[-1])
        right = max((p for p in after if p <= last + context), default=after[0])
        return Found(
            text[left:right],
            start - left,
            end - left,
            self.n_lines + 1 + text.count("\n", 0, first),
            self.n_bytes + _n_bytes(text[:left]),
            left > line_start or (line_start == 0 and not self.begins_line),
            right < line_end,
        )


def _n_bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def chunks(blocks: Iterable[str | bytes], divider: _Divider | None = None) -> Iterator[Chunk]:
    """The parts of a document.

    Args:
        blocks: the document.
        divider: says where it can be divided so that each part has the pre-tokens that it has in
            the document; `None` for the ends of lines.
    """
    rest = ""
    n_bytes = 0
    n_lines = 0
    begins_line = True
    enough = _CHUNK

    def chunk(text: str) -> Chunk:
        nonlocal n_bytes, n_lines, begins_line
        made = Chunk(text, n_bytes, n_lines, begins_line)
        n_bytes += _n_bytes(text)
        n_lines += text.count("\n")
        begins_line = text.endswith("\n")
        return made

    for block in blocks:
        rest += block if isinstance(block, str) else block.decode("utf-8", "surrogatepass")
        while len(rest) >= enough:
            if divider is None:
                place = rest.rfind("\n", 0, enough) + 1
            else:
                place = divider.last_place(rest[:enough])
            if not place:
                enough *= 2
                continue
            yield chunk(rest[:place])
            rest = rest[place:]
            enough = _CHUNK
    if rest:
        yield chunk(rest)


class _Divider:
    """Divides a text where no pre-token can go on.

    That is after each line if each line is a text. Otherwise it is before a line feed at which
    every match of the split ends, whatever is around it; or in a very long line, before such a
    space.
    """

    def __init__(self, config: TrainingConfig) -> None:
        self._by_line = config.documents == "line"
        self._normalize = config.normalize
        self._automaton = None if self._by_line else find_automaton(config.cutting)

    def last_place(self, text: str) -> int:
        """The last place at which a text can be divided, whatever follows; 0 for none."""
        if self._by_line:
            return text.rfind("\n") + 1
        dividers = "\n " if len(text) > _LONG_LINE else "\n"
        for char in dividers:
            place = text.rfind(char, 0, len(text) - 1)
            while place > 0:
                if self._can_divide(text, place):
                    return place
                place = text.rfind(char, 0, place)
        return 0

    def units(self, text: str) -> Iterator[tuple[int, int]]:
        """The starts and ends of small parts of a text."""
        start = 0
        while start < len(text):
            if self._by_line:
                end = text.find("\n", start) + 1
            else:
                end = text.find("\n", start + _UNIT)
                while end >= 0 and not self._can_divide(text, end):
                    end = text.find("\n", end + 1)
            end = end if end > 0 else len(text)
            yield start, end
            start = end

    def _can_divide(self, text: str, place: int) -> bool:
        """Whether a text can be divided before the white space at a place.

        The characters around it must be ASCII, which no normalization combines with anything.
        """
        around = text[place - 1 : place + 2]
        if (
            self._automaton is None
            or len(around) < 3
            or not around.isascii()
            or not around[0].isalnum()
        ):
            return False
        return self._automaton.divides(*normalize(around[:2], self._normalize))
