"""An answer to choose from: a numbered button whose text wraps, and what was found out about it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent, QPalette
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.gui.look.fonts import enlarge
from bpe_studio.gui.widgets.containers import column, row

RIGHT = "✓"
WRONG = "✗"
REMARK = 0.8
"""How much smaller the remark is than the answer."""


class AnswerButton(QPushButton):
    """A push button with a number, an answer, and a remark below it.

    Args:
        number: the key that chooses the answer.
        name: its objectName.

    Attributes:
        answer: the text of the answer.
        sign: whether the answer is right; it replaces the number. "" while that is not shown.
        remark: what is said about the answer, such as its count, or "".
    """

    def __init__(self, number: int, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.answer = self.sign = self.remark = ""
        self._number = number
        self._labels = QLabel(str(number)), QLabel(), QLabel()
        mark, text, remark = self._labels
        mark.setMinimumWidth(mark.fontMetrics().horizontalAdvance("00"))
        for wrapped in (text, remark):
            wrapped.setWordWrap(True)
            wrapped.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        remark.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        for label in self._labels:
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row(mark, (column(text, remark, spacing=0), 1), parent=self, margins=(10, 7, 10, 7))
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setObjectName(name)

    def show_answer(self, answer: str, sign: str = "", remark: str = "") -> None:
        """Show an answer, and what is known about it."""
        self.answer = answer
        self.sign = sign
        self.remark = remark
        _, text, after = self._labels
        side = (
            Qt.AlignmentFlag.AlignRight if is_right_to_left(answer) else Qt.AlignmentFlag.AlignLeft
        )
        text.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)
        font = QFont(self.font())
        font.setBold(sign == RIGHT)
        for label, content in zip(
            self._labels, (sign or str(self._number), answer, remark), strict=True
        ):
            label.setFont(font)
            label.setText(content)
        enlarge(after, REMARK)
        after.setVisible(bool(remark))
        said = {RIGHT: "right", WRONG: "wrong"}.get(sign, "")
        self.setAccessibleName(", ".join(filter(None, (answer, remark, said))))

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(80, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)
