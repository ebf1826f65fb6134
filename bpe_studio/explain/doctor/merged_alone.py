"""Which tokens merges never make, in no text.

Where a token stands in a text, no merge has crossed its ends. So the merges inside it had the same
turns as if its symbols were a whole word: what they do not make there, they make nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence

from bpe_studio.engine.encoding.gap_closing import close_word
from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.encoding.tokenizer_model import apply_in_order
from bpe_studio.engine.kernels.buffers import NEVER


class MergedAlone:
    """The merges inside each token of a tokenizer.

    Args:
        tokenizer: any tokenizer.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        merges = tokenizer.merges
        self._symbols, self._unsure = _symbols_of_made(tokenizer, merges)
        self._made = [new for _, _, new in merges]
        self._ranks: dict[int, int] = {}
        for rank, (left, right, _) in enumerate(merges):
            self._ranks.setdefault(left << 32 | right, rank)

    def makes(self, number: int) -> bool:
        """Whether merges make a token of its symbols, or it is a symbol.

        True for each token if there are no merges.
        """
        if not self._made:
            return True
        own = self._symbols.get(number)
        if own is None:
            return len(self._tokenizer.content(number).decode("utf-8", "replace")) < 2
        if number in self._unsure:
            return True
        gaps, tokens = close_word(own, self._ranks, self._made)
        return NEVER not in gaps[1:] and tokens[0] == number


def _symbols_of_made(
    tokenizer: Tokenizer, merges: Sequence[tuple[int, int, int]]
) -> tuple[dict[int, list[int]], set[int]]:
    """The symbols of each token that a merge makes, and the tokens that are made of others
    as well.
    """
    parts = {left for left, _, _ in merges} | {right for _, right, _ in merges}
    there = (parts | tokenizer.tokens.keys()) - {new for _, _, new in merges}
    symbols: dict[int, list[int]] = {}
    unsure = set()
    for rank in apply_in_order(merges, there):
        left, right, new = merges[rank]
        own = [*symbols.get(left, [left]), *symbols.get(right, [right])]
        if symbols.setdefault(new, own) != own:
            unsure.add(new)
    return symbols, unsure
