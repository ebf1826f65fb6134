"""The pairs of a round, one under another: four to choose from, or the one that is chosen in the words.

After the guess the rows show how often each pair occurs; a hint shows it of one before.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QToolButton, QWidget

from bpe_studio.gui.game.choice import ChoiceLook, ChoiceRow
from bpe_studio.gui.look.fonts import has_few_lines
from bpe_studio.workspace.game.guessing import CHOICES, HINT_POINTS
from bpe_studio.workspace.game.rounds import N_CHOICES, Pair

if TYPE_CHECKING:
    from bpe_studio.workspace.game.guessing import Guessing
    from bpe_studio.workspace.game.shown_round import ShownRound


class GameChoices(QWidget):
    """The rows, and a hint beside each.

    Signals:
        guessed: (int, int), a pair.
        hint_requested: (int, int), a pair.
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
        # Of a guess in the words, a fifth row: the pair itself may be none of the four.
        for number in range(N_CHOICES + 1):
            row, hint = ChoiceRow(f"game.choice_{number + 1}", self), QToolButton(self)
            hint.setObjectName(f"game.hint_{number + 1}")
            hint.setText(f"Count −{HINT_POINTS}")
            hint.setToolTip(f"Shows how often this pair occurs, for {HINT_POINTS} points (Shift+{number + 1})")
            policy = hint.sizePolicy()
            policy.setRetainSizeWhenHidden(not has_few_lines(self))
            hint.setSizePolicy(policy)
            hint.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            row.clicked.connect(partial(self._on_clicked, number))
            hint.clicked.connect(partial(self._on_hint, number))
            self._grid.addWidget(row, number, 0)
            self._grid.addWidget(hint, number, 1, Qt.AlignmentFlag.AlignVCenter)
            self.rows.append(row)
            self.hints.append(hint)

    def pairs(self) -> list[Pair]:
        """The pairs that are shown, from above."""
        return [row.look.pair for row in self.rows if not row.isHidden() and row.look is not None]

    def show_round(self, game: Guessing, shown: ShownRound | None, chosen: Pair | None) -> None:
        """Show the state of a round.

        Args:
            game: its hints and its guess.
            shown: the round; None while there is none.
            chosen: the pair that is chosen in the words.
        """
        looks = [] if shown is None else _looks(game, shown, chosen)
        for number, (row, hint) in enumerate(zip(self.rows, self.hints, strict=True)):
            is_there = number < len(looks)
            row.setVisible(is_there)
            hint.setVisible(is_there and game.guess is None)
            if is_there:
                look = looks[number]
                row.show_look(look)
                hint.setEnabled(look.pair not in game.hints)
                hint.setAccessibleName(f"Count {' + '.join(look.names)}, for {HINT_POINTS} points")

    def _on_clicked(self, number: int) -> None:
        look = self.rows[number].look
        if look is not None and look.verdict is None:
            self.guessed.emit(look.pair)

    def _on_hint(self, number: int) -> None:
        look = self.rows[number].look
        if look is not None:
            self.hint_requested.emit(look.pair)


def _looks(game: Guessing, shown: ShownRound, chosen: Pair | None) -> list[ChoiceLook]:
    asked, guess = shown.round, game.guess
    pairs = [choice.pair for choice in asked.choices]
    if game.mode != CHOICES and guess is None:
        pairs = [chosen] if chosen is not None else []
    elif guess is not None and guess.pair not in pairs:
        pairs = sorted([*pairs, guess.pair], key=asked.count_of, reverse=True)
    counts = {pair: asked.count_of(pair) for pair in pairs}
    most = max(*counts.values(), 1) if counts else 1
    hints = game.hints
    if guess is None:
        # The greatest count that is known is the whole of a bar; that of the others is not to be seen.
        most = max([*hints.values(), 1])
    looks = []
    for number, pair in enumerate(pairs):
        is_known = guess is not None or pair in hints
        looks.append(
            ChoiceLook(
                key=str(number + 1) if game.mode == CHOICES else "",
                pair=pair,
                names=(shown.names.of(pair[0]), shown.names.of(pair[1])),
                count=counts[pair] if is_known else -1,
                share=counts[pair] / most if is_known else 0.0,
                verdict=None if guess is None else asked.judge(pair),
                is_mine=guess is not None and guess.pair == pair,
                is_rtl=shown.runs_left(pair),
            )
        )
    return looks
