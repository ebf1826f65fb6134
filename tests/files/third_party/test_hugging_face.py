"""A third-party `tokenizer.json` gives the ids of its library, at every step those of the library
with fewer merges.
"""

from __future__ import annotations

import json
import random
import tempfile
from functools import cache
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.errors import VocabularyError
from bpe_studio.files.loading import load
from bpe_studio.files.third_party.tokenizer import (
    ThirdPartyTokenizer,
    cleaned_up,
    cleaned_up_parts,
)
from tests.examples import examples
from tests.files.third_party.made import BPES, OTHERS, TEXTS, VARIANTS, content_of, strange_texts


def opened(content: str) -> ThirdPartyTokenizer:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "a file of any name"
        file.write_text(content, encoding="utf-8")
        tokenizer = load(file)
    assert isinstance(tokenizer, ThirdPartyTokenizer)
    return tokenizer


@cache
def opened_once(name: str) -> ThirdPartyTokenizer:
    return opened(content_of(name))


@cache
def theirs(content: str, recognize_special: bool = True) -> tokenizers.Tokenizer:
    library = tokenizers.Tokenizer.from_str(content)
    library.no_truncation()
    library.encode_special_tokens = not recognize_special
    return library


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize("name", [*BPES, *OTHERS])
def test_ids_tokens_offsets_and_text_are_those_of_the_library(name: str) -> None:
    content = content_of(name)
    tokenizer = opened_once(name)
    library = theirs(content)
    for text in (*TEXTS, *strange_texts(examples(60), 1)):
        expected = library.encode(text, add_special_tokens=False)
        found = tokenizer.encode(text)
        assert (found.ids, found.tokens, found.offsets) == (
            expected.ids,
            expected.tokens,
            expected.offsets,
        )
        assert tokenizer.encode_ids(text).tolist() == expected.ids
        around = library.encode(text)
        assert tokenizer.encode(text, add_special_tokens=True).ids == around.ids
        assert tokenizer.decode(expected.ids) == library.decode(
            expected.ids, skip_special_tokens=False
        )
    assert dict(tokenizer.tokens) == {
        number: token for token, number in library.get_vocab().items()
    }


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize("name", [*BPES, *OTHERS])
@pytest.mark.parametrize("skips", [True, False])
def test_a_stream_gives_the_text_of_the_library(name: str, skips: bool) -> None:
    tokenizer = opened_once(name)
    draw = random.Random(name)
    numbers = list(tokenizer.tokens)
    for _ in range(examples(100)):
        ids = draw.choices(draw.choices(numbers, k=6), k=12)
        parts = list(tokenizer.decode_stream(ids, skip_special_tokens=skips))
        assert "".join(parts) == tokenizer.decode(ids, skip_special_tokens=skips)
    assert len(list(tokenizer.decode_stream(tokenizer.encode(TEXTS[2]).ids))) > 5


@pytest.mark.usefixtures("sound_files")
def test_a_decoder_that_looks_ahead_gives_its_text_at_the_end() -> None:
    content = json.loads(content_of("gpt2"))
    content["decoder"] = {"type": "Replace", "pattern": {"Regex": "g+"}, "content": "x"}
    tokenizer = opened(json.dumps(content))
    ids = tokenizer.encode("hugging").ids
    assert list(tokenizer.decode_stream(ids)) == [tokenizer.decode(ids)]


@given(st.lists(st.text(st.sampled_from(" .?!,'ntmsvre"), max_size=4)))
def test_parts_of_a_text_are_cleaned_up_as_the_whole(parts: list[str]) -> None:
    assert "".join(cleaned_up_parts(parts)) == cleaned_up("".join(parts))


@pytest.mark.usefixtures("sound_files")
@pytest.mark.parametrize("name", [*BPES, *VARIANTS])
@pytest.mark.parametrize("recognizes", [True, False])
def test_merges_give_the_ids_of_the_library(name: str, recognizes: bool) -> None:
    content = content_of(name)
    tokenizer = opened_once(name)
    library = theirs(content, recognizes)
    assert tokenizer.why_no_merges == ""
    assert tokenizer.n_merges == len(json.loads(content)["model"]["merges"])
    for text in (*TEXTS, *strange_texts(examples(200), 2)):
        found = tokenizer.encode_ids(text, step=tokenizer.n_merges, recognize_special=recognizes)
        assert found.tolist() == library.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", BPES)
