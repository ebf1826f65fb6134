"""The tree of the runs of the open text and their branches: how they differ, and how far each is trained.

Names are edited in place. The tree shows the workspace's runs and asks it to show, rename and remove them; the panel
shows next to it how two of them differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from bpe_studio.gui.actions_on.context_menu import HasContextMenu
from bpe_studio.gui.actions_on.targets import Target, run_target
from bpe_studio.gui.background.panel_refresh import Needs, PanelRefresh, every
from bpe_studio.gui.look import theme
from bpe_studio.gui.runs.tree_model import HEADS, RunTreeModel, in_order, plain_rows
from bpe_studio.gui.tables.export import PlainRows, TableExport
from bpe_studio.gui.tables.model import Index
from bpe_studio.gui.tables.view import CHOSEN_ALPHA, MARGIN, PlainHeader
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.session import ROOT

if TYPE_CHECKING:
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.workspace import Workspace

_NAME_CHARACTERS = 26
"""A column is hidden if names would have room for fewer characters than this."""
GROWTH_MS = 100


class _PlainDelegate(QStyledItemDelegate):
    """A cell without a focus frame, because the row has one."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus


class RunTree(HasContextMenu, QTreeView, PlainRows):
    """The tree view.

    Signals:
        chosen: int, the number of the run or branch that the user moved to, or -1.
    """

    chosen = Signal(object)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._model = RunTreeModel(workspace, self)
        self._growth = PanelRefresh(self, workspace, self.refresh, running=every(GROWTH_MS), needs=Needs.shown)
        self.setModel(self._model)
        self.setHeader(PlainHeader(self))
        self.setObjectName("branches.tree")
        self.setAccessibleName("Runs and their branches")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(16)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        # The current row is what actions apply to; a selection would be painted in the accent colour as well.
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setItemDelegate(_PlainDelegate(self))
        self.setExpandsOnDoubleClick(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(RunTreeModel.NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(1)
        self._make_actions()
        self._connect()
        self.refresh()

    def _make_actions(self) -> None:
        name = "the current run or branch"
        self.switch = self._action("branches.switch", "Show", f"Shows {name} where it was left (Enter)")
        self.rename = self._action("branches.rename", "Rename", f"Renames {name} (F2)")
        self.remove = self._action("branches.remove", "Remove", f"Removes {name} and its branches (Del)")
        self.remove.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        self.remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.addActions([self.switch, self.rename, self.remove])
        self.table_export = TableExport(self)

    def _action(self, name: str, text: str, tip: str) -> QAction:
        action = named(QAction(text, self), name, "", tip)
        action.setProperty("tip", tip)
        return action

    def _connect(self) -> None:
        self._workspace.runs.changed.connect(self.refresh)
        self._workspace.run_grew.connect(self._growth.request)
        self.selectionModel().currentChanged.connect(self._on_moved)
        self.doubleClicked.connect(self._on_opened)
        self.switch.triggered.connect(self._on_switch)
        self.rename.triggered.connect(self._on_rename)
        self.remove.triggered.connect(self._on_remove)

    def plain_heads(self) -> list[str]:
        return list(HEADS)

    def all_plain_rows(self) -> list[Sequence[Value]]:
        shown = self._workspace.runs.shown
        return plain_rows(self._workspace.runs.entries, ROOT if shown is None else shown.number)

    def chosen_row(self) -> int:
        numbers = [branch.number for branch in in_order(self._workspace.runs.entries)]
        return numbers.index(self.current_number) if self.current_number in numbers else -1

    @property
    def current_number(self) -> int | None:
        """The number of the current run or branch."""
        index = self.currentIndex()
        return self._model.number(index) if index.isValid() else None

    @Slot()
    def refresh(self) -> None:
        """Show the current state of the runs."""
        branch = self._workspace.runs.shown
        before = self.current_number
        is_other = self._model.show(self._workspace.runs.entries, ROOT if branch is None else branch.number)
        if is_other:
            if len(self._workspace.runs.entries) > 1:
                self.expandAll()
            index = self._model.index_of(before if before is not None and branch is None else -1)
            if branch is not None:
                index = self._model.index_of(branch.number)
            self.setCurrentIndex(index)
            if self.isVisible():
                self._hide_columns()
        self._enable()

    @Slot()
    def _on_moved(self) -> None:
        self._enable()
        number = self.current_number
        self.chosen.emit(-1 if number is None else number)

    def _enable(self) -> None:
        number, branch = self.current_number, self._workspace.runs.shown
        none = "" if number is not None else "choose a branch in the tree first"
        shown = "it is already shown" if branch is not None and branch.number == number else ""
        root = "the first run stays as long as its text is open" if number == ROOT else ""
        for action, why_not in ((self.switch, none or shown), (self.rename, none), (self.remove, none or root)):
            action.setEnabled(not why_not)
            tip = str(action.property("tip"))
            action.setToolTip(f"{tip}\nNot now: {why_not}" if why_not else tip)

    @Slot(QModelIndex)
    def _on_opened(self, index: QModelIndex) -> None:
        self._workspace.runs.show(self._model.number(index))

    @Slot()
    def _on_switch(self) -> None:
        if self.currentIndex().isValid():
            self._on_opened(self.currentIndex())

    @Slot()
    def _on_rename(self) -> None:
        if self.state() is not QAbstractItemView.State.EditingState:
            self.edit(self.currentIndex().siblingAtColumn(RunTreeModel.NAME))

    @Slot()
    def _on_remove(self) -> None:
        number = self.current_number
        if number is not None:
            self._workspace.runs.remove(number)

    def target_at(self, place: QPoint) -> Target | None:
        index = self.indexAt(place)
        if index.isValid():
            self.setCurrentIndex(index.siblingAtColumn(0))  # what the actions below are about
        return run_target(self._model.number(index)) if index.isValid() else None

    def current_target(self) -> tuple[Target | None, QPoint]:
        number, rect = self.current_number, self.visualRect(self.currentIndex())
        return (None if number is None else run_target(number)), rect.bottomLeft()

    def menu_below(self) -> list[QAction]:
        return [action for action in self.actions() if action is not self.switch]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and self.state() is not QAbstractItemView.State.EditingState:
            self._on_switch()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._hide_columns()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._hide_columns()

    def _hide_columns(self) -> None:
        """Hide the columns for which there is no room next to the names; the most important ones stay longest."""
        header, metrics = self.header(), self.header().fontMetrics()
        room = self.viewport().width() - _NAME_CHARACTERS * self.fontMetrics().averageCharWidth() - 48
        for column in (RunTreeModel.STEP, RunTreeModel.MERGES, RunTreeModel.TOKENS, RunTreeModel.CHANGED):
            title = metrics.horizontalAdvance(RunTreeModel.columns[column].title) + 2 * MARGIN
            width = max(title, self.sizeHintForColumn(column) + MARGIN)
            room -= width
            self.setColumnHidden(column, room < 0)
            header.resizeSection(column, width)

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        # As in the tables: a translucent background, and a focus frame.
        ink, row = self.palette().color(QPalette.ColorRole.Text), options.rect
        is_current = self.currentIndex().siblingAtColumn(0) == index.sibling(index.row(), 0)
        if is_current:
            painter.fillRect(row, theme.with_alpha(ink, CHOSEN_ALPHA))
        super().drawRow(painter, options, index)
        if is_current and self.hasFocus():
            painter.setPen(theme.with_alpha(ink, 0.8))
            painter.drawRect(row.adjusted(0, 0, -1, -1))

    def sizeHint(self) -> QSize:
        return QSize(420, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(7 * self.fontMetrics().height(), 60)
