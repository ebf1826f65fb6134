r"""Compares two dialects of regular expressions: Python's `regex`, and Oniguruma, which Hugging
Face's tokenizers run.

The two differ in details that change where a text is cut: in Oniguruma, `\w` matches ² but no
joiners, `$` matches at the end of every line, and `{1,3}+` is not a possessive quantifier. No
expression is rewritten: one that is not known to mean the same in both counts as different.
"""

from __future__ import annotations

from functools import cache

import regex

MAX_CHARACTERS = 20_000
_PROPERTY = (
    r"\\[pP]\{(?:L[ultmo]?|M[nce]?|N[dlo]?|P[cdseifo]?|S[mcko]?|Z[slp]?|Han|Hiragana|Katakana|Hangul|Latin|Greek"
    r"|Cyrillic|Arabic|Hebrew|Devanagari|Thai)\}|\\p[LMNPSZ]"
)
_ESCAPE = rf"\\[rntfvsSdD]|\\[^\w\s]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{{4}}|{_PROPERTY}"
_IN_SET = rf"(?:{_ESCAPE}|[^][\\&~|-]|[&~|](?![&~|]))"
_SET = rf"\[\^?(?:{_IN_SET}(?:-{_IN_SET})?|-(?=\]))+\]"
_ONE = rf"(?:{_ESCAPE}|{_SET}|[^][\\(){{}}*+?|^$])"
# Without i, of which Turkish has two, and letters that together are one letter, such as ﬆ.
_LETTERS = r"\(\?i:(?:(?!s[st]|f[fl])[a-hj-z'’|]|\[[a-hj-z]+\])+\)"
_COUNT = r"\{\d+(?:,\d*)?\}(?![+?])"


@cache
def _shared() -> regex.Pattern[str]:
    """The expression of all that both dialects have, compiled when it is first needed."""
    return regex.compile(
        rf"(?:{_LETTERS}|\(\?<[=!]{_ONE}\)|\((?:\?[:=!>])?|\)|\||(?:{_ONE}|(?<=\)))(?:[*+?][+?]?|{_COUNT})?)*+"
    )


def means_the_same(pattern: str) -> bool:
    r"""Whether an expression has the same matches in both dialects.

    >>> means_the_same(r"'(?i:[sdmt]|ll)| ?\p{L}+|\s+(?!\S)"), means_the_same(r"\w+|\p{N}{1,3}+")
    (True, False)
    """
    if len(pattern) > MAX_CHARACTERS or _shared().fullmatch(pattern) is None:
        return False
    try:
        # The two go on differently after a match of nothing.
        return regex.fullmatch(pattern, "") is None
    except regex.error:
        return False
