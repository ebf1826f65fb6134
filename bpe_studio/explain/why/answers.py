"""The answers to "why": of a pair, a token and a word, gathered from a run in the form that a panel shows.

Each is a pass over the corpus or two, so the window has them made in its thread pool. What cannot be answered is said
in `trouble` and never raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.errors import BpeError
from bpe_studio.explain.names import display_name, display_token, is_right_to_left, isolated
from bpe_studio.explain.wording import number, times

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.decision import Decision
    from bpe_studio.engine.analysis.derivation import Derivation
    from bpe_studio.engine.analysis.token_life import TokenLife
    from bpe_studio.engine.analysis.words_containing import WordsWithPair, WordWithPair
    from bpe_studio.engine.run import Run

N_WORDS = 200
MOST_SYMBOLS = 300
"""How many of a word's symbols are cut."""
AROUND = 12
"""How many tokens of a long word are shown before and after what is highlighted in it."""
MOST_MERGES = 200


class Piece(NamedTuple):
    """A token as it is shown: its internal id, -1 for none, and what it is called."""

    token: int
    name: str


def plain_names(pieces: Sequence[Piece], run: Run | None) -> list[str]:
    """Tokens as logs write them, where the run is there that they are of."""
    n = 0 if run is None else run.n_alphabet + len(run.merges)
    return [run.token_name(each.token) if run is not None and 0 <= each.token < n else each.name for each in pieces]


@dataclass(frozen=True)
class WordRow:
    """A word in a table of words.

    Attributes:
        word: its number.
        before: its tokens as it is cut, or those around what is highlighted.
        lit: which of them are highlighted.
        after: its tokens with the pair merged; empty where no pair is in question.
        lit_after: which of those are highlighted.
        count: how often the word occurs in the corpus.
        times: how often the pair or the token occurs in the word.
        is_rtl: whether the word runs to the left, whatever its tokens are: bytes alone do not tell.
    """

    word: int
    before: tuple[Piece, ...]
    lit: frozenset[int]
    after: tuple[Piece, ...]
    lit_after: frozenset[int]
    count: int
    times: int
    is_rtl: bool = False


@dataclass(frozen=True)
class WordRows:
    """The words that contain something: the most frequent ones, how many there are, how often it occurs in all."""

    rows: tuple[WordRow, ...] = ()
    n_words: int = 0
    total: int = 0


@dataclass(frozen=True)
class PairAnswer:
    """Why a pair is merged at a step, or is not.

    Attributes:
        run, step, pair: what was asked; `pair` is the one that was asked for, or the winner where none was.
        decision: why the step's merge is what it is; None where the pair's tokens are not there.
        made: the token that the run makes of the pair, -1 where it never does.
        rank: the merge that does; -1 for none.
        words: the words that contain it.
        names: what the tokens in question are called.
        trouble: why there is no answer, or "".
    """

    run: Run
    step: int
    pair: tuple[int, int] | None
    decision: Decision | None = None
    made: int = -1
    rank: int = -1
    words: WordRows = WordRows()
    names: Names | None = None
    trouble: str = ""

    @property
    def is_winner(self) -> bool:
        """Whether the pair is the one that the step merges."""
        winner = self.decision.winner if self.decision is not None else None
        return winner is not None and (winner.left, winner.right) == self.pair


@dataclass(frozen=True)
class TokenAnswer:
    """What does not depend on the step of a token: how it was made, and its life up to `n_merges`."""

    run: Run
    token: int
    n_merges: int
    derivation: Derivation | None = None
    life: TokenLife | None = None
    names: Names | None = None
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
    """A merge that a word takes: its rank, the two tokens and what it makes."""

    rank: int
    left: Piece
    right: Piece
    made: Piece


