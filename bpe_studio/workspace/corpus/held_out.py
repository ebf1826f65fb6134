"""Holds out a share of a text before training: cut and counted by the same settings, but not trained from.

Whole lines are held out, in stretches that are spread over the whole text, so that they are like the rest. Which
ones depends on the text and the share alone. A line that is much longer than a stretch is divided before white space,
or between two characters where it has none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from bpe_studio.errors import SourceError
from bpe_studio.workspace.state import HeldOut

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus, CorpusBuilder

MAX_SHARE = 0.5
_N_STRETCHES = 4096
_LONGEST_STRETCH = 1 << 16
_LONG_LINE = 8
"""A line of so many stretches is parted."""
_LEAST_LONG_LINE = 1 << 12


class StretchChooser:
    """Tells which stretches of a text are held out, as the text comes.

    Args:
        share: how much of it, by bytes.
        size_bytes: the text's size as far as it is known; 0 where it is not.
    """

    def __init__(self, share: float, size_bytes: int) -> None:
        self._share = share
        self._least = min(max(1, size_bytes // _N_STRETCHES), _LONGEST_STRETCH) if size_bytes else _LEAST_LONG_LINE
        self._most = max(_LONG_LINE * self._least, _LEAST_LONG_LINE)
        self._rest = b""
        self._n_seen = self._n_held = 0

    def parts(self, content: bytes) -> Iterator[tuple[bool, bytes]]:
        """What is whole so far, end to end, and of each part whether it is held out.

        Args:
            content: what comes next, as UTF-8 of whole characters.
        """
        content = self._rest + content
        begin = start = 0
        was_held = False
        while (end := self._end(content, start)) is not None:
            is_held = self._choose(end - start)
            if is_held != was_held and begin < start:
                yield was_held, content[begin:start]
                begin = start
            was_held, start = is_held, end
        self._rest = content[start:]
        if begin < start:
            yield was_held, content[begin:start]

    def last(self) -> Iterator[tuple[bool, bytes]]:
        """What is left where a file ends."""
        rest, self._rest = self._rest, b""
        if rest:
            yield self._choose(len(rest)), rest

    def _choose(self, size: int) -> bool:
        # The first stretch is learned from and the second held out, so that two are enough.
        is_held = self._n_held < self._share * self._n_seen
        self._n_seen += size
        self._n_held += size if is_held else 0
        return is_held

    def _end(self, content: bytes, start: int) -> int | None:
        """Where the stretch ends that begins at a place; `None` where that has not come yet."""
        least, most = start + self._least, start + self._most
        if least > len(content):
            return None
        found = content.find(b"\n", least - 1, most)
        if found >= 0:
            return found + 1
        if most > len(content):
            return None
        found = content.rfind(b" ", least, most)
        if found >= 0:
            return found
        while most < len(content) and content[most] & 0xC0 == 0x80:
            most -= 1
        return most


class KeptText:
    """What is left of a text, document by document, where a share of it was held out, and where that stands in it.

    Args:
        share: how much was held out.
        size_bytes: the text's size as it was known when that was done.
    """

    def __init__(self, share: float, size_bytes: int) -> None:
        self._chooser = StretchChooser(share, size_bytes)
        self._places: list[int] = []
        self._left_out: list[tuple[int, int, int]] = []

    def document(self, blocks: Iterable[str | bytes]) -> Iterator[bytes]:
        """What is left of the next document, in pieces; one is empty where all of a piece is held out."""
        self._places, self._left_out = [], []
        n_kept = n_bytes = n_characters = n_lines = 0
        for block in chain(blocks, [None]):
            parts = self._chooser.last() if block is None else self._chooser.parts(as_bytes(block))
            for is_held, content in parts:
                if is_held:
                    n_bytes += len(content)
                    n_characters += len(content.decode("utf-8", "surrogatepass"))
                    n_lines += content.count(b"\n")
                    self._places.append(n_kept)
                    self._left_out.append((n_bytes, n_characters, n_lines))
                else:
                    n_kept += len(content)
                    yield content
            yield b""

    def left_out_before(self, place: int) -> tuple[int, int, int]:
        """How many bytes, characters and line breaks of the document were held out before a byte of what is left."""
        number = bisect_right(self._places, place)
        return self._left_out[number - 1] if number else (0, 0, 0)


class HoldingBuilder:
    """Counts a text in two corpora, as a `CorpusBuilder` counts one.

    Args:
        kept: counts what is learned from.
        held: counts what is held out.
        share: how much that is.
        size_bytes: the text's size as far as it is known.
    """

    def __init__(self, kept: CorpusBuilder, held: CorpusBuilder, share: float, size_bytes: int) -> None:
        self._kept, self._held = kept, held
        self._share = share
        self._chooser = StretchChooser(share, size_bytes)

    def feed(self, text: str | bytes) -> Iterator[None]:
        """As `CorpusBuilder.feed`."""
        yield from self._counted(self._chooser.parts(as_bytes(text)))

    def finish_document(self) -> Iterator[None]:
        """As `CorpusBuilder.finish_document`."""
        yield from self._counted(self._chooser.last())
        yield from self._kept.finish_document()
        yield from self._held.finish_document()

    def finish_counting(self) -> Iterator[None]:
        """As `CorpusBuilder.finish_counting`."""
        yield from self._kept.finish_counting()
        yield from self._held.finish_counting()

    def finish(self) -> Corpus:
        """The corpus to learn from."""
        return self._kept.finish()

    def held_out(self, name: str) -> HeldOut:
        """What was held out.

        Args:
            name: what the text is called.

        Raises:
            SourceError: nothing was, as the text is too short.
        """
        held = HeldOut(self._share, self._held.finish())
        if not held.n_bytes:
            raise SourceError(
                f"Nothing of {name} can be held out, as it is one line, and whole lines are held out: "
                "open a text of several lines"
            )
        return held

    def _counted(self, parts: Iterator[tuple[bool, bytes]]) -> Iterator[None]:
        for is_held, content in parts:
            yield from (self._held if is_held else self._kept).feed(content)


def as_bytes(text: str | bytes) -> bytes:
    """A text as UTF-8, lone surrogates as three bytes."""
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def check_share(share: float) -> None:
    """Refuses a share that leaves too little to learn from.

    Raises:
        SourceError: it is not from 0 to a half.
    """
    if not 0 <= share <= MAX_SHARE:
        raise SourceError(
            f"{100 * share:g} % of a text cannot be held out: choose a share from 0 to {100 * MAX_SHARE:g} %"
        )


def held_out_notice(held: HeldOut, corpus: Corpus) -> str:
    """What there is to tell of a part that was held out from a corpus.

    Example:
        "5 % of the text, 2.0 MB, are held out: whole lines from all over it, which training does not see."
    """
    percent = 100 * held.n_bytes / (held.n_bytes + corpus.size_bytes)
    return (
        f"{percent:.2g} % of the text, {_size(held.n_bytes)}, are held out: whole lines from all over it, which "
        "training does not see."
    )


def _size(n_bytes: int) -> str:
    """A size as a person reads it.

    >>> _size(2_004_000), _size(8_400), _size(12)
    ('2.0 MB', '8.4 kB', '12 bytes')
    """
    if n_bytes < 1_000:
        return f"{n_bytes} bytes"
    return f"{n_bytes / 1e3:.1f} kB" if n_bytes < 1_000_000 else f"{n_bytes / 1e6:,.1f} MB"
