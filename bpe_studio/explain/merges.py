"""A step and its merge in a sentence, and the number of tokens at a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.explain.names import short_name
from bpe_studio.explain.wording import merge_name, number, plural, times

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_CHARACTERS = 24
WITHOUT_TEXT = "Nothing to count: this tokenizer was opened without its text"
LEGEND = (
    "Area: tokens of the corpus.\n▲ a breakpoint stops.  ⚑ bookmark.  ◆ override.  ○ selection."
)


def has_pairs(run: Run) -> bool:
    """Whether there is a corpus to count pairs and tokens in.

    A tokenizer that was opened without its text has none: each count of such a run is 0, and means
    nothing.
    """
    return len(run.corpus) > 0


def step_in_words(run: Run, step: int) -> str:
    """A step and its merge: "Merge 1,204: t + h → th, counted 5,310 times, a tie of 2"."""
    if step < 1:
        return "Before the first merge: the alphabet alone"
    columns = run.columns
    rank = step - 1
    merge = f"Merge {number(step)}: {_merge(run, rank)}"
    count = int(columns.count[rank])
    if not has_pairs(run):
        return ", ".join([merge, *saved_by(run, rank)])
    why = ""
    if columns.forced[rank]:
        why = f", {forced_by(run, rank)}"
    elif columns.tied[rank] > 1:
        why = f", {_tie(run, rank)}"
    return f"{merge}, counted {times(count)}{why}"


def _merge(run: Run, rank: int) -> str:
    columns = run.columns
    tokens = (int(columns.left[rank]), int(columns.right[rank]), run.token_of(rank))
    left, right, made = (short_name(run, token, MOST_CHARACTERS) for token in tokens)
    return f"{left} + {right} → {made}"


def _tie(run: Run, rank: int) -> str:
    return f"a tie of {number(int(run.columns.tied[rank]))}"


def just_made(run: Run, step: int) -> tuple[str, ...]:
    """A sentence about the merge of a step, which was just made, and shorter ones for little room.

    The longest comes first.
    """
    columns = run.columns
    rank = step - 1
    merge = f"Just made: {_merge(run, rank)}"
    which = f"merge {number(step)}"
    if not has_pairs(run):  # it was made elsewhere
        merge = f"{which.capitalize()}: {_merge(run, rank)}"
        return ", ".join([merge, *saved_by(run, rank)]), merge
    count = times(int(columns.count[rank]))
    why = ""
    if columns.forced[rank]:
        why = f", {forced_by(run, rank)}"
    elif columns.tied[rank] > 1:
        why = f", decided by {_tie(run, rank)}"
    whole = f"{merge}, {which}, occurred {count}{why}"
    return whole, f"{merge}, {which}, {count}{why}", f"{merge}, {count}", merge


def comes_next(run: Run, step: int) -> tuple[str, ...]:
    """A sentence about the merge after a step, which is learned already, and shorter ones for
    little room.

    The longest comes first.
    """
    columns = run.columns
    why = forced_by(run, step) if columns.forced[step] else ""
    return coming_in_words(
        run, _merge(run, step), int(columns.count[step]), int(columns.tied[step]), why
    )


def coming_in_words(run: Run, merge: str, count: int, tied: int, why: str) -> tuple[str, ...]:
    """Sentences as those of `comes_next`: "Comes next: t + he → the, 3,394,276 times".

    Args:
        run: the run.
        merge: the pair and its token.
        count: the count of the pair.
        tied: the number of pairs with this count.
        why: a phrase on the override that forces the merge; "" for none.
    """
    said = f"Comes next: {merge}"
    if not has_pairs(run):
        return (said,)
    if not why and tied > 1:
        why = f"a tie of {number(tied)}"
    counted = f"{said}, {times(count)}"
    return ", ".join(filter(None, [counted, why])), counted, said


def saved_by(run: Run, rank: int) -> list[str]:
    """A phrase on what a merge saves of a text that is not open; none if that is not known."""
    saved = int(run.columns.count[rank])
    return [f"saves {plural(saved, 'token')} of the text it was trained on"] if saved else []


def forced_by(run: Run, rank: int) -> str:
    """The reason for a merge that no count decided: "forced in this branch"."""
    if run.plan.override_at(rank) is not None:
        return "forced in this branch"
    return "a merge of the tokenizer" if rank < run.n_seed else "forced by the settings"


def step_in_brief(run: Run, step: int) -> str:
    """A step in a few words: "merge 1,204 · t + h → th · 5,310 times · a tie of 2"."""
    if step < 1:
        return "before the first merge · the alphabet alone"
    columns = run.columns
    rank = step - 1
    said = [f"merge {number(step)}", _merge(run, rank)]
    if not has_pairs(run):
        return " · ".join([*said, *saved_by(run, rank)])
    said.append(times(int(columns.count[rank])))
    if not columns.forced[rank]:
        if columns.tied[rank] > 1:
            said.append(_tie(run, rank))
    elif rank >= run.n_seed:
        said.append("forced")
    return " · ".join(said)


def no_merges_text(stop_reason: str) -> str:
    """The text in place of an empty list of merges.

    Args:
        stop_reason: why training has ended; "" if it has not.

    >>> no_merges_text("no pair occurs twice")
    'No merges: no pair occurs twice'
    """
    if stop_reason:
        return f"No merges: {stop_reason}"
    return "No merge yet: run, or take the first step"


def bookmark_name(run: Run | None, step: int) -> str:
    """The default name of a bookmark at a step: the token of the step's merge."""
    if run is None or not 0 < step <= len(run.merges):
        return "Start"
    return short_name(run, run.token_of(step - 1), MOST_CHARACTERS)


def tokens_in_words(run: Run, step: int) -> str:
    """The number of tokens in the corpus at a step, and before the first merge."""
    if not has_pairs(run):
        return WITHOUT_TEXT
    return (
        f"{plural(run.n_tokens_at(step), 'token')} left of {number(run.initial_n_tokens)} in the"
        " corpus"
    )


def joint_sentence(run: Run, rank: int) -> str:
    """A merge in a sentence: its rank, its pair, its token, and the count of the pair."""
    columns = run.columns
    left = short_name(run, int(columns.left[rank]))
    right = short_name(run, int(columns.right[rank]))
    token = short_name(run, run.token_of(rank))
    merge = f"{merge_name(rank).capitalize()}: {left} + {right} → {token}"
    if not has_pairs(run):
        return ", ".join([merge, *saved_by(run, rank)])
    return f"{merge}, counted {times(int(columns.count[rank]))} in the corpus when it was merged"


def line_sentence(step: int, n_merges: int) -> str:
    """The tooltip of the line at the step."""
    return (
        f"Step {number(step)} of {plural(n_merges, 'merge')}: what is joined below this line is a"
        " token. Drag it to choose the size of the vocabulary"
    )
