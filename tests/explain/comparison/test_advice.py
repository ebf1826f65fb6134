"""What the curves say about a choice of sizes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.analysis.size_advice import ModelShape
from bpe_studio.explain.comparison.advice import (
    ENOUGH,
    advice,
    cheapest,
    cost_sentence,
    enough,
    headline,
    merges_per_interval,
    size_beyond,
)
from bpe_studio.explain.comparison.curves import Curves, Series
from tests.facts import says


def curves(own, held=None, knee=None, log_knee=None):
    held = None if held is None else Series("held-out part", np.array(held), 10)
    return Curves(
        None, 100, len(own) - 1, Series("corpus", np.array(own), 10), held, None, knee, log_knee
    )


def test_advice_is_sentences_with_their_numbers():
    own = [1000, 900, 850, 840]
    lines = advice(curves(own, knee=1, log_knee=2), [0, 1, 3])
    assert says(lines[0], 100, 101, "10 %")
    assert says(lines[1], 101, 103, "3.3 %")
    assert says(lines[2], 101, "knee", "10 %", "3.3 %")
    assert "here at 103" in lines[3] and lines[3].endswith("logarithmic axis it is at 102")
    assert "logarithmic" not in advice(curves(own, knee=1, log_knee=1), [0])[-2]
    assert lines[-1].startswith("No text is held out")
    assert advice(None, [1]) == [] and advice(curves([5]), [0]) == []


def test_overfitting_is_said():
    lines = advice(curves([1000, 900, 800], [100, 95, 90]), [0, 2])
    assert lines[0].endswith("of the tokens, and 5.0 % of the held-out text")
    assert "50 % of the saving" in lines[-1] and "overfitting" in lines[-1]
    assert "fit other text" in advice(curves([1000, 900, 800], [100, 90, 81]), [0, 2])[-1]


def test_a_size_beyond_the_run_is_named_while_none_of_the_run_is_enough():
    assert size_beyond(curves([1000 - 10 * k for k in range(8)])) == 1000
    long = [2**20 - 100 * k for k in range(8000)]
    assert size_beyond(curves(long)) == 16_000
    assert size_beyond(curves([1000, 900, 900, 900])) is None
    assert size_beyond(curves([1000])) is None and size_beyond(None) is None


def first_enough(n_tokens):
    """As `enough`, interval by interval."""
    n_merges = len(n_tokens) - 1
    per = merges_per_interval(n_merges)
    for step in range(n_merges - per + 1):
        later = range(step, n_merges - per + 1)
        if all((n_tokens[s] - n_tokens[s + per]) / max(1, n_tokens[s]) < ENOUGH for s in later):
            return step
    return None


@given(st.lists(st.integers(0, 60), min_size=2, max_size=60), st.booleans())
def test_enough_is_the_first_size_beyond_which_each_interval_saves_little(
    saved, is_flat_at_the_end
):
    saved = [*sorted(saved, reverse=True), *([0] * 30 if is_flat_at_the_end else [])]
    n_tokens = [5000]
    for n in saved:
        n_tokens.append(max(1, n_tokens[-1] - n))
    assert enough(curves(n_tokens)) == first_enough(n_tokens)
    held = [2 * n for n in n_tokens]
    assert enough(curves([9] * len(n_tokens), held)) == first_enough(held), (
        "the held-out text decides"
    )


def test_one_sentence_answers_which_size_is_enough():
    falling = [1000, 500, 400, 400, 400]
    assert says(headline(curves(falling)), 102, "less than 0.5 %")
    assert says(headline(curves([1000, 900, 800])), "more than 102", "11 %")
    long = [int(100_000 * 0.5 ** (step / 800)) for step in range(9001)]
    assert "of the held-out text" in headline(curves(long, long))
    assert "more than 9,100" in headline(curves(long)) and "58 %" in headline(curves(long))
    assert headline(None) == headline(curves([5])) == ""


@given(
    n_tokens=st.lists(st.integers(0, 50), min_size=2, max_size=20).map(
        lambda saved: [2000 - sum(saved[:n]) for n in range(len(saved))]
    ),
    width=st.integers(1, 64),
    layers=st.integers(1, 4),
)
def test_the_cheapest_size_needs_fewest_operations(n_tokens, width, layers):
    shape = ModelShape(width, layers, 128)
    own = curves(n_tokens)
    costs = [n * shape.flops_per_token(own.base + step) for step, n in enumerate(n_tokens)]
    step = cheapest(own, shape)
    assert costs[step] == min(costs)
    assert says(cost_sentence(own, shape), own.base + step)


def test_no_curve_has_no_cheapest_size():
    shape = ModelShape(64, 2, 128)
    assert cost_sentence(None, shape) == cost_sentence(curves([5]), shape) == ""
