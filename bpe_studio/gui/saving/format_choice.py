"""Every format with one line about what it keeps and what it does not; those that cannot hold the
tokenizer say why.

Whether a format can hold it is computed in the pool, one format after another, by making what would
be written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.files.formats.registry import FORMATS, kept, why_not
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.widgets.containers import SPACING_PX, STRETCH, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import Kept
    from bpe_studio.engine.run import Run

DOCUMENT = "studio"
INDENT_PX = 22


class _Answer(NamedTuple):
    """Why a format cannot hold the tokenizer of a step, or "", and what it keeps of it."""

    step: int
    form: str
    why_not: str
    kept: Kept


class FormatChoice(QWidget):
    """A radio button for each format.

    Args:
        run: the run whose tokenizer is saved.
        form: the format that is chosen first, if it can be.

    Signals:
        changed: another format is chosen, or it is known whether one can be.
    """

    changed = Signal()

    def __init__(self, run: Run, form: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._run = run
        self._step = -1
        self._made: tuple[int, Tokenizer] | None = None
        self._reasons: dict[str, str] = {}
        self._wanted = form if form in FORMATS else next(iter(FORMATS))
        self._group = QButtonGroup(self)
        self.buttons: dict[str, QRadioButton] = {}
        self.notes: dict[str, Note] = {}
        parts: list[QWidget | int | str] = []
        for name, each in FORMATS.items():
            button = named(
                QRadioButton(each.description.replace("&", "&&")), f"save_tokenizer.{name}"
            )
            note = named(Note(each.kept.sentence), f"save_tokenizer.{name}_about")
            note.setContentsMargins(INDENT_PX, 0, 0, 0)
            button.setAccessibleDescription(each.kept.sentence)
            self.buttons[name] = button
            self.notes[name] = note
            self._group.addButton(button)
            parts += [button, note, SPACING_PX]
        column(*parts[:-1], STRETCH, parent=self, spacing=0)
        self.buttons[self._wanted].setChecked(True)
        self._answers = LatestAnswer(self._answer, self)
        self._answers.answered.connect(self._on_answered)
        self._group.buttonClicked.connect(self._on_clicked)

    def minimumSizeHint(self) -> QSize:
        # That of the lines would be of wrapped ones, as high as they are where they are narrowest.
        return QSize(0, 0)

    def set_step(self, step: int) -> None:
        """Set the step whose tokenizer is saved, and find out which formats can hold it."""
        self._step = step
        self._reasons.clear()
        self._ask_next()

    @property
    def form(self) -> str:
        """The format that is chosen."""
        return next(name for name, button in self.buttons.items() if button.isChecked())

    @property
    def why_not(self) -> str | None:
        """Why the chosen format cannot hold the tokenizer, or "".

        None while that is being found out.
        """
        return self._reasons.get(self.form)

    @property
    def is_known(self) -> bool:
        """Whether it is known of every format."""
        return len(self._reasons) == len(FORMATS)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a format by a click on its line, too."""
        clicked = self.childAt(event.position().toPoint())
        for name, button in self.buttons.items():
            if clicked in (button, self.notes[name]) and button.isEnabled():
                button.setFocus(Qt.FocusReason.MouseFocusReason)
                button.click()

    def _answer(self, step: int, form: str) -> _Answer:
        """Whether a format can hold the tokenizer of a step; called in the pool."""
        usual = FORMATS[form].kept
        try:
            if form == DOCUMENT:
                self._run.check_stored()
                return _Answer(step, form, "", usual)
            if self._made is None or self._made[0] != step:
                self._made = step, self._run.tokenizer(step)
            tokenizer = self._made[1]
            return _Answer(step, form, why_not(tokenizer, form), kept(tokenizer, form))
        except BpeError as error:
            return _Answer(step, form, str(error), usual)

    def _ask_next(self) -> None:
        # The chosen one first, so that it can be saved at once.
        order = sorted(FORMATS, key=lambda name: name != self.form)
        form = next((name for name in order if name not in self._reasons), None)
        if form is not None:
            self._answers.ask(self._step, form)

    @Slot(object)
    def _on_answered(self, answer: _Answer) -> None:
        if answer.step != self._step:
            return
        form = answer.form
        why_not = answer.why_not
        self._reasons[form] = why_not
        button = self.buttons[form]
        note = self.notes[form]
        button.setEnabled(not why_not)
        text = f"Not possible: {why_not}" if why_not else answer.kept.sentence
        note.set_message(text)
        button.setAccessibleDescription(text)
        self._choose_possible()
        self._ask_next()
        self.changed.emit()

    def _choose_possible(self) -> None:
        """Choose the wanted format again if it can be, or the first that can, where the chosen one
        cannot.
        """
        possible = [name for name, reason in self._reasons.items() if not reason]
        if self._wanted in possible:
            self.buttons[self._wanted].setChecked(True)
        elif self.why_not and possible:
            self.buttons[min(possible, key=list(FORMATS).index)].setChecked(True)

    @Slot()
    def _on_clicked(self) -> None:
        self._wanted = self.form
        self.changed.emit()
