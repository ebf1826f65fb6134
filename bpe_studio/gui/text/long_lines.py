"""Edits that keep a document's blocks short, by continuing a long line in further blocks.

`gui.tokens.qt_positions.EditorText` records which blocks continue a line. Each division is part of
the edit that made it necessary, so that one undo reverts both.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor

from bpe_studio.gui.tokens.qt_positions import (
    BLOCK_LIMIT,
    EditorText,
    block_cuts,
    continuation_format,
    to_units,
)


def insert_text(cursor: QTextCursor, text: str) -> None:
    """Replace the selection by a text whose long lines are divided first, because laying them out
    is slow.
    """
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    first = cursor.block()
    cursor.insertText(text)
    last = cursor.block()
    if max(map(len, text.split("\n"))) + first.length() + last.length() > BLOCK_LIMIT:
        cut_blocks(first, last)
    cursor.endEditBlock()


def cut_blocks(first: QTextBlock, last: QTextBlock) -> None:
    """Divide the blocks from first to last that are too long."""
    blocks = []
    block = first
    while block.isValid():
        if _is_long(block):
            blocks.append(block)
        if block == last:
            break
        block = block.next()
    for block in reversed(blocks):
        line = block.text()
        start = block.position()
        cursor = QTextCursor(block)
        parts = pairwise([0, *block_cuts(line)])
        for units in reversed(
            list(accumulate(to_units(line[begin:end], end - begin) for begin, end in parts))
        ):
            cursor.setPosition(start + units)
            cursor.insertBlock(continuation_format())


def normalize_blocks(record: EditorText, first: QTextBlock, last: QTextBlock) -> bool:
    """Make formats agree with the record and divide blocks that are too long, as part of the
    previous edit.

    Returns:
        Whether anything was changed.
    """
    blocks = [block for block in record.outdated if block.isValid()]
    record.outdated = []
    is_long = record.longest(first.blockNumber(), last.blockNumber()) > BLOCK_LIMIT and _any_long(
        first, last
    )
    if not blocks and not is_long:
        return False
    cursor = QTextCursor(first)
    cursor.joinPreviousEditBlock()
    for block in blocks:
        is_continuation = record.is_continuation[block.blockNumber()]
        QTextCursor(block).setBlockFormat(
            continuation_format() if is_continuation else QTextBlockFormat()
        )
    if is_long:
        cut_blocks(first, last)
    cursor.endEditBlock()
    return True


def _any_long(first: QTextBlock, last: QTextBlock) -> bool:
    block = first
    while block.isValid():
        if _is_long(block):
            return True
        if block == last:
            return False
        block = block.next()
    return False


def _is_long(block: QTextBlock) -> bool:
    # `length` counts UTF-16 units and the block's end; the text is read only if it may be too long.
    return block.length() > BLOCK_LIMIT + 1 and len(block.text()) > BLOCK_LIMIT
