r"""Finds out whether white space bounds the matches of a custom expression.

If it does, the parts of a text between white space can be split separately, and each distinct one once. It does if
white space is to the expression what the end of a text is:

- no part that consumes a character matches white space, so that it fails there as it fails at the end; this includes
  look-around;
- it has no anchors, which distinguish the ends of a text from white space. `\b` and `\B` are not anchors: a word
  character is next to both in the same way;
- it never matches the empty text, which it might match at white space.

Only the plain grammar is read: characters, escapes, sets, groups, quantifiers, alternatives, look-around. With whatever
else `regex` supports (flags, recursion, fuzzy matching, verbs), an expression counts as not bounded.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from bpe_studio.engine.splits.regex_parser import CHARACTER, SET

_WHITE_SPACE = "".join(regex.findall(r"\s", "".join(map(chr, range(0x3001)))))
_GROUPS = ("?:", "?>", "?=", "?!", "?<=", "?<!", "?i:")
_PLAIN = regex.compile(r"[)|]|\\[bB]|(?:[*+?]|\{\d+(?:,\d*)?\}|\{,\d+\})[?+]?")
"""Constructs that consume no character: ends of groups, alternatives, word boundaries and quantifiers."""


@lru_cache(maxsize=64)
def bounded_form(split: str) -> str | None:
    r"""The expression of a split whose matches white space bounds, without captures; `None` for any other split.

    >>> bounded_form(r"regex:([a-z])+|[^a-z\s]")
    '(?:[a-z])+|[^a-z\\s]'
    >>> bounded_form("regex: ?[a-z]+")
    """
    pattern = split.removeprefix("regex:")
    place = 0
    form = ""
    while place < len(pattern):
        rest = pattern[place:]
        if rest[0] == "(":
            opening = next((name for name in _GROUPS if rest.startswith(name, 1)), "")
            if not opening and rest.startswith(("(?", "(*")):
                return None
            form += f"({opening or '?:'}"
            place += 1 + len(opening)
            continue
        part = _PLAIN.match(rest)
        if not part:
            part = SET.match(rest) or CHARACTER.match(rest)
            if not part or _takes_white_space(part.group()):
                return None
        form += part.group()
        place += part.end()
    return form if _never_empty(pattern) else None


def _takes_white_space(atom: str) -> bool:
    try:
        return regex.search(f"(?i:{atom})|(?:{atom})", _WHITE_SPACE) is not None
    except regex.error:
        return True


def _never_empty(pattern: str) -> bool:
    try:
        return regex.search(pattern, "") is None
    except regex.error:
        return False
