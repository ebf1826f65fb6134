"""The reasons why an action is not possible now, as phrases after "Not now:".

Each reason is written once. A function returns "" if the action is possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.workspace.corpus.text_files import NO_TEXT
from bpe_studio.workspace.state import State

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace

READING = "the text is still being read"
PAUSE_FIRST = "pause the run first"
NO_MERGES = "there are no merges yet"


def why_reading(workspace: Workspace) -> str:
    """The reason while a text is being read."""
    return READING if workspace.state is State.loading else ""


def why_running(workspace: Workspace) -> str:
    """The reason while a run trains."""
    return PAUSE_FIRST if workspace.state is State.running else ""


def why_no_run(workspace: Workspace) -> str:
    """The reason without a run that can be shown."""
    if workspace.run is None:
        return why_reading(workspace) or NO_TEXT
    return why_reading(workspace)


def why_no_merges(workspace: Workspace) -> str:
    """The reason without a run, or before its first merge."""
    why = why_no_run(workspace)
    return why if why or workspace.n_merges else NO_MERGES


def n_stops(workspace: Workspace) -> int:
    """The number of breakpoints that may stop a run."""
    return sum(each.is_on for each in workspace.marks.breakpoints)


def why_no_stop(workspace: Workspace) -> str:
    """The reason why there is no breakpoint to go to."""
    why = why_no_merges(workspace) or why_running(workspace)
    if why:
        return why
    return "" if n_stops(workspace) else "no breakpoint is on"
