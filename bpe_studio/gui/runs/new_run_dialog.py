"""The dialog and the menu for a run of the same text with other settings, to compare with.

The dialog starts with the settings of the open run. Next to the form, it shows how the split cuts a
text, and the differences from the open run. It emits the settings and the name; the workspace
trains the run. The menu suggests runs with one other setting that do not exist yet.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import QDialog, QFrame, QLabel, QLineEdit, QMenu, QWidget

from bpe_studio.explain.comparison.suggestions import Suggestion, suggestions
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
    line,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import finish_controls, named, on_trigger, with_reason
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
    "Trains another run on the same text, with other settings, and compares it with the open run,"
    " which stays as it is."
)


class NewRunDialog(QDialog):
    """A draft of the settings, the preview of its split, the differences, a name, and *Run*.

    Signals:
        chosen: the settings, and the name of the run; "" to name it after the differences.
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
            "If you leave this empty, the run is named after what differs",
        )
        self.name.setMaxLength(200)
        self.differs = named(
            Note("", "plain", self), "new_run.differs", "Differences from the open run"
        )
        self.status = named(Note("", "help", self), "new_run.status", "Effort of training")
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
        between = line(QFrame.Shape.VLine, self)
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
        column(head, (body, 1), line(QFrame.Shape.HLine, self), foot, parent=self, spacing=0)
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
        message = self._takes(draft)
        if words:
            self.differs.set_message(f"Differs from {name} in: {words}")
            self.name.setPlaceholderText(messages.difference_words(self._base, draft))
            if why_not:
                message = why_not[:1].upper() + why_not[1:]
        else:
            self.differs.set_message(f"The same settings as {name}: change a setting or the preset")
            self.name.setPlaceholderText("")
        self.status.set_message(message, "help")

    def _mark(self, draft: TrainingConfig) -> None:
        """Mark the settings that differ from the open run, not those unlike the preset."""
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


def why_no_new_run(workspace: Workspace, config: TrainingConfig | None = None) -> str:
    """The reason why no comparison run can be trained now.

    Args:
        workspace: the open corpus and its runs.
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


def suggested(workspace: Workspace) -> tuple[Suggestion, ...]:
    """The runs that could be compared with the one that is shown."""
    configs = [branch.config for branch in workspace.runs.entries if branch.override is None]
    return suggestions(workspace.config, configs)


def add_suggestions(menu: QMenu, workspace: Workspace, train: Callable[[Suggestion], None]) -> None:
    """Add an action for each suggested run to a menu.

    Args:
        menu: the menu.
        workspace: the open corpus and its runs.
        train: called with the suggestion of an action that is used.
    """
    for each in suggested(workspace):
        action = menu.addAction(each.title)
        action.setObjectName(f"compare.suggest_{each.key}")
        why_not = why_no_new_run(workspace, each.config)
        action.setEnabled(not why_not)
        action.setToolTip(with_reason(f"Trains on the same text with {each.tip}", why_not))
        on_trigger(action, partial(train, each))
