"""Special tokens in a text that is edited: as a tokenizer encodes them, at every step, whatever was
typed before.
"""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.encoding.editable_text import EditableText
from bpe_studio.engine.text.outside_alphabet import LAST_SPECIAL
from tests.examples import examples

TEXT = "low lower lowest newest widest سلام سلام 漢字 漢字 👩‍👩‍👧 éé new news\n" * 2
SPECIAL = ("<|a|>", "<|ab|>", "<|end|>")
PRESETS = ["gpt2", "raw", "textbook"]
typed = st.lists(
    st.sampled_from([*SPECIAL, "<|", "low", " new", "é", "漢", "👩‍👩‍👧", "\n", " ", "سلام"]),
    max_size=8,
)


def run_of(preset: str, **options: object) -> bpe.Run:
    config = bpe.TrainingConfig.preset(
        preset, **{"merges": 15, "vocab_size": None, "special": SPECIAL, **options}
    )
    return bpe.train(bpe.Corpus.from_text(TEXT, config), config)


def ids_of(run: bpe.Run, live: EditableText, step: int) -> list[int]:
    return [
        -1 if token == -1 else run.external_id(token, step)
        for token in live.tokens(step).ids.tolist()
    ]


@cache
def shared(preset: str) -> tuple[bpe.Run, dict[int, bpe.Tokenizer]]:
    run = run_of(preset, **({"unknown": "<unk>"} if preset == "textbook" else {}))
    return run, {step: run.tokenizer(step) for step in (0, 7, 15)}


@pytest.mark.parametrize("preset", PRESETS)
@given(parts=typed, other=typed)
@settings(max_examples=examples(40))
def test_ids_are_those_of_the_tokenizer_with_special_tokens_and_without(
    preset: str, parts: list[str], other: list[str]
) -> None:
    (run, tokenizers), text = shared(preset), "".join(parts)
    for is_on in (False, True):
        run.segmenter.recognize_special(is_on)
        live = run.live("".join(other))
        live.replace(0, len(live.text), text)
        for step, tokenizer in tokenizers.items():
            expected = tokenizer.encode(text, recognize_special=is_on)
            assert [
                tokenizer.unknown_id if number == -1 else number
                for number in ids_of(run, live, step)
            ] == expected.ids
            spans = live.tokens(step)
            places = [
                place for place, token in enumerate(spans.ids.tolist()) if token <= LAST_SPECIAL
            ]
            found = [text[int(spans.starts[place]) : int(spans.ends[place])] for place in places]
            assert found == [name for name in expected.tokens if is_on and name in SPECIAL]


def test_an_edit_may_make_and_break_a_special_token() -> None:
    run = run_of("gpt2")
    run.segmenter.recognize_special(True)
    live = run.live("low <|end| new")
    assert all(token >= 0 for token in live.tokens(15).ids)
    live.replace(10, 0, ">")
    assert LAST_SPECIAL - 2 in live.tokens(15).ids.tolist()
    assert (
        ids_of(run, live, 15)
        == run.tokenizer().encode("low <|end|> new", recognize_special=True).ids
    )
    live.replace(9, 1, "")
    assert ids_of(run, live, 15) == run.tokenizer().encode("low <|end> new").ids
