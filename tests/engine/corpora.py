"""Hypothesis strategies for small corpora that hold what goes wrong: runs, ties, one-symbol words,
nothing at all.
"""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from tests.engine.rules import is_plain

_ALPHABETS = [
    "a",
    "ab",
    "ab",
    "abc",
    "abcd",
    "سل",
    "日本か",
    "éa\u0301",
    "😀a",
    "a1.",
    "👩\u200d👧",
]


_PLACE = st.integers(0, 59)
"""Chooses one of up to six by its remainder, all alike: a strategy for those that were drawn takes
long to make.
"""


@cache
def _distinct(alphabet: str) -> st.SearchStrategy[list[str]]:
    return st.lists(
        st.one_of(
            st.text(alphabet, min_size=1, max_size=7),
            st.tuples(st.sampled_from(alphabet), st.integers(1, 9)).map(
                lambda run: run[0] * run[1]
            ),
        ),
        max_size=6,
    )


@st.composite
def words(draw: st.DrawFn, alphabets: list[str] = _ALPHABETS, max_words: int = 12) -> list[str]:
    """Words over one alphabet of very few characters, with runs."""
    distinct = draw(_distinct(draw(st.sampled_from(alphabets))))
    if not distinct:
        return []
    return [distinct[place % len(distinct)] for place in draw(st.lists(_PLACE, max_size=max_words))]


def texts(max_words: int = 12) -> st.SearchStrategy[str]:
    """Those words with single spaces or line breaks between them; often short, sometimes empty."""
    return st.tuples(words(max_words=max_words), st.sampled_from([" ", "\n", " \n "])).map(
        lambda p: p[1].join(p[0])
    )


def any_text(max_size: int = 40) -> st.SearchStrategy[str]:
    """Anything Unicode has except lone surrogates.

    Often of few different characters, so that pairs repeat.
    """
    character = st.characters(exclude_categories=["Cs"])
    few = st.tuples(
        st.lists(character, min_size=1, max_size=4), st.lists(_PLACE, max_size=max_size)
    ).map(lambda p: "".join([p[0][place % len(p[0])] for place in p[1]]))
    return st.one_of(few, st.text(character, max_size=max_size))


def plain_text(max_size: int = 40) -> st.SearchStrategy[str]:
    """Any text in which every library finds the same white space."""
    return any_text(max_size).filter(is_plain)


def any_bytes(max_size: int = 40) -> st.SearchStrategy[bytes]:
    """Bytes, mostly not UTF-8: free ones, cut characters, and valid text with strays between."""
    pieces = st.sampled_from(
        [
            b"a",
            b"ab",
            b" ",
            b"\n",
            "é".encode(),
            "😀".encode(),
            b"\xf0\x9f",
            b"\x80",
            b"\xff",
            b"\xc3",
            b"\xed\xa0\x80",
        ]
    )
    return st.one_of(
        st.binary(max_size=max_size), st.lists(pieces, max_size=max_size // 2).map(b"".join)
    )
