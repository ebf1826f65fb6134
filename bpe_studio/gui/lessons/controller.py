"""Lessons in the window: their menu, lesson files, and the panels that a lesson frames and covers.
`workspace.lesson` plays the lesson and its panel shows it. The files are listed when a menu of
lessons is first opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from bpe_studio.errors import BpeError, SaveError
from bpe_studio.explain.names import display_name, visible_path
from bpe_studio.gui.look.qt_text import plain_tip
from bpe_studio.gui.merges.candidates_panel import CandidatesPanel
from bpe_studio.gui.merges.panel import MergesPanel
from bpe_studio.gui.views.covers import Covers, LookFrame, covered_by
from bpe_studio.gui.views.layouts import PANELS, VIEWS, keys_of
from bpe_studio.gui.widgets.controls import named, on_trigger
from bpe_studio.gui.widgets.file_dialogs import (
    ask_for_lesson,
    ask_for_place,
    file_name,
)
from bpe_studio.gui.widgets.question import ask_for_text
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.state import Failure, Notice

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import Lesson, LessonEntry
    from bpe_studio.files.lessons.results import Answer
    from bpe_studio.gui.game.controller import Game
    from bpe_studio.gui.lessons.panel import LessonPanel
    from bpe_studio.gui.shell.banner import Banner
    from bpe_studio.gui.shell.menus import Menus
    from bpe_studio.gui.views.frame import Views
    from bpe_studio.gui.views.lazy_panels import LazyPanels
    from bpe_studio.gui.widgets.window_settings import WindowSettings
    from bpe_studio.workspace.workspace import Workspace

SUFFIXES = (".yaml", ".yml")
HOW_TO_CORRECT = (
    "Nothing was changed. Correct that line in a text editor, then open the file again."
)


def is_lesson_file(path: str | Path) -> bool:
    """Whether a file has the suffix of a lesson."""
    return Path(path).suffix.lower() in SUFFIXES


class Lessons(QObject):
    """Connects lessons with a window.

    Args:
        window: the main window, the parent of menus and dialogs.
        workspace: the workspace, which plays the lesson.
        actions: all actions of the window; those of lessons are connected here.
        menus: the menus; the menu Learn lists the lessons.
        views: show the panels.
        panels: the panels, which a lesson frames and covers.
        game: left when a lesson is started.
        banner: shows messages.
        memory: remembers the folder that was chosen last.
    """

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        actions: Mapping[str, QAction],
        menus: Menus,
        views: Views,
        panels: LazyPanels,
        game: Game,
        banner: Banner,
        memory: WindowSettings,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._actions = actions
        self._menus = menus
        self._views = views
        self._panels = panels
        self._game = game
        self._banner = banner
        self._memory = memory
        self._player = player = workspace.lesson
        self._panel: LessonPanel | None = None
        self._frame: LookFrame | None = None
        self.covers = Covers(window, panels)
        self._entries: tuple[LessonEntry, ...] | None = None
        self._place: tuple[object, int] | None = None
        player.set_spelling(display_name)
        player.changed.connect(self._on_changed)
        player.answered.connect(self._cover_answers)
        player.look_requested.connect(self.look_at)
        game.save_requested.connect(self.save_game_results)
        menus.learn.aboutToShow.connect(self.fill_menu)
        menus.lessons.triggered.connect(self._on_triggered)
        for key, slot in {
            "learn.open": self.choose_file,
            "learn.template": self.choose_place_for_template,
            "learn.next": player.next,
            "learn.back": player.back,
            "learn.leave": player.leave,
        }.items():
            on_trigger(actions[key], slot)

    @property
    def entries(self) -> tuple[LessonEntry, ...]:
        """The installed lessons in all languages; they are listed when they are first used."""
        if self._entries is None:
            from bpe_studio.files.lessons.reader import list_lessons

            try:
                self._entries = list_lessons()
            except OSError:
                self._entries = ()
        return self._entries

    @property
    def language(self) -> str:
        """The English name of the language of the lessons: the chosen one, or the system's."""
        return self._memory.lesson_language or QLocale.languageToString(QLocale().language())

    @Slot(str)
    def choose_language(self, language: str) -> None:
        """Show the lessons in another language from now on."""
        self._memory.lesson_language = language
        self._menus.lessons.clear()

    @Slot()
    def fill_menu(self) -> None:
        """Fill the menu of lessons if it is empty."""
        from bpe_studio.files.lessons.reader import lessons_in

        menu = self._menus.lessons
        if not menu.isEmpty():
            return
        group = ""
        for entry in lessons_in(self.language, self.entries):
            if entry.group != group:
                group = entry.group
                menu.addSection(group)
            action = named(
                menu.addAction(entry.title.replace("&", "&&")),
                f"learn.lesson.{entry.id}",
                "",
                plain_tip(entry.about),
            )
            action.setData(str(entry.path))
        if not self.entries:
            none = named(menu.addAction("No lesson is installed"), "learn.lesson.none")
            none.setEnabled(False)

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if action.data():
            self.start_file(str(action.data()))

    def start_file(self, path: str | Path) -> None:
        """Start the lesson in a file.
        If the file has an error, show its line, and change nothing.
        """
        from bpe_studio.files.lessons.reader import read_lesson

        try:
            lesson = read_lesson(path)
        except BpeError as error:
            failure = failure_of(f"Open the lesson {Path(path).name}", error)
            message = failure.message[:1].upper() + failure.message[1:]
            hint = failure.hint or HOW_TO_CORRECT
            self._banner.show_failure(Failure(failure.what, message, hint))
            return
        self._start(lesson)

    @Slot(str)
    def start_titled(self, title: str) -> None:
        """Start a lesson by the title of its original, in the language of the lessons."""
        from bpe_studio.files.lessons.reader import lessons_in

        name = next((entry.id for entry in self.entries if entry.title == title), "")
        for entry in lessons_in(self.language, self.entries):
            if name and entry.id.partition(".")[0] == name.partition(".")[0]:
                self.start_file(entry.path)

    def _start(self, lesson: Lesson) -> None:
        self._game.leave()
        self._views.show_view("explore")
        self._player.start(lesson)

    @Slot()
    def choose_file(self) -> None:
        """Ask for a lesson file and start it."""
        path = ask_for_lesson(self._window, self._memory)
        if path is not None:
            self.start_file(path)

    @Slot()
    def choose_place_for_template(self) -> None:
        """Ask for a file, and save a commented lesson template there."""
        from bpe_studio.files.lessons.reader import template_path

        path = ask_for_place(
            self._window, self._memory, "Save a lesson template", "my-lesson.yaml", "Lessons"
        )
        if path is not None:
            message = (
                f"A lesson template was saved as {path}. Edit it in a text editor, then drop it on"
                " this window."
            )
            self._write(path, template_path().read_bytes(), message)

    @Slot()
    def save_results(self) -> None:
        """Save the answers to the questions of the lesson."""
        lesson = self._player.lesson
        answers = self._player.answers
        if lesson is not None:
            n_asked = sum(step.ask is not None for step in lesson.steps)
            n_right = sum(answer.right for answer in answers)
            self._save(lesson.id, lesson.title, n_right, n_asked, answers)

    @Slot()
    def save_game_results(self) -> None:
        """Save the guesses of the game."""
        from bpe_studio.workspace.game.guessing import POINTS
        from bpe_studio.workspace.game.verdicts import answers_of

        game = self._workspace.game
        answers = answers_of(game.guesses)
        self._save("game", "Guess the next pair", game.score, POINTS * game.n_rounds, answers)

    def _save(
        self, key: str, title: str, score: int, out_of: int, answers: Sequence[Answer]
    ) -> None:
        """Ask for the learner's name, then for a file, and save the results there."""
        from bpe_studio.files.lessons.results import results_json

        def save_as(name: str) -> None:
            content = results_json(name.strip(), key, title, score, out_of, answers, datetime.now())
            suggested = f"{key}-{file_name(name) or 'results'}.json"
            path = ask_for_place(
                self._window, self._memory, "Save your results", suggested, "Results"
            )
            if path is not None:
                self._write(path, content, f"Your results were saved as {visible_path(str(path))}.")

        label = "Your name, as your teacher will see it"
        ask_for_text(self._window, "results.name", "Save your results", label, save_as)

    def _write(self, path: Path, content: bytes | str, message: str) -> None:
        from bpe_studio.files.atomic_file import atomic_write

        try:
            atomic_write(path, content)
        except SaveError as error:
            self._banner.show_failure(Failure(f"Save {path.name}", str(error)))
            return
        self._banner.show_notice(Notice(message))

    @property
    def panel(self) -> LessonPanel:
        """The lesson's column next to the panels; it is made when it is first used."""
        if self._panel is None:
            from bpe_studio.gui.lessons.panel import LessonPanel

            self._panel = LessonPanel(self._workspace, self._window)
            self._panel.look_requested.connect(self.look_at)
            self._panel.save_requested.connect(self.save_results)
        return self._panel

    @Slot()
    def _on_changed(self) -> None:
        player = self._player
        place = (player.lesson, player.place) if player.lesson is not None else None
        if place != self._place:
            self._place = place
            self._unframe()
        self._cover_answers()

    @Slot(object)
    def look_at(self, key: str) -> None:
        """Raise a panel and put a frame around it."""
        self._unframe()
        if key not in PANELS:
            return
        if key in keys_of(VIEWS["explore"].layout):
            self._views.show_view("explore")
        self._views.show_panel(key)
        self._frame = LookFrame(self._panels.place(key))

    def _unframe(self) -> None:
        if self._frame is not None:
            self._frame.hide()
            self._frame.deleteLater()
            self._frame = None

    @Slot()
    def _cover_answers(self) -> None:
        """Cover the panels that reveal the answer to a question, while it is open.
        The list of merges hides later ones: a user who goes back to a question may have made them.
        """
        step = self._player.step
        verdict = self._player.verdict
        is_over = verdict is not None and (verdict.is_right or verdict.is_revealed)
        question = None if step is None or is_over else step.ask
        covered: frozenset[str] = frozenset()
        if step is not None and question is not None:
            covered = covered_by(question, step.look)
        self._panels.typed("merges", MergesPanel).hide_later(question is not None)
        self._panels.typed("candidates", CandidatesPanel).hide_answer(question)
        self.covers.show(covered)
