"""A question before something is lost: what would be lost, and the answers.

Every question of the program is this dialog, so that all look alike on every desktop.
`ask_for_text` asks for a name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QInputDialog, QLabel, QPushButton, QWidget

from bpe_studio.gui.look import icons
from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, SPACING_PX, STRETCH, column, row
from bpe_studio.gui.widgets.controls import finish_controls, named
from bpe_studio.gui.widgets.labels import heading

UNSEEN = ("offscreen", "minimal")
"""The platforms of Qt without a screen, on which no question can be answered."""
_WIDTH_LETTERS = 68


@dataclass(frozen=True)
class Answer:
    """A button of a question.

    Attributes:
        key: the second part of its object name.
        text: its text.
        tip: its tooltip.
        result: the argument of the signal `finished`.
        role: its place among the others.
    """

    key: str
    text: str
    tip: str
    result: int
    role: QDialogButtonBox.ButtonRole


class Question(QDialog):
    """The question, what would be lost, and the answers. The first answer is the default.

    Esc gives `Rejected`.

    Args:
        name: the first part of the object names.
        title: the title of the dialog.
        question: the question, in one line.
        lost: a sentence about the work that would be lost.
        answers: the buttons.

    Attributes:
        buttons: by the keys of the answers.
    """

    def __init__(
        self,
        name: str,
        title: str,
        question: str,
        lost: str,
        answers: Sequence[Answer],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        labels = heading(question, f"{name}.question", self), QLabel(lost, self)
        labels[1].setObjectName(f"{name}.lost")
        for label in labels:
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setWordWrap(True)
        picture = QLabel(self)
        picture.setPixmap(
            icons.pixmap("notice", 32, self.palette().text().color(), self.devicePixelRatioF())
        )
        box = QDialogButtonBox(self)
        self.buttons: dict[str, QPushButton] = {}
        for each in answers:
            accessible = each.text.replace("&", "").rstrip("…")
            button = named(QPushButton(each.text, self), f"{name}.{each.key}", accessible, each.tip)
            button.clicked.connect(partial(self._answer, each.result))
            box.addButton(button, each.role)
            self.buttons[each.key] = button
        first = self.buttons[answers[0].key]
        first.setDefault(True)
        first.setFocus()
        words = column(*labels, STRETCH, spacing=SPACING_PX)
        content = row((picture, 0, Qt.AlignmentFlag.AlignTop), (words, 1), spacing=MARGIN_PX)
        column(content, GROUP_PX, box, parent=self, margins=(20, GROUP_PX, 20, GROUP_PX))
        finish_controls(self)
        self.setMinimumWidth(_WIDTH_LETTERS * self.fontMetrics().averageCharWidth())
        self.setAccessibleDescription(lost)

    def _answer(self, result: int, checked: bool = False) -> None:
        self.done(result)


def ask_for_text(
    parent: QWidget,
    name: str,
    title: str,
    label: str,
    take: Callable[[str], object],
    text: str = "",
) -> QInputDialog:
    """Ask for one line of text.

    Args:
        parent: the widget whose window waits.
        name: the object name of the dialog.
        title: the title of the dialog.
        label: the question, before the field.
        take: called with the text when it is accepted.
        text: the text at first.

    Returns:
        The dialog, which is shown.
    """
    dialog = QInputDialog(parent)
    dialog.setObjectName(name)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    dialog.setTextValue(text)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.textValueSelected.connect(take)
    dialog.open()
    return dialog


def may_replace(path: Path, parent: QWidget | None) -> bool:
    """Ask whether a file may be replaced; yes without asking if there is no file or no screen."""
    if not path.exists() or QGuiApplication.platformName() in UNSEEN:
        return True
    role = QDialogButtonBox.ButtonRole
    answers = (
        Answer(
            "replace",
            "&Replace",
            "Replaces the file",
            QDialog.DialogCode.Accepted.value,
            role.AcceptRole,
        ),
        Answer(
            "cancel",
            "Cancel",
            "Keeps the file (Esc)",
            QDialog.DialogCode.Rejected.value,
            role.RejectRole,
        ),
    )
    lost = f"{path} exists. If you replace it, you lose its content."
    question = Question(
        "replace", "Replace the file", f"Replace {path.name}?", lost, answers, parent
    )
    try:
        return question.exec() == QDialog.DialogCode.Accepted.value
    finally:
        question.deleteLater()
