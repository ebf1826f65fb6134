"""The pairs that stand to be merged next, as table rows, and the sentence that says why the first of them wins.

Counting candidates is one pass over the whole corpus, so the panel has it done beside the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject

from bpe_studio.engine.presets import TIE_RULES
from bpe_studio.gui.cell_model import CellModel, Column, Index
from bpe_studio.gui.numbers_text import grouping_locale
from bpe_studio.gui.token_names import display_name, display_text, display_token, isolated

if TYPE_CHECKING:
    from bpe_studio.engine.run import Candidate, Run

N_SHOWN = 50


@dataclass(frozen=True)
class CandidateRow:
    """A pair that could be merged next.

    Attributes:
        left: the left token, as a person reads it.
        right: the right token.
        token: what they would make.
        count: how often the pair stands in the corpus at this step.
        tied: how many pairs stand that often.
        mark: "next", "tied" or "".
    """

    left: str
    right: str
    token: str
    count: int
    tied: int
    mark: str


@dataclass(frozen=True)
class CandidateList:
    """The answer for one step: the rows, and one sentence about the winner."""

    step: int
    rows: tuple[CandidateRow, ...]
    reason: str


def list_candidates(run: Run, step: int, n: int = N_SHOWN) -> CandidateList:
    """Count the pairs of a run at a step; slow on a large corpus, so call it beside the window."""
    found = run.candidates_at(step, n)
    forced = run.plan.forced_at(step)
    rows = []
    for candidate in found:
        names = run.token_name(candidate.left), run.token_name(candidate.right)
        is_next = candidate.is_winner if forced is None else names == forced
        rows.append(_row(run, candidate, is_next, found[0].count))
    return CandidateList(step, tuple(rows), reason(rows, run, step))


def reason(rows: Sequence[CandidateRow], run: Run, step: int) -> str:
    """Why the winner wins, in one sentence.

    Args:
        rows: the candidates, best first.
        run: the run, for its forced pairs, the tie rule that holds at the step and its least count.
        step: how many merges apply.

    Example: "u + g stands 20 times, 4 more than the next pair".
    """
    number = grouping_locale().toString
    forced, least = run.plan.forced_at(step), run.config.min_frequency
    if forced is not None:
        left, right = map(isolated, forced)
        who = "the settings force it" if run.plan.override_at(step) is None else "you forced it"
        return f"{left} + {right} is next because {who}, whatever the counts"
    if not rows:
        return "No pair is left: every word is a single token"
    row = next((row for row in rows if row.mark == "next"), None)
    first = rows[0] if row is None else row
    pair = f"{isolated(first.left)} + {isolated(first.right)}"
    times = f"{number(first.count)} time{'s' * (first.count != 1)}"
    if row is None and first.count < least:
        return f"Nothing is merged: {pair} stands {times}, below the minimum frequency of {number(least)}"
    if row is None:
        return f"{pair} stands {times} and is not merged"
    if first.tied > 1:
        ties = run.plan.ties_at(step)
        rule = f"the rule “{ties}” takes {TIE_RULES[ties]}"
        return f"{number(first.tied)} pairs stand {times}; {rule}: {pair}"
    below = [other.count for other in rows if other.count < first.count]
    if not below:
        return f"{pair} stands {times}, and no other pair is left"
    return f"{pair} stands {times}, {number(first.count - below[0])} more than the next pair"


def _row(run: Run, candidate: Candidate, is_next: bool, highest: int) -> CandidateRow:
    left, right = display_name(run, candidate.left), display_name(run, candidate.right)
    token = _joined_name(run, candidate.left, candidate.right)
    mark = "next" if is_next else "tied" if candidate.count == highest and candidate.tied > 1 else ""
    return CandidateRow(left, right, token, candidate.count, candidate.tied, mark)


def _joined_name(run: Run, left: int, right: int) -> str:
    """What the token of two tokens would be called; it need not be in the run."""
    if run.config.units == "bytes":
        return display_token(run.token_content(left) + run.token_content(right))
    return display_text(run.token_name(left) + run.token_name(right).removeprefix(run.config.continuing or ""))


class CandidateModel(CellModel):
    """The candidates at one step, best first."""

    columns = (
        Column("pair", "Two neighbouring tokens and the token that they would make", False),
        Column("count", "How often the pair stands in the corpus at this step"),
        Column("", "The pair's count against the highest one", False),
        Column("mark", "Which pair is merged next, and which stand equally often", False),
    )
    PAIR, COUNT, BAR, MARK = range(4)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[CandidateRow, ...] = ()
        self._locale = grouping_locale()

    def show(self, rows: tuple[CandidateRow, ...]) -> None:
        """Show other rows; the table keeps its place, so that scrubbing does not flicker."""
        n_old, n_new = len(self._rows), len(rows)
        if n_new > n_old:
            self.beginInsertRows(QModelIndex(), n_old, n_new - 1)
            self._rows = rows
            self.endInsertRows()
        elif n_new < n_old:
            self.beginRemoveRows(QModelIndex(), n_new, n_old - 1)
            self._rows = rows
            self.endRemoveRows()
        self._rows = rows
        if rows:
            self.dataChanged.emit(self.index(0, 0), self.index(n_new - 1, len(self.columns) - 1))

    def row(self, row: int) -> CandidateRow:
        """What stands in a row."""
        return self._rows[row]

    def share(self, row: int) -> float:
        """A row's count against the highest one, 0 to 1."""
        highest = max((each.count for each in self._rows), default=0)
        return self._rows[row].count / highest if highest else 0.0

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def text(self, row: int, column: int) -> str:
        candidate = self._rows[row]
        if column == self.PAIR:
            left, right, token = map(isolated, (candidate.left, candidate.right, candidate.token))
            return f"{left} + {right} → {token}"
        return ("", self._locale.toString(candidate.count), "", candidate.mark)[column]

    def tip(self, row: int, column: int) -> str:
        pair, count = self.text(row, self.PAIR), self.text(row, self.COUNT)
        return f"{pair}\nstands {count} times at this step, {self.share(row):.0%} of the highest count"
