"""The dialog for the settings of a comparison run, which is trained on the same text.

It starts with the settings of the open run, shows next to the form how the split cuts a text, and
what differs from the open run. It emits the settings and the name; the workspace trains the run.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QLineEdit, QWidget

from bpe_studio.explain.names import elided
from bpe_studio.explain.settings import difference_words, settings_that_differ
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.settings.draft import SettingsDraft
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    MARGIN_PX,
    SPACING_PX,
    TIGHT_PX,
    column,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import finish_controls, named
from bpe_studio.gui.widgets.form_dialog import accept_or_cancel
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace import messages
from bpe_studio.workspace.corpus.text_files import why_no_text

if TYPE_CHECKING:
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.workspace.state import CorpusInfo
    from bpe_studio.workspace.workspace import Workspace

PREFIX = "new_run"
_ABOUT = (
    "A run on the same text with other settings. The open run stays as it is, and the two are"
    " compared."
)


class NewRunDialog(QDialog):
    """A draft of the settings with the preview of its split, what differs, a name, and Run.

    Signals:
        chosen: the settings, and the name of the run; "" for a name by what differs.
    """

    chosen = Signal(object, str)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._base: TrainingConfig = workspace.config
        self.setObjectName("new_run")
        self.setWindowTitle("New run with other settings")
        self.draft = SettingsDraft(workspace, PREFIX, keeps_target=True, is_wide=True, parent=self)
        self.name = named(
            QLineEdit(self),
            "new_run.name",
            "Name of the run",
            "The name of the run; if it is empty, the run is named after what differs",
        )
        self.name.setMaxLength(200)
        self.differs = named(
            Note("", "plain", self), "new_run.differs", "How it differs from the open run"
        )
        self.status = named(Note("", "help", self), "new_run.status", "What training takes")
        self.buttons, self.learn = accept_or_cancel(
            self, "learn", "&Run", cancel_tip="Closes the dialog without training"
        )
        self.learn.setAccessibleName("Run the training")
        self._build()
        finish_controls(self)
        self.resize(self.sizeHint())
        self.draft.edited.connect(self._refresh)
        self.learn.clicked.connect(self._on_learn)
        workspace.corpus_changed.connect(self.reject)
        workspace.state_changed.connect(self._refresh)
        self.draft.show_config(self._base)
        self.draft.preview.show_beginning()
        self.draft.preset.setFocus()

    def _build(self) -> None:
        about = Note(_ABOUT, "help", self)
        label = QLabel("&Name", self)
        label.setBuddy(self.name)
        changes = heading("Changes", parent=self)
        side = column(
            (self.draft.preview, 1),
            changes,
            self.differs,
            self.status,
            GROUP_PX,
            row(label, (self.name, 1)),
            spacing=SPACING_PX,
            margins=(GROUP_PX, TIGHT_PX, MARGIN_PX, MARGIN_PX),
        )
        between = _line(QFrame.Shape.VLine, self)
        content = QWidget()
        row((self.draft, 5), between, (side, 4), parent=content, spacing=0)
        body = scrolled(content, "new_run.scroll")
        foot = row(
            (self.draft.help, 1),
            GROUP_PX,
            self.buttons,
            margins=(MARGIN_PX, SPACING_PX, MARGIN_PX, MARGIN_PX),
        )
        head = column(about, margins=(MARGIN_PX, MARGIN_PX, MARGIN_PX, SPACING_PX))
        column(head, (body, 1), _line(QFrame.Shape.HLine, self), foot, parent=self, spacing=0)
        for one, other in pairwise((*self.draft.focus_chain(), self.name, self.learn)):
            QWidget.setTabOrder(one, other)

    def sizeHint(self) -> QSize:
        em = self.fontMetrics().height()
        parent = self.parentWidget()
        room = parent.window().size() if parent is not None else QSize(60 * em, 40 * em)
        return QSize(
            min(54 * em, room.width() - 40), max(24 * em, min(36 * em, room.height() - 40))
        )

    @Slot()
    def _refresh(self) -> None:
        """Show what differs, what training takes, and whether the run can be trained."""
        draft = self.draft.config
        why_not = self._why_not(draft)
        self.learn.setEnabled(not why_not)
        tip = plain_tip(f"Not now: {why_not}") if why_not else "Trains this run in the background"
        self.learn.setToolTip(tip)
        if draft is None:
            self.differs.set_message("")
            blamed = "One of the settings cannot be used yet; it says why"
            error = blamed if self.draft.form.has_blamed else self.draft.error
            self.status.set_message(error, "error")
            return
        words = difference_words(self._base, draft)
        self._mark(draft)
        branch = self._workspace.runs.shown
        name = elided(branch.name, 40) if branch is not None else "the open run"
        differs = (
            f"Differs from {name} in: {words}"
            if words
            else f"The same settings as {name}: change a setting, or the preset"
        )
        self.differs.set_message(differs)
        placeholder = messages.difference_words(self._base, draft) if words else ""
        self.name.setPlaceholderText(placeholder)
        message = why_not[:1].upper() + why_not[1:] if words and why_not else self._takes(draft)
        self.status.set_message(message, "help")

    def _mark(self, draft: TrainingConfig) -> None:
        """Mark what differs from the open run, in the stead of what differs from the preset."""
        found = settings_that_differ(self._base, draft)
        changes = {each.option: f"{each.b} instead of {each.a}" for each in found}
        self.draft.form.mark_changed(changes)

    def _why_not(self, draft: TrainingConfig | None) -> str:
        if draft is None:
            return self.draft.error or "the settings cannot be used yet"
        runs = (branch for branch in self._workspace.runs.entries if branch.override is None)
        same = next((run for run in runs if not messages.changed_fields(run.config, draft)), None)
        if same is not None:
            return f"“{elided(same.name, 40)}” has these settings already"
        return why_no_new_run(self._workspace, draft)

    def _takes(self, draft: TrainingConfig) -> str:
        info = self._workspace.corpus
        if info is None or _uses_same_words(info, draft):
            return "The word counts of the open run are reused"
        return "The text is read and split again"

    @Slot()
    def _on_learn(self) -> None:
        draft = self.draft.config
        if draft is not None and not self._why_not(draft):
            self.accept()
            self.chosen.emit(draft, self.name.text().strip())


def _line(shape: QFrame.Shape, parent: QWidget) -> QFrame:
    line = QFrame(parent)
    line.setFrameShape(shape)
    line.setFrameShadow(QFrame.Shadow.Plain)
    line.setForegroundRole(QPalette.ColorRole.Mid)
    return line


def why_no_new_run(workspace: Workspace, config: TrainingConfig | None = None) -> str:
    """Why no comparison run can be trained now.

    Args:
        workspace: what is open.
        config: the settings of the run; None if they are not known yet.

    Returns:
        The end of a sentence that begins with "Not now: "; "" if it can be trained.
    """
    from bpe_studio.workspace.corpus.text_files import NO_TEXT
    from bpe_studio.workspace.possible import why_reading, why_running

    info = workspace.corpus
    if info is None or workspace.run is None:
        return NO_TEXT
    if why := why_reading(workspace) or why_running(workspace):
        return why
    if config is not None and why_no_text(info) and not _uses_same_words(info, config):
        return "the text is not available, so it cannot be split differently; open the text first"
    return ""


def _uses_same_words(info: CorpusInfo, config: TrainingConfig) -> bool:
    """Whether settings cut the text into the words that are counted.

    Words given with counts are never cut.
    """
    return info.corpus.is_counted or config.same_cut(info.corpus.config)
