"""Marks and prefixes that the text spells itself: what is encoded decodes to itself, or is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tokenizers
from hypothesis import example, given
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.files.third_party.opening import load
from tests.engine import textbook_twin

_LETTERS = "ab_#<>"


def _tokenizer(words: list[str], **options: object) -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset("textbook", split="whitespace", unknown=None, merges=12, **options)
    return bpe.train(bpe.Corpus.from_text(" ".join(words), config), config).tokenizer()


_WORDS = st.lists(st.text(_LETTERS, min_size=1, max_size=6), min_size=1, max_size=5)
_MARKS = st.sampled_from(["_", "<>", "a>", "</w>", ">"])
_PREFIXES = st.sampled_from(["#", "##", "a", "_a"])


@given(
    learned=_WORDS,
    words=_WORDS,
    options=st.one_of(
        st.fixed_dictionaries(
            {"word_end": _MARKS, "word_end_as": st.sampled_from(["own-symbol", "on-last-character"])}
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
def test_what_is_encoded_comes_back(learned: list[str], words: list[str], options: dict[str, str], units: str) -> None:
    try:
        tokenizer = _tokenizer(learned * 2, units=units, **options)
    except bpe.CorpusError as refusal:
        assert "also a character of the text" in str(refusal) or "can be read in two ways" in str(refusal)
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
def test_a_mark_of_one_character_of_the_text_is_refused_before_training(place: str, units: str) -> None:
    with pytest.raises(
        bpe.CorpusError, match=r"The word-end mark '_' is also a character of the text; .* such as </w>"
    ):
        _tokenizer(["snake_case", "foo_bar"], word_end="_", word_end_as=place, units=units)


@pytest.mark.parametrize("text", ["xyz", "aa", ""])
def test_a_mark_that_is_the_name_of_a_byte_is_refused_with_all_bytes_also_where_no_word_has_it(text: str) -> None:
    config = bpe.TrainingConfig.preset(
        "raw", vocab_size=None, merges=3, split="regex:a+", full_alphabet=True, word_end="_", word_end_as="own-symbol"
    )
    with pytest.raises(bpe.CorpusError, match=r"With the word-end mark '_', the symbol '_' can be read in two ways; "):
        bpe.train(bpe.Corpus.from_text(text, config), config)
    config = config.replace(word_end="</w>")
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    assert len(run.alphabet) == 256 + ("a" in text)


@pytest.mark.parametrize("units", ["characters", "bytes"])
def test_a_prefix_and_a_mark_of_one_character_are_told_apart(units: str) -> None:
    tokenizer = _tokenizer(["a", "wa"] * 3, continuing="a", word_end="_", word_end_as="on-last-character", units=units)
    encoding = tokenizer.encode("a wa")
    assert encoding.tokens[0] == "a_"
    assert tokenizer.decode(encoding.ids) == "a wa"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"continuing": "##"}, ["##", "##a", "##", "a##", "b"]),
        ({"word_end": "<>", "word_end_as": "on-last-character"}, ["b<>b<>", "bb<>bb", "a", "b<>b"]),
    ],
)
def test_hugging_face_gives_the_same_text_back(options: dict[str, str], words: list[str], tmp_path: Path) -> None:
    import tokenizers

    tokenizer = _tokenizer(words * 3, **options)
    tokenizer.save(tmp_path / "out")
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / "tokenizer.json"))
    text = " ".join(words)
    ids = tokenizer.encode(text).ids
    assert theirs.encode(text).ids == ids == load(tmp_path / "out").encode(text).ids
    assert theirs.decode(ids, skip_special_tokens=False) == text == load(tmp_path / "out").decode(ids)


def _twin_offsets(tokenizer: bpe.Tokenizer, text: str, preset: str) -> list[tuple[str, tuple[int, int]]]:
    """The tokens of each word and their places, symbol by symbol; a mark is at the character beside it."""
    tokens, merges = tokenizer.model.tokens, tokenizer.model.merges
    named = [(tokens[left], tokens[right], tokens[new]) for left, right, new in merges]
    found: list[tuple[str, tuple[int, int]]] = []
    for word in re.finditer(r"\S+", text):
        places = [(at, at + 1) for at in range(*word.span())]
        symbols, sides = list(word.group()), 0
        if preset == "sentencepiece":
            symbols, places, sides = ["▁", *symbols], [places[0], *places], 1
        elif preset == "sennrich":
            symbols, places = [*symbols, "</w>"], [*places, places[-1]]
        else:
            symbols[-1] += "</w>"
        symbols = [symbol if symbol in tokens else "<unk>" for symbol in symbols]
        lengths = dict.fromkeys({*symbols}, 1)
        for left, right, new in named:
            if left in lengths and right in lengths:
                lengths.setdefault(new, lengths[left] + lengths[right])
        at = 0
        for token in textbook_twin.encode(symbols, named):
            place = places[at][0], places[at + lengths[token] - 1][1]
            at += lengths[token]
            if sides and token == "<unk>" == found[-1][0] and found[-1][1][1] == place[0]:
                found[-1] = token, (found[-1][1][0], place[1])
            else:
                found.append((token, place))
    return found


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bpe.Tokenizer, tokenizers.Tokenizer]]:
    """Tokenizers with marks, each with the same one in the library."""
    made = {}
    for preset in ("sennrich", "subword-nmt", "sentencepiece"):
        config = bpe.TrainingConfig.preset(preset, unknown="<unk>", normalize=(), merges=9, min_frequency=1)
        tokenizer = bpe.train(bpe.Corpus.from_text("hug hugs pug pun bun", config), config).tokenizer()
        folder = tmp_path_factory.mktemp(preset)
        tokenizer.save(folder)
        made[preset] = tokenizer, tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    return made


@pytest.mark.parametrize("preset", ["sennrich", "subword-nmt", "sentencepiece"])
@given(words=st.lists(st.text("hugspnb😀xé", min_size=1, max_size=5), max_size=4), space=st.sampled_from([" ", "  "]))
@example(["hug", "😀"], " ")
@example(["😀", "pugs😀"], "  ")
def test_offsets_of_marks_beside_any_character_are_those_of_the_library(
    marked: dict[str, tuple[bpe.Tokenizer, tokenizers.Tokenizer]], preset: str, words: list[str], space: str
) -> None:
    text = space.join(words)
    tokenizer, library = marked[preset]
    found, theirs = tokenizer.encode(text), library.encode(text, add_special_tokens=False)
    places = [(start, end) for start, end in found.offsets]
    assert (found.tokens, places) == (theirs.tokens, theirs.offsets)
    assert list(zip(found.tokens, places, strict=True)) == _twin_offsets(tokenizer, text, preset)
