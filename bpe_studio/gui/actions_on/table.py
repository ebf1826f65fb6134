"""The table of the actions on a target: name, when each applies, why not now, and what it does.

An action that never applies to a kind of target is left out of its menu; one that cannot be used
now says why. If an action leads to a panel, the window brings it to the front (`Places`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

from PySide6.QtGui import QGuiApplication

from bpe_studio.explain.names import display_name, hex_bytes
from bpe_studio.explain.wording import merge_name, number
from bpe_studio.gui.actions_on import overrides
from bpe_studio.gui.actions_on.overrides import MAKES_A_BRANCH, VERBS
from bpe_studio.gui.actions_on.targets import (
    Target,
    border_target,
    content_of,
    in_run,
    pair_target,
    text_of,
    token_target,
    tokens_of,
)
from bpe_studio.workspace.marks import Breakpoint, Question, breakpoint_in_words
from bpe_studio.workspace.possible import why_running
from bpe_studio.workspace.selection import Kind, Selected
from bpe_studio.workspace.session import ROOT

if TYPE_CHECKING:
    from bpe_studio.workspace.session import RunEntry
    from bpe_studio.workspace.workspace import Workspace

NOTHING = "nothing is selected"
NOT_FOR_SELECTION = "it does not apply to the selection"
NOT_IN_RUN = "this run does not have the token"
_TOKENS = (Kind.token, Kind.merge, Kind.pair)
_PAIRS = (Kind.token, Kind.merge, Kind.pair, Kind.border)
_TEXTS = (Kind.token, Kind.merge, Kind.pair, Kind.word)
_ALL = (Kind.token, Kind.merge, Kind.pair, Kind.word, Kind.border)


class Places(Protocol):
    """The panels of the window, to which the actions lead."""

    def show_panel(self, key: str) -> None:
        """Bring a panel to the front."""

    def show_in_vocabulary(self, token: int) -> None:
        """Bring a token of the vocabulary to the front."""

    def compare_runs(self, left: int, right: int) -> None:
        """Bring the comparison of two runs, given by their numbers, to the front."""

    def rename_run(self, number: int) -> None:
        """Ask for another name of a run."""


def _never(_workspace: Workspace, _target: Target) -> str:
    return ""


def _always(_workspace: Workspace, _target: Target) -> bool:
    return True


@dataclass(frozen=True)
class Action:
    """One action.

    Attributes:
        id: the end of its objectName.
        text: its name, whatever the target.
        tip: a sentence that says what it does.
        group: actions of one group are next to each other.
        kinds: the kinds of target that it applies to; None is a run of the list.
        do: the function that does it.
        why_not: why it cannot be used now, or "".
        applies: whether it applies to a target of these kinds.
        keys: its shortcut, which applies to the selection.
        named: its name for one target, if that says more.
    """

    id: str
    text: str
    tip: str
    group: int
    kinds: tuple[Kind | None, ...]
    do: Callable[[Workspace, Places, Target], None]
    why_not: Callable[[Workspace, Target], str] = _never
    applies: Callable[[Workspace, Target], bool] = _always
    keys: str = ""
    named: Callable[[Workspace, Target], str] | None = None

    def text_for(self, workspace: Workspace, target: Target) -> str:
        """The name of the action for a target."""
        own = "" if self.named is None else self.named(workspace, target)
        return own or self.text

    def is_for(self, workspace: Workspace, target: Target) -> bool:
        """Whether the menu of a target has it."""
        return target.kind in self.kinds and self.applies(workspace, target)


# Why not.


def _is_made(workspace: Workspace, target: Target) -> bool:
    return target.kind is Kind.pair or target.rank >= 0


def _has_pair(workspace: Workspace, target: Target) -> bool:
    return target.pair is not None


def _not_here(workspace: Workspace, target: Target) -> str:
    return "" if in_run(target, workspace.run) is not None else NOT_IN_RUN


def _no_step(workspace: Workspace, target: Target) -> str:
    here = in_run(target, workspace.run)
    if here is None:
        return NOT_IN_RUN
    if here.rank < 0:
        return "no merge of the run joins this pair"
    if here.rank >= workspace.n_merges:
        return "the run has not come that far yet"
    return "this step is shown already" if workspace.step == here.rank + 1 else ""


def _override_step(verb: str, workspace: Workspace, target: Target) -> int:
    """The step at which a pair is overridden.

    Skipping or forbidding a merge, or a pair that is merged already, overrides it where it is
    merged; everything else overrides at the current step.
    """
    rank = target.rank
    is_pair = target.kind in (Kind.pair, Kind.border)
    if verb != "force" and rank >= 0 and (rank < workspace.step or not is_pair):
        return rank
    return workspace.step


def _no_override(verb: str, workspace: Workspace, target: Target) -> str:
    here = in_run(target, workspace.run)
    closed = overrides.why_closed(workspace)
    if closed or here is None or workspace.run is None:
        return closed or NOT_IN_RUN
    if here.pair is None:
        return "the split separates the two, and no merge crosses a split"
    if verb == "force" and 0 <= here.rank < workspace.step:
        return f"it is merged already, by {merge_name(here.rank)}"
    step = _override_step(verb, workspace, here)
    is_next = here.is_next if step == workspace.step else None
    return overrides.why_not_override(
        workspace.run, workspace.n_merges, verb, here.pair, step, is_next
    )


def _breakpoint(target: Target) -> Breakpoint | None:
    text = text_of(target)
    if not text:
        return None
    question = Question.word if target.kind is Kind.word else Question.token
    return Breakpoint(question, text)


def _no_stop(workspace: Workspace, target: Target) -> str:
    point = _breakpoint(target)
    if point is None:
        return "it is only part of a character, and breakpoints look for text"
    known = {(each.question, each.text) for each in workspace.marks.breakpoints}
    return "this breakpoint exists already" if (point.question, point.text) in known else ""


def _is_in_corpus(_workspace: Workspace, target: Target) -> bool:
    return target.kind is not Kind.word or (target.what is not None and target.what.word >= 0)


def _no_lines(workspace: Workspace, target: Target) -> str:
    here = in_run(target, workspace.run)
    if here is None:
        return NOT_IN_RUN
    is_there = here.token >= 0 or here.kind is Kind.word
    return "" if is_there else "no merge of the run joins this pair, so it is not a token"


def _not_in_vocabulary(workspace: Workspace, target: Target) -> str:
    why_not = _no_lines(workspace, target)
    here = in_run(target, workspace.run)
    if why_not or here is None or here.rank < workspace.step:
        return why_not
    return (
        f"the vocabulary of step {number(workspace.step)} does not have it yet;"
        f" {merge_name(here.rank)} makes it"
    )


def _no_text(workspace: Workspace, target: Target) -> str:
    try:
        content_of(target).decode("utf-8")
    except UnicodeDecodeError:
        return "it is only part of a character; copy it as bytes"
    return ""


def _other_run(workspace: Workspace, target: Target) -> RunEntry | None:
    """The run to compare a run with: the shown one; for the shown one itself, its parent if any."""
    entries = workspace.runs.entries
    shown = workspace.runs.shown
    if shown is None:
        return None
    if shown.number != target.entry:
        return shown
    parent = next((each for each in entries if each.number == shown.parent), None)
    return parent or next((each for each in reversed(entries) if each.number != shown.number), None)


def _nothing_to_compare(workspace: Workspace, target: Target) -> str:
    return "" if _other_run(workspace, target) is not None else "there is no other run yet"


def _is_another_run(workspace: Workspace, target: Target) -> bool:
    shown = workspace.runs.shown
    return shown is not None and shown.number != target.entry


def _cannot_show(workspace: Workspace, target: Target) -> str:
    return why_running(workspace)


def _cannot_remove(workspace: Workspace, target: Target) -> str:
    return "the first run cannot be removed" if target.entry == ROOT else ""


# The effects of the actions.


def _select(workspace: Workspace, target: Target) -> Target | None:
    here = in_run(target, workspace.run)
    if here is not None and here.what is not None:
        workspace.selection.select(here.what)
    return here


def _show(panel: str, workspace: Workspace, places: Places, target: Target) -> None:
    if _select(workspace, target) is not None:
        places.show_panel(panel)


def _go_to_step(workspace: Workspace, places: Places, target: Target) -> None:
    here = in_run(target, workspace.run)
    if here is not None and here.rank >= 0:
        workspace.transport.go_to(here.rank + 1)
        workspace.selection.select_merge(here.rank)


def _override(verb: str, workspace: Workspace, places: Places, target: Target) -> None:
    here = in_run(target, workspace.run)
    run = workspace.run
    if here is None or run is None or here.pair is None:
        return
    left, right = here.pair
    names = (run.token_name(left), run.token_name(right))
    shown = (display_name(run, left), display_name(run, right))
    overrides.branch_off(workspace, verb, names, shown, _override_step(verb, workspace, here))


def _stop(workspace: Workspace, places: Places, target: Target) -> None:
    point = _breakpoint(target)
    if point is not None:
        workspace.marks.set_breakpoints([*workspace.marks.breakpoints, point])
        places.show_panel("marks")


def _show_in_corpus(workspace: Workspace, places: Places, target: Target) -> None:
    here = in_run(target, workspace.run)
    if here is not None and here.kind is Kind.word:
        _show("words", workspace, places, here)
    elif here is not None:
        workspace.selection.select_token(here.token)
        places.show_panel("lines")


def _show_in_vocabulary(workspace: Workspace, places: Places, target: Target) -> None:
    here = in_run(target, workspace.run)
    if here is not None:
        places.show_in_vocabulary(here.token)


def _copy_text(workspace: Workspace, places: Places, target: Target) -> None:
    QGuiApplication.clipboard().setText(content_of(target).decode("utf-8", "replace"))


def _copy_ids(workspace: Workspace, places: Places, target: Target) -> None:
    run = target.run
    step = workspace.step
    if run is not None:
        ids = []
        for token in tokens_of(target, step):
            shown_id = str(run.external_id(token, step)) if token >= 0 else "?"
            ids.append(shown_id)
        QGuiApplication.clipboard().setText(" ".join(ids))


def _copy_bytes(workspace: Workspace, places: Places, target: Target) -> None:
    QGuiApplication.clipboard().setText(hex_bytes(content_of(target)))


def _show_run(workspace: Workspace, places: Places, target: Target) -> None:
    workspace.runs.show(target.entry)


def _compare(workspace: Workspace, places: Places, target: Target) -> None:
    other = _other_run(workspace, target)
    if other is not None:
        places.compare_runs(target.entry, other.number)


def _rename(workspace: Workspace, places: Places, target: Target) -> None:
    places.rename_run(target.entry)


def _remove(workspace: Workspace, places: Places, target: Target) -> None:
    workspace.runs.remove(target.entry)


# The names of the actions.


def _stop_text(_workspace: Workspace, target: Target) -> str:
    point = _breakpoint(target)
    return "" if point is None else f"Stop when {breakpoint_in_words(point)}"


def _compare_text(workspace: Workspace, target: Target) -> str:
    other = _other_run(workspace, target)
    return "" if other is None else f"Compare with {other.name}"


def _override_action(verb: str, keys: str) -> Action:
    text, tip = VERBS[verb]
    tip = f"{tip}. {MAKES_A_BRANCH}"
    return Action(
        verb,
        text,
        tip,
        1,
        _PAIRS,
        partial(_override, verb),
        partial(_no_override, verb),
        _has_pair,
        keys,
    )


TABLE = (
    Action(
        "why",
        "Why",
        "Explains why it is merged, made or separated",
        0,
        _ALL,
        partial(_show, "why"),
        _not_here,
    ),
    Action(
        "step",
        "Go to its step",
        "Goes to the step after the merge that makes it",
        0,
        _TOKENS,
        _go_to_step,
        _no_step,
        _is_made,
        "Ctrl+J",
    ),
    _override_action("forbid", "Ctrl+Shift+F"),
    _override_action("force", "Ctrl+Shift+R"),
    _override_action("skip", "Ctrl+Shift+K"),
    Action(
        "stop",
        "Stop when it is made",
        "Adds a breakpoint: the run stops there, and F9 goes to it",
        1,
        _TEXTS,
        _stop,
        _no_stop,
        keys="Ctrl+Shift+B",
        named=_stop_text,
    ),
    Action(
        "lines",
        "Show in corpus",
        "Shows the lines of the corpus that contain it, or the word in the list of words",
        2,
        _TEXTS,
        _show_in_corpus,
        _no_lines,
        _is_in_corpus,
        "Ctrl+L",
    ),
    Action(
        "vocabulary",
        "Show in vocabulary",
        "Shows its row in the vocabulary of the current step",
        2,
        _TOKENS,
        _show_in_vocabulary,
        _not_in_vocabulary,
        keys="Ctrl+Shift+T",
    ),
    Action(
        "show",
        "Show",
        "Shows this run or branch at the step where it was left",
        3,
        (None,),
        _show_run,
        _cannot_show,
        _is_another_run,
    ),
    Action(
        "compare",
        "Compare",
        "Compares the two runs: where they diverge and why, and their tokens",
        3,
        (None,),
        _compare,
        _nothing_to_compare,
        named=_compare_text,
    ),
    Action("rename", "Rename…", "Asks for another name of this run or branch", 3, (None,), _rename),
    Action(
        "remove",
        "Remove",
        "Removes this run and its branches; Undo brings them back",
        3,
        (None,),
        _remove,
        _cannot_remove,
    ),
    Action(
        "copy_text",
        "Copy as text",
        "Copies its characters as they stand in the text",
        4,
        _TEXTS,
        _copy_text,
        _no_text,
        keys="Ctrl+Shift+C",
    ),
    Action(
        "copy_ids",
        "Copy as ids",
        "Copies the ids of its tokens at the current step",
        4,
        _TEXTS,
        _copy_ids,
    ),
    Action("copy_bytes", "Copy as bytes", "Copies its UTF-8 bytes in hex", 4, _TEXTS, _copy_bytes),
)
FOR_SELECTION = tuple(each for each in TABLE if each.kinds != (None,) and each.id != "why")
"""The actions on the selection. *Why* is left out because the window has it already."""


def shown_target(workspace: Workspace, what: Selected | None) -> Target | None:
    """The target for a selection in the run that is shown; None if that run does not have it."""
    run = workspace.run
    if what is None or run is None or what.token >= run.token_of(workspace.n_merges):
        return None
    if what.kind is Kind.border:
        return border_target(run, what, workspace.step, workspace.n_merges)
    if what.kind is Kind.pair:
        return pair_target(run, what.left, what.right)
    if what.kind is Kind.token:
        return token_target(run, what.token)
    return Target(run.at(workspace.step), what)


def why_not_selected(action: Action, workspace: Workspace) -> str:
    """The reason why an action does not apply to the selection, or "".

    It checks only the kind, because it is called at every step.
    """
    what = workspace.selection.current
    if what is None or workspace.run is None:
        return NOTHING
    return "" if what.kind in action.kinds else NOT_FOR_SELECTION


def why_not_use_on_selection(action: Action, workspace: Workspace) -> str:
    """The reason why an action cannot be used on the selection, or ""."""
    target = shown_target(workspace, workspace.selection.current)
    if target is None:
        return NOTHING
    if not action.is_for(workspace, target):
        return NOT_FOR_SELECTION
    return action.why_not(workspace, target)


def use(action: Action, workspace: Workspace, places: Places, target: Target | None) -> None:
    """Do an action on a target, or say why it cannot be done any more."""
    if target is None or not action.is_for(workspace, target):
        return
    why_not = action.why_not(workspace, target)
    if why_not:
        workspace.notice(f"{action.text} is not possible now: {why_not}.")
    else:
        action.do(workspace, places, target)
