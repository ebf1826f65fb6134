"""The runs and their branches as rows for other programs: each branch below the one that it came from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bpe_studio.explain.names import override_text
from bpe_studio.gui.tables.model import ISOLATES
from bpe_studio.workspace.messages import difference_words
from bpe_studio.workspace.session import ROOT

if TYPE_CHECKING:
    from bpe_studio.files.exports.csv_tables import Value
    from bpe_studio.workspace.session import RunEntry

HEADS = ("run", "came from", "changed", "from step", "merges", "corpus tokens", "is shown")


def in_order(branches: Sequence[RunEntry], parent: int | None = None) -> list[RunEntry]:
    """The branches as the tree shows them, from its top to its end."""
    children = [each for each in branches if each.parent == parent]
    return [each for child in children for each in (child, *in_order(branches, child.number))]


def plain_rows(branches: Sequence[RunEntry], shown: int) -> list[Sequence[Value]]:
    """The cells of each branch under `HEADS`; `shown` is the number of the one that the window shows."""
    by_number = {branch.number: branch for branch in branches}
    return [_row(each, by_number, is_shown=each.number == shown) for each in in_order(branches)]


def _row(branch: RunEntry, by_number: dict[int, RunEntry], *, is_shown: bool) -> Sequence[Value]:
    parent = None if branch.parent is None else by_number[branch.parent].name
    if branch.is_side_run:
        changed = difference_words(by_number[ROOT].config, branch.config)
    else:
        changed = override_text(branch.override, branch.config)
    step = None if branch.override is None else branch.override.step
    n_merges = branch.position.n_merges
    n_tokens = int(branch.run.n_tokens_at(n_merges))
    return [branch.name, parent, changed.translate(ISOLATES), step, n_merges, n_tokens, is_shown]
