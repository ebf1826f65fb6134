"""The page of the view Learn: a card for each lesson and for the game, and buttons for lessons of one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QWidget

from bpe_studio.gui.widgets.containers import GROUP_PX, MARGIN_PX, SPACING_PX, STRETCH, column, row, scrolled
from bpe_studio.gui.widgets.controls import ActionButton
from bpe_studio.gui.widgets.entry_button import EntryButton
from bpe_studio.gui.widgets.labels import Note, heading

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import LessonEntry
    from bpe_studio.workspace.workspace import Workspace

N_COLUMNS = 3


class LessonChooser(QWidget):
    """Cards in groups.

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
        self._cards: dict[str, EntryButton] = {}
        inside = QWidget()
        whole = column(parent=inside, margins=(0, 0, MARGIN_PX, 0))
        for group, lessons in groupby(entries, key=lambda entry: entry.group):
            whole.addLayout(column(heading(group or "Lessons"), _grid([self._card(entry) for entry in lessons])))
            whole.addSpacing(GROUP_PX)
        if not self._cards:
            whole.addWidget(Note("No lesson is installed", "plain"))
        self._play = actions["learn.game"]
        title = "Guess the next pair"
        self._game = EntryButton(title, "", "learn.game_card", f"Play the game {title}", is_card=True)
        self._game.clicked.connect(self._play.trigger)
        self._play.changed.connect(self._show_game)
        whole.addLayout(column(heading("Game"), _grid([self._game])))
        whole.addSpacing(GROUP_PX)
        whole.addLayout(row(*(_button(actions[key]) for key in ("learn.open", "learn.template")), STRETCH))
        whole.addStretch(1)
        column(scrolled(inside, "learn.area"), parent=self, margins=(MARGIN_PX, 0, 0, MARGIN_PX))
        self._player.changed.connect(self._show_followed)
        self._show_followed()
        self._show_game()

    def _card(self, entry: LessonEntry) -> EntryButton:
        does = f"Take the lesson {entry.title}"
        card = EntryButton(entry.title, entry.about, f"learn.start_{entry.id}", does, is_card=True)
        card.setCheckable(True)
        card.clicked.connect(partial(self._on_clicked, str(entry.path)))
        self._cards[entry.id] = card
        return card

    def _on_clicked(self, path: str) -> None:
        self._show_followed()
        self.lesson_chosen.emit(path)

    @Slot()
    def _show_followed(self) -> None:
        lesson = self._player.lesson
        for key, card in self._cards.items():
            card.setChecked(lesson is not None and lesson.id == key)

    @Slot()
    def _show_game(self) -> None:
        self._game.setEnabled(self._play.isEnabled())
        self._game.set_about(self._play.toolTip().replace("\n", ". "))


def _grid(cards: list[EntryButton]) -> QGridLayout:
    grid = QGridLayout()
    grid.setSpacing(SPACING_PX)
    for place in range(N_COLUMNS):
        grid.setColumnStretch(place, 1)
    for place, card in enumerate(cards):
        grid.addWidget(card, *divmod(place, N_COLUMNS))
    return grid


def _button(action: QAction) -> ActionButton:
    button = ActionButton(action)
    button.setObjectName(f"{action.objectName()}_button")
    button.setAccessibleName(action.text().replace("&", ""))
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button
