"""The difference of two runs over the same text: the first merge that differs, and the tokens that
only one of them has.

Tokens are compared by name if both runs write tokens alike, because alphabets may be numbered
differently, and otherwise by meaning (`token_meaning.py`). Nothing is trained or encoded;
`divergence.py` finds out why runs diverge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bpe_studio.engine.analysis.token_meaning import are_written_alike, token_meanings
from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.training.merge_log import Merge

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_SAMPLES = 200


@dataclass(frozen=True)
class OwnToken:
    """A token that the other run does not have.

    Attributes:
        token: its internal id.
        name: its name, in the spelling of logs.
        rank: the merge that made it; `None` for a symbol of the alphabet.
        birth_count: the count of that merge; `None` for a symbol.
    """

    token: int
    name: str
    rank: int | None
    birth_count: int | None


@dataclass(frozen=True)
class RunDifference:
    """The difference of two runs, a and b, each at a step.

    Attributes:
        step_a: how many merges of a apply.
        step_b: how many of b.
        rank: the first rank at which their merges differ; `None` if they are the same.
        merge_a: the merge of a there; `None` if it has no merge of that rank, or they do not
            differ.
        merge_b: the same for b.
        only_a: the tokens that only a has, by id.
        only_b: the tokens that only b has.
        n_common: the number of tokens that both have; tokens of a run with the same meaning count
            as one, the first.
        n_tokens_a: tokens in the whole corpus as a cuts it.
        n_tokens_b: the same for b.
        overlap_steps: (k,) int64, steps from 1 to the smaller of the two, at most `MOST_SAMPLES`.
        overlap: (k,) float64, the share of the tokens made by the first merges of a that b has
            after as many merges.
    """

    step_a: int
    step_b: int
    rank: int | None
    merge_a: Merge | None
    merge_b: Merge | None
    only_a: tuple[OwnToken, ...]
    only_b: tuple[OwnToken, ...]
    n_common: int
    n_tokens_a: int
    n_tokens_b: int
    overlap_steps: Int64Array
    overlap: npt.NDArray[np.float64]


def compare_runs(
    a: Run, b: Run, step_a: int | None = None, step_b: int | None = None
) -> RunDifference:
    """Compare two runs over the same text, even if their settings split and write it differently.

    Args:
        a: one run.
        b: the other.
        step_a: how many merges of a apply; `None` for all.
        step_b: how many of b.

    Raises:
        VocabularyError: a run has no such step.
    """
    step_a = len(a.columns) if step_a is None else step_a
    step_b = len(b.columns) if step_b is None else step_b
    n_tokens_a = a.n_tokens_at(step_a)
    n_tokens_b = b.n_tokens_at(step_b)
    if are_written_alike(a, b):
        keys_a = list(map(a.token_name, a.ids_at(step_a)))
        keys_b = list(map(b.token_name, b.ids_at(step_b)))
    else:
        keys_a, keys_b = token_meanings(a, b, step_a, step_b)
    merges = zip_longest(_merged(a, keys_a), _merged(b, keys_b))
    rank = next((rank for rank, (one, other) in enumerate(merges) if one != other), None)
    names_a = _firsts(keys_a)
    names_b = _firsts(keys_b)
    common = names_a.keys() & names_b.keys()
    steps, overlap = _overlap(a, b, names_a, names_b, common, min(step_a, step_b))
    return RunDifference(
        step_a,
        step_b,
        rank,
        _merge_at(a, rank, step_a),
        _merge_at(b, rank, step_b),
        _own(a, names_a, common),
        _own(b, names_b, common),
        len(common),
        n_tokens_a,
        n_tokens_b,
        steps,
        overlap,
    )


def _merge_at(run: Run, rank: int | None, step: int) -> Merge | None:
    """The merge of a rank; `None` if there is none, or not yet at a step."""
    if rank is None or rank >= step:
        return None
    return run.merges[rank]


def _merged(run: Run, keys: Sequence[str]) -> list[tuple[str, str]]:
    """The pair of each merge, from the names or meanings of the tokens of a step."""
    n_merges = run.rank_of(len(keys) - 1) + 1
    lefts = run.columns.left[:n_merges].tolist()
    rights = run.columns.right[:n_merges].tolist()
    return [(keys[left], keys[right]) for left, right in zip(lefts, rights, strict=True)]


def _firsts(keys: Sequence[str]) -> dict[str, int]:
    """Tokens by name or meaning; of several that are the same, the first that was made."""
    ids: dict[str, int] = {}
    for token, each in enumerate(keys):
        ids.setdefault(each, token)
    return ids


def _own(run: Run, names: dict[str, int], common: set[str]) -> tuple[OwnToken, ...]:
    counts = run.columns.count
    found = []
    for name, token in names.items():
        if name not in common:
            rank = run.rank_of(token)
            made = (rank, int(counts[rank])) if rank >= 0 else (None, None)
            found.append(OwnToken(token, run.token_name(token), *made))
    return tuple(found)


def _overlap(
    a: Run, b: Run, names_a: dict[str, int], names_b: dict[str, int], common: set[str], n: int
) -> tuple[Int64Array, npt.NDArray[np.float64]]:
    """Steps up to n, and the share of the tokens that a has made by then that b has as well."""
    ranks_a = np.array([a.rank_of(names_a[name]) for name in common], np.int64)
    ranks_b = np.array([b.rank_of(names_b[name]) for name in common], np.int64)
    both_from = np.sort(np.maximum(ranks_a, ranks_b)[ranks_a >= 0] + 1)
    made_from = np.sort([a.rank_of(token) + 1 for token in names_a.values()])
    made_from = made_from[np.searchsorted(made_from, 1) :]
    steps = np.zeros(0, np.int64)
    if n:
        steps = np.unique(np.linspace(1, n, min(n, MOST_SAMPLES)).astype(np.int64))
    n_made = np.searchsorted(made_from, steps, "right")
    return steps, np.searchsorted(both_from, steps, "right") / np.maximum(n_made, 1)
