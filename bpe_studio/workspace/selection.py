"""The selection that all panels share: a token, a merge, a pair, a word or a border, with its
history.

Every panel shows the selection in its own way and can change it; no panel knows another. A
selection belongs to one run: when another run is shown, tokens and pairs are found in it by name,
words by number.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_REMEMBERED = 200
MOST_BYTES = 1000
"""A longer word of the corpus is known by its number alone; nobody types it."""
_SYMBOLS = ("units", "word_end", "word_end_as", "continuing", "split", "normalize")
"""The settings that decide the symbols of a text."""


class Kind(enum.Enum):
    """The kind of a selection."""

    token = "token"
    merge = "merge"
    pair = "pair"
    word = "word"
    border = "border"


@dataclass(frozen=True)
class Selected:
    """Something that is selected. Ids are internal ones of the run; -1 is none.

    Attributes:
        kind: the kind.
        token: the token; for a merge, the token that it made; for a pair, the token that a merge of
            the run makes of it.
        left: the left token of the pair, or the left part of the token.
        right: the right one.
        word: the number of the word in the corpus; for a border, of the word that contains it.
        piece: the pre-token that contains a border, or ends at it.
        place: the number of its symbols before the border.
        following: the pre-token after a border of the split.
    """

    kind: Kind
    token: int = -1
    left: int = -1
    right: int = -1
    word: int = -1
    piece: str = ""
    place: int = -1
    following: str = ""


class Selection(QObject):
    """The current selection, with the previous and the next ones.

    Signals:
        changed: Selected or None, the current selection; also when only the history has changed.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._run: Run | None = None
        self._seen: list[Selected] = []
        self._place = -1
        self._is_cleared = False
        self._has_news = False

    @property
    def current(self) -> Selected | None:
        """The current selection, or None."""
        return self._seen[self._place] if self._place >= 0 and not self._is_cleared else None

    @property
    def can_go_back(self) -> bool:
        """Whether there is a previous selection."""
        least = 0 if self._is_cleared else 1
        return self._place >= least

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a next selection."""
        return self._place + 1 < len(self._seen)

    def select(self, selected: Selected) -> None:
        """Select something of the run."""
        if self._run is not None:
            self._add(selected)

    @property
    def run(self) -> Run | None:
        """The run whose tokens and words are selected; of a run with two stages, one stage."""
        return self._run

    def select_token(self, token: int) -> None:
        """Select a token by its internal id; an id that is not in the run is ignored."""
        run = self._run
        if run is not None and 0 <= token < run.token_of(len(run.merges)):
            self._add(of_token(run, token, Kind.token))

    def select_merge(self, rank: int) -> None:
        """Select a merge by its rank."""
        run = self._run
        if run is not None and 0 <= rank < len(run.merges):
            self._add(of_token(run, run.token_of(rank), Kind.merge))

    def select_pair(self, left: int, right: int) -> None:
        """Select a pair of tokens, merged or not."""
        run = self._run
        if run is not None:
            self._add(Selected(Kind.pair, made_by(run, left, right), left, right))

    def select_word(self, word: int) -> None:
        """Select a word of the corpus by its number."""
        if self._run is not None and 0 <= word < len(self._run.corpus):
            self._add(Selected(Kind.word, word=word))

    def select_border(self, piece: str, place: int, following: str = "") -> None:
        """Select a border between two tokens of a text.

        Args:
            piece: the pre-token that contains it, or ends at it.
            place: the number of symbols of the pre-token before the border.
            following: the next pre-token at a border of the split; "" for another border.
        """
        if self._run is not None and place > 0:
            self._add(Selected(Kind.border, piece=piece, place=place, following=following))

    def select_word_border(self, word: int, place: int) -> None:
        """Select a border within a word of the corpus."""
        run = self._run
        if run is not None and 0 <= word < len(run.corpus) and place > 0:
            self._add(word_border(run, word, place))

    @Slot()
    def clear(self) -> None:
        """Clear the selection; `go_back` returns to it."""
        if self.current is not None:
            self._is_cleared = True
            self.changed.emit(None)

    @Slot()
    def go_back(self) -> None:
        """Return to the previous selection; after `clear`, to the one that was cleared."""
        if self.can_go_back:
            if not self._is_cleared:
                self._place -= 1
            self._is_cleared = False
            self.changed.emit(self.current)

    @Slot()
    def go_forward(self) -> None:
        """Go forward to the next selection."""
        if self.can_go_forward:
            self._place += 1
            self._is_cleared = False
            self.changed.emit(self.current)

    def follow(self, run: Run | None, *, is_same_text: bool = False) -> None:
        """Take another run, and find the selections in it; `announce` emits the change.

        Args:
            run: the run.
            is_same_text: whether it is over the same text, even if its corpus is split differently.
        """
        old = self._run
        self._run = run
        self._has_news = self._has_news or bool(self._seen)
        if run is None or old is None or not (is_same_text or old.corpus is run.corpus):
            self._seen = []
            self._place = -1
            self._is_cleared = False
        elif old is not run:
            found = [found_again(selected, old, run) for selected in self._seen]
            place = sum(selected is not None for selected in found[: self._place + 1]) - 1
            self._seen = [selected for selected in found if selected is not None]
            self._is_cleared = self._is_cleared or (self._place >= 0 and found[self._place] is None)
            self._place = place

    def announce(self) -> None:
        """Emit the selection if `follow` may have changed it.

        Call this when all other values belong to the new run.
        """
        if self._has_news:
            self._has_news = False
            self.changed.emit(self.current)

    def _add(self, selected: Selected) -> None:
        if selected == self.current:
            return
        del self._seen[self._place + 1 :]
        if not self._seen or self._seen[-1] != selected:
            self._seen.append(selected)
        del self._seen[:-MOST_REMEMBERED]
        self._place = len(self._seen) - 1
        self._is_cleared = False
        self.changed.emit(selected)


def of_token(run: Run, token: int, kind: Kind) -> Selected:
    """The selection of a token, or of the merge that made it."""
    rank = run.rank_of(token)
    if rank < 0:
        return Selected(kind, token)
    return Selected(kind, token, int(run.columns.left[rank]), int(run.columns.right[rank]))


def word_border(run: Run, word: int, place: int) -> Selected:
    """The selection of a border within a word of the corpus."""
    offsets = run.corpus.offsets
    is_short = int(offsets[word + 1]) - int(offsets[word]) <= MOST_BYTES
    piece = run.corpus.pre_token(word) if is_short else ""
    return Selected(Kind.border, word=word, piece=piece, place=place)


def made_by(run: Run, left: int, right: int) -> int:
    """The token that a merge of the run makes of two; -1 for none."""
    n = len(run.merges)
    ranks = ((run.columns.left[:n] == left) & (run.columns.right[:n] == right)).nonzero()[0]
    return run.token_of(int(ranks[0])) if len(ranks) else -1


def found_again(selected: Selected, old: Run, new: Run) -> Selected | None:
    """A selection in another run over the same text; None if that does not have it.

    A word is the same only if both runs have the same corpus.
    """
    if selected.kind is Kind.word:
        return selected if old.corpus is new.corpus else None
    if selected.kind is Kind.border:
        is_same = all(getattr(old.config, name) == getattr(new.config, name) for name in _SYMBOLS)
        return selected if is_same and (selected.word < 0 or old.corpus is new.corpus) else None
    if selected.kind is Kind.pair:
        left, right = (
            new.find_token(old.token_name(token)) for token in (selected.left, selected.right)
        )
        if left is None or right is None:
            return None
        return Selected(Kind.pair, made_by(new, left, right), left, right)
    token = new.find_token(old.token_name(selected.token))
    if token is None or (selected.kind is Kind.merge and new.rank_of(token) < 0):
        return None
    return of_token(new, token, selected.kind)


def highlighted_places(ids: Sequence[int], selected: Selected | None) -> frozenset[int]:
    """The indices of the tokens to highlight.

    Args:
        ids: the tokens' internal ids, in reading order.
        selected: the selection; None highlights nothing.

    Returns:
        The indices of the selected token, and of its two parts if they are neighbours.

    Example: for the pair 1 + 2, `highlighted_places([0, 1, 2, 1], selected)` is {1, 2}.
    """
    if selected is None:
        return frozenset()
    found: set[int] = set()
    if selected.token >= 0:
        found = {place for place, token in enumerate(ids) if token == selected.token}
    if selected.left >= 0:
        for place in range(len(ids) - 1):
            if ids[place] == selected.left and ids[place + 1] == selected.right:
                found |= {place, place + 1}
    return frozenset(found)
