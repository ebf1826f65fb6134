"""Edits that keep a document's blocks short, unseen: long lines are cut at soft borders (see `text_positions`).

All of it happens inside the edit that made it needful, so that one undo takes both back.
"""

from __future__ import annotations

from PySide6.QtGui import QTextBlock, QTextBlockFormat, QTextCursor

from bpe_studio.gui.tokens.qt_positions import SOFT_LIMIT, EditorText, soft_cuts, soft_format, to_units


def insert_text(cursor: QTextCursor, text: str) -> None:
    """Put a text in the place of the selection, long lines cut as they come in: to lay them out whole takes long."""
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    first = cursor.block()
    cursor.insertText(text)
    last = cursor.block()
    if max(map(len, text.split("\n"))) + first.length() + last.length() > SOFT_LIMIT:
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
        for cut in reversed(soft_cuts(line)):
            cursor.setPosition(start + to_units(line, cut))
            cursor.insertBlock(soft_format())


def settle(record: EditorText, first: QTextBlock, last: QTextBlock) -> bool:
    """Bring formats in line with the record, and cut what has grown too long, as part of the edit before.

    Returns:
        Whether there was anything to do.
    """
    blocks = [block for block in record.unsettled if block.isValid()]
    record.unsettled = []
    is_long = _any_long(first, last)
    if not blocks and not is_long:
        return False
    cursor = QTextCursor(first)
    cursor.joinPreviousEditBlock()
    for block in blocks:
        is_soft = record.is_soft[block.blockNumber()]
        QTextCursor(block).setBlockFormat(soft_format() if is_soft else QTextBlockFormat())
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
    return block.length() > SOFT_LIMIT + 1 and len(block.text()) > SOFT_LIMIT
