"""A slow, obvious twin of the trainer and the encoder, to hold the fast code to.

It is `bpe_studio/engine/textbook.py` with what that leaves out: the other tie rules, marks,
overrides and forbidden pairs. It recounts every pair before every merge and keeps nothing between
two merges, and knows nothing of files, splits, processes or speed. Symbols are written as the log
writes them: bytes as GPT-2's printable stand-ins, marks included."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bpe_studio.engine import textbook
from bpe_studio.engine.textbook import Pair, Words, count_pairs, merge_pair

if TYPE_CHECKING:
    from bpe_studio import Override


def _stand_ins() -> list[str]:
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return [
        chr(byte) if byte in printable else chr(256 + others.index(byte)) for byte in range(256)
    ]


STAND_INS = _stand_ins()
BYTE_OF = {stand_in: byte for byte, stand_in in enumerate(STAND_INS)}


def stand_ins_of(content: bytes) -> str:
    """The bytes as they are written in logs: `b" a"` is `Ġa`."""
    return "".join(STAND_INS[byte] for byte in content)


def content_of(token: str) -> bytes:
    """The bytes of a token that is written with stand-ins."""
    return bytes(BYTE_OF[character] for character in token)


def symbols_of(
    pre_token: str,
    *,
    units: str = "characters",
    word_end: str | None = None,
    word_end_as: str | None = None,
    continuing: str | None = None,
) -> list[str]:
    """One pre-token as its initial symbols.

    `symbols_of("hug", word_end="</w>", word_end_as="on-last-character")` is `["h", "u", "g</w>"]`.
    """
    if units == "bytes":
        symbols = list(stand_ins_of(pre_token.encode("utf-8", "surrogateescape")))
    else:
        symbols = list(pre_token)
    if continuing:
        symbols = symbols[:1] + [continuing + symbol for symbol in symbols[1:]]
    if word_end and word_end_as == "own-symbol":
        symbols.append(word_end)
    elif word_end and symbols:
        symbols[-1] += word_end
    return symbols


def count_words(pre_tokens: Iterable[str], **marks: str | None) -> Words:
    """Counted pre-tokens in first-seen order, as symbols."""
    counts: dict[str, int] = {}
    for pre_token in pre_tokens:
        counts[pre_token] = counts.get(pre_token, 0) + 1
    return [(symbols_of(pre_token, **marks), count) for pre_token, count in counts.items()]  # type: ignore[arg-type]


@dataclass
class TwinMerge:
    """What one line of the log says."""

    left: str
    right: str
    token: str
    count: int
    tied: int
    forced: bool
    n_tokens: int


@dataclass
class Twin:
    """A corpus of symbols and the rules it is learned by.

    Attributes:
        words: symbols and count of every distinct pre-token, in first-seen order.
        ties: the name of the rule that decides among equal counts.
        allowed: says whether a merge that would make this token may be taken at all.
        is_characters: whether symbols are characters where a rule compares bytes.
        overrides: what a person decides at some steps, in the order in which it was decided.
        passed: pairs that had their turn but would have made a token that there is.
    """

    words: Words
    ties: str = "first-seen"
    min_frequency: int = 1
    force: Sequence[Pair] = ()
    forbid: Sequence[Pair] = ()
    continuing: str | None = None
    allowed: Callable[[str], bool] = lambda token: True
    merges: list[TwinMerge] = field(default_factory=list)
    is_characters: bool = False
    overrides: Sequence[Override] = ()
    passed: set[Pair] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.still_to_force: list[Pair | None] = [tuple(pair) for pair in self.force]  # type: ignore[misc]
        self.start = [(list(symbols), count) for symbols, count in self.words]
        self.alphabet = sorted({symbol for symbols, _ in self.words for symbol in symbols})

    def token_of(self, pair: Pair) -> str:
        left, right = pair
        if self.continuing and right.startswith(self.continuing):
            right = right[len(self.continuing) :]
        return left + right

    def ids(self, rule: str) -> dict[str, int]:
        """The ids by which a rule compares tokens."""
        learned = [merge.token for merge in self.merges]
        if rule == "raw-ids" and not self.is_characters:
            return {token: 256 + i for i, token in enumerate(learned)} | BYTE_OF
        return {token: i for i, token in enumerate([*self.alphabet, *learned])}

    def text_of(self, token: str) -> str | bytes:
        """A token's text where a rule compares bytes."""
        return token if self.is_characters else content_of(token)

    def n_characters(self, pair: Pair) -> int:
        """How long the token of a pair is; the prefix is no character of it."""
        return len(self.token_of(pair).removeprefix(self.continuing or ""))

    def may_be(self, pair: Pair) -> bool:
        """Whether a pair may be merged at all."""
        return self.allowed(self.token_of(pair))

    def is_there(self, pair: Pair) -> bool:
        """Whether there is a token already that is written as the one that a pair would make."""
        token = self.token_of(pair)
        return token in self.alphabet or any(merge.token == token for merge in self.merges)

    def decided(self, kind: str) -> list[Override]:
        """The overrides of one kind for the next merge."""
        return [o for o in self.overrides if o.kind == kind and o.step == len(self.merges)]

    def rule(self) -> str:
        """The tie rule for the next merge."""
        rules = [o.ties for o in self.overrides if o.kind == "ties" and o.step <= len(self.merges)]
        return rules[-1] if rules else self.ties

    def ranking(self, ties: str | None = None, skips: bool = True) -> list[tuple[Pair, int]]:
        """The pairs that may be merged now with their counts, best first as the tie rule ranks
        them.
        """
        left_out = {
            *self.forbid,
            *self.passed,
            *((o.left, o.right) for o in self.decided("skip") if skips),
        }
        left_out |= {
            (o.left, o.right)
            for o in self.overrides
            if o.kind == "forbid" and o.step <= len(self.merges)
        }
        counts = {
            pair: count
            for pair, count in count_pairs(self.words).items()
            if pair not in left_out and self.may_be(pair)
        }
        pairs = list(
            counts
        )  # in order of first occurrence; sorting is stable, so that order decides last
        rule = ties or self.rule()
        if rule in ("huggingface", "raw-ids"):
            ids = self.ids(rule)
            pairs.sort(key=lambda pair: (ids[pair[0]], ids[pair[1]]))
        elif rule == "greatest-bytes":
            texts = {token: self.text_of(token) for token in itertools.chain(*pairs)}
            pairs.sort(key=lambda pair: (texts[pair[0]], texts[pair[1]]), reverse=True)
        elif rule == "subword-nmt":
            pairs.sort(reverse=True)
        elif rule == "sentencepiece":
            # Pairs of equal length go by how their two tokens are written.
            pairs.sort(key=lambda pair: (self.n_characters(pair), "".join(pair)))
        else:
            assert rule == "first-seen"
        pairs.sort(key=lambda pair: -counts[pair])
        return [(pair, counts[pair]) for pair in pairs]

    def forced(self) -> Pair | None:
        """The pair that is forced as the next merge.

        Those of the settings wait while a person decides otherwise.
        """
        gone = [(o.left, o.right) for o in self.decided("forbid")]
        self.still_to_force = [None if pair in gone else pair for pair in self.still_to_force]
        if now := self.decided("force"):
            if self.still_to_force[:1] == [None]:
                self.still_to_force.pop(0)
            return now[-1].left, now[-1].right
        skipped = [(o.left, o.right) for o in self.decided("skip")]
        if not self.still_to_force or self.still_to_force[0] in skipped:
            return None
        return self.still_to_force.pop(0)

    def step(self) -> TwinMerge | None:
        """Take one more merge, or None where training ends."""
        pair = self.forced()
        forced = pair is not None
        ranking = self.ranking()
        if pair is not None:
            count = count_pairs(self.words).get(pair, 0)
        else:
            while ranking and ranking[0][1] >= max(1, self.min_frequency):
                pair, count = ranking[0]
                if not self.is_there(pair):
                    break
                self.passed.add(pair)
                pair = None
                ranking = ranking[1:]
            if pair is None:
                return None
        if forced:  # what is skipped where a pair is forced still counts
            ranking = self.ranking(skips=False)
        tied = sum(other_count == count and other != pair for other, other_count in ranking) + 1
        token = self.token_of(pair)
        self.words = [
            (
                merge_pair(symbols, pair, token)
                if pair[0] in symbols and pair[1] in symbols
                else symbols,
                count_,
            )
            for symbols, count_ in self.words
        ]
        self.merges.append(TwinMerge(pair[0], pair[1], token, count, tied, forced, self.n_tokens()))
        return self.merges[-1]

    def train(self, n_merges: int) -> Twin:
        """Take up to that many merges more."""
        for _ in range(n_merges):
            if self.step() is None:
                break
        return self

    def n_tokens(self) -> int:
        return sum(len(symbols) * count for symbols, count in self.words)

    def at(self, step: int) -> Twin:
        """The twin as it stood after `step` merges: trained again from the start and
        stopped there.
        """
        words = [(list(symbols), count) for symbols, count in self.start]
        return replace(self, words=words, merges=[], passed=set()).train(step)


def encode(
    symbols: Sequence[str], merges: Sequence[tuple[str, str, str]], limit: int | None = None
) -> list[str]:
    """The tokens of one pre-token by the merges (left, right, token) of a rank below the limit."""
    return textbook.encode(symbols, _records(merges[:limit]))


def gap_ranks(
    symbols: Sequence[str], merges: Sequence[tuple[str, str, str]], never: int
) -> list[int]:
    """The rank of the merge that closes each gap; `never` where none does."""
    ranks = textbook.gap_ranks(symbols, _records(merges))
    return [never if rank == textbook.NEVER else int(rank) for rank in ranks]


def _records(merges: Sequence[tuple[str, str, str]]) -> list[textbook.Merge]:
    return [textbook.Merge(left, right, token, 0) for left, right, token in merges]
