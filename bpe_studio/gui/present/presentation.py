"""The window of a presentation: it covers the screen, and shows the workspace at a size that a whole room can read.

Keys: arrow keys and the Page Up and Page Down of a clicker step, Home and End go to the start and the end, Space plays
and pauses, B blanks the screen, Esc leaves; in the game, digits guess. Training keys such as F5 and F8 work as usual.
While it is shown, the main window below is not painted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isinf
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QCloseEvent, QFont, QKeyEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from bpe_studio.engine.analysis.decision import Decision, decide
from bpe_studio.errors import BpeError
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import display_name, joined_name
from bpe_studio.explain.wording import number, times
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look.style import Style
from bpe_studio.gui.present.next_pair import NextPair
from bpe_studio.gui.present.words import PresentedWords
from bpe_studio.gui.shell.merge_motion import Area, MergeMotion
from bpe_studio.gui.skyline.panel import SkylinePanel
from bpe_studio.gui.skyline.picture import LETTERS
from bpe_studio.gui.text.token_editor import TokenEditor
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.tokens.colours import ColoursOfRun
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.workspace.game.verdicts import HEADINGS, SIGNS
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

TEXT, WORDS, NEXT, TICKS = 1 / 20, 1 / 24, 1 / 24, 1 / 30
"""The sizes of letters, as shares of the height of the screen: 36, 30, 30 and 24 pixels at 1280 x 720; the window's
zoom makes them larger."""
MARGIN, GAP = 1 / 36, 1 / 45
PLAYS_PER_S = 1.0
"""The speed of playing where the run is set to full speed, at which nobody sees a merge."""
HINT_MS = 6000
HINT = "← →  step      Space  play      B  blank      Esc  leave"
SHORTCUTS = (
    "transport.run", "transport.step", "transport.back", "transport.step_n", "transport.start", "transport.end",
    "go.next_stop", "go.previous_stop", "learn.next", "learn.back", "view.present", "view.zoom_in", "view.zoom_out",
    "view.zoom_reset",
)  # fmt: skip
"""The actions of the window whose shortcuts work here."""
_KEYS = {
    Qt.Key.Key_Right: "transport.step",
    Qt.Key.Key_Down: "transport.step",
    Qt.Key.Key_PageDown: "transport.step",
    Qt.Key.Key_Left: "transport.back",
    Qt.Key.Key_Up: "transport.back",
    Qt.Key.Key_PageUp: "transport.back",
    Qt.Key.Key_Home: "transport.start",
    Qt.Key.Key_End: "transport.end",
    Qt.Key.Key_Space: "transport.run",
}
_BLANKS = (Qt.Key.Key_B, Qt.Key.Key_Period)
_LEAVES = (Qt.Key.Key_Escape, Qt.Key.Key_F11)


class Presentation(QWidget):
    """Words, text, skyline and the next pair.

    Args:
        window: the main window, on whose screen it is shown.
        workspace: what is open.
        actions: the actions of the window, which the keys trigger.
        motion: whether single steps are shown in motion.
        is_hidden: whether a panel, given by its key, must not be seen, because it would reveal an answer.
        is_playing: whether the game is being played; then keys guess.

    Signals:
        left: the presentation has ended.
    """

    left = Signal()

    def __init__(
        self,
        window: QWidget,
        workspace: Workspace,
        actions: Mapping[str, QAction],
        motion: QAction,
        is_hidden: Callable[[str], bool],
        *,
        is_playing: bool,
    ) -> None:
        super().__init__(window, Qt.WindowType.Window)
        self.setObjectName("present")
        self.setWindowTitle("BPE Studio: presentation")
        self.setAccessibleName("Presentation")
        self._workspace, self._actions, self._is_hidden, self._is_playing = workspace, actions, is_hidden, is_playing
        self._run: Run | None = None
        self._speed = workspace.transport.speed
        self._colours = ColoursOfRun()
        self._next = LatestAnswer(_decided, self)
        self._build()
        self.motion = MergeMotion(workspace, motion, self)
        self.motion.watch(
            Area(self.editor, pairs=self.editor.merged_pairs),
            Area(self.words, pairs=self.words.merged_pairs),
            Area(self.skyline.view, joints=self.skyline.view.merged_joints),
            Area(self.next, candidate=self.next.pair_rect),
        )
        self.addActions([actions[key] for key in SHORTCUTS])
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._connect()
        if isinf(self._speed):
            workspace.transport.set_speed(PLAYS_PER_S)
        screen = window.screen()
        self.setScreen(screen)
        self.setGeometry(screen.geometry())
        self._take_run()

    def _build(self) -> None:
        self.words = PresentedWords()
        self.editor = named(TokenEditor(), "present.text", "Text, cut into tokens")
        self.editor.setReadOnly(True)
        self.editor.setFrameShape(QFrame.Shape.NoFrame)
        self.editor.colours_of = lambda tokens: self._colours.of(self._run, tokens)
        self.skyline = SkylinePanel(self._workspace)
        self.skyline.heading_items.hide()
        inner = self.skyline.layout()
        if inner is not None:
            inner.setContentsMargins(0, 0, 0, 0)
        for part in (self.skyline, *self.skyline.findChildren(QWidget)):
            if part.objectName():
                part.setObjectName(f"present.{part.objectName()}")
        self.next = NextPair()
        self.hint = named(QLabel(HINT, self), "present.hint")
        self.hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.blank = named(QWidget(self), "present.blank", "Blank screen")
        self.blank.setAutoFillBackground(True)
        self.blank.setPalette(QPalette(Qt.GlobalColor.black))
        self.blank.hide()
        self._side = column((self.editor, 45), (self.skyline, 55))
        self._upper = row((self.words, 36), (self._side, 64))
        self._whole = column((self._upper, 1), self.next, parent=self)
        for part in self.findChildren(QWidget):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.run_changed.connect(self._take_run)
        workspace.special_changed.connect(self._take_run)
        workspace.shown_text_changed.connect(self._on_text_changed)
        for signal in (workspace.step_changed, workspace.run_grew, workspace.state_changed, workspace.game.changed,
                       workspace.lesson.changed, workspace.lesson.answered):  # fmt: skip
            signal.connect(self.refresh)
        self._next.answered.connect(self._on_decided)

    # What it shows.

    @Slot()
    def _take_run(self) -> None:
        workspace = self._workspace
        self._run = run = workspace.run
        self.editor.set_text(workspace.shown_text)
        self.words.set_run(run, workspace.step)
        self.words.setVisible(self.words.has_words)
        try:
            special = frozenset() if run is None else frozenset(run.added_tokens().tolist())
            self.editor.set_live(None if run is None else run.live(), workspace.step, special)
        except BpeError:
            self.editor.set_live(None)  # the text panel says why
        self.refresh()

    @Slot(object)
    def _on_text_changed(self, text: str) -> None:
        self.editor.set_text(text)

    @property
    def is_up_to_date(self) -> bool:
        """Whether everything shows the step of the workspace."""
        return not self._next.is_busy and (self.skyline.isHidden() or self.skyline.is_up_to_date)

    @Slot()
    def refresh(self) -> None:
        """Show the step."""
        if self._run is not self._workspace.run:
            return  # the other run is about to be taken
        step = self._workspace.step
        self.skyline.setVisible(not self._is_hidden("skyline"))
        self.editor.set_step(step)
        self.words.set_step(step)
        self._show_next()

    def _show_next(self) -> None:
        workspace, run = self._workspace, self._run
        step, n_merges = workspace.step, workspace.n_merges
        if run is None:
            self._say("Nothing is open")
        elif self._is_playing and self._say_round(run):
            pass
        elif self._is_hidden("candidates"):
            self._say("Which pair is merged next?")
        elif step < n_merges:
            columns = run.columns
            self._say_pair(run, int(columns.left[step]), int(columns.right[step]), int(columns.count[step]))
        elif n_merges and not has_pairs(run):
            self._say("This was the last merge")  # of a tokenizer without a text
        elif workspace.stop_reason:
            self._say(f"Training stops here: {workspace.stop_reason}")
        elif workspace.state is State.running and isinf(workspace.transport.speed):
            self._say("Training")
        else:
            self._next.ask(run, step)

    def _say(self, *parts: str | Chips) -> None:
        workspace = self._workspace
        most = workspace.n_merges if workspace.stop_reason else max(workspace.target, workspace.n_merges)
        self.next.show_parts(*parts, step=f"{number(workspace.step)} of {number(most)} merges")

    def _say_pair(self, run: Run, left: int, right: int, count: int, before: str = "Next") -> None:
        pair = Chips.of(display_name(run, left), display_name(run, right))
        token = Chips.of(joined_name(run, left, right))
        self._say(before, pair, "→", token, *([times(count)] if has_pairs(run) else []))

    def _on_decided(self, answer: tuple[Run, int, Decision]) -> None:
        run, step, decision = answer
        winner = decision.winner
        if run is not self._run or step != self._workspace.step or self._is_hidden("candidates"):
            return
        if winner is None:
            self._say("Training stops here: no pair is left to merge")
        else:
            self._say_pair(run, winner.left, winner.right, winner.count)

    def _say_round(self, run: Run) -> bool:
        """Show the question of the game, or what the guess was; says whether there is a round."""
        game = self._workspace.game
        asked, guess = game.round, game.guess
        if asked is None or asked.right is None or asked.run is not run:
            return False
        if guess is None:
            parts: list[str | Chips] = ["Next?"]
            for key, choice in enumerate(asked.choices, 1):
                parts += [str(key), Chips.of(*(display_name(run, token) for token in choice.pair))]
            self._say(*parts)
        else:
            said = f"{SIGNS[guess.verdict]} {HEADINGS[guess.verdict]}:"
            self._say_pair(run, *asked.right, asked.count_of(asked.right), said)
        return True

    # Its size.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            QTimer.singleShot(0, self, self._fit)  # once the window has scaled what is in it

    @Slot()
    def _fit(self) -> None:
        height, scale = self.height(), max(1.0, Style.scale)
        for widget, share in ((self.editor, TEXT), (self.words, WORDS), (self.next, NEXT), (self.skyline.view, TICKS),
                              (self.hint, 1 / 48)):  # fmt: skip
            font = QFont(widget.font())
            font.setPointSizeF(share * scale * height * 72 / self.logicalDpiY())
            widget.setFont(font)
        self.skyline.view.set_zoom(round(100 * TEXT / TICKS / LETTERS))
        margin, gap = round(MARGIN * height), round(GAP * height)
        self._whole.setContentsMargins(margin, margin, margin, margin // 2)
        for layout in (self._side, self._upper):
            layout.setSpacing(gap)
        self.next.fit()
        self.hint.adjustSize()
        self.hint.move((self.width() - self.hint.width()) // 2, height - self.hint.height() - 4)
        self.blank.setGeometry(self.rect())
        self.words.set_step(self._workspace.step)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.setFocus()
        QTimer.singleShot(HINT_MS, self.hint, self.hint.hide)

    # Its keys.

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_own(event):
            event.accept()  # Esc and others are shortcuts of the window
            return True
        return super().event(event)

    def _is_own(self, event: QKeyEvent) -> bool:
        key = event.key()
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        return is_plain and (key in _KEYS or key in _BLANKS or key in _LEAVES)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if not self._is_own(event) and not event.text().isdecimal():
            super().keyPressEvent(event)
        elif key in _LEAVES:
            self.close()
        elif key in _BLANKS:
            self.blank.setVisible(self.blank.isHidden())
            self.blank.raise_()
        elif self._is_playing:
            self._play(key, event.text())
        elif key in _KEYS:
            self._actions[_KEYS[key]].trigger()

    def _play(self, key: Qt.Key, text: str) -> None:
        """Guess the pair with the number that was typed, or go on after a guess."""
        game = self._workspace.game
        asked = game.round
        if text.isdecimal() and asked is not None and 0 < int(text) <= len(asked.choices):
            game.make_guess(asked.choices[int(text) - 1].pair)
        elif _KEYS.get(key) == "transport.step" and game.guess is not None:
            if len(game.guesses) < game.n_rounds:
                self._workspace.transport.step_forward()
            else:
                game.go_on()

    def closeEvent(self, event: QCloseEvent) -> None:
        transport = self._workspace.transport
        if isinf(self._speed) and transport.speed == PLAYS_PER_S:
            if self._workspace.state is State.running:
                transport.pause()  # or it would go on at full speed
            transport.set_speed(self._speed)
        super().closeEvent(event)
        self.left.emit()


def _decided(run: Run, step: int) -> tuple[Run, int, Decision]:
    return run, step, decide(run, step)
