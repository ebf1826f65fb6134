"""An editor of plain text that stays responsive in a line of a hundred thousand characters.

`PlainEditor` stores a long line in several blocks, without visible effect: copying, deleting,
cursor keys and `text()` work as if it were one block. If a pasted text has characters that Qt
cannot store, it replaces them and emits a notice. Unlike QPlainTextEdit, it aligns right-to-left
paragraphs to the right. It knows no tokens.
"""

from __future__ import annotations

from itertools import accumulate, pairwise

from PySide6.QtCore import QMimeData, Qt, Signal, Slot
from PySide6.QtGui import (
    QInputMethodEvent,
    QKeyEvent,
    QKeySequence,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from bpe_studio.gui.text.layer import GappedLayout
from bpe_studio.gui.tokens.qt_positions import (
    BLOCK_LIMIT,
    Edit,
    EditorText,
    block_cuts,
    continuation_format,
    sanitize,
    to_units,
)

MOST_CHARACTERS = 1_000_000
MOST_LINES = 50_000
"""The window waits while Qt pastes lines, which takes a microsecond or two each."""
_LARGER = 1.4
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignAbsolute
_BACKWARD = (
    QKeySequence.StandardKey.Backspace,
    QKeySequence.StandardKey.DeleteStartOfWord,
)
_FORWARD = (
    QKeySequence.StandardKey.Delete,
    QKeySequence.StandardKey.DeleteEndOfWord,
    QKeySequence.StandardKey.DeleteEndOfLine,
)

_PLACES_THE_CURSOR = frozenset(
    {
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
    }
)
_DELETES = frozenset({Qt.Key.Key_Backspace, Qt.Key.Key_Delete})
_ENDS_A_LINE = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class PlainEditor(QPlainTextEdit):
    """An editor that continues long lines in further blocks.

    Attributes:
        lines: the layout of its document.
        most_characters: the most characters of a text that it takes.

    Signals:
        text_edited: Edit, each change of the text.
        typed: the text was changed, but not by `set_text`.
        noticed: str, the characters of a pasted text that were replaced, or "".
    """

    most_characters = MOST_CHARACTERS

    text_edited = Signal(object)
    typed = Signal()
    noticed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_set = False
        document = QTextDocument(self)
        self.lines = GappedLayout(document)
        document.setDocumentLayout(self.lines)
        self.setDocument(document)
        option = document.defaultTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document.setDefaultTextOption(option)
        document.setDocumentMargin(8)
        # Tab moves the focus; Ctrl+Tab types a tab.
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        font = self.font()
        if font.pointSizeF() > 0:
            font.setPointSizeF(font.pointSizeF() * _LARGER)
            self.setFont(font)
        self.record = EditorText(self)
        self._changed = (0, 0)
        self._edits: list[Edit] = []
        self._is_normalizing = False
        self._is_replaced_by_typing = False
        document.contentsChange.connect(self._on_contents_change)
        document.contentsChanged.connect(self._on_contents_changed)

    def set_gap(self, gap: float) -> None:
        """Leave room below each line."""
        if gap != self.lines.gap:
            self.lines.gap = gap
            # Changing the wrap mode makes Qt lay out the text again.
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
            self.ensureCursorVisible()

    def text(self) -> str:
        """The whole text."""
        return self.record.text

    def toPlainText(self) -> str:
        return self.record.text

    def set_text(self, text: str) -> None:
        """Replace the text and clear the undo stack."""
        document = self.document()
        self._is_set = True
        document.setUndoRedoEnabled(False)
        cursor = QTextCursor(document)
        cursor.select(QTextCursor.SelectionType.Document)
        insert_text(cursor, self._sanitized(text))
        document.setUndoRedoEnabled(True)
        self._is_set = False
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def setPlainText(self, text: str) -> None:
        self.set_text(text)

    def insertPlainText(self, text: str) -> None:
        insert_text(self.textCursor(), self._sanitized(text))
        self.ensureCursorVisible()

    def replace_all(self, text: str) -> None:
        """Replace the whole text; this can be undone."""
        cursor = self.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        insert_text(cursor, self._sanitized(text))
        self.moveCursor(QTextCursor.MoveOperation.Start)

    def set_replaced_by_typing(self, is_replaced: bool) -> None:
        """Make the first key or paste replace the whole text.

        If the user has selected a part of it, or moved the cursor with a key, the text is edited
        instead.
        """
        self._is_replaced_by_typing = is_replaced

    def _select_what_typing_replaces(self) -> None:
        if self._is_replaced_by_typing:
            self._is_replaced_by_typing = False
            if not self.textCursor().hasSelection():
                self.selectAll()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        if event.commitString() or event.preeditString():
            self._select_what_typing_replaces()
        super().inputMethodEvent(event)

    def align(self, block: QTextBlock) -> None:
        """Align a right-to-left block to the right; Qt resets this when it lays the block out."""
        if block.textDirection() == Qt.LayoutDirection.RightToLeft:
            layout = block.layout()
            option = layout.textOption()
            if option.alignment() != _RIGHT:
                option.setAlignment(_RIGHT)
                layout.setTextOption(option)

    def update_blocks(self, first: QTextBlock, last: QTextBlock) -> None:
        """Repaint the full width of some blocks."""
        offset = self.contentOffset()
        top = self.blockBoundingGeometry(first).translated(offset).top()
        bottom = self.blockBoundingGeometry(last).translated(offset).bottom()
        view = self.viewport()
        view.update(0, int(top) - 1, view.width(), int(bottom - top) + 3)

    def createMimeDataFromSelection(self) -> QMimeData:
        cursor = self.textCursor()
        data = QMimeData()
        first = self.record.point(cursor.selectionStart())
        last = self.record.point(cursor.selectionEnd())
        data.setText(self.record.text[first:last])
        return data

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        # Dropped files are opened by the window.
        return source.hasText() and not source.hasUrls()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if self.canInsertFromMimeData(source):
            self._select_what_typing_replaces()
            self.insertPlainText(source.text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _PLACES_THE_CURSOR:
            self._is_replaced_by_typing = False
        elif _is_typed(event):
            self._select_what_typing_replaces()
        if event.matches(QKeySequence.StandardKey.InsertLineSeparator):
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
            return
        if (
            event.key() == Qt.Key.Key_Tab
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            if not self.isReadOnly():
                self.insertPlainText("\t")
            return
        cursor = self.textCursor()
        is_backward = event.key() == Qt.Key.Key_Backspace or any(map(event.matches, _BACKWARD))
        is_forward = any(map(event.matches, _FORWARD))
        if not cursor.hasSelection() and not self.isReadOnly():
            if is_backward:
                self._cross(cursor, QTextCursor.MoveOperation.PreviousCharacter)
            elif is_forward:
                self._cross(cursor, QTextCursor.MoveOperation.NextCharacter)
        cursor = self.textCursor()
        types_on = (
            event.text().isprintable() and event.text() and cursor.block().length() >= BLOCK_LIMIT
        )
        joins = (is_backward and cursor.atBlockStart()) or (is_forward and cursor.atBlockEnd())
        if types_on or joins:
            # If this divides a block, one undo must revert both.
            cursor.beginEditBlock()
            super().keyPressEvent(event)
            cursor.endEditBlock()
            self.ensureCursorVisible()
            return
        text = self.record.text
        before = cursor.position()
        super().keyPressEvent(event)
        after = self.textCursor().position()
        is_same_place = text is self.record.text and self.record.point(after) == self.record.point(
            before
        )
        if is_same_place and abs(after - before) == 1:
            # A move from one block of a line to the next is not a move in the text.
            super().keyPressEvent(event)

    def _cross(self, cursor: QTextCursor, move: QTextCursor.MoveOperation) -> None:
        """Move the cursor over the border between two blocks of one line, if it is at one."""
        other = QTextCursor(cursor)
        other.movePosition(move)
        if other.position() != cursor.position() and self.record.point(
            other.position()
        ) == self.record.point(cursor.position()):
            self.setTextCursor(other)

    def _sanitized(self, text: str) -> str:
        sanitized = sanitize(text)
        text = sanitized.text
        notice = sanitized.notice
        if len(text) > self.most_characters:
            text = text[: self.most_characters]
            notice = (
                f"Only the first {self.most_characters:,} characters are shown; open longer texts"
                " as a corpus"
            )
        if text.count("\n") >= MOST_LINES:
            text = "\n".join(text.split("\n", MOST_LINES)[:MOST_LINES])
            notice = f"Only the first {MOST_LINES:,} lines are shown; open longer texts as a corpus"
        self.noticed.emit(notice)
        return text

    @Slot(int, int, int)
    def _on_contents_change(self, position: int, n_removed: int, n_added: int) -> None:
        edit = self.record.follow(position, n_added)
        self._changed = (position, position + n_added)
        if edit is not None:
            self._edits.append(edit)

    @Slot()
    def _on_contents_changed(self) -> None:
        if self._is_normalizing:
            return
        self._normalize()
        first, last = self._changed_blocks()
        self.align(first)
        self.align(last)
        self.update_blocks(first, last)
        edits = self._edits
        self._edits = []
        for edit in edits:
            self.text_edited.emit(edit)
        if edits and not self._is_set:
            self.typed.emit()

    def _normalize(self) -> None:
        # Undone text was normalized when it was edited, and an edit now would clear the redo stack.
        if self.document().isRedoAvailable():
            return
        first, last = self._changed_blocks()
        self._is_normalizing = True
        try:
            while not first.layout().preeditAreaText() and _normalize_blocks(
                self.record, first, last
            ):
                first, last = self._changed_blocks()
        finally:
            self._is_normalizing = False

    def _changed_blocks(self) -> tuple[QTextBlock, QTextBlock]:
        document = self.document()
        first, last = (document.findBlock(place) for place in self._changed)
        end = document.lastBlock()
        if not first.isValid():
            first = end
        if not last.isValid():
            last = end
        return first, last


def _is_typed(event: QKeyEvent) -> bool:
    """Whether a key writes or deletes something."""
    if event.key() in _DELETES | _ENDS_A_LINE:
        return True
    # Ctrl and Alt together are AltGr on some systems.
    held = event.modifiers() & (
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    return (
        bool(event.text())
        and event.text().isprintable()
        and held != Qt.KeyboardModifier.ControlModifier
    )


def insert_text(cursor: QTextCursor, text: str) -> None:
    """Replace the selection by a text, and divide its long lines, which are slow to lay out.

    `EditorText` records the blocks that continue a line. Each division is part of the edit that
    made it necessary, so that one undo reverts both.
    """
    cursor.beginEditBlock()
    cursor.removeSelectedText()
    first = cursor.block()
    cursor.insertText(text)
    last = cursor.block()
    if max(map(len, text.split("\n"))) + first.length() + last.length() > BLOCK_LIMIT:
        _cut_blocks(first, last)
    cursor.endEditBlock()


def _cut_blocks(first: QTextBlock, last: QTextBlock) -> None:
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
        n_units = [to_units(line[begin:end], end - begin) for begin, end in parts]
        for units in reversed(list(accumulate(n_units))):
            cursor.setPosition(start + units)
            cursor.insertBlock(continuation_format())


def _normalize_blocks(record: EditorText, first: QTextBlock, last: QTextBlock) -> bool:
    """Correct formats and divide long blocks, as part of the previous edit.

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
        block_format = continuation_format() if is_continuation else QTextBlockFormat()
        QTextCursor(block).setBlockFormat(block_format)
    if is_long:
        _cut_blocks(first, last)
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
