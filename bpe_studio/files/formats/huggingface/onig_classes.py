r"""Classes of characters as Python's `regex` and Oniguruma know them: the inside of a `[...]` in either dialect.

What only `regex` knows is spelled out as code points, which both understand.
"""

from __future__ import annotations

from functools import lru_cache

import regex

WORD_CLASS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}"
"""What `regex` counts as a word character, as the inside of an Oniguruma class."""

ONIG_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\xb2\xb3\xb9\xbc-\xbe"
"""What Oniguruma counts as a word character: not the joiners, but superscripts and fractions of Latin-1."""

SHARED_PROPERTY = regex.compile(
    r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Alphabetic|White_Space|Han|Hiragana|Katakana|Hangul|Latin"
    r"|Greek|Cyrillic|Arabic|Hebrew|Devanagari|Thai"
)


class Untranslatable(Exception):  # noqa: N818 - caught by the format modules, which say it in their own sentence
    """A part of an expression that the other dialect does not have; its text names the part."""


@lru_cache(maxsize=1)
def _everything() -> str:
    return "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


@lru_cache(maxsize=1)
def cased() -> str:
    """The characters that have another case; the others are only like themselves."""
    return "".join(regex.findall(r"[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]", _everything()))


@lru_cache(maxsize=256)
def ranges(class_pattern: str, among: str | None = None) -> str:
    """The code points that a one-character expression of `regex` matches, as the inside of a class."""
    try:
        found = [ord(c) for c in regex.findall(class_pattern, among or _everything())]
    except (regex.error, TypeError):
        raise Untranslatable(class_pattern) from None
    if not found:
        raise Untranslatable(f"{class_pattern}, which matches nothing")
    parts, start = [], found[0]
    for here, following in zip(found, [*found[1:], -2], strict=True):
        if following != here + 1:
            parts.append(code(start) if start == here else f"{code(start)}-{code(here)}")
            start = following
    return "".join(parts)


def code(point: int) -> str:
    """A character as both dialects take it, in a class and outside."""
    char = chr(point)
    return char if char.isascii() and char.isalnum() else f"\\x{{{point:x}}}"
