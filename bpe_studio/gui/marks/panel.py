"""The panel Stops and bookmarks: conditions at which a run stops, and steps with a name.

It shows and changes the marks of the workspace; every change can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from bpe_studio.explain.merges import bookmark_name
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.tables.export import TableExport
from bpe_studio.gui.tables.model import Index
from bpe_studio.gui.widgets.containers import STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.marks import Bookmark, Breakpoint, Question, breakpoint_in_words
from bpe_studio.workspace.possible import why_no_run, why_no_stop

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

WIDTH_PX = 300
NO_BREAKPOINTS = "A breakpoint stops a run at the merges that you want to see: add one above"
NO_BOOKMARKS = "A bookmark names a step, so that you can return to it"


QUESTIONS = (
    (Question.token, "the token is", "␣the", "The whole token; ␣ is a space"),
    (
        Question.contains,
        "the token contains",
        "th",
        "The text that the token contains; ␣ is a space",
    ),
    (Question.length, "the token's characters reach", "8", "The least number of characters"),
    (Question.tie, "a tie decides", "", "A tie decides where several pairs have the highest count"),
    (
        Question.count_below,
        "the pair's count falls below",
        "100",
        "The count of the merged pair in the corpus",
    ),
    (
        Question.word,
        "a word becomes one token",
        "because",
        "The word, with a space before it or not",
    ),
)
"""The conditions: each with its words, an example of a value, and the tooltip of the value."""
_WANTED = {
    Question.token: "Type the token",
    Question.contains: "Type the text that the token contains",
    Question.word: "Type the word",
}
_NUMBERS = {Question.length: "characters", Question.count_below: "a count"}


_MARGIN_PX = 12


class MarksPanel(FollowsLook, QWidget):
    """Two groups: breakpoints and bookmarks."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._is_showing = False
        self.editor = BreakpointEditor()
        self.breakpoints = _MarksList(NO_BREAKPOINTS, ("stops when",))
        self.previous = QPushButton("Previous stop")
        self.next = QPushButton("Next stop")
        self.remove = QPushButton("Remove")
        self.name = QLineEdit()
        self.bookmark = QPushButton("Bookmark this step")
        self.bookmarks = _MarksList(NO_BOOKMARKS, ("step", "name"))
        self.unmark = QPushButton("Remove")
        self._name_parts()
        self._build()
        self._connect()
        self.follow_look()

    def _name_parts(self) -> None:
        self.setMinimumWidth(WIDTH_PX)
        tip = "A tick means that the breakpoint is on. Space turns it on and off, Del removes it"
        named(self.breakpoints, "marks.breakpoints", "Breakpoints", tip)
        tip = "Enter or a click goes to the step, F2 changes the name, Del removes the bookmark"
        named(self.bookmarks, "marks.bookmarks", "Bookmarks, by step", tip)
        tip = "The name of the current step; if left empty, the token of its merge"
        named(self.name, "marks.name", "Name of the bookmark", tip)
        named(self.previous, "marks.previous", "Previous stop")
        named(self.next, "marks.next", "Next stop")
        named(self.remove, "marks.remove", "Remove the breakpoint")
        named(self.bookmark, "marks.bookmark", "Bookmark this step")
        named(self.unmark, "marks.unmark", "Remove the bookmark")

    def _build(self) -> None:
        stops = WrappingRow()
        stops.add(self.remove)
        stops.add_spring()
        stops.add(self.previous)
        stops.add(self.next)
        column(
            _heading("&Stop when", self.editor.question),
            self.editor,
            (self.breakpoints, 3),
            stops,
            8,
            _heading("Book&marks", self.name),
            row(self.name, self.bookmark),
            (self.bookmarks, 4),
            row(self.unmark, STRETCH),
            parent=self,
            margins=_MARGIN_PX,
        )

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.marks.changed.connect(self._show_marks)
        workspace.step_changed.connect(self._show_step)
        workspace.run_changed.connect(self._show_state)
        workspace.state_changed.connect(self._show_state)
        self.editor.entered.connect(self._on_entered)
        self.breakpoints.itemChanged.connect(self._on_ticked)
        self.breakpoints.removal_requested.connect(self._on_remove)
        self.breakpoints.itemSelectionChanged.connect(self._show_state)
        self.remove.clicked.connect(self._on_remove)
        self.next.clicked.connect(self._on_next)
        self.previous.clicked.connect(self._on_previous)
        self.name.returnPressed.connect(self._on_bookmark)
        self.bookmark.clicked.connect(self._on_bookmark)
        self.bookmarks.itemChanged.connect(self._on_renamed)
        self.bookmarks.chosen.connect(self._on_chosen)
        self.bookmarks.removal_requested.connect(self._on_unmark)
        self.bookmarks.itemSelectionChanged.connect(self._show_state)
        self.unmark.clicked.connect(self._on_unmark)

    def font_changed(self) -> None:
        self._show_marks()

    @Slot()
    def _show_marks(self) -> None:
        self._is_showing = True
        marks = self._workspace.marks
        breakpoints = [_row_of_breakpoint(point) for point in marks.breakpoints]
        self.breakpoints.show_rows(breakpoints)
        bookmarks = [_row_of_bookmark(each, number(each.step)) for each in marks.bookmarks]
        self.bookmarks.show_rows(bookmarks)
        self._is_showing = False
        self._show_step()
        self._show_state()

    @Slot()
    def _show_step(self) -> None:
        """Show the bookmark of the current step, or the name that a new one would get."""
        step = self._workspace.step
        self._is_showing = True
        for place, each in enumerate(self._workspace.marks.bookmarks):
            item = self.bookmarks.topLevelItem(place)
            if item is None:
                continue
            font = item.font(1)
            if font.bold() != (each.step == step):
                for column in (0, 1):
                    font = item.font(column)
                    font.setBold(each.step == step)
                    item.setFont(column, font)
        self._is_showing = False
        if self.isVisible() or not self.name.placeholderText():
            self.name.setPlaceholderText(f"such as {bookmark_name(self._workspace.run, step)}")

    @Slot()
    def _show_state(self) -> None:
        workspace = self._workspace
        why_none = why_no_run(workspace)
        why = why_no_stop(workspace)
        enable(self.next, "Goes to the next breakpoint", why)
        enable(self.previous, "Goes to the previous breakpoint", why)
        tip = "Bookmarks the current step with this name (Enter)"
        enable(self.bookmark, tip, why_none)
        self.name.setEnabled(not why_none)
        why = "" if self.breakpoints.selectedItems() else "select a breakpoint first"
        enable(self.remove, "Removes the selected breakpoint (Del)", why)
        why = "" if self.bookmarks.selectedItems() else "select a bookmark first"
        enable(self.unmark, "Removes the selected bookmark (Del)", why)

    @Slot(object)
    def _on_entered(self, point: Breakpoint) -> None:
        points = self._workspace.marks.breakpoints
        self._workspace.marks.set_breakpoints([*points, point])
        asked = [
            (each.question, each.text, each.number) for each in self._workspace.marks.breakpoints
        ]
        wanted = (point.question, point.text, point.number)
        place = asked.index(wanted) if wanted in asked else len(asked) - 1
        self.breakpoints.choose(place)

    @Slot(object, object)
    def _on_ticked(self, item: QTreeWidgetItem, _column: object) -> None:
        if self._is_showing:
            return
        place = self.breakpoints.indexOfTopLevelItem(item)
        points = list(self._workspace.marks.breakpoints)
        points[place] = replace(points[place], is_on=item.checkState(0) is Qt.CheckState.Checked)
        self.breakpoints.later(partial(self._workspace.marks.set_breakpoints, points))

    @Slot()
    def _on_remove(self) -> None:
        place = self.breakpoints.place
        if place >= 0:
            points = self._workspace.marks.breakpoints
            self._workspace.marks.set_breakpoints(points[:place] + points[place + 1 :])
            self.breakpoints.choose(min(place, len(points) - 2))

    @Slot()
    def _on_next(self) -> None:
        self._workspace.transport.go_to_stop()

    @Slot()
    def _on_previous(self) -> None:
        self._workspace.transport.go_to_stop(is_back=True)

    @Slot()
    def _on_bookmark(self) -> None:
        step = self._workspace.step
        if self.bookmark.isEnabled():
            name = self.name.text().strip() or bookmark_name(self._workspace.run, step)
            self._workspace.marks.add_bookmark(step, name)
            self.name.clear()
            steps = [each.step for each in self._workspace.marks.bookmarks]
            self.bookmarks.choose(steps.index(step))

    @Slot(object, object)
    def _on_renamed(self, item: QTreeWidgetItem, _column: object) -> None:
        if self._is_showing:
            return
        place = self.bookmarks.indexOfTopLevelItem(item)
        marks = list(self._workspace.marks.bookmarks)
        name = item.text(1).strip()
        marks[place] = replace(marks[place], name=name or marks[place].name)
        if name == item.text(1) and name == self._workspace.marks.bookmarks[place].name:
            return
        self.bookmarks.later(partial(self._rename, marks))

    def _rename(self, marks: list[Bookmark]) -> None:
        self._workspace.marks.set_bookmarks(marks)
        self._show_marks()

    @Slot(object)
    def _on_chosen(self, place: int) -> None:
        self._workspace.transport.go_to(self._workspace.marks.bookmarks[place].step)

    @Slot()
    def _on_unmark(self) -> None:
        place = self.bookmarks.place
        if place >= 0:
            marks = self._workspace.marks.bookmarks
            self._workspace.marks.set_bookmarks(marks[:place] + marks[place + 1 :])
            self.bookmarks.choose(min(place, len(marks) - 2))


