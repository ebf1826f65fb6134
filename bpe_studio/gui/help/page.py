"""One page of the manual, drawn by Qt from its Markdown; links lead to other pages and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtGui import (
    QBrush,
    QDesktopServices,
    QImage,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QWidget

from bpe_studio.files.manual import heading_anchor
from bpe_studio.gui.background.scheduling import Debouncer
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook

LINE_PERCENT = 130
CELL_PX = 6
PARAGRAPH_PX = 8
MOST_HITS = 500
REST_MS = 100


def page_name(url: QUrl) -> str:
    """The name of the page at an address."""
    return Path(url.path()).stem


class ManualPage(FollowsLook, QTextBrowser):
    """The page; `sourceChanged` says that another one is shown.

    Args:
        folder: where the pages and their pictures are.
    """

    def __init__(self, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._wanted = ""
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(20)
        self.anchorClicked.connect(self._on_link)
        self.sourceChanged.connect(self._on_shown)
        self._room = Debouncer(REST_MS, self)
        self._room.timeout.connect(self._load_again)
        self.follow_look(fit_now=False)

    def show_page(self, name: str, anchor: str = "") -> None:
        """Show a page by the name of its file, from a heading on if an anchor is given."""
        url = QUrl.fromLocalFile(str(self._folder / f"{name}.md"))
        url.setFragment(anchor)
        self.setSource(url)

    @property
    def name(self) -> str:
        """The name of the page that is shown."""
        return page_name(self.source())

    def show_term(self, term: str) -> None:
        """Bring the row of the glossary that begins with a term to the top."""
        block = self.document().begin()
        while block.isValid():
            if block.text() == term:
                self._bring_to_top(block)
                self.setExtraSelections([self._marked(QTextCursor(block), len(term))])
                return
            block = block.next()

    def mark(self, text: str) -> int:
        """Mark a text wherever the page has it, and go to the first place.

        Returns how often it occurs.
        """
        self._wanted = text
        marks: list[QTextEdit.ExtraSelection] = []
        found = self.document().find(text) if text else QTextCursor()
        while not found.isNull() and len(marks) < MOST_HITS:
            marks.append(self._marked(found))
            found = self.document().find(text, found)
        self.setExtraSelections(marks)
        if marks:
            cursor = QTextCursor(marks[0].cursor)
            cursor.clearSelection()
            self.setTextCursor(cursor)
        return len(marks)

    def _marked(self, cursor: QTextCursor, length: int = 0) -> QTextEdit.ExtraSelection:
        if length:
            cursor.movePosition(
                QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor, length
            )
        mark = QTextEdit.ExtraSelection()
        mark.cursor = cursor
        mark.format.setBackground(theme.with_alpha(theme.accent(self.palette()), 0.35))
        return mark

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        if kind == QTextDocument.ResourceType.ImageResource.value:
            image = QImage(str(self._folder / Path(QUrl(name).path()).name))
            # The scroll bar is not there while the page is loaded.
            bar = self.verticalScrollBar().sizeHint().width()
            room = self.width() - bar - 2 * int(self.document().documentMargin()) - 2 * PARAGRAPH_PX
            return image.scaledToWidth(
                max(100, min(image.width(), room)), Qt.TransformationMode.SmoothTransformation
            )
        found = super().loadResource(kind, name)
        if kind == QTextDocument.ResourceType.MarkdownResource.value:
            # In code in a table, GitHub needs the backslash and Qt shows it.
            return found.replace(rb"\|", b"|")
        return found

    @Slot(QUrl)
    def _on_link(self, url: QUrl) -> None:
        target = self.source().resolved(url)
        path = Path(target.toLocalFile())
        if (
            target.isLocalFile()
            and path.suffix == ".md"
            and path.parent == self._folder
            and path.is_file()
        ):
            self.setSource(target)
        else:
            QDesktopServices.openUrl(target)

    @Slot(QUrl)
    def _on_shown(self, url: QUrl) -> None:
        self._shape()
        if self._wanted:
            self.mark(self._wanted)
        elif url.fragment():
            self._go_to_heading(url.fragment())

    def _go_to_heading(self, anchor: str) -> None:
        block = self.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and heading_anchor(block.text()) == anchor:
                self._bring_to_top(block)
                return
            block = block.next()

    def _bring_to_top(self, block: QTextBlock) -> None:
        self.setTextCursor(QTextCursor(block))
        top = self.document().documentLayout().blockBoundingRect(block).top()
        self.verticalScrollBar().setValue(int(top) - PARAGRAPH_PX)

    def _shape(self) -> None:
        """Set the lines further apart, and draw the lines of tables."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().begin()
        while block.isValid():
            form = block.blockFormat()
            if form.headingLevel():
                form.setTopMargin(3 * PARAGRAPH_PX)
            if form.nonBreakableLines():  # code, whose background has no gaps between lines
                form.setBackground(self.palette().color(QPalette.ColorRole.AlternateBase))
            else:
                form.setLineHeight(
                    LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
                )
            cursor.setPosition(block.position())
            cursor.setBlockFormat(form)
            block = block.next()
        cursor.endEditBlock()
        for frame in self.document().rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                table = frame.format().toTableFormat()
                table.setBorderCollapse(True)
                table.setBorder(1)
                table.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
                table.setBorderBrush(QBrush(self.palette().color(QPalette.ColorRole.Mid)))
                table.setCellPadding(CELL_PX)
                table.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
                frame.setFormat(table)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._room.restart()  # pictures are as wide as the page

    def palette_changed(self) -> None:
        self._load_again()

    def font_changed(self) -> None:
        self._load_again()

    @Slot()
    def _load_again(self) -> None:
        if not self.source().isEmpty():
            at = self.verticalScrollBar().value()
            self.reload()
            self._shape()
            if self._wanted:
                self.mark(self._wanted)
            self.verticalScrollBar().setValue(at)
