"""The report on a saved tokenizer: what was carried over, and how it cuts the corpus's words."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from bpe_studio.explain.names import visible_white_space
from bpe_studio.explain.wording import plural
from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, SPACING_PX, STRETCH, column
from bpe_studio.gui.widgets.controls import finish_controls, named
from bpe_studio.gui.widgets.labels import Note, ReadingLabel

if TYPE_CHECKING:
    from bpe_studio.explain.export_report import ExportReport, Tokens

_WIDTH_EM = 40
_NOT_ENCODED = "cannot be encoded"


def copy_path(path: Path) -> None:
    """Put the path of what was saved on the clipboard."""
    QGuiApplication.clipboard().setText(str(path))


def show_folder(path: Path) -> None:
    """Open the folder of what was saved in the file manager of the desktop."""
    folder = path if path.is_dir() else path.parent
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


class ReportDialog(QDialog):
    """Shows a report; it changes nothing."""

    def __init__(self, report: ExportReport, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("export_report")
        self.setWindowTitle("The saved tokenizer")
        path = Path(report.path)
        facts = QGridLayout()
        facts.setHorizontalSpacing(GROUP_PX)
        facts.setVerticalSpacing(SPACING_PX)
        facts.setColumnStretch(1, 1)
        lines = (
            ("place", "Saved to", str(path)),
            ("format", "Format", report.description),
            ("kept", "Keeps", f"{report.keeps[:1].upper()}{report.keeps[1:]}"),
            ("dropped", "Leaves out", report.drops[:1].upper() + report.drops[1:] or "Nothing"),
            ("words", "Words of the corpus", report.sentence),
        )
        for number, (name, title, text) in enumerate(lines):
            label = ReadingLabel(f"export_report.{name}", title, self)
            label.set_message(text)
            facts.addWidget(Note(title), number, 0, Qt.AlignmentFlag.AlignTop)
            facts.addWidget(label, number, 1)
            facts.setColumnMinimumWidth(
                0, max(facts.columnMinimumWidth(0), Note(title).sizeHint().width() + 8)
            )
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, parent=self)
        for name, text, act in (
            ("copy", "Copy path", copy_path),
            ("folder", "Show folder", show_folder),
        ):
            button = named(QPushButton(text), f"export_report.{name}")
            button.setAutoDefault(False)
            button.clicked.connect(partial(_act, act, path))
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        close = buttons.button(QDialogButtonBox.StandardButton.Close)
        named(close, "export_report.close", "", "Closes the report (Esc)").setDefault(True)
        buttons.rejected.connect(self.reject)
        examples = report.comparison.examples
        table = [(self._table(report), 1)] if examples else [STRETCH]
        margins = (GROUP_PX, GROUP_PX, GROUP_PX, MARGIN_PX)
        whole = column(facts, GROUP_PX, *table, GROUP_PX, buttons, parent=self, margins=margins)
        finish_controls(self)
        em = self.fontMetrics().height()
        height = 28 * em if examples else whole.heightForWidth(_WIDTH_EM * em)
        self.resize(_WIDTH_EM * em, height)

    def _table(self, report: ExportReport) -> QTableWidget:
        examples = report.comparison.examples
        table = named(
            QTableWidget(len(examples), 3, self),
            "export_report.differences",
            "Words with different tokens",
        )
        table.setToolTip(f"The first {plural(len(examples), 'word')} with different tokens")
        table.setHorizontalHeaderLabels(["word", "tokens in the run", "tokens of the file"])
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.verticalHeader().hide()
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for row, each in enumerate(examples):
            for place, text in enumerate(
                (visible_white_space(each.word), _words(each.before), _words(each.after))
            ):
                table.setItem(row, place, QTableWidgetItem(text))
        return table


def _words(tokens: Tokens) -> str:
    return _NOT_ENCODED if tokens is None else " · ".join(tokens)


def _act(act: object, path: Path, checked: bool = False) -> None:
    assert callable(act)
    act(path)
