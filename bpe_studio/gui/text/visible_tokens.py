"""The tokens of each visible block of the typed text.

Only the visible part is requested from the live text, and the answer is cached until the text or
the step changes. Nothing here measures or paints.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextBlock

from bpe_studio.gui.tokens.qt_positions import EditorText
from bpe_studio.workspace.selection import highlighted_places

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.editable_text import EditableText, TokenSpans
    from bpe_studio.workspace.selection import Selected


@dataclass(frozen=True)
class TokenHit:
    """A token of the text.

    Attributes:
        id: its internal id; below 0 if unknown.
        start: its first code point in the text; a fraction is inside a character.
        end: the code point after it.
    """

    id: int
    start: float
    end: float


@dataclass(frozen=True, eq=False)
class BlockTokens:
    """The tokens of one block.

    Attributes:
        starts: their starts, in code points of the block; negative for one that begins before it.
        ends: their ends.
        ids: their internal ids.
        first_number: the index of the first token in its paragraph.
        start: the block's first code point in the text.
    """

    starts: list[float]
    ends: list[float]
    ids: list[int]
    first_number: int
    start: int

    def hit(self, token: int) -> TokenHit:
        """The token with an index in the block."""
        return TokenHit(
            self.ids[token], self.starts[token] + self.start, self.ends[token] + self.start
        )

    def highlighted(self, selected: Selected | None) -> frozenset[int]:
        """The indices of the selected token, and of its two parts where they are neighbours."""
        return highlighted_places(self.ids, selected)

    def numbers(self, *wanted: TokenHit | None) -> set[int]:
        """The indices in the block of the wanted tokens that are in it."""
        places = {
            (hit.start - self.start, hit.end - self.start) for hit in wanted if hit is not None
        }
        if not places:
            return set()
        return {
            k for k, place in enumerate(zip(self.starts, self.ends, strict=True)) if place in places
        }


@dataclass(frozen=True, eq=False)
class _Answer:
    start: int
    end: int
    spans: TokenSpans


class VisibleTokens:
    """The tokens of a text at a step.

    Args:
        record: the text, and its blocks.
    """

    def __init__(self, record: EditorText) -> None:
        self._record = record
        self._answer: _Answer | None = None
        self.live: EditableText | None = None
        self.step = 0

    def forget(self) -> None:
        """Clear the cache; call it when the text, the step or the live text changes."""
        self._answer = None

    def prepare(self, first: QTextBlock, last: QTextBlock) -> None:
        """Request the tokens of the blocks from first to last at once."""
        self._spans(self._record.paragraph_start(first.blockNumber()), self._end(last) + 1)

    def of_block(self, block: QTextBlock) -> BlockTokens:
        """The tokens of a block, including a line break after it."""
        if self.live is None:
            return BlockTokens([], [], [], 0, 0)
        number = block.blockNumber()
        start = self._record.starts[number]
        end = self._end(block)
        paragraph = self._record.paragraph_start(number)
        spans = self._spans(paragraph, end + 1)
        first = int(spans.ends.searchsorted(start, "right"))
        behind = end if self._record.is_continued(number) else end + 1
        last = max(first, int(spans.starts.searchsorted(behind, "left")))
        # A mark without width belongs to the word before it.
        while last < len(spans.ids) and spans.starts[last] == spans.ends[last] == end:
            last += 1
        part = slice(first, last)
        return BlockTokens(
            (spans.starts[part] - start).tolist(),
            (spans.ends[part] - start).tolist(),
            spans.ids[part].tolist(),
            first - int(spans.starts.searchsorted(paragraph, "left")),
            start,
        )

    def at(self, point: int) -> TokenHit | None:
        """The token that contains a code point; the first if there are several."""
        if self.live is None:
            return None
        spans = self._spans(point, point + 1)
        k = int(spans.ends.searchsorted(point, "right"))
        if k < len(spans.ids) and spans.starts[k] < point + 1:
            return TokenHit(int(spans.ids[k]), float(spans.starts[k]), float(spans.ends[k]))
        return None

    def _end(self, block: QTextBlock) -> int:
        return self._record.starts[block.blockNumber()] + len(block.text())

    def _spans(self, start: int, end: int) -> TokenSpans:
        """The tokens that overlap [start, end), and perhaps some around them."""
        assert self.live is not None
        answer = self._answer
        if answer is None or start < answer.start or end > answer.end:
            answer = self._answer = _Answer(start, end, self.live.tokens(self.step, start, end))
        return answer.spans
