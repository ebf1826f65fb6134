"""Special tokens are found as alternatives side by side find them, the longest first, however many
they are.
"""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.text.special_text import specials_pattern

NAMES = st.lists(st.text("ab<|é\udc80 [", min_size=1, max_size=5), max_size=12)


def alternatives(names: list[str]) -> str:
    """The twin; nothing is found where there are none."""
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"


@given(NAMES, st.text("ab<|é\udc80 [", max_size=40))
def test_they_are_those_that_the_twin_finds(names: list[str], text: str) -> None:
    found = [(match.start(), match.group()) for match in specials_pattern(names).finditer(text)]
    assert found == [
        (match.start(), match.group()) for match in re.finditer(alternatives(names), text)
    ]
    content, pattern = (
        part.encode("utf-8", "surrogatepass") for part in (text, specials_pattern(names).pattern)
    )
    expected = alternatives(names).encode("utf-8", "surrogatepass")
    assert [match.span() for match in re.finditer(pattern, content)] == [
        match.span() for match in re.finditer(expected, content)
    ]
