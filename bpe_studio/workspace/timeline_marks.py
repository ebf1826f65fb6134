"""The marks on the timeline: forced merges, overrides, and the stops of breakpoints.

Collect them in a worker thread: evaluating breakpoints for 250,000 merges takes a third of a
second. The marks are ranks; `gui/timeline` draws them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.workspace.marks import Breakpoint, Watch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bpe_studio.engine.run import Run
    from bpe_studio.engine.training.overrides import Override

    Ranks = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TimelineMarks:
    """The marks of the first merges of a run.

    Attributes:
        run: the run.
        n_merges: the number of merges that are covered.
        forced: (f,) int64, the ranks of the forced merges, rising.
        overrides: the overrides that led to this run, each with its step.
        stops: each breakpoint that is on, its watch, and the ranks at which it stops, rising.
        stop_ranks: all of those ranks, rising and without duplicates.
    """

    run: Run
    n_merges: int
    forced: Ranks
    overrides: tuple[Override, ...]
    stops: tuple[tuple[Breakpoint, Watch, Ranks], ...]
    stop_ranks: Ranks

    def stopping(self, rank: int) -> list[Breakpoint]:
        """The breakpoints that stop at a merge."""
        return [point for point, _, ranks in self.stops if _holds(ranks, rank)]

    def override_at(self, step: int) -> Override | None:
        """The override of the merge after a step, or None."""
        return next((override for override in self.overrides if override.step == step), None)


def collect_marks(
    run: Run, n_merges: int, breakpoints: Iterable[Breakpoint], before: TimelineMarks | None = None
) -> TimelineMarks:
    """Collects the marks of the first `n_merges` merges.

    Args:
        run: the run; it may grow meanwhile.
        n_merges: the number of merges to cover.
        breakpoints: the breakpoints; those that are off are ignored.
        before: an earlier result to continue from.
    """
    import numpy as np

    columns = run.columns
    known: dict[Breakpoint, tuple[Watch, Ranks]] = {}
    if before is not None and before.run is run:
        known = {point: (watch, ranks) for point, watch, ranks in before.stops}
    n_known = before.n_merges if before is not None else 0
    stops = []
    for point in breakpoints:
        if not point.is_on:
            continue
        watch, ranks = known.get(point, (Watch(run, [point]), np.zeros(0, np.int64)))
        begin = n_known if point in known else 0
        found = np.array(watch.ranks(begin, n_merges), np.int64) if n_merges > begin else ranks[:0]
        stops.append((point, watch, np.concatenate([ranks[ranks < n_merges], found])))
    is_forced = columns.forced[:n_merges]
    return TimelineMarks(
        run,
        n_merges,
        # All merges of a tokenizer are forced, so marking them would say nothing.
        run.n_seed + is_forced[run.n_seed :].nonzero()[0],
        tuple(run.plan.overrides),
        tuple(stops),
        np.unique(np.concatenate([np.zeros(0, np.int64), *(ranks for *_, ranks in stops)])),
    )


def _holds(ranks: Ranks, rank: int) -> bool:
    place = int(ranks.searchsorted(rank))
    return place < len(ranks) and int(ranks[place]) == rank
