"""What the timeline says in words: a step, its merge, and the marks that stand there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bpe_studio.explain.names import display_text, elided, isolated, short_name
from bpe_studio.gui.look.numbers_text import grouping_locale

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run
    from bpe_studio.workspace.marks import Breakpoint

MOST_CHARACTERS = 24
LEGEND = (
    "Area: tokens that the corpus takes.  Grey bars: share of merges that a tie decided.\n"
    "▲ a breakpoint stops.  ⚑ bookmark.  ◆ decided by a person.  ○ what is picked."
)


def step_in_words(run: Run, step: int) -> str:
    """A step and the merge that led to it: "Step 1,204: t + h → th, counted 5,310 times, one of 2 tied pairs"."""
    number = grouping_locale().toString
    if step < 1:
        return "Step 0: the alphabet alone"
    columns, rank = run.columns, step - 1
    tokens = (int(columns.left[rank]), int(columns.right[rank]), run.n_alphabet + rank)
    left, right, made = (short_name(run, token, MOST_CHARACTERS) for token in tokens)
    count, tied = int(columns.count[rank]), int(columns.tied[rank])
    why = ""
    if columns.forced[rank]:
        why = ", forced in this branch" if run.plan.override_at(rank) is not None else ", forced by the settings"
    elif tied > 1:
        why = f", a tie of {number(tied)}"
    return f"Step {number(step)}: {left} + {right} → {made}, counted {number(count)} time{'s' * (count != 1)}{why}"


def tokens_in_words(run: Run, step: int) -> str:
    """How many tokens the corpus takes at a step, and took without merges."""
    number = grouping_locale().toString
    return f"{number(run.n_tokens_at(step))} tokens left of {number(run.initial_n_tokens)} in the corpus"


def breakpoint_in_words(point: Breakpoint) -> str:
    """A breakpoint's condition, with white space to be seen and a text that runs to the left in its place."""
    return replace(point, text=isolated(elided(display_text(point.text), MOST_CHARACTERS))).describe()
