"""The window of a presentation: it covers the screen, and shows the workspace at a size that a
whole room can read.
The words and the skyline show the next merge. A question of a lesson stands above the last line, in
the language of the lesson; while it is open, nothing gives the answer away.
Keys: arrow keys, and the Page Up and Page Down of a clicker, step; Home and End go to the start and
the end; Space plays and pauses; B blanks the screen; Esc leaves; in the game, digits guess.
Training keys such as F5 and F8 work as usual. The main window below is not painted meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isinf
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from bpe_studio.engine.analysis.decision import Decision, decide
from bpe_studio.errors import BpeError
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import display_name, joined_name
from bpe_studio.explain.text_pieces import SkylinePieces
from bpe_studio.explain.wording import number
from bpe_studio.files.languages import ENGLISH, in_language, known_language
from bpe_studio.gui.background.latest_answer import LatestAnswer
from bpe_studio.gui.look.style import Style
from bpe_studio.gui.present.next_pair import NextPair, Said
from bpe_studio.gui.present.words import PresentedWords
from bpe_studio.gui.shell.merge_motion import Area, MergeMotion
from bpe_studio.gui.skyline.panel import SkylinePanel
from bpe_studio.gui.skyline.picture import LETTERS
from bpe_studio.gui.text.token_editor import TokenEditor
from bpe_studio.gui.tokens.chips import Chips
from bpe_studio.gui.tokens.colours import ColoursOfRun
from bpe_studio.gui.widgets.containers import column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.labels import ReadingLabel
from bpe_studio.workspace.game.verdicts import HEADINGS, SIGNS
from bpe_studio.workspace.lessons.language import inserted, locale_of, runs_right_to_left
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.files.lessons.records import Question
    from bpe_studio.workspace.workspace import Workspace

TEXT = 1 / 20
WORDS = 1 / 24
NEXT = 1 / 22
QUESTION = 1 / 24
TICKS = 1 / 30
"""The sizes of letters, as shares of the height of the screen: 36, 30, 33, 30 and 24 pixels at
1280 × 720; the window's zoom makes them larger."""
MOST_TEXT = 0.45
WHOLE_TEXT = 0.75
"""The largest share of the height for the text, above a skyline and without one."""
MOST_TYPED = 500
MOST_IN_SKYLINE = 60
FROM_CORPUS = 3
"""Numbers of words: of the typed text that are searched, in the skyline, and of the corpus that
come first where the next merge applies to no typed word."""
POINTER_MS = 2000
"""The time for which the pointer is shown after it moved."""
MARGIN = 1 / 36
GAP = 1 / 45
PLAYS_PER_S = 1.0
"""The speed of playing instead of full speed, at which merges cannot be seen."""
HINT_MS = 6000
HINT = "← →  step      Space  play      B  blank      Esc  leave"
SHORTCUTS = (
    "transport.run",
    "transport.step",
    "transport.back",
    "transport.step_n",
    "transport.start",
    "transport.end",
    "go.next_stop",
    "go.previous_stop",
    "learn.next",
    "learn.back",
    "view.present",
    "view.zoom_in",
    "view.zoom_out",
    "view.zoom_reset",
)
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
        window: the main window; the presentation covers its screen.
        workspace: the open run, text, lesson and game.
        actions: the actions of the window, which the keys trigger.
        motion: the action that is checked if single steps are shown in motion.
        is_hidden: tells whether a panel, given by its key, would reveal an answer.
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
        self._workspace = workspace
        self._actions = actions
        self._is_hidden = is_hidden
        self._is_playing = is_playing
        self._run: Run | None = None
        self._speed = workspace.transport.speed
        self._colours = ColoursOfRun()
        self._next = LatestAnswer(_decided, self)
        self._decided: tuple[Run, int, Decision] | None = None
        self._pieces: SkylinePieces | None = None
        self._typed: list[str] = []
        self._pointer_at = QPointF()
        self._pointer = QTimer(self, singleShot=True, interval=POINTER_MS)
        self._build()
        self.motion = MergeMotion(workspace, motion, self)
        self.motion.watch(
            Area(self.editor, pairs=self.editor.merged_pairs),
            Area(self.words, pairs=self.words.merged_pairs),
            Area(self.skyline.view, joints=self.skyline.view.merged_joints),
            Area(self.next, candidate=self.next.pair_rect),
        )
        shared = [actions[key] for key in SHORTCUTS]
        self.addActions(shared)
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
        self.words.spell_number = self._number
        self.editor = named(TokenEditor(), "present.text", "Text, cut into tokens")
        self.editor.setReadOnly(True)
        self.editor.setFrameShape(QFrame.Shape.NoFrame)
        self.editor.colours_of = lambda tokens: self._colours.of(self._run, tokens)
        self.skyline = SkylinePanel(self._workspace)
        self.skyline.view.picture.has_whole_rows = True
        for view in (self.editor, self.skyline.view):
            view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.skyline.heading_items.hide()
        inner = self.skyline.layout()
        if inner is not None:
            inner.setContentsMargins(0, 0, 0, 0)
        for part in (self.skyline, *self.skyline.findChildren(QWidget)):
            if part.objectName():
                part.setObjectName(f"present.{part.objectName()}")
        self.question = ReadingLabel("present.question", "The question of the lesson", self)
        self.next = NextPair()
        self.hint = named(QLabel(HINT, self), "present.hint")
        self.hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.blank = named(QWidget(self), "present.blank", "Blank screen")
        self.blank.setAutoFillBackground(True)
        self.blank.setPalette(QPalette(Qt.GlobalColor.black))
        self.blank.hide()
        self._side = column(self.editor, (self.skyline, 1))
        self._side.addStretch(0)  # takes the room of the skyline while it is hidden
        self._upper = row((self.words, 36), (self._side, 64))
        self._whole = column((self._upper, 1), self.question, self.next, parent=self)
        for part in (self, *self.findChildren(QWidget)):
            part.setMouseTracking(True)
            part.installEventFilter(self)
            if part is not self:
                part.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def _connect(self) -> None:
        workspace = self._workspace
        workspace.run_changed.connect(self._take_run)
        workspace.special_changed.connect(self._take_run)
        workspace.shown_text_changed.connect(self._on_text_changed)
        for signal in (
            workspace.step_changed,
            workspace.run_grew,
            workspace.state_changed,
            workspace.game.changed,
            workspace.lesson.changed,
            workspace.lesson.answered,
        ):
            signal.connect(self.refresh)
        self._next.answered.connect(self._on_decided)
        self.words.chosen.connect(self._show_skyline)
        self.motion.ended.connect(self.refresh)
        self._pointer.timeout.connect(self._hide_pointer)

    # Its content.

    @Slot()
    def _take_run(self) -> None:
        workspace = self._workspace
        run = workspace.run
        self._run = run
        self._decided = None
        self._take_text()
        self.words.set_run(run, workspace.step)
        self.words.setVisible(self.words.has_words)
        if run is None:
            self.editor.set_live(None)
        else:
            try:
                special = frozenset(run.added_tokens().tolist())
                self.editor.set_live(run.live(), workspace.step, special)
            except BpeError:
                self.editor.set_live(None)  # the text panel says why
        self.refresh()

    @Slot(object)
    def _on_text_changed(self, _text: str) -> None:
        self._take_text()
        self._show_skyline()

    def _take_text(self) -> None:
        workspace = self._workspace
        run = self._run
        self.editor.set_text(workspace.shown_text)
        self.editor.setVisible(bool(workspace.shown_text))
        self._pieces = None
        self._typed = []
        if run is not None and run.is_own and workspace.typed_text:
            self._pieces = SkylinePieces(run.segmenter)
            try:
                self._pieces.show(workspace.typed_text)
                self._typed = self._pieces.distinct_words()[:MOST_TYPED]
            except BpeError:
                self._pieces = None  # the text panel says why
        self._fit_text()

    @property
    def is_up_to_date(self) -> bool:
        """Whether everything shows the step of the workspace."""
        is_drawn = self.skyline.isHidden() or self.skyline.is_up_to_date
        return is_drawn and not self._next.is_busy and self.words.is_up_to_date

    @Slot()
    def refresh(self) -> None:
        """Show the step."""
        if self._run is not self._workspace.run:
            return  # the other run is about to be taken
        step = self._workspace.step
        if self.skyline.isHidden() != self._is_hidden("skyline"):
            self.skyline.setVisible(self.skyline.isHidden())
            self._fit_text()
        self.editor.set_step(step)
        self.words.set_step(step)
        self._show_question()
        self._show_next()
        self._choose_words()

    @property
    def _asked(self) -> Question | None:
        """The question of the lesson, until it is answered."""
        lesson = self._workspace.lesson
        verdict = lesson.verdict
        is_over = verdict is not None and (verdict.is_right or verdict.is_revealed)
        return None if lesson.step is None or is_over else lesson.step.ask

    @property
    def _language(self) -> str:
        lesson = self._workspace.lesson.lesson
        return ENGLISH if lesson is None else lesson.language

    def _coming(self) -> tuple[int, int, int] | None:
        """The left and the right token of the next merge, and their count.
        None if they are unknown, or would reveal an answer.
        """
        run = self._run
        step = self._workspace.step
        if run is None or self._is_hidden("candidates") or self._asked is not None:
            return None
        if step < self._workspace.n_merges:
            columns = run.columns
            return int(columns.left[step]), int(columns.right[step]), int(columns.count[step])
        if self._decided is None or self._decided[:2] != (run, step):
            return None
        winner = self._decided[2].winner
        return None if winner is None else (winner.left, winner.right, winner.count)

    def _choose_words(self) -> None:
        """Show the words with the next pair first; in a question of the game, with each choice."""
        if self.motion.is_underway:
            return  # the words stay while the merge is seen in them
        asked = self._workspace.game.round
        coming = self._coming()
        pairs: list[tuple[int, int]] = []
        if coming is not None:
            pairs = [coming[:2]]
        elif self._is_playing and asked is not None and asked.run is self._run:
            pairs = [choice.pair for choice in asked.choices]
        self.words.show_first(*pairs)
        self._show_skyline()

    @Slot()
    def _show_skyline(self) -> None:
        """Show the typed words, those with the next pair first, or else words of the corpus."""
        if self.motion.is_underway:
            return
        pieces = self._pieces
        coming = self._coming()
        step = self._workspace.step
        if pieces is None:
            # The words of a typed text are unknown in some tokenizers; then it is shown whole.
            words = None if self._workspace.typed_text else self.words.texts or None
            self.skyline.show_words(words)
            return
        first: list[str] = []
        if coming is not None:
            first = [word for word in self._typed if pieces.holds_pair(word, coming[:2], step)]
            first = first or list(self.words.texts[:FROM_CORPUS])
        shown = dict.fromkeys([*first, *self._typed])
        self.skyline.show_words(tuple(shown)[:MOST_IN_SKYLINE])

    def _show_question(self) -> None:
        """Show the question of the lesson, and its choices."""
        ask = self._asked
        locale = locale_of(self._language)
        # Before the lesson is ready, the question has braces in place of values.
        is_known = self._workspace.lesson.is_ready
        self.question.setVisible(ask is not None and is_known)
        if ask is None or not is_known:
            return
        choices = []
        for place, choice in enumerate(ask.choices, 1):
            choices.append(f"{locale.toString(place)}\u2002{inserted(choice, locale)}")
        self.question.setLayoutDirection(locale.textDirection())
        lines = [ask.text, "\u2003".join(choices)]
        self.question.set_message("\n".join(filter(None, lines)))

    def _show_next(self) -> None:
        workspace = self._workspace
        run = self._run
        step = workspace.step
        n_merges = workspace.n_merges
        coming = self._coming()
        if run is None:
            self._say("Nothing is open")
        elif self._is_playing and self._say_round(run):
            pass
        elif self._asked is not None:
            self._say()
        elif self._is_hidden("candidates"):
            self._say("Which pair is merged next?")
        elif coming is not None:
            self._say_pair(run, *coming)
        elif n_merges and not has_pairs(run):
            self._say("This was the last merge")  # of a tokenizer without a text
        elif workspace.stop_reason:
            self._say(f"Training stops here: {workspace.stop_reason}")
        elif workspace.state is State.running and isinf(workspace.transport.speed):
            self._say("Training")
        else:
            self._next.ask(run, step)

    def _say(self, *parts: str | Chips, caption: str = "", is_alone: bool = False) -> None:
        """Say what comes next, and, unless it is to be alone, which merge was just made."""
        said = [Said(caption, parts)]
        made = None if is_alone else self._just_made()
        if made is not None:
            said.insert(0, made)
        self.next.setVisible(bool(parts) or made is not None)
        self.next.show_said(
            *said,
            step=f"{self._in_language('Step')} {self._number(self._workspace.step)}",
            is_rtl=runs_right_to_left(locale_of(self._language)),
        )

    def _just_made(self) -> Said | None:
        run = self._run
        place = self._workspace.step - 1
        if run is None or not 0 <= place < self._workspace.n_merges:
            return None
        columns = run.columns
        pair = int(columns.left[place]), int(columns.right[place])
        count: int | None = int(columns.count[place])
        if self._asked is not None and self._asked.kind == "number":
            count = None  # it may be the answer
        return Said(self._in_language("Just made"), self._parts(run, *pair, count))

    def _say_pair(self, run: Run, left: int, right: int, count: int) -> None:
        self._say(*self._parts(run, left, right, count), caption=self._in_language("Comes next"))

    def _parts(self, run: Run, left: int, right: int, count: int | None) -> tuple[str | Chips, ...]:
        """A merge: its pair, its token, and its count, if it is known and reveals no answer."""
        arrow = "←" if runs_right_to_left(locale_of(self._language)) else "→"
        pair = Chips.of(display_name(run, left), display_name(run, right))
        parts: tuple[str | Chips, ...] = (pair, arrow, Chips.of(joined_name(run, left, right)))
        if count is not None and has_pairs(run):
            parts += (self._times(count),)
        return parts

    def _in_language(self, text: str) -> str:
        return in_language(self._language, text)

    def _number(self, value: int) -> str:
        """A number in the digits of the lesson, or of the window if there is none."""
        language = known_language(self._language)
        if language == ENGLISH:
            return number(value)
        return locale_of(language).toString(value)

    def _times(self, count: int) -> str:
        if count == 1:
            return self._in_language("once")
        return self._in_language("{} times").format(self._number(count))

    def _on_decided(self, answer: tuple[Run, int, Decision]) -> None:
        run, step, decision = answer
        if run is not self._run or step != self._workspace.step:
            return
        self._decided = answer
        if self._coming() is None and decision.winner is not None:
            return
        if decision.winner is None:
            self._say("Training stops here: no pair is left to merge")
        else:
            self._show_next()
            self._choose_words()

    def _say_round(self, run: Run) -> bool:
        """Show the question of the game, or the verdict on the guess.

        Returns:
            Whether the game has a round.
        """
        game = self._workspace.game
        asked = game.round
        guess = game.guess
        if asked is None or asked.right is None or asked.run is not run:
            return False
        if guess is None:
            parts: list[str | Chips] = []
            for key, choice in enumerate(asked.choices, 1):
                names = [display_name(run, token) for token in choice.pair]
                parts += [str(key), Chips.of(*names)]
            self._say(*parts, caption="Which pair is merged next?", is_alone=True)
        else:
            said = f"{SIGNS[guess.verdict]} {HEADINGS[guess.verdict]}"
            count = asked.count_of(asked.right)
            self._say(*self._parts(run, *asked.right, count), caption=said, is_alone=True)
        return True

    # Its sizes.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            QTimer.singleShot(0, self, self._fit)  # after the window has scaled its content

    @Slot()
    def _fit(self) -> None:
        height = self.height()
        scale = max(1.0, Style.scale)
        for widget, share in (
            (self.editor, TEXT),
            (self.words, WORDS),
            (self.next, NEXT),
            (self.question, QUESTION),
            (self.skyline.view, TICKS),
            (self.hint, 1 / 48),
        ):
            font = QFont(widget.font())
            font.setPointSizeF(share * scale * height * 72 / self.logicalDpiY())
            if widget is self.question:
                font.setWeight(QFont.Weight.DemiBold)
            widget.setFont(font)
        self.skyline.view.set_zoom(round(100 * TEXT / TICKS / LETTERS))
        margin = round(MARGIN * height)
        gap = round(GAP * height)
        for layout in (self._side, self._upper):
            layout.setSpacing(gap)
        self.next.fit()
        self.hint.adjustSize()
        self._whole.setContentsMargins(
            margin, margin, margin, max(margin // 2, self.hint.height() + 4)
        )
        self.hint.move((self.width() - self.hint.width()) // 2, height - self.hint.height() - 4)
        self.blank.setGeometry(self.rect())
        self.words.set_step(self._workspace.step)
        self._fit_text()

    @Slot()
    def _fit_text(self) -> None:
        """Give the text the height of as many of its lines as have room."""
        editor = self.editor
        share = WHOLE_TEXT if self.skyline.isHidden() else MOST_TEXT
        most = share * self.height()
        margins = editor.contentsMargins()
        height = margins.top() + margins.bottom() + editor.document().documentMargin()
        block = editor.document().begin()
        is_full = False
        while block.isValid() and not is_full:
            editor.blockBoundingRect(block)  # lays it out
            for line in range(block.layout().lineCount()):
                line_px = block.layout().lineAt(line).height()
                if height + line_px > most:
                    is_full = True
                    break
                height += line_px
            block = block.next()
        if not is_full:
            height += editor.document().documentMargin()
        editor.setFixedHeight(round(height))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.setFocus()
        self._pointer.start()
        QTimer.singleShot(HINT_MS, self.hint, self.hint.hide)

    # Keys and the pointer.

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        is_move = event.type() == QEvent.Type.MouseMove
        if (
            is_move
            and isinstance(event, QMouseEvent)
            and event.globalPosition() != self._pointer_at
        ):
            self._pointer_at = event.globalPosition()
            self._show_pointer()
        elif event.type() == QEvent.Type.Resize and watched is self.editor.viewport():
            QTimer.singleShot(0, self, self._fit_text)  # after its lines are broken anew
        return False

    def _show_pointer(self) -> None:
        for part in self._under_pointer:
            part.unsetCursor()
        self._pointer.start()

    @Slot()
    def _hide_pointer(self) -> None:
        for part in self._under_pointer:
            part.setCursor(Qt.CursorShape.BlankCursor)

    @property
    def _under_pointer(self) -> tuple[QWidget, ...]:
        """The widgets whose cursor all others share."""
        return self, self.editor.viewport(), self.skyline.view.viewport()

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._is_own(event)
        ):
            event.accept()  # otherwise Esc and others would be shortcuts of the window
            return True
        return super().event(event)

    def _is_own(self, event: QKeyEvent) -> bool:
        key = event.key()
        is_plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
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
                transport.pause()  # otherwise it would go on at full speed
            transport.set_speed(self._speed)
        super().closeEvent(event)
        self.left.emit()


def _decided(run: Run, step: int) -> tuple[Run, int, Decision]:
    return run, step, decide(run, step)
