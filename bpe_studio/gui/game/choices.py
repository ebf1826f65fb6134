"""The pairs of a round to choose from, a button each.

After the guess each button shows the count of its pair; before it, a hint shows the count of one pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeySequence, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSizePolicy, QToolButton, QWidget

from bpe_studio.explain.names import isolated
from bpe_studio.explain.wording import number, times
from bpe_studio.gui.look import theme
from bpe_studio.gui.look.fonts import has_few_lines
from bpe_studio.gui.tokens.chips import ChipRow, joined_forms
from bpe_studio.workspace.game.guessing import HINT_POINTS
from bpe_studio.workspace.game.rounds import N_CHOICES, Pair, Verdict
from bpe_studio.workspace.game.shown_round import SIGNS

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guessing
    from bpe_studio.workspace.game.shown_round import ShownRound


_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
_CENTRE = int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine)
MARKS = {Verdict.right: "merged next", Verdict.tied: "as frequent", Verdict.wrong: ""}
PAD_PX, PLUS_PX = 8.0, 22.0


@dataclass(frozen=True)
class ChoiceState:
    """What a button shows.

    Attributes:
        key: the key that guesses the pair, or "".
        pair: the ids of its tokens.
        names: the display names of the tokens.
        count: how often the pair occurs; -1 while that is hidden.
        share: its count divided by the highest one shown, from 0 to 1.
        verdict: whether the pair is right; None before the guess.
        is_mine: whether the user guessed it.
        is_rtl: whether it runs from right to left.
    """

    key: str
    pair: Pair
    names: tuple[str, str]
    count: int = -1
    share: float = 0.0
    verdict: Verdict | None = None
    is_mine: bool = False
    is_rtl: bool = False

    @property
    def mark(self) -> str:
        """The remark on the pair after the guess, with a sign before it."""
        if self.verdict is None:
            return ""
        words = [word for word in ("your guess" if self.is_mine else "", MARKS[self.verdict]) if word]
        sign = SIGNS[self.verdict] if self.is_mine or self.verdict is not Verdict.wrong else ""
        return f"{sign} {', '.join(words)}".strip()

    @property
    def spoken(self) -> str:
        """The whole content as a sentence, for screen readers."""
        said = " + ".join(isolated(name) for name in self.names)
        parts = (f"{self.key}: {said}" if self.key else said, times(self.count) if self.count >= 0 else "", self.mark)
        return ", ".join(part for part in parts if part)


class ChoiceRow(QAbstractButton):
    """The button of one pair."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._state: ChoiceState | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def state(self) -> ChoiceState | None:
        """What the button shows."""
        return self._state

    def show_state(self, state: ChoiceState) -> None:
        """Show another pair, or another state of it."""
        if state == self._state:
            return
        self._state = state
        is_open = state.verdict is None
        self.setText(state.spoken)
        self.setShortcut(QKeySequence())  # an ampersand in a token would set one
        self.setAccessibleName(state.spoken)
        self.setToolTip(f"Guesses this pair ({state.key})" if is_open and state.key else "")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if is_open else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_open else Qt.CursorShape.ArrowCursor)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(380, round((2.4 if has_few_lines(self) else 3.1) * self.fontMetrics().lineSpacing()))

    def minimumSizeHint(self) -> QSize:
        return QSize(260, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        state, palette = self._state, self.palette()
        if state is None:
            return
        text, muted = palette.color(QPalette.ColorRole.Text), theme.muted(palette)
        is_open, is_next = state.verdict is None, state.verdict is Verdict.right
        is_strong = self.hasFocus() or is_next or state.is_mine
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            edge = palette.color(QPalette.ColorRole.WindowText) if is_strong else palette.color(QPalette.ColorRole.Mid)
            style = Qt.PenStyle.DashLine if state.is_mine and not is_next else Qt.PenStyle.SolidLine
            painter.setPen(QPen(edge, 2 if is_strong else 1, style))
            is_under = is_open and self.underMouse()
            painter.setBrush(palette.color(QPalette.ColorRole.Midlight if is_under else QPalette.ColorRole.Base))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 7, 7)
            inner = self.rect().adjusted(14, 5, -14, -9)
            left = self._paint_key(painter, inner, state.key, muted)
            room = self._paint_figures(painter, inner, state, text, muted)
            self._paint_pair(painter, QRect(left, inner.top(), room - left - 12, inner.height()), state)
            if state.count >= 0:
                height = 5.0
                bar = QRectF(
                    left, self.height() - height - 5, max(2.0, state.share * (self.width() - left - 14)), height
                )
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(muted if is_next or is_open else palette.color(QPalette.ColorRole.Mid))
                painter.drawRoundedRect(bar, 2, 2)

    def _paint_key(self, painter: QPainter, inner: QRect, key: str, muted: object) -> int:
        """Paint the key; returns the x coordinate after it."""
        if not key:
            return inner.left()
        side = self.fontMetrics().height() + 6
        box = QRectF(inner.left(), inner.center().y() - side / 2, side, side)
        painter.setPen(QPen(muted, 1))  # type: ignore[call-overload]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 4, 4)
        painter.drawText(box, _CENTRE, key)
        return inner.left() + side + 14

    def _paint_figures(self, painter: QPainter, inner: QRect, state: ChoiceState, text: object, muted: object) -> int:
        """Paint count and remark at the right; returns the x coordinate where they begin."""
        if state.count < 0:
            return inner.right()
        count = number(state.count)
        big = theme.numeric_font(self.font().pointSizeF() * 1.3)
        big.setWeight(QFont.Weight.DemiBold if state.verdict is Verdict.right else QFont.Weight.Normal)
        small = QFont(self.font())
        small.setWeight(QFont.Weight.DemiBold)
        wide = max(QFontMetricsF(big).horizontalAdvance(count), QFontMetricsF(small).horizontalAdvance(state.mark)) + 4
        side = QRect(inner.right() - round(wide), inner.top(), round(wide), inner.height())
        half = side.height() // 2 if state.mark else side.height()
        painter.setPen(text)
        painter.setFont(big)
        painter.drawText(QRect(side.left(), side.top(), side.width(), half), _RIGHT, count)
        if state.mark:
            painter.setFont(small)
            painter.drawText(
                QRect(side.left(), side.top() + half, side.width(), side.height() - half), _RIGHT, state.mark
            )
        painter.setFont(self.font())
        return side.left()

    def _paint_pair(self, painter: QPainter, rect: QRect, state: ChoiceState) -> None:
        """Paint the two tokens as neighbouring chips, in the direction of their text."""
        font = QFont(self.font())
        font.setPointSizeF(font.pointSizeF() * 1.5)
        painter.setFont(font)
        metrics = QFontMetricsF(font)
        texts = joined_forms(state.names)
        most = (rect.width() - 4 * PAD_PX - 2) / 2
        if sum(map(metrics.horizontalAdvance, texts)) > 2 * most:
            texts = [metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, most) for name in state.names]
        widths = [metrics.horizontalAdvance(each) + 2 * PAD_PX for each in texts]
        height = min(float(rect.height()), metrics.height() + 6)
        top = rect.top() + (rect.height() - height) / 2
        # Chips that run from right to left also begin at the left edge.
        room = QRectF(rect.left(), top, sum(widths) + 2, height)
        ChipRow.placed(texts, widths, room, 2.0, is_rtl=state.is_rtl).paint(painter, self.palette())
        painter.setFont(self.font())


