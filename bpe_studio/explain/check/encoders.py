"""The mistakes of an encoder, each a function of the symbols of a word and the merges.

The right one takes the merge of lowest rank, again and again (`textbook.encode`):

>>> merges = [("b", "c"), ("a", "b"), ("ab", "d"), ("bc", "e")]
>>> [encode("abce", merges) for encode in (lowest_rank, longest_match, leftmost_pair, highest_rank)]
[['a', 'bce'], ['ab', 'c', 'e'], ['ab', 'c', 'e'], ['ab', 'c', 'e']]
>>> in_list_order("abc", [("ab", "c"), ("a", "b")])
['ab', 'c']
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from bpe_studio.engine.run import Run
from bpe_studio.engine.textbook import Pair, merge_pair
from bpe_studio.explain.names import display_log_name, display_text, elided, isolated
from bpe_studio.explain.wording import plural

Encode = Callable[[Sequence[str], Sequence[Pair]], list[str]]
Encoded = tuple[str, list[str]]
"""A text and its tokens, in the spelling of logs."""


@dataclass(frozen=True)
class WrongEncoding:
    """The first text that is encoded wrongly.

    Attributes:
        text: the text.
        expected: its tokens by the merges, in the spelling of logs.
        given: the given tokens.
        mistakes: the name and a sentence of each mistake that explains all texts.
        sentence: all of this, in words.
    """

    text: str
    expected: list[str]
    given: list[str]
    mistakes: list[tuple[str, str]]
    sentence: str


def _merged_one_by_one(choose: Callable[[Sequence[tuple[int, int]]], tuple[int, int]]) -> Encode:
    """An encoder that chooses one of the (rank, place) of the pairs that merge, again and again."""

    def encode(symbols: Sequence[str], merges: Sequence[Pair]) -> list[str]:
        tokens = list(symbols)
        ranks = {pair: rank for rank, pair in reversed(list(enumerate(merges)))}
        while found := [
            (ranks[pair], place) for place, pair in enumerate(pairwise(tokens)) if pair in ranks
        ]:
            _, place = choose(found)
            tokens[place : place + 2] = ["".join(tokens[place : place + 2])]
        return tokens

    return encode


lowest_rank = _merged_one_by_one(min)
highest_rank = _merged_one_by_one(max)
leftmost_pair = _merged_one_by_one(lambda found: min(found, key=lambda each: each[1]))


def longest_match(symbols: Sequence[str], merges: Sequence[Pair]) -> list[str]:
    """The longest token of the vocabulary that fits, from the left to the right."""
    vocabulary = {left + right for left, right in merges}
    tokens = []
    while symbols:
        n = next((n for n in range(len(symbols), 1, -1) if "".join(symbols[:n]) in vocabulary), 1)
        tokens.append("".join(symbols[:n]))
        symbols = symbols[n:]
    return tokens


def in_list_order(symbols: Sequence[str], merges: Sequence[Pair]) -> list[str]:
    """Each merge once, in the order of the list, which differs if a merge uses a token that a later
    one makes.
    """
    tokens = list(symbols)
    for left, right in merges:
        tokens = merge_pair(tokens, (left, right), left + right)
    return tokens


def not_at_all(symbols: Sequence[str], merges: Sequence[Pair]) -> list[str]:
    """The symbols."""
    return list(symbols)


ENCODERS: dict[str, tuple[str, Encode]] = {
    "encode-longest-match": (
        "It takes the longest token that fits, from the left to the right.",
        longest_match,
    ),
    "encode-leftmost-pair": ("It merges the leftmost pair that is in the list.", leftmost_pair),
    "encode-highest-rank": (
        "It merges the last pair of the list first, instead of the first one.",
        highest_rank,
    ),
    "encode-list-order": ("It goes through the list of merges once.", in_list_order),
    "encode-not-merged": ("It merges nothing.", not_at_all),
}
_ACROSS = (
    "encode-across-borders",
    "It does not split the text, and merges across the borders of pieces.",
)


def wrong_encoding(run: Run, encoded: Sequence[Encoded]) -> WrongEncoding | None:
    """The first text whose tokens are not those of a run, with the mistakes that explain
    all texts.
    """
    tokenizer = run.tokenizer()
    wrong = next(
        ((text, given) for text, given in encoded if tokenizer.encode(text).tokens != given), None
    )
    if wrong is None:
        return None
    merges = [(merge.left, merge.right) for merge in run.merges]
    mistakes = []
    for name, (sentence, encode) in ENCODERS.items():
        if all(_encoded(run, text, merges, encode) == given for text, given in encoded):
            mistakes.append((name, sentence))
    symbols = [(tokenizer.encode(text, step=0).tokens, given) for text, given in encoded]
    if all(lowest_rank(uncut, merges) == given for uncut, given in symbols):
        mistakes.append(_ACROSS)
    text, given = wrong
    expected = tokenizer.encode(text).tokens
    shown = isolated(elided(display_text(text), 60))
    said = [f"“{shown}” is encoded as {_shown(run, given)} instead of {_shown(run, expected)}."]
    said += [f"The mistake ({name}): {about}" for name, about in mistakes]
    if not mistakes:
        said.append("No known mistake explains this.")
    elif len(encoded) > 1:
        said.append(f"This explains all {plural(len(encoded), 'text')}.")
    else:
        said.append("This explains 1 text.")
    return WrongEncoding(text, expected, given, mistakes, " ".join(said))


def _encoded(run: Run, text: str, merges: Sequence[Pair], encode: Encode) -> list[str]:
    """A text as an encoder cuts its pieces."""
    symbols = run.tokenizer(0).encode(text).tokens
    lengths = [len(gaps) + 1 for gaps in run.gap_ranks(text)]
    tokens: list[str] = []
    for begin, end in pairwise([0, *accumulate(lengths)]):
        tokens += encode(symbols[begin:end], merges)
    return tokens


def _shown(run: Run, tokens: Sequence[str]) -> str:
    shown = [f"“{isolated(display_log_name(token, run.config))}”" for token in tokens[:12]]
    if len(tokens) > 12:
        shown.append("…")
    return " ".join(shown) or "no tokens"
