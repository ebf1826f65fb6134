"""The data of a range of steps: its merges, and the tokens of a text and of words at each of its steps.

The data is small and does not change while the run trains on. Texts and words are stored as the tokens of the first
step with the rank that closes the gap before each, so that every step is one comparison. This module does not know how
a range is shown, as a page or as pictures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.engine.encoding.cut import cut_at
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.presets import TIE_RULES
from bpe_studio.errors import SaveError

if TYPE_CHECKING:
    from bpe_studio.engine.arrays import BoolArray, FloatArray, Int64Array
    from bpe_studio.engine.run import Run


MOST_WORDS = 1000
MOST_CHARACTERS = 200_000
MOST_SYMBOLS = 300
"""How many symbols of a word are included; a word may be as long as the corpus."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """The tokens of a text at the first step of the range, which its merges join.

    Attributes:
        ids: (n,) int64, internal token ids; below 0 for symbols outside the alphabet.
        gaps: (n,) int64, the rank of the merge in the range that closes the gap before each; `NEVER` for none.
    """

    ids: Int64Array
    gaps: Int64Array

    def __len__(self) -> int:
        return len(self.ids)

    def firsts(self, step: int) -> Int64Array:
        """(t,) int64, the index of the first piece of each token at a step."""
        return cut_at(self.gaps, step).firsts

    def n_tokens(self, step: int) -> int:
        """The number of tokens at a step."""
        return int(np.count_nonzero(self.gaps >= step))

    def tokens(self, step: int, n_alphabet: int) -> Int64Array:
        """(t,) int64, the internal ids of the tokens at a step."""
        return cut_at(self.gaps, step).ids(self.ids, n_alphabet)

    def joining(self, step: int, after: int) -> BoolArray:
        """(t,) bool, whether each token at a step is merged with a neighbour before a later step."""
        gaps = self.gaps[self.firsts(step)]
        closes = gaps < after
        return np.asarray(closes | np.append(closes[1:], False)) if len(gaps) else np.zeros(0, np.bool_)

    def joined(self, before: int, step: int) -> BoolArray:
        """(t,) bool, whether each token at a step was made after an earlier one."""
        return np.asarray(cut_at(self.gaps, step).last_ranks >= max(0, before))


@dataclass(frozen=True, eq=False)
class StepRangeWord:
    """One word of the corpus.

    Attributes:
        content: its UTF-8 bytes.
        count: how often it occurs.
        pieces: its tokens.
        is_cut_off: whether it is longer than the pieces.
    """

    content: bytes
    count: int
    pieces: Pieces
    is_cut_off: bool


@dataclass(frozen=True)
class StepRangeMerge:
    """One merge, for display: token ids, its count, how many pairs tied, and what decided."""

    rank: int
    left: int
    right: int
    token: int
    count: int
    tied: int
    forced: bool
    n_tokens: int
    why: str


@dataclass(frozen=True, eq=False)
class StepRange:
    """The data of a run between two steps.

    Attributes:
        corpus_name: the name of the corpus.
        first: the first step.
        last: the last step.
        every: how many merges one step forward is.
        n_alphabet: the number of initial symbols.
        vocab_size: at the first step.
        n_corpus_tokens: tokens in the whole corpus at the first step.
        has_counts: whether the merges were counted in this corpus.
        merges: the merges of the range.
        text: the text; "" for none.
        pieces: the tokens of the text.
        starts: (n,) float64, the start of each piece in the text, in code points; a fraction is a share of a
            character's bytes.
        ends: (n,) float64, their ends.
        words: the most frequent words.
        are_words_changing: whether words that no merge of the range changes were left out.
    """

    corpus_name: str
    first: int
    last: int
    every: int
    n_alphabet: int
    vocab_size: int
    n_corpus_tokens: int
    has_counts: bool
    merges: tuple[StepRangeMerge, ...]
    text: str
    pieces: Pieces
    starts: FloatArray
    ends: FloatArray
    words: tuple[StepRangeWord, ...]
    are_words_changing: bool

    @cached_property
    def stops(self) -> tuple[int, ...]:
        """The steps to show: the first, every n-th after it, and the last."""
        return (*range(self.first, self.last, self.every), self.last)

    def merge(self, rank: int) -> StepRangeMerge:
        """One of its merges, by rank."""
        return self.merges[rank - self.first]

    def vocab_size_at(self, step: int) -> int:
        """Alphabet, merges and special tokens at a step."""
        return self.vocab_size + step - self.first

    def spans_at(self, step: int) -> tuple[FloatArray, FloatArray]:
        """The starts and ends of the text's tokens at a step."""
        firsts = self.pieces.firsts(step)
        lasts = np.append(firsts[1:], len(self.pieces)) - 1
        return self.starts[firsts], self.ends[lasts] if len(firsts) else np.zeros(0)


