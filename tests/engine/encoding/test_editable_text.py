"""A text that is typed in: every step is a threshold, and an edit gives what encoding the whole
text again would.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.kernels import loader
from tests.engine import corpora, texts
from tests.engine.encoding.cut_afresh import cut_afresh
from tests.examples import IN_EACH_OF_MANY, examples

_CONFIGS = {
    "gpt2": bpe.TrainingConfig.preset("gpt2", merges=150),
    "raw": bpe.TrainingConfig.preset("raw", merges=80),
    "cl100k": bpe.TrainingConfig.preset("cl100k", merges=150),
    "textbook": bpe.TrainingConfig.preset("textbook", merges=80),
    "sennrich": bpe.TrainingConfig.preset("sennrich", merges=80, unknown="[UNK]"),
    "subword-nmt": bpe.TrainingConfig.preset("subword-nmt", merges=80, unknown="[UNK]"),
    "prefix": bpe.TrainingConfig.preset("textbook", merges=80, split="whitespace", continuing="##"),
    "regex": bpe.TrainingConfig.preset("raw", merges=40, split=r"regex:\d+|\p{L}{1,5}"),
    "digits": bpe.TrainingConfig.preset("gpt2", merges=80, split="digits-right"),
    "fallback": bpe.TrainingConfig.preset("llama2", merges=80, character_coverage=0.9),
}
_TEXT = (
    texts.mixed(60, seed=21)
    + texts.cjk_and_emoji(60, seed=21)
    + "I'll don't we've 12345 1,000\r\n\t x  y "
)[:1500]
_runs: dict[str, bpe.Run] = {}
every_config = pytest.mark.parametrize("name", list(_CONFIGS))

_typed = st.one_of(
    st.text(st.sampled_from("ab's1 \n\r.é😀\u0301\u200dسل日️"), max_size=25),
    st.integers(0, 1400).flatmap(
        lambda start: st.integers(0, 40).map(lambda n: _TEXT[start : start + n])
    ),
    corpora.any_text(12),
)


def _run(name: str) -> bpe.Run:
    if name not in _runs:
        _runs[name] = bpe.train(bpe.Corpus.from_text(_TEXT, _CONFIGS[name]), _CONFIGS[name])
    return _runs[name]


def _steps(run: bpe.Run) -> list[int]:
    n = len(run.merges)
    return [0, 1, n // 3, n]


def _spans(
    live, step: int, start: int = 0, end: int | None = None
) -> list[tuple[float, float, int]]:
    spans = live.tokens(step, start, end)
    # Moving a span along may turn the last bit of a third.
    starts = spans.starts.round(9).tolist()
    ends = spans.ends.round(9).tolist()
    return list(zip(starts, ends, spans.ids.tolist(), strict=True))


def _are_at(spans: list[tuple[float, float, int]], offsets: Sequence[tuple[int, int]]) -> bool:
    """Whether the tokens are where encoding has them: a mark alone is nowhere on the line, and
    there at a character.
    """
    assert len(spans) == len(offsets)
    return all(
        (math.floor(start), math.ceil(end)) == tuple(place) if start < end else start in place
        for (start, end, _), place in zip(spans, offsets, strict=True)
    )


@every_config
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=_typed)
@example(text="")
@example(text=" ")
@example(text="a")
@example(text=_TEXT)
def test_tokens_are_those_of_encoding(name: str, text: str) -> None:
    run = _run(name)
    live = run.live(text)
    tokenizer = run.tokenizer()
    assert live.text == text
    for step in _steps(run):
        encoding = tokenizer.encode(text, step=step)
        spans = _spans(live, step)
        names = ["[UNK]" if i == -1 else run.token_name(i) for _, _, i in spans]
        assert names == list(encoding.tokens)
        assert _are_at(spans, encoding.offsets)
        assert live.n_tokens(step) == len(spans)
        assert live.n_unknown(step) == names.count("[UNK]")


@every_config
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(
    text=_typed,
    edits=st.lists(st.tuples(st.integers(0, 60), st.integers(0, 8), _typed), max_size=5),
)
@example(text="ab cd", edits=[(2, 1, ""), (2, 0, " "), (0, 0, "\n"), (6, 0, "x")])
@example(text="don't", edits=[(3, 1, ""), (3, 0, "'")])
@example(text="a  b", edits=[(4, 0, " "), (3, 2, ""), (0, 3, "")])
@example(text="1234567", edits=[(0, 1, ""), (3, 0, "9"), (6, 0, "\r\n")])
@example(text="e\u0301 👩\u200d👧", edits=[(1, 1, ""), (3, 1, ""), (2, 1, "\u200d")])
def test_edits_give_the_whole_text_again(
    name: str, text: str, edits: list[tuple[int, int, str]]
) -> None:
    run = _run(name)
    live = run.live(text)
    steps = _steps(run)
    for start, n_removed, added in edits:
        start = min(start, len(text))
        n_removed = min(n_removed, len(text) - start)
        before = {step: set(_spans(live, step)) for step in steps}
        text = text[:start] + added + text[start + n_removed :]
        low, high = live.replace(start, n_removed, added)
        assert live.text == text
        assert 0 <= low <= start and start + len(added) <= high <= len(text)
        fresh = cut_afresh(run, text)
        moved = len(added) - n_removed
        for step in steps:
            spans = _spans(live, step)
            assert spans == _spans(fresh, step)
            assert (live.n_tokens(step), live.n_unknown(step)) == (
                fresh.n_tokens(step),
                fresh.n_unknown(step),
            )
            # What lies outside the range that it names is as it was.
            assert all(span in before[step] for span in spans if span[1] <= low and span[0] < low)
            assert all(
                (round(s - moved, 9), round(e - moved, 9), i) in before[step]
                for s, e, i in spans
                if s >= high and e > high
            )


def test_long_text_typed_in_the_middle() -> None:
    run = _run("gpt2")
    text = texts.english(2000, seed=9) + texts.persian(1000, seed=9)
    live = run.live(text)
    for place, added in [(5000, "x"), (5001, " "), (5002, "\n\n"), (0, "'ll"), (len(text), "...")]:
        text = text[:place] + added + text[place:]
        live.replace(place, 0, added)
    assert _spans(live, 100) == _spans(cut_afresh(run, text), 100)
    low, high = live.replace(7000, 1, "")
    assert high - low < 200


@pytest.mark.parametrize("is_compiled", [False, True])
def test_what_is_taken_over_follows_the_run(
    is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loader, "_ready", {"encoding"} if is_compiled else set())
    config = _CONFIGS["gpt2"]
    trainer = bpe.Trainer(bpe.Corpus.from_text(_TEXT, config), config)
    trainer.run(20)
    run = trainer.run_record
    first = run.live(_TEXT)
    trainer.run(50)
    second = run.live(_TEXT)
    third = run.live(_TEXT)
    trainer.run(50)
    for step in (10, 60, 120):
        whole = _spans(cut_afresh(run, _TEXT), step)
        assert _spans(first, step) == _spans(second, step) == _spans(third, step) == whole


@pytest.mark.parametrize("is_compiled", [False, True])
@every_config
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(seed=st.integers(0, 2**32))
def test_many_words_together_are_cut_as_one_by_one(name: str, is_compiled: bool, seed: int) -> None:
    run = _run(name)
    rng = random.Random(seed)
    drawn = ["".join(rng.choices("aé日😀\udcff", k=rng.randint(1, 4))) for _ in range(200)]
    words = list(dict.fromkeys(drawn))[: rng.randint(70, 90)]
    assert len(words) >= 70, "so many are cut together"
    together = run.new_segmenter()
    one_by_one = run.new_segmenter()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "_ready", {"encoding"} if is_compiled else set())
        for segmenter in (together, one_by_one):
            segmenter.refresh()
        for word, twin in zip(together.words(words), map(one_by_one.word, words), strict=True):
            for each in ("symbols", "gaps", "places"):
                assert np.array_equal(getattr(word, each), getattr(twin, each)), each
