"""Every shortcut of the window in one list, and what this program is."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from PySide6.QtGui import QAction, QFont, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QLabel,
    QTextBrowser,
    QWidget,
)

import bpe_studio
from bpe_studio.gui.shell.actions import TABLE
from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.form_dialog import size_within

_MARGINS = (20, GROUP_PX, 20, GROUP_PX)
EXTRA = (
    ("Type a tab", "Ctrl+Tab", "in the typed text, where Tab moves to the next control"),
    ("Step, by one", "← →", "while the timeline has the keyboard focus"),
    ("Step, by a twentieth", "Page Up, Page Down", "while the timeline has the keyboard focus"),
    ("Answer a question", "1 … 9", "in a lesson, where there are answers to choose from"),
    ("Guess a pair", "1 … 4", "in the game; with Shift a hint"),
)


class ShortcutsDialog(QDialog):
    """A plain table; it does not stop the window."""

    def __init__(self, actions: Mapping[str, QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shortcuts")
        self.setWindowTitle("Keyboard shortcuts")
        # By the table: an action may be called by what it would do now.
        rows = [
            (row.text.replace("&", ""), _keys(actions[row.id]), row.tip)
            for row in TABLE
            if row.shortcuts
        ]
        lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in (*rows, *EXTRA))
        table = named(QTextBrowser(self), "shortcuts.area", "Keyboard shortcuts")
        table.setHtml(
            f"<table cellpadding=4>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"
        )
        table.setFrameShape(QFrame.Shape.NoFrame)
        closing = _closing(self)
        column(table, closing, parent=self, spacing=GROUP_PX, margins=_MARGINS)
        closing.button(QDialogButtonBox.StandardButton.Close).setFocus()
        self.resize(size_within(self, 50, 40))


class AboutDialog(QDialog):
    """The name, the version and one sentence."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("about")
        self.setWindowTitle("About BPE Studio")
        name = QLabel(f"BPE Studio {bpe_studio.__version__}")
        font = name.font()
        font.setPointSizeF(font.pointSizeF() * 1.5)
        font.setWeight(QFont.Weight.DemiBold)
        name.setFont(font)
        about = QLabel(
            "Trains a byte-pair-encoding tokenizer on your own text, merge by merge and in full"
            " view, and saves it in the formats that other tools read. MIT licence."
        )
        about.setWordWrap(True)
        about.setMinimumWidth(380)
        column(name, about, _closing(self), parent=self, spacing=MARGIN_PX, margins=_MARGINS)


def _keys(action: QAction) -> str:
    shown = [keys.toString(QKeySequence.SequenceFormat.NativeText) for keys in action.shortcuts()]
    return " or ".join(shown)


def _closing(dialog: QDialog) -> QDialogButtonBox:
    buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    buttons.rejected.connect(dialog.reject)
    dialog.finished.connect(dialog.deleteLater)
    return buttons
