"""Expressions that are said to mean the same cut the same text in the same places in both
dialects.
"""

from __future__ import annotations

import unicodedata

import pytest
import regex
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine.presets import PATTERNS
from bpe_studio.files.formats.huggingface.dialect import means_the_same
from tests.examples import examples

# Characters that one of the two tables may not know yet are left out: Python's own table is the
# older one here.
assigned = st.characters(exclude_categories=("Cs", "Cn", "Co"))
telling = st.sampled_from(" \n\r\t'’aZſKßÉ1²½_-.,/\u200c\u200déπΣςدن世界😀\u0301\u00a0\u2028\x1cǅ")
texts = st.text(st.one_of(telling, assigned), max_size=30)


def cut_by_peer(pattern: str, text: str) -> list[str]:
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed", invert=True)
    return [piece for piece, _ in split.pre_tokenize_str(text)]


def cut(pattern: str, text: str) -> list[str]:
    return [match.group() for match in regex.finditer(pattern, text) if match.group()]


NAMED = [pattern for pattern in PATTERNS.values() if means_the_same(pattern)]
OTHERS = [
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]",
    r"(?i:k|s|rt|'re)+|[\p{Lu}\p{Lt}]+|\P{M}",
    r"[!\-/:-@\[-`{-~\p{P}]|\d+|[^\S\n]+|.",
    r"(?<=a)b|(?<!\s)\S|(?>c*)d|a{2}|b{1,3}|x{0,}y",
    r"[一-龥぀-ゟ゠-ヿ]+|\u00e9|\p{Han}|\.",
]


@pytest.mark.slow(buys="two expression dialects on random texts")
@pytest.mark.parametrize("pattern", [*NAMED, *OTHERS])
def test_what_means_the_same_cuts_the_same(pattern):
    assert means_the_same(pattern)

    @settings(max_examples=examples(60))
    @given(texts)
    def check(text):
        assert cut_by_peer(pattern, text) == cut(pattern, text)

    check()


@given(st.text(st.sampled_from("ab()[]{}|\\^$.*+?1,-wWsSdpLuix:=!<>&~#P "), max_size=10), texts)
@settings(max_examples=examples(200))
def test_any_expression_that_is_said_to_mean_the_same_does(pattern, text):
    if means_the_same(pattern):
        try:
            expected = cut(pattern, text)
        except regex.error:
            return
        assert cut_by_peer(pattern, text) == expected


@pytest.mark.slow(buys="two expression dialects on every code point")
@pytest.mark.parametrize("pattern", NAMED)
def test_named_splits_agree_on_every_character(pattern):
    differing = []
    # Every letter of the alphabets, and every seventh character beyond them.
    points = [point for point in range(0x20000) if not 0xD800 <= point < 0xE000]
    known = [chr(point) for point in points if unicodedata.category(chr(point)) not in ("Cn", "Co")]
    telling = [char for i, char in enumerate(known) if i % 7 == 0 or ord(char) < 0x3000]
    for start in range(0, len(telling), 100):
        text = "".join(f"a{char}b 1{char}. {char}{char}\n" for char in telling[start : start + 100])
        if cut_by_peer(pattern, text) != cut(pattern, text):
            differing.append(telling[start : start + 100])
    assert differing == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"\w+",
        r"(a)\1",
        r"\X",
        r"\b",
        "^a",
        "a$",
        r"(?<=a+)b",
        "(?:cats){e<=1}",
        r"\N",
        "[a",
        "[[:alpha:]]",
        "[a&&b]",
        r"(?i)k",
        "(?i:i)",
        "(?i:ss)",
        r"(?i:\p{Lu})",
        r"\p{N}{1,3}+",
        "a{2}?",
        "(?|a|b)",
        r"\p{Script=Greek}",
        r"\R",
        "a|" * 20_000,
    ],
)
def test_what_may_mean_something_else_is_found(pattern):
    assert not means_the_same(pattern)
