"""The settings: a preset by its purpose, every option with its help, what a change would cost, and Apply.

Editing makes a draft. Nothing changes until it is applied, and what applying would discard is said before.
"""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from bpe_studio.engine.presets import OPTION_HELP, PRESETS
from bpe_studio.errors import BpeError
from bpe_studio.gui.note import Note
from bpe_studio.gui.settings_editors import ChoiceEdit
from bpe_studio.gui.settings_form import SettingsForm
from bpe_studio.gui.split_preview import SplitPreview

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.workspace import Workspace


class SettingsPanel(QWidget):
    """The draft of the settings, and the way to apply it."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._applied = workspace.config
        self._draft: TrainingConfig | None = workspace.config
        self._error = ""
        self._is_filling = False
        self.preset = ChoiceEdit([(p.name, _preset_text(p.name, p.title), p.purpose) for p in PRESETS.values()])
        self.preset.setObjectName("settings.preset")
        self.preset.setAccessibleName("Preset")
        self.preset.setAccessibleDescription(OPTION_HELP["preset"])
        self.preset.setToolTip(OPTION_HELP["preset"])
        self.purpose = Note(role="plain")
        self.reset = QPushButton("Reset to preset")
        self.reset.setObjectName("settings.reset")
        self.reset.setAccessibleName("Reset to preset")
        self.preview = SplitPreview(workspace)
        self.form = SettingsForm(self.preview)
        self.status = Note()
        self.status.setObjectName("settings.status")
        self.discard = QPushButton("Discard changes")
        self.discard.setObjectName("settings.discard")
        self.discard.setAccessibleName("Discard changes")
        self.apply = QPushButton("Apply")
        self.apply.setObjectName("settings.apply")
        self.apply.setAccessibleName("Apply the settings")
        self._build()
        self._connect()
        self._show_config(workspace.config)

    @property
    def draft(self) -> TrainingConfig | None:
        """The settings as they are edited, or None while they make no sense."""
        return self._draft

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
        column = QVBoxLayout(inside)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(16)
        column.addLayout(head)
        column.addWidget(self.form, 1)
        area = QScrollArea(self)
        area.setObjectName("settings.area")
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.discard)
        buttons.addStretch(1)
        buttons.addWidget(self.apply)
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        line.setFrameShadow(QFrame.Shadow.Plain)
        line.setForegroundRole(self.palette().ColorRole.Mid)
        foot = QVBoxLayout()
        foot.setContentsMargins(12, 8, 12, 12)
        foot.setSpacing(8)
        foot.addWidget(self.status)
        foot.addLayout(buttons)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(area, 1)
        whole.addWidget(line)
        whole.addLayout(foot)
        self.setMinimumWidth(280)
        self._chain_focus()

    def _chain_focus(self) -> None:
        """Let Tab go through the panel from the top down."""
        chain: list[QWidget] = [self.preset, self.reset, *self.form.focus_chain(True)]
        chain += [self.preview.take, self.preview.text, self.form.more, *self.form.focus_chain(False)]
        chain += [self.discard, self.apply]
        for one, other in pairwise(chain):
            QWidget.setTabOrder(one, other)

    def _connect(self) -> None:
        self.preset.edited.connect(self._on_preset_edited)
        self.form.edited.connect(self._on_form_edited)
        self.reset.clicked.connect(self._on_preset_edited)
        self.discard.clicked.connect(self._on_discard_clicked)
        self.apply.clicked.connect(self._on_apply_clicked)
        self._workspace.config_changed.connect(self._on_config_changed)
        self._workspace.corpus_changed.connect(self._refresh)
        self._workspace.run_changed.connect(self._on_form_edited)
        self._workspace.state_changed.connect(self._refresh)

    def _show_config(self, config: TrainingConfig) -> None:
        self._is_filling = True
        try:
            self.preset.set_value(config.preset_name)
            self.form.set_config(config)
        finally:
            self._is_filling = False
        self._on_form_edited()

    @Slot()
    def _on_preset_edited(self) -> None:
        from bpe_studio.engine.config import TrainingConfig

        if not self._is_filling:
            self._show_config(TrainingConfig.preset(str(self.preset.value())))

    @Slot()
    def _on_form_edited(self) -> None:
        self._error = ""
        try:
            self._draft = self.form.draft(str(self.preset.value()))
            self._check_target(self._draft)
        except BpeError as error:
            self._draft, self._error = None, str(error)
        self.preview.set_draft(self._draft)
        self._refresh()

    @Slot()
    def _on_discard_clicked(self) -> None:
        self._show_config(self._workspace.config)

    @Slot()
    def _on_apply_clicked(self) -> None:
        if self._draft is not None and self._draft != self._workspace.config:
            self._workspace.apply_config(self._draft)
        self._refresh()

    @Slot(object)
    def _on_config_changed(self, config: TrainingConfig) -> None:
        was_untouched = self._draft == self._applied
        self._applied = config
        if was_untouched:
            self._show_config(config)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Say what applying would do, and enable what can be done."""
        draft = self._draft
        self._say_preset()
        self.discard.setVisible(draft != self._applied)
        self.apply.setEnabled(draft is not None and draft != self._applied)
        if draft is None:
            self.status.say("These settings cannot be used yet" if self.form.has_blamed else self._error, "error")
            self.apply.setToolTip(self._error)
        elif draft == self._applied:
            has_corpus = self._workspace.corpus is not None
            self.status.say("In use" if has_corpus else "In use for the next text that is opened", "help")
            self.apply.setToolTip("Nothing has been changed")
        else:
            lost = self._workspace.what_is_lost(draft)
            words = " ".join(filter(None, (lost, self._cut_again(draft))))
            self.status.say(words or "Nothing that was learned is lost.", "warning" if lost else "help")
            self.apply.setToolTip("Use these settings")

    def _say_preset(self) -> None:
        name = str(self.preset.value())
        self.purpose.say(PRESETS[name].purpose)
        changed = _changed_from_preset(self._draft) if self._draft is not None else set()
        if self._draft is not None:
            self.form.mark_changed(changed)
        can_reset = bool(changed) or self._draft is None
        self.reset.setEnabled(can_reset)
        self.reset.setToolTip(f"Gives every option the value of {PRESETS[name].title}" if can_reset else _IS_PRESET)

    def _check_target(self, draft: TrainingConfig) -> None:
        """Refuse a vocabulary size that does not hold the alphabet, where the alphabet is known.

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

    def _cut_again(self, draft: TrainingConfig) -> str:
        info = self._workspace.corpus
        if info is None or info.corpus.config.same_cut(draft):
            return ""
        return "The text is read and cut again."


_ALPHABET_FIELDS = ("units", "full_alphabet", "word_end", "word_end_as", "continuing")
_IS_PRESET = "Every option has the value of the preset"


def _same_alphabet(one: TrainingConfig, other: TrainingConfig) -> bool:
    return one.same_cut(other) and all(getattr(one, name) == getattr(other, name) for name in _ALPHABET_FIELDS)


def _preset_text(name: str, title: str) -> str:
    """The name first, as scripts and the command line know it; the title where it says more.

    Example:
        `_preset_text("cl100k", "GPT-4 (cl100k)")` is "cl100k (GPT-4)".
    """
    title = title.replace(f"({name})", "").strip()
    return name if title.lower() == name else f"{name} ({title})"


def _changed_from_preset(draft: TrainingConfig) -> set[str]:
    """The options in which a draft differs from its preset."""
    preset = type(draft).preset(draft.preset_name)
    return {field.name for field in fields(draft) if getattr(draft, field.name) != getattr(preset, field.name)}
