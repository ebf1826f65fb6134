"""Lessons in the window: the menu of them, opening a lesson file, and what a lesson does to the panels around it.

The lesson itself is the workspace's (`workspace.lesson`), its panel draws it. The files are listed when a menu that
shows them is opened, and not at the start.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QAction, QCursor
from PySide6.QtWidgets import QMenu, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.names import display_name
from bpe_studio.gui.look.plain_tip import plain_tip
from bpe_studio.gui.widgets.controls import on_trigger
from bpe_studio.gui.widgets.file_dialogs import ask_for_lesson, ask_where_to_put_template
from bpe_studio.workspace.messages import failure_of
from bpe_studio.workspace.state import Failure, Notice

if TYPE_CHECKING:
    from bpe_studio.files.lessons.records import LessonEntry
    from bpe_studio.gui.lessons.highlights import Cover, LookFrame
    from bpe_studio.gui.lessons.panel import LessonPanel
    from bpe_studio.gui.main_window import MainWindow

SUFFIXES = (".yaml", ".yml")
SETTLED_MS = 60
TELLING = ("candidates", "merges", "why")
"""The panels that say which pair is merged next."""
_COVERED = "Covered until the question of the lesson is answered"


def is_lesson_file(path: str | Path) -> bool:
    """Whether a file is taken for a lesson, by its name."""
    return Path(path).suffix.lower() in SUFFIXES


class Lessons(QObject):
    """Connects lessons with a window.

    Args:
        window: the window, built.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._player = player = window.workspace.lesson
        self._panel: LessonPanel | None = None
        self._frame: LookFrame | None = None
        self._frames: dict[str, LookFrame] = {}
        self._covers: dict[str, Cover] = {}
        self._all_covers: dict[str, Cover] = {}
        self._entries: tuple[LessonEntry, ...] | None = None
        self._place: tuple[object, int] | None = None
        player.set_spelling(display_name)
        player.changed.connect(self._on_changed)
        player.answered.connect(self._cover_what_tells)
        player.look_requested.connect(self.look_at)
        window.menus.learn.aboutToShow.connect(self.fill_menu)
        window.menus.lessons.triggered.connect(self._on_triggered)
        window.start_page.lessons_requested.connect(self.offer)
        window.game.shown_changed.connect(self.show_panel)
        window.pages.currentChanged.connect(self._fit_panels)
        for key, slot in {
            "learn.open": self.choose_file,
            "learn.template": self.choose_place_for_template,
            "learn.next": player.next,
            "learn.back": player.back,
            "learn.leave": player.leave,
        }.items():
            on_trigger(window.actions_by_id[key], slot)

    @property
    def entries(self) -> tuple[LessonEntry, ...]:
        """The lessons that come along; listed when they are first asked for."""
        if self._entries is None:
            from bpe_studio.files.lessons.reader import list_lessons

            try:
                self._entries = list_lessons()
            except (BpeError, OSError):
                self._entries = ()
        return self._entries

    @Slot()
    def fill_menu(self) -> None:
        """Put the lessons into their menu, once."""
        menu = self._window.menus.lessons
        if menu.isEmpty():
            self._fill(menu)

    def _fill(self, menu: QMenu) -> None:
        group = ""
        for entry in self.entries:
            if entry.group != group:
                group = entry.group
                menu.addSection(group)
            action = menu.addAction(entry.title.replace("&", "&&"))
            action.setObjectName(f"learn.lesson.{entry.id}")
            action.setToolTip(plain_tip(entry.about))
            action.setData(str(entry.path))
        if not self.entries:
            none = menu.addAction("No lesson is installed")
            none.setObjectName("learn.lesson.none")
            none.setEnabled(False)

    @Slot()
    def offer(self) -> None:
        """Show the lessons in a menu of their own, beside the button that asked for it."""
        menu = QMenu(self._window)
        menu.setObjectName("learn.offered")
        menu.setToolTipsVisible(True)
        self._fill(menu)
        menu.addSeparator()
        menu.addAction(self._window.actions_by_id["learn.open"])
        menu.triggered.connect(self._on_triggered)
        menu.aboutToHide.connect(menu.deleteLater)
        button = self._window.focusWidget()
        is_button = isinstance(button, QWidget) and button.objectName() in ("start.lesson", "lesson.choose")
        menu.popup(
            button.mapToGlobal(button.rect().bottomLeft()) if is_button and button is not None else QCursor.pos()
        )

    @Slot(QAction)
    def _on_triggered(self, action: QAction) -> None:
        if action.data():
            self.start_file(str(action.data()))

    def start_file(self, path: str | Path) -> None:
        """Follow the lesson in a file; where it is wrong say in which line, and leave all as it is."""
        from bpe_studio.files.lessons.reader import read_lesson

        try:
            lesson = read_lesson(path)
        except (BpeError, OSError) as error:
            failure = failure_of(f"Open the lesson {Path(path).name}", error)
            hint = failure.hint or "What is open is as it was. Mend that line in a text editor, then open it again."
            said = failure.message[:1].upper() + failure.message[1:]
            self._window.banner.show_failure(Failure(failure.what, said, hint))
            return
        self._window.game.leave()
        self._player.start(lesson)

    @Slot()
    def choose_file(self) -> None:
        """Ask for a lesson file and follow it."""
        path = ask_for_lesson(self._window, self._window.memory)
        if path is not None:
            self.start_file(path)

    @Slot()
    def choose_place_for_template(self) -> None:
        """Ask for a file and write there a lesson that explains itself."""
        from bpe_studio.files.lessons.reader import template_path

        path = ask_where_to_put_template(self._window, self._window.memory)
        if path is None:
            return
        banner = self._window.banner
        try:
            path.write_bytes(template_path().read_bytes())
        except OSError as error:
            banner.show_failure(failure_of(f"Save {path.name}", error))
            return
        banner.show_notice(
            Notice(
                f"A lesson to write on was saved as {path}. Change it in a text editor, then drop it on this window."
            )
        )

    @property
    def panel(self) -> LessonPanel:
        """The lesson's panel, above the others; made when it is first asked for."""
        if self._panel is None:
            from bpe_studio.gui.lessons.panel import LessonPanel
            from bpe_studio.gui.widgets.controls import name_inner_controls

            window = self._window
            self._panel = LessonPanel(window.workspace, window.centralWidget())
            self._panel.hide()
            self._panel.look_requested.connect(self.look_at)
            window.show_above_panels(self._panel)
            name_inner_controls(self._panel)
        return self._panel

    @Slot()
    def show_panel(self) -> None:
        """Show the lesson, or hide it where none is followed or the game is played."""
        is_wanted = self._player.lesson is not None and not self._window.game.is_open
        if not is_wanted and self._panel is None:
            return
        if is_wanted != self.panel.isVisibleTo(self._window):
            self.panel.setVisible(is_wanted)
            if is_wanted:
                self.panel.take_focus()
            self._window.show_strip()
            self._fit_panels()

    @Slot()
    def _fit_panels(self) -> None:
        """Fit the panels below to the height that is left; once they are laid out."""
        if self._panel is not None:
            QTimer.singleShot(SETTLED_MS, self._window.workbench, self._window.workbench.fit_height)

    @Slot()
    def _on_changed(self) -> None:
        player, window = self._player, self._window
        is_on = player.lesson is not None
        place = (player.lesson, player.place) if is_on else None
        if place != self._place:
            self._place = place
            self._unframe()
            self.show_panel()
        self._cover_what_tells()
        window.refresh_actions()

    @Slot(object)
    def look_at(self, key: str) -> None:
        """Bring a panel to the front and put a frame around it."""
        window = self._window
        self._unframe()
        if key == "text":
            over: QWidget = window.text_panel
        elif key in window.workbench.docks:
            window.workbench.show_dock(key)
            over = window.panels.place(key)
        else:
            return
        from bpe_studio.gui.lessons.highlights import LookFrame

        # One for each panel, kept: a lesson comes back to the same few.
        self._frame = self._frames.get(key) or LookFrame(over)
        self._frames[key] = self._frame
        self._frame.place()
        self._frame.show()

    def _unframe(self) -> None:
        if self._frame is not None:
            self._frame.hide()
            self._frame = None

    @Slot()
    def _cover_what_tells(self) -> None:
        """Cover the panels that tell the answer while a pair is asked for, but for the one that is to be looked at."""
        step, verdict = self._player.step, self._player.verdict
        is_over = verdict is not None and (verdict.is_right or verdict.is_revealed)
        is_asked = step is not None and step.ask is not None and step.ask.kind == "pair" and not is_over
        wanted = {key for key in TELLING if is_asked and step is not None and key != step.look}
        for key in [key for key in self._covers if key not in wanted]:
            self._covers.pop(key).hide()
        for key in wanted - self._covers.keys():
            from bpe_studio.gui.lessons.highlights import Cover

            cover = self._all_covers.get(key) or Cover(self._window.panels.place(key), _COVERED)
            self._all_covers[key] = self._covers[key] = cover
            cover.place()
            cover.show()
