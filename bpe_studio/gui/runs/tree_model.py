"""The model of the tree of runs, and its rows for export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QFont, QGuiApplication

from bpe_studio.explain.names import override_text
from bpe_studio.explain.wording import plural
from bpe_studio.gui.look import icons, theme
from bpe_studio.gui.look.qt_text import grouping_locale, plain_tip
from bpe_studio.gui.tables.model import ISOLATES, NUMBER, WORD, Column, Index
from bpe_studio.workspace.messages import difference_words
from bpe_studio.workspace.session import ROOT

if TYPE_CHECKING:
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

_ICON_PX = 16


class RunTreeModel(QAbstractItemModel):
    """The runs and branches, each below the one that it was branched from."""

    columns: tuple[Column[Any], ...] = (
        Column("run", "The name of the run or branch; F2 renames it", is_number=False),
        Column(
            "changed",
            "The override of a branch, or the settings in which a run differs from the main run",
            is_number=False,
        ),
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
        """Show the current state of the runs; returns whether the structure of the tree changed."""
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
        """The number of the run or branch in a row."""
        return int(index.internalId())

    def index_of(self, number: int, column: int = 0) -> QModelIndex:
        """The index of a run or branch."""
        branch = self._branches.get(number)
        if branch is None:
            return QModelIndex()
        return self.createIndex(self._children[branch.parent].index(number), column, number)

    def text(self, number: int, column: int) -> str:
        """The text of a cell."""
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
        """The settings in which a side run differs, unless its name says so."""
        words = difference_words(self._branches[ROOT].config, branch.config)
        return "" if words == branch.name else words

    def tip(self, number: int) -> str:
        """The tooltip of a row: its content, and what can be done with it."""
        branch = self._branches[number]
        decided = override_text(branch.override, branch.config)
        made = f"{decided} from step {self.text(number, self.STEP)}" if decided else "the first run"
        if branch.is_side_run:
            made = f"comparison run: {difference_words(self._branches[ROOT].config, branch.config)}"
        n_merges = branch.position.n_merges
        learned = f"{plural(n_merges, 'merge')}; with them the corpus has"
        n_tokens = plural(branch.run.n_tokens_at(n_merges), "token")
        do = "It is shown now" if number == self._shown else "Double-click or Enter shows it"
        return f"{branch.name}: {made}\n{learned} {n_tokens}\n{do}; F2 renames it"

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
            application = QGuiApplication.instance()
            assert isinstance(application, QGuiApplication)
            ratio, ink = application.devicePixelRatio(), theme.muted(QGuiApplication.palette())
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


HEADS = ("run", "came from", "changed", "from step", "merges", "corpus tokens", "is shown")


def in_order(branches: Sequence[RunEntry], parent: int | None = None) -> list[RunEntry]:
    """The runs and branches from top to bottom."""
    children = [each for each in branches if each.parent == parent]
    return [each for child in children for each in (child, *in_order(branches, child.number))]


def plain_rows(branches: Sequence[RunEntry], shown: int) -> list[Sequence[Value]]:
    """The exported cells of all rows, under `HEADS`.

    Args:
        branches: the runs and branches.
        shown: the number of the one that the window shows.
    """
    by_number = {branch.number: branch for branch in branches}
    return [_row(each, by_number, is_shown=each.number == shown) for each in in_order(branches)]


def _row(branch: RunEntry, by_number: dict[int, RunEntry], *, is_shown: bool) -> Sequence[Value]:
    parent = None if branch.parent is None else by_number[branch.parent].name
    if branch.is_side_run:
        changed = difference_words(by_number[ROOT].config, branch.config)
    else:
        changed = override_text(branch.override, branch.config)
    step = None if branch.override is None else branch.override.step
    n_merges = branch.position.n_merges
    n_tokens = int(branch.run.n_tokens_at(n_merges))
    return [branch.name, parent, changed.translate(ISOLATES), step, n_merges, n_tokens, is_shown]
