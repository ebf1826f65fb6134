"""The order of a concordance by the words next to the token: the nearest first, then those farther
away.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from bpe_studio.engine.text.cleaning import NO_SPACES


def outward(text: str, *, is_before: bool) -> list[str]:
    """The words and signs of a text from the token outward, to sort by.

    In a script that is written without spaces, each character is a word.

    Args:
        text: the text before the token, or the text after it.
        is_before: whether `text` is the text before the token.

    >>> outward("The old Cat, a ", is_before=True)
    ['a', ',', 'cat', 'old', 'the']
    >>> outward("ter 漢字", is_before=False)
    ['ter', '漢', '字']
    """
    words: list[str] = _words().findall(text.casefold())
    return words[::-1] if is_before else words


@lru_cache(maxsize=1)
def _words() -> regex.Pattern[str]:
    alone = "".join(rf"\p{{Script={name}}}" for name in sorted(NO_SPACES - {"Common"}))
    return regex.compile(rf"[{alone}]|[\w--[{alone}]]+|[^\w\s]", regex.V1)
