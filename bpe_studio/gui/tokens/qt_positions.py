"""Converts positions between the text (code points) and Qt's document (UTF-16 units in blocks).

A long line is stored in several blocks, so that a key press lays out a thousand characters instead
of a hundred thousand. A block that continues the line of the previous block is a *continuation*;
the border between the two is not a character of the text. `EditorText` is the text as the user sees
it; it follows each change of the document and says what changed. `sanitize` replaces characters
that a document cannot store. Nothing here paints or edits.

The format of a block says whether it is a continuation, because undo and redo restore formats. But
while an edit joins and splits blocks, formats are unreliable. So `EditorText` keeps its own record
and lists the blocks whose format must be corrected (`outdated`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count
from operator import add, sub
from typing import NamedTuple

from PySide6.QtCore import QTextBoundaryFinder
from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextDocument, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit

from bpe_studio.explain.names import is_right_to_left

BLOCK_LIMIT = 1000
"""The most characters of a block."""
BLOCK_SIZE = 800
"""The length of the blocks that a long line is divided into; the rest is room for typing."""

_LOOK_BACK = 200
_CONTINUATION = QTextFormat.Property.UserProperty.value + 1
_serials = count(1)
_LONE = re.compile("[\ud800-\udfff]")
_BREAKS = {True: "", False: "\n"}  # before a block, by whether it continues a line


class Edit(NamedTuple):
    """A change of the text, in code points."""

    start: int
    n_removed: int
    added: str


@dataclass(frozen=True)
class Sanitized:
    """A text that a document can store, and a notice about replacements.

    Attributes:
        text: the text, with LF as its only line break.
        notice: one sentence about what was replaced, or "".
    """

    text: str
    notice: str


def sanitize(text: str) -> Sanitized:
    """Replace characters that Qt's documents cannot store.

    CR and U+2029 become line breaks; lone surrogates become U+FFFD.
    """
    changes = []
    n = text.count("\r")
    if n:
        changes.append(f"{_several(n, 'carriage return')} (now line breaks)")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    n = text.count("\u2029")
    if n:
        changes.append(f"{_several(n, 'paragraph separator')} (now line breaks)")
        text = text.replace("\u2029", "\n")
    text, n = _LONE.subn("\ufffd", text)
    if n:
        changes.append(f"{_several(n, 'stray byte')} (now U+FFFD)")
    n = text.count("\ufdd0") + text.count("\ufdd1")
    if n:
        changes.append(f"{_several(n, 'noncharacter')} (now U+FFFD)")
        text = text.replace("\ufdd0", "\ufffd").replace("\ufdd1", "\ufffd")
    if text.startswith("\ufeff"):
        changes.append("a byte-order mark at the beginning (left out)")
        text = text.lstrip("\ufeff")
    notice = ""
    if changes:
        notice = f"Some characters cannot be shown here as they were: {', '.join(changes)}"
    return Sanitized(text, notice)


def _several(n: int, what: str) -> str:
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def unit_places(text: str) -> list[int] | None:
    """The UTF-16 unit of each code point and of the end; None if they are the same numbers."""
    if not text or max(text) <= "\uffff":
        return None
    return [0, *accumulate(map(_n_units, text))]


def _n_units(char: str) -> int:
    return 2 if char > "\uffff" else 1


def to_units(text: str, n_points: int) -> int:
    """The number of UTF-16 units in the first `n_points` code points of a text."""
    head = text[:n_points]
    return len(head) if head.isascii() else len(head.encode("utf-16-le", "surrogatepass")) // 2


def to_points(text: str, n_units: int) -> int:
    """The number of whole code points in the first `n_units` UTF-16 units of a text."""
    places = unit_places(text)
    return min(n_units, len(text)) if places is None else bisect_right(places, n_units) - 1


def continuation_format() -> QTextBlockFormat:
    """The format of a block that continues the line of the previous block."""
    form = QTextBlockFormat()
    form.setProperty(_CONTINUATION, next(_serials))
    return form


def continuation_number(block: QTextBlock) -> int:
    """The serial number in the format of a continuation; 0 for a block that begins a line."""
    return int(block.blockFormat().property(_CONTINUATION) or 0)


def block_cuts(line: str) -> list[int]:
    """The places at which a long line is divided into blocks, in code points.

    They are after white space if possible, and never in a grapheme. Qt gives each block the
    direction of its first letter, so each block begins with a word in the direction of the line.
    """
    is_rtl = is_right_to_left(line)
    cuts: list[int] = []
    start = 0
    while len(line) - start > BLOCK_LIMIT:
        target = start + BLOCK_SIZE
        near = [k for k in range(target, target - _LOOK_BACK, -1) if line[k - 1] in " \t"]
        alike = (k for k in near if is_right_to_left(line[k : k + _LOOK_BACK]) == is_rtl)
        start = next(alike, 0)
        if not start:
            start = near[0] if near else _grapheme_border(line, target)
        cuts.append(start)
    return cuts


def _grapheme_border(line: str, near: int) -> int:
    begin = near - 64
    window = line[begin : near + 64]
    finder = QTextBoundaryFinder(QTextBoundaryFinder.BoundaryType.Grapheme, window)
    finder.setPosition(to_units(window, near - begin))
    if finder.isAtBoundary():
        return near
    units = finder.toPreviousBoundary()
    return begin + to_points(window, units) if units > 0 else near


class EditorText:
    """The text of an editor's document, without the borders between blocks of one line.

    The document belongs to Qt, so it is requested each time: shiboken may mark its object as
    deleted together with that of a parent widget, although both still exist.

    Args:
        editor: the editor.

    Attributes:
        text: the whole text; its lines are separated by LF.
        is_continuation: for each block, whether it continues the line of the previous one.
        starts: the first code point of each block.
        outdated: the blocks whose format disagrees with `is_continuation`.
    """

    def __init__(self, editor: QPlainTextEdit) -> None:
        self._editor = editor
        self.text = ""
        self.is_continuation: list[bool] = [False]
        self.starts: Sequence[int] = [0]
        self.outdated: list[QTextBlock] = []

    @property
    def _document(self) -> QTextDocument:
        return self._editor.document()

    def follow(self, position: int, n_added: int) -> Edit | None:
        """Process a change of the document (`contentsChange`).

        Returns:
            The change of the text; None for none, as when a line was divided into blocks.
        """
        old = self.text
        parts = self._document.toRawText().split("\u2029")
        self._follow_borders(position, n_added, len(parts))
        self._join(parts)
        return self._edit(old, position, n_added)

    def point(self, position: int) -> int:
        """The code point at a position; a block's end is the start of its continuation."""
        block = self._document.findBlock(position)
        if not block.isValid():
            return len(self.text)
        return self.starts[block.blockNumber()] + to_points(
            block.text(), position - block.position()
        )

    def position(self, point: int) -> int:
        """The position of a code point; between two blocks of a line, the start of the second."""
        block = self.block_of(point)
        return block.position() + to_units(block.text(), point - self.starts[block.blockNumber()])

    def block_of(self, point: int) -> QTextBlock:
        """The block that contains a code point."""
        return self._document.findBlockByNumber(max(0, bisect_right(self.starts, point) - 1))

    def paragraph_start(self, number: int) -> int:
        """The first code point of the line that a block belongs to."""
        while number > 0 and self.is_continuation[number]:
            number -= 1
        return self.starts[number]

    def is_continued(self, number: int) -> bool:
        """Whether the line continues in the next block."""
        return number + 1 < len(self.is_continuation) and self.is_continuation[number + 1]

    def has_break(self, block: QTextBlock) -> bool:
        """Whether a line break follows a block."""
        number = block.blockNumber()
        return number + 1 < len(self.is_continuation) and not self.is_continuation[number + 1]

    def longest(self, first: int, last: int) -> int:
        """The length of the longest of some blocks, in code points, with its line break."""
        ends = [*self.starts[first + 1 :], len(self.text) + 1]
        lengths: Iterator[int] = map(sub, ends, self.starts[first : last + 1])
        return max(lengths)

    @property
    def _may_continue(self) -> bool:
        """Whether the document has had the format of a continuation."""
        return any(each.property(_CONTINUATION) for each in self._document.allFormats())

    def _follow_borders(self, position: int, n_added: int, n_blocks: int) -> None:
        document = self._document
        old = self.is_continuation
        first = _number_at(document, position, n_blocks)
        last = max(first, _number_at(document, position + n_added, n_blocks))
        n_after = n_blocks - 1 - last
        if len(old) - n_after < first + 1:
            first = 0
            last = n_blocks - 1
            n_after = 0
        if not self._may_continue:
            # This saves time if a text of very many lines is pasted.
            self.is_continuation = [False] * n_blocks
            self.outdated = []
            return
        # Borders outside the change stay; those inside it follow from the formats.
        block = document.findBlockByNumber(first)
        suspects = [block]
        before = continuation_number(block)
        found = []
        for _ in range(first, last):
            block = block.next()
            mark = continuation_number(block)
            # A split block copies its format; of two with the same number, the second begins a
            # line.
            found.append(mark != 0 and mark != before)
            if mark and not found[-1]:
                suspects.append(block)
            before = mark
        suspects.append(block.next())
        self.is_continuation = [False, *old[1 : first + 1], *found, *old[len(old) - n_after :]]
        self.outdated = [
            block
            for block in suspects
            if block.isValid()
            and bool(continuation_number(block)) != self.is_continuation[block.blockNumber()]
        ]

    def _join(self, parts: list[str]) -> None:
        is_continuation = self.is_continuation
        if any(is_continuation):
            breaks = [_BREAKS[continues] for continues in is_continuation[1:]]
            blocks = list(map(add, parts, [*breaks, ""]))
            text = "".join(blocks)
            self.starts = [0, *accumulate(map(len, blocks[:-1]))]
        else:
            text = "\n".join(parts)
            lengths = [len(part) + 1 for part in parts[:-1]]
            self.starts = [0, *accumulate(lengths)]
        self.text = _whole(text)

    def _edit(self, old: str, position: int, n_added: int) -> Edit | None:
        new = self.text
        if new == old:
            return None
        start = min(self.point(position), len(old))
        n_kept = len(new) - self.point(position + n_added)
        n_kept = max(0, min(n_kept, len(old) - start, len(new) - start))
        if old[:start] != new[:start] or old[len(old) - n_kept :] != new[len(new) - n_kept :]:
            start = 0
            n_kept = 0
        return Edit(start, len(old) - n_kept - start, new[start : len(new) - n_kept])


def _whole(text: str) -> str:
    """The text, with half surrogate pairs replaced by U+FFFD, because they cannot be encoded."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _LONE.sub("\ufffd", text)
    return text


def _number_at(document: QTextDocument, position: int, n_blocks: int) -> int:
    block = document.findBlock(position)
    return block.blockNumber() if block.isValid() else n_blocks - 1
