"""Vocabulary sizes as a person writes them."""

from __future__ import annotations

import pytest

from bpe_studio.explain.comparison.size_list import (
    SizeError,
    SizeRange,
    doublings,
    evenly_spaced,
    read_sizes,
    usual_steps,
)

RUN = SizeRange(256, 10_000)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1000, 2000, 4k, 8k", [1000, 2000, 4000, 8000]),
        ("1,000 2,000", [1000, 2000]),
        ("1000,2000", [1000, 2000]),
        ("8K;1.5k", [1500, 8000]),
        ("300, 300,", [300]),
        ("۱۰۰۰، ۲۰۰۰", [1000, 2000]),
        ("256 10256", [256, 10_256]),
    ],
)
def test_lists_are_read_as_they_are_meant(text, sizes):
    assert [256 + step for step in read_sizes(text, RUN)] == sizes


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "for example"),
        ("many", "“many” is not a size"),
        ("-5", "“-5” is not a size"),
        ("1.5", "not a whole number"),
        ("20k", "largest vocabulary size is 10,256, so 20,000"),
        ("100", "alphabet alone has 256"),
        ("9" * 500, "is not a size"),
        ("1," * 3000, "characters long"),
        (" ".join(map(str, range(300, 900))), "at most 200"),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(text, told):
    with pytest.raises(SizeError, match=told):
        read_sizes(text, RUN)


def test_sizes_are_spread_over_the_run():
    assert [256 + step for step in doublings(RUN)] == [512, 1024, 2048, 4096, 8192]
    assert doublings(SizeRange(300, 10)) == [10]
    assert evenly_spaced(RUN, 4) == [2500, 5000, 7500, 10_000]
    assert evenly_spaced(SizeRange(3, 2), 8) == [0, 1, 2]


def test_until_some_are_chosen_the_usual_sizes_are_compared():
    assert [256 + step for step in usual_steps(SizeRange(256, 32_512), [])] == [1000, 8000]
    assert usual_steps(SizeRange(256, 574), []) == [], (
        "no round size is far below the end of a short run"
    )
    wanted = [1000, 8000, 32_000]
    assert [256 + step for step in usual_steps(SizeRange(256, 40_000), wanted)] == wanted, (
        "as chosen the last time"
    )
    assert [256 + step for step in usual_steps(SizeRange(256, 9000), wanted)] == [1000, 8000]
    assert usual_steps(SizeRange(256, 500), wanted) == usual_steps(SizeRange(256, 500), [])
