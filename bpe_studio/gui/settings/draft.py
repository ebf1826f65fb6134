"""A draft of the settings: a preset by its purpose, every option with its help, and a preview of the split.

Editing changes only the draft: the panel Settings applies it, and the dialog for a comparison run trains with it.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QScrollArea, QWidget

from bpe_studio.engine.presets import OPTION_HELP, PRESETS
from bpe_studio.errors import BpeError
from bpe_studio.gui.settings.editors import ChoiceEdit
from bpe_studio.gui.settings.form import SettingsForm
from bpe_studio.gui.settings.split_preview import SplitPreview
from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.workspace import Workspace

PREFIX = "settings"
_ALPHABET_FIELDS = ("units", "full_alphabet", "word_end", "word_end_as", "continuing")
_IS_PRESET = "Every option has the value of the preset"


class SettingsDraft(QScrollArea):
    """The preset, the form and the preview, one below the other.

    Args:
        workspace: what is open; the preview takes its text from it, and a target below its alphabet is refused.
        prefix: the first part of the controls' object names.
        keeps_target: whether choosing a preset keeps the target.

    Signals:
        edited: the draft has changed, or is no longer valid.
    """

    edited = Signal()

    def __init__(
        self, workspace: Workspace, prefix: str = PREFIX, *, keeps_target: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._keeps_target = keeps_target
        self._config: TrainingConfig | None = workspace.config
        self._error = ""
        self._is_filling = False
        self.preset = ChoiceEdit([(p.name, _preset_text(p.name, p.title), p.purpose) for p in PRESETS.values()])
        named(self.preset, "settings.preset", "Preset", OPTION_HELP["preset"])
        self.preset.setAccessibleDescription(OPTION_HELP["preset"])
        self.purpose = Note(role="plain")
        self.reset = named(QPushButton("Reset to preset"), "settings.reset", "Reset to preset")
        self.preview = SplitPreview(workspace)
        self.form = SettingsForm(self.preview)
        self._build()
        self.setObjectName("settings.area")
        for widget in (self, *self.findChildren(QWidget)):
            if widget.objectName().startswith(f"{PREFIX}."):
                widget.setObjectName(prefix + widget.objectName().removeprefix(PREFIX))
        self.preset.edited.connect(self._on_preset_edited)
        self.reset.clicked.connect(self._on_preset_edited)
        self.form.edited.connect(self.refresh)
        workspace.run_changed.connect(self.refresh)

    def _build(self) -> None:
        head = QGridLayout()
        head.setHorizontalSpacing(8)
        head.setVerticalSpacing(4)
        head.setColumnStretch(1, 1)
        label = QLabel("Preset")
        label.setBuddy(self.preset)
        label.setMinimumWidth(96)
        head.addWidget(label, 0, 0)
        head.addWidget(self.preset, 0, 1)
        head.addWidget(self.purpose, 1, 0, 1, 2)
        head.addWidget(self.reset, 2, 0, 1, 2, Qt.AlignmentFlag.AlignRight)
        inside = QWidget()
        column(head, (self.form, 1), parent=inside, spacing=GROUP_PX, margins=MARGIN_PX)
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
        chain: list[QWidget] = [self.preset, self.reset, *self.form.focus_chain(True)]
        return [*chain, self.preview.next_piece, self.preview.text, self.form.more, *self.form.focus_chain(False)]

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
            self._config, self._error = None, str(error)
        self.preview.set_draft(self._config)
        self._show_preset()
        self.edited.emit()

    @Slot()
    def _on_preset_edited(self) -> None:
        from bpe_studio.engine.config import TrainingConfig

        if self._is_filling:
            return
        config = TrainingConfig.preset(str(self.preset.value()))
        if self._keeps_target and self._config is not None:
            config = config.replace(vocab_size=self._config.vocab_size, merges=self._config.merges)
        self.show_config(config)

    def _show_preset(self) -> None:
        name = str(self.preset.value())
        self.purpose.set_message(PRESETS[name].purpose)
        changed = _changed_from_preset(self._config) if self._config is not None else set()
        if self._config is not None:
            self.form.mark_changed(changed)
        can_reset = bool(changed) or self._config is None
        self.reset.setEnabled(can_reset)
        self.reset.setToolTip(f"Sets every option to the value of {PRESETS[name].title}" if can_reset else _IS_PRESET)

    def _check_target(self, draft: TrainingConfig) -> None:
        """Refuse a vocabulary size that is smaller than the alphabet, if the alphabet is known.

        Raises:
            ConfigError: the target is too small.
        """
        run = self._workspace.run
        if run is not None and _same_alphabet(draft, run.config):
            n_alphabet = run.n_alphabet
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
    return one.same_cut(other) and all(getattr(one, name) == getattr(other, name) for name in _ALPHABET_FIELDS)


def _preset_text(name: str, title: str) -> str:
    """The name first, as scripts and the command line use it; then the title if it says more.

    Example:
        `_preset_text("cl100k", "GPT-4 (cl100k)")` is "cl100k (GPT-4)".
    """
    title = title.replace(f"({name})", "").strip()
    return name if title.lower() == name else f"{name} ({title})"


def _changed_from_preset(draft: TrainingConfig) -> set[str]:
    """The options in which a draft differs from its preset."""
    preset = type(draft).preset(draft.preset_name)
    return {field.name for field in fields(draft) if getattr(draft, field.name) != getattr(preset, field.name)}
