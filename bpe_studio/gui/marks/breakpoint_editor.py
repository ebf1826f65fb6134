"""The editor of a breakpoint, as a sentence: "Stop when", a condition, its text or number, and Add.

A value that is not valid is explained next to the field, and nothing is added then. The panel has
the list of the breakpoints.
"""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QSizePolicy, QWidget

from bpe_studio.gui.widgets.containers import TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.marks import Breakpoint, Question

QUESTIONS = (
    (Question.token, "the token is", "␣the", "The whole token; ␣ is a space"),
    (
        Question.contains,
        "the token contains",
        "th",
        "The text that the token contains; ␣ is a space",
    ),
    (Question.length, "the token's characters reach", "8", "The least number of characters"),
    (Question.tie, "a tie decides", "", "A tie decides where several pairs have the highest count"),
    (
        Question.count_below,
        "the pair's count falls below",
        "100",
        "How often the merged pair occurs in the corpus",
    ),
    (
        Question.word,
        "a word becomes one token",
        "because",
        "The word, with a space before it or not",
    ),
)
"""The conditions: as text, with an example of a value, and what that value is."""
_WANTED = {
    Question.token: "Type the token",
    Question.contains: "Type the text that the token contains",
    Question.word: "Type the word",
}
_NUMBERS = {Question.length: "characters", Question.count_below: "a count"}


class BreakpointEditor(QWidget):
    """The sentence.

    Signals:
        entered: Breakpoint, which the user adds.
    """

    entered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question = QComboBox()
        self.value = QLineEdit()
        self.add = QPushButton("Add")
        self.note = Note()
        self._build()
        self.question.currentIndexChanged.connect(self._on_question_changed)
        self.value.textEdited.connect(self._on_edited)
        self.value.returnPressed.connect(self._on_add)
        self.add.clicked.connect(self._on_add)
        self._on_question_changed()

    def _build(self) -> None:
        named(
            self.question,
            "marks.question",
            "Stop when",
            "The condition that every merge of a run is checked for",
        )
        for question, words, _, _ in QUESTIONS:
            self.question.addItem(words, question.value)
        self.value.setObjectName("marks.value")
        self.value.setClearButtonEnabled(True)
        named(
            self.add,
            "marks.add",
            "Add the breakpoint",
            "Stops every run at the merges that meet this condition",
        )
        named(self.note, "marks.note", "What is wrong with the breakpoint").hide()
        self.question.setSizePolicy(
            QSizePolicy.Policy.Ignored, self.question.sizePolicy().verticalPolicy()
        )
        column(
            self.question, row((self.value, 1), self.add), self.note, parent=self, spacing=TIGHT_PX
        )

    @property
    def asked(self) -> Question:
        """The chosen condition."""
        return QUESTIONS[self.question.currentIndex()][0]

    def read(self) -> Breakpoint | str:
        """The breakpoint of the sentence, or a sentence that says what is wrong with it."""
        question = self.asked
        typed = self.value.text()
        if question is Question.tie:
            return Breakpoint(question)
        if question not in _NUMBERS:
            if not typed.strip("\ufeff"):
                return _WANTED[question]
            if question is Question.word and not typed.strip():
                return "Type the word; a space alone is not one"
            return Breakpoint(question, typed)
        digits = "".join(letter for letter in typed if letter not in " ,.'\u00a0\u2009\u202f\u066c")
        what = _NUMBERS[question]
        if not digits.isdecimal() or len(digits) > 15:
            return (
                f"Type {what} as a whole number, such as"
                f" {QUESTIONS[self.question.currentIndex()][2]}"
            )
        if int(digits) < 1:
            return (
                "Every token has at least 1 character"
                if question is Question.length
                else "No count falls below 0"
            )
        return Breakpoint(question, number=int(digits))

    @Slot()
    def _on_question_changed(self) -> None:
        question, words, example, tip = QUESTIONS[self.question.currentIndex()]
        # The field keeps its space where no value is needed, so that the layout does not jump.
        self.value.setEnabled(question is not Question.tie)
        self.value.setPlaceholderText(f"such as {example}" if example else "nothing to add")
        self.value.setAccessibleName(f"Value: {words}")
        self.value.setToolTip(tip)
        self._show_problem("")

    @Slot()
    def _on_edited(self) -> None:
        self._show_problem("")

    @Slot()
    def _on_add(self) -> None:
        read = self.read()
        if isinstance(read, str):
            self._show_problem(read)
            self.value.setFocus()
            self.value.selectAll()
        else:
            self._show_problem("")
            self.value.clear()
            self.entered.emit(read)

    def _show_problem(self, sentence: str) -> None:
        self.note.set_message(sentence, "warning" if sentence else None)
        self.note.setVisible(bool(sentence))
        self.value.setAccessibleDescription(sentence)
