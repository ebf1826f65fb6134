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

_BLOCK = 1 << 11
"""A divisor of the first and the last surrogate."""
SHARED_PROPERTY = regex.compile(
    r"L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Alphabetic|White_Space|Han|Hiragana|Katakana|Hangul|Latin"
    r"|Greek|Cyrillic|Arabic|Hebrew|Devanagari|Thai"
)


class Untranslatable(Exception):  # noqa: N818 - caught by the format modules, which add their own sentence
    """A part of an expression has no counterpart in the other dialect; the text of the error names the part."""


@lru_cache(maxsize=1)
def _everything() -> tuple[str, ...]:
    """All characters in blocks: one call for all of them would keep the interpreter's lock, and the window waits."""
    starts = [*range(0, 0xD800, _BLOCK), *range(0xE000, 0x110000, _BLOCK)]
    return tuple("".join(map(chr, range(start, start + _BLOCK))) for start in starts)


@lru_cache(maxsize=1)
def cased() -> str:
    """The characters that have more than one case."""
    pattern = regex.compile(r"[\p{Changes_When_Casemapped}\p{Changes_When_Casefolded}]")
    return "".join("".join(pattern.findall(block)) for block in _everything())


@lru_cache(maxsize=256)
def ranges(class_pattern: str, among: str | None = None) -> str:
    """The code points that a one-character expression of `regex` matches, as the inside of a class."""
    try:
        pattern = regex.compile(class_pattern)
        found = [ord(c) for block in ((among,) if among else _everything()) for c in pattern.findall(block)]
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
