"""The skyline: the typed text with the merge trees of its words, at the step of the workspace.

It follows the workspace and applies what the user does in the view: dragging the line changes the
step, a click on a joint goes to its merge. A hidden panel tokenizes nothing. The view is in
`view.py`, the picture in `picture.py`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from bpe_studio.errors import BpeError
from bpe_studio.explain.wording import number
from bpe_studio.gui.background.panel import FRAME_MS, Needs, Panel, every
from bpe_studio.gui.skyline.view import ZOOMS, SkylineView
from bpe_studio.gui.widgets.containers import MARGIN_PX, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named, on_trigger
from bpe_studio.gui.widgets.labels import ElidedLabel
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

PNG_SCALE = 2.0
_SLOWEST_MS = 400
READOUT_TIP = "The numbers of tokens and symbols that the typed text has at this step"
NO_RUN = "Open a text to see how merges build the words that you type"
NO_TEXT = "Type a text above to see its words grow from symbols into tokens"
MOST_CHARACTERS = 40_000
"""A longer text is not shown, because all of it must be cut before its first row is painted."""
TOO_LONG = (
    f"The text is too long for the skyline, which shows at most {MOST_CHARACTERS:,} characters"
)


class SkylinePanel(Panel):
    """A line of numbers and buttons, and the view.

    Signals:
        merge_selected: int, the rank of a merge whose joint was clicked.
        token_selected: int, the internal id of a token whose letters were clicked.
        border_selected: TextBorder, the border between two tokens that was clicked.
        export_requested: (str, float), save the whole picture: the file's suffix, and the scale.
    """

    # A long text must not keep the window busy while a fast run trains.
    at_rest = every(FRAME_MS)
    while_training = every(FRAME_MS, slowest_ms=_SLOWEST_MS)
    needs = Needs.shown
    merge_selected = Signal(object)
    token_selected = Signal(object)
    border_selected = Signal(object)
    export_requested = Signal(str, float)

    def __init__(self, workspace: Workspace, parent: QWidget | None = None) -> None:
        super().__init__(workspace, parent)
        self._run: Run | None = None
        self._words: tuple[str, ...] | None = None
        self._is_stale = True
        self._may_take_all = False
        self._has_other_text = False
        self._build()
        self._connect()
        self._show_zoom(self.view.zoom)
        self._say()

    def _build(self) -> None:
        self.readout = named(
            ElidedLabel(), "skyline.readout", "Tokens of the typed text at the step"
        )
        self.readout.explain(READOUT_TIP)
        self.view = named(SkylineView(), "skyline.view", "Skyline of the typed text")
        self.menu_button = named(
            QPushButton(flat=True),
            "skyline.menu",
            "Zoom and pictures of the skyline",
            "The zoom of the skyline (Ctrl+wheel); the menu zooms, or saves a picture",
        )
        self.menu_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self.menu_button)
        self.zoom_in = named(QAction("Zoom in", menu), "skyline.zoom_in")
        self.zoom_out = named(QAction("Zoom out", menu), "skyline.zoom_out")
        self.fit = named(QAction("Fit into the panel", menu), "skyline.fit")
        self.save_svg = named(QAction("Save as SVG…", menu), "skyline.export_svg")
        self.save_png = named(QAction("Save as PNG…", menu), "skyline.export_png")
        menu.addActions([self.zoom_in, self.zoom_out, self.fit])
        menu.addSeparator()
        menu.addActions([self.save_svg, self.save_png])
        self.menu_button.setMenu(menu)
        self.heading_items = QWidget()
        row((self.readout, 1), self.menu_button, parent=self.heading_items, spacing=TIGHT_PX)
        column(
            self.heading_items,
            (self.view, 1),
            parent=self,
            spacing=0,
            margins=(MARGIN_PX, 0, MARGIN_PX, MARGIN_PX),
        )

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.run_changed.connect(self._on_run_changed)
        workspace.special_changed.connect(self._on_run_changed)
        workspace.run_grew.connect(self.request_refresh)
        workspace.step_changed.connect(self.follow_step)
        workspace.target_changed.connect(self.request_refresh)
        workspace.state_changed.connect(self.request_refresh)
        workspace.shown_text_changed.connect(self._on_shown_text_changed)
        self.view.step_wanted.connect(self._on_step_wanted)
        self.view.joint_clicked.connect(self.merge_selected)
        self.view.token_clicked.connect(self.token_selected)
        self.view.border_clicked.connect(self.border_selected)
        self.view.zoom_changed.connect(self._show_zoom)
        for action, slot in (
            (self.zoom_in, self.view.zoom_in),
            (self.zoom_out, self.view.zoom_out),
            (self.fit, self.view.fit),
        ):
            on_trigger(action, slot)
        for action, suffix, scale in (
            (self.save_svg, ".svg", 1.0),
            (self.save_png, ".png", PNG_SCALE),
        ):
            on_trigger(action, partial(self.export_requested.emit, suffix, scale))

    def show_selected(self, tokens: frozenset[int]) -> None:
        """Highlight the joints and tokens of these internal ids."""
        self.view.show_selected(tokens)

    @property
    def is_up_to_date(self) -> bool:
        """Whether the step, the run and the text of the workspace are shown."""
        return (
            not (self._is_stale or self._has_other_text)
            and self.view.picture.step == self._workspace.step
        )

    def _refresh_all(self) -> None:
        self._may_take_all = self.isVisible()
        self.refresh()

    def show_state(self) -> None:
        workspace = self._workspace
        view = self.view
        if (
            self._is_stale
            and self._run is None
            and workspace.run is not None
            and not self._may_take_all
        ):
            # It is shown for the first time since the run changed, and other panels come first.
            view.set_placeholder("")
            self.take_turn()
            return
        self._may_take_all = False
        if self._is_stale:
            self._take_all()
        if self._has_other_text:
            self._has_other_text = False
            view.set_text(self._text())
            view.set_placeholder(self._why_blank())
        if self._run is not None and (workspace.n_merges, self._top()) != (
            view.n_merges,
            view.picture.top,
        ):
            view.grow(workspace.n_merges, self._top())
        view.set_step(workspace.step)
        self._say()

    def _take_all(self) -> None:
        workspace = self._workspace
        self._run = workspace.run
        self._is_stale = False
        self._has_other_text = False
        text = self._text()
        step = workspace.step
        n_merges = workspace.n_merges
        problem = ""
        try:
            self.view.set_run(self._run, text, step, n_merges, self._top())
        except BpeError as error:
            problem = str(error)
            self._run = None
            self.view.set_run(None, text, step, n_merges, self._top())
        self.view.set_placeholder(problem or self._why_blank())

    def show_words(self, words: tuple[str, ...] | None) -> None:
        """Show a list of words; None shows the text of the workspace."""
        if words != self._words:
            self._words = words
            self._on_shown_text_changed(self._workspace.shown_text)

    def _text(self) -> str | tuple[str, ...]:
        if self._words is not None:
            return self._words
        text = self._workspace.shown_text
        return text if len(text) <= MOST_CHARACTERS else ""

    def _why_blank(self) -> str:
        if self._run is None:
            return NO_RUN
        if self._text():
            return ""
        return TOO_LONG if self._workspace.shown_text else NO_TEXT

    def _top(self) -> int:
        """The number of merges that the scale covers.

        It is the target, so that it does not change while the run trains, but at most the number of
        symbols in the corpus, which limits the merges.
        """
        workspace = self._workspace
        run = self._workspace.run
        if run is None or workspace.stop_reason or workspace.shown_state is State.done:
            return workspace.n_merges
        return max(workspace.n_merges, min(workspace.target, len(run.layout.symbols)))

    def _say(self) -> None:
        picture = self.view.picture
        text = picture.text
        has_text = text is not None and len(text) > 0
        for action in (self.save_svg, self.save_png, self.fit):
            action.setEnabled(has_text)
        if text is None or not has_text:
            self.readout.setText("")
            return
        n = picture.n_tokens()
        n_symbols = len(text.symbols)
        tokens = "token" if n == 1 else "tokens"
        symbols = "symbol" if n_symbols == 1 else "symbols"
        n_tokens = f"{number(n)} {tokens}"
        counts = f"{n_tokens} of {number(n_symbols)} {symbols}"
        # The transport shows the number of all steps.
        self.readout.setText(f"{counts}  ·  step {number(picture.step)}", counts, n_tokens)

    @Slot()
    def _on_run_changed(self) -> None:
        self._is_stale = True
        if not self.isVisible():
            # Until it is shown again, it keeps nothing of a run that may be closed.
            self._run = None
            self.view.set_run(None, "", 0, 0, 0)
        if self._workspace.run is None or self._run is None:
            self._refresh_all()
        else:
            # All panels refresh when the run changes, and this one takes long to shape words.
            self.take_turn()

    def take_turn(self) -> None:
        self._may_take_all = True
        super().take_turn()

    @Slot(object)
    def _on_shown_text_changed(self, text: str) -> None:
        if self._run is None or self._is_stale or not self.isVisible():
            self._is_stale = True
            self._refresh_all()
            return
        # It takes a turn of its own, so that the typed text is painted first.
        self._has_other_text = True
        self.request_refresh()

    @Slot(object)
    def _on_step_wanted(self, step: int) -> None:
        self._workspace.transport.go_to(step)
        self.view.set_step(self._workspace.step)

    @Slot(object)
    def _show_zoom(self, percent: int) -> None:
        self.menu_button.setText(f"{percent} %")
        self.zoom_in.setEnabled(percent < ZOOMS[-1])
        self.zoom_out.setEnabled(percent > ZOOMS[0])
