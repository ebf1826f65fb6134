"""The dialog that saves the tokenizer: it asks for the step, the format and the place.

The caller saves. The dialog says if it replaces a file, so no further question follows.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import number, plural
from bpe_studio.files.formats.registry import FORMATS, kept, why_not
from bpe_studio.files.saving import why_not_into
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    SPACING_PX,
    STRETCH,
    TIGHT_PX,
    column,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import enable, finish_controls, named
from bpe_studio.gui.widgets.file_dialogs import ask_where_to_save
from bpe_studio.gui.widgets.form_dialog import (
    FORM_MARGINS,
    accept_or_cancel,
    begin_form,
    size_within,
)
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.tokenizer import Tokenizer
    from bpe_studio.engine.encoding.tokenizer_model import Kept
    from bpe_studio.engine.run import Run
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

WIDTH_EM = 46
HEIGHT_EM = 36
_TIP = "Saves the tokenizer, reads it back, and checks it on the words of the corpus"
_STEP_TIP = "Saves the merges up to the step that the window shows"


_DOCUMENT = "studio"
_INDENT_PX = 22


class SaveTokenizerDialog(QDialog):
    """The dialog with the step, the format and the place.

    Args:
        workspace: the open corpus; a run is open.
        run: the run that is shown.
        memory: remembers the folder and the format.

    Signals:
        chosen: (Path, str, int): the place, the format and the step.
    """

    chosen = Signal(object, str, int)

    def __init__(
        self, workspace: Workspace, run: Run, memory: WindowSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._run = run
        self._memory = memory
        begin_form(self, "save_tokenizer", "Save tokenizer")
        self._here = workspace.step
        self._end = workspace.n_merges
        self.whole = self._choice(
            "whole", "&Whole run", self._end, "Saves every merge that was learned"
        )
        self.step = self._choice("step", "Up to the current s&tep", self._here, _STEP_TIP)
        self.whole.setChecked(True)
        self.step.setVisible(self._here != self._end)
        self.formats = FormatChoice(run, memory.save_format, self)
        self.path = named(
            QLineEdit(self), "save_tokenizer.path", "Save to", "The file or folder to write"
        )
        self.browse = named(
            QPushButton("Browse…", self), "save_tokenizer.browse", "Browse", "Chooses where to save"
        )
        self.browse.setAutoDefault(False)
        self.status = named(
            Note("", "help", self), "save_tokenizer.status", "Effect on existing files"
        )
        buttons, self.save = accept_or_cancel(
            self, "save", "&Save", cancel_tip="Writes nothing (Esc)"
        )
        info = workspace.corpus
        name = Path(info.name).stem if info is not None else ""
        self._stem = f"{name or 'my'}-tokenizer"
        self._suggested = ""
        self._waiting_for: str | None = None
        self._build(buttons)
        self._connect()
        finish_controls(self)
        self.resize(self.sizeHint())
        self.formats.set_step(self.chosen_step)
        self._suggest()
        self.formats.buttons[self.formats.form].setFocus()

    def sizeHint(self) -> QSize:
        return size_within(self, WIDTH_EM, HEIGHT_EM)

    def _choice(self, name: str, text: str, step: int, tip: str) -> QRadioButton:
        about = (
            f"{text}: {plural(step, 'merge')}, vocabulary {number(self._run.vocab_size_at(step))}"
        )
        return named(
            QRadioButton(about, self), f"save_tokenizer.{name}", about.replace("&", ""), tip
        )

    @property
    def chosen_step(self) -> int:
        """The step whose merges are saved."""
        return self._end if self.whole.isChecked() else self._here

    def _build(self, buttons: QDialogButtonBox) -> None:
        place = QLabel("Save t&o", self)
        place.setBuddy(self.path)
        steps = QWidget(self)  # the formats have radio buttons too
        column(self.whole, self.step, parent=steps, spacing=TIGHT_PX)
        column(
            steps,
            GROUP_PX,
            (scrolled(self.formats, "save_tokenizer.area"), 1),
            SPACING_PX,
            row(place, (self.path, 1), self.browse),
            self.status,
            SPACING_PX,
            buttons,
            parent=self,
            margins=FORM_MARGINS,
        )

    def _connect(self) -> None:
        self.whole.toggled.connect(self._on_step_changed)
        self.formats.changed.connect(self._suggest)
        self.path.textChanged.connect(self._on_edited)
        self.browse.clicked.connect(self._on_browse)
        self.save.clicked.connect(self._on_save)

    @Slot()
    def _on_step_changed(self) -> None:
        self._waiting_for = None
        self.formats.set_step(self.chosen_step)
        self._refresh()

    @Slot()
    def _on_edited(self) -> None:
        self._waiting_for = None
        self._refresh()

    @Slot()
    def _suggest(self) -> None:
        """Suggest a name that suits the format, unless the user has typed another.

        A document contains every step.
        """
        stem = self._stem
        if self.formats.form == _DOCUMENT:
            enable(self.step, _STEP_TIP, "a document contains every step")
            self.whole.setChecked(True)
            stem = stem.removesuffix("-tokenizer")
        else:
            enable(self.step, _STEP_TIP)
        if self.path.text() == self._suggested:
            self._suggested = str(
                Path(self._memory.folder) / f"{stem}{FORMATS[self.formats.form].suffix}"
            )
            self.path.setText(self._suggested)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Say whether the tokenizer can be saved, and what happens to existing files."""
        form = FORMATS[self.formats.form]
        why_not = self.formats.why_not
        warning, wrong = self._about_place()
        if self._waiting_for != self.formats.form or wrong or why_not:
            self._waiting_for = None
        elif why_not == "":
            self._on_save()
            return
        if why_not is None and not wrong:
            then = ", then it is saved" if self._waiting_for else ""
            self.status.set_message(f"Checking what this format can store…{then}", "help")
        else:
            role = "error" if wrong or why_not else "help"
            self.status.set_message(wrong or why_not or warning, role)
        replaces = bool(warning) and not form.is_folder
        verb = "&Replace" if replaces else "&Save"
        self.save.setText(verb)
        enable(self.save, _TIP, wrong or why_not or "")

    def _about_place(self) -> tuple[str, str]:
        """A warning about existing files at the place, and an error in its name; "" for none."""
        text = self.path.text().strip()
        form = FORMATS[self.formats.form]
        if not text:
            return "", "Type the name of a file or a folder"
        path = Path(text).expanduser()
        try:
            if not path.absolute().parent.is_dir():
                return "", f"There is no folder {path.absolute().parent}"
            if not path.exists():
                return "", ""
            if form.is_folder != path.is_dir():
                kinds = ("a folder", "a file") if form.is_folder else ("a file", "a folder")
                return "", (
                    f"This format is {kinds[0]}, and {path.name} is {kinds[1]}: choose another name"
                )
        except (OSError, ValueError) as error:
            return "", f"This cannot be the name of a file ({error}): choose another name"
        if form.is_folder:
            warning = ""
            if any(path.iterdir()):
                warning = f"{path.name} exists: a tokenizer in it is replaced; other files stay"
            return warning, why_not_into(path)
        return f"{path.name} exists and is replaced", ""

    @Slot()
    def _on_browse(self) -> None:
        form = FORMATS[self.formats.form]
        path = ask_where_to_save(
            self, self._memory, self.path.text(), form.description, form.suffix
        )
        if path is not None:
            self.path.setText(str(path))

    @Slot()
    def _on_save(self) -> None:
        if not self.save.isEnabled():
            return
        if self.formats.why_not is None:
            self._waiting_for = self.formats.form
            self._refresh()
            return
        path = Path(self.path.text().strip()).expanduser().absolute()
        self._memory.folder = path.parent
        self._memory.save_format = self.formats.form
        self.accept()
        self.chosen.emit(path, self.formats.form, self.chosen_step)


