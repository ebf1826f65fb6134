"""Shows and hides the game, which covers the panels while it is played.

Everything else that would reveal the answer is hidden meanwhile: the transport bar, the line below it, panels in
windows of their own and the dialog that exports steps. Actions that would move the run are disabled. The page is
created when it is first shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QDialog, QStackedWidget, QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from PySide6.QtGui import QAction

    from bpe_studio.gui.game.page import GamePage
    from bpe_studio.gui.shell.banner import Banner
    from bpe_studio.gui.views.frame import Views
    from bpe_studio.workspace.game.guessing import Guess
    from bpe_studio.workspace.workspace import Workspace


class Game(QObject):
    """Starts and leaves the game.

    Args:
        window: the main window, whose dialogs are hidden meanwhile.
        workspace: what is open.
        play: the action that starts the game.
        pages: the stack that the page is added to.
        views: the views; windows that panels have of their own are hidden meanwhile.
        banner: offers to resume a game that was left.

    Signals:
        shown_changed: the game was shown or hidden.
    """

    shown_changed = Signal()

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        play: QAction,
        pages: QStackedWidget,
        views: Views,
        banner: Banner,
    ) -> None:
        super().__init__(window)
        self._window, self._workspace = window, workspace
        self._pages, self._views, self._banner = pages, views, banner
        self._page: GamePage | None = None
        self._hidden: list[QWidget] = []
        self._is_open = False
        play.triggered.connect(self.play)
        workspace.corpus_changed.connect(self._on_corpus_changed)

    @property
    def is_open(self) -> bool:
        """Whether the game covers the panels."""
        return self._is_open

    @property
    def page(self) -> GamePage:
        """The page of the game; created when it is first used."""
        if self._page is None:
            from bpe_studio.gui.game.page import GamePage
            from bpe_studio.gui.widgets.controls import finish_controls

            self._page = GamePage(self._workspace, self._window)
            self._pages.addWidget(self._page)
            self._page.leave_requested.connect(self.leave)
            self._page.why_requested.connect(self._show_why)
            finish_controls(self._page)
        return self._page

    @Slot()
    def play(self) -> None:
        """Start a game at the current step, or resume the one that was left."""
        if self._workspace.run is None or self._is_open:
            return
        self._is_open = True
        page = self.page
        apart: list[QWidget] = [*self._views.windows()]
        # Its export continues meanwhile.
        apart += self._window.findChildren(QDialog, "export_range")
        for each in apart:
            if each.isVisible():
                each.hide()
                self._hidden.append(each)
        self._pages.setCurrentWidget(page)
        self.shown_changed.emit()
        page.resume()

    @Slot()
    def leave(self) -> None:
        """Hide the game and show the panels; a game that is not over can be resumed."""
        if not self._is_open:
            return
        self._is_open = False
        if self._workspace.game.is_over or not self._workspace.game.guesses:
            self._workspace.game.leave()
        for each in self._hidden:
            if isValid(each):
                each.show()
        self._hidden = []
        self.shown_changed.emit()

    @Slot()
    def _on_corpus_changed(self) -> None:
        """End the game, as it belongs to another text."""
        if self._page is not None:
            self._workspace.game.leave()
            self.leave()

    @Slot(object)
    def _show_why(self, guess: Guess) -> None:
        """Leave the game, and explain the merge of a round in the panel Why."""
        asked, workspace = guess.round, self._workspace
        is_over = workspace.game.is_over
        self.leave()
        if workspace.run is not asked.run or asked.right is None:
            return
        workspace.transport.go_to(asked.step)
        workspace.selection.select_pair(*asked.right)
        self._views.show_panel("why")
        if not is_over:
            self._banner.offer("The game is paused.", [("Resume the game", self.play)])
