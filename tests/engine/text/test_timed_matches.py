"""Expressions whose matches each take long, but not too long, are given up for the whole text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest
import regex

import bpe_studio as bpe
from bpe_studio.engine.text import timed_matches
from bpe_studio.engine.text.pretokenization import spans
from bpe_studio.engine.text.timed_matches import TimeBudget, match_batches

AHEAD = "(?:a|b)*c|."
"""Looks to the text's end at each character: as slow as the square of the text."""
SPLITS = [f"regex:{AHEAD}", f"regex:(?<=x)y|{AHEAD}"]
"""With an automaton for large texts, and without."""
SLOW = "ab" * 15_000


def _limit_time(monkeypatch: pytest.MonkeyPatch, budget_s: float) -> None:
    monkeypatch.setattr(timed_matches, "BUDGET_S", budget_s)
    monkeypatch.setattr(timed_matches, "BUDGET_S_PER_CHARACTER", 1e-6)
    monkeypatch.setattr("bpe_studio.engine.encoding.editable_text._BUDGET", (budget_s, 1e-6))


@pytest.fixture
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    _limit_time(monkeypatch, 0.1)


@cache
def _run(split: str) -> bpe.Run:
    config = bpe.TrainingConfig.preset("raw", split=split, merges=2)
    return bpe.train(bpe.Corpus.from_text("abc abc", config), config)


WAYS: dict[str, Callable[[str, str], object]] = {
    "training": lambda split, text: bpe.Corpus.from_text(text, _run(split).config),
    "training by lines": lambda split, text: bpe.Corpus.from_text(
        "\n".join(text[k : k + 3000] for k in range(0, len(text), 3000)),
        _run(split).config.replace(documents="line"),
    ),
    "encode": lambda split, text: _run(split).tokenizer().encode(text),
    "encode with specials": lambda split, text: (
        _run(split).tokenizer().encode(text, recognize_special=True)
    ),
    "encode_ids": lambda split, text: _run(split).tokenizer().encode_ids(text),
    "a call": lambda split, text: _run(split).tokenizer()([text, text]),
    "typed text": lambda split, text: _run(split).live(text),
    "gap ranks": lambda split, text: _run(split).gap_ranks(text),
    "text gaps": lambda split, text: _run(split).text_gaps(text),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "split",
    [
        SPLITS[0],
        pytest.param(SPLITS[1], marks=pytest.mark.slow(buys="the same where no automaton is")),
    ],
)
@pytest.mark.usefixtures("little_time")
def test_a_text_is_given_up_with_the_sentence_of_training(way: str, split: str) -> None:
    _run(split)
    with pytest.MonkeyPatch.context() as patch:
        _limit_time(patch, 0.02)  # which has to pass
        with pytest.raises(bpe.PatternError, match=r"took too long: .* on the whole text"):
            WAYS[way](split, SLOW)
    WAYS[way](split, "abab" * 10)


@pytest.mark.parametrize("pattern", [r"\w+|\s", r"(?r)\w+", r"a*", r"(?<=b)a|b+", r"$|."])
def test_batches_are_the_matches(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ab ba aab  bbb a " * 40
    expected = [match.span() for match in regex.finditer(pattern, text) if match.group()]
    compiled = regex.compile(pattern)
    batches = list(match_batches(compiled, text, 0, TimeBudget(), timeout_s=2.0))
    assert [match.span() for batch in batches for match in batch if match.group()] == expected
    assert list(spans(text, f"regex:{pattern}")) == expected
    # As slow that each batch is found by a search of its own.
    batches = list(match_batches(compiled, text, 0, TimeBudget(), timeout_s=2.0))
    monkeypatch.setattr(timed_matches.time, "perf_counter", iter(range(10**6)).__next__)
    again = list(match_batches(compiled, text, 0, TimeBudget(), timeout_s=1.0))
    assert [match.span() for batch in again for match in batch if match.group()] == expected
