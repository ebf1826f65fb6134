"""Piece rules, each held to a plain test of the token itself."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_studio as bpe
from bpe_studio.engine.training import piece_rules
from bpe_studio.engine.training.candidates import rank_candidates, refusal
from bpe_studio.engine.training.piece_rules import PieceRule, PieceTable, Symbol
from tests.engine.rules import is_sentencepiece, log_of, log_of_twin
from tests.engine.textbook_twin import Twin, content_of, count_words
from tests.examples import IN_EACH_OF_MANY, examples

_MOST_WORDS = 4


def _phrase(symbol: Symbol) -> tuple[int, bool, str]:
    char = symbol.name
    return int(char != " "), char == " ", char if char in " :" else ""


def _joined_phrase(left: tuple[int, bool, str], right: tuple[int, bool, str]) -> object:
    n_words = left[0] + right[0] - int(left[2] != " " and not right[1])
    if n_words > _MOST_WORDS or (left[2] == ":" and right[1]):
        return None
    return n_words, left[1], right[2]


def _is_phrase(token: str) -> bool:
    return len(token.split()) <= _MOST_WORDS and ": " not in token


def _part_of_character(symbol: Symbol) -> object:
    byte = symbol.content[0]
    if byte < 0x80:
        return "whole"
    return -1 if byte < 0xC0 else 1 + (byte >= 0xE0) + (byte >= 0xF0)


def _joined_parts(left: object, right: object) -> object:
    """A number is that of the bytes that a character still misses, or has too many."""
    if "whole" in (left, right):
        return "whole" if left == right else None
    assert isinstance(left, int)
    assert isinstance(right, int)
    n = left + right
    if right > 0 or n < (-3 if left < 0 else 0):
        return None
    return n or "whole"


_WHOLE = re.compile(
    rb"(?:[\x00-\x7f]|[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xff][\x80-\xbf]{3})+"
)
_PART = re.compile(
    rb"[\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2}|[\x80-\xbf]{1,3}"
)


def _is_whole_or_part(token: str) -> bool:
    content = content_of(token)
    return bool(_WHOLE.fullmatch(content) or _PART.fullmatch(content))


@dataclass(frozen=True)
class Case:
    """Rules, the plain test of a token, and what texts are made of."""

    rules: tuple[PieceRule, ...]
    allows: Callable[[str], bool]
    letters: str
    units: str = "characters"


_PHRASES = PieceRule("it would be too long a phrase", _phrase, _joined_phrase)
_PARTS = PieceRule("it would end inside a character", _part_of_character, _joined_parts)
_ONE_SCRIPT = PieceRule("two scripts", piece_rules._script, piece_rules._common_script)
_NO_DIGIT = PieceRule(
    "a digit", lambda symbol: None if symbol.name in "01" else True, lambda left, right: True
)


def _is_phrase_of_one_script(token: str) -> bool:
    letters = re.sub("[^a-zа-я]", "", token)
    others = re.sub("[a-zа-я]", "", token)
    is_mixed = bool(re.search("[a-z]", letters)) + bool(re.search("[а-я]", letters))
    return _is_phrase(token) and is_mixed + bool(others) < 2


CASES = {
    "phrases": Case((_PHRASES,), _is_phrase, "aab  :"),
    "whole characters": Case((_PARTS,), _is_whole_or_part, "aéß€ह😀", "bytes"),
    "phrases of one script": Case((_ONE_SCRIPT, _PHRASES), _is_phrase_of_one_script, "abяб :"),
    "no digits": Case(
        (_NO_DIGIT,), lambda token: len(token) == 1 or not re.search("[01]", token), "ab01"
    ),
    "phrases without digits": Case(
        (_PHRASES, _NO_DIGIT),
        lambda token: _is_phrase(token) and (len(token) == 1 or not re.search("[01]", token)),
        "a0 : b",
    ),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def _text(case: Case, seed: int) -> str:
    chance = random.Random(seed)
    return "".join(chance.choices(case.letters, k=chance.randrange(2, 120)))


def _config(case: Case, **options: object) -> bpe.TrainingConfig:
    given = {
        "units": case.units,
        "split": "none",
        "min_frequency": 1,
        "unknown": None,
        "special": (),
    }
    return bpe.TrainingConfig.preset("textbook", **(given | options))


@every_case
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(seed=st.integers(0, 1 << 30), use_compiled=st.booleans())
def test_training_makes_what_the_rules_allow(case: Case, seed: int, use_compiled: bool) -> None:
    text = _text(case, seed)
    config = _config(case, merges=40)
    with patch.object(piece_rules, "rules_of", lambda config: iter(case.rules)):
        trainer = bpe.Trainer(bpe.Corpus.from_text(text, config), config, use_compiled=use_compiled)
        trainer.run()
        run = trainer.run_record
        words = count_words([text], units=case.units)
        is_characters = case.units == "characters"
        twin = Twin(words, allowed=case.allows, is_characters=is_characters).train(40)
        assert log_of(run) == log_of_twin(twin)
        step = random.Random(seed).randrange(len(run.merges) + 1)
        for each in rank_candidates(run, step, 1_000):
            assert case.allows(run.token_name(each.left) + run.token_name(each.right))
        ids = run.words_at(step).cut(0)
        names = list(map(run.token_name, ids))
        for place in range(1, len(ids)):
            pair = ids[place - 1], ids[place]
            assert bool(refusal(run, pair)) != case.allows("".join(names[place - 1 : place + 1]))


@every_case
@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(seed=st.integers(0, 1 << 30))
def test_what_can_be_made_is_found_in_any_order(case: Case, seed: int) -> None:
    chance = random.Random(seed)
    content = "".join(chance.choices(case.letters, k=chance.randrange(1, 7)))
    config = _config(case)
    run = bpe.Trainer(bpe.Corpus.from_text(content, config), config).run_record
    symbols = piece_rules.symbols_of(run.alphabet, config)
    table = PieceTable.of_rules(symbols, iter(case.rules))
    word = run.layout.symbols[1:-1].tolist()[:7]

    def can_make(first: int, end: int) -> bool:
        if end - first == 1:
            return True
        token = "".join(run.token_name(each) for each in word[first:end])
        cuts = range(first + 1, end)
        return case.allows(token) and any(can_make(first, at) and can_make(at, end) for at in cuts)

    assert table.can_make(word) == can_make(0, len(word))


def test_a_rule_that_refuses_nothing_takes_no_room() -> None:
    symbols = [Symbol("a", b"a", True), Symbol("b", b"b", True)]
    table = PieceTable.of_rules(symbols, iter((_NO_DIGIT, _ONE_SCRIPT)))
    assert not table.has_limits
    assert table.joins.shape == (1, 1)


@settings(max_examples=examples(IN_EACH_OF_MANY))
@given(text=st.text("ab漢か1.é\u0301я", min_size=2, max_size=12))
def test_the_reason_of_a_refusal_is_given(text: str) -> None:
    options = {
        "character_coverage": 1.0,
        "normalize": (),
        "merges": 0,
        "special": (),
        "unknown": None,
    }
    config = bpe.TrainingConfig.preset("sentencepiece", **options)
    run = bpe.train(bpe.Corpus.from_text(text, config), config)
    ids = run.words_at(0).cut(0)
    for left, right in zip(ids, ids[1:], strict=False):
        token = run.token_name(left) + run.token_name(right)
        assert ("scripts" in refusal(run, (left, right))) != is_sentencepiece(token)
