"""Borders of a text that is edited: where they are, and what they are known by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding.border import TextBorder
from tests.engine import corpora

PRESETS = ("textbook", "sennrich", "gpt2", "sentencepiece", "raw")


def _run(preset: str, text: str, **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset(preset, **({"merges": 5, "vocab_size": None} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config)


@pytest.mark.parametrize("preset", PRESETS)
@given(text=corpora.any_text(12), corpus=corpora.texts(max_words=5), step=st.integers(0, 5))
def test_every_border_between_touching_tokens_is_found_again(
    preset: str, text: str, corpus: str, step: int
) -> None:
    run = _run(preset, corpus)
    step = min(step, len(run.merges))
    live = run.live(text)
    tokens = live.tokens(step)
    ends = tokens.ends.tolist()
    starts = tokens.starts.tolist()
    for number in range(1, len(starts)):
        border = live.border_at(starts[number], step, ends[number])
        if ends[number - 1] != starts[number]:
            # A mark has no width: what is behind the mark begins where no other token ends.
            is_behind_mark = (
                border is not None and border.piece.startswith("▁") and border.place == 1
            )
            assert border is None or ends[number] == starts[number] or is_behind_mark
            continue
        assert border is not None
        assert starts[number] in live.places_of_border(border, 0, len(text))
        if border.following:
            assert border.place == len(run.segmenter.word(border.piece).symbols)
        else:
            assert 0 < border.place < len(run.segmenter.word(border.piece).symbols)
            assert run.segmenter.word(border.piece).gaps[border.place] >= step


def test_a_border_is_known_by_its_pre_token_wherever_that_occurs() -> None:
    live = _run("gpt2", "hug hugs").live("a hugs, hugs")
    border = live.border_at(4, 0)
    assert border == TextBorder(" hugs", 3)
    assert live.places_of_border(border, 0, 12) == [4.0, 10.0]
    assert live.places_of_border(border, 6, 12) == [10.0]
    assert live.border_at(6, 0) == TextBorder(" hugs", 5, ",")
    assert live.places_of_border(TextBorder(" hugs", 5, ","), 0, 12) == [6.0]
    assert live.symbols_behind(border, 0, 12) == [4, 10]


def test_where_text_is_dropped_there_is_no_border() -> None:
    live = _run("textbook", "hug hugs").live("hug hugs")
    assert [live.border_at(place, 0) for place in (0, 3, 4, 8)] == [None] * 4
    assert live.border_before(0) is None and live.border_before(99) is None
