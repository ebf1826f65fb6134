"""An answer to choose from: a numbered button whose text wraps."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont, QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.names import is_right_to_left
from bpe_studio.gui.widgets.containers import row

RIGHT = "✓"
WRONG = "✗"


class AnswerButton(QPushButton):
    """A push button with a number and an answer.

    Args:
        number: the key that chooses the answer.
        name: its objectName.

    Attributes:
        answer: the text of the answer.
        sign: the sign for right or wrong, in place of the number; "" while that is not shown.
    """

    def __init__(self, number: int, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.answer = ""
        self.sign = ""
        self._number = number
        self._labels = QLabel(str(number)), QLabel()
        mark, text = self._labels
        mark.setMinimumWidth(mark.fontMetrics().horizontalAdvance("00"))
        text.setWordWrap(True)
        text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        for label in self._labels:
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        row(mark, (text, 1), parent=self, margins=(10, 7, 10, 7))
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setObjectName(name)

    def show_answer(self, answer: str, sign: str = "") -> None:
        """Show an answer, and whether it is right."""
        self.answer = answer
        self.sign = sign
        mark, text = self._labels
        side = (
            Qt.AlignmentFlag.AlignRight if is_right_to_left(answer) else Qt.AlignmentFlag.AlignLeft
        )
        text.setAlignment(side | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter)
        font = QFont(self.font())
        font.setBold(True)
        mark.setFont(font)
        mark.setText(RIGHT + WRONG)
        mark.setMinimumHeight(mark.sizeHint().height())  # so that a sign makes the button no higher
        font.setBold(sign == RIGHT)
        for label in self._labels:
            label.setFont(font)
        mark.setText(sign or str(self._number))
        text.setText(answer)
        said = {RIGHT: "right", WRONG: "wrong"}.get(sign, "")
        self.setAccessibleName(", ".join(filter(None, (answer, said))))

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
