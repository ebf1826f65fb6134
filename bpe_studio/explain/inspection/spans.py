"""How far a finding reaches in its line: what is marked where its place is shown."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from bpe_studio.engine.text.cleaning import DATA, RUN, URL, special_tokens, words_of_scripts

_BRACKETED = re.compile(r"<[^<>\s]*>|\[[^\[\]\s]*\]")
_PATTERNS: dict[str, tuple[Callable[[], Any], ...]] = {
    "urls": (lambda: URL,),
    "base64": (lambda: DATA,),
    "hashes": (lambda: DATA,),
    "special_tokens": (special_tokens, lambda: _BRACKETED),
    "mixed_scripts": (words_of_scripts,),
    "character_runs": (lambda: RUN,),
}


def span_at(finding: str, text: str, place: int) -> tuple[int, int]:
    r"""From where to where a finding is in a line.

    Args:
        finding: its name.
        text: the line, or what is shown of it.
        place: its place there.

    >>> span_at("urls", "see http://example.org.", 8)
    (4, 22)
    >>> span_at("soft_hyphen", "wa\xadter", 2)
    (2, 3)
    """
    for pattern in _PATTERNS.get(finding, ()):
        for found in pattern().finditer(text):
            if found.start() <= place < found.end():
                return found.start(), found.end()
    return place, min(place + 1, len(text))
