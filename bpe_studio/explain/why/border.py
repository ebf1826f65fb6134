"""Why a text is cut at a place: the facts about a border, and the sentences that a panel shows.

The answer takes up to two passes over the corpus, so the window computes it in its thread pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bpe_studio.engine.options import REGEX, label_of
from bpe_studio.errors import BpeError
from bpe_studio.explain.facts import Fact
from bpe_studio.explain.merges import has_pairs
from bpe_studio.explain.names import display_name, display_text, elided, in_sentence, joined_name
from bpe_studio.explain.why.answers import N_WORDS, Piece, WordRows, word_rows_of_pair
from bpe_studio.explain.wording import merge_name, number, plural, times

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.border import Border, Meeting
    from bpe_studio.engine.arrays import Int32Array
    from bpe_studio.engine.encoding.segmentation import Word
    from bpe_studio.engine.run import Run

MOST_CHARACTERS = 24
MOST_TAKEN = 3
_NO_WORDS = WordRows()


@dataclass(frozen=True)
class BorderPlace:
    """The place of a border: in a word of the corpus, or in a text.

    Attributes:
        piece: the pre-token before the border; "" for a word of the corpus.
        place: the number of its symbols before the border; at a border of the split, all of them.
        following: the pre-token after a border of the split; "" for another border.
        word: the number of the word in the corpus; -1 for a text.
        cut: the pre-token with its gap ranks; None for a word of the corpus, and for a border of
            the split.
    """

    piece: str
    place: int
    following: str = ""
    word: int = -1
    cut: Word | None = None

    def gaps(self, run: Run) -> tuple[Int32Array, Int32Array]:
        """The symbols of the pre-token, and the rank that closes the gap before each.

        Args:
            run: the run; if it has two stages, the stage of the step.
        """
        if self.cut is not None:
            return self.cut.symbols, self.cut.gaps
        start = int(run.layout.word_starts[self.word])
        stop = int(run.layout.word_starts[self.word + 1]) - 1
        return run.layout.symbols[start:stop], run.gaps[start:stop]


class MeetingRow(NamedTuple):
    """Two tokens that meet at a border for some steps.

    Attributes:
        first_step: the first step at which they meet.
        left: the token before the border.
        right: the token after it.
        ended_by: the rank of the merge that ends this; -1 for none.
        then: a phrase about that merge.
    """

    first_step: int
    left: Piece
    right: Piece
    ended_by: int
    then: str


@dataclass(frozen=True)
class BorderAnswer:
    """Why there is a border, or why there is none any more.

    Attributes:
        run, place, step, n_merges: the question.
        border: the facts; None for a border of the split, and if there is `trouble`.
        sentence: the answer in a sentence.
        facts: the facts that support it.
        meetings: the tokens that meet there, from step 0 on.
        words: the words that contain the pair.
        pair: the two tokens that meet there at the step; None if none do.
        before, behind: the places of the previous and the next border of the same word at the step;
            0 for none.
        trouble: why there is no answer, or "".
    """

    run: Run
    place: BorderPlace
    step: int
    n_merges: int
    border: Border | None = None
    sentence: str = ""
    facts: tuple[Fact, ...] = ()
    meetings: tuple[MeetingRow, ...] = ()
    words: WordRows = _NO_WORDS
    pair: tuple[Piece, Piece] | None = None
    before: int = 0
    behind: int = 0
    trouble: str = ""


def answer_border(run: Run, place: BorderPlace, step: int, n_merges: int) -> BorderAnswer:
    """Why a text is cut at a place at a step; two passes over the corpus."""
    from bpe_studio.engine.analysis.border import explain_border
    from bpe_studio.engine.analysis.words_containing import words_with_pair

    stage = run.at(step)
    if place.following:
        return BorderAnswer(run, place, step, n_merges, sentence=_of_split(stage, place))
    try:
        border = explain_border(stage, *place.gaps(stage), place.place, step, n_merges)
        words = WordRows()
        pair = None
        if border.pair is not None:
            pair = Piece.of(run, border.pair[0]), Piece.of(run, border.pair[1])
            if min(border.pair) >= 0:
                found = words_with_pair(run, *border.pair, step, N_WORDS)
                words = word_rows_of_pair(stage, found, border.pair)
    except BpeError as error:
        return BorderAnswer(run, place, step, n_merges, trouble=str(error))
    meetings = tuple(_row(run, meeting) for meeting in border.meetings)
    facts = tuple(_facts(run, border))
    sentence = _sentence(stage, border)
    places = borders_of(run, place, step)
    before = max((each for each in places if each < place.place), default=0)
    behind = min((each for each in places if each > place.place), default=0)
    return BorderAnswer(
        run, place, step, n_merges, border, sentence, facts, meetings, words, pair, before, behind
    )


def borders_of(run: Run, place: BorderPlace, step: int) -> list[int]:
    """The places of all borders between tokens of a pre-token at a step."""
    gaps = place.gaps(run.at(step))[1]
    places: list[int] = (gaps[1:] >= step).nonzero()[0].tolist()
    return [each + 1 for each in places]


def pair_at(run: Run, place: BorderPlace, step: int, n_merges: int) -> tuple[Piece, Piece] | None:
    """The two tokens that meet at a border at a step; None if none do. Nothing is counted."""
    from bpe_studio.engine.analysis.border import meetings_at

    if place.following:
        return None
    stage = run.at(step)
    symbols, gaps = place.gaps(stage)
    n_merges = min(n_merges, stage.end_of_stage)
    if not 0 < place.place < len(symbols) or not step <= int(gaps[place.place]):
        return None
    meetings = meetings_at(run, symbols, gaps, place.place, n_merges)
    now = max(
        (meeting for meeting in meetings if meeting.first_step <= step),
        key=lambda each: each.first_step,
    )
    return Piece.of(run, now.left), Piece.of(run, now.right)


def _short(run: Run, token: int) -> str:
    return _named_text(display_name(run, token))


def _named_text(name: str) -> str:
    return in_sentence(elided(name, MOST_CHARACTERS))


def _joined(run: Run, left: int, right: int) -> str:
    return f"{_short(run, left)} + {_short(run, right)}"


def _of_split(run: Run, place: BorderPlace) -> str:
    from bpe_studio.engine.kernels.buffers import NEVER

    split = run.config.stages[-1].split
    what = (
        "regular expression of the settings"
        if split.startswith(REGEX)
        else f"split “{label_of('split', split)}”"
    )
    before, behind = (_named_text(display_text(each)) for each in (place.piece, place.following))
    until = "" if run.end_of_stage == NEVER else f" before step {number(run.end_of_stage)}"
    return f"The {what} separates {before} from {behind} here; no merge crosses a split{until}"


def _row(run: Run, meeting: Meeting) -> MeetingRow:
    from bpe_studio.engine.kernels.buffers import NEVER

    left = Piece.of(run, meeting.left)
    right = Piece.of(run, meeting.right)
    if meeting.ended_by == NEVER:
        return MeetingRow(meeting.first_step, left, right, -1, "the end of the run")
    made = _short(run, run.token_of(meeting.ended_by))
    if meeting.is_last:
        then = f"{merge_name(meeting.ended_by)} joins the two"
    else:
        sides = (meeting.left,) * meeting.takes_left + (meeting.right,) * meeting.takes_right
        taken = " and ".join(_short(run, side) for side in sides)
        then = f"{merge_name(meeting.ended_by)} takes {taken} into {made}"
    return MeetingRow(meeting.first_step, left, right, meeting.ended_by, then)


def _sentence(run: Run, border: Border) -> str:
    """The answer in one sentence."""
    last = border.meetings[-1]
    pair = _joined(run, last.left, last.right)
    if border.rank is not None and border.at_step < 0:
        return f"No border at step {number(border.step)}: {merge_name(border.rank)} joined {pair}"
    if border.rank is not None:
        return f"{merge_name(border.rank).capitalize()} removes this border: it joins {pair}"
    if not has_pairs(run):
        return f"This tokenizer never merges {pair}; without its text, the pair cannot be counted"
    why = _obstacle(run, border)
    if why:
        return f"Further training would not merge {pair}: {why}"
    n = border.at_end.count
    n_words = border.at_end.n_words
    return (
        f"This run does not merge {pair}. At its end the pair occurs {times(n)} in"
        f" {plural(n_words, 'word')}; it would be about {merge_name(border.about_rank or 0)}"
    )


def _obstacle(run: Run, border: Border) -> str:
    """Why further training would not merge the last pair, or ""."""
    from bpe_studio.engine.analysis.border import Obstacle
    from bpe_studio.engine.training.candidates import refusal

    pair = border.meetings[-1].left, border.meetings[-1].right
    made = _named_text(joined_name(run, *pair)) if min(pair) >= 0 else ""
    if border.obstacle is Obstacle.refused:
        return refusal(run, pair)
    texts = {
        Obstacle.unknown: "one of the two is outside the alphabet of this run",
        Obstacle.forbidden: "the pair is forbidden",
        Obstacle.exists: f"a token or special token {made} exists already",
        Obstacle.absent: "the two never occur next to each other in the corpus",
        Obstacle.rare: (
            f"it occurs {times(border.at_end.count)} at the end of the run, below the minimum"
            f" frequency of {number(run.config.min_frequency)}"
        ),
    }
    return "" if border.obstacle is None else texts[border.obstacle]


def _facts(run: Run, border: Border) -> list[Fact]:
    """The facts that support the sentence."""
    facts = []
    pair = border.pair
    last = border.meetings[-1]
    if pair is not None and min(pair) >= 0 and has_pairs(run):
        n = border.now.count
        words = plural(border.now.n_words, "word")
        occurs = f"{times(n)} in {words}" if n else "never"
        text = f"{_joined(run, *pair)}: {occurs}"
        tip = (
            "How often this pair occurs in the corpus at this step, and in how many distinct words"
        )
        facts.append(Fact("occurs", text, tip))
    for meeting in _taken_first(border)[:MOST_TAKEN]:
        taken = meeting.left if meeting.takes_left else meeting.right
        made = _short(run, run.token_of(meeting.ended_by))
        own = _joined(run, meeting.left, meeting.right)
        text = (
            f"{_short(run, taken)} had already gone into {made} ({merge_name(meeting.ended_by)}), "
            f"so {own} ({merge_name(meeting.merge)}) came too late"
        )
        if meeting.merge == meeting.ended_by:
            text = (
                f"{merge_name(meeting.merge)} ({own}) used {_short(run, taken)} in the pair next"
                " to it"
            )
        facts.append(Fact("earlier merge", text, "An earlier merge used one of the two tokens"))
    if border.about_rank is not None and has_pairs(run):
        others = f", and {number(border.n_tied)} as often" if border.n_tied else ""
        which = ""
        if border.pair is not None and border.pair != (last.left, last.right):
            which = f" than {_joined(run, last.left, last.right)}"
        ahead = plural(border.n_ahead, "pair occurs", "pairs occur")
        text = (
            f"about {merge_name(border.about_rank)}: at the end of the run {ahead} more"
            f" often{which}{others}"
        )
        tip = (
            "One more merge for each pair that is more frequent at the end of the run. Counts"
            " change as training goes on, so the estimate may be off by a third; a longer run gives"
            " a better one"
        )
        facts.append(Fact("estimate", text, tip))
    return facts


def _taken_first(border: Border) -> list[Meeting]:
    """The meetings whose pair the run merges elsewhere but not here, the last one first."""
    from bpe_studio.engine.kernels.buffers import NEVER

    return [
        meeting
        for meeting in reversed(border.meetings)
        if not meeting.is_last and meeting.merge != NEVER
    ]
