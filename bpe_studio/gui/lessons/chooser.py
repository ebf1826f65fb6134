"""The page of the view Learn: a card for each lesson and for the game, and buttons for the user's
own lessons.
A lesson is shown in the chosen language, or in its own if it is not translated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QGridLayout, QWidget

from bpe_studio.files.lessons.reader import lessons_in
from bpe_studio.gui.lessons.words import in_language
from bpe_studio.gui.widgets.containers import (
    GROUP_PX,
    MARGIN_PX,
    SPACING_PX,
    STRETCH,
    column,
    row,
    scrolled,
)
from bpe_studio.gui.widgets.controls import ActionButton, named
from bpe_studio.gui.widgets.entry_button import EntryButton
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.lessons.language import locale_of

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import LessonEntry
    from bpe_studio.workspace.workspace import Workspace

N_COLUMNS = 3


class LessonChooser(QWidget):
    """The cards of the lessons, in groups.

    Args:
        workspace: the workspace; the card of the lesson that it plays is marked.
        entries: the lessons in all languages, those of a group together.
        language: the English name of the chosen language.
        actions: the actions of the window.

    Signals:
        lesson_chosen: str, the path of the lesson's file.
        language_chosen: str, the English name of a language.
    """

    lesson_chosen = Signal(str)
    language_chosen = Signal(str)

    def __init__(
        self,
        workspace: Workspace,
        entries: Sequence[LessonEntry],
        language: str,
        actions: Mapping[str, QAction],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._player = workspace.lesson
        self._entries = entries
        self._actions = actions
        self._cards: dict[str, EntryButton] = {}
        self._play = actions["learn.game"]
        self.language = named(QComboBox(self), "learn.language", "Language of the lessons")
        languages = [entry.language for entry in entries]
        for name in dict.fromkeys(languages):
            own_name = "English" if name == "English" else locale_of(name).nativeLanguageName()
            self.language.addItem(own_name, name)
        self.language.setCurrentIndex(max(0, self.language.findData(language)))
        self.language.setVisible(self.language.count() > 1)
        self._area = scrolled(QWidget(), "learn.area")
        column(
            row(STRETCH, self.language, margins=(0, 0, MARGIN_PX, 0)),
            self._area,
            parent=self,
            margins=(MARGIN_PX, 0, 0, MARGIN_PX),
        )
        self._show_lessons()
        self.language.currentIndexChanged.connect(self._on_language)
        self._player.changed.connect(self._show_followed)
        self._play.changed.connect(self._show_game)

    def _show_lessons(self) -> None:
        """Make the page in the chosen language."""
        language = self.language.currentData() or ""
        inside = QWidget()
        inside.setLayoutDirection(locale_of(language).textDirection())
        whole = column(parent=inside, margins=(0, 0, MARGIN_PX, 0))
        self._cards = {}
        for group, lessons in groupby(
            lessons_in(language, self._entries), key=lambda entry: entry.group
        ):
            cards = [self._card(entry) for entry in lessons]
            whole.addLayout(
                column(
                    heading(in_language(language, group or "Lessons")),
                    _grid(cards),
                )
            )
            whole.addSpacing(GROUP_PX)
        if not self._cards:
            whole.addWidget(Note("No lesson is installed", "plain"))
        title = "Guess the next pair"
        self._game = EntryButton(
            title, "", "learn.game_card", f"Play the game {title}", is_card=True
        )
        self._game.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._game.clicked.connect(self._play.trigger)
        whole.addLayout(column(heading(in_language(language, "Game")), _grid([self._game])))
        whole.addSpacing(GROUP_PX)
        buttons = [_button(self._actions[key]) for key in ("learn.open", "learn.template")]
        whole.addLayout(row(*buttons, STRETCH))
        whole.addStretch(1)
        self._area.setWidget(inside)
        self._show_followed()
        self._show_game()

    @Slot()
    def _on_language(self) -> None:
        self._show_lessons()
        self.language_chosen.emit(self.language.currentData())

    def _card(self, entry: LessonEntry) -> EntryButton:
        does = f"Take the lesson {entry.title}"
        card = EntryButton(entry.title, entry.about, f"learn.start_{entry.id}", does, is_card=True)
        card.setCheckable(True)
        card.setLayoutDirection(locale_of(entry.language).textDirection())
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
