"""Explains why a text is cut at a place, by the tokens on both sides at every step and the merge
that would join them.

Each gap between two symbols of a pre-token has the rank of the merge that closes it, and the tokens
on both sides of an open gap change only when the outer end of one of them is closed. So the history
of a border is one pass outwards from it. The future of the last pair is estimated from its count in
the corpus: no merge increases the count of a pair of two existing tokens, so a pair that does not
occur, or that may not be merged, is a border until one of its tokens grows.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from itertools import chain

import numpy as np

from bpe_studio.engine.analysis.words_containing import merge_of, words_with_pair
from bpe_studio.engine.arguments import as_text, expect
from bpe_studio.engine.arrays import Int32Array
from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.run import Run
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.engine.text.special_text import specials_pattern
from bpe_studio.engine.training.candidates import are_allowed, is_new, left_out, refusal
from bpe_studio.engine.training.corpus_at_step import PairCounter
from bpe_studio.errors import VocabularyError


class BorderKind(Enum):
    """The kind of a border: between two tokens of one pre-token, between two pre-tokens, or at a
    special token.
    """

    pair = "pair"
    split = "split"
    special = "special"


class Obstacle(Enum):
    """The reason why further training would not merge a pair.

    unknown: one of the tokens is outside the alphabet. forbidden: the user forbids the pair.
    exists: another token has the text that it would make. refused: the options do not allow that
    token. absent: the pair does not occur in the corpus. rare: its count is below the minimum
    frequency.
    """

    unknown = "unknown"
    forbidden = "forbidden"
    exists = "exists"
    refused = "refused"
    absent = "absent"
    rare = "rare"


@dataclass(frozen=True)
class Meeting:
    """The two tokens on both sides of a border, for a range of steps.

    Attributes:
        left: internal id of the token before the border; `UNKNOWN` outside the alphabet.
        right: internal id of the token after the border.
        first_step: the first step at which the two are there.
        ended_by: the rank of the merge that changes one of them; `NEVER` for none in the run.
        takes_left: whether that merge makes the left token part of a longer one.
        takes_right: whether it makes the right token part of a longer one. Both may be true; if
            neither is, it merges the pair and closes the border.
        merge: the rank at which the run merges this pair, here or elsewhere; `NEVER` if it does
            not.
    """

    left: int
    right: int
    first_step: int
    ended_by: int
    takes_left: bool
    takes_right: bool
    merge: int

    @property
    def is_last(self) -> bool:
        """Whether it is the last pair at the border."""
        return not (self.takes_left or self.takes_right)


@dataclass(frozen=True)
class PairCount:
    """The occurrences of a pair at a step.

    Attributes:
        count: its occurrences in the corpus, weighted by the pre-tokens' counts.
        n_words: the number of distinct pre-tokens in which it occurs.
    """

    count: int = 0
    n_words: int = 0


@dataclass(frozen=True)
class Border:
    """The reason why there is a border, or why there is none any more.

    Attributes:
        step: the step.
        n_merges: the number of merges that are considered; the last step.
        kind: its kind. A border of the split or of a special token has no meetings, because no
            merge crosses it.
        meetings: the pairs of tokens on both sides, from step 0 on.
        at_step: the index of the pair at the step; -1 if the border is closed by then.
        closed_by: the rank of the merge that closes the border; `NEVER` for none in the run.
        now: the count of the pair of the step, at the step.
        at_end: the count of the last pair at the end of the run; all 0 if the run closes the
            border.
        obstacle: the reason why further training would not merge that last pair; `None` if it
            would.
        n_ahead: the number of allowed pairs that are more frequent than that last pair at the end
            of the run.
        n_tied: the number of other pairs that have the same count.
    """

    step: int
    n_merges: int
    kind: BorderKind
    meetings: tuple[Meeting, ...] = ()
    at_step: int = -1
    closed_by: int = NEVER
    now: PairCount = PairCount()
    at_end: PairCount = PairCount()
    obstacle: Obstacle | None = None
    n_ahead: int = 0
    n_tied: int = 0

    @property
    def pair(self) -> tuple[int, int] | None:
        """Internal ids of the two tokens at the step; `None` for none."""
        if self.at_step < 0:
            return None
        meeting = self.meetings[self.at_step]
        return meeting.left, meeting.right

    @property
    def rank(self) -> int | None:
        """The rank of the merge that closes the border; `None` for none in the run."""
        return None if self.closed_by == NEVER else self.closed_by

    @property
    def about_rank(self) -> int | None:
        """The estimated rank of the last pair in further training: after every more frequent pair.

        `None` if it has a rank, or would not be merged. The counts of other pairs fall meanwhile,
        and new tokens make new pairs, so this is an estimate. Measured on 40 MB of English, for
        pairs that came before twice the number of merges, it was within 15 % for nine of ten after
        8,000 merges, and up to 29 % too high after 500.
        """
        if self.kind is not BorderKind.pair or self.closed_by != NEVER or self.obstacle is not None:
            return None
        return self.n_merges + self.n_ahead


def why_border(
    run: Run,
    text: str,
    position: float,
    step: int | None = None,
    *,
    recognize_special: bool | None = None,
) -> Border:
    """The reason why a text is cut at a place at a step, or is no longer cut there.

    Args:
        run: the run.
        text: any text.
        position: the place of the border in code points; a fraction is a share of a character's
            bytes.
        step: how many merges apply; `None` for all.
        recognize_special: whether the text of a special token becomes that token, and is not text
            like any other; `None`: as in `Tokenizer.encode`.

    Raises:
        VocabularyError: there is no such step, or the place is not between two symbols.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> config = TrainingConfig.preset("textbook", merges=3)
    >>> run = train(Corpus.from_counts(counts, config), config)
    >>> border = why_border(run, "hugs", 3)
    >>> [run.token_name(token) for token in border.pair], border.now.count, border.now.n_words, border.about_rank
    (['hug', 's'], 5, 1, 4)
    >>> why_border(run, "hugs", 2, step=0).rank
    0
    """  # noqa: E501
    expect(run, Run, "give what train returns")
    text = as_text(text)
    n_merges = len(run.merges)
    step = n_merges if step is None else step
    run.check_step(step)
    run = run.at(step)
    segmenter = run.new_segmenter()
    if recognize_special is not None:
        segmenter.recognize_special(recognize_special)
    if segmenter.recognizes_special:
        specials = [
            match.span() for match in specials_pattern(run.config.all_special).finditer(text)
        ]
        for begin, end in specials:
            if position in (begin, end):
                return Border(step, n_merges, BorderKind.special)
            if begin < position < end:
                raise VocabularyError(
                    f"Place {position:g} of the text is inside the special token"
                    f" {text[begin:end]!r}"
                )
        cuts = [0, *chain.from_iterable(specials), len(text)]
        begin = max(place for place in cuts if place <= position)
        text = text[begin : min(place for place in cuts if place >= position)]
        position = position - begin
    live = EditableText(segmenter)
    live.set_text(text)
    border = live.border_at(position, step)
    if border is None:
        raise VocabularyError(
            f"No two symbols meet at place {position:g} of the text; "
            "give a place between two of its tokens, from the offsets of `encode`"
        )
    if border.is_of_split:
        return Border(step, n_merges, BorderKind.split)
    word = segmenter.word(border.piece)
    return explain_border(run, word.symbols, word.gaps, border.place, step, n_merges)


def explain_border(
    run: Run,
    symbols: Int32Array,
    gaps: Int32Array,
    place: int,
    step: int,
    n_merges: int | None = None,
) -> Border:
    """The reason why there is a border at a gap of a pre-token, or is none any more.

    It takes two passes over the corpus, so call it in a worker thread.

    Args:
        run: the run, or of two stages that of the step; it may grow meanwhile.
        symbols: (n,) int32, the pre-token's symbols.
        gaps: (n,) int32, the rank that closes the gap before each symbol.
        place: the symbol after the border, from 1 to n - 1.
        step: how many merges apply.
        n_merges: how many merges of the run to consider; `None` for all.

    Raises:
        VocabularyError: there is no such step, or no such gap.
    """
    if n_merges is None:
        n_merges = len(run.merges)
    n_merges = min(n_merges, run.end_of_stage)
    if not 0 <= step <= n_merges:
        raise VocabularyError(f"There is no step {step:,}; the run goes from 0 to {n_merges:,}")
    if not 0 < place < len(symbols):
        raise VocabularyError(
            f"There is no gap {place:,} in a pre-token of {len(symbols):,} symbols"
        )
    if gaps[place] < 0:
        raise VocabularyError(
            "There is no border between symbols that are one unknown token at every step"
        )
    meetings = meetings_at(run, symbols, gaps, place, n_merges)
    last = meetings[-1]
    at_step = -1
    if last.ended_by >= step:
        at_step = max(number for number, each in enumerate(meetings) if each.first_step <= step)
    now = _count(run, meetings[at_step], step) if at_step >= 0 else PairCount()
    border = Border(step, n_merges, BorderKind.pair, meetings, at_step, last.ended_by, now)
    if last.ended_by != NEVER:
        return border
    is_same = step == n_merges
    at_end = now if is_same else _count(run, last, n_merges)
    obstacle = _obstacle(run, (last.left, last.right), at_end.count, n_merges)
    n_ahead = 0
    n_tied = 0
    if obstacle is None:
        n_ahead, n_tied = _ahead(run, at_end.count, n_merges)
    return Border(
        step,
        n_merges,
        BorderKind.pair,
        meetings,
        at_step,
        NEVER,
        now,
        at_end,
        obstacle,
        n_ahead,
        n_tied,
    )


def meetings_at(
    run: Run, symbols: Int32Array, gaps: Int32Array, place: int, n_merges: int
) -> tuple[Meeting, ...]:
    """The pairs of tokens on both sides of a gap of a pre-token, from step 0 on; see
    `explain_border`.
    """
    n = len(symbols)
    step = 0

    def closing(gap: int) -> int:
        rank = int(gaps[gap]) if 0 < gap < n else NEVER
        return rank if rank < n_merges else NEVER

    # A gap of rank below 0 is closed at every step, between unknown symbols that form one token.
    first = place - 1
    end = place + 1
    while first > 0 and gaps[first] < 0:
        first -= 1
    while end < n and gaps[end] < 0:
        end += 1
    left = int(symbols[place - 1])
    right = int(symbols[place])
    meetings = []
    while True:
        low = closing(first)
        high = closing(end)
        across = closing(place)
        ended_by = min(low, high, across)
        goes_left = ended_by < across and low == ended_by
        goes_right = ended_by < across and high == ended_by
        merge = NEVER if UNKNOWN in (left, right) else merge_of(run, left, right, n_merges)
        meetings.append(Meeting(left, right, step, ended_by, goes_left, goes_right, merge))
        if not (goes_left or goes_right):
            return tuple(meetings)
        step = ended_by + 1
        if goes_left:
            left = run.token_of(ended_by)
            while first > 0 and gaps[first] < step:
                first -= 1
        if goes_right:
            right = run.token_of(ended_by)
            while end < n and gaps[end] < step:
                end += 1


def _count(run: Run, meeting: Meeting, step: int) -> PairCount:
    if UNKNOWN in (meeting.left, meeting.right):
        return PairCount()
    found = words_with_pair(run, meeting.left, meeting.right, step, 0)
    return PairCount(found.total, found.n_words)


def _obstacle(run: Run, pair: tuple[int, int], count: int, step: int) -> Obstacle | None:
    """The reason why further training from a step would not merge a pair with this count."""
    if UNKNOWN in pair:
        return Obstacle.unknown
    if left_out(run, step).get(pair) == "forbid":
        return Obstacle.forbidden
    if not is_new(run, pair, step):
        return Obstacle.exists
    if refusal(run, pair):
        return Obstacle.refused
    if count == 0:
        return Obstacle.absent
    return Obstacle.rare if count < run.config.min_frequency else None


def _ahead(run: Run, count: int, step: int) -> tuple[int, int]:
    """The number of allowed pairs that have a higher count at a step, and of others that have the
    same count.
    """
    found = PairCounter(run.layout, run.gaps, step).counts(count)
    counts = found.counts[are_allowed(run, found.pairs, step)]
    return int(np.count_nonzero(counts > count)), max(0, int(np.count_nonzero(counts == count)) - 1)
