"""What a sentence of the program says, whatever its words are."""

from __future__ import annotations

import re


def says(sentence: str, *facts: str | int) -> bool:
    """Whether all facts are in a sentence: names, numbers, or words that no other sentence has."""
    for fact in facts:
        if re.search(rf"(?<!\w){re.escape(str(fact))}(?!\w)", sentence) is None:
            return False
    return True
