"""What each action of the window does.

The actions themselves, their names, shortcuts and when they can be used, are in `actions.py`; whatever an action does
to what is open is the workspace's. Here are the dialogs and the small things that are the window's own.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication

from bpe_studio.gui.corpus.panel import PASTED
from bpe_studio.gui.shell.help_dialogs import AboutDialog, ShortcutsDialog
from bpe_studio.gui.timeline.updater import add_bookmark
from bpe_studio.gui.widgets.controls import on_trigger
from bpe_studio.gui.widgets.file_dialogs import ask_for_document, ask_for_picture, ask_for_texts, ask_where_to_save
from bpe_studio.workspace.opening.embedded_text import why_no_text
from bpe_studio.workspace.state import Failure, Notice, State

if TYPE_CHECKING:
    from bpe_studio.gui.main_window import MainWindow


class Commands(QObject):
    """Does what a person asks for by a menu, a button, a shortcut or the command palette.

    Args:
        window: the window whose actions they are.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = window.workspace
        workspace, selection = window.workspace, window.workspace.selection
        for key, slot in {
            "file.open": self.choose_files,
            "file.paste": self.paste,
            "file.take_back": workspace.take_back,
            "file.save_tokenizer": self.choose_place_to_save,
            "file.save_document": self.choose_document,
            "file.save_whole_document": partial(self.choose_document, holds_text=True),
            "file.save_picture": self.choose_picture,
            "file.export_stretch": self.export_stretch,
            "file.quit": window.close,
            "transport.run": self.run_or_pause,
            "transport.start": workspace.go_to_start,
            "transport.back": workspace.step_back,
            "transport.step": workspace.step_forward,
            "transport.step_n": self.step_n,
            "transport.end": workspace.go_to_end,
            "transport.cancel": workspace.cancel,
            "transport.jump": window.transport.begin_jump,
            "transport.new_run": self.new_run,
            "go.next_stop": workspace.go_to_stop,
            "go.previous_stop": partial(workspace.go_to_stop, is_back=True),
            "go.bookmark": self.bookmark,
            "go.back": selection.go_back,
            "go.forward": selection.go_forward,
            "go.why": self.ask_why,
            "go.nothing": selection.clear,
            "view.reset_layout": window.workbench.arrange,
            "view.full_screen": self.turn_full_screen,
            "help.palette": window.open_palette,
            "help.shortcuts": self.show_shortcuts,
            "help.about": self.show_about,
        }.items():
            on_trigger(window.actions_by_id[key], slot)

    @Slot()
    def choose_files(self) -> None:
        """Asks for files and opens them."""
        self._window.open_files(ask_for_texts(self._window, self._window.memory))

    @Slot()
    def paste(self) -> None:
        """Opens the text on the clipboard."""
        text = QGuiApplication.clipboard().text()
        if text:
            self._workspace.open_text(text, PASTED)
        else:
            said = "There is no text on the clipboard: copy some text, then paste it here."
            self._window.banner.show_notice(Notice(said))

    @Slot()
    def choose_place_to_save(self) -> None:
        """Asks for a folder and saves the tokenizer there."""
        info = self._workspace.corpus
        path = ask_where_to_save(self._window, self._window.memory, info.name if info is not None else "")
        if path is not None:
            self._workspace.save_tokenizer(path, "huggingface")

    @Slot()
    def choose_document(self, *, holds_text: bool = False) -> None:
        """Asks for a file and saves there all that is open; the text as well, if asked for or in it already."""
        info, document = self._workspace.corpus, self._workspace.document
        present = document.path if document is not None else None
        path = ask_for_document(self._window, self._window.memory, present, info.name if info is not None else "")
        if path is not None:
            has_it = document is not None and document.holds_text and not why_no_text(info)
            self._workspace.save_document(path, self._window.opened.view(), holds_text=holds_text or has_it)

    @Slot()
    def choose_picture(self) -> None:
        """Asks for a file and saves a picture of the window there."""
        picture = self._window.grab()
        path = ask_for_picture(self._window, self._window.memory)
        if path is None:
            return
        if picture.save(str(path)):
            self._window.banner.show_notice(Notice(f"The picture was saved as {path}."))
        else:
            said = f"The picture could not be written to {path}."
            advice = "Choose another folder, and a name with .png."
            self._window.banner.show_failure(Failure(f"Save {path.name}", said, advice))

    @Slot()
    def export_stretch(self) -> None:
        """Asks for two steps, and how what lies between them is to be written."""
        from bpe_studio.gui.export.animation_dialog import open_stretch_dialog

        open_stretch_dialog(self._window)

    @Slot()
    def run_or_pause(self) -> None:
        """Runs, or pauses a run."""
        if self._workspace.state is State.running:
            self._workspace.pause()
        else:
            self._workspace.run_training()

    @Slot()
    def step_n(self) -> None:
        """Steps on by as many merges as the transport's field says."""
        self._workspace.step_forward(self._window.transport.n.value())

    @Slot()
    def bookmark(self) -> None:
        """Gives the step a bookmark that is named after its token; where marks are listed it can be renamed."""
        step = self._workspace.step
        if all(mark.step != step for mark in self._workspace.marks.bookmarks):
            add_bookmark(self._workspace, step)
        self._window.workbench.show_dock("marks")

    @Slot()
    def ask_why(self) -> None:
        """Picks the token at the text cursor, where that has the keyboard, and shows why."""
        text_panel = self._window.text_panel
        if text_panel.editor.hasFocus():
            text_panel.select_at_cursor()
        self._window.workbench.show_dock("why")

    @Slot()
    def new_run(self) -> None:
        """Asks for other settings; the run that is learned by them is compared in the panel that is shown."""
        self._window.workbench.show_dock("branches")
        self._window.panels["branches"].ask_for_run()

    @Slot()
    def turn_full_screen(self) -> None:
        """Fills the screen, or goes back."""
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    @Slot()
    def show_shortcuts(self) -> None:
        """Lists the shortcuts."""
        ShortcutsDialog(self._window.actions_by_id, self._window).open()

    @Slot()
    def show_about(self) -> None:
        """Says what the program is."""
        AboutDialog(self._window).open()
