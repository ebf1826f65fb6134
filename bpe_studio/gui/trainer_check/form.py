"""The form that asks for the trainer, the text, and the settings that decide the right merges.

At first, the text and the settings are those that are open.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QComboBox, QFormLayout, QLabel, QPushButton, QSizePolicy, QWidget

from bpe_studio.engine.config import MAX_VOCAB_SIZE
from bpe_studio.engine.presets import PRESETS
from bpe_studio.explain.check.function import SECONDS, trainers_in
from bpe_studio.explain.names import elided, isolated_title
from bpe_studio.files.samples import list_samples
from bpe_studio.gui.look import theme
from bpe_studio.gui.widgets.containers import GROUP_PX, SPACING_PX, STRETCH, column, row
from bpe_studio.gui.widgets.controls import WholeNumber, named
from bpe_studio.gui.widgets.file_dialogs import ask_for_file, ask_for_texts
from bpe_studio.gui.widgets.labels import Note, statement
from bpe_studio.workspace.messages import changed_fields
from bpe_studio.workspace.opening.changes import Place
from bpe_studio.workspace.opening.trainer_checker import TrainerQuestion

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

TRAINERS = "Trainers (*.py *.txt *.json *.jsonl *.model *.bpe *.tiktoken);;All files (*)"
USUAL_SIZE = 500
"""The size that is suggested while no text is open."""
MOST_CHARACTERS = 44
MOST_SECONDS = 3600
_FILES = "A text in files…"
_NO_ENCODED = "None"
_ENCODED_FILE = "JSON lines in a file…"
_ENCODED = "Texts with their tokens, to check an encoder once all merges are right"
_ENCODED_KINDS = "JSON lines (*.jsonl *.json *.txt);;All files (*)"
_SAMPLE = "english"
_INVITATION = "Drop a trainer here"
_KINDS = (
    "A Python file with a function train(text, vocab_size, special_tokens) or split(text), a list"
    " of merges or pieces, or a tokenizer. You see the first error and the mistake behind it."
)
_CHOOSE = "Chooses a Python file, a list of merges or pieces, or a tokenizer"
_RUNS = (
    "The function runs in a process of its own, with limits on time and memory. This protects you"
    " from mistakes, but not from attackers: the function can read and write your files."
)
_TRAINS = "Merges"
_SPLITS = "How it splits a text"
_VERBS = {_TRAINS: "train", _SPLITS: "split"}
"""The things to check, and the usual name of the function for each."""
_PIECES = "Its pieces are compared with the right ones, one by one."
_LIST = "Its merges are compared with the right ones, one by one."


class Invitation(QWidget):
    """The page that is shown before there is a trainer.

    Attributes:
        choose: the button that asks for a file.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = statement("check.invitation", "Check a trainer")
        title.setText(_INVITATION)
        about = Note(_KINDS, "help", self)
        for label in (title, about):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.choose = named(
            QPushButton("Choose a &file…", self), "check.choose", "Choose a trainer", _CHOOSE
        )
        lines = (title, about, SPACING_PX, row(STRETCH, self.choose, STRETCH))
        column(STRETCH, *lines, STRETCH, parent=self, margins=3 * GROUP_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.muted(self.palette()), 1, Qt.PenStyle.DashLine))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 10, 10)


