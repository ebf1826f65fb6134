"""Why a pair is merged at a step, or is not: its count, by how much it won, what decided, and the words it stands in.

It draws a `PairAnswer`, and picks what is clicked in it; what it shows is asked for by the panel.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from bpe_studio.engine.presets import TIE_RULES
from bpe_studio.explain.names import display_text, elided, isolated
from bpe_studio.gui.look.numbers_text import grouping_locale
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.why.answers import Names, PairAnswer, times
from bpe_studio.gui.why.words_section import ContainingWordsSection
from bpe_studio.gui.widgets.fact_list import Fact, Facts
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.selection import Selection

_LEFT_OUT = {"skip": "left out at this step", "forbid": "forbidden"}
MOST_LEFT_OUT = 5


class PairSection(QWidget):
    """The answer as facts, a table of the rules' choices, and the words.

    Args:
        selection: where a click picks.
    """

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: PairAnswer | None = None
        self.title = heading("Why this pair", "why.pair_title", self)
        self.trouble = Note("", "plain", self)
        self.trouble.setObjectName("why.pair_trouble")
        self.facts = Facts("why.pair", self)
        self.rules = RuleChoices(selection, self)
        self.words = ContainingWordsSection(
            "why.pair", "In these words", of_pairs=True, selection=selection, parent=self
        )
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(8)
        for widget in (self.title, self.trouble, self.facts, self.rules, self.words):
            whole.addWidget(widget)

    @property
    def answer(self) -> PairAnswer | None:
        """What is shown."""
        return self._answer

    def show_answer(self, answer: PairAnswer, *, is_steady: bool = False) -> None:
        """Show another answer.

        Args:
            answer: what is known.
            is_steady: keep the room of a few words, as steps come and go.
        """
        self._answer = answer
        is_known = answer.decision is not None and not answer.trouble
        self.title.setText("Why this pair" if answer.is_winner or not is_known else "Why not this pair")
        self.trouble.set_message(answer.trouble)
        self.trouble.setVisible(bool(answer.trouble))
        self.facts.show_facts(pair_facts(answer) if is_known else ())
        self.rules.show_answer(answer)
        self.words.setVisible(is_known)
        if is_known:
            n_words = len(answer.run.corpus)
            self.words.table.set_steady(is_steady)
            self.words.show_words(answer.words, n_words, "stands")


class RuleChoices(QWidget):
    """What each of the six tie rules would take at the step; rules that take the same pair share a row."""

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self._shown: tuple[tuple[str, tuple[Link, ...]], ...] = ()
        self._rows: list[tuple[Note, TokenLinks]] = []
        self.title = heading("What each rule would take", "why.rules_title", self)
        self._grid = QGridLayout()
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 8, 0, 8)
        whole.setSpacing(4)
        whole.addWidget(self.title)
        whole.addLayout(self._grid)

    @property
    def shown(self) -> tuple[tuple[str, str], ...]:
        """What is shown: the rules of each row, and their pair."""
        return tuple((rules, " ".join(link.text for link in links)) for rules, links in self._shown)

    def show_answer(self, answer: PairAnswer) -> None:
        """Show another answer; where all rules take the same, the facts say so and this takes no room."""
        groups = rule_groups(answer)
        self.setVisible(len(groups) > 1)
        if len(groups) < 2 or answer.names is None or answer.decision is None:
            self._shown = ()
            return
        rows = []
        for pair, rules in groups:
            names = [f"{rule} (in force)" if rule == answer.decision.rule else rule for rule in rules]
            rows.append((", ".join(names), pair_links(answer.names, pair)))
        if tuple(rows) == self._shown:
            return
        self._shown = tuple(rows)
        while len(self._rows) < len(rows):
            self._add_row()
        for number, (note, links) in enumerate(self._rows):
            is_used = number < len(rows)
            if is_used:
                note.set_message(rows[number][0])
                note.setToolTip("\n".join(f"{rule} takes {TIE_RULES[rule]}" for rule in groups[number][1]))
                links.set_links(rows[number][1])
                links.setAccessibleName(f"Taken by {rows[number][0]}")
            note.setVisible(is_used)
            links.setVisible(is_used)

    def _add_row(self) -> None:
        number = len(self._rows)
        note, links = Note("", "plain", self), TokenLinks(self)
        note.setObjectName(f"why.rules_{number}")
        note.setAccessibleName("Tie rules that take the same pair")
        links.setObjectName(f"why.rules_{number}_pair")
        links.selected.connect(self._selection.select_token)
        self._grid.addWidget(note, number, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(links, number, 1, Qt.AlignmentFlag.AlignTop)
        self._rows.append((note, links))


def rule_groups(answer: PairAnswer) -> list[tuple[tuple[int, int], list[str]]]:
    """The pairs that the six rules would take, and the rules that take each; that of the rule in force first."""
    decision = answer.decision
    if decision is None:
        return []
    groups: dict[tuple[int, int], list[str]] = {}
    for rule in sorted(TIE_RULES, key=lambda rule: rule != decision.rule):
        choice = decision.choices.get(rule)
        if choice is not None:
            groups.setdefault((choice.left, choice.right), []).append(rule)
    return list(groups.items())


def pair_links(names: Names, pair: tuple[int, int]) -> tuple[Link, ...]:
    """Two tokens as chips, with a plus between them."""
    left, right = (Link(names.of(token), token, f"Show {isolated(elided(names.of(token)))}") for token in pair)
    return left, Link("+", is_sign=True), right


def pair_facts(answer: PairAnswer) -> list[Fact]:
    """How often the pair stands, by how much it won or lost, and what decided."""
    decision, names = answer.decision, answer.names
    assert decision is not None and names is not None and answer.pair is not None
    number = grouping_locale().toString
    stands_tip = "How often the pair stands in the corpus at this step, each word counted as often as it occurs"
    facts = [Fact("stands", times(answer.words.total), stands_tip)]
    winner = decision.winner

    def named(pair: tuple[int, int]) -> str:
        return " + ".join(isolated(elided(names.of(token), 24)) for token in pair)

    margin_tip = "Its count against that of the most frequent pair with a smaller count, at the same step"
    if answer.is_winner:
        after = decision.runner_up
        if decision.by == "forced":
            text = "no count: it is forced"
        elif after is None:
            text = "no other pair is left" if decision.n_tied <= 1 else "no pair stands less often"
        else:
            margin = answer.words.total - after.count if decision.margin is None else decision.margin
            text = f"{number(margin)} over {named((after.left, after.right))}, which stands {times(after.count)}"
            if decision.n_tied > 1:
                text = f"nothing over {_others(decision.n_tied - 1)}; {text}"
        facts.append(Fact("wins by", text, margin_tip))
    elif winner is not None:
        behind = winner.count - answer.words.total
        taken = f"{named((winner.left, winner.right))}, which stands {times(winner.count)}"
        text = f"as frequent as {taken}" if behind == 0 else f"{number(behind)} behind {taken}"
        if behind < 0:
            text = f"{number(-behind)} more than {taken}"
        facts.append(Fact("against", text, margin_tip))
    facts.append(_what_decided(answer))
    for out in decision.left_out[:MOST_LEFT_OUT]:
        pair = " + ".join(_shown(answer, each) for each in (out.left, out.right))
        text = f"{pair}, which stands {times(out.count)}: {_LEFT_OUT.get(out.how, out.how)}"
        facts.append(
            Fact("left out", text, "A pair that counts and rule would have taken, had a person not left it out")
        )
    if len(rule_groups(answer)) == 1:
        facts.append(Fact("any rule", "would take the same pair", "All six tie rules agree at this step"))
    return facts


def _shown(answer: PairAnswer, written: str) -> str:
    """A token that is known as logs write it, in the words of the other panels."""
    token = answer.run.find_token(written)
    known = answer.names is not None and token is not None and token >= 0
    return isolated(elided(answer.names.of(token) if known else display_text(written), 24))


def _others(n: int) -> str:
    """So many other pairs, in words."""
    return "another pair as frequent" if n == 1 else f"{grouping_locale().toString(n)} others as frequent"


def _what_decided(answer: PairAnswer) -> Fact:
    decision = answer.decision
    assert decision is not None
    tip = "What decided this step's merge: counts, the tie rule where several pairs stand equally often, or a person"
    rule = f"the rule “{decision.rule}” takes {TIE_RULES.get(decision.rule, decision.rule)}"
    if decision.by == "forced":
        text = "a person: the merge is forced, whatever the counts"
    elif decision.by == "tie":
        text = f"a tie: {grouping_locale().toString(decision.n_tied)} pairs stand equally often, and {rule}"
    elif decision.by == "nothing":
        text = "nothing: no pair is merged here"
    else:
        others = "no other pair that may be taken" if decision.left_out else "no other pair"
        text = f"the count alone: {others} stands as often"
    return Fact("decided by", text, tip)
