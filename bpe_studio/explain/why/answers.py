"""The answers to "why" questions about a pair, a token and a word, in the form that a panel shows.

Each takes one or two passes over the corpus, so the window calls them in its thread pool. They do
not raise errors: `trouble` says why a question cannot be answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.errors import BpeError
from bpe_studio.explain.candidates import nothing_left, too_rare
from bpe_studio.explain.names import (
    display_name,
    display_token,
    in_sentence,
    is_right_to_left,
    joined_name,
)
from bpe_studio.explain.wording import times

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.decision import Decision
    from bpe_studio.engine.analysis.derivation import Derivation
    from bpe_studio.engine.analysis.token_life import TokenLife
    from bpe_studio.engine.analysis.words_containing import WordsWithPair, WordWithPair
    from bpe_studio.engine.run import Run

N_WORDS = 200
MOST_SYMBOLS = 300
"""The number of symbols of a word that are cut into tokens."""
AROUND = 12
"""The number of tokens of a long word that are shown before and after the highlighted ones."""
MOST_MERGES = 200
MOST_NODES = 300
"""The number of tokens of a derivation that are drawn."""


class Piece(NamedTuple):
    """A shown token: its internal id, -1 for none, and its name."""

    token: int
    name: str

    @classmethod
    def of(cls, run: Run, token: int) -> Piece:
        """A token of a run."""
        return cls(token, display_name(run, token))


def plain_names(pieces: Sequence[Piece], run: Run | None) -> list[str]:
    """Tokens in the spelling of logs; without a run, as they are shown."""
    if run is None:
        return [each.name for each in pieces]
    n = run.token_of(len(run.merges))
    names = []
    for each in pieces:
        name = run.token_name(each.token) if 0 <= each.token < n else each.name
        names.append(name)
    return names


@dataclass(frozen=True)
class WordRow:
    """A row in a table of words.

    Attributes:
        word: the number of the pre-token.
        before: its tokens, or those around the highlighted ones.
        highlighted: the indices of the highlighted ones.
        after: its tokens after the merge of the pair; empty if the question is not about a pair.
        highlighted_after: the indices of the highlighted ones in `after`.
        count: the count of the word in the corpus.
        times: the number of times that the word contains the pair or the token.
        is_rtl: whether the word runs right to left, which the bytes of a single token may not show.
    """

    word: int
    before: tuple[Piece, ...]
    highlighted: frozenset[int]
    after: tuple[Piece, ...]
    highlighted_after: frozenset[int]
    count: int
    times: int
    is_rtl: bool = False


@dataclass(frozen=True)
class WordRows:
    """The words that contain a pair or a token.

    Attributes:
        rows: the most frequent of these words.
        n_words: the number of all of them.
        total: the count of the pair or the token in all of them.
    """

    rows: tuple[WordRow, ...] = ()
    n_words: int = 0
    total: int = 0


@dataclass(frozen=True)
class PairAnswer:
    """Why a pair is merged at a step, or is not.

    Attributes:
        run, step, pair: the question; if it has no pair, `pair` is the winner.
        decision: why the step merges its pair; None if the tokens of `pair` do not exist.
        made: the token that the run makes of the pair; -1 for none.
        rank: the rank of that merge; -1 for none.
        words: the words that contain the pair.
        trouble: why there is no answer, or "".
    """

    run: Run
    step: int
    pair: tuple[int, int] | None
    decision: Decision | None = None
    made: int = -1
    rank: int = -1
    words: WordRows = WordRows()
    trouble: str = ""

    @property
    def is_winner(self) -> bool:
        """Whether the pair is the one that the step merges."""
        winner = self.decision.winner if self.decision is not None else None
        return winner is not None and (winner.left, winner.right) == self.pair


@dataclass(frozen=True)
class TokenAnswer:
    """The facts about a token that do not depend on the step: its derivation, and its life up to
    `n_merges`.
    """

    run: Run
    token: int
    n_merges: int
    derivation: Derivation | None = None
    life: TokenLife | None = None
    trouble: str = ""


@dataclass(frozen=True)
class ContainingWordsAnswer:
    """The words that contain a token at a step."""

    run: Run
    token: int
    step: int
    words: WordRows = WordRows()
    trouble: str = ""


class WordMerge(NamedTuple):
    """A merge that applies to a word: its rank, the two tokens and the token that it makes."""

    rank: int
    left: Piece
    right: Piece
    made: Piece


@dataclass(frozen=True)
class WordAnswer:
    """A word at a step, and the merges that apply to it.

    Attributes:
        run, word, step, n_merges: the question.
        count: the count of the word in the corpus.
        n_symbols: its length in symbols.
        n_tokens: the number of its tokens at the step.
        cut: these tokens, or the first of them.
        merges: the merges that apply, by rank, at most `MOST_MERGES`.
        n_merges_here: the number of all merges that apply.
        whole_at: the first step at which it is one token; None if it never is in this run.
        is_rtl: whether it runs right to left.
    """

    run: Run
    word: int
    step: int
    n_merges: int
    count: int
    n_symbols: int
    n_tokens: int
    cut: tuple[Piece, ...]
    merges: tuple[WordMerge, ...]
    n_merges_here: int
    whole_at: int | None
    is_rtl: bool


def answer_pair(run: Run, pair: tuple[int, int] | None, step: int) -> PairAnswer:
    """Why a pair is merged at a step, or is not; without a pair, why the step merges its pair."""
    from bpe_studio.engine.analysis.decision import decide
    from bpe_studio.engine.analysis.words_containing import words_with_pair

    try:
        decision = decide(run, step)
        if pair is None and decision.winner is not None:
            pair = decision.winner.left, decision.winner.right
        if pair is None:
            return PairAnswer(run, step, None, decision, trouble=_nothing_left(run, step))
        found = words_with_pair(run, *pair, step, N_WORDS)
    except BpeError as error:
        return PairAnswer(run, step, pair, trouble=str(error))
    made = found.made
    words = word_rows_of_pair(run.at(step), found, pair)
    return PairAnswer(run, step, pair, decision, made, run.rank_of(made), words)


def word_rows_of_pair(run: Run, found: WordsWithPair, pair: tuple[int, int]) -> WordRows:
    """The words that contain a pair, as rows before and after the merge."""
    return WordRows(
        tuple(_pair_row(run, holder, pair) for holder in found.words), found.n_words, found.total
    )


def _nothing_left(run: Run, step: int) -> str:
    from bpe_studio.engine.training.candidates import rank_candidates

    best = next(iter(rank_candidates(run, step, 1)), None)
    if best is None:
        return nothing_left(run)
    if best.count < run.config.min_frequency:
        return too_rare(run)
    pair = (
        f"{in_sentence(display_name(run, best.left))} +"
        f" {in_sentence(display_name(run, best.right))}"
    )
    return f"Nothing is merged, although {pair} occurs {times(best.count)}"


def _pair_row(run: Run, holder: WordWithPair, pair: tuple[int, int]) -> WordRow:
    lefts = holder.before_places
    first = min(lefts, default=0)
    first_after = min(holder.after_places, default=0)
    highlighted = frozenset(lefts) | frozenset(place + 1 for place in lefts)

    def piece(token: int) -> Piece:
        return Piece.of(run, token) if token >= 0 else Piece(-1, joined_name(run, *pair))

    before, highlighted = _around(
        [*map(piece, holder.before[: first + 2 * AROUND])], highlighted, first
    )
    after, highlighted_after = _around(
        [*map(piece, holder.after[: first_after + 2 * AROUND])],
        frozenset(holder.after_places),
        first_after,
    )
    is_rtl = word_runs_left(run, holder.word)
    return WordRow(
        holder.word,
        before,
        highlighted,
        after,
        highlighted_after,
        holder.count,
        holder.times,
        is_rtl,
    )


def _around(
    pieces: Sequence[Piece], highlighted: frozenset[int], first: int
) -> tuple[tuple[Piece, ...], frozenset[int]]:
    """The part of a long word around the first highlighted token."""
    low = max(0, first - AROUND)
    cut = tuple(pieces[low : first + AROUND + 2])
    more = Piece(-1, "…")
    head = (more,) if low else ()
    tail = (more,) if low + len(cut) < len(pieces) else ()
    inside = [place for place in highlighted if low <= place < low + len(cut)]
    return (*head, *cut, *tail), frozenset(place - low + len(head) for place in inside)


def answer_token(run: Run, token: int, n_merges: int) -> TokenAnswer:
    """The derivation of a token, and its life up to a step."""
    from bpe_studio.engine.analysis.derivation import derive
    from bpe_studio.engine.analysis.token_life import token_life

    try:
        return TokenAnswer(
            run, token, n_merges, derive(run, token, MOST_NODES), token_life(run, token, n_merges)
        )
    except BpeError as error:
        return TokenAnswer(run, token, n_merges, trouble=str(error))


def answer_containing_words(run: Run, token: int, step: int) -> ContainingWordsAnswer:
    """The words that contain a token at a step."""
    from bpe_studio.engine.analysis.words_containing import words_with_token

    table = run.words_at(step)
    try:
        found = words_with_token(run, token, step, N_WORDS)
    except BpeError as error:
        return ContainingWordsAnswer(run, token, step, trouble=str(error))
    rows = []
    for word, count, n_times in zip(
        found.words.tolist(), found.counts.tolist(), found.times.tolist(), strict=True
    ):
        ids = table.cut(word, MOST_SYMBOLS)
        highlighted = frozenset(place for place, each in enumerate(ids) if each == token)
        first = min(highlighted, default=0)
        pieces = [Piece.of(run, each) for each in ids[: first + 2 * AROUND]]
        before, highlighted = _around(pieces, highlighted, first)
        rows.append(
            WordRow(
                word,
                before,
                highlighted,
                (),
                frozenset(),
                count,
                n_times,
                word_runs_left(run.at(step), word),
            )
        )
    return ContainingWordsAnswer(
        run, token, step, WordRows(tuple(rows), found.n_words, found.total)
    )


def answer_word(run: Run, word: int, step: int, n_merges: int) -> WordAnswer:
    """A word at a step, and those of the first `n_merges` merges that apply to it."""
    import numpy as np

    stage = run.at(step)
    layout = stage.layout
    start = int(layout.word_starts[word])
    stop = int(layout.word_starts[word + 1]) - 1
    gaps = stage.gaps[start + 1 : stop].copy()
    ranks = np.unique(gaps[gaps < n_merges])
    shown = ranks[:MOST_MERGES].tolist()
    columns = run.columns
    merges = [
        WordMerge(
            rank,
            Piece.of(run, int(columns.left[rank])),
            Piece.of(run, int(columns.right[rank])),
            Piece.of(run, run.token_of(rank)),
        )
        for rank in shown
    ]
    whole_at = None
    if stop - start == 1 or bool((gaps < n_merges).all()):
        whole_at = int(gaps.max()) + 1 if len(gaps) else 0
    table = run.words_at(step)
    ids = table.cut(word, MOST_SYMBOLS)
    n_tokens = table.n_tokens(word)
    cut = [Piece.of(run, each) for each in ids]
    if len(ids) < n_tokens:
        cut.append(Piece(-1, "…"))
    return WordAnswer(
        run,
        word,
        step,
        n_merges,
        int(stage.corpus.counts[word]),
        stop - start,
        n_tokens,
        tuple(cut),
        tuple(merges),
        len(ranks),
        whole_at,
        word_runs_left(stage, word),
    )


def word_runs_left(run: Run, word: int) -> bool:
    """Whether the text of a word of the corpus runs right to left."""
    return is_right_to_left(display_token(run.corpus.pre_token_bytes(word)))