def _row_of_breakpoint(point: Breakpoint) -> QTreeWidgetItem:
    words = breakpoint_in_words(point)
    text = f"{words} (off)"
    check = Qt.CheckState.Unchecked
    state = "off"
    if point.is_on:
        text = words
        check = Qt.CheckState.Checked
        state = "on"
    item = QTreeWidgetItem([text])
    item.setFlags(
        Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
    )
    item.setCheckState(0, check)
    item.setToolTip(0, plain_tip(f"Stop when {words}: {state}"))
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"Stop when {words}, {state}")
    return item


def _row_of_bookmark(mark: Bookmark, step: str) -> QTreeWidgetItem:
    item = QTreeWidgetItem([step, mark.name])
    item.setFlags(
        Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable
    )
    item.setFont(0, theme.numeric_font())
    item.setTextAlignment(0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    item.setToolTip(0, f"Step {step}")
    item.setToolTip(1, plain_tip(mark.name))
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"Step {step}")
    return item


def _heading(text: str, buddy: QWidget) -> QLabel:
    label = heading(text)
    label.setBuddy(buddy)
    return label


class BreakpointEditor(QWidget):
    """A breakpoint as a sentence: "Stop when", a condition, its text or number, and Add.

    If a value is not valid, a note says why, and nothing is added.

    Signals:
        entered: Breakpoint, which the user adds.
    """

    entered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.question = QComboBox()
        self.value = QLineEdit()
        self.add = QPushButton("Add")
        self.note = Note()
        self._build()
        self.question.currentIndexChanged.connect(self._on_question_changed)
        self.value.textEdited.connect(self._on_edited)
        self.value.returnPressed.connect(self._on_add)
        self.add.clicked.connect(self._on_add)
        self._on_question_changed()

    def _build(self) -> None:
        named(
            self.question,
            "marks.question",
            "Stop when",
            "The condition that every merge of a run is checked for",
        )
        for question, words, _, _ in QUESTIONS:
            self.question.addItem(words, question.value)
        self.value.setObjectName("marks.value")
        self.value.setClearButtonEnabled(True)
        named(
            self.add,
            "marks.add",
            "Add the breakpoint",
            "Stops every run at the merges that meet this condition",
        )
        named(self.note, "marks.note", "Problem with the breakpoint").hide()
        self.question.setSizePolicy(
            QSizePolicy.Policy.Ignored, self.question.sizePolicy().verticalPolicy()
        )
        column(
            self.question, row((self.value, 1), self.add), self.note, parent=self, spacing=TIGHT_PX
        )

    @property
    def asked(self) -> Question:
        """The chosen condition."""
        return QUESTIONS[self.question.currentIndex()][0]

    def read(self) -> Breakpoint | str:
        """The breakpoint of the sentence, or a sentence that says what is wrong with it."""
        question = self.asked
        typed = self.value.text()
        if question is Question.tie:
            return Breakpoint(question)
        if question not in _NUMBERS:
            if not typed.strip("\ufeff"):
                return _WANTED[question]
            if question is Question.word and not typed.strip():
                return "Type the word; a space alone is not one"
            return Breakpoint(question, typed)
        digits = "".join(letter for letter in typed if letter not in " ,.'\u00a0\u2009\u202f\u066c")
        what = _NUMBERS[question]
        if not digits.isdecimal() or len(digits) > 15:
            return (
                f"Type {what} as a whole number, such as"
                f" {QUESTIONS[self.question.currentIndex()][2]}"
            )
        if int(digits) < 1:
            if question is Question.length:
                return "Every token has at least 1 character"
            return "No count falls below 0"
        return Breakpoint(question, number=int(digits))

    @Slot()
    def _on_question_changed(self) -> None:
        question, words, example, tip = QUESTIONS[self.question.currentIndex()]
        # The field stays where no value is needed, so that the layout does not jump.
        self.value.setEnabled(question is not Question.tie)
        hint = f"such as {example}" if example else "nothing to add"
        self.value.setPlaceholderText(hint)
        self.value.setAccessibleName(f"Value: {words}")
        self.value.setToolTip(tip)
        self._show_problem("")

    @Slot()
    def _on_edited(self) -> None:
        self._show_problem("")

    @Slot()
    def _on_add(self) -> None:
        read = self.read()
        if isinstance(read, str):
            self._show_problem(read)
            self.value.setFocus()
            self.value.selectAll()
        else:
            self._show_problem("")
            self.value.clear()
            self.entered.emit(read)

    def _show_problem(self, sentence: str) -> None:
        role = "warning" if sentence else None
        self.note.set_message(sentence, role)
        self.note.setVisible(bool(sentence))
        self.value.setAccessibleDescription(sentence)


