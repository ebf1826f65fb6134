"""Measures of a text by group: against a recount, and the groups of a text add up to the whole."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

import bpe_studio as bpe
from bpe_studio.engine.text.utf8 import to_bytes
from bpe_studio.explain.group_measures import ALL, GroupMeasures, Row
from tests.campaigns import texts as random_texts

_TEXT = "The dog's Привет мир, سلام  دنیا 中文 x2 😀!\n\n a\u0301b"
_ADDED = ("n_tokens", "n_bytes", "n_characters", "n_words", "n_single")


@cache
def _tokenizer(preset: str) -> bpe.Tokenizer:
    config = bpe.TrainingConfig.preset(
        preset, merges=120, unknown=None if preset == "gpt2" else "[UNK]"
    )
    return bpe.train(bpe.Corpus.from_text(_TEXT * 9, config), config).tokenizer()


def _measures(
    tokenizer: bpe.Tokenizer, *texts: tuple[str, str], by_script: bool = False
) -> GroupMeasures:
    """The measures of texts, each with its group."""
    found = GroupMeasures(tokenizer.vocab_size, by_script=by_script)
    for text, group in texts:
        encoding = tokenizer.encode(text)
        found.add(text, encoding.id_array, encoding.offset_array, group)
    return found


def _single_words(tokenizer: bpe.Tokenizer, text: str) -> int:
    """Words that one token touches, place by place."""
    n_single = 0
    found = tokenizer.encode(text).offsets
    place = 0
    for word in text.split():
        start = text.index(word, place)
        place = start + len(word)
        n_single += sum(a < place and b > start for a, b in found) == 1
    return n_single


@pytest.mark.parametrize("preset", ["gpt2", "textbook", "sennrich"])
def test_the_whole_is_what_a_recount_gives(preset: str) -> None:
    tokenizer = _tokenizer(preset)
    rng = random.Random(4)
    texts = [_TEXT, "", " \n", *(random_texts.text(rng, 8, strays=0.3) for _ in range(40))]
    measures = _measures(tokenizer, *((text, ALL) for text in texts), by_script=True)
    (name, row), *_ = measures.rows()
    ids = Counter(number for text in texts for number in tokenizer.encode(text).ids)
    n_tokens = sum(ids.values())
    n_words = sum(len(text.split()) for text in texts)
    assert name == ALL
    assert row["n_tokens"] == n_tokens
    assert row["bytes_per_token"] == sum(len(to_bytes(text)) for text in texts) / n_tokens
    assert row["chars_per_token"] == sum(map(len, texts)) / n_tokens
    assert row["fertility"] == n_tokens / n_words
    assert (
        row["single_token_words"] == sum(_single_words(tokenizer, text) for text in texts) / n_words
    )
    assert row["vocabulary_used"] == len(ids) / tokenizer.vocab_size
    tallies = measures._tallies
    for attribute in _ADDED[1:]:
        assert sum(getattr(tallies[each], attribute) for each in tallies if each != ALL) == getattr(
            tallies[ALL], attribute
        )
    assert (
        sum((tally.uses for each, tally in tallies.items() if each != ALL), Counter())
        == tallies[ALL].uses
    )


def test_a_word_belongs_to_the_script_of_its_first_letter() -> None:
    measures = _measures(
        _tokenizer("gpt2"), ("  (dog) 12 سلام، Привет 中文\n", ALL), by_script=True
    )
    n_words = {name: measures._tallies[name].n_words for name in measures._tallies}
    assert n_words == {ALL: 5, "Latin": 1, "Common": 1, "Arabic": 1, "Cyrillic": 1, "Han": 1}
    sizes = {name: measures._tallies[name].n_characters for name in measures._tallies}
    assert sizes == {ALL: 27, "Latin": 7, "Common": 3, "Arabic": 6, "Cyrillic": 7, "Han": 4}


def test_a_mark_alone_belongs_to_its_word() -> None:
    config = bpe.TrainingConfig.preset("sennrich", merges=0)
    tokenizer = bpe.train(bpe.Corpus.from_text("a б", config), config).tokenizer()
    measures = _measures(tokenizer, ("a б a", ALL), by_script=True)
    assert {
        name: (row["n_tokens"], row["single_token_words"]) for name, row in measures.rows()
    } == {
        ALL: (6, 0.0),
        "Latin": (4, 0.0),
        "Cyrillic": (2, 0.0),
    }


def test_groups_of_texts_come_in_the_order_of_the_texts() -> None:
    measures = _measures(_tokenizer("gpt2"), ("one", "b"), ("two three", "a"), ("four", "b"))
    rows: dict[str, Row] = dict(measures.rows())
    assert list(rows) == [ALL, "b", "a"]
    alone = _measures(_tokenizer("gpt2"), ("one", ALL), ("four", ALL))
    assert rows["b"] == dict(alone.rows())[ALL]


def _paid(*texts: tuple[str, str], by_script: bool = False) -> str:
    return ". ".join(_measures(_tokenizer("gpt2"), *texts, by_script=by_script).price)


def test_scripts_are_compared_per_character_and_words_do_not_matter() -> None:
    text = "dog cat the a sea. " * 40 + "भाषा मॉडल पाठ " * 40 + "今天天气很好" * 40
    found = dict(_measures(_tokenizer("gpt2"), (text, ALL), by_script=True).rows())
    paid = {name: 1 / float(row["chars_per_token"]) for name, row in found.items()}
    said = _paid((text, ALL), by_script=True)
    for name in ("Devanagari", "Han"):
        assert name in said and f"{paid[name] / paid['Latin']:.1f} times" in said
    assert said.startswith("Per character, Devanagari pays") and "A character of Han" in said


def test_parallel_texts_are_compared_as_they_are() -> None:
    texts = ("dog cat\n" * 50, "en"), ("भाषा मॉडल\n" * 50, "hi")
    rows = dict(_measures(_tokenizer("gpt2"), *texts).rows())
    ratio = int(rows["hi"]["n_tokens"]) / int(rows["en"]["n_tokens"])
    assert f"hi pays {ratio:.1f} times what en pays" in _paid(*texts) and "50 lines" in _paid(
        *texts
    )
    assert "character" in _paid(texts[0], (texts[1][0] + "भाषा\n", "hi")), "these are not parallel"


def test_there_is_no_price_of_one_group_or_of_a_few_tokens() -> None:
    assert _paid(("dog cat\n" * 50, "en")) == _paid(("dog cat\n" * 50, "en"), ("سلام", "fa")) == ""
