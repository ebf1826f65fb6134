"""The targets of actions: something that can be selected, with its run, or a run itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.explain.names import (
    display_name,
    display_text,
    display_token,
    elided,
    isolated,
    visible_white_space,
)
from bpe_studio.workspace.marks import as_written
from bpe_studio.workspace.selection import Kind, Selected, found_again, made_by, of_token

if TYPE_CHECKING:
    from bpe_studio.engine.encoding.border import TextBorder
    from bpe_studio.engine.run import Run
    from bpe_studio.explain.why.border import BorderPlace

MOST_CHARACTERS = 32
MOST_BYTES = 400
MOST_TOKENS = 10_000
"""The most tokens of a word that are copied as ids."""


@dataclass(frozen=True)
class Target:
    """Something that can be selected, or a run of the list.

    Attributes:
        run: the run whose internal ids are in `what` (for a word, the run of its stage); None for
            the run that is shown, or a run of the list.
        what: the thing that can be selected; a word that is not in the corpus has the number -1,
            and its text as `piece`.
        entry: the number of a run in the list; -1 for what can be selected.
        is_next: whether a pair is merged next; None where that is to be found out.
        tokens: the tokens of a word that is not in the corpus, or the two that meet at a border.
    """

    run: Run | None = None
    what: Selected | None = None
    entry: int = -1
    is_next: bool | None = None
    tokens: tuple[int, ...] = ()

    @property
    def kind(self) -> Kind | None:
        """The kind of target; None for a run of the list."""
        return None if self.what is None else self.what.kind

    @property
    def token(self) -> int:
        """The internal id of its token, or of the token that merges its pair; -1 for none."""
        return -1 if self.what is None else self.what.token

    @property
    def rank(self) -> int:
        """The rank of the merge that made its token; -1 for none."""
        return -1 if self.run is None else self.run.rank_of(self.token)

    @property
    def pair(self) -> tuple[int, int] | None:
        """The internal ids of its pair, or of the two parts of its token."""
        what = self.what
        if what is None:
            return None
        if what.kind is Kind.border:
            return (self.tokens[0], self.tokens[1]) if len(self.tokens) == 2 else None
        return None if min(what.left, what.right) < 0 else (what.left, what.right)


def token_target(run: Run | None, token: int) -> Target | None:
    """A token; None for one that is unknown."""
    return None if run is None or token < 0 else Target(run, of_token(run, token, Kind.token))


def shown_token(token: int) -> Target | None:
    """A token of the run that is shown, where a widget does not know the run."""
    return None if token < 0 else Target(None, Selected(Kind.token, token))


def shown_pair(left: int, right: int) -> Target | None:
    """A pair of tokens of the run that is shown, where a widget does not know the run."""
    return None if min(left, right) < 0 else Target(None, Selected(Kind.pair, -1, left, right))


def shown_border(border: TextBorder) -> Target:
    """A border in a text that the shown run cuts."""
    what = Selected(Kind.border, piece=border.piece, place=border.place, following=border.following)
    return Target(None, what)


def merge_target(run: Run | None, rank: int) -> Target | None:
    """A merge, by its rank."""
    if run is None or rank < 0:
        return None
    return Target(run, of_token(run, run.token_of(rank), Kind.merge))


def pair_target(
    run: Run | None, left: int, right: int, *, is_next: bool | None = None
) -> Target | None:
    """A pair of tokens, merged or not."""
    if run is None or min(left, right) < 0:
        return None
    return Target(run, Selected(Kind.pair, made_by(run, left, right), left, right), is_next=is_next)


def word_target(run: Run | None, word: int) -> Target | None:
    """A word of the corpus, by its number."""
    return None if run is None or word < 0 else Target(run, Selected(Kind.word, word=word))


def text_target(run: Run, text: str, tokens: tuple[int, ...]) -> Target:
    """A word that is not in the corpus, with its tokens."""
    return Target(run, Selected(Kind.word, piece=text), tokens=tokens)


def border_target(run: Run | None, border: Selected, step: int, n_merges: int) -> Target | None:
    """A border, with the two tokens that meet there at a step, if two do."""
    from bpe_studio.explain.why.border import pair_at

    if run is None:
        return None
    pair = pair_at(run, border_place(border, run.at(step)), step, n_merges)
    ids = tuple(each.token for each in pair or ())
    if min(ids, default=0) < 0:
        ids = ()
    return Target(run, border, tokens=ids)


def border_place(selected: Selected, run: Run) -> BorderPlace:
    """The place of a selected border, with the gap ranks of its pre-token.

    Call it in the window's thread.
    """
    from bpe_studio.explain.why.border import BorderPlace

    if selected.word >= 0 or selected.following:
        return BorderPlace(selected.piece, selected.place, selected.following, selected.word)
    run.segmenter.refresh()
    return BorderPlace(selected.piece, selected.place, cut=run.segmenter.word(selected.piece))


def run_target(entry: int) -> Target:
    """A run of the list, by its number."""
    return Target(entry=entry)


def in_run(target: Target, run: Run | None) -> Target | None:
    """The same target in another run of the same text, or None."""
    if target.what is None or target.run is run:
        return target
    if run is not None and target.run is run.at(0):
        return target  # it is of the first of two stages
    if run is None or target.run is None:
        return None
    what = found_again(target.what, target.run, run)
    return None if what is None else Target(run, what)


def title_of(target: Target) -> str:
    """The name of a target at the top of its menu; "" for a run of the list."""
    run = target.run
    what = target.what
    if run is None or what is None:
        return ""
    if what.kind is Kind.word:
        return _short(_word_text(run, what))
    if what.kind is Kind.token:
        return _short(display_name(run, what.token))
    if target.pair is None:
        return _short(display_text(what.piece)) if what.piece else ""
    names = [_short(display_name(run, each)) for each in target.pair]
    if what.kind is Kind.border:
        return " | ".join(names)
    made = f" → {_short(display_name(run, what.token))}" if what.token >= 0 else ""
    return " + ".join(names) + made


def content_of(target: Target) -> bytes:
    """The bytes of a target in the text, without marks."""
    run = target.run
    what = target.what
    assert run is not None and what is not None
    if what.kind is Kind.word and what.word >= 0:
        return run.corpus.pre_token_bytes(what.word)
    if what.kind is Kind.word:
        return b"".join(run.token_content(token) for token in target.tokens if token >= 0)
    if what.kind in (Kind.token, Kind.merge):
        return run.token_content(what.token)
    return b"".join(run.token_content(token) for token in target.pair or ())


def tokens_of(target: Target, step: int) -> list[int]:
    """The internal ids of the tokens of a target at a step; for a merge, the token that it made."""
    run = target.run
    what = target.what
    if run is None or what is None:
        return []
    if what.kind is Kind.word and what.word >= 0:
        return run.words_at(step).cut(what.word, MOST_TOKENS)
    if what.kind is Kind.word:
        return list(target.tokens)
    if what.kind in (Kind.token, Kind.merge):
        return [what.token]
    return list(target.pair or ())


def text_of(target: Target) -> str:
    """A target as breakpoints are written, with visible white space; "" if that is ambiguous."""
    try:
        text = content_of(target).decode("utf-8")
    except UnicodeDecodeError:
        return ""
    shown = visible_white_space(text)
    return shown if len(text) <= MOST_BYTES and as_written(shown) == text else ""


def _word_text(run: Run, what: Selected) -> str:
    if what.word < 0:
        return what.piece
    start = int(run.corpus.offsets[what.word])
    end = int(run.corpus.offsets[what.word + 1])
    return display_token(run.corpus.blob[start : min(end, start + MOST_BYTES)].tobytes())


def _short(name: str) -> str:
    return isolated(elided(name, MOST_CHARACTERS))