@dataclass(frozen=True)
class WordAnswer:
    """A word at a step, and the merges that it takes in the run.

    Attributes:
        run, word, step, n_merges: what was asked.
        count: how often it occurs in the corpus.
        n_symbols: how many symbols it has.
        n_tokens: how many tokens it is cut into at the step.
        cut: those tokens, or the first of them.
        merges: by rank, at most `MOST_MERGES`.
        n_merges_here: how many there are.
        whole_at: the step from which on it is one token; None where it never is in this run.
        is_rtl: whether it runs to the left.
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


class Names:
    """What the tokens of a run are called, each looked up once."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._known: dict[int, str] = {}

    def of(self, token: int) -> str:
        """What a token is called."""
        name = self._known.get(token)
        if name is None:
            name = self._known[token] = display_name(self.run, token)
        return name

    def piece(self, token: int) -> Piece:
        """A token with its name."""
        return Piece(token, self.of(token))

    def joined(self, left: int, right: int) -> str:
        """What two tokens make together would be called; the run need not have it."""
        run = self.run
        if run.config.units == "bytes" and not run.config.word_end and not run.config.continuing:
            return display_token(run.token_content(left) + run.token_content(right))
        return self.of(left) + self.of(right).removeprefix(run.config.continuing or "")


def answer_pair(run: Run, pair: tuple[int, int] | None, step: int) -> PairAnswer:
    """Why a pair is merged at a step, or is not; without one, why the pair is that is merged there."""
    from bpe_studio.engine.analysis.decision import decide
    from bpe_studio.engine.analysis.words_containing import words_with_pair

    names = Names(run)
    try:
        decision = decide(run, step)
        if pair is None and decision.winner is not None:
            pair = decision.winner.left, decision.winner.right
        if pair is None:
            return PairAnswer(run, step, None, decision, names=names, trouble=_nothing_left(run, step, names))
        found = words_with_pair(run, *pair, step, N_WORDS)
    except BpeError as error:
        return PairAnswer(run, step, pair, names=names, trouble=str(error))
    made, words = found.made, word_rows_of_pair(names, found, pair)
    for candidate in (decision.winner, decision.runner_up, *decision.tied[:2], *decision.choices.values()):
        if candidate is not None:
            # Asked for now, so that the window finds them.
            names.of(candidate.left), names.of(candidate.right)
    return PairAnswer(run, step, pair, decision, made, made - run.n_alphabet if made >= 0 else -1, words, names)


def word_rows_of_pair(names: Names, found: WordsWithPair, pair: tuple[int, int]) -> WordRows:
    """The words that contain a pair, as rows before and after the merge."""
    return WordRows(tuple(_pair_row(names, holder, pair) for holder in found.words), found.n_words, found.total)


def _nothing_left(run: Run, step: int, names: Names) -> str:
    best = next(iter(run.candidates_at(step, 1)), None)
    if best is None:
        return "No pair is left: every word is a single token"
    least = run.config.min_frequency
    pair = f"{isolated(names.of(best.left))} + {isolated(names.of(best.right))}"
    if best.count < least:
        return f"Nothing is merged: {pair} occurs {times(best.count)}, below the minimum frequency of {number(least)}"
    return f"Nothing is merged, though {pair} occurs {times(best.count)}"


def _pair_row(names: Names, holder: WordWithPair, pair: tuple[int, int]) -> WordRow:
    lefts = holder.before_places
    first, first_after = min(lefts, default=0), min(holder.after_places, default=0)
    lit = frozenset(lefts) | frozenset(place + 1 for place in lefts)

    def piece(token: int) -> Piece:
        return names.piece(token) if token >= 0 else Piece(-1, names.joined(*pair))

    before, lit = _around([*map(piece, holder.before[: first + 2 * AROUND])], lit, first)
    after, lit_after = _around(
        [*map(piece, holder.after[: first_after + 2 * AROUND])], frozenset(holder.after_places), first_after
    )
    is_rtl = word_runs_left(names.run, holder.word)
    return WordRow(holder.word, before, lit, after, lit_after, holder.count, holder.times, is_rtl)