def test_at_a_step_the_ids_are_those_of_the_library_with_fewer_merges(name: str) -> None:
    root = json.loads(content_of(name))
    tokenizer = opened_once(name)
    merges = root["model"]["merges"]
    assert tokenizer.piece_merges is not None
    assert tokenizer.piece_merges.are_in_order == (name != "out_of_order")
    for step in (0, 1, len(merges) // 3, len(merges) - 1):
        vocab = dict(root["model"]["vocab"])
        made = ["".join(pair) for pair in merges]
        if root["model"]["ignore_merges"]:
            # A token that a later merge makes is not there yet; what no merge makes always is.
            vocab = {
                name: number
                for name, number in vocab.items()
                if name not in made[step:] or name in made[:step]
            }
        model = {**root["model"], "merges": merges[:step], "vocab": vocab}
        kept = [
            token for token in root["added_tokens"] if token["content"] in vocab or name != "llama3"
        ]
        library = theirs(json.dumps({**root, "model": model, "added_tokens": kept}))
        for text in TEXTS:
            if "<|" not in text or name != "llama3":
                found = tokenizer.encode(text, step=step)
                assert found.ids == library.encode(text, add_special_tokens=False).ids
                assert tokenizer.encode_ids(text, step=step).tolist() == found.ids


@pytest.mark.parametrize(
    ("name", "kind"),
    [("word_level", "WordLevel"), ("word_piece", "WordPiece"), ("unigram", "Unigram")],
)
def test_a_model_without_merges_says_why_there_are_no_steps(name: str, kind: str) -> None:
    tokenizer = opened_once(name)
    reason = (
        f"There are no steps to show, because its model is of the type {kind}, which has no merges;"
        " its ids are those of its library"
    )
    assert (tokenizer.piece_merges, tokenizer.n_merges, tokenizer.why_no_merges) == (
        None,
        0,
        reason,
    )
    for ask in (lambda: tokenizer.encode("hugs", step=0), lambda: tokenizer.gap_ranks("hugs")):
        with pytest.raises(VocabularyError, match=kind):
            ask()


def test_ids_that_differ_turn_the_merges_off(monkeypatch: pytest.MonkeyPatch) -> None:
    from bpe_studio.files.third_party import opening, self_check

    monkeypatch.setattr(self_check, "remembered", lambda *given: given[-1]())
    read = opening.read_piece_merges
    monkeypatch.setattr(
        opening, "read_piece_merges", lambda root: read({**root, "model": _reversed(root["model"])})
    )
    tokenizer = opened(content_of("gpt2"))
    assert tokenizer.piece_merges is None
    assert "they give different ids than the library tokenizers" in tokenizer.why_no_merges
    assert tokenizer.encode("The hugs").ids == theirs(content_of("gpt2")).encode("The hugs").ids


def _reversed(model: dict) -> dict:
    return {**model, "merges": model["merges"][::-1]}


def test_what_cannot_be_encoded_or_decoded_is_one_sentence() -> None:
    tokenizer = opened_once("gpt2_with_gaps")
    missing = next(number for number in range(10_000) if number not in tokenizer.tokens)
    for ask, message in (
        (
            lambda: tokenizer.encode("a\ud800b"),
            "The character 1 of the text is half of a surrogate pair",
        ),
        (lambda: tokenizer.encode(b"a\xffb"), "The byte 1 of the text is not valid UTF-8"),
        (lambda: tokenizer.decode([missing]), f"There is no token with id {missing}"),
        (lambda: tokenizer.convert_ids_to_tokens(-1), "There is no token with id -1"),
        (
            lambda: tokenizer.convert_tokens_to_ids("no such token"),
            "is not a token of this tokenizer",
        ),
        (lambda: tokenizer.encode("a", step=10_000), "There is no step 10,000"),
    ):
        with pytest.raises(VocabularyError) as caught:
            ask()
        assert message in str(caught.value)
    assert tokenizer.encode(b"hugs").ids == tokenizer.encode("hugs").ids
    assert tokenizer.convert_ids_to_tokens(tokenizer.convert_tokens_to_ids(["h", "u"])) == [
        "h",
        "u",
    ]
