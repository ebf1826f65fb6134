"""Starts and leaves the game, which is played next to the panels of Explore.

Until a guess is made, the panels that would reveal the answer are covered; the transport bar and the line below it are
hidden through the whole game, and actions that would move the run are disabled. The column is created when it is first
shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from bpe_studio.gui.views.covers import Covers

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from bpe_studio.gui.game.page import GamePage
    from bpe_studio.gui.views.frame import Views
    from bpe_studio.gui.views.lazy_panels import LazyPanels
    from bpe_studio.workspace.workspace import Workspace

REVEALING = frozenset({"candidates", "merges", "why", "skyline", "growth", "vocabulary", "compare"})
"""The panels that reveal the answer."""


class Game(QObject):
    """The game in a window.

    Args:
        window: the main window.
        workspace: what is open.
        play: the action that starts the game.
        views: the views, which show Explore meanwhile.
        panels: the panels by their keys, some of which are covered.

    Signals:
        shown_changed: the game was started or left.
        save_requested: the user wants to save the results.
    """

    shown_changed = Signal()
    save_requested = Signal()

    def __init__(self, window: QWidget, workspace: Workspace, play: QAction, views: Views, panels: LazyPanels) -> None:
        super().__init__(window)
        self._window, self._workspace, self._views = window, workspace, views
        self.covers = Covers(window, panels)
        self._page: GamePage | None = None
        self._is_open = self._is_answered = False
        play.triggered.connect(self.play)
        workspace.corpus_changed.connect(self._on_corpus_changed)
        workspace.game.changed.connect(self._on_changed)

    @property
    def is_open(self) -> bool:
        """Whether the game is being played."""
        return self._is_open

    @property
    def page(self) -> GamePage:
        """The column of the game; created when it is first used."""
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
        self._views.close_drawer()
        self._views.show_view("explore")
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
        """End the game, as it belongs to another text."""
        self._workspace.game.leave()
        self.leave()

    @Slot()
    def _on_changed(self) -> None:
        """Cover what reveals the answer; after a guess, show it, and select the pair that is merged."""
        game, selection = self._workspace.game, self._workspace.selection
        guess = game.guess
        self.covers.show(REVEALING if self._is_open and guess is None and not game.is_over else frozenset())
        if self._is_answered != (guess is not None):
            self._is_answered = guess is not None
            if guess is not None and guess.round.right is not None:
                selection.select_pair(*guess.round.right)
            else:
                selection.clear()

    @Slot()
    def _show_why(self) -> None:
        self._views.show_panel("why")
