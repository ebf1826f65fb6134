"""What the view Learn offers: the lessons that come along, a lesson of one's own, and the game."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, STRETCH, TIGHT_PX, column, row, scrolled
from bpe_studio.gui.widgets.controls import ActionButton
from bpe_studio.gui.widgets.entry_button import EntryButton
from bpe_studio.gui.widgets.labels import Note, heading

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import LessonEntry
    from bpe_studio.workspace.workspace import Workspace

ACTIONS = ("learn.game", "learn.open", "learn.template")
"""The actions below the lessons."""


class LessonChooser(QWidget):
    """A list of lessons in groups, and buttons for what else there is to learn by.

    Args:
        workspace: whose lesson is marked while it is followed.
        entries: the lessons, those of a group together.
        actions: the actions of the window.

    Signals:
        lesson_chosen: str, the path of the lesson's file.
    """

    lesson_chosen = Signal(str)

    def __init__(
        self,
        workspace: Workspace,
        entries: Iterable[LessonEntry],
        actions: Mapping[str, QAction],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._player = workspace.lesson
        self._buttons: dict[str, EntryButton] = {}
        self._paths: dict[str, str] = {}
        inside = QWidget()
        whole = column(parent=inside, spacing=2, margins=(0, 0, MARGIN_PX, 0))
        whole.addSpacing(TIGHT_PX)
        self._add_lessons(whole, entries)
        whole.addSpacing(GROUP_PX)
        for key in ACTIONS:
            whole.addLayout(row(_button(actions[key]), STRETCH))
        whole.addStretch(1)
        column(scrolled(inside, "learn.area"), parent=self, margins=(MARGIN_PX, 0, 0, MARGIN_PX))
        self._player.changed.connect(self._show_followed)
        self._show_followed()

    def _add_lessons(self, whole: QVBoxLayout, entries: Iterable[LessonEntry]) -> None:
        group: str | None = None
        for entry in entries:
            if entry.group != group:
                if group is not None:
                    whole.addSpacing(MARGIN_PX)
                group = entry.group
                if group:
                    whole.addWidget(heading(group))
            button = EntryButton(entry.title, entry.about, f"learn.start_{entry.id}", f"Take the lesson {entry.title}")
            button.setCheckable(True)
            button.clicked.connect(self._on_clicked)
            self._buttons[entry.id], self._paths[entry.id] = button, str(entry.path)
            whole.addWidget(button)
        if not self._buttons:
            whole.addWidget(Note("No lesson is installed", "plain"))

    @Slot()
    def _on_clicked(self) -> None:
        button = self.sender()
        key = next(key for key, each in self._buttons.items() if each is button)
        self._show_followed()
        self.lesson_chosen.emit(self._paths[key])

    @Slot()
    def _show_followed(self) -> None:
        lesson = self._player.lesson
        for key, button in self._buttons.items():
            button.setChecked(lesson is not None and lesson.id == key)


def _button(action: QAction) -> ActionButton:
    button = ActionButton(action)
    button.setObjectName(f"{action.objectName()}_button")
    button.setAccessibleName(action.text().replace("&", ""))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
