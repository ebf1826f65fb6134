"""The run that is shown, by its name, at the start of the transport; another run or branch is chosen here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QComboBox, QSizePolicy, QWidget

from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

TIP = "The run or branch that is shown; choose another to show it at the step where it was left"
WIDTH_EM = 9


class RunChooser(QComboBox):
    """Lists the runs and branches, a branch below what it branches from."""

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

    @Slot()
    def refresh(self) -> None:
        """Lists the runs as they are now."""
        entries, shown = self._workspace.runs.entries, self._workspace.runs.shown
        self._numbers = [each.number for each in entries]
        self.clear()
        self.addItems([each.name for each in entries])
        if shown is not None:
            self.setCurrentIndex(self._numbers.index(shown.number))
        self._on_state_changed()

    @Slot()
    def _on_state_changed(self) -> None:
        workspace = self._workspace
        why_not = "" if self._numbers else "there is no run yet"
        if workspace.state is State.running:
            why_not = "pause the run first"
        shown = workspace.runs.shown
        name = "" if shown is None else f"\nNow: {shown.name}"
        enable(self, TIP + name, why_not)

    @Slot(int)
    def _on_activated(self, place: int) -> None:
        shown = self._workspace.runs.shown
        if shown is None or self._numbers[place] != shown.number:
            self._workspace.runs.show(self._numbers[place])
            self.refresh()  # what could not be shown is not named
