"""The window Help: the list of the manual's pages, a search through them, and the page shown."""

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
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QTextBrowser,
    QTextEdit,
    QWidget,
)

from bpe_studio.files.manual import GLOSSARY, heading_anchor, list_pages, manual_folder
from bpe_studio.gui.background.scheduling import Debouncer
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, column, divided, row
from bpe_studio.gui.widgets.controls import arrow_button, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import size_within
from bpe_studio.gui.widgets.labels import AccessibleLabel

LIST_EM = 14
_NAME = Qt.ItemDataRole.UserRole


_LINE_PERCENT = 130
_CELL_PX = 6
_PARAGRAPH_PX = 8
_MOST_HITS = 500
_REST_MS = 100


class HelpWindow(QDialog):
    """The window Help. The main window can be used while it is open; Esc closes it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("help")
        self.setWindowTitle("Help")
        self.setWindowFlag(Qt.WindowType.WindowMaximizeButtonHint)
        self._pages = {page.name: page for page in list_pages()}
        self._build()
        self.search.textChanged.connect(self._on_searched)
        self.search.returnPressed.connect(self._open_first)
        self.pages.currentItemChanged.connect(self._on_chosen)
        self.page.sourceChanged.connect(self._on_shown)
        self.resize(size_within(self, 60, 40))
        self._on_searched("")

    def _build(self) -> None:
        self.search = named(
            QLineEdit(),
            "help.search",
            "Search the manual",
            "Lists the pages that contain this text",
        )
        self.search.setPlaceholderText("Search the manual")
        self.search.setClearButtonEnabled(True)
        self.pages = named(QListWidget(), "help.pages", "Pages of the manual")
        self.pages.setSpacing(2)
        self.n_found = named(AccessibleLabel(), "help.n_found", "Pages found")
        self.page = named(_ManualPage(manual_folder()), "help.page", "Page of the manual")
        self.back = arrow_button(
            "help.back", Qt.ArrowType.LeftArrow, "Goes back to the previous page", self
        )
        self.forward = arrow_button(
            "help.forward", Qt.ArrowType.RightArrow, "Goes forward to the next page", self
        )
        self.back.clicked.connect(self.page.backward)
        self.forward.clicked.connect(self.page.forward)
        self.page.backwardAvailable.connect(self.back.setEnabled)
        self.page.forwardAvailable.connect(self.forward.setEnabled)
        self.back.setEnabled(False)
        self.forward.setEnabled(False)
        left = QWidget()
        right = QWidget()
        column(self.search, self.n_found, self.pages, parent=left, spacing=SPACING_PX)
        column(
            row(self.back, self.forward, STRETCH), (self.page, 1), parent=right, spacing=SPACING_PX
        )
        parts = divided(Qt.Orientation.Horizontal, (left, 0), (right, 1))
        em = self.fontMetrics().height()
        parts.setSizes([LIST_EM * em, 3 * LIST_EM * em])
        column(parts, parent=self, margins=GROUP_PX)
        finish_controls(self)

    def show_page(self, name: str = "", anchor: str = "") -> None:
        """Show a page, or the one that was shown last, and come to the front."""
        if name in self._pages or self.page.source().isEmpty():
            shown = name if name in self._pages else next(iter(self._pages), "")
            self.page.show_page(shown, anchor)
        self.show()
        self.raise_()
        self.activateWindow()

    def show_term(self, term: str) -> None:
        """Show a term of the glossary."""
        self.search.clear()
        self.show_page(GLOSSARY)
        self.page.show_term(term)

    @Slot(str)
    def _on_searched(self, text: str) -> None:
        wanted = text.strip().casefold()
        found = [page for page in self._pages.values() if wanted in page.text.casefold()]
        self.pages.blockSignals(True)
        self.pages.clear()
        for page in found:
            item = QListWidgetItem(page.title)
            item.setData(_NAME, page.name)
            self.pages.addItem(item)
        self.pages.blockSignals(False)
        said = "" if not wanted else f"{len(found)} of {len(self._pages)} pages contain this text"
        self.n_found.setText(said)
        self.n_found.setVisible(bool(wanted))
        self._select(self.page.name)
        self.page.mark(text.strip())

    @Slot()
    def _open_first(self) -> None:
        if self.pages.currentRow() < 0 and self.pages.count():
            self.pages.setCurrentRow(0)

    @Slot(QListWidgetItem, QListWidgetItem)
    def _on_chosen(self, item: QListWidgetItem | None, before: QListWidgetItem | None) -> None:
        if item is not None and item.data(_NAME) != self.page.name:
            self.page.show_page(item.data(_NAME))

    @Slot(QUrl)
    def _on_shown(self, url: QUrl) -> None:
        # The page itself is told later.
        self._select(_page_name(url))

    def _select(self, name: str) -> None:
        names = [self.pages.item(k).data(_NAME) for k in range(self.pages.count())]
        self.pages.blockSignals(True)
        place = names.index(name) if name in names else -1
        self.pages.setCurrentRow(place)
        self.pages.blockSignals(False)


def _page_name(url: QUrl) -> str:
    return Path(url.path()).stem


class _ManualPage(FollowsLook, QTextBrowser):
    """A page of the manual, drawn by Qt from its Markdown; `sourceChanged` says that another one is
    shown.

    Args:
        folder: the folder with the pages and their pictures.
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
        self._room = Debouncer(_REST_MS, self)
        self._room.timeout.connect(self._load_again)
        self.follow_look(fit_now=False)

    def show_page(self, name: str, anchor: str = "") -> None:
        """Show a page by the name of its file, at a heading if its anchor is given."""
        url = QUrl.fromLocalFile(str(self._folder / f"{name}.md"))
        url.setFragment(anchor)
        self.setSource(url)

    @property
    def name(self) -> str:
        """The name of the page that is shown."""
        return _page_name(self.source())

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
        """Mark every occurrence of a text on the page, go to the first, and return their number."""
        self._wanted = text
        marks: list[QTextEdit.ExtraSelection] = []
        found = self.document().find(text) if text else QTextCursor()
        while not found.isNull() and len(marks) < _MOST_HITS:
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
            # The scroll bar is hidden while the page is being loaded.
            bar = self.verticalScrollBar().sizeHint().width()
            room = (
                self.width() - bar - 2 * int(self.document().documentMargin()) - 2 * _PARAGRAPH_PX
            )
            return image.scaledToWidth(
                max(100, min(image.width(), room)), Qt.TransformationMode.SmoothTransformation
            )
        found = super().loadResource(kind, name)
        if kind == QTextDocument.ResourceType.MarkdownResource.value:
            # In code in a table, GitHub needs the backslash, but Qt would show it.
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
        self.verticalScrollBar().setValue(int(top) - _PARAGRAPH_PX)

    def _shape(self) -> None:
        """Set the lines further apart, and draw the lines of tables."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().begin()
        while block.isValid():
            form = block.blockFormat()
            if form.headingLevel():
                form.setTopMargin(3 * _PARAGRAPH_PX)
            if form.nonBreakableLines():  # code, whose background has no gaps between lines
                form.setBackground(self.palette().color(QPalette.ColorRole.AlternateBase))
            else:
                form.setLineHeight(
                    _LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value
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
                table.setCellPadding(_CELL_PX)
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
