"""The dialog that saves the tokenizer: of the whole run or of a step, every format with what it
keeps, and the place.

It only asks; whoever opens it saves. A file that exists is named in the dialog, so no further
question follows.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QPushButton,
    QRadioButton,
    QWidget,
)

from bpe_studio.explain.wording import number, plural
from bpe_studio.files.formats.registry import FORMATS
from bpe_studio.files.saving import why_not_into
from bpe_studio.gui.saving.format_choice import DOCUMENT, FormatChoice
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, TIGHT_PX, column, row, scrolled
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
    from bpe_studio.engine.run import Run
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

WIDTH_EM = 46
HEIGHT_EM = 36
_TIP = "Saves the tokenizer, reads it back, and checks it on the words of the corpus"
_STEP_TIP = "Saves the merges up to the step that the window shows"


class SaveTokenizerDialog(QDialog):
    """Where, as what, and of which step.

    Args:
        workspace: what is open; there is a run.
        run: the run that is shown.
        memory: remembers the folder and the format.

    Signals:
        chosen: Path, str, int: the place, the format and the step.
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
            Note("", "help", self), "save_tokenizer.status", "What happens to existing files"
        )
        buttons, self.save = accept_or_cancel(
            self, "save", "&Save", cancel_tip="Writes nothing (Esc)"
        )
        info = workspace.corpus
        self._stem = f"{(Path(info.name).stem if info is not None else '') or 'my'}-tokenizer"
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
        """Suggest a name that suits the format, unless another was written.

        A document holds every step.
        """
        is_document = self.formats.form == DOCUMENT
        enable(self.step, _STEP_TIP, "a document contains every step" if is_document else "")
        if is_document:
            self.whole.setChecked(True)
        if self.path.text() == self._suggested:
            stem = self._stem.removesuffix("-tokenizer") if is_document else self._stem
            self._suggested = str(
                Path(self._memory.folder) / f"{stem}{FORMATS[self.formats.form].suffix}"
            )
            self.path.setText(self._suggested)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Say what happens to what is at the place, and whether it can be saved."""
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
            self.status.set_message(
                wrong or why_not or warning, "error" if wrong or why_not else "help"
            )
        replaces = bool(warning) and not form.is_folder
        self.save.setText("&Replace" if replaces else "&Save")
        enable(self.save, _TIP, wrong or why_not or "")

    def _about_place(self) -> tuple[str, str]:
        """What would happen to what is at the place, and what is wrong with it; "" for nothing."""
        text = self.path.text().strip()
        form = FORMATS[self.formats.form]
        if not text:
            return "", "Write the name of a file or a folder"
        path = Path(text).expanduser()
        try:
            if not path.absolute().parent.is_dir():
                return "", f"There is no folder {path.absolute().parent}"
            if not path.exists():
                return "", ""
            if form.is_folder != path.is_dir():
                kinds = ("a folder", "a file") if form.is_folder else ("a file", "a folder")
                return (
                    "",
                    f"This format is {kinds[0]}, and {path.name} is {kinds[1]}: write another name",
                )
        except (OSError, ValueError) as error:
            return "", f"This cannot be the name of a file ({error}): write another name"
        if form.is_folder:
            is_empty = not any(path.iterdir())
            warning = (
                ""
                if is_empty
                else f"{path.name} exists: a tokenizer in it is replaced; other files stay"
            )
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
