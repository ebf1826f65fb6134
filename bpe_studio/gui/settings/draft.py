"""A draft of the settings: a preset by its purpose, every option, the help of one of them, and a
preview of the split.

Editing changes only the draft: the panel Settings applies it, and the dialog for a comparison run
trains with it. The draft scrolls; `help` and, in the dialog, `preview` are outside it, where
whoever makes the draft puts them.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QScrollArea, QWidget

from bpe_studio.engine.options import ROLES
from bpe_studio.engine.presets import PRESET_HELP, PRESETS
from bpe_studio.errors import BpeError
from bpe_studio.gui.settings.editors import ChoiceEdit
from bpe_studio.gui.settings.form import SettingsForm
from bpe_studio.gui.settings.split_preview import SplitPreview
from bpe_studio.gui.widgets.containers import PANEL_MARGINS, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.workspace import Workspace

PREFIX = "settings"
_ALPHABET_FIELDS = (
    "units",
    "full_alphabet",
    "word_end",
    "word_end_as",
    "continuing",
    "initial_alphabet",
    "limit_alphabet",
    "character_coverage",
    "byte_fallback",
    "special",
    "unknown",
    *ROLES,
    "template",
)
_IS_PRESET = "Every option has the value of the preset"


class HelpLine(Note):
    """The help of one option, in a place of a fixed height, so that nothing moves when another
    option has the keyboard.

    Args:
        n_lines: the height in lines.
    """

    def __init__(self, n_lines: int, parent: QWidget | None = None) -> None:
        self._n_lines = n_lines
        super().__init__("", "help", parent)

    def font_changed(self) -> None:
        self.setFixedHeight(self._n_lines * self.fontMetrics().lineSpacing() + 2)


class SettingsDraft(QScrollArea):
    """The preset and the form, one below the other.

    Args:
        workspace: what is open; the preview takes its text from it, and a target below its alphabet
            is refused.
        prefix: the first part of the controls' object names.
        keeps_target: whether choosing a preset keeps the target.
        is_wide: whether there is room next to the form: the preview is left to the caller, and the
            help is lower.

    Attributes:
        help: what the option that has the keyboard is for, or the preset; the caller gives it a
            place.
        preview: the split of a text; in a wide draft the caller gives it a place.

    Signals:
        edited: the draft has changed, or is no longer valid.
    """

    edited = Signal()

    def __init__(
        self,
        workspace: Workspace,
        prefix: str = PREFIX,
        *,
        keeps_target: bool = False,
        is_wide: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._keeps_target = keeps_target
        self._config: TrainingConfig | None = workspace.config
        self._error = ""
        self._is_filling = False
        self.preset = ChoiceEdit([(p.name, p.title, p.purpose) for p in PRESETS.values()])
        named(self.preset, "settings.preset", "Preset", PRESET_HELP)
        self.preset.setAccessibleDescription(PRESET_HELP)
        self.help = named(HelpLine(2 if is_wide else 3, self), "settings.help", "Help")
        self.reset = named(QPushButton("Reset"), "settings.reset", "Reset to preset")
        self.reset.setAutoDefault(False)
        self._is_wide = is_wide
        self.preview = SplitPreview(workspace, is_tall=is_wide, parent=self)
        self.form = SettingsForm(None if is_wide else self.preview)
        self._asked: QWidget = self.preset
        self._build()
        self.setObjectName("settings.area")
        for widget in (self, *self.findChildren(QWidget)):
            if widget.objectName().startswith(f"{PREFIX}."):
                widget.setObjectName(prefix + widget.objectName().removeprefix(PREFIX))
        self.preset.edited.connect(self._on_preset_edited)
        self.reset.clicked.connect(self._on_preset_edited)
        self.form.edited.connect(self.refresh)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._on_focus_changed)
        workspace.run_changed.connect(self.refresh)

    def _build(self) -> None:
        label = QLabel("Preset")
        label.setBuddy(self.preset)
        label.setToolTip(PRESET_HELP)
        self.form.align(label)
        inside = QWidget()
        head = row(label, (self.preset, 1), self.reset)
        column(head, (self.form, 1), parent=inside, spacing=TIGHT_PX, margins=PANEL_MARGINS)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # It scrolls horizontally only if large text leaves no room for a label and its field.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @property
    def config(self) -> TrainingConfig | None:
        """The settings as they are edited; None while they are not valid."""
        return self._config

    @property
    def error(self) -> str:
        """Why they are not valid, or ""."""
        return self._error

    def focus_chain(self) -> list[QWidget]:
        """The widgets that take the keyboard focus, in tab order."""
        preview: list[QWidget] = [self.preview.next_piece, self.preview.text]
        chain: list[QWidget] = [self.preset, self.reset, *self.form.focus_chain(True)]
        rest = [self.form.more, *self.form.focus_chain(False)]
        return [*chain, *rest, *preview] if self._is_wide else [*chain, *preview, *rest]

    @Slot(QWidget, QWidget)
    def _on_focus_changed(self, before: QWidget | None, now: QWidget | None) -> None:
        """Show the help of the option that has the keyboard.

        It stays while something else has it.
        """
        if now is not None and (now is self.preset or self.form.help_of(now)):
            self._asked = now
            self._show_help()

    def _show_help(self) -> None:
        """Show what the option is for that had the keyboard last."""
        self.help.set_message(
            self.form.help_of(self._asked) or PRESETS[str(self.preset.value())].purpose
        )

    def show_config(self, config: TrainingConfig) -> None:
        """Replace the draft by these settings."""
        self._is_filling = True
        try:
            self.preset.set_value(config.preset_name)
            self.form.set_config(config)
        finally:
            self._is_filling = False
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Read the draft from the form again, and show the result."""
        self._error = ""
        try:
            self._config = self.form.draft(str(self.preset.value()))
            self._check_target(self._config)
        except BpeError as error:
            self._config = None
            self._error = str(error)
        self.preview.set_draft(self._config)
        self._show_preset()
        self.edited.emit()

    @Slot()
    def _on_preset_edited(self) -> None:
        from bpe_studio.engine.config import TrainingConfig

        if self._is_filling:
            return
        config = TrainingConfig.preset(PRESETS[str(self.preset.value())].name)
        if self._keeps_target and self._config is not None:
            config = config.replace(vocab_size=self._config.vocab_size, merges=self._config.merges)
        self.show_config(config)

    def _show_preset(self) -> None:
        name = str(self.preset.value())
        self._show_help()
        changed = _changed_from_preset(self._config) if self._config is not None else set()
        if self._config is not None:
            self.mark_changed(changed)
        can_reset = bool(changed) or self._config is None
        self.reset.setEnabled(can_reset)
        self.reset.setToolTip(
            f"Sets every option to the value of {PRESETS[name].title}" if can_reset else _IS_PRESET
        )

    def mark_changed(self, options: set[str]) -> None:
        """Mark the options that differ from the preset; a dialog may mark others."""
        self.form.mark_changed(dict.fromkeys(options, "Changed from the preset"))

    def _check_target(self, draft: TrainingConfig) -> None:
        """Refuse a vocabulary size that is smaller than the alphabet, if the alphabet is known.

        Raises:
            ConfigError: the target is too small.
        """
        run = self._workspace.run
        if run is not None and _same_alphabet(draft, run.config):
            n_alphabet = run.alphabet.n_own
        elif draft.full_alphabet and draft.word_end is None and draft.continuing is None:
            n_alphabet = 256
        else:
            return
        try:
            draft.target_merges(n_alphabet)
        except BpeError as error:
            self.form.blame("vocab_size", error)
            raise


def _same_alphabet(one: TrainingConfig, other: TrainingConfig) -> bool:
    return one.same_cut(other) and all(
        getattr(one, name) == getattr(other, name) for name in _ALPHABET_FIELDS
    )


def _changed_from_preset(draft: TrainingConfig) -> set[str]:
    """The options in which a draft differs from its preset."""
    preset = type(draft).preset(draft.preset_name)
    return {
        field.name
        for field in fields(draft)
        if getattr(draft, field.name) != getattr(preset, field.name)
    }
