"""A tokenizer's rules as a list of merges, whatever order it applies them in."""

from __future__ import annotations

from bpe_studio.engine.tokenizer_model import TokenizerModel


def as_merges(model: TokenizerModel) -> list[tuple[int, int, int]]:
    """The merges (left id, right id, new id) in rank order.

    A tokenizer that joins any neighbours whose texts together are a token (`rank_order` is `pieces`) is spelled out:
    each token, from the lowest id up, is made from every two tokens that spell it.
    """
    if model.rank_order == "merges":
        return list(model.merges)
    special = set(model.special_ids.values())
    numbers = {name: number for number, name in enumerate(model.tokens) if number not in special}
    merges = []
    for name, number in numbers.items():
        pairs = ((numbers.get(name[:i]), numbers.get(name[i:])) for i in range(1, len(name)))
        merges += sorted((left, right, number) for left, right in pairs if left is not None and right is not None)
    return merges
