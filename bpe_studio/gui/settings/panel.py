"""The panel Settings: a draft, a note about the effect of applying it, and Apply.

Editing changes only the draft (`draft.py`). Nothing else changes until it is applied.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from bpe_studio.explain.names import elided
from bpe_studio.gui.settings.draft import SettingsDraft
from bpe_studio.gui.widgets.containers import MARGIN_PX, SPACING_PX, STRETCH, column, line, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import Note
from bpe_studio.workspace.corpus.text_files import why_no_text
from bpe_studio.workspace.messages import changed_fields

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.workspace import Workspace


class SettingsPanel(QWidget):
    """The draft of the settings, and the controls that apply it."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._applied = workspace.config
        self.area = SettingsDraft(workspace, parent=self)
        self.preset = self.area.preset
        self.help = self.area.help
        self.reset = self.area.reset
        self.form = self.area.form
        self.preview = self.area.preview
        self.status = named(Note(), "settings.status")
        self.discard = named(QPushButton("Discard changes"), "settings.discard", "Discard changes")
        self.apply = named(QPushButton("Apply"), "settings.apply", "Apply the settings")
        self._build()
        self._connect()
        self._show_config(workspace.config)

    @property
    def draft(self) -> TrainingConfig | None:
        """The edited settings, or None while they are not valid."""
        return self.area.config

    def _build(self) -> None:
        buttons = row(self.discard, STRETCH, self.apply)
        margins = (MARGIN_PX, SPACING_PX, MARGIN_PX, MARGIN_PX)
        foot = column(self.help, self.status, buttons, margins=margins)
        column((self.area, 1), line(QFrame.Shape.HLine), foot, parent=self, spacing=0)
        # Only the form scrolls, and Apply stays in sight; otherwise the layout would give the form
        # its full height.
        self.area.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.area.setMinimumHeight(160)
        self.setMinimumWidth(280)
        # The tab order is from top to bottom.
        for one, other in pairwise((*self.area.focus_chain(), self.discard, self.apply)):
            QWidget.setTabOrder(one, other)

    def _connect(self) -> None:
        self.area.edited.connect(self._refresh)
        self.discard.clicked.connect(self._on_discard_clicked)
        self.apply.clicked.connect(self._on_apply_clicked)
        self._workspace.config_changed.connect(self._on_config_changed)
        self._workspace.corpus_changed.connect(self._refresh)
        self._workspace.state_changed.connect(self._refresh)

    def _show_config(self, config: TrainingConfig) -> None:
        self.area.show_config(config)

    @Slot()
    def _on_discard_clicked(self) -> None:
        self._show_config(self._workspace.config)

    @Slot()
    def _on_apply_clicked(self) -> None:
        if self.draft is not None and self.draft != self._workspace.config:
            self._workspace.settings.apply(self.draft)
        self._refresh()

    @Slot(object)
    def _on_config_changed(self, config: TrainingConfig) -> None:
        was_untouched = self.draft == self._applied
        self._applied = config
        if was_untouched:
            self._show_config(config)
        self._refresh()

    @Slot()
    def _refresh(self) -> None:
        """Show the effect of applying the draft, and enable the buttons."""
        draft = self.draft
        self.discard.setVisible(draft != self._applied)
        self.apply.setEnabled(draft is not None and draft != self._applied)
        if draft is None:
            error = self.area.error
            message = "These settings cannot be used yet" if self.form.has_blamed else error
            self.status.set_message(message, "error")
            self.apply.setToolTip(error)
        elif draft == self._applied:
            run = self._workspace.runs.shown
            whose = (
                "for the next text that is opened" if run is None else f"by {elided(run.name, 40)}"
            )
            self.status.set_message(f"In use {whose}", "help")
            self.apply.setToolTip("Nothing has been changed")
        else:
            self._show_effect(draft)

    def _show_effect(self, draft: TrainingConfig) -> None:
        info = self._workspace.corpus
        is_cut_again = info is not None and not draft.same_cut(info.corpus.config)
        if is_cut_again and info is not None and info.lacks_text:
            why_not = why_no_text(info)
            self.status.set_message(
                f"These settings split the text differently: {why_not}", "warning"
            )
            self.apply.setEnabled(False)
            self.apply.setToolTip(why_not)
            return
        is_new = self._workspace.n_merges > 0 and changed_fields(self._workspace.config, draft)
        words = "Starts a new run; Undo brings this one back." if is_new else "No merges are lost."
        if is_cut_again:
            words += " The text is read and split again."
        self.status.set_message(words, "help")
        self.apply.setToolTip("Uses these settings")
