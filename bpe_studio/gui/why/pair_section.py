"""The reasons why a pair is or is not merged at a step: its count, its margin, and its words.

It shows a `PairAnswer`; a click changes the selection. The panel requests the answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from bpe_studio.engine.options import capitalized, label_of
from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import display_name, short_name
from bpe_studio.explain.why.answers import PairAnswer
from bpe_studio.explain.why.facts import pair_facts, rule_groups
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.why.words_section import ContainingWordsSection
from bpe_studio.gui.widgets.containers import TIGHT_PX, column
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.fact_list import Facts
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.selection import Selection

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run


class PairSection(QWidget):
    """The facts, the choice of each tie rule, and the words.

    Args:
        selection: the selection that clicks change.
    """

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: PairAnswer | None = None
        self.title = heading("Why this pair", "why.pair_title", self)
        self.facts = Facts("why.pair", self)
        self.rules = RuleChoices(selection, self)
        self.words = ContainingWordsSection(
            "why.pair", "In these words", of_pairs=True, selection=selection, parent=self
        )
        column(self.title, self.facts, self.rules, self.words, parent=self)

    @property
    def answer(self) -> PairAnswer | None:
        """The answer that is shown."""
        return self._answer

    def forget(self) -> None:
        """Drop the answer of a run that may be closed."""
        self._answer = None
        self.words.table.show_rows(())

    def show_answer(self, answer: PairAnswer, *, is_steady: bool = False) -> None:
        """Show an answer.

        Args:
            answer: the answer.
            is_steady: whether to keep room for a few words, so that a change of step moves nothing.
        """
        self._answer = answer
        is_known = answer.decision is not None and not answer.trouble
        title = "Why this pair" if answer.is_winner else "Why not this pair"
        self.title.setText(title)
        self.title.setVisible(is_known)  # otherwise, the sentence above says why not
        facts = pair_facts(answer) if is_known else ()
        self.facts.show_facts(facts)
        self.rules.show_answer(answer)
        has_words = is_known and has_pairs(answer.run)
        self.words.setVisible(has_words)
        if has_words:
            self.words.table.set_steady(is_steady)
            self.words.show_words(answer.words, answer.run.at(answer.step), "occurs")


class RuleChoices(QWidget):
    """The choice of each tie rule at the step; rules with the same choice share a row."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._shown: tuple[tuple[str, tuple[Link, ...]], ...] = ()
        self._rows: list[tuple[Note, TokenLinks]] = []
        self.title = heading("What each rule would choose", "why.rules_title", self)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        column(self.title, self._grid, parent=self, spacing=TIGHT_PX, margins=(0, 8, 0, 8))

    @property
    def shown(self) -> tuple[tuple[str, str], ...]:
        """The rows: the rules of each, and their pair."""
        shown = []
        for rules, links in self._shown:
            pair = " ".join(link.text for link in links)
            shown.append((rules, pair))
        return tuple(shown)

    def show_answer(self, answer: PairAnswer) -> None:
        """Show an answer; nothing if all rules choose the same pair, as the facts say."""
        groups = rule_groups(answer)
        self.setVisible(len(groups) > 1)
        if len(groups) < 2 or answer.decision is None:
            self._shown = ()
            return
        rows = []
        for pair, rules in groups:
            names = []
            for rule in rules:
                name = capitalized(label_of("ties", rule))
                if rule == answer.decision.rule:
                    name = f"{name} – current rule"
                names.append(name)
            rows.append((", ".join(names), pair_links(answer.run, pair)))
        if tuple(rows) == self._shown:
            return
        self._shown = tuple(rows)
        while len(self._rows) < len(rows):
            self._add_row()
        for number, (note, links) in enumerate(self._rows):
            is_used = number < len(rows)
            if is_used:
                note.set_message(rows[number][0])
                choices = [
                    f"{capitalized(label_of('ties', rule))}: chooses {TIE_RULES[rule].words}"
                    for rule in groups[number][1]
                ]
                note.setToolTip("\n".join(choices))
                links.set_links(rows[number][1])
                links.setAccessibleName(f"Chosen by {rows[number][0]}")
            note.setVisible(is_used)
            links.setVisible(is_used)

    def _add_row(self) -> None:
        number = len(self._rows)
        note = Note("", "plain", self)
        links = TokenLinks(self)
        named(note, f"why.rules_{number}", "Tie rules that choose the same pair")
        note.setContentsMargins(0, 2, 0, 0)  # level with the text of the chips
        links.setObjectName(f"why.rules_{number}_pair")
        links.selected.connect(self._selection.select_token)
        self._grid.addWidget(note, number, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(links, number, 1, Qt.AlignmentFlag.AlignTop)
        self._rows.append((note, links))


def pair_links(run: Run, pair: tuple[int, int]) -> tuple[Link, ...]:
    """Two tokens as chips, with a plus between them."""
    left, right = (
        Link(display_name(run, token), token, f"Show {short_name(run, token)}") for token in pair
    )
    return left, Link("+", is_sign=True), right
