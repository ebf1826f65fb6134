"""The dialog that asks for a tokenizer: a known one, one on Hugging Face, a file or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QBrush, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from bpe_studio.explain.wording import number
from bpe_studio.files.extras import install_command
from bpe_studio.files.third_party import hub
from bpe_studio.files.third_party.known import KnownTokenizer, known_tokenizers
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, TIGHT_PX, column
from bpe_studio.gui.widgets.controls import enable, finish_controls, named
from bpe_studio.gui.widgets.file_dialogs import ask_for_tokenizer
from bpe_studio.gui.widgets.form_dialog import (
    FORM_MARGINS,
    accept_or_cancel,
    begin_form,
    size_within,
)
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.window_settings import WindowSettings

_WIDTH_EM = 48
_HEIGHT_EM = 34
_ROW_PX = 36
_HEADINGS = {True: "On this computer", False: "On Hugging Face, fetched once and then kept"}
_KEPT = "Opens it from this computer."
_FETCHED = "Downloads a few megabytes from Hugging Face and keeps them on this computer."
_NOT_INSTALLED = (
    "Fetching needs a package: run {}. Or download the tokenizer.json of {} and choose File…"
)
_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class _Rows(QStyledItemDelegate):
    """Rows that are high enough to click easily."""

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        size = super().sizeHint(option, index)
        return QSize(size.width() + MARGIN_PX, max(_ROW_PX, size.height() + MARGIN_PX))


class TokenizerDialog(QDialog):
    """Asks for a tokenizer.

    Args:
        title: the title of the dialog.
        opens: the text of the button, with a mnemonic.
        memory: knows the folder that was chosen last.

    Signals:
        chosen: list of one Path, which opens the tokenizer.
    """

    chosen = Signal(object)

    def __init__(
        self, title: str, opens: str, memory: WindowSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._memory = memory
        self._known: list[KnownTokenizer] = []
        self._tip = "Opens the chosen tokenizer (Enter)"
        begin_form(self, "tokenizer", title)
        self.filter = named(
            QLineEdit(self),
            "tokenizer.filter",
            "Name",
            "Shows the tokenizers with this in their name; OWNER/NAME is any model on Hugging Face",
        )
        self.filter.setPlaceholderText("Name, or OWNER/NAME on Hugging Face")
        self.filter.setClearButtonEnabled(True)
        self.list = self._made_list()
        self.about = named(
            Note("Looking for tokenizers on this computer…", "help", self), "tokenizer.about"
        )
        buttons, self.open_it = accept_or_cancel(
            self, "open", opens, self._tip, cancel_tip="Opens nothing (Esc)"
        )
        self.file = self._button(
            buttons, "&File…", "file", "Chooses a file: tokenizer.json, .model, .tiktoken, …"
        )
        self.folder = self._button(
            buttons, "F&older…", "folder", "Chooses a folder with the files of a tokenizer"
        )
        column(
            self.filter,
            (self.list, 1),
            self.about,
            SPACING_PX,
            buttons,
            parent=self,
            margins=FORM_MARGINS,
            spacing=TIGHT_PX,
        )
        self.filter.textChanged.connect(self._fill)
        self.list.currentItemChanged.connect(self._refresh)
        self.list.itemDoubleClicked.connect(self._on_open)
        self.open_it.clicked.connect(self._on_open)
        self.file.clicked.connect(self._on_file)
        self.folder.clicked.connect(self._on_folder)
        finish_controls(self)
        self.resize(self.sizeHint())
        self.filter.setFocus()
        self._refresh()
        self._looking = LatestAnswer(known_tokenizers, self)  # a cache may be on a slow disk
        self._looking.answered.connect(self._on_known)
        self._looking.ask()

    def sizeHint(self) -> QSize:
        return size_within(self, _WIDTH_EM, _HEIGHT_EM)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pass the arrow and page keys to the list while a name is typed."""
        if event.key() in _KEYS and self.filter.hasFocus():
            # Sent directly, because Qt would return an event that the list ignores to the dialog.
            self.list.event(event)
        else:
            super().keyPressEvent(event)

    @property
    def place(self) -> str:
        """The place of the chosen tokenizer; "" for none."""
        item = self.list.currentItem()
        return "" if item is None else str(item.data(0, Qt.ItemDataRole.UserRole) or "")

    def _made_list(self) -> QTreeWidget:
        found = named(QTreeWidget(self), "tokenizer.known", "Known tokenizers")
        found.setColumnCount(4)
        found.setHeaderHidden(True)
        found.setRootIsDecorated(False)
        found.setIndentation(0)
        found.setUniformRowHeights(True)
        found.setAllColumnsShowFocus(True)
        found.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        found.setItemDelegate(_Rows(found))
        found.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        found.header().setStretchLastSection(True)
        return found

    def _button(self, buttons: QDialogButtonBox, text: str, key: str, tip: str) -> QPushButton:
        button = buttons.addButton(text, QDialogButtonBox.ButtonRole.ResetRole)
        named(button, f"tokenizer.{key}", text.replace("&", ""), tip).setAutoDefault(False)
        return button

    @Slot(object)
    def _on_known(self, known: list[KnownTokenizer]) -> None:
        self._known = known
        self._fill()

    @Slot()
    def _fill(self) -> None:
        """Show the tokenizers that match the typed text, and the model on Hugging Face of that
        name.
        """
        typed = self.filter.text().strip()
        words = typed.lower().removeprefix(hub.PREFIX).split()
        shown = []
        for each in self._known:
            searched = f"{each.name} {each.source}".lower()
            if all(word in searched for word in words):
                shown.append(each)
        name = typed.removeprefix(hub.PREFIX)
        if "/" in name and not any(each.source == name for each in shown):
            shown.append(KnownTokenizer(name, hub.PREFIX + name, name))
        self.list.clear()
        for is_kept, heading in _HEADINGS.items():
            some = [each for each in shown if each.is_kept == is_kept]
            if some:
                self._add_heading(heading)
            for each in some:
                about = [each.source] if each.source != each.name else []
                if each.remark:
                    about.append(each.remark)
                size = f"about {number(1000 * each.thousands)} tokens" if each.thousands else ""
                texts = [each.name, size, each.languages, ", ".join(about)]
                item = QTreeWidgetItem(self.list, texts)
                item.setData(0, Qt.ItemDataRole.UserRole, each.place)
                for column_of_list in range(self.list.columnCount()):
                    item.setToolTip(column_of_list, each.place)
                    if column_of_list:
                        item.setForeground(column_of_list, QBrush(theme.muted(self.palette())))
                if self.list.currentItem() is None:
                    self.list.setCurrentItem(item)
        self._refresh()

    def _add_heading(self, text: str) -> None:
        item = QTreeWidgetItem(self.list, [text])
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        item.setFirstColumnSpanned(True)
        item.setForeground(0, QBrush(theme.muted(self.palette())))
        font = item.font(0)
        font.setBold(True)
        item.setFont(0, font)

    @Slot()
    def _refresh(self) -> None:
        place = self.place
        is_fetched = hub.is_address(place)
        can_fetch = not is_fetched or hub.is_installed()
        why_not = ""
        if not place:
            why_not = "choose one from the list"
        elif not can_fetch:
            why_not = "install the package"
        enable(self.open_it, self._tip, why_not)
        if place:
            about = _FETCHED if is_fetched else _KEPT
            if not can_fetch:
                command = install_command("huggingface_hub")
                about = _NOT_INSTALLED.format(command, hub.repository_of(place))
            self.about.set_message(about)
        elif self._known:
            self.about.set_message(
                "No match. Type the OWNER/NAME of a model on Hugging Face, or choose File…"
            )

    @Slot()
    def _on_open(self) -> None:
        if self.open_it.isEnabled() and self.place:
            self._take(Path(self.place))

    @Slot()
    def _on_file(self) -> None:
        self._take(ask_for_tokenizer(self, self._memory, is_folder=False))

    @Slot()
    def _on_folder(self) -> None:
        self._take(ask_for_tokenizer(self, self._memory, is_folder=True))

    def _take(self, path: Path | None) -> None:
        if path is not None:
            self.accept()
            self.chosen.emit([path])
