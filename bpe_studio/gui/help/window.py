"""The window Help: the pages of the manual, a search through all of them, and the page that is
shown.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Slot
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QWidget

from bpe_studio.files.manual import GLOSSARY, list_pages, manual_folder
from bpe_studio.gui.help.page import ManualPage, page_name
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, column, divided, row
from bpe_studio.gui.widgets.controls import arrow_button, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import size_within
from bpe_studio.gui.widgets.labels import AccessibleLabel

LIST_EM = 14
_NAME = Qt.ItemDataRole.UserRole


class HelpWindow(QDialog):
    """Lets its parent go on; Esc closes it."""

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
        self.page = named(ManualPage(manual_folder()), "help.page", "Page of the manual")
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
            self.page.show_page(
                name if name in self._pages else next(iter(self._pages), ""), anchor
            )
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
        self.n_found.setText(
            "" if not wanted else f"{len(found)} of {len(self._pages)} pages contain this"
        )
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
        self._select(page_name(url))

    def _select(self, name: str) -> None:
        names = [self.pages.item(place).data(_NAME) for place in range(self.pages.count())]
        self.pages.blockSignals(True)
        self.pages.setCurrentRow(names.index(name) if name in names else -1)
        self.pages.blockSignals(False)
