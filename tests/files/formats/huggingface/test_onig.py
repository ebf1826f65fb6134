"""Both regex dialects cut the same text in the same places."""

from __future__ import annotations

import contextlib
import unicodedata

import pytest
import regex
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.engine.text.pretokenization import PATTERNS
from bpe_studio.files.formats.huggingface.onig import from_onig, to_onig
from bpe_studio.files.formats.huggingface.onig_classes import Untranslatable
from tests.examples import examples

# Characters that one of the two tables may not know yet are left out: Python's own table is the older one here.
assigned = st.characters(exclude_categories=("Cs", "Cn", "Co"))
telling = st.sampled_from(" \n\r\t'’aZſKßÉ1²½_-.,/\u200c\u200déπΣςدن世界😀\u0301\u00a0\u2028\x1cǅ")
texts = st.text(st.one_of(telling, assigned), max_size=30)


def cut_by_peer(pattern: str, text: str) -> list[str]:
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "removed", invert=True)
    return [piece for piece, _ in split.pre_tokenize_str(text)]


def cut(pattern: str, text: str) -> list[str]:
    return [match.group() for match in regex.finditer(pattern, text) if match.group()]


OTHERS = [
    r"\w+|\W",
    r"(?i:straSSe|ss|ﬀ)|.",
    r"(?i)[k-s]+|[^k-s]",
    r"^\S+|\S+$|(?m:^\s|.$)",
    r"(?s).{2}|.",
    r"(?s:.)\Z|\A.",
    r"\b\w|\w\b|\B.",
    r"(?:ab|\p{N}){1,3}+|a{2}?|a{,2}b|x{",
    r"(?P<name>a)|(b)|(?>c*)d(?#note)",
    r"(?x) a  b # two letters",
    r"(?<=a)b|(?<!\w)c",
    r"[\W\d]+|[^\W_]+",
    r"[]a\-^]+|[\x41-\u005a\U0001F600]|\x{e9}|\101?",
    r"\p{Script=Greek}+|\p{^L}|\P{Lu}|\p{InBasicLatin}",
    r"\p{Emoji}|\h+",
    r"[a&&b[]|[~~|-]",
]


@pytest.mark.slow(buys="two expression dialects on random texts")
@pytest.mark.parametrize("pattern", [*PATTERNS.values(), *OTHERS])
def test_the_rewritten_expression_cuts_the_same(pattern):
    try:
        rewritten = to_onig(pattern)
    except Untranslatable:
        assert pattern.startswith(r"[]a\-^]+")  # an octal escape has no counterpart
        return

    @settings(max_examples=examples(60))
    @given(texts)
    def check(text):
        assert cut_by_peer(rewritten, text) == cut(pattern, text)

    check()


@pytest.mark.slow(buys="two expression dialects on every code point")
@pytest.mark.parametrize("pattern", PATTERNS.values())
def test_named_splits_agree_on_every_character(pattern):
    rewritten = to_onig(pattern)
    differing = []
    # Every letter of the alphabets, and every seventh character beyond them.
    points = [point for point in range(0x20000) if not 0xD800 <= point < 0xE000]
    known = [chr(point) for point in points if unicodedata.category(chr(point)) not in ("Cn", "Co")]
    telling = [char for i, char in enumerate(known) if i % 7 == 0 or ord(char) < 0x3000]
    for start in range(0, len(telling), 100):
        text = "".join(f"a{char}b 1{char}. {char}{char}\n" for char in telling[start : start + 100])
        if cut_by_peer(rewritten, text) != cut(pattern, text):
            differing.append(telling[start : start + 100])
    assert differing == []


@pytest.mark.parametrize(
    "pattern",
    [
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]",
        r" ?[^(\s|[.,!?…。，、।۔،])]+",
        r"\w+|\W|\h",
        r"^a|a$|\z",
        r"(?m:.)|(?<n>b)",
        r"\p{N}{2}+|a{3}?",
        r"[一-龥぀-ゟ゠-ヿ]+|\u00e9|\x{1F600}",
        r"[!-/:-@\[-`{-~\p{P}]",
    ],
)
def test_a_foreign_expression_cuts_the_same_here(pattern):
    rewritten = from_onig(pattern)

    @settings(max_examples=examples(60))
    @given(texts)
    def check(text):
        assert cut(rewritten, text) == [piece for piece in cut_by_peer(pattern, text) if piece]

    check()


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1",
        r"(?R)",
        r"\X",
        r"(?<=a+)b",
        "(?:cats){e<=1}",
        r"a\Kb",
        r"(?|a|b)",
        r"(",
        r"[a",
        "\\",
        r"[[:alpha:]]",
        r"\N",
        r"(?i)\p{Lu}+|\d",
    ],
)
def test_what_has_no_counterpart_is_refused(pattern):
    with pytest.raises(Untranslatable):
        to_onig(pattern)


@given(st.text(st.sampled_from("ab()[]{}|\\^$.*+?1,-wWsSpLuix:=!<>&~#P "), max_size=14))
@settings(max_examples=examples(400))
def test_any_expression_is_rewritten_or_refused(pattern):
    for rewrite in (to_onig, from_onig):
        with contextlib.suppress(Untranslatable):
            rewrite(pattern)


@pytest.mark.parametrize("pattern", ["((a{1000}){1000}){1000}", "(" * 60 + ")" * 60, "a|" * 50_000, "a{99999999999}"])
def test_an_expression_that_grows_beyond_all_bounds_is_refused(pattern):
    for rewrite in (to_onig, from_onig):
        with pytest.raises(Untranslatable):
            rewrite(pattern)
