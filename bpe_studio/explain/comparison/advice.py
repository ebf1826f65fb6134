"""Advice about a choice of sizes: plain sentences from the curves, with the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from bpe_studio.explain.wording import number, percent, plural

if TYPE_CHECKING:
    from bpe_studio.engine.analysis.size_advice import ModelShape
    from bpe_studio.explain.comparison.curves import Curves, FloatArray, Series

MOST_INTERVALS = 4
"""The savings of more intervals are summarized in one sentence."""
ENOUGH = 0.005
"""A size is enough if each further interval of merges saves less than this share of the tokens."""
LITTLE = 0.01
"""Further merges that save less than this share of the tokens save little."""
SMALLEST_USUAL = 1000
"""The usual sizes are this one doubled again and again."""
NOTABLY_LONGER = 1.25
"""A run that is not longer by this factor shows little more of the curve."""
NOTABLE_GAP = 0.1
"""If the held-out text saves less than the corpus by this share, a sentence says so."""


def merges_per_interval(n_merges: int) -> int:
    """The unit in which savings are given: a thousand merges, or fewer for a short run."""
    return next((per for per in (1000, 100, 10) if n_merges >= 2 * per), 1)


def saved_share(series: Series, first: int, last: int, per: int = 1000) -> float:
    """The average share of the tokens at step `first` that `per` merges save up to step `last`."""
    before = int(series.n_tokens[first])
    after = int(series.n_tokens[last])
    return (before - after) / before * per / (last - first) if before and last > first else 0.0


def advice(curves: Curves | None, steps: Sequence[int]) -> list[str]:
    """Sentences about the sizes at these steps.

    Args:
        curves: the curves of the run; None if there are none yet.
        steps: the chosen steps, in any order.
    """
    if curves is None or curves.n_merges < 1:
        return []
    chosen = sorted({min(step, curves.n_merges) for step in steps})
    per = merges_per_interval(curves.n_merges)
    intervals = list(pairwise(chosen))
    if len(intervals) > MOST_INTERVALS:
        lines = [_saves_less_and_less(curves, intervals, per)]
    else:
        lines = [_saves(curves, first, last, per) for first, last in intervals]
    if curves.knee is not None:
        lines.append(_bends(curves, curves.knee, per))
        lines.append(_depends_on_range(curves, curves.knee))
    parts = NOTHING_HELD_OUT if curves.held_out is None else _parts(curves, chosen)
    lines.append(parts)
    return lines


def enough(curves: Curves) -> int | None:
    """The smallest step after which each interval of merges saves less than `ENOUGH` of the tokens.

    The tokens are those of the held-out text, if there is one. `merges_per_interval` gives the
    interval.

    Returns:
        The step; None if the last merges of the run still save more.
    """
    per = merges_per_interval(curves.n_merges)
    n_tokens = (curves.held_out or curves.corpus).n_tokens
    before = np.maximum(n_tokens[:-per], 1)
    saves_more = np.flatnonzero((before - n_tokens[per:]) / before >= ENOUGH)
    step = int(saves_more[-1]) + 1 if len(saves_more) else 0
    return step if step + per <= curves.n_merges else None


def size_beyond(curves: Curves | None) -> int | None:
    """The next usual size beyond a run: 1,000, doubled as often as necessary.

    Returns:
        The size; None without curves, or if a size of the run is enough.
    """
    if curves is None or curves.n_merges < 1 or enough(curves) is not None:
        return None
    size = SMALLEST_USUAL
    while size <= curves.base + curves.n_merges * NOTABLY_LONGER:
        size *= 2
    return size


def headline(curves: Curves | None) -> str:
    """A sentence about the size that is enough; "" without curves."""
    if curves is None or curves.n_merges < 1:
        return ""
    per = merges_per_interval(curves.n_merges)
    step = enough(curves)
    of = "the held-out text" if curves.held_out is not None else "the corpus"
    if step is not None:
        about = int(float(f"{curves.base + step:.3g}"))
        more = "token" if per == 1 else f"{number(per)} tokens"
        return (
            f"Choose about {number(about)}. Each further {more} saves less than {100 * ENOUGH:g} %"
            f" of {of}."
        )
    series = curves.held_out or curves.corpus
    last = saved_share(series, curves.n_merges - per, curves.n_merges, per)
    end = _size(curves, curves.n_merges)
    more = "token still saves" if per == 1 else f"{number(per)} tokens still save"
    return f"Choose more than {end}. Its last {more} {percent(last)} of {of}."


def flops(curves: Curves, shape: ModelShape) -> FloatArray:
    """(n_merges + 1,) float64, the operations that a model needs to read the corpus, by step."""
    per_layer = shape.flops_per_token(0)
    per_entry = shape.flops_per_token(1) - per_layer
    sizes = curves.base + np.arange(curves.n_merges + 1, dtype=np.float64)
    return np.asarray(curves.corpus.n_tokens * (per_layer + per_entry * sizes))


def cheapest(curves: Curves, shape: ModelShape) -> int:
    """The first step at which a model needs the fewest operations to read the corpus."""
    return int(np.argmin(flops(curves, shape)))


def cost_sentence(curves: Curves | None, shape: ModelShape) -> str:
    """A sentence about the size at which a byte is cheapest for a model; "" without curves."""
    if curves is None or curves.n_merges < 1:
        return ""
    step = cheapest(curves, shape)
    where = "at" if step < curves.n_merges else "at the largest size,"
    layers = plural(shape.layers, "layer")
    return (
        f"For a model of width {number(shape.width)} and {layers}, a byte is cheapest {where}"
        f" {_size(curves, step)}."
    )


NOTHING_HELD_OUT = (
    "No text is held out, so these numbers describe the text that the merges were trained on. They"
    " save less of other text"
)


def _saves(curves: Curves, first: int, last: int, per: int) -> str:
    """A sentence about what `per` merges between two sizes save; or all, if they are fewer."""
    n = last - first
    sizes = f"etween {_size(curves, first)} and {_size(curves, last)}"
    if n >= per:
        text = f"B{sizes} a further {_merges(per)} saves"
        unit = per
    else:
        text = f"The {number(n)} merges b{sizes} save"
        if n == 1:
            text = f"The merge b{sizes} saves"
        unit = n
    text = f"{text} {percent(saved_share(curves.corpus, first, last, unit))} of the tokens"
    if curves.held_out is None:
        return text
    return (
        f"{text}, and {percent(saved_share(curves.held_out, first, last, unit))} of the held-out"
        " text"
    )


def _saves_less_and_less(curves: Curves, intervals: Sequence[tuple[int, int]], per: int) -> str:
    """A sentence about what merges of the first and the last interval save, and from which size on
    they save little.
    """
    while per > 1 and per > min(last - first for first, last in intervals):
        per //= 10
    own = [saved_share(curves.corpus, first, last, per) for first, last in intervals]

    def saving(number: int, of_what: str = "") -> str:
        first, last = intervals[number]
        text = (
            f"{percent(own[number])}{of_what} between {_size(curves, first)} and"
            f" {_size(curves, last)}"
        )
        if curves.held_out is None:
            return text
        return f"{text} (held-out text: {percent(saved_share(curves.held_out, first, last, per))})"

    text = (
        f"A further {_merges(per)} saves {saving(0, ' of the tokens')}, and"
        f" {saving(len(intervals) - 1)}"
    )
    # Search from the end: an interval that saves little may come before one that saves more.
    little = len(own)
    while little and own[little - 1] < LITTLE:
        little -= 1
    if not little or little == len(own):
        return text
    return (
        f"{text}; from {_size(curves, intervals[little][0])} on it is less than {100 * LITTLE:g} %"
    )


def _bends(curves: Curves, knee: int, per: int) -> str:
    text = f"The curve bends most at {_size(curves, knee)}, its knee"
    rest = curves.n_merges - knee
    if not knee or not rest:
        return text
    before = percent(saved_share(curves.corpus, 0, knee, knee))
    unit = min(per, rest)
    after = percent(saved_share(curves.corpus, knee, curves.n_merges, unit))
    merges = f"{number(knee)} merges up to there save"
    if knee == 1:
        merges = "merge up to there saves"
    further = _merges(unit) if unit == per else f"{number(unit)} merges"
    return f"{text}: the {merges} {before} of the tokens, and beyond it a further {further} {after}"


def _depends_on_range(curves: Curves, knee: int) -> str:
    """A warning that the knee depends on the end of the run, and on the scale."""
    end = _size(curves, curves.n_merges)
    text = f"The knee depends on where the run ends, here at {end}; a longer run has a later knee"
    if curves.log_knee is None or curves.log_knee == knee:
        return text
    return f"{text}. On a logarithmic axis it is at {_size(curves, curves.log_knee)}"


def _parts(curves: Curves, chosen: Sequence[int]) -> str:
    assert curves.held_out is not None
    first, last = (chosen[0], chosen[-1]) if len(chosen) > 1 else (0, curves.n_merges)
    own = saved_share(curves.corpus, first, last, last - first)
    other = saved_share(curves.held_out, first, last, last - first)
    sizes = f"From {_size(curves, first)} to {_size(curves, last)}"
    text = f"{sizes} the corpus shrinks by {percent(own)}, the held-out text by {percent(other)}"
    if own > 0 and (own - other) / own >= NOTABLE_GAP:
        return (
            f"{text}: {percent((own - other) / own)} of the saving applies to this text only"
            " (overfitting)"
        )
    return f"{text}: the merges also fit other text of this kind"


def _size(curves: Curves, step: int) -> str:
    return number(curves.base + step)


def _merges(per: int) -> str:
    words = {1000: "thousand merges", 100: "hundred merges", 10: "ten merges", 1: "merge"}
    return words[per]
