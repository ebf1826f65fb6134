"""Which tokens merges never make, in no text.

Where a token stands in a text, no merge has crossed its ends. So the merges inside it had the same
turns as if its
symbols were a whole word: what they do not make there, they make nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bpe_studio.engine.encoding.gap_closing import close_word
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import apply_in_order
from bpe_studio.engine.kernels.buffers import NEVER


def never_merged(tokenizer: Tokenizer, numbers: Iterable[int]) -> set[int]:
    """Those of some tokens that merges never make and that are no symbols.

    None if there are no merges.
    """
    merges = tokenizer.merges
    if not merges:
        return set()
    symbols, unsure = _symbols_of_made(tokenizer, merges)
    made = [new for _, _, new in merges]
    ranks: dict[int, int] = {}
    for rank, (left, right, _) in enumerate(merges):
        ranks.setdefault(left << 32 | right, rank)
    found = set()
    for number in numbers:
        own = symbols.get(number)
        if own is None:
            is_made = len(tokenizer.content(number).decode("utf-8", "replace")) < 2
        else:
            gaps, tokens = close_word(own, ranks, made)
            is_made = number in unsure or (NEVER not in gaps[1:] and tokens[0] == number)
        if not is_made:
            found.add(number)
    return found


def _symbols_of_made(
    tokenizer: Tokenizer, merges: Sequence[tuple[int, int, int]]
) -> tuple[dict[int, list[int]], set[int]]:
    """The symbols of each token that a merge makes, and the tokens that are made of others
    as well.
    """
    parts = {part for left, right, _ in merges for part in (left, right)}
    there = (parts | tokenizer.tokens.keys()) - {new for _, _, new in merges}
    symbols: dict[int, list[int]] = {}
    unsure = set()
    for rank in apply_in_order(merges, there):
        left, right, new = merges[rank]
        own = [*symbols.get(left, [left]), *symbols.get(right, [right])]
        if symbols.setdefault(new, own) != own:
            unsure.add(new)
    return symbols, unsure
