"""The names of a large table: made in slices, searched and ranked as a list of strings would be."""

from __future__ import annotations

from collections import deque
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.gui.tables.name_index import _BLOCK, NameIndex

NAMES = st.lists(
    st.text(st.characters(blacklist_characters="\0"), max_size=4), min_size=1, max_size=30
)


def run(steps: Any) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


@given(
    NAMES,
    st.lists(st.integers(0, 3 * _BLOCK), min_size=1, max_size=4),
    st.text("aAσΣiİ\u0307 ", max_size=2),
)
def test_search_and_ranks_are_those_of_the_names_however_they_were_made(some, ends, pattern):
    names = [some[k % len(some)] + ("ΑΣ" if k % 7 == 0 else "") for k in range(max(ends) + 1)]
    index = NameIndex(names.__getitem__)
    for end in ends:
        deque(index.fill(end), 0)
    n = max(ends)
    assert index.n_made == n
    keys = [name.lower() for name in names[:n]]
    matters = pattern != pattern.lower()
    for start in (0, n // 3):
        expected = [pattern in (name if matters else name.lower()) for name in names[start:n]]
        assert run(index.mask(pattern, start, n)).tolist() == expected
    assert list(index.places(names[0])) == [
        k for k, name in enumerate(names[:n]) if name == names[0]
    ]
    deque(index.rank(), 0)
    order = {key: place for place, key in enumerate(sorted({*keys}))}
    assert index.ranks is not None and index.ranks.tolist() == [order[key] for key in keys]
    assert index.n_ranked == n
