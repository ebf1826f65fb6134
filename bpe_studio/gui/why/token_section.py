"""The origin and the life of a token: its derivation, its counts, its absorbers and its words.

It shows a `TokenAnswer`, which does not depend on the step, and a `ContainingWordsAnswer`, which
does. A click changes the selection.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import display_name, short_name
from bpe_studio.explain.why.answers import ContainingWordsAnswer, TokenAnswer
from bpe_studio.explain.why.facts import token_facts
from bpe_studio.explain.wording import merge_name, number, percent
from bpe_studio.gui.plots.line_chart import HELP, LineChart
from bpe_studio.gui.tokens.links import Link, TokenLinks
from bpe_studio.gui.why.derivation_view import DerivationView
from bpe_studio.gui.why.words_section import ContainingWordsSection
from bpe_studio.gui.widgets.containers import STRETCH, TIGHT_PX, column, row
from bpe_studio.gui.widgets.controls import named
from bpe_studio.gui.widgets.fact_list import Facts
from bpe_studio.gui.widgets.labels import Note, heading
from bpe_studio.workspace.selection import Selection

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.token_life import TokenLife
    from bpe_studio.explain.comparison.measure_curves import Line

N_ABSORBERS = 6
CURVE_PX = 180


class TokenSection(QWidget):
    """The facts, a tree, a curve and the words.

    Args:
        selection: the selection that clicks change.

    Signals:
        step_chosen: int, a step that was clicked in the curve.
        concordance_requested: the user wants to see lines of the corpus with the token.
    """

    step_chosen = Signal(object)
    concordance_requested = Signal()

    def __init__(self, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answer: TokenAnswer | None = None
        self._step = 0
        self.title = heading("Why this token", "why.token_title", self)
        self.trouble = Note("", "plain", self)
        self.trouble.setObjectName("why.token_trouble")
        self.facts = Facts("why.token", self)
        self.tree_title = heading("Made from", "why.tree_title", self)
        self.tree = named(
            DerivationView(self),
            "why.tree",
            "The token and what it was made from, as a tree",
            "Each token and the two that it was made from; click one to see it",
        )
        self.life_title = heading("Its count at each step", "why.life_title", self)
        self.curve = LineChart("why.life", "Life of the token", "merge", self, starts_at_zero=True)
        self.curve.setToolTip(
            f"The token's count in the corpus since its creation; click to go to a step. {HELP}"
        )
        self.curve.setFixedHeight(CURVE_PX)
        self.absorbed = Note("", "help", self)
        self.absorbed.setObjectName("why.eaten")
        self.absorbers = named(
            TokenLinks(self),
            "why.eaters",
            "Tokens that absorbed it, with counts",
            "Longer tokens, with the number of its occurrences that became part of them",
        )
        self.words = ContainingWordsSection(
            "why.token", "Words that contain it", of_pairs=False, selection=selection, parent=self
        )
        self.lines = named(
            QPushButton("Lines of the corpus", self),
            "why.lines",
            "Show lines of the corpus with this token",
            "Searches the corpus files for lines with this token and shows them",
        )
        tree = column(self.tree_title, self.tree.area, spacing=TIGHT_PX)
        life = column(self.life_title, self.curve, self.absorbed, self.absorbers, spacing=TIGHT_PX)
        column(
            self.title,
            self.trouble,
            self.facts,
            4,
            tree,
            4,
            life,
            4,
            self.words,
            row(self.lines, STRETCH),
            parent=self,
        )
        self.tree.selected.connect(selection.select_token)
        self.absorbers.selected.connect(selection.select_token)
        self.curve.place_chosen.connect(self.step_chosen)
        self.lines.clicked.connect(self.concordance_requested)

    @property
    def answer(self) -> TokenAnswer | None:
        """The answer that is shown."""
        return self._answer

    def forget(self) -> None:
        """Drop the answer of a run that may be closed."""
        self._answer = None
        self.words.table.show_rows(())
        self.tree.show_tree(None, str)

    def show_answer(self, answer: TokenAnswer, step: int) -> None:
        """Show the origin of a token, and its life."""
        old = self._answer
        self._answer = answer
        self._step = step
        life = answer.life
        self.trouble.set_message(answer.trouble)
        self.trouble.setVisible(bool(answer.trouble))
        is_drawn = old is not None and old.derivation is not None
        is_same = old is not None and old.run is answer.run and old.token == answer.token
        if not (is_same and is_drawn):
            self.tree.show_tree(
                answer.derivation,
                partial(display_name, answer.run),
                is_counted=has_pairs(answer.run),
            )
        is_merged = answer.derivation is not None and len(answer.derivation.nodes) > 1
        self.tree_title.setVisible(is_merged)
        self.tree.area.setVisible(is_merged)
        is_counted = has_pairs(answer.run)
        for part in (self.life_title, self.curve):
            part.setVisible(life is not None and is_counted)
        self.words.setVisible(is_counted)
        self.lines.setVisible(is_counted)
        lines = [] if life is None else [_line_of(life, answer.n_merges)]
        self.curve.show_lines(lines, "times in the corpus")
        self._show_absorbers(answer)
        self.set_step(step)

    def set_step(self, step: int) -> None:
        """Show the count at another step."""
        self._step = step
        life = None if self._answer is None else self._answer.life
        mark = step if life is not None and step >= int(life.steps[0]) else None
        self.curve.set_marks((), mark)
        if self._answer is not None and self._answer.life is not None:
            self.facts.show_facts(token_facts(self._answer, self._answer.life, step))

    def show_words(self, answer: ContainingWordsAnswer) -> None:
        """Show the words that contain it at the step."""
        self.words.show_words(answer.words, answer.run.at(answer.step), "occurs")
        if answer.trouble:
            self.words.total.set_message("It does not exist yet at this step")

    def _show_absorbers(self, answer: TokenAnswer) -> None:
        life = answer.life
        if life is None or not has_pairs(answer.run):
            self.absorbed.hide()
            self.absorbers.hide()
            return
        lost = int(life.counts[0]) - int(life.counts[-1])
        share = percent(lost / max(1, int(life.counts[0])), 0)
        if lost == 0:
            self.absorbed.set_message("No later token absorbs it")
        else:
            n = life.n_absorbers
            first = "one longer token" if n == 1 else f"{number(n)} longer tokens"
            mostly = ", mostly by" if n > N_ABSORBERS else ""
            self.absorbed.set_message(
                f"{number(lost)} of {number(int(life.counts[0]))} ({share}) absorbed by"
                f" {first}{mostly}"
            )
        self.absorbed.setToolTip(
            "The number of its occurrences in the corpus that became part of a longer token by the"
            " end of the run"
        )
        self.absorbed.show()
        of_all = f"of its {number(int(life.counts[0]))} occurrences"
        links = []
        for absorber in life.absorbed_by[:N_ABSORBERS]:
            n_absorbed = number(absorber.occurrences)
            absorbed = f"{merge_name(absorber.rank)} absorbed {n_absorbed} {of_all}"
            link = Link(
                display_name(answer.run, absorber.token),
                absorber.token,
                f"{short_name(answer.run, absorber.token)}\n{absorbed}",
                n_absorbed,
            )
            links.append(link)
        self.absorbers.set_links(links)
        self.absorbers.setVisible(bool(life.absorbed_by))


def _line_of(life: TokenLife, n_merges: int) -> Line:
    """The count of a token from its creation to the last step, as stairs."""
    import numpy as np

    from bpe_studio.explain.comparison.measure_curves import Line

    return Line(
        "",
        np.append(np.repeat(life.steps, 2)[1:], n_merges),
        np.repeat(life.counts, 2).astype(np.float64),
    )
