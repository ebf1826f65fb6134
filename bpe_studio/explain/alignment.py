"""Lines up the tokens of a text in two tokenizers: the shortest groups that begin and end together.

Here, a border is a place in the text at which a token begins or ends and that no token crosses.
Groups end at the borders that both tokenizers have. Places are code points of the text as it was
given, so there are no borders inside a character: tokens that share a character are in one group.

`id_map` finds the tokens that two vocabularies share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from bpe_studio.engine.arguments import as_text, expect
from bpe_studio.engine.arrays import BoolArray, Int32Array, Int64Array
from bpe_studio.engine.encoding.tokenizer import Encoding, Tokenizer
from bpe_studio.explain.names import display_token, isolated
from bpe_studio.explain.tokenizer_diff.pair import TokenizerPair
from bpe_studio.explain.wording import number, percent, plural
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

_OPEN = "give one, such as load(path)"
_MOST_NAMED = 6


class Group(NamedTuple):
    """Tokens of A and of B that begin and end together.

    Attributes:
        start, end: their place in the text, in code points.
        a, b: the ids of A and of B; empty where a tokenizer leaves the text out.
    """

    start: int
    end: int
    a: list[int]
    b: list[int]


@dataclass(frozen=True, eq=False)
class Alignment:
    """The tokens of a text in A and in B, in groups; `alignment[i]` is a `Group`.

    The groups cover the text, and all tokens, without gaps.

    Attributes:
        text: the text.
        ids: for A and B: (n,) int32, the ids of the text.
        places: (groups + 1,) int64, where each group begins in the text, and the end of the text;
            in code points.
        firsts: for A and B: (groups + 1,) int64, the first token of each group, and their number.
    """

    text: str
    ids: tuple[Int32Array, Int32Array]
    places: Int64Array
    firsts: tuple[Int64Array, Int64Array]

    def __len__(self) -> int:
        return len(self.places) - 1

    def __getitem__(self, number: int) -> Group:
        place = range(len(self))[number]
        start, end = self.places[place : place + 2].tolist()
        a, b = (
            ids[firsts[place] : firsts[place + 1]].tolist()
            for ids, firsts in zip(self.ids, self.firsts, strict=True)
        )
        return Group(start, end, a, b)

    def __iter__(self) -> Iterator[Group]:
        places = pairwise(self.places.tolist())
        a, b = map(_in_groups, self.ids, self.firsts)
        for (start, end), of_a, of_b in zip(places, a, b, strict=True):
            yield Group(start, end, of_a, of_b)

    def __repr__(self) -> str:
        return f"<Alignment: {summary([self])}>"

    @cached_property
    def sizes(self) -> tuple[Int64Array, Int64Array]:
        """For A and B: (groups,) int64, the number of tokens in each group."""
        a, b = map(np.diff, self.firsts)
        return a, b

    @property
    def has_tokens(self) -> BoolArray:
        """(groups,) bool, false where both tokenizers leave the text out."""
        a, b = self.sizes
        found: BoolArray = a + b > 0
        return found

    @property
    def are_one_to_one(self) -> BoolArray:
        """(groups,) bool, the groups of one token in each."""
        a, b = self.sizes
        found: BoolArray = (a == 1) & (b == 1)
        return found

    @property
    def share_one_to_one(self) -> float:
        """The share of groups with tokens that are one token in both; 1 for no text."""
        n = np.count_nonzero(self.has_tokens)
        return float(np.count_nonzero(self.are_one_to_one) / n) if n else 1.0

    @property
    def alone(self) -> tuple[Int32Array, Int32Array]:
        """For A and B: (n,) int32, the ids of the tokens whose text the other one leaves out."""
        a, b = self.sizes
        found = []
        for ids, mine, other in zip(self.ids, (a, b), (b, a), strict=True):
            found.append(ids[np.repeat(other == 0, mine)])
        return found[0], found[1]


def align(a: Tokenizer, b: Tokenizer, text: str) -> Alignment:
    """Line up the tokens of a text in two tokenizers.

    Args:
        a: a tokenizer.
        b: another one; they may normalize and split differently.
        text: the text.

    Raises:
        VocabularyError: one of them cannot encode the text.

    >>> from bpe_studio import Corpus, TrainingConfig, train
    >>> config = TrainingConfig.preset("gpt2", merges=2)
    >>> large = train(Corpus.from_text("hug hug", config), config).tokenizer()
    >>> found = align(large, large.at(0), "a hug")
    >>> [(group.start, group.end, len(group.a), len(group.b)) for group in found]
    [(0, 1, 1, 1), (1, 2, 1, 1), (2, 5, 1, 3)]
    >>> found
    <Alignment: 2 of 3 groups are one token in both: 67 %>
    """
    text = as_text(text)
    ids = []
    borders = []
    for tokenizer in (a, b):
        expect(tokenizer, Tokenizer, _OPEN)
        encoded = tokenizer.encode(text)
        ids.append(encoded.id_array)
        borders.append(_borders(*_places(tokenizer, encoded), len(text)))
    if text:
        places = np.flatnonzero((borders[0] >= 0) & (borders[1] >= 0))
        firsts = [found[places] for found in borders]
    else:
        # Some tokenizers put tokens before every text.
        n_groups = min(1, len(ids[0]) + len(ids[1]))
        places = np.zeros(n_groups + 1, np.int64)
        firsts = [np.array([0, len(found)])[: n_groups + 1] for found in ids]
    return Alignment(text, (ids[0], ids[1]), places, (firsts[0], firsts[1]))


def id_map(a: Tokenizer, b: Tokenizer) -> Int64Array:
    """The ids in A of the tokens of B.

    Tokens are matched by name, or by the bytes that they stand for if that matches more of them:
    GPT-2's stand-ins and SentencePiece's marks differ in their names alone.

    Returns:
        (largest id of B + 1,) int64; -1 if A has no such token, or B no such id.
    """
    for tokenizer in (a, b):
        expect(tokenizer, Tokenizer, _OPEN)
    pair = TokenizerPair(a, b)
    in_a = pair.ids[0]
    found = np.full(max(b.tokens, default=-1) + 1, -1, np.int64)
    for token, key in pair.keys[1].items():
        found[token] = in_a.get(key, -1)
    return found


def summary(found: Sequence[Alignment]) -> str:
    """A sentence about the groups of texts that are one token in both."""
    n = sum(int(np.count_nonzero(each.has_tokens)) for each in found)
    n_single = sum(int(np.count_nonzero(each.are_one_to_one)) for each in found)
    if not n:
        return "There are no tokens to line up"
    verb = "is" if 1 in (n, n_single) else "are"
    groups = plural(n, "group")
    return f"{number(n_single)} of {groups} {verb} one token in both: {percent(n_single / n, 0)}"


def alone_sentences(found: Sequence[Alignment], a: Tokenizer, b: Tokenizer) -> list[str]:
    """Sentences about the tokens that cannot be lined up: up to one for A, and one for B."""
    said = []
    for side, tokenizer in enumerate((a, b)):
        ids = np.concatenate([np.zeros(0, np.int32), *(each.alone[side] for each in found)])
        if not len(ids):
            continue
        distinct, counts = np.unique(ids, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        names = []
        for place in order[:_MOST_NAMED].tolist():
            name = display_token(tokenizer.content(int(distinct[place])))
            names.append(f"{isolated(name)} ({number(int(counts[place]))})")
        n_more = len(distinct) - len(names)
        more = f" and {number(n_more)} more" if n_more else ""
        said.append(
            f"{plural(len(ids), 'token')} of {'AB'[side]} cannot be lined up, because"
            f" {'BA'[side]} leaves their text out: {', '.join(names)}{more}"
        )
    return said


def _in_groups(ids: Int32Array, firsts: Int64Array) -> Iterator[list[int]]:
    listed = ids.tolist()
    for first, end in pairwise(firsts.tolist()):
        yield listed[first:end]


def _places(tokenizer: Tokenizer, encoded: Encoding) -> tuple[Int64Array, Int64Array]:
    """The starts and ends of the tokens of a text: (n,) int64 each, in code points."""
    starts, ends = encoded.offset_array.reshape(-1, 2).T.astype(np.int64)
    if not isinstance(tokenizer, ThirdPartyTokenizer) or tokenizer.native.units != "bytes":
        return starts, ends
    # With `trim_offsets`, the white space that a token begins with is left out of its place.
    ends_before = np.maximum.accumulate(np.append(0, ends))[:-1]
    has_space = _begin_with_space(tokenizer, encoded.id_array)
    is_trimmed = (starts > ends_before) & has_space
    return np.where(is_trimmed, ends_before, starts), ends


def _begin_with_space(tokenizer: Tokenizer, ids: Int32Array) -> BoolArray:
    """(n,) bool, whether each token begins with white space."""
    distinct, places = np.unique(ids, return_inverse=True)
    contents = map(tokenizer.content, distinct.tolist())
    found = [content[:1].isspace() for content in contents]
    return np.array(found, np.bool_)[places]


def _borders(starts: Int64Array, ends: Int64Array, length: int) -> Int64Array:
    """(length + 1,) int64: the number of tokens before each border of a text; -1 for no border.

    A token without text belongs to what follows it.
    """
    before = np.maximum.accumulate(np.append(0, ends))
    after = np.minimum.accumulate(np.append(starts, length)[::-1])[::-1]
    numbers = np.flatnonzero(before <= after)[::-1]
    found = np.full(length + 1, -1, np.int64)
    # From the last to the first: of several values for a place, the last one stays.
    places = np.stack([after[numbers], before[numbers]], axis=1)
    found[places.ravel()] = np.repeat(numbers, 2)
    found[0] = 0
    found[length] = len(starts)
    return found
