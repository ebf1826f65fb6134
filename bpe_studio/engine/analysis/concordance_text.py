"""A text as pre-tokens, while it is read, with the places that they have in the source.

It splits text as `counting/corpus.py` does (special tokens divide documents, each is normalized and then split), and
keeps only the text near the current place. Places are bytes of the text as UTF-8, lone surrogates as three bytes.
`concordance.py` decides which pre-tokens are encoded and what is shown of them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bpe_studio.engine.arrays import ByteArray, Int64Array
from bpe_studio.engine.config import TrainingConfig
from bpe_studio.engine.counting.plain_counting import specials_pattern
from bpe_studio.engine.kernels import loader, scanning
from bpe_studio.engine.splits.automaton import Automaton, find_automaton
from bpe_studio.engine.splits.whitespace_bounded import bounded_form
from bpe_studio.engine.text.normalization import AlignedText, normalize, normalize_aligned
from bpe_studio.engine.text.pretokenization import spans, takes_too_long
from bpe_studio.engine.text.timed_matches import TimeBudget
from bpe_studio.engine.text.utf8 import next_character, start_of_character

PADDING = 16
"""How many bytes follow the text of a chunk, so that eight can be read at each of its bytes."""
KEPT_BYTES = 4096
"""How much text is kept on each side of the current place, to be shown with it."""
_PIECE = 1 << 16
_SEGMENT = 1 << 8
_ASCII = re.compile(rb"[\x00-\x7f]")


@dataclass(frozen=True)
class Chunk:
    """A chunk of (normalized) text and its pre-tokens.

    Attributes:
        base: the number of bytes of normalized text before it.
        contents: uint8, its bytes, then `PADDING` more.
        size: the number of bytes of text.
        starts: int64, the start of each pre-token in `contents`.
        ends: int64, the end of each.
    """

    base: int
    contents: ByteArray
    size: int
    starts: Int64Array
    ends: Int64Array


class Window:
    """The part that is kept of a text that is read in pieces.

    Attributes:
        content: its bytes.
        n_bytes: the number of bytes before them.
        n_characters: the number of characters before them.
        n_lines: the number of line feeds before them.
        begins_line: whether a line begins with the first of them.
    """

    def __init__(self) -> None:
        self.content = bytearray()
        self.n_bytes = self.n_characters = self.n_lines = 0
        self.begins_line = True

    def drop(self, place: int) -> None:
        """Drop what is before a place, given in bytes of the whole text."""
        n = start_of_character(self.content, place - self.n_bytes)
        if n > 0:
            gone = self.content[:n]
            self.n_bytes += n
            self.n_characters += len(gone.decode("utf-8", "surrogatepass"))
            self.n_lines += gone.count(b"\n")
            self.begins_line = gone.endswith(b"\n")
            del self.content[:n]


@dataclass
class _Segment:
    """Text that was normalized separately: the place of its result, and of the source."""

    base: int
    start: int
    end: int
    aligned: AlignedText | None = None


class CutText:
    """Splits one document of a corpus (a file, or a text) that is read in pieces.

    Args:
        config: the options.
        use_kernels: whether compiled kernels may be used, if they support the split.
    """

    def __init__(self, config: TrainingConfig, use_kernels: bool) -> None:
        self.window = Window()
        self._config = config
        self._budget = TimeBudget()
        by_line = config.documents == "line"
        self._automaton = find_automaton(config.split, by_line) if use_kernels else None
        # Without an automaton, text is only divided where nothing can depend on it; otherwise it is kept whole.
        self._parts_at_lines = by_line or (config.split.startswith("regex:") and bounded_form(config.split) is not None)
        specials = config.all_special if config.documents == "separator" else ()
        self._separator = re.compile(specials_pattern(specials).pattern.encode("utf-8", "surrogatepass"))
        self._longest_separator = 4 * max(map(len, specials), default=0)
        self._taken = 0  # up to where the text is normalized
        self._contents = bytearray()  # normalized, and not yet cut
        self._base = 0  # how much was cut
        self._stops: list[int] = []
        self._segments: list[_Segment] = []
        self._enough = _PIECE

    def feed(self, text: str | bytes) -> Iterator[Chunk]:
        """Add a piece of the text; gives the chunks that can be split by then."""
        content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        for start in range(0, len(content), _PIECE):
            # Half a character at the end waits for its other half.
            self.window.content += content[start : start + _PIECE]
            self._take(is_end=False)
            if len(self._contents) >= self._enough + KEPT_BYTES:
                place = self._last_boundary()
                self._enough = _PIECE if place > 0 else 2 * len(self._contents)
                if place > 0:
                    yield self._cut(place)
                    self._forget()

    def finish(self) -> Iterator[Chunk]:
        """The last chunk, after the end of the text."""
        self._take(is_end=True)
        if self._contents:
            yield self._cut(len(self._contents))

    def source_place(self, place: int, is_end: bool) -> tuple[int, float]:
        """The place in the source of a place in the normalized text.

        Args:
            place: bytes from the beginning of the normalized text.
            is_end: whether it is the end of something, so that the text before it decides.

        Returns:
            The start of the character in bytes from the beginning of the source, and the share of it before the place.
        """
        number = bisect_right(self._segments, place - is_end, key=lambda segment: segment.base) - 1
        segment = self._segments[max(0, number)]
        offset = place - segment.base
        first = segment.start - self.window.n_bytes
        content = self.window.content
        if not self._config.normalize:
            at, share = _character_at(content, first + offset)
            return at + self.window.n_bytes, share
        source = bytes(content[first : segment.end - self.window.n_bytes]).decode("utf-8", "surrogatepass")
        if segment.aligned is None:
            segment.aligned = normalize_aligned(source, self._config.normalize)
        aligned = segment.aligned
        encoded = aligned.text.encode("utf-8", "surrogatepass")
        at, share = _character_at(encoded, min(offset, len(encoded)))
        k = len(encoded[:at].decode("utf-8", "surrogatepass"))
        begin = float(aligned.starts[k])
        found = begin + share * (float(aligned.starts[min(k + 1, len(aligned.text))]) - begin)
        whole = int(found)
        return segment.start + len(source[:whole].encode("utf-8", "surrogatepass")), found - whole

    def _take(self, is_end: bool) -> None:
        """Divide, normalize and append the text so far, up to where it is decided."""
        content = bytes(self.window.content[self._taken - self.window.n_bytes :])
        shift = self._taken
        decided = len(content) if is_end or not self._longest_separator else len(content) - self._longest_separator + 1
        decided = start_of_character(content, decided)
        place = 0
        while self._longest_separator and (match := self._separator.search(content, place)):
            if match.start() >= decided:
                break
            self._append(content[place : match.start()], shift + place)
            self._end_text()
            place = match.end()
        decided = max(place, decided)
        if not is_end and self._config.normalize:
            # An ASCII character never combines with the one before it, so a piece may begin there.
            while decided > place and content[decided - 1] >= 0x80:
                decided -= 1
            decided = max(place, decided - 1)
        elif not is_end:
            decided = max(place, border(content, decided))
        self._append(content[place:decided], shift + place)
        self._taken = shift + decided
        if is_end:
            self._end_text()

    def _append(self, content: bytes, start: int) -> None:
        if not self._config.normalize:
            if content:
                self._segments.append(_Segment(self._base + len(self._contents), start, start + len(content)))
                self._contents += content
            return
        place = 0
        while place < len(content):
            match = _ASCII.search(content, place + _SEGMENT)
            end = match.start() if match else len(content)
            source = content[place:end].decode("utf-8", "surrogatepass")
            self._segments.append(_Segment(self._base + len(self._contents), start + place, start + end))
            self._contents += normalize(source, self._config.normalize).encode("utf-8", "surrogatepass")
            place = end

    def _end_text(self) -> None:
        if len(self._contents) > (self._stops[-1] if self._stops else 0):
            self._stops.append(len(self._contents))

    def _last_boundary(self) -> int:
        """The last place at which the text so far can be divided; 0 if there is none yet."""
        end = border(self._contents, len(self._contents) - KEPT_BYTES)
        last_stop = max((stop for stop in self._stops if stop <= end), default=0)
        if self._automaton is not None:
            contents = np.frombuffer(bytes(self._contents), np.uint8)
            place = loader.compiled("scanning").last_boundary(
                contents, last_stop, end, self._automaton.columns, self._automaton.parts
            )
        else:
            place = self._contents.rfind(b"\n", 0, end) + 1 if self._parts_at_lines else 0
        return max(int(place), last_stop)

    def _cut(self, place: int) -> Chunk:
        """Split the text before a place of the contents, and remove it from them."""
        stops = [stop for stop in self._stops if stop < place] + [place]
        contents = np.zeros(place + PADDING, np.uint8)
        contents[:place] = np.frombuffer(bytes(self._contents[:place]), np.uint8)
        if self._automaton is not None:
            starts, ends = _scan(contents, stops, self._automaton, self._config.split)
        else:
            starts, ends = self._plain_scan(stops)
        chunk = Chunk(self._base, contents, place, starts, ends)
        del self._contents[:place]
        self._stops = [stop - place for stop in self._stops if stop > place]
        self._base += place
        return chunk

    def _plain_scan(self, stops: list[int]) -> tuple[Int64Array, Int64Array]:
        """The starts and ends of the pre-tokens, found by `regex`."""
        found: list[tuple[int, int]] = []
        first = 0
        for stop in stops:
            text = bytes(self._contents[first:stop]).decode("utf-8", "surrogatepass")
            lines = _lines(text) if self._config.documents == "line" else [text]
            for line in lines:
                places = _byte_places(line)
                found += [
                    (first + places[a], first + places[b])
                    for a, b in spans(line, self._config.split, budget=self._budget)
                ]
                first += places[len(line)]
        columns = np.array(found, np.int64).reshape(-1, 2)
        return columns[:, 0], columns[:, 1]

    def _forget(self) -> None:
        """Drop text that is neither to be split nor near the current place."""
        number = max(0, bisect_right(self._segments, self._base, key=lambda segment: segment.base) - 1)
        if number == len(self._segments):
            return
        del self._segments[:number]
        first = self._segments[0]
        place = first.start if self._config.normalize else first.start + self._base - first.base
        self.window.drop(min(place, self._taken) - KEPT_BYTES)


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + lines[-1:]


def _byte_places(text: str) -> range | list[int]:
    """The start of each character of a text in its bytes; the last entry is the end."""
    if text.isascii():
        return range(len(text) + 1)
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes = 1 + (codes >= 0x80).astype(np.int64) + (codes >= 0x800) + (codes >= 0x10000)
    places: list[int] = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]).tolist()
    return places


def _scan(contents: ByteArray, stops: list[int], automaton: Automaton, split: str) -> tuple[Int64Array, Int64Array]:
    """The starts and ends of the pre-tokens, found by the automaton."""
    kernel = loader.compiled("scanning")
    state, ends_of_texts = np.zeros(scanning.N_CUTTING, np.int64), np.array(stops, np.int64)
    room = stops[-1] * 8 // 7 + scanning.SPARE + 4
    kind = np.int32 if stops[-1] < 2**31 else np.int64
    borders = np.empty(room, kind)
    found: list[Int64Array] = []
    kernel.begin(state, 0)
    try:
        while state[scanning.STOP_NUMBER] < len(stops):
            kernel.find_borders(state, contents, ends_of_texts, automaton.tables, borders)
            found.append(borders[: 2 * state[scanning.N_ENDS]].astype(np.int64))
    except TimeoutError:
        raise takes_too_long(split.removeprefix("regex:")) from None
    all_borders = np.concatenate(found)
    return all_borders[::2], all_borders[1::2]


def border(content: bytes | bytearray, place: int) -> int:
    """The last place up to this one that does not divide a character."""
    place = max(0, min(place, len(content)))
    first = place
    while first > 0 and place - first < 3 and (first == len(content) or content[first] & 0xC0 == 0x80):
        first -= 1
    if first == place:
        return place
    lead = content[first]
    size = 1 if lead < 0xC0 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    return place if first + size <= place else first


def _character_at(content: bytes | bytearray, place: int) -> tuple[int, float]:
    """The start of the character that contains a place, and the share of it before the place."""
    at = place
    while at > 0 and place - at < 3 and at < len(content) and content[at] & 0xC0 == 0x80:
        at -= 1
    if at == place:
        return place, 0.0
    return at, (place - at) / (next_character(content, at + 1) - at)
