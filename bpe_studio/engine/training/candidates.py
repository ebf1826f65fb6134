"""The pairs that could be merged next at any step, counted from the corpus as it was.

It needs only the gap ranks; `corpus_at_step.py` counts the pairs, and this module ranks them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.run import Run
from bpe_studio.engine.training.corpus_at_step import PairCounter, PairCounts
from bpe_studio.engine.training.tie_order import TieOrder
from bpe_studio.errors import TrainingError

Pair = tuple[int, int]
_LOW = 0xFFFFFFFF


@dataclass(frozen=True)
class Candidate:
    """A pair that could be merged next.

    Attributes:
        left: internal id of the left token.
        right: internal id of the right token.
        count: occurrences in the corpus at the step, weighted by the pre-tokens' counts.
        tied: the number of pairs that have this count.
        is_winner: whether the merge after this step is, or was, of this pair.
    """

    left: int
    right: int
    count: int
    tied: int
    is_winner: bool


def rank_candidates(run: Run, step: int, n: int = 50) -> list[Candidate]:
    """The best `n` pairs at a step, in the order of its tie rule.

    The pair that the run merged there, or is forced to merge, is included even if it is not among
    the best. Pairs that are forbidden or skipped there are not.

    Args:
        run: the run.
        step: how many merges apply.
        n: the maximum number of pairs.

    Raises:
        VocabularyError: there is no such step.
    """
    run.check_step(step)
    run = run.at(step)
    counter = PairCounter(run.layout, run.gaps, step)
    found, near = most_frequent(run, counter, step, n)
    counts = found.counts[near]
    values, how_many = np.unique(counts, return_counts=True)
    tied = dict(zip(values.tolist(), how_many.tolist(), strict=True))
    order = TieOrder(run, run.plan.ties_at(step))
    top: list[tuple[Pair, int]] = []
    for count in values[::-1].tolist():
        group = near[counts == count]
        best = order.best(found.pairs[group], found.firsts[group], n - len(top))
        top += [((pair >> 32, pair & _LOW), count) for pair in found.pairs[group[best]].tolist()]
        if len(top) >= n:
            break
    is_chosen, winner = chosen_pair(run, step)
    if not is_chosen:
        least = max(1, run.config.min_frequency)
        winner = next(
            (pair for pair, count in top if count >= least and is_new(run, pair, step)), None
        )
    elif winner is not None and all(pair != winner for pair, _ in top):
        # A forced pair need not be among the best, or occur at all.
        found = counter.counts()
        count = int(found.counts[found.pairs == (winner[0] << 32 | winner[1])].sum())
        top = [*top[: n - 1], (winner, count)]
        if count not in tied:
            same = np.flatnonzero(found.counts == count)
            tied[count] = max(1, int(np.count_nonzero(are_allowed(run, found.pairs[same], step))))
    return [Candidate(*pair, count, tied[count], pair == winner) for pair, count in top]


def chosen_pair(run: Run, step: int) -> tuple[bool, Pair | None]:
    """Whether the merge at a step is made or forced, and its pair.

    A forced pair is `None` if the merge that makes one of its tokens was skipped.
    """
    if step < len(run.merges):
        return True, (int(run.columns.left[step]), int(run.columns.right[step]))
    names = run.plan.forced_at(step)
    if names is None:
        return False, None
    left, right = map(run.find_token, names)
    if left is None or right is None:
        return True, None
    return True, (left, right)


def most_frequent(
    run: Run, counter: PairCounter, step: int, n: int
) -> tuple[PairCounts, npt.NDArray[np.intp]]:
    """Pairs with their counts, and the indices of the allowed ones that are at least as frequent as
    the n-th best.
    """
    least = _likely_count(run, step, n)
    while True:
        found = counter.counts(least)
        near = _best(run, found, step, n)
        if least <= 1 or len(near) >= n:
            return found, near
        least = least * 3 // 4


def _likely_count(run: Run, step: int, n: int) -> int:
    """A lower estimate of the count of the n-th best pair at a step; exact if n merges are known.

    A pair that was merged later, of tokens that already existed, occurred at least as often before.
    """
    columns = run.columns
    end = run.token_of(step)
    # A run that continues meanwhile may extend one column before the others are read.
    later = slice(step, len(columns))
    counts = columns.count[later][(columns.left[later] < end) & (columns.right[later] < end)]
    if len(counts) >= n:
        return int(np.partition(counts, len(counts) - n)[len(counts) - n])
    return int(columns.count[-1]) * 15 // 16 if len(columns) else 0


def _best(run: Run, found: PairCounts, step: int, n: int) -> npt.NDArray[np.intp]:
    """The indices of the allowed pairs that are at least as frequent as the n-th of them."""
    counts = found.counts
    wanted = n
    while True:
        if wanted < len(counts):
            place = len(counts) - wanted
            near = np.flatnonzero(counts >= np.partition(counts, place)[place])
        else:
            near = np.arange(len(counts))
        allowed = near[are_allowed(run, found.pairs[near], step)]
        if len(allowed) >= n or len(near) == len(counts):
            return allowed
        wanted *= 8


def left_out(run: Run, step: int) -> dict[Pair, str]:
    """The pairs of existing tokens that the user left out at a step, each with "skip" or
    "forbid".
    """
    out = {}
    end = run.token_of(step)
    for kind, pairs in (
        ("skip", run.plan.skipped_at(step)),
        ("forbid", run.plan.forbidden_at(step)),
    ):
        for names in pairs:
            left, right = map(run.find_token, names)
            if left is not None and right is not None and max(left, right) < end:
                out[left, right] = kind
    return out


def are_allowed(run: Run, pairs: Int64Array, step: int) -> npt.NDArray[np.bool_]:
    """(p,) bool, whether the options and the plan allow each pair at a step, and it was not skipped
    before as a duplicate.
    """
    lefts = pairs >> 32
    rights = pairs & _LOW
    facts = run.facts_at(max(int(lefts.max(initial=0)), int(rights.max(initial=0))))
    allowed = run.pieces.are_allowed(facts[lefts], facts[rights])
    out = [left << 32 | right for left, right in left_out(run, step)]
    out += [left << 32 | right for at, left, right in run.passed if at < step]
    if out:
        allowed &= ~np.isin(pairs, out)
    return allowed


def is_new(run: Run, pair: Pair, step: int) -> bool:
    """Whether neither a token nor a special token has the name that a pair's token would get; other
    pairs are skipped.

    Args:
        run: the run.
        pair: ids of its tokens.
        step: how many merges apply.
    """
    name = run.config.joined(*map(run.token_name, pair))
    known = run.find_token(name)
    is_free = known is None or known >= run.token_of(step)
    return is_free and name.encode("utf-8", "surrogatepass") not in run.special_texts


def may_be_merged(run: Run, pair: Pair, step: int) -> bool:
    """Whether the options and the plan allow a pair at a step, and it was not skipped before as a
    duplicate.
    """
    return bool(are_allowed(run.at(step), np.array([pair[0] << 32 | pair[1]]), step)[0])


def refusal(run: Run, pair: Pair) -> str:
    """The reason why the options do not allow the token that a pair makes, as a clause; empty if
    they do.
    """
    facts = run.facts_at(max(pair))
    return run.pieces.refusal(facts[pair[0]].tolist(), facts[pair[1]].tolist())


def forced_ids(run: Run, pair: tuple[str, str], step: int) -> Pair:
    """The ids of a pair that is forced at a step.

    Raises:
        TrainingError: one of its tokens does not exist at the step, its right token begins a word,
            or the token that it would make already exists or is not allowed by the options.
    """
    of = f"The forced merge of {pair[0]!r} and {pair[1]!r}"
    ids = []
    for name in pair:
        token = run.find_token(name)
        if token is None or token >= run.token_of(step):
            raise TrainingError(
                f"{of} needs the token {name!r}, which does not exist yet; "
                "force the merges that make it before, or correct its spelling"
            )
        ids.append(token)
    left, right = ids
    prefix = run.config.continuing
    if prefix is not None and not pair[1].startswith(prefix):
        raise TrainingError(
            f"{of} has a right token that begins a word; name one that begins with {prefix!r}"
        )
    if not is_new(run, (left, right), step):
        raise TrainingError(f"{of} would make a token that already exists; leave it out")
    why = refusal(run, (left, right))
    if why:
        raise TrainingError(
            f"{of} would make a token that the options do not allow: {why}; leave it out, or change"
            " the options"
        )
    return left, right
