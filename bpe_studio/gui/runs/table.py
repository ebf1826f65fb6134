"""The list of the runs of the open text and their branches: how they differ, and how far each is trained.

A branch is below the run that it came from. Names are edited in place. The table shows the workspace's runs and asks it
to show, rename and remove them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QObject, QPoint, QSize, Qt, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from bpe_studio.explain.names import isolated, override_text
from bpe_studio.explain.wording import number, plural
from bpe_studio.gui.actions_on.targets import Target, run_target
from bpe_studio.gui.background.scheduling import RefreshSlot
from bpe_studio.gui.tables.model import ISOLATES, Column, Export, Index, RowState, TableModel, each_row, widest_number
from bpe_studio.gui.tables.view import CompactTable
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.messages import difference_words
from bpe_studio.workspace.session import ROOT

if TYPE_CHECKING:
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

_INDENT = "\u2003"


class RunsModel(TableModel):
    """The runs and branches, a row each."""

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._entries: list[tuple[RunEntry, int]] = []
        self._shown = ROOT

    def show(self, entries: Sequence[RunEntry], shown: int) -> bool:
        """Show the current state of the runs; returns whether there are others than before."""
        found = _in_order(entries)
        is_same = [(each.number, depth) for each, depth in found] == [(e.number, depth) for e, depth in self._entries]
        if not is_same:
            self.beginResetModel()
        self._entries, self._shown = found, shown
        if not is_same:
            self.endResetModel()
        else:
            self.emit_all_changed()
        return not is_same

    def entry(self, row: int) -> RunEntry:
        """The run or branch in a row."""
        return self._entries[row][0]

    def row_of(self, number: int) -> int:
        """The row of a run or branch; -1 if there is none."""
        return next((row for row, (each, _) in enumerate(self._entries) if each.number == number), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._entries)

    def state(self, row: int) -> RowState:
        return RowState.CURRENT if self.entry(row).number == self._shown else RowState.APPLIED

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == self.NAME else flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.EditRole and index.isValid():
            return self.entry(index.row()).name
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not str(value).strip():
            return False
        self._workspace.runs.rename(self.entry(index.row()).number, str(value))
        return True

    # The columns.

    def _name(self, row: int) -> str:
        entry, depth = self._entries[row]
        shown = " · shown" if entry.number == self._shown else ""
        return f"{_INDENT * depth}{isolated(entry.name)}{shown}"

    def _changed(self, row: int) -> str:
        """The override of a branch, or the settings in which a side run differs."""
        entry = self.entry(row)
        if entry.is_side_run:
            return difference_words(self.entry(self.row_of(ROOT)).config, entry.config)
        return override_text(entry.override, entry.config)

    def _step(self, row: int) -> int | None:
        override = self.entry(row).override
        return None if override is None else override.step

    def _merges(self, row: int) -> int:
        return self.entry(row).position.n_merges

    def _tokens(self, row: int) -> int:
        return int(self.entry(row).run.n_tokens_at(self._merges(row)))

    def _parent(self, row: int) -> str | None:
        parent = self.entry(row).parent
        return None if parent is None else self.entry(self.row_of(parent)).name

    def _widest(self) -> str:
        return widest_number(*(self._tokens(row) for row in range(len(self._entries))), 1000)

    columns = (
        Column(
            "run", "The name of the run or branch; F2 renames it", _name, is_number=False, share=1.4,
            exports=(
                Export("run", each_row(lambda self, row: self.entry(row).name)), Export("came from", each_row(_parent)),
            ),
        ),
        Column(
            "changed", "The override of a branch, or the settings in which a run differs from the main run",
            # Not again if the run is named so.
            lambda self, row: "" if self._changed(row) == self.entry(row).name else self._changed(row),
            is_number=False, least_em=20,
            exports=(Export("changed", each_row(lambda self, row: self._changed(row).translate(ISOLATES))),),
        ),
        Column(
            "from step", "How many merges a branch has in common with the run that it came from",
            lambda self, row: "" if self._step(row) is None else number(self._step(row)), sample="from step",
            least_em=32, exports=(Export("from step", each_row(_step)),),
        ),
        Column(
            "merges", "How many merges are learned in it", lambda self, row: number(self._merges(row)),
            sample=_widest, exports=(Export("merges", each_row(_merges)),),
        ),
        Column(
            "corpus tokens", "Tokens of the whole corpus with all its merges",
            lambda self, row: number(self._tokens(row)), sample="corpus tokens", least_em=28,
            exports=(Export("corpus tokens", each_row(_tokens)),),
        ),
    )  # fmt: skip
    extra_exports = (Export("is shown", each_row(lambda self, row: self.state(row) is RowState.CURRENT)),)
    NAME, CHANGED, STEP, MERGES, TOKENS = range(len(columns))

    def tip(self, row: int, column: int) -> str:
        entry, changed = self.entry(row), self._changed(row)
        made = f"comparison run: {changed}" if entry.is_side_run else "the first run"
        if entry.override is not None:
            made = f"{changed} from step {number(entry.override.step)}"
        learned = f"{plural(self._merges(row), 'merge')}; with them the corpus has {plural(self._tokens(row), 'token')}"
        do = "It is shown now" if entry.number == self._shown else "Double-click or Enter shows it"
        return f"{entry.name}: {made}\n{learned}\n{do}; F2 renames it"


class RunsTable(CompactTable):
    """The table view; its actions are about the row of the keyboard."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self.runs = RunsModel(workspace, self)
        self._turn = RefreshSlot(workspace, self)
        self.setModel(self.runs)
        self.setObjectName("runs.table")
        self.setAccessibleName("Runs and their branches")
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.target_of = self._target_of
        name = "the current run or branch"
        self.switch = self._action("branches.switch", "Show", f"Shows {name} where it was left (Enter)")
        self.rename = self._action("branches.rename", "Rename", f"Renames {name} (F2)")
        self.remove = self._action("branches.remove", "Remove", f"Removes {name} and its branches (Del)")
        self.remove.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        self.remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.addActions([self.switch, self.rename, self.remove])
        workspace.runs.changed.connect(self.refresh)
        workspace.run_grew.connect(self._on_run_grew)
        self._turn.granted.connect(self.refresh)
        self.selectionModel().currentChanged.connect(self._enable)
        self.doubleClicked.connect(self._on_switch)
        self.switch.triggered.connect(self._on_switch)
        self.rename.triggered.connect(self._on_rename)
        self.remove.triggered.connect(self._on_remove)
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    @Slot()
    def _on_run_grew(self) -> None:
        if self.isVisible():
            self._turn.request()

    def _action(self, name: str, text: str, tip: str) -> QAction:
        action = named(QAction(text, self), name, "", tip)
        action.setProperty("tip", tip)
        return action

    @property
    def current_number(self) -> int | None:
        """The number of the current run or branch."""
        index = self.currentIndex()
        return self.runs.entry(index.row()).number if index.isValid() else None

    @Slot()
    def refresh(self) -> None:
        """Show the current state of the runs."""
        shown = self._workspace.runs.shown
        if self.runs.show(self._workspace.runs.entries, ROOT if shown is None else shown.number) and shown is not None:
            self.setCurrentIndex(self.runs.index(self.runs.row_of(shown.number), RunsModel.NAME))
        self.fit_columns()
        self._enable()

    @Slot()
    def _enable(self) -> None:
        current, shown = self.current_number, self._workspace.runs.shown
        none = "" if current is not None else "choose a run in the list first"
        is_shown = "it is already shown" if shown is not None and shown.number == current else ""
        root = "the first run stays as long as its text is open" if current == ROOT else ""
        for action, why_not in ((self.switch, none or is_shown), (self.rename, none), (self.remove, none or root)):
            action.setEnabled(not why_not)
            tip = str(action.property("tip"))
            action.setToolTip(f"{tip}\nNot now: {why_not}" if why_not else tip)

    @Slot()
    def _on_switch(self) -> None:
        if self.current_number is not None:
            self._workspace.runs.show(self.current_number)

    @Slot()
    def _on_rename(self) -> None:
        if self.state() is not QAbstractItemView.State.EditingState:
            self.edit(self.currentIndex().siblingAtColumn(RunsModel.NAME))

    @Slot()
    def _on_remove(self) -> None:
        if self.current_number is not None:
            self._workspace.runs.remove(self.current_number)

    def _target_of(self, index: QModelIndex, place: QPoint | None) -> Target | None:
        if place is not None:
            self.setCurrentIndex(index.siblingAtColumn(RunsModel.NAME))  # what the actions are about
        return run_target(self.runs.entry(index.row()).number)

    def menu_below(self) -> list[QAction]:
        return [action for action in self.actions() if action is not self.switch]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        is_editing = self.state() is QAbstractItemView.State.EditingState
        if is_enter and not is_editing:
            self._on_switch()
        elif event.key() == Qt.Key.Key_F2 and not is_editing:
            self._on_rename()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(420, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(7 * self.fontMetrics().height(), 60)


def _in_order(entries: Sequence[RunEntry], parent: int | None = None, depth: int = 0) -> list[tuple[RunEntry, int]]:
    """The runs and branches from top to bottom, each with its depth."""
    children = [each for each in entries if each.parent == parent]
    return [row for each in children for row in ((each, depth), *_in_order(entries, each.number, depth + 1))]