class GameChoices(QWidget):
    """The buttons, each with a button for a hint.

    Signals:
        guessed: (int, int), the user guessed a pair.
        hint_requested: (int, int), the user wants to see the count of a pair.
    """

    guessed = Signal(object)
    hint_requested = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnStretch(0, 1)
        self.rows: list[ChoiceRow] = []
        self.hints: list[QToolButton] = []
        for place in range(N_CHOICES):
            row, hint = ChoiceRow(f"game.choice_{place + 1}", self), QToolButton(self)
            hint.setObjectName(f"game.hint_{place + 1}")
            hint.setText(f"Count −{HINT_POINTS}")
            hint.setToolTip(f"Shows how often this pair occurs, for {HINT_POINTS} points (Shift+{place + 1})")
            policy = hint.sizePolicy()
            policy.setRetainSizeWhenHidden(not has_few_lines(self))
            hint.setSizePolicy(policy)
            hint.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.clicked.connect(partial(self._on_clicked, place))
            hint.clicked.connect(partial(self._on_hint, place))
            self._grid.addWidget(row, place, 0)
            self._grid.addWidget(hint, place, 1, Qt.AlignmentFlag.AlignVCenter)
            self.rows.append(row)
            self.hints.append(hint)

    def pairs(self) -> list[Pair]:
        """The pairs that are shown, from top to bottom."""
        return [row.state.pair for row in self.rows if not row.isHidden() and row.state is not None]

    def show_round(self, game: Guessing, shown: ShownRound | None) -> None:
        """Show the pairs of a round with the hints and the guess of the game; None for no round."""
        states = [] if shown is None else _states(game, shown)
        for place, (row, hint) in enumerate(zip(self.rows, self.hints, strict=True)):
            is_there = place < len(states)
            row.setVisible(is_there)
            hint.setVisible(is_there and game.guess is None)
            if is_there:
                state = states[place]
                row.show_state(state)
                hint.setEnabled(state.pair not in game.hints)
                hint.setAccessibleName(f"Count {' + '.join(state.names)}, for {HINT_POINTS} points")

    def _on_clicked(self, number: int) -> None:
        state = self.rows[number].state
        if state is not None and state.verdict is None:
            self.guessed.emit(state.pair)

    def _on_hint(self, number: int) -> None:
        state = self.rows[number].state
        if state is not None:
            self.hint_requested.emit(state.pair)


def _states(game: Guessing, shown: ShownRound) -> list[ChoiceState]:
    asked, guess = shown.round, game.guess
    known = {choice.pair: choice.count for choice in asked.choices} if guess is not None else game.hints
    # A full bar is the highest count that is shown: the bars must not reveal the hidden ones.
    most = max([*known.values(), 1])
    return [
        ChoiceState(
            key=str(place),
            pair=pair,
            names=(shown.names.of(pair[0]), shown.names.of(pair[1])),
            count=known.get(pair, -1),
            share=known.get(pair, 0) / most,
            verdict=None if guess is None else asked.judge(pair),
            is_mine=guess is not None and guess.pair == pair,
            is_rtl=shown.runs_left(pair),
        )
        for place, pair in enumerate((choice.pair for choice in asked.choices), 1)
    ]
