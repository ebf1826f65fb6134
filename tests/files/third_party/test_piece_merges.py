"""Merges inside a piece are those of the definition, at any step, in any order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.textbook import Merge, encode_by_rank
from bpe_studio.files.third_party.piece_merges import OrderedMerges, PieceMerges


@st.composite
def lists_of_merges(draw: st.DrawFn) -> list[Merge]:
    """Merges over three symbols, each token made once, sometimes before its parts."""
    known = list("abc")
    merges: dict[str, Merge] = {}
    for _ in range(draw(st.integers(0, 9))):
        left = draw(st.sampled_from(known))
        right = draw(st.sampled_from(known))
        if left + right not in known:
            known.append(left + right)
            merges[left + right] = Merge(left, right, left + right, 1)
    found = list(merges.values())
    return draw(st.permutations(found)) if draw(st.booleans()) else found


def of(merges: list[Merge]) -> tuple[PieceMerges, dict[str, int]]:
    names = ["a", "b", "c", *(merge.token for merge in merges)]
    numbers = {name: 10 * place + 5 for place, name in enumerate(names)}
    ranks = {(numbers[merge.left], numbers[merge.right]): rank for rank, merge in enumerate(merges)}
    return PieceMerges([numbers[merge.token] for merge in merges], ranks), numbers


@given(lists_of_merges(), st.text("abc", max_size=20))
def test_tokens_are_those_of_the_definition(merges: list[Merge], text: str) -> None:
    piece_merges, numbers = of(merges)
    names = {number: name for name, number in numbers.items()}
    for step in range(len(merges) + 1):
        ids, begins = piece_merges.tokens([numbers[char] for char in text], step)
        tokens = [names[number] for number in ids]
        assert tokens == encode_by_rank(text, merges[:step])
        assert begins == [sum(map(len, tokens[:place])) for place in range(len(tokens))]


@given(lists_of_merges(), st.text("abc", max_size=20))
def test_gap_ranks_give_every_step_of_merges_in_order(merges: list[Merge], text: str) -> None:
    piece_merges, numbers = of(merges)
    symbols = [numbers[char] for char in text]
    if piece_merges.are_in_order:
        gaps = piece_merges.gap_ranks(symbols)
        for step in range(len(merges) + 1):
            firsts = [
                place for place, rank in enumerate([NEVER, *gaps][: len(symbols)]) if rank >= step
            ]
            assert firsts == piece_merges.tokens(symbols, step)[1]


@given(lists_of_merges(), st.text("abc", max_size=20))
def test_merges_in_an_order_of_their_own_give_the_tokens_of_each_rank_of_the_file(
    merges: list[Merge], text: str
) -> None:
    piece_merges, numbers = of(merges)
    symbols = [numbers[char] for char in text]
    ordered = piece_merges.in_order()
    assert ordered is not None and ordered.are_in_order
    if piece_merges.are_in_order:
        assert ordered is piece_merges
        return
    assert isinstance(ordered, OrderedMerges)
    for rank in range(len(merges) + 1):
        missing = piece_merges.missing_at(rank)
        step = sum(token not in missing for token in piece_merges.made)
        assert ordered.tokens(symbols, step) == piece_merges.tokens(symbols, rank)
        # Of several ranks with the same merges, the last one.
        limit = ordered.limit_of(step)
        assert limit is not None and piece_merges.missing_at(
            limit
        ) == missing >= ordered.missing_at(step)
    gaps = [NEVER, *ordered.gap_ranks(symbols)][: len(symbols)]
    for step in range(len(ordered) + 1):
        assert [place for place, rank in enumerate(gaps) if rank >= step] == ordered.tokens(
            symbols, step
        )[1]
