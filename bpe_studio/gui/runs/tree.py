"""The runs of the open text as a tree, each with its branches: what is different in them, how far each is trained.

Names are edited in place. The tree draws the workspace's branches and asks it to show, rename and remove them; how two
of them differ is shown beside it (`panel.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QFont, QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPalette, QResizeEvent
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

from bpe_studio.explain.names import override_text
from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.look.plain_tip import plain_tip
from bpe_studio.gui.runs.tree_rows import HEADS, in_order, plain_rows
from bpe_studio.gui.tables.export import PlainRows, TableExport
from bpe_studio.gui.tables.model import NUMBER, WORD, Column, Index
from bpe_studio.gui.tables.view import CHOSEN_ALPHA, MARGIN, PlainHeader, with_alpha
from bpe_studio.workspace.messages import difference_words
from bpe_studio.workspace.session import ROOT

if TYPE_CHECKING:
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

_NAME_CHARACTERS = 26
"""How many characters of a name have room before a column is left out."""
_ICON_PX = 16


class RunTreeModel(QAbstractItemModel):
    """One row a branch, under the one that it came from."""

    columns = (
        Column("run", "What the run or branch is called; F2 renames it", False),
        Column("changed", "The override of a branch, or the settings in which a run differs from the main run", False),
        Column("from step", "How many merges a branch has in common with the run that it came from"),
        Column("merges", "How many merges are learned in it"),
        Column("corpus tokens", "Tokens of the whole corpus with all its merges"),
    )
    NAME, CHANGED, STEP, MERGES, TOKENS = range(5)

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._branches: dict[int, RunEntry] = {}
        self._children: dict[int | None, list[int]] = {}
        self._shown = ROOT

    def show(self, branches: Sequence[RunEntry], shown: int) -> bool:
        """Show the branches as they stand now; says whether the tree is another one."""
        by_number = {branch.number: branch for branch in branches}
        is_same = [(each.number, each.parent) for each in branches] == [
            (each.number, each.parent) for each in self._branches.values()
        ]
        if not is_same:
            self.beginResetModel()
        self._branches, self._shown = by_number, shown
        if not is_same:
            self._children = {}
            for branch in branches:
                self._children.setdefault(branch.parent, []).append(branch.number)
            self.endResetModel()
            return True
        for number in by_number:
            self.dataChanged.emit(self.index_of(number), self.index_of(number, self.TOKENS))
        return False

    def number(self, index: Index) -> int:
        """The number of the branch in a row."""
        return int(index.internalId())

    def index_of(self, number: int, column: int = 0) -> QModelIndex:
        """Where a branch stands."""
        branch = self._branches.get(number)
        if branch is None:
            return QModelIndex()
        return self.createIndex(self._children[branch.parent].index(number), column, number)

    def text(self, number: int, column: int) -> str:
        """What a cell says."""
        branch, grouped = self._branches[number], grouping_locale().toString
        if column == self.NAME:
            return branch.name
        if column == self.CHANGED:
            return self._other_settings(branch) if branch.is_side_run else override_text(branch.override, branch.config)
        if column == self.STEP:
            return "" if branch.override is None else grouped(branch.override.step)
        n_merges = branch.position.n_merges
        return grouped(n_merges if column == self.MERGES else branch.run.n_tokens_at(n_merges))

    def _other_settings(self, branch: RunEntry) -> str:
        """What is different in a side run, where its name does not say it."""
        words = difference_words(self._branches[ROOT].config, branch.config)
        return "" if words == branch.name else words

    def tip(self, number: int) -> str:
        """All that the row says, and what can be done."""
        branch = self._branches[number]
        decided = override_text(branch.override, branch.config)
        made = f"{decided} from step {self.text(number, self.STEP)}" if decided else "the first run"
        if branch.is_side_run:
            made = f"comparison run: {difference_words(self._branches[ROOT].config, branch.config)}"
        learned = f"{self.text(number, self.MERGES)} merges; with them the corpus has"
        do = "It is shown now" if number == self._shown else "Double-click or Enter shows it"
        return f"{branch.name}: {made}\n{learned} {self.text(number, self.TOKENS)} tokens\n{do}; F2 renames it"

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008 - Qt's own
        numbers = self._children.get(self.number(parent) if parent.isValid() else None, [])
        if not 0 <= row < len(numbers) or not 0 <= column < len(self.columns):
            return QModelIndex()
        return self.createIndex(row, column, numbers[row])

    def parent(self, index: Index = QModelIndex()) -> Any:  # noqa: B008 - Qt's own default
        if not index.isValid():
            return QModelIndex()
        branch = self._branches.get(self.number(index))
        return QModelIndex() if branch is None or branch.parent is None else self.index_of(branch.parent)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        if parent.isValid() and parent.column():
            return 0
        return len(self._children.get(self.number(parent) if parent.isValid() else None, ()))

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return len(self.columns)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == self.NAME else flags

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        answers = {
            Qt.ItemDataRole.DisplayRole: column.title,
            Qt.ItemDataRole.ToolTipRole: column.tip,
            Qt.ItemDataRole.TextAlignmentRole: NUMBER if column.is_number else WORD,
        }
        return answers.get(Qt.ItemDataRole(role))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or self.number(index) not in self._branches:
            return None
        number, column = self.number(index), index.column()
        is_shown = number == self._shown
        is_name = column == self.NAME
        if role == Qt.ItemDataRole.DisplayRole:
            text = self.text(number, column)
            return f"{text} · shown" if is_name and is_shown else text
        if role == Qt.ItemDataRole.EditRole:
            return self.text(number, column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return NUMBER if self.columns[column].is_number else WORD
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self.tip(number))
        if role == Qt.ItemDataRole.FontRole:
            return self._font(is_shown, self.columns[column].is_number)
        if role == Qt.ItemDataRole.DecorationRole and is_name:
            ratio, ink = QGuiApplication.instance().devicePixelRatio(), theme.muted(QGuiApplication.palette())
            kind = "branch" if self._branches[number].parent is not None else "side_run"
            return icons.pixmap("shown" if is_shown else kind, _ICON_PX, ink, ratio)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not str(value).strip():
            return False
        self._workspace.runs.rename(self.number(index), str(value))
        return True

    def _font(self, is_shown: bool, is_number: bool) -> QFont:
        font = theme.numeric_font() if is_number else QFont()
        font.setBold(is_shown and not is_number)
        return font


class _PlainDelegate(QStyledItemDelegate):
    """A cell without a frame of its own: the row has one."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus  # type: ignore[attr-defined]