class _MarksList(QTreeWidget):
    """The list of breakpoints or bookmarks, without a header.

    The name, if there is one, is in the second column and can be edited in place.

    Args:
        placeholder: the text that is shown while there are no rows.
        heads: the headings of the columns in the exported table.

    Signals:
        chosen: int, the row that was clicked or on which Enter was pressed.
        removal_requested: the user pressed Delete.
    """

    chosen = Signal(object)
    removal_requested = Signal()

    def __init__(
        self, placeholder: str, heads: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._placeholder = placeholder
        self.setHeaderLabels(heads)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAllColumnsShowFocus(True)
        self.setMinimumHeight(56)
        # The list scrolls, not the drawer.
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.EditKeyPressed | triggers.DoubleClicked)
        # With two columns, the first is a step and the second a name, which can be edited.
        if len(heads) > 1:
            self.header().setStretchLastSection(True)
            self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        self.setItemDelegate(_Delegate(self))
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._on_later)
        self._act: Callable[[], None] | None = None
        self.table_export = TableExport(self)
        self.itemClicked.connect(self._on_clicked)

    @property
    def place(self) -> int:
        """The current row; -1 if there is none."""
        items = self.selectedItems()
        return self.indexOfTopLevelItem(items[0]) if items else -1

    def show_rows(self, items: Sequence[QTreeWidgetItem]) -> None:
        """Replace the rows; the selected row stays selected if it still exists."""
        place = self.place
        texts = self._texts()
        self.clear()
        self.addTopLevelItems(list(items))
        if place >= 0:
            now = self._texts()
            if texts[place] in now:
                place = now.index(texts[place])
            elif len(now) != len(texts):
                place = -1
            self.choose(place)
        self.viewport().update()

    def choose(self, place: int) -> None:
        """Make a row the current one; -1 for none."""
        if 0 <= place < self.topLevelItemCount():
            self.setCurrentItem(self.topLevelItem(place))  # type: ignore[arg-type]  # there is one

    def later(self, act: Callable[[], None]) -> None:
        """Call a function after the current change, during which no row may be removed."""
        self._act = act
        self._later.start()

    @Slot()
    def _on_later(self) -> None:
        act = self._act
        self._act = None
        if act is not None:
            act()

    @Slot(object, object)
    def _on_clicked(self, item: QTreeWidgetItem, _column: object) -> None:
        self.chosen.emit(self.indexOfTopLevelItem(item))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.place >= 0:
            self.chosen.emit(self.place)
        elif key == Qt.Key.Key_Delete:
            self.removal_requested.emit()
        elif key == Qt.Key.Key_F2 and self.columnCount() > 1 and self.place >= 0:
            self.editItem(self.currentItem(), 1)  # type: ignore[arg-type]  # it is selected
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.topLevelItemCount() == 0:
            with QPainter(self.viewport()) as painter:
                painter.setPen(theme.muted(self.palette()))
                room: QRect = self.viewport().rect().adjusted(_MARGIN_PX, 8, -_MARGIN_PX, -8)
                flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(room, int(flags), self._placeholder)

    def _texts(self) -> list[str]:
        texts = []
        for k in range(self.topLevelItemCount()):
            row = self.topLevelItem(k)
            if row is not None:
                texts.append(" ".join(row.text(column) for column in range(self.columnCount())))
        return texts


class _Delegate(QStyledItemDelegate):
    """Edits names only."""

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        if index.column() == 0:
            return None  # type: ignore[return-value]  # Qt takes None for no editor
        return named(
            super().createEditor(parent, option, index), "marks.new_name", "Name of the bookmark"
        )
