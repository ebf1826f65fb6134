"""The form of all options: the important ones first, the others collapsed, each with one sentence of help.

The form reads and writes the values of a configuration. The engine checks whether they are valid together when `draft`
creates the configuration; the panel applies it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QToolButton, QWidget

from bpe_studio.engine.presets import OPTION_HELP
from bpe_studio.errors import BpeError, ConfigError
from bpe_studio.explain.settings import FIELDS, Field
from bpe_studio.gui.settings.compound_editors import OrderEdit, SplitEdit, TargetEdit
from bpe_studio.gui.settings.editors import CheckEdit, ChoiceEdit, LinesEdit, NumberEdit, PairsEdit, TextEdit
from bpe_studio.gui.widgets.containers import GROUP_PX, STRETCH, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

MOST_COUNT = 1_000_000_000
Editor = ChoiceEdit | NumberEdit | TextEdit | CheckEdit | LinesEdit | OrderEdit | TargetEdit | SplitEdit


class SettingsForm(QWidget):
    """Every option of a training.

    Args:
        middle: the widget between the important options and the others (the preview of the split).

    Signals:
        edited: a value has changed; not emitted while `set_config` fills the form.
    """

    edited = Signal()

    def __init__(self, middle: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editors: dict[str, Editor] = {}
        self._labels: dict[str, QLabel] = {}
        self._notes: dict[str, Note] = {}
        self._errors: dict[str, Note] = {}
        self._is_filling = False
        tip = "Documents, normalization, word marks, special tokens, forced and forbidden merges"
        self.more = named(QToolButton(self), "settings.more", "More options", tip)
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._rest = QWidget(self)
        self._rest.setLayout(self._grid([field for field in FIELDS if not field.is_main]))
        main = self._grid([field for field in FIELDS if field.is_main])
        column(main, middle, self.more, self._rest, STRETCH, parent=self, spacing=GROUP_PX)
        self._unfold(False)
        self._connect()

    def set_config(self, config: TrainingConfig) -> None:
        """Show the values of a configuration, without `edited`."""
        self._is_filling = True
        try:
            for option, editor in self._editors.items():
                editor.set_value(_read(config, option))
        finally:
            self._is_filling = False
        self._refresh()

    def draft(self, preset: str) -> TrainingConfig:
        """The configuration with the values of the form.

        Args:
            preset: the name of the preset that the draft is based on.

        Raises:
            ConfigError: the values are not valid together; if one option is the cause, its row shows the error too.
        """
        from bpe_studio.engine.config import TrainingConfig

        for note in self._errors.values():
            note.hide()
        values: dict[str, Any] = {}
        for option, editor in self._editors.items():
            try:
                values[option] = editor.value()
                if option == "split":
                    if values[option] == "regex:":
                        raise ConfigError("There is no pattern yet: write a regular expression, such as \\w+.")
                    if str(values[option]).startswith("regex:"):
                        from bpe_studio.engine.text.pretokenization import compile_split

                        compile_split(str(values[option]))
            except BpeError as error:
                self.blame(option, error)
                raise
        values["vocab_size"], values["merges"] = values.pop("vocab_size")
        if values["word_end"] is None:
            values["word_end_as"] = None
        if values["units"] == "characters":
            values["full_alphabet"] = False
        return TrainingConfig.preset(preset, **values)

    def blame(self, option: str, error: BpeError) -> None:
        """Show the error in the row of the option that causes it."""
        note = self._errors[option]
        note.set_message(str(error))
        note.show()

    def focus_chain(self, is_main: bool) -> list[QWidget]:
        """The widgets that take the keyboard focus, in tab order."""
        chain: list[QWidget] = []
        for field in FIELDS:
            if field.is_main is is_main:
                chain.extend(widget for widget, *_ in _parts(self._editors[field.option], field))
        return chain

    @property
    def has_blamed(self) -> bool:
        """Whether one option made the last draft fail; its row shows the error."""
        return any(not note.isHidden() for note in self._errors.values())

    def mark_changed(self, options: set[str]) -> None:
        """Show which options differ from the preset: their labels are bold, with a tooltip."""
        for field in FIELDS:
            label = self._labels[field.option]
            is_changed = field.option in options or (field.option == "vocab_size" and "merges" in options)
            font = label.font()
            if font.bold() != is_changed:
                font.setBold(is_changed)
                label.setFont(font)
                label.setToolTip("Changed from the preset" if is_changed else "")
        n_hidden = sum(field.option in options for field in FIELDS if not field.is_main)
        self.more.setText("More options" if n_hidden == 0 else f"More options ({n_hidden} changed)")

    def _grid(self, fields: list[Field]) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for field in fields:
            self._add(grid, field)
        return grid

    def _add(self, grid: QGridLayout, field: Field) -> None:
        editor = _editor(field)
        _name(editor, field)
        label = QLabel(field.label)
        # Its first part: a container with a focus proxy would be in the tab order twice.
        label.setBuddy(_parts(editor, field)[0][0])
        label.setMinimumWidth(96)
        label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        label.setMinimumHeight(26)
        note, error = Note(OPTION_HELP[field.option]), Note(role="error")
        error.hide()
        row = grid.rowCount()
        grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(editor, row, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(error, row + 1, 0, 1, 2)
        grid.addWidget(note, row + 2, 0, 1, 2)
        grid.setRowMinimumHeight(row + 3, 8)
        self._editors[field.option], self._labels[field.option] = editor, label
        self._notes[field.option], self._errors[field.option] = note, error

    def _connect(self) -> None:
        self.more.toggled.connect(self._unfold)
        for editor in self._editors.values():
            editor.edited.connect(self._on_edited)

    @Slot(bool)
    def _unfold(self, is_open: bool) -> None:
        self.more.setArrowType(Qt.ArrowType.DownArrow if is_open else Qt.ArrowType.RightArrow)
        self._rest.setVisible(is_open)

    @Slot()
    def _on_edited(self) -> None:
        if not self._is_filling:
            self._refresh()
            self.edited.emit()

    def _refresh(self) -> None:
        """Show the help of the chosen values, and enable options that depend on another one."""
        for field in FIELDS:
            editor = self._editors[field.option]
            text = OPTION_HELP[field.option]
            if isinstance(editor, TargetEdit) and editor.kind.value() == "merges":
                text = OPTION_HELP["merges"]
            about = _about(editor)
            self._notes[field.option].set_message(f"{text}\n{about}" if about else text)
        has_mark = self._editors["word_end"].value() is not None
        _enable(self._editors["word_end_as"], has_mark, "Enter a word end first")
        is_bytes = self._editors["units"].value() == "bytes"
        _enable(self._editors["full_alphabet"], is_bytes, "Only bytes have a full alphabet")


def _editor(field: Field) -> Editor:
    if field.kind == "target":
        return TargetEdit()
    if field.kind == "number":
        return NumberEdit(0, MOST_COUNT)
    if field.kind == "split":
        return SplitEdit(field.choices)
    if field.kind == "order":
        return OrderEdit(field.choices)
    if field.kind == "choice":
        return ChoiceEdit(field.choices)
    if field.kind == "check":
        return CheckEdit(field.empty)
    if field.kind == "lines":
        return LinesEdit(field.empty)
    if field.kind == "pairs":
        return PairsEdit(field.empty)
    return TextEdit(field.empty)


def _parts(editor: Editor, field: Field) -> list[tuple[QWidget, str, str, str]]:
    """The interactive widgets of an editor: widget, name, title and purpose."""
    if isinstance(editor, TargetEdit):
        return [
            (editor.kind, "target", "Target", "Whether to stop at a vocabulary size, at a number of merges, or never"),
            (editor.vocab_size, "vocab_size", "Vocabulary size", OPTION_HELP["vocab_size"]),
            (editor.merges, "merges", "Merges", OPTION_HELP["merges"]),
        ]
    if isinstance(editor, SplitEdit):
        return [
            (editor.named, "split", "Split", OPTION_HELP["split"]),
            (editor.pattern, "pattern", "Regular expression of the split", "Each match is a pre-token"),
        ]
    if isinstance(editor, OrderEdit):
        first, *rest = editor.focus_chain()
        parts = [(first, "normalize", field.label, OPTION_HELP["normalize"])]
        return parts + [(w, w.objectName().removeprefix("settings."), w.accessibleName(), w.toolTip()) for w in rest]
    return [(editor, field.option, field.label, OPTION_HELP[field.option])]


def _name(editor: Editor, field: Field) -> None:
    """Set the object names, accessible names and descriptions of the interactive widgets."""
    for widget, name, title, about in _parts(editor, field):
        named(widget, f"settings.{name}", title, about).setAccessibleDescription(about)


def _about(editor: Editor) -> str:
    """The phrase about the chosen value, with its name."""
    choice = editor.named if isinstance(editor, SplitEdit) else editor
    if not isinstance(choice, ChoiceEdit):
        return ""
    name = str(choice.value()).rstrip(":")
    return f"{name}: {choice.about()}"


def _enable(editor: Editor, is_enabled: bool, why_not: str) -> None:
    editor.setEnabled(is_enabled)
    editor.setToolTip("" if is_enabled else why_not)


def _read(config: TrainingConfig, option: str) -> object:
    if option == "vocab_size":
        return (config.vocab_size, config.merges)
    return getattr(config, option)
