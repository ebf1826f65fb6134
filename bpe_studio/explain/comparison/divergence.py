"""Why two runs diverge, in plain sentences with the numbers.

Nothing is computed here: counts, causes and words come from `engine/analysis/divergence.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING

from bpe_studio.engine.tie_rules import TIE_RULES
from bpe_studio.explain.names import (
    LEFT_OUT,
    display_log_name,
    elided,
    is_right_to_left,
    override_text,
    short_name,
)
from bpe_studio.explain.settings import setting_name, value_words
from bpe_studio.explain.wording import merge_name, number, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.analysis.divergence import Divergence, DivergenceSide
    from bpe_studio.engine.analysis.divergence_words import WordCut
    from bpe_studio.engine.config import TrainingConfig
    from bpe_studio.engine.run import Run

MOST_TOKENS = 10
AROUND = 3
"""The number of tokens on each side of the pair that are shown of a long word."""
_HEADLINES = {
    "end": "One run ends here",
    "frequency": "In one run no pair is frequent enough",
    "override": "An override decides, whatever the counts",
    "ties": "The runs break a tie differently",
    "special": "One run excludes the text of a special token",
    "pieces": "One run does not allow this piece",
    "weights": "The files have other weights",
    "cleaning": "One run leaves out a part of the text",
    "normalization": "The text is normalized differently before it is counted",
    "cut": "The text is split into words differently",
    "alphabet": "The runs have different alphabets",
    "together": "Several settings make the counts differ",
}
_BECAUSE = {
    "weights": "the same text counts more or less",
    "cleaning": "the counted text is not the same",
    "normalization": "the counted text is not the same",
    "cut": "no merge crosses a split, and a pair is counted only inside a word",
    "alphabet": "one symbol in one run may be several symbols, or a different one, in the other",
    "together": "which of them it is, is not known",
}


@dataclass(frozen=True)
class CutWord:
    """A word that shows the divergence.

    Attributes:
        cuts: for A and B, the tokens of each pre-token, as they are shown.
        pairs: for A and B, the number of times that the word contains the pair.
        times: the count of the word.
        highlighted: for A and B, the indices of the tokens that form the pair, counted through all
            pre-tokens.
        is_rtl: whether the word runs right to left.
        text: the word.
        names: for A and B, its tokens in the spelling of logs.
    """

    cuts: tuple[tuple[tuple[str, ...], ...], tuple[tuple[str, ...], ...]]
    pairs: tuple[int, int]
    times: int
    highlighted: tuple[frozenset[int], frozenset[int]]
    is_rtl: bool
    text: str
    names: tuple[tuple[str, ...], tuple[str, ...]]


@dataclass(frozen=True)
class DivergenceWording:
    """A divergence in words.

    Attributes:
        headline: the cause in a few words.
        sentences: the reason, in a sentence about each run or both.
        about_words: a title for the words, with the pair that they contain; "" without words.
        rows: words that show the divergence.
    """

    headline: str
    sentences: tuple[str, ...]
    about_words: str = ""
    rows: tuple[CutWord, ...] = ()


def describe_divergence(
    divergence: Divergence, runs: tuple[Run, Run], configs: tuple[TrainingConfig, TrainingConfig]
) -> DivergenceWording:
    """Put a divergence into words.

    Args:
        divergence: the result of the engine.
        runs: A and B.
        configs: their settings, each with its first tie rule.
    """
    sides = divergence.a, divergence.b
    pairs = [_pair(run, side, divergence.rank) for run, side in zip(runs, sides, strict=True)]
    if (
        len({sides[0].own_count, sides[0].other_count, sides[1].own_count, sides[1].other_count})
        == 1
    ):
        count = times(sides[0].own_count or 0)
        said = [
            f"A merges {pairs[0]} and B merges {pairs[1]}: each of the two pairs occurs {count} in"
            " both runs."
        ]
    else:
        said = [_taken(k, divergence.rank, sides[k], pairs) for k in (0, 1)]
    said.append(_why(divergence, configs, pairs))
    if str(divergence.cause) in _BECAUSE and divergence.settings:
        said.append(
            f"Cause: {_settings(divergence.settings, configs)}; {_BECAUSE[str(divergence.cause)]}."
        )
    about = ""
    rows = tuple[CutWord, ...]()
    if divergence.words:
        shown = "ab".index(divergence.shown)
        about = f"Words in which {pairs[shown]} is counted differently"
        merge = sides[shown].merge
        pair = ("", "") if merge is None else (merge.left, merge.right)
        rows = tuple(_cut_word(each, shown, pair, configs) for each in divergence.words)
    return DivergenceWording(
        _HEADLINES[str(divergence.cause)], tuple(filter(None, said)), about, rows
    )


def _taken(k: int, rank: int, side: DivergenceSide, pairs: Sequence[str]) -> str:
    """A sentence about the pair that a run merges there, and the counts of both pairs in it."""
    letter = "AB"[k]
    other = "AB"[1 - k]
    if side.merge is None:
        return f"{letter} has no {merge_name(rank)}."
    forced = " (forced)" if side.merge.forced else ""
    own = f"{letter} merges {pairs[k]}{forced}, which occurs {times(side.own_count or 0)}"
    if not pairs[1 - k]:
        return f"{own}."
    if side.other_count is None:
        return f"{own}. {other}’s pair cannot occur in {letter}, which lacks one of its tokens."
    occurs = f"occurs {times(side.other_count)}" if side.other_count else "never occurs"
    return f"{own}. {other}’s pair, {pairs[1 - k]}, {occurs} in {letter}."


def _why(
    divergence: Divergence,
    configs: tuple[TrainingConfig, TrainingConfig],
    pairs: Sequence[str],
) -> str:
    """A sentence about what decided; "" if a setting makes the counts differ."""
    cause = str(divergence.cause)
    a = divergence.a
    b = divergence.b
    if cause == "ties" and a.ties != b.ties:
        return (
            "Where pairs occur equally often, the tie rule decides: "
            f"A takes {TIE_RULES[a.ties].words}, B {TIE_RULES[b.ties].words}."
        )
    if cause == "ties":
        behind = f": {_settings(divergence.settings, configs)}" if divergence.settings else ""
        return (
            f"Where pairs occur equally often, both take {TIE_RULES[a.ties].words}, "
            f"but this order differs between the runs{behind}."
        )
    if cause == "override":
        decided = [_decided(k, divergence, configs[k], pairs[1 - k]) for k in (0, 1)]
        return " ".join(filter(None, decided))
    if cause == "frequency":
        ended = next(k for k, side in enumerate((a, b)) if side.merge is None)
        least = number(max(1, configs[ended].min_frequency))
        return f"In {'AB'[ended]} no pair reaches the minimum frequency of {least}."
    if cause == "end":
        ended = next(k for k, side in enumerate((a, b)) if side.merge is None)
        return f"Up to here the merges are the same; {'AB'[ended]} is compared no further."
    if cause == "special":
        return "One run skips its pair, because the result would be the text of a special token."
    if cause == "pieces" and "split" not in divergence.settings:
        return "The settings of one run do not allow such a token."
    if cause == "pieces":
        return (
            "In the sentencepiece split, the mark before a word occurs only at the beginning of a"
            " piece."
        )
    return ""


def _decided(k: int, divergence: Divergence, config: TrainingConfig, others_pair: str) -> str:
    """A sentence about the override by which a run diverges from the other; "" for none."""
    side = (divergence.a, divergence.b)[k]
    letter = "AB"[k]
    if side.override is not None:
        return (
            f"Override in {letter} at {merge_name(divergence.rank)}:"
            f" {override_text(side.override, config)}."
        )
    if side.leaves_out:
        how = LEFT_OUT.get(side.leaves_out, side.leaves_out)
        return f"In {letter}, {'AB'[1 - k]}’s pair {others_pair} is {how}."
    if side.merge is not None and side.merge.forced:
        return f"The settings of {letter} force its merge."
    return ""


def _settings(names: Sequence[str], configs: tuple[TrainingConfig, TrainingConfig]) -> str:
    """Settings with the values of A and B: "split gpt2 in A, cl100k in B"."""
    a, b = configs
    said = (
        f"{setting_name(name).lower()} {value_words(a, name)} in A, {value_words(b, name)} in B"
        for name in names
    )
    return "; ".join(said)


def _pair(run: Run, side: DivergenceSide, rank: int) -> str:
    """The pair that a run merges there, as it is shown; "" for none."""
    if side.merge is None:
        return ""
    tokens = int(run.columns.left[rank]), int(run.columns.right[rank])
    # No line break inside a pair.
    return "\u00a0+\u00a0".join(short_name(run, token, 24) for token in tokens)


def _cut_word(
    word: WordCut, shown: int, pair: tuple[str, str], configs: tuple[TrainingConfig, TrainingConfig]
) -> CutWord:
    """A word as both runs cut it; of a long one, the part around the pair."""
    cuts = [_numbered(word.cut_a), _numbered(word.cut_b)]
    if _length(cuts[0]) == _length(cuts[1]):
        place = next((k for k, two in enumerate(_pairs(cuts[shown])) if two == pair), -1)
        if place >= 0 and max(map(len, cuts)) > MOST_TOKENS:
            first = _length(cuts[shown][: max(0, place - AROUND)])
            last = _length(cuts[shown][: place + 2 + AROUND])
            cuts = [_within(cut, first, last) for cut in cuts]
    return CutWord(
        (_grouped(cuts[0], configs[0]), _grouped(cuts[1], configs[1])),
        (word.times_a, word.times_b),
        word.count,
        (_places_of(pair, cuts[0]), _places_of(pair, cuts[1])),
        is_right_to_left(word.text),
        word.text,
        (tuple(chain.from_iterable(word.cut_a)), tuple(chain.from_iterable(word.cut_b))),
    )


def _numbered(pre_tokens: Sequence[Sequence[str]]) -> list[tuple[str, int]]:
    """Each token with the number of its pre-token."""
    numbered: list[tuple[str, int]] = []
    for k, names in enumerate(pre_tokens):
        numbered += [(name, k) for name in names]
    return numbered


def _length(cut: Sequence[tuple[str, int]]) -> int:
    return sum(len(name) for name, _ in cut)


def _pairs(cut: Sequence[tuple[str, int]]) -> list[tuple[str, str]]:
    """The two tokens at each gap, in the spelling of logs; ("", "") between two pre-tokens."""
    pairs = []
    for (one, k), (other, m) in pairwise(cut):
        pair = (one, other) if k == m else ("", "")
        pairs.append(pair)
    return pairs


def _places_of(pair: tuple[str, str], cut: Sequence[tuple[str, int]]) -> frozenset[int]:
    """The places of both tokens of a pair, wherever it occurs."""
    lefts = [k for k, two in enumerate(_pairs(cut)) if two == pair]
    return frozenset((*lefts, *(k + 1 for k in lefts)))


def _within(cut: Sequence[tuple[str, int]], first: int, last: int) -> list[tuple[str, int]]:
    """The tokens that overlap a part of the text, given in characters of their names."""
    found = []
    place = 0
    for name, k in cut:
        if place < last and place + len(name) > first:
            found.append((name, k))
        place += len(name)
    return found


def _grouped(cut: Sequence[tuple[str, int]], config: TrainingConfig) -> tuple[tuple[str, ...], ...]:
    """The tokens of each pre-token, as they are shown."""
    grouped = []
    for _, names in groupby(cut, lambda each: each[1]):
        grouped.append(tuple(elided(display_log_name(name, config), 40) for name, _ in names))
    return tuple(grouped)