class RunTree(QTreeView, PlainRows):
    """The tree; it follows the workspace.

    Signals:
        chosen: int, the branch that the person has moved to, or -1.
    """

    chosen = Signal(object)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._model = RunTreeModel(workspace, self)
        self.setModel(self._model)
        self.setHeader(PlainHeader(self))
        self.setObjectName("branches.tree")
        self.setAccessibleName("Runs and their branches")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(16)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        # The row where the keys are is the one that is meant; a selection besides would be painted in the accent.
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
        name = "the chosen run or branch"
        self.switch = self._action("branches.switch", "Show", f"Shows {name} where it was left (Enter)")
        self.rename = self._action("branches.rename", "Rename", f"Gives {name} another name (F2)")
        self.remove = self._action("branches.remove", "Remove", f"Removes {name}, and what came from it (Del)")
        self.remove.setShortcut(QKeySequence(QKeySequence.StandardKey.Delete))
        self.remove.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.addActions([self.switch, self.rename, self.remove])
        self.table_export = TableExport(self)

    def _action(self, name: str, text: str, tip: str) -> QAction:
        action = QAction(text, self)
        action.setObjectName(name)
        action.setToolTip(tip)
        action.setProperty("tip", tip)
        return action

    def _connect(self) -> None:
        self._workspace.runs.changed.connect(self.refresh)
        self._workspace.run_grew.connect(self.refresh)
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
        """The branch that is chosen in the tree."""
        index = self.currentIndex()
        return self._model.number(index) if index.isValid() else None

    @Slot()
    def refresh(self) -> None:
        """Show the branches as they stand now."""
        branch = self._workspace.runs.shown
        before = self.current_number
        is_other = self._model.show(self._workspace.runs.entries, ROOT if branch is None else branch.number)
        if is_other:
            self.expandAll()
            index = self._model.index_of(before if before is not None and branch is None else -1)
            if branch is not None:
                index = self._model.index_of(branch.number)
            self.setCurrentIndex(index)
            self._leave_out()
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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and self.state() is not QAbstractItemView.State.EditingState:
            self._on_switch()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._leave_out()

    def _leave_out(self) -> None:
        """Show the columns that leave a name its room, the most telling first."""
        header, metrics = self.header(), self.header().fontMetrics()
        room = self.viewport().width() - _NAME_CHARACTERS * self.fontMetrics().averageCharWidth() - 48
        for column in (RunTreeModel.STEP, RunTreeModel.MERGES, RunTreeModel.TOKENS, RunTreeModel.CHANGED):
            title = metrics.horizontalAdvance(RunTreeModel.columns[column].title) + 2 * MARGIN
            width = max(title, self.sizeHintForColumn(column) + MARGIN)
            room -= width
            self.setColumnHidden(column, room < 0)
            header.resizeSection(column, width)

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        # As in the tables: a veil, so that words stay legible, and a line around where the keys are.
        ink, row = self.palette().color(QPalette.ColorRole.Text), options.rect  # type: ignore[attr-defined]
        is_current = self.currentIndex().siblingAtColumn(0) == index.siblingAtColumn(0)
        if is_current:
            painter.fillRect(row, with_alpha(ink, CHOSEN_ALPHA))
        super().drawRow(painter, options, index)
        if is_current and self.hasFocus():
            painter.setPen(with_alpha(ink, 0.8))
            painter.drawRect(row.adjusted(0, 0, -1, -1))

    def sizeHint(self) -> QSize:
        return QSize(420, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(7 * self.fontMetrics().height(), 60)
