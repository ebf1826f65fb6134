"""What a tokenizer makes of text: ids, offsets, specials, unknown characters, and the way back."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bpe_studio as bpe
from tests.engine import corpora, texts
from tests.engine.rules import RULES
from tests.engine.textbook_twin import STAND_INS, content_of


def _tokenizer(preset: str, text: str, **options: object) -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset(preset, **({"merges": 60, "vocab_size": None} | options))
    return bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()


_MIXED = texts.mixed(150, seed=11)
_BYTES = {"gpt2": None, "raw": None}


def _bytes_tokenizer(preset: str) -> bpe.Tokenizer:
    if _BYTES[preset] is None:
        _BYTES[preset] = _tokenizer(preset, _MIXED, min_frequency=2)
    return _BYTES[preset]


@pytest.mark.parametrize("preset", list(_BYTES))
@given(
    text=st.one_of(corpora.any_text(), st.text(st.sampled_from(sorted(set(_MIXED))), max_size=40))
)
def test_offsets_of_bytes_are_code_points(preset: str, text: str) -> None:
    encoding = _bytes_tokenizer(preset).encode(text)
    character_of = [i for i, character in enumerate(text) for _ in character.encode()]
    place = 0
    expected = []
    for token in encoding.tokens:
        end = place + len(content_of(token))
        expected.append((character_of[place], character_of[end - 1] + 1))
        place = end
    assert [tuple(offset) for offset in encoding.offsets] == expected
    assert place == len(character_of)


@given(words=corpora.words(), between=st.sampled_from([" ", "  ", "\n", " \r\n\t "]))
def test_offsets_of_characters(words: list[str], between: str) -> None:
    text = between + between.join(words)
    tokenizer = _tokenizer("textbook", text, split="whitespace")
    encoding = tokenizer.encode(text)
    assert [text[start:end] for start, end in encoding.offsets] == list(encoding.tokens)
    covered = [i for start, end in encoding.offsets for i in range(start, end)]
    assert covered == [i for i, character in enumerate(text) if not character.isspace()]


@given(words=corpora.words())
def test_offsets_leave_marks_out(words: list[str]) -> None:
    text = " ".join(words)
    for preset in ("sennrich", "subword-nmt"):
        encoding = _tokenizer(preset, text, min_frequency=1).encode(text)
        assert [text[start:end] for start, end in encoding.offsets] == [
            t.removesuffix("</w>") for t in encoding.tokens
        ]
        assert list(encoding.offsets) == sorted(encoding.offsets)
    encoding = _tokenizer("textbook", text, split="whitespace", continuing="##").encode(text)
    assert [text[start:end] for start, end in encoding.offsets] == [
        t.removeprefix("##") for t in encoding.tokens
    ]


def test_a_mark_of_its_own_has_the_place_of_the_last_character() -> None:
    tokenizer = _tokenizer("sennrich", "ab cd", merges=0)
    encoding = tokenizer.encode("ab  cd")
    assert list(encoding.tokens) == ["a", "b", "</w>", "c", "d", "</w>"]
    assert [tuple(o) for o in encoding.offsets] == [(0, 1), (1, 2), (1, 2), (4, 5), (5, 6), (5, 6)]


def test_a_token_of_part_of_a_normalized_character_covers_it() -> None:
    encoding = _tokenizer("gpt2", "a", normalize="nfc", merges=0).encode("xe\u0301y")
    assert encoding.offsets == [(0, 1), (1, 3), (1, 3), (3, 4)]


@pytest.mark.parametrize(
    ("names", "text", "tokens", "offsets"),
    [
        (("nfc",), "xe\u0301y", ["x", "é", "y"], [(0, 1), (1, 3), (3, 4)]),
        (("nfd",), "xéy", ["x", "e", "\u0301", "y"], [(0, 1), (1, 2), (1, 2), (2, 3)]),
        (("nfkc",), "aﬁx", ["a", "f", "i", "x"], [(0, 1), (1, 2), (1, 2), (2, 3)]),
        (
            ("nfkd",),
            "½é",
            ["1", "\u2044", "2", "e", "\u0301"],
            [(0, 1), (0, 1), (0, 1), (1, 2), (1, 2)],
        ),
        (("lowercase",), "ABC", ["a", "b", "c"], [(0, 1), (1, 2), (2, 3)]),
        (("lowercase",), "İx", ["i", "\u0307", "x"], [(0, 1), (0, 1), (1, 2)]),
        (("strip-accents",), "éa", ["e", "a"], [(0, 1), (1, 2)]),
        (("nfd", "strip-accents", "lowercase"), "É\u0302XÉ", ["e", "x", "e"], None),
        (("nfc",), "\u1100\u1161\u11a8z", ["각", "z"], [(0, 3), (3, 4)]),
    ],
)
def test_offsets_point_into_the_text_as_given(names, text: str, tokens: list[str], offsets) -> None:
    tokenizer = _tokenizer("textbook", text, split="none", normalize=names, merges=0)
    encoding = tokenizer.encode(text)
    assert list(encoding.tokens) == tokens
    if offsets is not None:
        assert [tuple(offset) for offset in encoding.offsets] == offsets
    assert all(0 <= start < end <= len(text) for start, end in encoding.offsets)


@given(
    text=st.text(st.sampled_from("aeé\u0301\u0327ﬁ½ÅİX각\u1100\u1161 Ⅳ😀"), max_size=12),
    names=st.lists(
        st.sampled_from(["nfc", "nfd", "nfkc", "nfkd", "lowercase"]), max_size=3, unique=True
    ),
)
def test_normalizing_in_order(text: str, names: list[str]) -> None:
    tokenizer = _tokenizer("raw", text, normalize=tuple(names), merges=0)
    expected = text
    for name in names:
        expected = (
            expected.lower()
            if name == "lowercase"
            else unicodedata.normalize(name.upper(), expected)
        )
    encoding = tokenizer.encode(text)
    assert b"".join(content_of(token) for token in encoding.tokens).decode() == expected
    assert list(encoding.offsets) == sorted(encoding.offsets)
    assert all(0 <= start < end <= len(text) for start, end in encoding.offsets)
    assert {i for start, end in encoding.offsets for i in range(start, end)} == set(
        range(len(text))
    )


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("Z\u0344", "nfc", [(0, 1), *[(1, 2)] * 4]),  # the mark becomes two, of two bytes each
        ("aZ\u0344b", "nfkd", [(0, 1), (1, 2), *[(2, 3)] * 4, (3, 4)]),
        ("e\u0308\u0301x", "nfc", [(0, 2), (0, 2), (2, 3), (2, 3), (3, 4)]),
    ],
)
def test_a_mark_is_where_it_comes_from(
    text: str, form: str, expected: list[tuple[int, int]]
) -> None:
    tokenizer = _tokenizer("raw", text, normalize=(form,), merges=0)
    assert list(tokenizer.encode(text).offsets) == expected


def test_merges_that_spell_a_symbol_do_not_make_it_before_they_apply() -> None:
    marks = {"continuing": "##", "word_end": "@", "word_end_as": "on-last-character"}
    config = bpe.TrainingConfig.preset("sennrich", split="none", unknown="[UNK]", merges=1, **marks)
    run = bpe.train(bpe.Corpus.from_text("##", config), config)
    tokenizer = run.tokenizer()
    assert tokenizer.encode("##").tokens == ["##@"], "a # and a ##, which ends with the mark"
    assert tokenizer.at(0).model == run.tokenizer(0).model
    assert (
        tokenizer.at(0).encode("#@#").tokens
        == tokenizer.encode("#@#", step=0).tokens
        == ["#", "[UNK]", "###@"]
    )


def test_special_tokens_are_found_in_a_text_or_are_text() -> None:
    tokenizer = _tokenizer("gpt2", "hello hello world", special=("<|endoftext|>", "<pad>"))
    text = "hello<|endoftext|> world<pad>"
    plain = tokenizer.encode(text, recognize_special=False)
    marked = tokenizer.encode(text)
    assert not {0, 1} & set(plain.ids)
    assert tokenizer.decode(plain.ids) == text
    assert [i for i in marked.ids if i < 2] == [0, 1]
    at = marked.ids.index(0)
    assert (marked.tokens[at], tuple(marked.offsets[at])) == ("<|endoftext|>", (5, 18))
    assert tuple(marked.offsets[-1]) == (24, 29)
    assert tokenizer.decode(marked.ids) == text
    assert tokenizer.decode(marked.ids, skip_special_tokens=True) == "hello world"
    assert marked.ids[:at] == tokenizer.encode("hello").ids
    assert marked.ids[at + 1 : -1] == tokenizer.encode(" world").ids


def test_the_longest_special_wins_where_several_fit() -> None:
    tokenizer = _tokenizer("raw", "abab", special=("<a>", "<a><b>"), split="none")
    assert list(tokenizer.encode("<a><b><a>").tokens) == ["<a><b>", "<a>"]


def test_unknown_characters_one_by_one() -> None:
    tokenizer = _tokenizer("textbook", "abab ab", merges=1)
    encoding = tokenizer.encode("abxxyab z")
    assert list(encoding.tokens) == ["ab", "[UNK]", "[UNK]", "[UNK]", "ab", "[UNK]"]
    assert [tuple(o) for o in encoding.offsets] == [(0, 2), (2, 3), (3, 4), (4, 5), (5, 7), (8, 9)]
    unknown = tokenizer.model.unknown_id
    assert [i == unknown for i in encoding.ids] == [False, True, True, True, False, True]


def test_unknown_text_never_merges() -> None:
    tokenizer = _tokenizer("textbook", "UNK [UNK UNK] NK", split="whitespace", unknown="[UNK]")
    assert tokenizer.encode("xNK").tokens[0] == "[UNK]"


@pytest.mark.parametrize("ties", ["huggingface", "first-seen", "greatest-bytes"])
def test_numbering_of_bytes(ties: str) -> None:
    special = ("<a>", "<b>")
    tokenizer = _tokenizer("raw", "abab abab", ties=ties, special=special, merges=2)
    assert tokenizer.convert_ids_to_tokens([0, 1]) == list(special)
    expected = sorted(STAND_INS) if ties == "huggingface" else STAND_INS
    assert tokenizer.convert_ids_to_tokens(list(range(2, 258))) == expected
    assert tokenizer.convert_ids_to_tokens([258, 259]) == ["ab", "abab"]


def test_numbering_of_characters() -> None:
    tokenizer = _tokenizer("textbook", "cab cab é", merges=1, special=("<s>",), unknown=None)
    assert tokenizer.convert_ids_to_tokens(list(range(6))) == ["<s>", "a", "b", "c", "é", "ca"]


def test_numbering_of_sentencepiece() -> None:
    tokenizer = _tokenizer("sentencepiece", "ab ab abc abcd\n", merges=4)
    assert list(tokenizer.model.tokens) == [
        *("<unk>", "<s>", "</s>"),
        *("ab", "▁ab", "▁abc", "▁abcd"),
        *("a", "b", "▁", "c", "d"),
    ]
    assert tokenizer.vocab_size == 12


def test_names_and_ids_that_do_not_exist() -> None:
    tokenizer = _tokenizer("gpt2", "hello hello")
    for bad in ([tokenizer.vocab_size], [-1], [10**12]):
        with pytest.raises(bpe.VocabularyError, match=re.escape(f"{bad[0]:,}") + "|" + str(bad[0])):
            tokenizer.decode(bad)
        with pytest.raises(bpe.VocabularyError):
            tokenizer.convert_ids_to_tokens(bad)
    with pytest.raises(bpe.VocabularyError, match="no such token"):
        tokenizer.convert_tokens_to_ids(["no such token"])
    with_unknown = _tokenizer("textbook", "hello hello")
    assert with_unknown.convert_tokens_to_ids(["no such token"]) == [with_unknown.model.unknown_id]


def test_unknown_characters_without_a_token_for_them_are_refused() -> None:
    tokenizer = _tokenizer("textbook", "abab", unknown=None)
    with pytest.raises(bpe.VocabularyError, match="x"):
        tokenizer.encode("abx")
    only_seen = _tokenizer("raw", "abab", full_alphabet=False)
    with pytest.raises(bpe.VocabularyError):
        only_seen.encode("abx")


def test_part_of_a_character_decodes_to_the_replacement_sign() -> None:
    tokenizer = _tokenizer("raw", "a", merges=0)
    ids = tokenizer.encode("😀").ids
    assert tokenizer.decode(ids[:3]) == "\ufffd"
    assert tokenizer.decode_bytes(ids[:3]) == "😀".encode()[:3]
    assert tokenizer.decode(ids) == "😀"


@pytest.mark.parametrize("rule_name", list(RULES))
def test_ids_of_all_tokens_go_both_ways(rule_name: str) -> None:
    config = RULES[rule_name].config(merges=20)
    text = " ".join(texts.english(60).split())
    tokenizer = bpe.train(bpe.Corpus.from_text(text, config), config).tokenizer()
    ids = list(range(tokenizer.vocab_size))
    assert tokenizer.convert_tokens_to_ids(tokenizer.convert_ids_to_tokens(ids)) == ids
