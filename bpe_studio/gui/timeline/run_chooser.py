"""The box beside the buttons of the views that names the shown run, and lists the others.

The list says how each run differs: a branch by its override, a comparison run by its settings. The
box is hidden while there is nothing to choose from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStyle, QStyleOptionComboBox, QWidget

from bpe_studio.engine.presets import PRESETS
from bpe_studio.explain.names import override_text
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, run_target
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.workspace.messages import difference_words
from bpe_studio.workspace.possible import why_running
from bpe_studio.workspace.session import ROOT

if TYPE_CHECKING:
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

TIP = "The run or branch that is shown; choose another to show it at the step where it was left"
NO_RUN = "No run yet"
WIDTH_EM = 13
LIST_WIDTH_EM = 40
_INDENT = "\u2003"
_GAP = "\u2003"


class RunChooser(HasContextMenu, QComboBox):
    """Lists the runs and branches, a branch below the run that it branches from."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._numbers: list[int] = []
        named(self, "run.chooser", "Run that is shown", TIP)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._on_activated)
        workspace.runs.changed.connect(self.refresh)
        workspace.run_changed.connect(self.refresh)
        workspace.state_changed.connect(self._on_state_changed)
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_EM * self.fontMetrics().height(), super().sizeHint().height())

    def target_at(self, place: QPoint) -> Target | None:
        shown = self._workspace.runs.shown
        return None if shown is None else run_target(shown.number)

    def current_target(self) -> tuple[Target | None, QPoint]:
        return self.target_at(QPoint()), self.rect().bottomLeft()

    @Slot()
    def refresh(self) -> None:
        """Update the list of runs."""
        entries = self._workspace.runs.entries
        shown = self._workspace.runs.shown
        self._numbers = [each.number for each in entries]
        depths: dict[int | None, int] = {None: -1}
        self.clear()
        for entry in entries:
            depths[entry.number] = depths.get(entry.parent, -1) + 1
            about = self._about(entry)
            line = f"{_INDENT * depths[entry.number]}{entry.name}"
            text = f"{line}{_GAP}{about}" if about and about not in entry.name else line
            self.addItem(text)
            self.setItemData(
                self.count() - 1, plain_tip(self._tip(entry)), Qt.ItemDataRole.ToolTipRole
            )
        if shown is not None:
            self.setCurrentIndex(self._numbers.index(shown.number))
        self.setHidden(len(entries) < 2)
        self._on_state_changed()

    @property
    def shown_text(self) -> str:
        """The name, the preset and the text of the shown run; for a tokenizer alone, its file."""
        shown = self._workspace.runs.shown
        if shown is None:
            return ""
        if not shown.corpus.has_words:
            return f"{shown.corpus.name} · tokenizer without a text"
        return f"{shown.name} · {PRESETS[shown.config.preset_name].title} · {shown.corpus.name}"

    def _about(self, entry: RunEntry) -> str:
        """The difference of a run from the others, in a few words."""
        if entry.override is not None:
            return override_text(entry.override, entry.config)
        if entry.number == ROOT and not entry.corpus.has_words:
            return entry.corpus.name
        if entry.number == ROOT:
            return PRESETS[entry.config.preset_name].title
        return difference_words(self._workspace.runs.entries[0].config, entry.config)

    def _tip(self, entry: RunEntry) -> str:
        entries = self._workspace.runs.entries
        lines = [entry.name]
        if entry.override is not None:
            parent = next((each.name for each in entries if each.number == entry.parent), "")
            lines.append(
                f"Branches from {parent} at step {number(entry.override.step)}:"
                f" {self._about(entry)}"
            )
        elif entry.number != ROOT:
            lines.append(f"Differs from {entries[0].name} in: {self._about(entry)}")
        if entry.corpus.has_words:
            lines.append(
                f"Preset {PRESETS[entry.config.preset_name].title}, text {entry.corpus.name}"
            )
        else:
            lines.append(f"The tokenizer {entry.corpus.name}, without a text")
        lines.append(f"{plural(entry.position.n_merges, 'merge')} learned")
        return "\n".join(lines)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the shown run, elided, because its text in the list is longer."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        option.currentText = self.fontMetrics().elidedText(
            self.shown_text or NO_RUN, Qt.TextElideMode.ElideRight, room.width() - 4
        )
        with QPainter(self) as painter:
            self.style().drawComplexControl(
                QStyle.ComplexControl.CC_ComboBox, option, painter, self
            )
            self.style().drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option, painter, self)

    def showPopup(self) -> None:
        view = self.view()
        wanted = view.sizeHintForColumn(0) + 2 * self.fontMetrics().height()
        view.setMinimumWidth(
            min(LIST_WIDTH_EM * self.fontMetrics().height(), max(self.width(), wanted))
        )
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        super().showPopup()

    @Slot()
    def _on_state_changed(self) -> None:
        workspace = self._workspace
        why_not = why_running(workspace) if self._numbers else "there is no run yet"
        shown = workspace.runs.shown
        now = "" if shown is None else f"\nNow: {self._tip(shown)}"
        enable(self, plain_tip(TIP + now), why_not)
        self.setAccessibleDescription(self.shown_text)
        self.update()

    @Slot(int)
    def _on_activated(self, place: int) -> None:
        shown = self._workspace.runs.shown
        if shown is None or self._numbers[place] != shown.number:
            self._workspace.runs.show(self._numbers[place])
            self.refresh()  # the run may not have been shown
