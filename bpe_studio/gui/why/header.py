"""The header of the panel Why: the selection as chips, and in words what it is and at which
step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpe_studio.explain.names import (
    display_name,
    display_text,
    display_token,
    elided,
    in_sentence,
    is_right_to_left,
    joined_name,
    short_name,
)
from bpe_studio.explain.why.answers import PairAnswer
from bpe_studio.explain.why.border import pair_at
from bpe_studio.explain.wording import merge_name, number
from bpe_studio.gui.actions_on.targets import border_place
from bpe_studio.gui.tokens.links import Link
from bpe_studio.workspace.selection import Kind, Selected

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_BYTES = 200
MOST_CHARACTERS = 40


def header_links(
    run: Run, selected: Selected | None, answer: PairAnswer | None, step: int, n_merges: int
) -> tuple[list[Link], bool]:
    """The selection as chips, and whether it runs from right to left.

    Args:
        run: the run.
        selected: the selection; None for the next merge.
        answer: the last answer about a pair, which names the next merge.
        step: how many merges apply.
        n_merges: how many merges of the run the window may read.
    """
    if selected is not None and selected.kind is Kind.word:
        corpus = run.at(step).corpus
        content = corpus.blob[corpus.offsets[selected.word] : corpus.offsets[selected.word + 1]]
        text = display_token(content[:MOST_BYTES].tobytes()) + "…" * (len(content) > MOST_BYTES)
        return [Link(text, is_outlined=True)], is_right_to_left(text)
    if selected is not None and selected.kind is Kind.border:
        return _border_links(run, selected, step, n_merges)
    if selected is not None and selected.kind is Kind.token:
        name = display_name(run, selected.token)
        return [Link(name, selected.token)], is_right_to_left(name)
    if selected is not None:
        pair = (selected.left, selected.right)
        made = selected.token
    elif answer is not None and answer.run is run and answer.pair is not None:
        pair = answer.pair
        made = answer.made
    else:
        return [], False
    if pair[0] < 0:
        return [Link(display_name(run, made), made)], is_right_to_left(display_name(run, made))
    left, right = (
        Link(display_name(run, each), each, f"Show {short_name(run, each)}") for each in pair
    )
    whole = display_name(run, made) if made >= 0 else joined_name(run, *pair)
    tip = f"Show {in_sentence(elided(whole))}" if made >= 0 else "Not a token of the run so far"
    joined = Link(whole, made, tip, is_outlined=made < 0)
    return [left, Link("+", is_sign=True), right, Link("→", is_sign=True), joined], False


def _border_links(
    run: Run, selected: Selected, step: int, n_merges: int
) -> tuple[list[Link], bool]:
    """The two tokens that meet at a border, with a line between them."""
    if selected.following:
        texts = [
            elided(display_text(each), MOST_CHARACTERS)
            for each in (selected.piece, selected.following)
        ]
        links = [Link(text, is_outlined=True) for text in texts]
    else:
        pair = pair_at(run, border_place(selected, run.at(step)), step, n_merges)
        if pair is None:
            text = elided(
                display_text(selected.piece) or f"word {selected.word + 1}", MOST_CHARACTERS
            )
            return [Link(text, is_outlined=True)], is_right_to_left(text)
        links = [
            Link(each.name, each.token, f"Show {in_sentence(elided(each.name))}") for each in pair
        ]
    is_rtl = is_right_to_left(display_text(selected.piece) or links[0].text)
    return [links[0], Link("|", is_sign=True), links[1]], is_rtl


def header_text(run: Run, selected: Selected | None, answer: PairAnswer | None, step: int) -> str:
    """What the selection is, and at which step it is shown."""
    if selected is None:
        is_known = answer is not None and answer.run is run
        n = answer.step if answer is not None and is_known else step
        if answer is not None and is_known and answer.pair is None:
            return "There is no next merge"
        return f"{merge_name(n).capitalize()}, the next one"
    if selected.kind is Kind.word:
        n_words = len(run.at(step).corpus)
        return f"Word {number(selected.word + 1)} of {number(n_words)}, at step {number(step)}"
    if selected.kind is Kind.border:
        if selected.following:
            return f"A border of the split, at step {number(step)}"
        piece = (
            display_text(selected.piece) if selected.piece else f"word {number(selected.word + 1)}"
        )
        return f"A border in {in_sentence(elided(piece, MOST_CHARACTERS))}, at step {number(step)}"
    rank = run.rank_of(selected.token)
    if selected.kind is Kind.token:
        if rank < 0:
            return f"A symbol of the alphabet, at step {number(step)}"
        return f"Token of {merge_name(rank)}, at step {number(step)}"
    if 0 <= rank < step or (selected.kind is Kind.merge and rank >= 0):
        return merge_name(rank).capitalize()
    later = f"; {merge_name(rank)} merges it" if rank >= step else ""
    there = max(step, run.rank_of(max(selected.left, selected.right)) + 1)
    if there > step:
        return f"A pair at step {number(there)}, the first that has both tokens{later}"
    return f"A candidate at step {number(step)}{later}"