class _Answer(NamedTuple):
    """An answer about a format and a step: the reason against it, or "", and what it keeps."""

    step: int
    form: str
    why_not: str
    kept: Kept


class FormatChoice(QWidget):
    """A radio button for each format, with a line about what it keeps and what it does not.

    The pool tries one format after another by making the files; a format that cannot hold the
    tokenizer says why.

    Args:
        run: the run whose tokenizer is saved.
        form: the format that is chosen at first, if possible.

    Signals:
        changed: another format is chosen, or another format has been tried.
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
            note.setContentsMargins(_INDENT_PX, 0, 0, 0)
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
        # The notes would ask for the height that they have at their narrowest.
        return QSize(0, 0)

    def set_step(self, step: int) -> None:
        """Set the step whose tokenizer is saved, and try all formats for it."""
        self._step = step
        self._reasons.clear()
        self._ask_next()

    @property
    def form(self) -> str:
        """The format that is chosen."""
        return next(name for name, button in self.buttons.items() if button.isChecked())

    @property
    def why_not(self) -> str | None:
        """The reason why the chosen format cannot hold the tokenizer, or ""; None while that is
        unknown.
        """
        return self._reasons.get(self.form)

    @property
    def is_known(self) -> bool:
        """Whether all formats have been tried."""
        return len(self._reasons) == len(FORMATS)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a format by a click on its line, too."""
        clicked = self.childAt(event.position().toPoint())
        for name, button in self.buttons.items():
            if clicked in (button, self.notes[name]) and button.isEnabled():
                button.setFocus(Qt.FocusReason.MouseFocusReason)
                button.click()

    def _answer(self, step: int, form: str) -> _Answer:
        """Try whether a format can hold the tokenizer of a step; called in the pool."""
        usual = FORMATS[form].kept
        try:
            if form == _DOCUMENT:
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
        """Choose the wanted format if possible; else, if the chosen one is not, the first."""
        possible = [name for name, reason in self._reasons.items() if not reason]
        if self._wanted in possible:
            self.buttons[self._wanted].setChecked(True)
        elif self.why_not and possible:
            self.buttons[min(possible, key=list(FORMATS).index)].setChecked(True)

    @Slot()
    def _on_clicked(self) -> None:
        self._wanted = self.form
        self.changed.emit()
