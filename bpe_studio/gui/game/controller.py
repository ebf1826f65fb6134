"""Starts and leaves the game, which is a page of its own.

The panels, the transport bar and the line below it would reveal the answer, so they are hidden
until the user asks why, and actions that would move the run are disabled. The page is created when
it is first shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from bpe_studio.gui.game.page import GamePage
    from bpe_studio.gui.views.frame import Views
    from bpe_studio.workspace.workspace import Workspace

REVEALING = frozenset({"candidates", "merges", "why", "skyline", "growth", "vocabulary", "compare"})
"""The panels that reveal the answer."""


class Game(QObject):
    """The game in a window.

    Args:
        window: the main window.
        workspace: the open corpus and its runs.
        play: the action that starts the game.
        views: the views, which are shown next to the page when the user asks why.

    Signals:
        shown_changed: the game was started or left, or the panels next to it are shown or hidden.
        save_requested: the user wants to save the results.
    """

    shown_changed = Signal()
    save_requested = Signal()

    def __init__(self, window: QWidget, workspace: Workspace, play: QAction, views: Views) -> None:
        super().__init__(window)
        self._window = window
        self._workspace = workspace
        self._views = views
        self._page: GamePage | None = None
        self._is_open = False
        self._is_answered = False
        self._is_explained = False
        play.triggered.connect(self.play)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.game.changed.connect(self._on_changed)

    @property
    def is_open(self) -> bool:
        """Whether the game is being played."""
        return self._is_open

    @property
    def is_alone(self) -> bool:
        """Whether its page fills the window."""
        return self._is_open and not self._is_explained

    @property
    def hidden(self) -> frozenset[str]:
        """The keys of the panels that would reveal the answer now."""
        game = self._workspace.game
        is_asking = self._is_open and game.guess is None and not game.is_over
        return REVEALING if is_asking else frozenset()

    @property
    def page(self) -> GamePage:
        """The page of the game; created when it is first used."""
        if self._page is None:
            from bpe_studio.gui.game.page import GamePage
            from bpe_studio.gui.widgets.controls import finish_controls

            self._page = GamePage(self._workspace, self._window)
            self._page.leave_requested.connect(self.leave)
            self._page.why_requested.connect(self._show_why)
            self._page.save_requested.connect(self.save_requested)
            finish_controls(self._page)
        return self._page

    @Slot()
    def play(self) -> None:
        """Start a game at the current step, or resume the one that was left."""
        if self._workspace.run is None or self._is_open:
            return
        self._is_open = True
        self._is_explained = False
        self._views.close_drawer()
        self._on_changed()
        self.shown_changed.emit()
        self.page.resume()

    @Slot()
    def leave(self) -> None:
        """Hide the game; one that is not over can be resumed."""
        if not self._is_open:
            return
        self._is_open = False
        if self._workspace.game.is_over or not self._workspace.game.guesses:
            self._workspace.game.leave()
        self._on_changed()
        self.shown_changed.emit()

    @Slot()
    def _on_corpus_changed(self) -> None:
        """End the game, because it belongs to another text."""
        self._workspace.game.leave()
        self.leave()

    @Slot()
    def _on_changed(self) -> None:
        """Hide what reveals the answer; after a guess, select the pair that is merged."""
        selection = self._workspace.selection
        guess = self._workspace.game.guess
        if self.hidden and self._is_explained:
            self._is_explained = False
            self.shown_changed.emit()
        if self._is_answered != (guess is not None):
            self._is_answered = guess is not None
            if guess is not None and guess.round.right is not None:
                selection.select_pair(*guess.round.right)
            else:
                selection.clear()

    @Slot()
    def _show_why(self) -> None:
        self._is_explained = True
        self.shown_changed.emit()
        self._views.show_panel("why")
