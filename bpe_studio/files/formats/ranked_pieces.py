"""Converts between merges and ranked pieces, the two ways in which tokenizers store what they learned.

With merges, only the pairs in the list are joined. With ranked pieces (tiktoken, SentencePiece), any neighbours whose
texts together are a token are joined, the lowest rank first. The two are equivalent if each token, encoded with the
tokens before it, is exactly two tokens: at its rank these two are the only neighbours that spell it, because the text
between its ends has been joined in the same way as in the token by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.errors import SaveError

MAX_SYMBOLS = 2048
"""The longest token, in symbols, that is converted."""

Merge = tuple[int, int, int]


class NotMergeable(Exception):  # noqa: N818 - caught by the format modules, which add their own sentence
    """A token is not made from two of the tokens before it; the text of the error is the token."""


def as_merges(model: TokenizerModel) -> list[Merge]:
    """The merges (left id, right id, new id) in rank order.

    A tokenizer that joins any neighbours whose texts together are a token (`rank_order` is `pieces`) has a merge for
    every two tokens that spell a token, in the order of ids.
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


def recover_merges(pieces: Sequence[str], numbers: Mapping[str, int]) -> list[Merge]:
    """The merges that are equivalent to ranked pieces.

    Args:
        pieces: the tokens of two or more symbols, by rank; each character is a symbol.
        numbers: the id of every token by its text.

    Raises:
        NotMergeable: a piece is not made from two others, so that merges would not be equivalent.
    """
    ranks = {piece: rank for rank, piece in enumerate(pieces)}
    merges = []
    for rank, piece in enumerate(pieces):
        parts = _parts(piece, ranks, rank) if len(piece) <= MAX_SYMBOLS else []
        if len(parts) != 2 or parts[0] not in numbers or parts[1] not in numbers:
            raise NotMergeable(piece)
        merges.append((numbers[parts[0]], numbers[parts[1]], numbers[piece]))
    return merges


def check_exact(model: TokenizerModel, pieces: Sequence[str], where: str) -> None:
    """Checks that merges, written as ranked pieces, join the same neighbours.

    Raises:
        SaveError: they would not.
    """
    if model.rank_order == "pieces":
        return
    first: dict[str, int] = {}
    for number, name in enumerate(model.tokens):
        if first.setdefault(name, number) != number:
            raise SaveError(f"The token {name!r} has two ids, which {where} cannot hold: use the format huggingface")
    try:
        same = recover_merges(pieces, first) == list(model.merges)
    except NotMergeable as piece:
        raise SaveError(
            f"The token {str(piece)!r} would never be made in {where}, which joins by the tokens' order alone: "
            "use the format huggingface"
        ) from None
    if not same:
        raise SaveError(f"The merges would be applied in another order in {where}: use the format huggingface")


def _parts(piece: str, ranks: Mapping[str, int], limit: int) -> list[str]:
    """The piece, joined by the pieces before it, until two parts are left or none can be joined."""
    parts = list(piece)
    while len(parts) > 2:
        found = [ranks.get(left + right, limit) for left, right in zip(parts, parts[1:], strict=False)]
        best = min(found)
        if best >= limit:
            break
        place = found.index(best)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts
