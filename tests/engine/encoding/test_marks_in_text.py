"""Marks and prefixes that the text spells itself: what is encoded decodes to itself, or is
refused.
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bpe_studio as bpe

_LETTERS = "ab_#<>"


def _tokenizer(words: list[str], **options: object) -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset(
        "textbook", split="whitespace", unknown=None, merges=12, **options
    )
    return bpe.train(bpe.Corpus.from_text(" ".join(words), config), config).tokenizer()


_WORDS = st.lists(st.text(_LETTERS, min_size=1, max_size=6), min_size=1, max_size=5)
_MARKS = st.sampled_from(["_", "<>", "a>", "</w>", ">"])
_PREFIXES = st.sampled_from(["#", "##", "a", "_a"])


@given(
    learned=_WORDS,
    words=_WORDS,
    options=st.one_of(
        st.fixed_dictionaries(
            {
                "word_end": _MARKS,
                "word_end_as": st.sampled_from(["own-symbol", "on-last-character"]),
            }
        ),
        st.fixed_dictionaries({"continuing": _PREFIXES}),
        st.fixed_dictionaries({"continuing": _PREFIXES, "word_end": _MARKS}),
    ),
    units=st.sampled_from(["characters", "bytes"]),
)
@example(["b<>b<>"], ["b<>b<>"], {"word_end": "<>"}, "characters")
@example(["##", "##a", "##"], ["##", "##a"], {"continuing": "##"}, "characters")
@example(["ba<>", "a<>b", "bb"], ["ba", "bba"], {"word_end": "<>"}, "characters")
@example(["a", "b", "a"], ["a", "ba"], {"continuing": "a", "word_end": "_"}, "characters")
@example(["_b", "b>"], ["_", ">"], {"continuing": "_a", "word_end": "a>"}, "characters")
def test_what_is_encoded_comes_back(
    learned: list[str], words: list[str], options: dict[str, str], units: str
) -> None:
    try:
        tokenizer = _tokenizer(learned * 2, units=units, **options)
    except bpe.CorpusError as refusal:
        assert "also a character of the text" in str(refusal) or "can be read in two ways" in str(
            refusal
        )
        return
    for text in (" ".join(learned), " ".join(words)):
        try:
            ids = tokenizer.encode(text).ids
        except bpe.VocabularyError as refusal:
            assert "outside the alphabet" in str(refusal)
            continue
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize("place", ["own-symbol", "on-last-character"])
@pytest.mark.parametrize("units", ["characters", "bytes"])
def test_a_mark_of_one_character_of_the_text_is_refused_before_training(
    place: str, units: str
) -> None:
    with pytest.raises(
        bpe.CorpusError,
        match=r"The word-end mark '_' is also a character of the text; .* such as </w>",
    ):
        _tokenizer(["snake_case", "foo_bar"], word_end="_", word_end_as=place, units=units)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"word_end": "</w>", "force": [("a", "b</w>")]}, "begins a word"),
        ({"word_end": "Ġ", "units": "bytes", "full_alphabet": True}, "also a character"),
    ],
)
def test_with_a_prefix_no_merge_makes_the_name_of_another_token(
    options: dict[str, object], words: str
) -> None:
    with pytest.raises(bpe.BpeError, match=words):
        _tokenizer(["ab", "b"], continuing="##", word_end_as="on-last-character", **options)
