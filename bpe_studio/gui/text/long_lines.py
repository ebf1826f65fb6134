"""Long-line blocks: edits that keep a document's blocks short by continuing a long line in further blocks.

Which blocks continue a line is recorded by `gui.tokens.qt_positions.EditorText`. Each cut happens inside the edit that
made it necessary, so that one undo takes both back.
"""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor

from bpe_studio.gui.tokens.qt_positions import BLOCK_LIMIT, EditorText, block_cuts, continuation_format, to_units


def insert_text(cursor: QTextCursor, text: str) -> None:
    """Put a text in the place of the selection, long lines cut as they come in: to lay them out whole takes long."""
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    first = cursor.block()
    cursor.insertText(text)
    last = cursor.block()
    if max(map(len, text.split("\n"))) + first.length() + last.length() > BLOCK_LIMIT:
        cut_blocks(first, last)
    cursor.endEditBlock()


def cut_blocks(first: QTextBlock, last: QTextBlock) -> None:
    """Cut the blocks from first to last that have grown too long."""
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
        for cut in reversed(block_cuts(line)):
            cursor.setPosition(start + to_units(line, cut))
            cursor.insertBlock(continuation_format())


def normalize_blocks(record: EditorText, first: QTextBlock, last: QTextBlock) -> bool:
    """Bring formats in line with the record, and cut what has grown too long, as part of the edit before.

    Returns:
        Whether there was anything to do.
    """
    blocks = [block for block in record.outdated if block.isValid()]
    record.outdated = []
    is_long = _any_long(first, last)
    if not blocks and not is_long:
        return False
    cursor = QTextCursor(first)
    cursor.joinPreviousEditBlock()
    for block in blocks:
        is_continuation = record.is_continuation[block.blockNumber()]
        QTextCursor(block).setBlockFormat(continuation_format() if is_continuation else QTextBlockFormat())
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
    # A block's length is in UTF-16 units and counts its end; the text is only asked for where it may matter.
    return block.length() > BLOCK_LIMIT + 1 and len(block.text()) > BLOCK_LIMIT
