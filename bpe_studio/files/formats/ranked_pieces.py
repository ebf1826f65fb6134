"""Converts between merges and ranked pieces, the two ways in which tokenizers store what they
learned.

With merges, only the pairs in the list are joined. With ranked pieces (tiktoken, SentencePiece),
any neighbours whose texts together are a token are joined, the lowest rank first. The two are
equivalent if each token, encoded with the tokens before it, is exactly two tokens: at its rank
these two are the only neighbours that spell it, because the text between its ends has been joined
in the same way as in the token by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from bpe_studio.engine.encoding.gap_closing import close_word
from bpe_studio.engine.encoding.tokenizer_model import TokenizerModel
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.errors import SaveError, TokenizerFormatError

Merge = tuple[int, int, int]


MAX_CHARACTERS = 8 << 20
"""The most characters of all tokens together; those of o200k have 1.4 million."""
_MAX_SQUARES = 1 << 34
"""The most that the squares of the tokens' lengths may add up to.

The time to find the two parts of a token grows with this square, as each cut is looked up.
"""


class NotMergeable(Exception):  # noqa: N818 - the formats catch it
    """A token is not made from two of the tokens before it; the text of the error is the token."""


def check_lengths(pieces: Iterable[str]) -> None:
    """Makes sure that finding the merges for ranked pieces takes seconds at most.

    Raises:
        TokenizerFormatError: the pieces are too long.
    """
    lengths = [len(piece) for piece in pieces]
    if sum(lengths) > MAX_CHARACTERS or sum(length * length for length in lengths) > _MAX_SQUARES:
        raise TokenizerFormatError(
            f"its tokens are too long: together they have {sum(lengths):,} characters or bytes, the"
            f" longest has {max(lengths):,}"
        )


def recover_merges(pieces: Sequence[str], numbers: Mapping[str, int]) -> list[Merge]:
    """The merges that are equivalent to ranked pieces.

    Each piece is cut by the merges before it, which join the same neighbours as the pieces would.

    Args:
        pieces: the tokens of two or more symbols, by rank; each character is a symbol.
        numbers: the id of every token by its text.

    Raises:
        NotMergeable: a piece is not made from two others, so that merges would not be equivalent.
    """
    ranks: dict[int, int] = {}
    made: list[int] = []
    merges = []
    for rank, piece in enumerate(pieces):
        symbols = [numbers.get(symbol, UNKNOWN) for symbol in piece]
        gaps = close_word(symbols, ranks, made)[0] if UNKNOWN not in symbols else []
        if gaps.count(NEVER) != 2 or piece not in numbers:
            raise NotMergeable(piece)
        cut = gaps.index(NEVER, 1)
        left = symbols[0] if cut == 1 else made[max(gaps[1:cut])]
        right = symbols[cut] if cut + 1 == len(gaps) else made[max(gaps[cut + 1 :])]
        merges.append((left, right, numbers[piece]))
        ranks[left << 32 | right] = rank
        made.append(numbers[piece])
    return merges


def check_exact(model: TokenizerModel, pieces: Sequence[str], where: str) -> None:
    """Makes sure that merges, written as ranked pieces, join the same neighbours.

    Args:
        model: the tokenizer.
        pieces: the tokens that its merges make, by rank.
        where: the format, for a sentence.

    Raises:
        SaveError: they would not.
    """
    try:
        check_lengths(pieces)
    except TokenizerFormatError:
        raise SaveError(
            f"Some tokens are too long for {where}: use the Hugging Face format"
        ) from None
    first: dict[str, int] = {}
    for number, name in enumerate(model.tokens):
        if first.setdefault(name, number) != number:
            raise SaveError(
                f"The token {name!r} has two ids, which {where} cannot hold: use the Hugging Face"
                " format"
            )
    try:
        same = recover_merges(pieces, first) == list(model.merges)
    except NotMergeable as piece:
        raise SaveError(
            f"The token {str(piece)!r} would never be made in {where}, which joins by the tokens'"
            " order alone: use the Hugging Face format"
        ) from None
    if not same:
        raise SaveError(
            f"The merges would be applied in another order in {where}: use the Hugging Face format"
        )
