"""What the curves say about a choice of sizes, in plain sentences, each with the numbers that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from bpe_studio.explain.wording import number

if TYPE_CHECKING:
    from bpe_studio.explain.sizes.curves import Curves, Series

MOST_STRETCHES = 4
"""What more stretches save is told in one sentence, as each would only repeat the one before with other numbers."""
LITTLE = 0.01
"""A further stretch that saves less than this share of the tokens saves little."""
APART = 0.1
"""From this share on what the held-out part saves less than the corpus is worth a sentence."""


def stretch_of(n_merges: int) -> int:
    """How many merges a stretch has: a thousand, or fewer where the run has only few."""
    return next((per for per in (1000, 100, 10) if n_merges >= 2 * per), 1)


def saved_share(series: Series, first: int, last: int, per: int = 1000) -> float:
    """The share of the tokens at the first step that so many further merges save on average, up to the last step."""
    before, after = int(series.n_tokens[first]), int(series.n_tokens[last])
    return (before - after) / before * per / (last - first) if before and last > first else 0.0


def advice(curves: Curves | None, steps: Sequence[int]) -> list[str]:
    """What is to be said of the sizes at these steps.

    Args:
        curves: the curves of the run; None where there are none yet.
        steps: the chosen steps, in any order.
    """
    if curves is None or curves.n_merges < 1:
        return []
    chosen = sorted({min(step, curves.n_merges) for step in steps})
    per = stretch_of(curves.n_merges)
    stretches = list(pairwise(chosen))
    if len(stretches) > MOST_STRETCHES:
        lines = [_saves_less_and_less(curves, stretches, per)]
    else:
        lines = [_saves(curves, first, last, per) for first, last in stretches]
    if curves.knee is not None:
        lines.append(_bends(curves, curves.knee, per))
        lines.append(_depends_on_range(curves, curves.knee))
    lines.append(_parts(curves, chosen) if curves.held_out is not None else NOTHING_HELD_OUT)
    return lines


NOTHING_HELD_OUT = (
    "No text is held out, so these numbers are of the text that the merges were trained on; of other text they save "
    "less"
)


def _saves(curves: Curves, first: int, last: int, per: int) -> str:
    """What the merges between two sizes save; a stretch that is shorter than the usual one is told as a whole."""
    n = last - first
    sizes = f"etween {_size(curves, first)} and {_size(curves, last)}"
    if n >= per:
        text, per_told = f"B{sizes} a further {_merges(per)} saves", per
    else:
        merges = "The merge" if n == 1 else f"The {number(n)} merges"
        text, per_told = f"{merges} b{sizes} {'saves' if n == 1 else 'save'}", n
    text = f"{text} {_percent(saved_share(curves.corpus, first, last, per_told))} of the tokens"
    if curves.held_out is None:
        return text
    return f"{text}, of the held-out text {_percent(saved_share(curves.held_out, first, last, per_told))}"


def _saves_less_and_less(curves: Curves, stretches: Sequence[tuple[int, int]], per: int) -> str:
    """What the first and the last of many stretches save by one measure, and from where on it is little."""
    while per > 1 and per > min(last - first for first, last in stretches):
        per //= 10
    own = [saved_share(curves.corpus, first, last, per) for first, last in stretches]

    def told(number: int, of_what: str = "") -> str:
        first, last = stretches[number]
        text = f"{_percent(own[number])}{of_what} between {_size(curves, first)} and {_size(curves, last)}"
        if curves.held_out is None:
            return text
        return f"{text} (of the held-out text {_percent(saved_share(curves.held_out, first, last, per))})"

    text = f"A further {_merges(per)} saves {told(0, ' of the tokens')}, and {told(len(stretches) - 1)}"
    # From the last stretch back, as one that saves little may come before one that saves more.
    little = len(own)
    while little and own[little - 1] < LITTLE:
        little -= 1
    if not little or little == len(own):
        return text
    return f"{text}; from {_size(curves, stretches[little][0])} on it is less than {100 * LITTLE:g} %"


def _bends(curves: Curves, knee: int, per: int) -> str:
    text = f"The curve bends most at {_size(curves, knee)}, its knee"
    rest = curves.n_merges - knee
    if not knee or not rest:
        return text
    before = _percent(saved_share(curves.corpus, 0, knee, knee))
    told = min(per, rest)
    after = _percent(saved_share(curves.corpus, knee, curves.n_merges, told))
    merges = "merge up to there saves" if knee == 1 else "merges up to there save"
    return (
        f"{text}: the {'' if knee == 1 else f'{number(knee)} '}{merges} {before} of the tokens, and beyond it a "
        f"further {_merges(told) if told == per else f'{number(told)} merges'} {after}"
    )


def _depends_on_range(curves: Curves, knee: int) -> str:
    """What the knee depends on, and where the other one lies, so that neither is taken for a rule."""
    end = _size(curves, curves.n_merges)
    text = f"The knee depends on where the run ends, here at {end}: that of a longer run is later"
    if curves.log_knee is None or curves.log_knee == knee:
        return text
    return f"{text}; on a logarithmic scale of sizes it is {_size(curves, curves.log_knee)}"


def _parts(curves: Curves, chosen: Sequence[int]) -> str:
    assert curves.held_out is not None
    first, last = (chosen[0], chosen[-1]) if len(chosen) > 1 else (0, curves.n_merges)
    own = saved_share(curves.corpus, first, last, last - first)
    aside = saved_share(curves.held_out, first, last, last - first)
    sizes = f"From {_size(curves, first)} to {_size(curves, last)}"
    text = f"{sizes} the corpus shrinks by {_percent(own)}, the held-out text by {_percent(aside)}"
    if own > 0 and (own - aside) / own >= APART:
        return f"{text}: {_percent((own - aside) / own)} of what is saved fits this text only (overfitting)"
    return f"{text}: the merges fit other text of this kind too"


def _size(curves: Curves, step: int) -> str:
    return number(curves.base + step)


def _merges(per: int) -> str:
    words = {1000: "thousand merges", 100: "hundred merges", 10: "ten merges", 1: "merge"}
    return words[per]


def _percent(share: float) -> str:
    """A share in percent with two digits that count: "12 %", "0.9 %", "0.012 %"."""
    percent = 100 * share
    digits = 0 if abs(percent) >= 9.95 else 1 if abs(percent) >= 0.095 else 3
    return f"{number(float(percent), digits)} %"
