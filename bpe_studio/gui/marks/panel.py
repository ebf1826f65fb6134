"""The panel Stops and bookmarks: breakpoints, at which a run stops, and bookmarks, which are steps
with a name.

It shows and changes those of the workspace; every change can be undone. `breakpoint_editor.py` is
the editor of a breakpoint; `list.py` handles the keys of both lists.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QLabel, QLineEdit, QPushButton, QTreeWidgetItem, QWidget

from bpe_studio.explain.merges import bookmark_name
from bpe_studio.explain.wording import number
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.follows_look import FollowsLook
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.marks.breakpoint_editor import BreakpointEditor
from bpe_studio.gui.marks.list import MarksList
from bpe_studio.gui.widgets.containers import MARGIN_PX, STRETCH, column, row
from bpe_studio.gui.widgets.controls import enable, named
from bpe_studio.gui.widgets.labels import heading
from bpe_studio.gui.widgets.wrapping_row import WrappingRow
from bpe_studio.workspace.marks import Bookmark, Breakpoint, breakpoint_in_words
from bpe_studio.workspace.possible import why_no_run, why_no_stop

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

WIDTH_PX = 300
NO_BREAKPOINTS = "A breakpoint stops a run at the merges that you want to see: add one above"
NO_BOOKMARKS = "A bookmark names a step, so that you can return to it"


class MarksPanel(FollowsLook, QWidget):
    """Two groups: breakpoints and bookmarks."""

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._is_showing = False
        self.editor = BreakpointEditor()
        self.breakpoints = MarksList(NO_BREAKPOINTS, ("stops when",))
        self.previous = QPushButton("Previous stop")
        self.next = QPushButton("Next stop")
        self.remove = QPushButton("Remove")
        self.name = QLineEdit()
        self.bookmark = QPushButton("Bookmark this step")
        self.bookmarks = MarksList(NO_BOOKMARKS, ("step", "name"))
        self.unmark = QPushButton("Remove")
        self._name_parts()
        self._build()
        self._connect()
        self.follow_look()

    def _name_parts(self) -> None:
        self.setMinimumWidth(WIDTH_PX)
        tip = "Tick: the breakpoint is on. Space turns it on and off, Del removes it"
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
            margins=MARGIN_PX,
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
        self.breakpoints.show_rows([_row_of_breakpoint(point) for point in marks.breakpoints])
        self.bookmarks.show_rows(
            [_row_of_bookmark(each, number(each.step)) for each in marks.bookmarks]
        )
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
        enable(self.next, "Go to the next breakpoint", why)
        enable(self.previous, "Go to the previous breakpoint", why)
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
        self.breakpoints.choose(asked.index(wanted) if wanted in asked else len(asked) - 1)

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
    item = QTreeWidgetItem([words if point.is_on else f"{words} (off)"])
    item.setFlags(
        Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable
    )
    item.setCheckState(0, Qt.CheckState.Checked if point.is_on else Qt.CheckState.Unchecked)
    state = "on" if point.is_on else "off"
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
    item.setToolTip(0, f"The step, of the merges of the run: {step}")
    item.setToolTip(1, plain_tip(mark.name))
    item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"Step {step}")
    return item


def _heading(text: str, buddy: QWidget) -> QLabel:
    label = heading(text)
    label.setBuddy(buddy)
    return label
