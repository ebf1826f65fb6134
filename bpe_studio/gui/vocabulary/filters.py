"""Filters of the vocabulary by state, script and length.

Each state is a button with its number of tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QToolButton, QWidget

from bpe_studio.engine.analysis.rare_tokens import MOST_RARE_BELOW, RARE_BELOW
from bpe_studio.explain.wording import number
from bpe_studio.gui.widgets.containers import column
from bpe_studio.gui.widgets.controls import WholeNumber, enable, named
from bpe_studio.gui.widgets.wrapping_row import WrappingRow

if TYPE_CHECKING:
    from bpe_studio.explain.vocabulary import TokenState, Vocabulary, VocabularyFilter

_BUTTONS = (
    (
        "unused",
        "Never used",
        "Tokens that do not occur in the corpus at the step: merges have absorbed them",
    ),
    (
        "rare",
        "Rare",
        "Tokens that occur in the corpus less often than the number on the right, or never",
    ),
    (
        "unreachable",
        "Unreachable",
        (
            "Tokens that no text is ever encoded as: an earlier merge uses part of them, or the"
            " split divides them"
        ),
    ),
    ("partial", "Part of a character", "Tokens whose bytes are not whole characters"),
    ("special", "Special", "Special tokens, which no merge makes"),
    ("base", "Alphabet", "The symbols before the first merge"),
    ("reachable", "Reachable", "Tokens that some text becomes"),
)
_ONLY_CHOSEN = "reachable"
"""The state whose button is shown only while it is chosen, as by a link: most tokens are in it."""
BOX_CHARACTERS = 10


class VocabularyFilters(QWidget):
    """Which tokens are wanted: a button for each state.

    Attributes:
        script, length: boxes that are for the line of the text filter.

    Signals:
        changed: the person wants others.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = ""
        self._counts: dict[str, int] = {}
        self._scripts: list[int] = []
        self.states: dict[str, QToolButton] = {}
        for key, title, tip in _BUTTONS:
            button = named(
                QToolButton(self), f"vocabulary.{key}", f"Show only: {title.lower()}", tip
            )
            button.setText(title)
            button.setCheckable(True)
            button.clicked.connect(self._on_state_clicked)
            self.states[key] = button
        self.rare_below = named(
            WholeNumber(self),
            "vocabulary.rare_below",
            "Rare below",
            "A token that occurs less often than this is rare",
        )
        self.rare_below.setRange(1, MOST_RARE_BELOW)
        self.rare_below.setValue(RARE_BELOW)
        self.rare_below.setPrefix("below ")
        self.script = named(
            QComboBox(self),
            "vocabulary.script",
            "Script",
            "Show only tokens whose letters are of one script",
        )
        self.length = named(
            QComboBox(self),
            "vocabulary.length",
            "Length",
            "Show only tokens of this length in characters",
        )
        for box in (self.script, self.length):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContentsOnFirstShow)
            box.setMinimumContentsLength(BOX_CHARACTERS)
        self.row = WrappingRow(self)
        self.row.add(self.states["unused"])
        self.row.add(self.states["rare"], self.rare_below)
        for key in ("unreachable", "partial", "special", "base", _ONLY_CHOSEN):
            self.row.add(self.states[key])
        self.states[_ONLY_CHOSEN].hide()
        column(self.row, parent=self)
        self._is_filled = False

    def fill(self) -> None:
        """Offer lengths and scripts; what that needs is imported when the panel is first used."""
        from bpe_studio.explain.vocabulary import LENGTHS, length_text

        if self._is_filled:
            return
        self._is_filled = True
        self.script.addItem("Any script")
        self.length.addItem("Any length")
        self.length.addItems([length_text(length) for length in LENGTHS])
        self.rare_below.valueChanged.connect(self.changed)
        self.script.currentIndexChanged.connect(self.changed)
        self.length.currentIndexChanged.connect(self.changed)

    @property
    def wanted(self) -> VocabularyFilter:
        """What is chosen."""
        from bpe_studio.explain.vocabulary import LENGTHS, TokenState, VocabularyFilter

        self.fill()
        script = self.script.currentIndex() - 1
        length = self.length.currentIndex() - 1
        return VocabularyFilter(
            TokenState[self._state] if self._state else None,
            self.rare_below.value(),
            self._scripts[script] if script >= 0 else None,
            LENGTHS[length] if length >= 0 else None,
        )

    def set_state(self, state: TokenState | None) -> None:
        """Want only tokens in a state; None for any."""
        name = "" if state is None else state.name
        if name != self._state:
            self._state = name
            self._check()
            self.changed.emit()

    def clear(self) -> None:
        """Want every token."""
        if not self._state and max(self.script.currentIndex(), self.length.currentIndex()) <= 0:
            return
        self._state = ""
        self._check()
        for box in (self.script, self.length):
            box.blockSignals(True)
            box.setCurrentIndex(0)
            box.blockSignals(False)
        self.changed.emit()

    def show_counts(self, vocabulary: Vocabulary | None) -> None:
        """Write on each button how many tokens there are, and offer the scripts that there are."""
        from bpe_studio.explain.vocabulary import BEING_CHECKED, TokenState, script_text

        self.fill()
        for key, title, tip in _BUTTONS:
            text = title
            why_not = "" if vocabulary is None else vocabulary.why_unknown(TokenState[key])
            enable(
                self.states[key], tip, "" if key == self._state else why_not
            )  # a chosen one can be released
            if why_not == BEING_CHECKED:
                text = f"{title}  …"
            elif vocabulary is not None and not why_not:
                held = vocabulary.holding(TokenState[key], self.rare_below.value())
                text = f"{title}  {number(int(held.sum()))}"
            if self.states[key].text() != text:
                self.states[key].setText(text)
        self.rare_below.setEnabled(self.states["rare"].isEnabled())
        for each in (self.states["unused"], self.states["rare"], self.rare_below):
            each.setVisible(vocabulary is None or vocabulary.is_counted)
        scripts = [] if vocabulary is None else vocabulary.present_scripts()
        if scripts == self._scripts:
            return
        before = self.script.currentIndex() - 1
        chosen = self._scripts[before] if before >= 0 else None
        self._scripts = scripts
        self.script.blockSignals(True)
        self.script.clear()
        self.script.addItems(["Any script", *(script_text(each) for each in scripts)])
        self.script.setCurrentIndex(scripts.index(chosen) + 1 if chosen in scripts else 0)
        self.script.blockSignals(False)
        if chosen is not None and chosen not in scripts:
            self.changed.emit()

    def _check(self) -> None:
        for key, button in self.states.items():
            button.setChecked(key == self._state)
        self.states[_ONLY_CHOSEN].setVisible(self._state == _ONLY_CHOSEN)

    @Slot()
    def _on_state_clicked(self) -> None:
        button = self.sender()
        key = next((key for key, each in self.states.items() if each is button), "")
        self._state = "" if key == self._state else key
        self._check()
        self.changed.emit()