class CheckForm(QWidget):
    """The fields of a question.

    Args:
        workspace: the open corpus and its runs.
        memory: remembers the folder of files.

    Signals:
        changed: another trainer or setting was chosen.
        text_requested: list of str, the Python file to open as a text.
    """

    changed = Signal()
    text_requested = Signal(object)

    def __init__(
        self, workspace: Workspace, memory: WindowSettings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._memory = memory
        self._path: Path | None = None
        self.title = statement("check.trainer", "Trainer")
        self.about = Note("", "help", self)
        self.choose = named(
            QPushButton("Choose another &file…", self),
            "check.choose_another",
            "Choose another trainer",
            _CHOOSE,
        )
        self.as_text = named(
            QPushButton("&Open as a text", self),
            "check.open_as_text",
            "Open as a text",
            "Opens this Python file as a corpus instead",
        )
        self.kind = _box("check.kind", "Checks", "The part of this file that is checked", self)
        for title, verb in _VERBS.items():
            self.kind.addItem(title, verb)
        self.function = _box("check.function", "Function", "The function that is checked", self)
        self.function.setEditable(True)
        self.text = _box("check.text", "Text", "The text that the trainer gets", self)
        self.settings = _box(
            "check.settings", "Settings", "The settings that decide the right merges", self
        )
        self.vocab_size = named(
            WholeNumber(self), "check.vocab_size", "Vocabulary size", "The target of the trainer"
        )
        self.vocab_size.setRange(0, MAX_VOCAB_SIZE)
        self.vocab_size.setGroupSeparatorShown(True)
        self.seconds = named(
            WholeNumber(self),
            "check.seconds",
            "Time limit",
            "The time that the function may take; it runs twice",
        )
        self.seconds.setRange(1, MOST_SECONDS)
        self.seconds.setSuffix(" s")
        self.seconds.setValue(SECONDS)
        self.encoded = _box("check.encoded", "Encoded texts", _ENCODED, self)
        self._size_label = QLabel("&Vocabulary size", self)
        self._size_label.setBuddy(self.vocab_size)
        self._form = self._rows()
        column(
            self.title,
            self.about,
            SPACING_PX,
            row(self.choose, self.as_text, STRETCH),
            GROUP_PX,
            self._form,
            STRETCH,
            parent=self,
        )
        self._fill()
        self.choose.clicked.connect(self.choose_trainer)
        self.as_text.clicked.connect(self._on_as_text)
        self.kind.activated.connect(self._on_kind_chosen)
        self.text.activated.connect(self._on_text_chosen)
        self.settings.activated.connect(self._on_settings_chosen)
        self.encoded.activated.connect(self._on_encoded_chosen)
        self.function.editTextChanged.connect(self.changed)
        self._show()

    @property
    def has_trainer(self) -> bool:
        """Whether a trainer was chosen."""
        return self._path is not None

    @property
    def why_not(self) -> str:
        """The reason why nothing can be checked yet, or ""."""
        if not self.has_trainer:
            return "choose a trainer first"
        if self._is_python and not self.function.currentText().strip().isidentifier():
            return "type the name of the function"
        return ""

    @property
    def question(self) -> TrainerQuestion:
        """The question, as the fields say."""
        assert self._path is not None
        config: TrainingConfig = self.settings.currentData()
        size = self.vocab_size.value()
        counts_merges = config.merges is not None
        unit = "merges" if counts_merges else "tokens"
        if size and counts_merges:
            config = config.replace(merges=size)
        elif size:
            config = config.replace(vocab_size=size)
        name = self.settings.currentText()
        settings_name = name
        if size and not self._is_split:
            settings_name = f"{name}, {self.vocab_size.text()} {unit}"
        function = self.function.currentText().strip() if self._is_python else ""
        return TrainerQuestion(
            self._path,
            function,
            self.text.currentData(),
            self.text.currentText(),
            config,
            settings_name,
            self.seconds.value(),
            as_many=not size,
            encoded=self.encoded.currentData(),
            is_split=self._is_split,
        )

    def show_question(self, question: TrainerQuestion) -> None:
        """Shows an earlier question."""
        self._take_item(self.settings, question.settings_name.partition(", ")[0], question.config)
        place = question.place
        if place.info is None:
            self._take_item(self.text, question.text_name, place)
        self.seconds.setValue(question.seconds)
        if question.encoded is not None:
            self._take_item(self.encoded, question.encoded.name, question.encoded)
        self.show_trainer(question.path)
        if question.is_split:
            self.kind.setCurrentText(_SPLITS)
            self._on_kind_chosen()
        if question.function:
            self.function.setEditText(question.function)
        config = question.config
        size = 0 if question.as_many else _size_of(config)
        self.vocab_size.setValue(size)

    def show_trainer(self, path: Path) -> None:
        """Shows a trainer that was chosen or dropped."""
        was_list = self._path is not None and not self._is_python
        self._path = path
        if self._is_python:
            has = {title: bool(trainers_in(path, verb)) for title, verb in _VERBS.items()}
            if has[_TRAINS] != has[_SPLITS]:
                kind = _SPLITS if has[_SPLITS] else _TRAINS
                self.kind.setCurrentText(kind)
            self._fill_functions()
            if was_list or not self.vocab_size.value():
                self._suggest_size()
        else:
            self.vocab_size.setMinimum(0)
            self.vocab_size.setValue(0)
        self._show()

    def _fill_functions(self) -> None:
        """Offers the functions of the file that can be checked."""
        assert self._path is not None
        verb = self.kind.currentData()
        names = trainers_in(self._path, verb)
        self.function.clear()
        self.function.addItems(names or [verb])
        if verb in names:
            self.function.setCurrentText(verb)

    @property
    def _is_split(self) -> bool:
        return self.kind.currentText() == _SPLITS

    @property
    def _is_python(self) -> bool:
        return self._path is not None and self._path.suffix == ".py"

    def _rows(self) -> QFormLayout:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setHorizontalSpacing(GROUP_PX)
        form.setVerticalSpacing(SPACING_PX)
        form.addRow("Chec&ks", self.kind)
        form.addRow("F&unction", self.function)
        form.addRow("&Text", self.text)
        form.addRow("&Settings", self.settings)
        form.addRow(self._size_label, row(self.vocab_size, STRETCH))
        form.addRow("&Encoded texts", self.encoded)
        form.addRow("Ti&me limit", self.seconds)
        self.seconds.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        return form

    def _fill(self) -> None:
        place = self._workspace.changes.open_place()
        if place is not None and place.info is not None:
            self.text.addItem(elided(place.info.name, MOST_CHARACTERS), place)
        for sample in list_samples():
            self.text.addItem(sample.title, Place(None, (sample.path,)))
            if place is None and sample.id == _SAMPLE:
                self.text.setCurrentIndex(self.text.count() - 1)
        self.text.addItem(_FILES)
        self.encoded.addItems([_NO_ENCODED, _ENCODED_FILE])
        self._fill_settings()
        self._suggest_size()

    def _fill_settings(self) -> None:
        config = self._workspace.config
        title = PRESETS[config.preset_name].title
        if changed_fields(type(config).preset(config.preset_name), config):
            title = f"{title} with your changes"
        self.settings.addItem(title, config)
        for preset in PRESETS.values():
            if preset.title != title:
                self.settings.addItem(preset.title, type(config).preset(preset.name))

    def _suggest_size(self) -> None:
        config: TrainingConfig = self.settings.currentData()
        size = _size_of(config)
        is_open = config is self._workspace.config and self._workspace.run is not None
        if not is_open:
            size = min(size, USUAL_SIZE)
        self.vocab_size.setValue(size)

    def _take_item(self, box: QComboBox, text: str, data: Any) -> None:
        """Chooses the item of a box with a text, or adds it."""
        at = box.findText(text)
        if at < 0:
            box.insertItem(0, text, data)
            at = 0
        box.setCurrentIndex(at)

    @Slot()
    def choose_trainer(self) -> None:
        """Asks for a trainer."""
        path = ask_for_file(self, self._memory, "Choose a trainer", TRAINERS)
        if path is not None:
            self.show_trainer(path)

    @Slot()
    def _on_as_text(self) -> None:
        self.text_requested.emit([str(self._path)])

    @Slot()
    def _on_kind_chosen(self) -> None:
        if self._is_python:
            self._fill_functions()
        self._show()

    @Slot(int)
    def _on_text_chosen(self, at: int) -> None:
        if self.text.itemData(at) is not None:
            return
        chosen = ask_for_texts(self, self._memory, "Choose the text that the trainer gets")
        paths = tuple(map(Path, chosen))
        if not paths:
            self.text.setCurrentIndex(0)
            return
        more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
        self._take_item(
            self.text, f"{elided(paths[0].name, MOST_CHARACTERS)}{more}", Place(None, paths)
        )

    @Slot(int)
    def _on_encoded_chosen(self, at: int) -> None:
        if self.encoded.itemText(at) != _ENCODED_FILE:
            return
        path = ask_for_file(self, self._memory, "Choose texts with their tokens", _ENCODED_KINDS)
        if path is None:
            self.encoded.setCurrentIndex(self.encoded.findText(_NO_ENCODED))
        else:
            self._take_item(self.encoded, path.name, path)

    @Slot()
    def _on_settings_chosen(self) -> None:
        if self._path is None or self._is_python:
            self._suggest_size()
        self._show()

    def _show(self) -> None:
        """Shows the fields for the kind of the trainer."""
        path = self._path
        if path is not None:
            self.title.setText(isolated_title(elided(path.name, MOST_CHARACTERS)))
        about = _PIECES if self._is_split else _LIST
        if self._is_python:
            about = _RUNS
        self.about.set_message(about)
        self.as_text.setVisible(self._is_python)
        for field in (self.function, self.seconds):
            self._form.setRowVisible(field, self._is_python)
        self._form.setRowVisible(self.encoded, not self._is_split)
        for part in (self._size_label, self.vocab_size):
            part.setVisible(not self._is_split)
        least = 1
        if_least = ""
        if path is not None and not self._is_python:
            least = 0
            if_least = "All its merges"
        self.vocab_size.setMinimum(least)
        self.vocab_size.setSpecialValueText(if_least)
        config: TrainingConfig = self.settings.currentData()
        counts = "&Vocabulary size" if config.merges is None else "&Merges"
        self._size_label.setText(counts)
        self.changed.emit()


def _size_of(config: TrainingConfig) -> int:
    """The size that settings name, in tokens or merges."""
    size = config.vocab_size if config.merges is None else config.merges
    return size or USUAL_SIZE


def _box(name: str, title: str, tip: str, parent: QWidget) -> QComboBox:
    box = named(QComboBox(parent), name, title, tip)
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    box.setMinimumContentsLength(16)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    return box
