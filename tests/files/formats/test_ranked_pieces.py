"""Merges are found from ranked pieces as the obvious way finds them, and in time that grows with
the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_studio.files.formats.ranked_pieces import Merge, NotMergeable, recover_merges
from tests.examples import examples


def recovered_plainly(pieces: Sequence[str], numbers: Mapping[str, int]) -> list[Merge]:
    """The twin: join the neighbours whose texts together are the lowest piece, until two
    are left.
    """
    ranks = {piece: rank for rank, piece in enumerate(pieces)}
    merges = []
    for rank, piece in enumerate(pieces):
        parts = list(piece)
        while len(parts) > 2:
            found = [
                ranks.get(left + right, rank) for left, right in zip(parts, parts[1:], strict=False)
            ]
            best = min(found)
            if best >= rank:
                break
            place = found.index(best)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        if len(parts) != 2 or parts[0] not in numbers or parts[1] not in numbers:
            raise NotMergeable(piece)
        merges.append((numbers[parts[0]], numbers[parts[1]], numbers[piece]))
    return merges


_NUMBER = st.integers(0, 2**16)
_DRAWN = st.lists(
    st.one_of(
        st.tuples(_NUMBER, _NUMBER, st.none()),
        st.tuples(_NUMBER, _NUMBER, st.none()),
        st.tuples(_NUMBER, _NUMBER, st.none()),
        st.tuples(st.just(0), st.just(0), st.text("abcd", min_size=2, max_size=6)),
    ),
    max_size=12,
)


@st.composite
def ranked(draw: st.DrawFn) -> list[str]:
    """Pieces over few symbols, most of them made of two that are there."""
    known = list("abc")
    for left, right, other in draw(_DRAWN):
        piece = other if other is not None else known[left % len(known)] + known[right % len(known)]
        if piece not in known:
            known.append(piece)
    return known[3:]


@settings(max_examples=examples(200))
@given(ranked(), st.randoms())
def test_merges_are_found_as_the_obvious_way_finds_them(pieces: list[str], random) -> None:  # type: ignore[no-untyped-def]
    if random.random() < 0.2:
        random.shuffle(pieces)
    numbers = {name: number for number, name in enumerate(["c", "b", "a", *pieces])}
    found: list[object] = []
    for way in (recovered_plainly, recover_merges):
        try:
            found.append(way(pieces, numbers))
        except NotMergeable as piece:
            found.append(str(piece))
    assert found[0] == found[1]
