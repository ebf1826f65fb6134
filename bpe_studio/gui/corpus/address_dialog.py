"""The dialog that asks for an address, a folder or a pattern, which file dialogs cannot choose."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QDialog, QFileDialog, QLabel, QLineEdit, QPushButton, QWidget

from bpe_studio.gui.widgets.containers import GROUP_PX, STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import enable, finish_controls, named
from bpe_studio.gui.widgets.form_dialog import FORM_MARGINS, accept_or_cancel, begin_form
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.gui.widgets.window_settings import WindowSettings

_WIDTH_EM = 36
_TIP = "Opens all text files there as one corpus"
_HELP = (
    "A folder, such as /home/me/texts\n"
    "A pattern, such as /home/me/texts/**/*.txt\n"
    "An address, such as https://host/corpus.jsonl.gz, s3://bucket/folder or "
    "hf://datasets/owner/name/data.parquet; "
    "addresses need the package fsspec"
)


class AddressDialog(QDialog):
    """Asks for the place of the texts.

    Args:
        memory: knows the folder that was chosen last.

    Signals:
        chosen: list of one str, the address, folder or pattern.
    """

    chosen = Signal(object)

    def __init__(self, memory: WindowSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._memory = memory
        begin_form(self, "open_address", "Open an address or a folder")
        label = QLabel("&Address, folder or pattern", self)
        self.address = named(
            QLineEdit(self), "open_address.address", "Address, folder or pattern", _HELP
        )
        self.address.setClearButtonEnabled(True)
        label.setBuddy(self.address)
        self.folder = named(
            QPushButton("&Folder…", self), "open_address.folder", "Folder", "Chooses a folder"
        )
        self.folder.setAutoDefault(False)
        note = named(Note(_HELP, "help", self), "open_address.help")
        buttons, self.open_it = accept_or_cancel(
            self, "open", "&Open", _TIP, cancel_tip="Opens nothing (Esc)"
        )
        layout = column(
            label,
            row((self.address, 1), self.folder),
            TIGHT_PX,
            note,
            STRETCH,
            GROUP_PX,
            buttons,
            parent=self,
            margins=FORM_MARGINS,
            spacing=TIGHT_PX,
        )
        self.address.textChanged.connect(self._refresh)
        self.folder.clicked.connect(self._on_folder)
        self.open_it.clicked.connect(self._on_open)
        finish_controls(self)
        width = _WIDTH_EM * self.fontMetrics().height()
        self.setMinimumWidth(width)
        self.resize(width, layout.totalHeightForWidth(width))  # the help is wrapped
        self.address.setFocus()
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        why_not = "" if self.address.text().strip() else "type an address or choose a folder"
        enable(self.open_it, _TIP, why_not)

    @Slot()
    def _on_folder(self) -> None:
        path = QFileDialog.getExistingDirectory(self, "Open a folder of texts", self._memory.folder)
        if path:
            self._memory.folder = path
            self.address.setText(path)

    @Slot()
    def _on_open(self) -> None:
        text = os.path.expanduser(self.address.text().strip())
        if text:
            self.accept()
            self.chosen.emit([text])
