"""Overrides of a pair: their names, why one cannot be made now, and the branch that each makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.explain.candidates import obstacle
from bpe_studio.explain.names import display_name, elided, isolated
from bpe_studio.explain.wording import merge_name, number
from bpe_studio.workspace.corpus.text_files import NO_TEXT
from bpe_studio.workspace.possible import why_running
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.workspace import Workspace

    Pair = tuple[int, int]

VERBS = {
    "force": ("Force", "Merges this pair now, whatever its count"),
    "skip": (
        "Skip once",
        (
            "Skips this pair at this step only: the next best pair is merged instead, and this one"
            " competes again afterwards"
        ),
    ),
    "forbid": ("Forbid", "Never merges this pair, from this step on"),
}
"""The name and the tooltip of each override of a pair."""
MAKES_A_BRANCH = "Makes a branch; this run stays as it is"
_BRANCH_NAMES = {"force": "{} forced at {}", "skip": "{} skipped at {}", "forbid": "without {}"}


def why_closed(workspace: Workspace) -> str:
    """The reason why nothing can be overridden now, or ""."""
    if workspace.run is None:
        return NO_TEXT
    if workspace.state is State.loading:
        progress = workspace.progress
        what = progress.what if progress is not None else "another job"
        return f"{what} is running"
    if why := why_running(workspace):
        return why
    from bpe_studio.explain.merges import has_pairs

    if not has_pairs(workspace.run):
        return f"a tokenizer without a text cannot be trained; {NO_TEXT}"
    return ""


def why_not_override(
    run: Run, n_merges: int, verb: str, pair: Pair, step: int, is_next: bool | None = None
) -> str:
    """The reason why a pair cannot be overridden at a step of a run, or "".

    Args:
        run: the run.
        n_merges: the number of its merges that may be read.
        verb: "force", "skip" or "forbid".
        pair: the internal ids of its two tokens.
        step: the number of merges that apply.
        is_next: whether this pair is merged next; None where that is not known.
    """
    latest = max(pair)
    if latest >= run.token_of(step):
        name = isolated(elided(display_name(run, latest)))
        rank = run.rank_of(latest)
        return f"{name} is made only by {merge_name(rank)}, after step {number(step)}"
    names = run.token_name(pair[0]), run.token_name(pair[1])
    if is_next is None and step < n_merges:
        is_next = (int(run.columns.left[step]), int(run.columns.right[step])) == pair
    if verb == "force":
        return "this pair is merged next anyway" if is_next else obstacle(run, pair, step)
    if names in run.plan.forbidden_at(step):
        return "the pair is forbidden already"
    if verb == "skip" and names in run.plan.skipped_at(step):
        return "the pair is skipped here already"
    if verb == "skip" and is_next is False:
        return "another pair is next, so skipping this one changes nothing"
    return ""


def branch_off(
    workspace: Workspace, verb: str, names: tuple[str, str], shown: tuple[str, str], step: int
) -> None:
    """Make a branch of the shown run with an override of a pair, and show it.

    Args:
        workspace: the open corpus and its runs.
        verb: "force", "skip" or "forbid".
        names: the pair as logs write it.
        shown: the pair as the window displays it.
        step: the number of merges that the branch shares with the run.
    """
    from bpe_studio.engine.training.overrides import Override, OverrideKind

    name = _BRANCH_NAMES[verb].format(pair_text(*shown), number(step))
    workspace.runs.branch_off(Override(step, OverrideKind(verb), *names), name)


def pair_text(left: str, right: str) -> str:
    """A pair in a sentence, such as "t + h"; long tokens are elided."""
    return " + ".join(isolated(elided(name, 24)) for name in (left, right))
