"""The pairs that could be merged next at a step, with their counts, and why the first of them wins.

Counting candidates is one pass over the whole corpus, so call it outside the window's thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.explain.names import display_name, in_sentence, joined_name
from bpe_studio.explain.wording import number, times

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.candidates import Candidate

    Pair = tuple[int, int]

N_SHOWN = 50
SKIPPED = "skipped"
FORBIDDEN = "forbidden"
_MARKS = {"skip": SKIPPED, "forbid": FORBIDDEN}


@dataclass(frozen=True)
class CandidateRow:
    """A pair that could be merged next.

    Attributes:
        left: the name of the left token in the window.
        right: the name of the right token.
        token: the name of the token that they would make.
        count: its count in the corpus at this step.
        tied: the number of pairs with this count.
        mark: "next", "tied", SKIPPED (at this step), FORBIDDEN (from here on) or "".
        pair: the internal ids of the two tokens.
        names: the two tokens in the spelling of logs.
        obstacle: why the pair cannot be merged, whatever the overrides, or "".
        is_forced: whether it is next because an override or the settings force it.
    """

    left: str
    right: str
    token: str
    count: int
    tied: int
    mark: str
    pair: Pair = (-1, -1)
    names: tuple[str, str] = ("", "")
    obstacle: str = ""
    is_forced: bool = False

    @property
    def word(self) -> str:
        """The mark, or "forced" for a forced pair."""
        return "forced" if self.is_forced else self.mark

    @property
    def is_out(self) -> bool:
        """Whether an override keeps the pair from being merged here."""
        return self.mark in (SKIPPED, FORBIDDEN)


@dataclass(frozen=True)
class CandidateList:
    """The candidates of one step, and a sentence about the winner."""

    step: int
    rows: tuple[CandidateRow, ...]
    reason: str


def list_candidates(run: Run, step: int, n: int = N_SHOWN) -> CandidateList:
    """The candidates of a run at a step, at most `n` and those that an override leaves out."""
    from bpe_studio.engine.training.candidates import left_out, rank_candidates

    found = rank_candidates(run, step, n)
    forced = run.plan.forced_at(step)
    out = {pair: _MARKS[how] for pair, how in left_out(run, step).items()}
    rows = []
    for candidate in found:
        pair = candidate.left, candidate.right
        is_next = candidate.is_winner if forced is None else _names(run, pair) == forced
        if pair not in out:
            rows.append(
                _row(run, step, candidate, found[0].count, is_next, is_next and forced is not None)
            )
    if out:
        counts = {pair: count_pair(run, pair, step) for pair in out}
        rows += [
            _row_left_out(run, pair, counts[pair], mark)
            for pair, mark in out.items()
            if counts[pair]
        ]
        rows.sort(key=lambda row: -row.count)
    return CandidateList(step, tuple(rows), reason(rows, run, step))


def count_pair(run: Run, pair: Pair, step: int) -> int:
    """The count of a pair at a step; slow on a large corpus."""
    from bpe_studio.engine.analysis.words_containing import words_with_pair

    return words_with_pair(run, *pair, step, 0).total


def obstacle(run: Run, pair: Pair, step: int) -> str:
    """Why a pair cannot become a token, or ""."""
    name = run.config.joined(*map(run.token_name, pair))
    known = run.find_token(name)
    if name in run.config.all_special:
        return "the result would be a special token"
    if known is not None and known < run.token_of(step):
        return f"token {in_sentence(display_name(run, known))} exists already"
    return ""


def too_rare(run: Run, others: str = "pair") -> str:
    """A sentence for a run that stops because no pair reaches the minimum frequency."""
    from bpe_studio.engine.training.trainer import no_pair

    return f"Training stops here: {no_pair(run.config.min_frequency, others)}"


def nothing_left(run: Run) -> str:
    """Why there is no pair at all."""
    if not len(run.corpus):
        return "There are no words to count pairs in"
    return "No pair is left: every word is a single token"


def reason(rows: Sequence[CandidateRow], run: Run, step: int) -> str:
    """Why the winner wins, in one sentence.

    Args:
        rows: the candidates, best first.
        run: the run, for its overrides and its minimum frequency.
        step: the number of merges that apply.

    Example: "u + g occurs 20 times, 4 more than the next pair".
    """
    plan = run.plan
    config = run.config
    forced = plan.forced_at(step)
    if forced is not None:
        left, right = (in_sentence(_shown_name(run, name)) for name in forced)
        who = "the settings force it" if plan.override_at(step) is None else "you forced it"
        return f"{left} + {right} is next because {who}"
    out = [row for row in rows if row.is_out]
    rows = [row for row in rows if not row.is_out]
    if not rows:
        return "No other pair is left" if out else nothing_left(run)
    row = next((row for row in rows if row.mark == "next"), None)
    first = rows[0] if row is None else row
    pair = f"{in_sentence(first.left)} + {in_sentence(first.right)}"
    if row is None and first.count < config.min_frequency:
        which = "other pair" if out else "pair"
        return too_rare(run, which)
    if row is None:
        return f"{pair} occurs {times(first.count)} and is not merged"
    better = [other for other in out if other.count >= first.count]
    but = f"; {_enumerated(better)}" if better else ""
    if first.tied > 1:
        ties = plan.ties_at(step)
        rule = f"the tie rule takes {TIE_RULES[ties].words}"
        return f"{number(first.tied)} pairs occur {times(first.count)}; {rule}: {pair}{but}"
    below = [other.count for other in rows if other.count < first.count]
    if not below:
        return f"{pair} occurs {times(first.count)}, and no other pair is left{but}"
    return (
        f"{pair} occurs {times(first.count)}, {number(first.count - below[0])} more than the next"
        f" pair{but}"
    )


def _enumerated(out: Sequence[CandidateRow]) -> str:
    """A clause about the pairs that would come first without an override."""
    first = out[0]
    more = ""
    if len(out) == 2:
        more = ", and one more pair"
    elif len(out) > 2:
        more = f", and {number(len(out) - 1)} more pairs"
    pair = f"{in_sentence(first.left)} + {in_sentence(first.right)}"
    return f"{pair} ({number(first.count)}) is {first.mark}{more}"


def _names(run: Run, pair: Pair) -> tuple[str, str]:
    return run.token_name(pair[0]), run.token_name(pair[1])


def _shown_name(run: Run, name: str) -> str:
    """The name in the window of a token that is given in the spelling of logs."""
    token = run.find_token(name)
    return name if token is None else display_name(run, token)


def _row(
    run: Run, step: int, candidate: Candidate, highest: int, is_next: bool, is_forced: bool
) -> CandidateRow:
    pair = candidate.left, candidate.right
    left, right = (display_name(run, token) for token in pair)
    token = joined_name(run, *pair)
    names = _names(run, pair)
    mark = ""
    why_not = ""
    if is_next:
        mark = "next"
    else:
        if candidate.count == highest and candidate.tied > 1:
            mark = "tied"
        why_not = obstacle(run, pair, step)
    return CandidateRow(
        left, right, token, candidate.count, candidate.tied, mark, pair, names, why_not, is_forced
    )


def _row_left_out(run: Run, pair: Pair, count: int, mark: str) -> CandidateRow:
    left, right = (display_name(run, token) for token in pair)
    return CandidateRow(
        left, right, joined_name(run, *pair), count, 1, mark, pair, _names(run, pair)
    )