def take_step_range(
    run: Run,
    first: int,
    last: int,
    *,
    every: int = 1,
    text: str = "",
    n_words: int = 0,
    changing: bool = False,
    corpus_name: str = "",
) -> StepRange:
    """The data of a range of steps of a run; safe in any thread, also while the run trains.

    Args:
        run: the run.
        first: the first step.
        last: the last step, after the first and within the run.
        every: how many merges one step forward is.
        text: a text to show.
        n_words: how many of the most frequent words to show.
        changing: whether to take only words that a merge of the range changes.
        corpus_name: the name of the corpus.

    Raises:
        SaveError: there is no merge between the steps, or the text is too long.
    """
    check_steps(run, first, last)
    if len(text) > MOST_CHARACTERS:
        raise SaveError(
            f"The text has {len(text):,} characters, and at most {MOST_CHARACTERS:,} can be exported: type fewer"
        )
    pieces, starts, ends = _text_pieces(run, text, first, last)
    has_counts = len(run.corpus) > 0
    return StepRange(
        corpus_name=corpus_name,
        first=first,
        last=last,
        every=max(1, every),
        n_alphabet=run.n_alphabet,
        vocab_size=run.vocab_size_at(first),
        n_corpus_tokens=run.n_tokens_at(first),
        has_counts=has_counts,
        merges=_merges(run, first, last, has_counts),
        text=text,
        pieces=pieces,
        starts=starts,
        ends=ends,
        words=_words(run, first, last, min(n_words, MOST_WORDS), changing),
        are_words_changing=changing,
    )


def check_steps(run: Run, first: int, last: int) -> None:
    """Make sure that there is a merge between two steps.

    Raises:
        SaveError: there is none.
    """
    n_merges = len(run.columns)
    if not 0 <= first < last <= n_merges:
        raise SaveError(
            f"There is no merge between step {first:,} and step {last:,} of {n_merges:,}: choose a later last step"
        )


def what_decided(run: Run, rank: int) -> str:
    """What decided a merge, according to its record: the user, counts, or the tie rule."""
    columns = run.columns
    if rank < run.n_seed:
        return "the tokenizer, to which this merge belongs"
    if bool(columns.forced[rank]):
        return "an override that forces this merge"
    tied = int(columns.tied[rank])
    if tied > 1:
        rule = run.plan.ties_at(rank)
        return f"a tie of {tied:,} pairs: the tie rule takes {TIE_RULES.get(rule, rule)}"
    is_free = not run.plan.skipped_at(rank) and not run.plan.forbidden_at(rank)
    return f"the count: no other pair{'' if is_free else ' that may be merged'} occurred as often"


def names_of(step_range: StepRange, name: Callable[[int], str]) -> dict[int, str]:
    """The names of all tokens in a range of steps, by id; unknown tokens have none.

    Args:
        step_range: the range.
        name: gives the name of a token in the window.
    """
    ids = {
        int(token)
        for pieces in (step_range.pieces, *(word.pieces for word in step_range.words))
        for token in pieces.ids
    }
    for merge in step_range.merges:
        ids.update((merge.left, merge.right, merge.token))
    return {token: name(token) for token in sorted(ids) if token >= 0}


def _merges(run: Run, first: int, last: int, has_counts: bool) -> tuple[StepRangeMerge, ...]:
    columns = run.columns
    rows = zip(
        *(
            column[first:last].tolist()
            for column in (
                columns.left, columns.right, columns.count, columns.tied, columns.forced, columns.n_tokens
            )
        ),
        strict=True,
    )  # fmt: skip
    return tuple(
        StepRangeMerge(
            rank, left, right, run.n_alphabet + rank, count, tied, forced, n_tokens,
            what_decided(run, rank) if has_counts else "it came with the tokenizer: its counts are not known",
        )
        for rank, (left, right, count, tied, forced, n_tokens) in enumerate(rows, first)
    )  # fmt: skip


def _text_pieces(run: Run, text: str, first: int, last: int) -> tuple[Pieces, FloatArray, FloatArray]:
    from bpe_studio.engine.encoding.editable_text import EditableText

    # A segmenter of its own, because the run's belongs to the window's thread.
    segmenter = run.new_segmenter()
    live = EditableText(segmenter)
    live.set_text(text)
    gaps = segmenter.text_gaps(text).gaps.astype(np.int64)
    spans = live.tokens(first)
    return Pieces(spans.ids, _within(gaps[gaps >= first], last)), spans.starts, spans.ends


def _words(run: Run, first: int, last: int, n: int, changing: bool) -> tuple[StepRangeWord, ...]:
    corpus, layout = run.corpus, run.layout
    if not len(corpus) or n < 1:
        return ()
    among = np.arange(len(corpus))
    if changing:
        places = np.flatnonzero((run.gaps >= first) & (run.gaps < last))
        among = np.unique(layout.words_of(places))
    numbers = among[np.argsort(-np.asarray(corpus.counts)[among], kind="stable")[:n]]
    found = []
    for number in map(int, numbers):
        start, end = int(layout.word_starts[number]), int(layout.word_starts[number + 1]) - 1
        stop = min(end, start + MOST_SYMBOLS)
        tokens = run.tokens_at(first, start, stop)
        gaps = _within(run.gaps[tokens.starts].astype(np.int64), last)
        gaps[:1] = NEVER
        content = corpus.pre_token_bytes(number)
        found.append(
            StepRangeWord(content, int(corpus.counts[number]), Pieces(tokens.ids.astype(np.int64), gaps), stop < end)
        )
    return tuple(found)


def _within(gaps: Int64Array, last: int) -> Int64Array:
    """The same ranks, with `NEVER` for gaps that are closed after the range."""
    return np.where(gaps >= last, NEVER, gaps)
