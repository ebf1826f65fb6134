r"""Character classes of Python's `regex` and of Oniguruma: the inside of a `[...]` in either dialect.

Classes that only `regex` has are written as code points, which both dialects read.
"""

from __future__ import annotations

from functools import lru_cache

import regex

WORD_CLASS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}"
"""The word characters of `regex`, as the inside of an Oniguruma class."""

ONIG_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\xb2\xb3\xb9\xbc-\xbe"
"""The word characters of Oniguruma: without joiners, but with the superscripts and fractions of Latin-1."""

SHARED_PROPERTY = regex.compile(
    r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Alphabetic|White_Space|Han|Hiragana|Katakana|Hangul|Latin"
    r"|Greek|Cyrillic|Arabic|Hebrew|Devanagari|Thai"
)


class Untranslatable(Exception):  # noqa: N818 - caught by the format modules, which add their own sentence
    """A part of an expression has no counterpart in the other dialect; the text of the error names the part."""


@lru_cache(maxsize=1)
def _everything() -> str:
    return "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))


@lru_cache(maxsize=1)
def cased() -> str:
    """The characters that have more than one case."""
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
    """A character as an escape that both dialects read, inside and outside of a class."""
    char = chr(point)
    return char if char.isascii() and char.isalnum() else f"\\x{{{point:x}}}"
