"""A person's expressions as automata find what `regex` finds: random expressions and texts, all
code points.
"""

from __future__ import annotations

import numpy as np
import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bpe_studio.engine.presets import PATTERNS
from bpe_studio.engine.splits.automaton import Automaton, find_automaton
from tests.engine.splits.test_automaton import (
    check_every_code_point,
    cut,
    matched,
)
from tests.examples import examples

CHARACTERS = [
    "a",
    "b",
    "'",
    " ",
    ".",
    r"\n",
    r"\t",
    r"\w",
    r"\W",
    r"\s",
    r"\S",
    r"\d",
    r"\p{L}",
    r"\P{L}",
    r"\pN",
]
CHARACTERS += ["[ab]", "[^a]", r"[^\s\w]", r"[\r\n]", "(?i:s)", r"\x41", "é", r"\u3042", r"\."]
LOOKS = ["(?!a)", "(?=a)", r"(?!\S)", r"(?=\s|\Z)", r"(?!b|\Z)", "(?=$)", "$", r"\Z"]
QUANTIFIERS = [
    "",
    "",
    "",
    "*",
    "+",
    "?",
    "*?",
    "+?",
    "??",
    "{2}",
    "{1,2}",
    "{1,3}?",
    "{,2}",
    "{2,}",
]
POSSESSIVE = ["*+", "++", "?+", "{1,2}+", "{2,}+", "{3}+"]
TEXTS = [
    "ab ",
    "ab sS'\n",
    "aA1 .\n\t",
    "'''sStTlL\u017f\u0130ıé\u0301あ1²½_ \n\r\n\t\x85\xa0\u3000\u2028😀\udc80\ud83d\x00",
]

TYPED = [
    r"[A-Za-z]+|[^A-Za-z\s]+",
    r"(?i:'s|'t)|\w+|[^\w\s]",
    r"\s*\w+|\W",
    r" ?\w+|[^\w\s]",
    r".+?",
    r"[^.!?]+[.!?]*",
    r"\S+\s*",
    r"(?i)[a-zé]+|ß|ǆ|[^a-z]",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    PATTERNS["gpt2"].replace(r"\p{N}+", r"\p{N}{1,3}"),
    PATTERNS["o200k"],
    r"<[^>]*>|\w+|\W",
    r"(?P<word>\p{Lu}?\p{Ll}+)|(?<number>\d+)|[_\-]",
]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 0) -> str:
    """An expression of the plain kind, more or less."""
    ways = []
    for _ in range(draw(st.integers(1, 3))):
        parts = []
        for _ in range(draw(st.integers(1, 3))):
            kind = draw(st.integers(0, 9))
            if kind < 2 and depth < 2:
                opening = draw(st.sampled_from(["(?:", "(", "(?i:"]))
                parts.append(
                    f"{opening}{draw(expressions(depth + 1))}){draw(st.sampled_from(QUANTIFIERS))}"
                )
            elif kind == 2:
                parts.append(draw(st.sampled_from(LOOKS)))
            else:
                quantifiers = POSSESSIVE if kind == 3 else QUANTIFIERS
                parts.append(draw(st.sampled_from(CHARACTERS)) + draw(st.sampled_from(quantifiers)))
        ways.append("".join(parts))
    return "|".join(ways)


def found_by(automaton: Automaton, text: str, room: int = 64) -> list[str]:
    """The pre-tokens that the kernel finds, run as plain Python."""
    return cut(automaton, text.encode("utf-8", "surrogatepass"), room, is_plain=True)


@pytest.mark.slow(buys="hundreds of random expressions")
@settings(max_examples=examples(150))
@given(expressions(), st.data(), st.booleans())
def test_random_expressions_find_what_regex_finds(
    pattern: str, data: st.DataObject, by_line: bool
) -> None:
    try:
        regex.compile(pattern)
    except regex.error:
        assume(False)
    automaton = find_automaton(f"regex:{pattern}", by_line)
    assume(automaton is not None)
    for alphabet in TEXTS:
        text = data.draw(st.text(alphabet, max_size=16))
        room = data.draw(st.integers(1, 5))
        assert found_by(automaton, text, room) == matched(pattern, text, by_line)


@pytest.mark.slow(buys="each character is of the kinds that the expression asks for")
@pytest.mark.parametrize(
    "pattern", [pattern for pattern in TYPED if pattern not in PATTERNS.values()]
)
def test_every_code_point(pattern: str) -> None:
    automaton = find_automaton(f"regex:{pattern}")
    assert automaton is not None
    check_every_code_point(automaton, pattern, [("a", "A"), ("'", "s")])


@pytest.mark.parametrize("name", [name for name in PATTERNS if name != "digits-right"])
@pytest.mark.parametrize("by_line", [False, True])
def test_a_typed_expression_is_the_automaton_of_the_split_that_has_it(
    name: str, by_line: bool
) -> None:
    named = find_automaton(name, by_line)
    typed = find_automaton(f"regex:{PATTERNS[name]}", by_line)
    assert named is not None and typed is not None
    for one, other in zip((*named.tables, named.parts), (*typed.tables, typed.parts), strict=True):
        assert np.array_equal(one, other)


@settings(max_examples=examples(150))
@given(st.sampled_from(TYPED), st.sampled_from(TEXTS), st.data(), st.booleans())
def test_typed_expressions(pattern: str, alphabet: str, data: st.DataObject, by_line: bool) -> None:
    automaton = find_automaton(f"regex:{pattern}", by_line)
    assert automaton is not None
    text = data.draw(st.text(alphabet, max_size=40))
    assert found_by(automaton, text) == matched(pattern, text, by_line)
