"""The form of all options, in groups with labels and editors, the important ones first.

The help of an option is its tooltip; the draft shows `help_of` the option that has the keyboard
focus. The form reads and writes the values of a configuration. When `draft` creates the
configuration, the engine checks whether they are valid together.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from bpe_studio.engine.options import OPTIONS, REGEX
from bpe_studio.errors import BpeError, ConfigError
from bpe_studio.explain.settings import setting_name
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.settings.editors import (
    CheckEdit,
    ChoiceEdit,
    LinesEdit,
    NumberEdit,
    NumeralEdit,
    OrderEdit,
    PairsEdit,
    SplitEdit,
    TargetEdit,
    TextEdit,
)
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, STRETCH, column
from bpe_studio.gui.widgets.controls import enable, named, point_arrow
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig

MOST_COUNT = 1_000_000_000
FIELDS = tuple(name for name in OPTIONS if name != "merges")
"""The options that have a row; the number of merges is part of the target, with the vocabulary
size.
"""
Editor = (
    ChoiceEdit | NumberEdit | TextEdit | CheckEdit | LinesEdit | OrderEdit | TargetEdit | SplitEdit
)


class SettingsForm(FollowsLook, QWidget):
    """Every option of a training.

    Args:
        middle: a widget between the important options and the others; None for none.

    Signals:
        edited: a value has changed; not emitted while `set_config` fills the form.
    """

    edited = Signal()

    def __init__(self, middle: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._editors: dict[str, Editor] = {}
        self._labels: dict[str, QLabel] = {}
        self._errors: dict[str, Note] = {}
        self._aligned: list[QLabel] = []
        self._is_filling = False
        self._words_follow_size = False
        tip = (
            "Documents, digits, normalization, word marks, alphabet, special tokens, forced and"
            " forbidden merges"
        )
        self.more = named(QToolButton(self), "settings.more", "More options", tip)
        self.more.setCheckable(True)
        self.more.setAutoRaise(True)
        self.more.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._rest = QWidget(self)
        hidden = [name for name in FIELDS if not OPTIONS[name].is_main]
        self._rest.setLayout(self._grid(hidden))
        shown = [name for name in FIELDS if OPTIONS[name].is_main]
        main = self._grid(shown)
        parts = [] if middle is None else [middle]
        column(main, *parts, self.more, self._rest, STRETCH, parent=self, spacing=MARGIN_PX)
        self._unfold(False)
        self._connect()
        self.follow_look()

    def font_changed(self) -> None:
        """Give the labels one width, that of the widest while it is bold."""
        bold = QFont(self.font())
        bold.setBold(True)
        widest = max(QFontMetrics(bold).horizontalAdvance(setting_name(name)) for name in FIELDS)
        for label in (*self._labels.values(), *self._aligned):
            label.setFixedWidth(widest + 2)

    def align(self, label: QLabel) -> None:
        """Give a label above the form the width of the labels in it."""
        self._aligned.append(label)
        self.font_changed()

    def set_config(self, config: TrainingConfig) -> None:
        """Show the values of a configuration, without `edited`."""
        from bpe_studio.engine.presets import share_for_words

        self._set_values({option: _read(config, option) for option in self._editors})
        usual = share_for_words(config.vocab_size or 0)
        self._words_follow_size = config.superwords_from == usual
        self._refresh()

    def _set_values(self, values: Mapping[str, Any]) -> None:
        self._is_filling = True
        try:
            for option, value in values.items():
                self._editors[option].set_value(value)
        finally:
            self._is_filling = False

    def draft(self, preset: str) -> TrainingConfig:
        """The configuration with the values of the form.

        Args:
            preset: the name of the preset that the draft is based on.

        Raises:
            ConfigError: the values are not valid together; if one option is the cause, its row
                shows the error too.
        """
        from bpe_studio.engine.config import TrainingConfig
        from bpe_studio.engine.presets import OPTIONS_OF_ITEMS, PRESETS

        for note in self._errors.values():
            note.hide()
        values: dict[str, Any] = {}
        for option, editor in self._editors.items():
            try:
                values[option] = editor.value()
                if OPTIONS[option].kind == "split":
                    if values[option] == REGEX:
                        raise ConfigError(
                            "There is no pattern yet: enter a regular expression, such as \\w+."
                        )
                    if str(values[option]).startswith(REGEX):
                        from bpe_studio.engine.text.pretokenization import compile_split

                        compile_split(str(values[option]))
            except BpeError as error:
                self.blame(option, error)
                raise
        values["vocab_size"], values["merges"] = values.pop("vocab_size")
        if values["word_end"] is None:
            values["word_end_as"] = None
        if values["units"] == "items":
            values |= OPTIONS_OF_ITEMS
        elif values["units"] == "characters":
            values["full_alphabet"] = False
        else:
            values["byte_fallback"] = False
        if self._words_follow_size:
            del values["superwords_from"]
        config = TrainingConfig.preset(PRESETS[preset].name, **values)
        if self._words_follow_size:
            self._set_values({"superwords_from": config.superwords_from})
        return config

    def blame(self, option: str, error: BpeError) -> None:
        """Show the error in the row of the option that causes it."""
        note = self._errors[option]
        note.set_message(str(error))
        note.show()

    def focus_chain(self, is_main: bool) -> list[QWidget]:
        """The widgets that take the keyboard focus, in tab order."""
        chain: list[QWidget] = []
        for name in FIELDS:
            if OPTIONS[name].is_main is is_main:
                widgets = [widget for widget, *_ in _parts(self._editors[name], name)]
                chain.extend(widgets)
        return chain

    @property
    def has_blamed(self) -> bool:
        """Whether one option made the last draft fail; its row shows the error."""
        return any(not note.isHidden() for note in self._errors.values())

    def mark_changed(self, options: Mapping[str, str]) -> None:
        """Show which options are changed: their labels are bold, with a tooltip.

        Args:
            options: the tooltips, by the option.
        """
        for name in FIELDS:
            label = self._labels[name]
            tip = options.get(name, "")
            if name == "vocab_size" and name not in options:
                tip = options.get("merges", "")
            font = label.font()
            if font.bold() != bool(tip):
                font.setBold(bool(tip))
                label.setFont(font)
            label.setToolTip(tip or OPTIONS[name].help)
        n_hidden = sum(name in options for name in FIELDS if not OPTIONS[name].is_main)
        more = "More options" if n_hidden == 0 else f"More options ({n_hidden} changed)"
        self.more.setText(more)

    def help_of(self, widget: QWidget) -> str:
        """The help of the option to which a widget belongs, with that of its value; "" for none."""
        for name in FIELDS:
            editor = self._editors[name]
            if editor is widget or editor.isAncestorOf(widget):
                is_merges = isinstance(editor, TargetEdit) and editor.kind.value() == "merges"
                option = "merges" if is_merges else name
                text = OPTIONS[option].help
                about = _about(editor)
                return f"{text}; {about}" if about else text
        return ""

    def _grid(self, names: list[str]) -> QGridLayout:
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(SPACING_PX)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for group, members in groupby(names, lambda name: OPTIONS[name].group):
            row = grid.rowCount()
            grid.setRowMinimumHeight(row, SPACING_PX)
            grid.addWidget(Note(group), row + 1, 0, 1, 2)
            for name in members:
                self._add(grid, name)
        return grid

    def _add(self, grid: QGridLayout, name: str) -> None:
        editor = _editor(name)
        for widget, part, title, about in _parts(editor, name):
            named(widget, f"settings.{part}", title, about).setAccessibleDescription(about)
        label = QLabel(setting_name(name))
        # The first part, because a container with a focus proxy would be in the tab order twice.
        label.setBuddy(_parts(editor, name)[0][0])
        label.setMinimumHeight(26)
        error = Note(role="error")
        error.hide()
        row = grid.rowCount()
        grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(editor, row, 1, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(error, row + 1, 1)
        self._editors[name] = editor
        self._labels[name] = label
        self._errors[name] = error

    def _connect(self) -> None:
        self.more.toggled.connect(self._unfold)
        # Connected first, so that a draft keeps what was just typed.
        self._editors["superwords_from"].edited.connect(self._on_words_edited)
        for editor in self._editors.values():
            editor.edited.connect(self._on_edited)

    @Slot()
    def _on_words_edited(self) -> None:
        if not self._is_filling:
            self._words_follow_size = False

    @Slot(bool)
    def _unfold(self, is_open: bool) -> None:
        point_arrow(self.more, is_open=is_open)
        self._rest.setVisible(is_open)

    @Slot()
    def _on_edited(self) -> None:
        if not self._is_filling:
            self._refresh()
            self.edited.emit()

    def _refresh(self) -> None:
        """Enable options that depend on another one."""
        from bpe_studio.engine.presets import OPTIONS_OF_ITEMS

        why_not = dict.fromkeys(OPTIONS_OF_ITEMS, "")
        units = self._editors["units"].value()
        if self._editors["word_end"].value() is None:
            why_not["word_end_as"] = "enter a word end first"
        if units != "bytes":
            why_not["full_alphabet"] = "only bytes have a full alphabet"
        if units == "bytes":
            why_not["byte_fallback"] = "bytes need no fallback"
        if units == "items":
            why_not = dict.fromkeys(OPTIONS_OF_ITEMS, "white space separates items already")
        for name, why in why_not.items():
            enable(self._editors[name], OPTIONS[name].help, why)


def _editor(name: str) -> Editor:
    option = OPTIONS[name]
    match option.kind:
        case "number" if option.hint:
            return NumeralEdit(option.hint)
        case "share" | "exponent":
            return NumeralEdit(option.hint, option.base)
        case "number":
            return TargetEdit() if name == "vocab_size" else NumberEdit(option.least, MOST_COUNT)
        case "split":
            return SplitEdit(option.labelled_choices)
        case "order" | "set":
            return OrderEdit(option.labelled_choices, is_ordered=option.kind == "order")
        case "choice":
            return ChoiceEdit(option.labelled_choices)
        case "flag":
            return CheckEdit(option.hint)
        case "texts":
            return LinesEdit(option.hint)
        case "pairs":
            return PairsEdit(option.hint)
    return TextEdit(option.hint)


def _parts(editor: Editor, name: str) -> list[tuple[QWidget, str, str, str]]:
    """The interactive widgets of an editor: widget, name, title and purpose."""
    if isinstance(editor, TargetEdit):
        return [
            (
                editor.kind,
                "target",
                "Target",
                "Training stops at a vocabulary size, at a number of merges, or at neither",
            ),
            (editor.vocab_size, "vocab_size", "Vocabulary size", OPTIONS["vocab_size"].help),
            (editor.merges, "merges", "Merges", OPTIONS["merges"].help),
        ]
    if isinstance(editor, SplitEdit):
        option = OPTIONS[name]
        pattern = "pattern" if name == "split" else f"{name}_pattern"
        return [
            (editor.named, name, option.label, option.help),
            (
                editor.pattern,
                pattern,
                f"Regular expression of {option.label.lower()}",
                option.choices[REGEX].capitalize(),
            ),
        ]
    if isinstance(editor, OrderEdit):
        first, *rest = editor.focus_chain()
        parts = [(first, name, OPTIONS[name].label, OPTIONS[name].help)]
        return parts + [
            (w, w.objectName().removeprefix("settings."), w.accessibleName(), w.toolTip())
            for w in rest
        ]
    return [(editor, name, OPTIONS[name].label, OPTIONS[name].help)]


def _about(editor: Editor) -> str:
    """The phrase about the chosen value, with its name."""
    choice = editor.named if isinstance(editor, SplitEdit) else editor
    if not isinstance(choice, ChoiceEdit):
        return ""
    name = str(choice.value()).rstrip(":")
    return f"{name}: {choice.about()}"


def _read(config: TrainingConfig, option: str) -> object:
    if option == "vocab_size":
        return (config.vocab_size, config.merges)
    return getattr(config, option)
