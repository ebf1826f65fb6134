"""Runs that could be compared with the open one, as actions of a menu.

A run that exists is not suggested.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from bpe_studio.explain.comparison.suggestions import Suggestion, suggestions
from bpe_studio.gui.runs.new_run_dialog import why_no_new_run
from bpe_studio.gui.widgets.controls import on_trigger, with_reason

if TYPE_CHECKING:
    from bpe_studio.workspace.workspace import Workspace


def suggested(workspace: Workspace) -> tuple[Suggestion, ...]:
    """The runs that could be compared with the one that is shown."""
    configs = [branch.config for branch in workspace.runs.entries if branch.override is None]
    return suggestions(workspace.config, configs)


def add_suggestions(menu: QMenu, workspace: Workspace, train: Callable[[Suggestion], None]) -> None:
    """Add an action for each suggested run to a menu.

    Args:
        menu: the menu.
        workspace: what is open.
        train: what an action does.
    """
    for each in suggested(workspace):
        action = menu.addAction(each.title)
        action.setObjectName(f"compare.suggest_{each.key}")
        why_not = why_no_new_run(workspace, each.config)
        action.setEnabled(not why_not)
        action.setToolTip(with_reason(f"Trains on the same text with {each.tip}", why_not))
        on_trigger(action, partial(train, each))