def _around(
    pieces: Sequence[Piece], lit: frozenset[int], first: int
) -> tuple[tuple[Piece, ...], frozenset[int]]:  # fmt: skip
    """What is to be shown of a long word, around the first place that is highlighted."""
    low = max(0, first - AROUND)
    cut = tuple(pieces[low : first + AROUND + 2])
    more = Piece(-1, "…")
    head, tail = (more,) if low else (), (more,) if low + len(cut) < len(pieces) else ()
    return (*head, *cut, *tail), frozenset(
        place - low + len(head) for place in lit if low <= place < low + len(cut)
    )  # fmt: skip


def answer_token(run: Run, token: int, n_merges: int) -> TokenAnswer:
    """How a token was made, and its life up to a step."""
    from bpe_studio.engine.analysis.derivation import derive
    from bpe_studio.engine.analysis.token_life import token_life

    names = Names(run)
    try:
        derivation, life = derive(run, token), token_life(run, token, n_merges)
    except BpeError as error:
        return TokenAnswer(run, token, n_merges, names=names, trouble=str(error))
    for each in (*(node.token for node in derivation.nodes), *(absorber.token for absorber in life.absorbed_by)):
        names.of(each)
    return TokenAnswer(run, token, n_merges, derivation, life, names)


def answer_containing_words(run: Run, token: int, step: int) -> ContainingWordsAnswer:
    """The words that contain a token at a step."""
    from bpe_studio.engine.analysis.words_containing import words_with_token

    names, table = Names(run), run.words_at(step)
    try:
        found = words_with_token(run, token, step, N_WORDS)
    except BpeError as error:
        return ContainingWordsAnswer(run, token, step, trouble=str(error))
    rows = []
    for word, count, n_times in zip(found.words.tolist(), found.counts.tolist(), found.times.tolist(), strict=True):
        ids = table.cut(word, MOST_SYMBOLS)
        lit = frozenset(place for place, each in enumerate(ids) if each == token)
        first = min(lit, default=0)
        pieces = [*map(names.piece, ids[: first + 2 * AROUND])]
        before, lit = _around(pieces, lit, first)
        rows.append(WordRow(word, before, lit, (), frozenset(), count, n_times, word_runs_left(run, word)))
    return ContainingWordsAnswer(run, token, step, WordRows(tuple(rows), found.n_words, found.total))


def answer_word(run: Run, word: int, step: int, n_merges: int) -> WordAnswer:
    """A word at a step, and the merges that it takes among the first `n_merges`."""
    import numpy as np

    names, layout = Names(run), run.layout
    start, stop = int(layout.word_starts[word]), int(layout.word_starts[word + 1]) - 1
    gaps = run.gaps[start + 1 : stop].copy()
    ranks = np.unique(gaps[gaps < n_merges])
    shown = ranks[:MOST_MERGES].tolist()
    columns, n_alphabet = run.columns, run.n_alphabet
    merges = tuple(
        WordMerge(
            rank,
            names.piece(int(columns.left[rank])),
            names.piece(int(columns.right[rank])),
            names.piece(n_alphabet + rank),
        )
        for rank in shown
    )
    is_whole = stop - start == 1 or bool((gaps < n_merges).all())
    whole_at = (int(gaps.max()) + 1 if len(gaps) else 0) if is_whole else None
    table = run.words_at(step)
    ids, n_tokens = table.cut(word, MOST_SYMBOLS), table.n_tokens(word)
    cut = tuple(map(names.piece, ids)) + ((Piece(-1, "…"),) if len(ids) < n_tokens else ())
    return WordAnswer(
        run,
        word,
        step,
        n_merges,
        int(run.corpus.counts[word]),
        stop - start,
        n_tokens,
        cut,
        merges,
        len(ranks),
        whole_at,
        word_runs_left(run, word),
    )


def word_runs_left(run: Run, word: int) -> bool:
    """Whether a word of the corpus runs to the left; its text says so, also where its tokens are bytes."""
    return is_right_to_left(display_token(run.corpus.pre_token_bytes(word)))
