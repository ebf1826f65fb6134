"""Holds out a share of a text before training: it is split and counted with the same settings, but
not trained on.

Whole lines are held out, in blocks from all over the text, so that they are representative. The
choice depends only on the text and the share. A line that is much longer than a block is divided
before white space, or between two characters if it has none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from bpe_studio.engine.text.utf8 import start_of_character
from bpe_studio.errors import SourceError
from bpe_studio.explain.wording import data_size
from bpe_studio.workspace.state import HeldOut

if TYPE_CHECKING:
    from bpe_studio.engine.counting.corpus import Corpus, CorpusBuilder

MAX_SHARE = 0.5
_N_STRETCHES = 4096
_LONGEST_STRETCH = 1 << 16
_LONG_LINE = 8
"""A line that is longer than this many blocks is divided."""
_LEAST_LONG_LINE = 1 << 12


class BlockChooser:
    """Chooses the blocks of a text that are held out, as the text is read.

    Args:
        share: the share to hold out, by bytes.
        size_bytes: the size of the text; 0 if unknown.
    """

    def __init__(self, share: float, size_bytes: int) -> None:
        self._share = share
        self._least = _LEAST_LONG_LINE
        if size_bytes:
            self._least = min(max(1, size_bytes // _N_STRETCHES), _LONGEST_STRETCH)
        self._most = max(_LONG_LINE * self._least, _LEAST_LONG_LINE)
        self._rest = b""
        self._n_seen = 0
        self._n_held = 0

    def parts(self, content: bytes) -> Iterator[tuple[bool, bytes]]:
        """The next complete parts, in order, each with whether it is held out.

        Args:
            content: the next piece, as UTF-8 of whole characters.
        """
        content = self._rest + content
        begin = 0
        start = 0
        was_held = False
        while (end := self._end(content, start)) is not None:
            is_held = self._choose(end - start)
            if is_held != was_held and begin < start:
                yield was_held, content[begin:start]
                begin = start
            was_held = is_held
            start = end
        self._rest = content[start:]
        if begin < start:
            yield was_held, content[begin:start]

    def last(self) -> Iterator[tuple[bool, bytes]]:
        """The rest, at the end of a file."""
        rest = self._rest
        self._rest = b""
        if rest:
            yield self._choose(len(rest)), rest

    def _choose(self, size: int) -> bool:
        # The first block is trained on and the second one held out, so that two are enough.
        is_held = self._n_held < self._share * self._n_seen
        self._n_seen += size
        if is_held:
            self._n_held += size
        return is_held

    def _end(self, content: bytes, start: int) -> int | None:
        """The end of the block that begins at a place; `None` if it has not been read yet."""
        least = start + self._least
        most = start + self._most
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
        return start_of_character(content, most)


class KeptText:
    """The part of a text that is not held out, document by document, and its places in the text.

    Args:
        share: the share that was held out.
        size_bytes: the size that the text was known to have then.
    """

    def __init__(self, share: float, size_bytes: int) -> None:
        self._chooser = BlockChooser(share, size_bytes)
        self._places: list[int] = []
        self._left_out: list[tuple[int, int]] = []

    def document(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The kept part of the next document, in pieces.

        A piece is empty if all of it is held out.
        """
        self._places = []
        self._left_out = []
        n_kept = 0
        n_bytes = 0
        n_lines = 0
        for block in chain(blocks, [None]):
            parts = self._chooser.last() if block is None else self._chooser.parts(block)
            for is_held, content in parts:
                if is_held:
                    n_bytes += len(content)
                    n_lines += content.count(b"\n")
                    self._places.append(n_kept)
                    self._left_out.append((n_bytes, n_lines))
                else:
                    n_kept += len(content)
                    yield content
            yield b""

    def left_out_before(self, place: int) -> tuple[int, int]:
        """The numbers of bytes and line breaks of the document that were held out before a byte of
        the kept part.
        """
        number = bisect_right(self._places, place)
        return self._left_out[number - 1] if number else (0, 0)


class HoldOutBuilder:
    """Counts a text in two corpora, as a `CorpusBuilder` counts one.

    Args:
        kept: counts the part to train on.
        held: counts the held-out part.
        share: the share to hold out.
        size_bytes: the size of the text; 0 if unknown.
    """

    def __init__(
        self, kept: CorpusBuilder, held: CorpusBuilder, share: float, size_bytes: int
    ) -> None:
        self._kept = kept
        self._held = held
        self._share = share
        self._chooser = BlockChooser(share, size_bytes)

    def begin_source(self, path: str) -> None:
        """As `CorpusBuilder.begin_source`; the held-out part is not weighed."""
        self._kept.begin_source(path)

    def feed(self, content: bytes, ends: Sequence[int] = ()) -> Iterator[None]:
        """As `CorpusBuilder.feed`."""
        start = 0
        for end in ends:
            yield from self._counted(self._chooser.parts(content[start:end]))
            yield from self.finish_document()
            start = end
        yield from self._counted(self._chooser.parts(content[start:]))

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
        """The corpus to train on."""
        return self._kept.finish()

    def held_out(self, name: str) -> HeldOut:
        """The held-out part.

        Args:
            name: the name of the text.

        Raises:
            SourceError: nothing was held out, because the text is too short.
        """
        held = HeldOut(self._share, self._held.finish())
        if not held.n_bytes:
            raise SourceError(
                f"No part of {name} can be held out, because it is a single line and whole lines"
                " are held out: open a text with several lines"
            )
        return held

    def _counted(self, parts: Iterator[tuple[bool, bytes]]) -> Iterator[None]:
        for is_held, content in parts:
            builder = self._held if is_held else self._kept
            yield from builder.feed(content)


def check_share(share: float) -> None:
    """Checks a share.

    Raises:
        SourceError: it is not from 0 to a half.
    """
    if not 0 <= share <= MAX_SHARE:
        raise SourceError(
            f"{100 * share:g} % of a text cannot be held out: choose a share from 0 to"
            f" {100 * MAX_SHARE:g} %"
        )


def held_out_notice(held: HeldOut, corpus: Corpus) -> str:
    """The notice about a part that was held out from a corpus.

    Example:
        "5 % of the text (2.0 MB) is held out: whole lines from all over it, which are not trained
        on."
    """
    n_kept = sum(source.size_bytes for source in corpus.sources.values()) or corpus.size_bytes
    percent = 100 * held.n_bytes / (held.n_bytes + n_kept)
    return (
        f"{percent:.2g} % of the text ({data_size(held.n_bytes)}) is held out: whole lines from all"
        " over it, which are not trained on."
    )
