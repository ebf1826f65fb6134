"""The part of two tokenizers that is to blame for a text on which they differ.

The parts are compared in the order in which they work. The text is as short as possible, so a part
that treats it differently is the reason, and not just another difference.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.errors import BpeError
from bpe_studio.explain.names import display_text, display_token, isolated
from bpe_studio.explain.tokenizer_diff.own_parts import IS_ADDED, OwnParts, Unlike
from bpe_studio.explain.tokenizer_diff.pair import TokenizerPair, ids_of
from bpe_studio.explain.wording import merge_name

_BYTE = re.compile("<0x[0-9A-F]{2}>")
_BETWEEN_PIECES = -2
_MARK = "▁"


class Part(StrEnum):
    """A part of a tokenizer."""

    template = "template"
    added_token = "added token"
    prefix_space = "prefix space"
    normalizer = "normalizer"
    fallback = "fallback"
    cut = "split"
    merges = "merge order"
    vocabulary = "vocabulary"


@dataclass(frozen=True)
class Blame:
    """The part to blame.

    Attributes:
        part: the part.
        because: a sentence about the part in A and in B.
        ranks: for A and B, the rank of the first merge that the other does not make.
        name: the added token, if it is to blame.
        is_own_merge: whether one of the two lacks the merge, and does not just merge in another
            order.
    """

    part: Part
    because: str
    ranks: tuple[int | None, int | None] = (None, None)
    name: str = ""
    is_own_merge: bool = False


def blame(pair: TokenizerPair, own: OwnParts, text: str) -> Blame:
    """The part to blame for a text that has other tokens in A than in B."""
    ids = [ids_of(side, text) for side in pair.sides]
    added, is_unlike = _added_token(pair, own, text, ids)
    if added is not None and is_unlike:
        return added
    return (
        _prefix_space(pair, text, ids)
        or added
        or _normalizer(pair, text)
        or _fallback(pair, ids)
        or _split(pair, text, ids)
        or _merge(pair, text)
        or _scores(pair, own, text)
        or Blame(Part.vocabulary, _vocabulary(pair, ids))
    )


def _prefix_space(pair: TokenizerPair, text: str, ids: Sequence[list[int] | None]) -> Blame | None:
    """Blame for a space that only one puts before the text, or after an added token.

    The other gives the same tokens for the text with a space there.
    """
    places = [0]
    for side in pair.sides:
        added = [name for name in side.added_ids if name and name in text]
        places += [text.index(name) + len(name) for name in added]
    cut = ["".join(_stages(pair, side, text)[1]).replace(_MARK, " ") for side in (0, 1)]
    for place in places:
        if text[place : place + 1].isspace() or place == len(text):
            continue
        spaced = f"{text[:place]} {text[place:]}"
        where = f"after {_shown(text[:place])}" if place else "before a text"
        for one, name, other in ((0, "A", "B"), (1, "B", "A")):
            keys = pair.keys_of(one, ids[one])
            is_as_spaced = keys is not None and keys == pair.keys_of(
                1 - one, ids_of(pair.sides[1 - one], spaced)
            )
            if is_as_spaced or (place == 0 and cut[one] == " " + cut[1 - one]):
                return Blame(
                    Part.prefix_space, f"{name} puts a space {where}, and {other} does not"
                )
    return None


def _added_token(
    pair: TokenizerPair, own: OwnParts, text: str, ids: Sequence[list[int] | None]
) -> tuple[Blame | None, bool]:
    """Blame for the added token in the text, and whether its flags are known to differ."""
    found = list[str]()
    folded = text.casefold()
    for side, each in zip(pair.sides, ids, strict=True):
        numbers = set(each or ()) - {side.unknown_id}
        named = [(name, number) for name, number in side.added_ids.items() if name]
        found += [name for name, number in named if number in numbers or name.casefold() in folded]
    unlike = {name: _unlike_flags(own, name) for name in found}
    name = max(found, key=lambda name: (bool(unlike[name]), len(name)), default=None)
    if name is None:
        return None, False
    return Blame(Part.added_token, _flags(name, unlike[name]), name=name), bool(unlike[name])


def _flags(name: str, unlike: Sequence[Unlike]) -> str:
    for side, letter in enumerate("AB"):
        if any(each.name == name and each[1 + side] == IS_ADDED for each in unlike):
            return f"{_shown(name)} is an added token in {letter} only"
    if not unlike:
        return f"The two find the added token {_shown(name)} differently"
    said = [
        f"{flag.name.removeprefix(name + ': ')} is {flag.a} in A and {flag.b} in B"
        for flag in unlike
    ]
    return f"{_shown(name)} is an added token whose {' and '.join(said)}"


def _unlike_flags(own: OwnParts, name: str) -> list[Unlike]:
    values = own.values["added_tokens"]
    return [each for each in values if f"{each.name}: ".startswith(f"{name}: ")]


def _normalizer(pair: TokenizerPair, text: str) -> Blame | None:
    a, b = (_stages(pair, side, text)[0] for side in (0, 1))
    if a is None or b is None:
        return None
    # Libraries put different things before a text, and write a space differently; that is a
    # difference only between two tokenizers of one library.
    is_same = a == b if pair.is_one_library else _plain(a) == _plain(b)
    if is_same:
        return None
    return Blame(Part.normalizer, f"A normalizes the text to {_shown(a)}, and B to {_shown(b)}")


def _stages(pair: TokenizerPair, side: int, text: str) -> tuple[str | None, list[str]]:
    try:
        return pair.sides[side].stages(text)
    except BpeError:
        return None, []


def _shown(text: str) -> str:
    return f"“{isolated(display_text(text))}”"


def _plain(text: str) -> str:
    """A text without what only some libraries write: marks for spaces, and a space at its start."""
    return text.replace(_MARK, " ").removeprefix(" ")


def _fallback(pair: TokenizerPair, ids: Sequence[list[int] | None]) -> Blame | None:
    """Blame for a character without a token, which becomes bytes, the unknown token, nothing or an
    error.
    """
    found: list[list[str] | None] = []
    words = []
    for side, each in zip(pair.sides, ids, strict=True):
        if each is None:
            found.append(None)
            words.append("an error")
            continue
        unknown = "" if side.unknown_id is None else side.tokens.get(side.unknown_id, "")
        names = [side.tokens.get(number, "") for number in each]
        names = [name for name in names if name == unknown or _BYTE.fullmatch(name)]
        found.append(names)
        words.append(" ".join(names) or "another token, or none")
    if found[0] == found[1] and bool(ids[0]) == bool(ids[1]):
        return None
    return Blame(
        Part.fallback,
        f"A character outside the alphabet becomes {words[0]} in A, and {words[1]} in B",
    )


def _split(pair: TokenizerPair, text: str, ids: Sequence[list[int] | None]) -> Blame | None:
    """Blame for a split: a token of one crosses a border between two pieces of the other."""
    whole = [_stages(pair, side, text)[1] for side in (0, 1)]
    pieces = whole
    if not pair.is_one_library:
        pieces = [list(map(_plain, each)) for each in whole]
    if pieces[0] == pieces[1]:
        return None
    for one in (0, 1):
        tokenizer = pair.sides[one]
        tokens = [tokenizer.content(number) for number in ids[one] or ()]
        contents = [piece.encode() for piece in pieces[1 - one]]
        ends = set(accumulate(map(len, tokens)))
        borders = list(accumulate(map(len, contents)))
        # Pieces may lack white space that tokens have.
        if borders and ends and borders[-1] == max(ends) and not set(borders) <= ends:
            break
    else:
        if len(pieces[0]) == len(pieces[1]):
            return None
    shown = [" ".join(map(_shown, each)) for each in whole]
    return Blame(Part.cut, f"A splits the text into {shown[0]}, and B into {shown[1]}")


def _merge(pair: TokenizerPair, text: str) -> Blame | None:
    """Blame for the first merge of each that closes a gap which stays open in the other."""
    try:
        gaps = [_gaps(side, text) for side in pair.sides]
    except BpeError:
        return None
    if len(gaps[0]) != len(gaps[1]):
        return None
    ranks: list[int | None] = []
    said = []
    is_own = False
    for one, letter, there in ((0, "A", "B"), (1, "B", "A")):
        closed = [
            rank
            for rank, other in zip(gaps[one], gaps[1 - one], strict=True)
            if 0 <= rank < NEVER <= other
        ]
        ranks.append(min(closed, default=None))
        if closed:
            parts, other = _merge_in_both(pair, one, min(closed))
            is_own = is_own or other is None
            has = "does not have it" if other is None else f"has it as {merge_name(other)}"
            said.append(f"{letter} merges {parts} ({merge_name(min(closed))}), and {there} {has}")
    if not said:
        return None
    return Blame(Part.merges, "; ".join(said), (ranks[0], ranks[1]), is_own_merge=is_own)


def _gaps(tokenizer: Tokenizer, text: str) -> list[int]:
    """The rank of the merge that closes each gap."""
    ranks = []
    for piece in tokenizer.gap_ranks(text):
        ranks += [*piece.tolist(), _BETWEEN_PIECES]
    return ranks


def _merge_in_both(pair: TokenizerPair, side: int, rank: int) -> tuple[str, int | None]:
    """The parts of a merge, and its rank in the other; `None` if that does not have it."""
    tokenizer = pair.sides[side]
    other = pair.sides[1 - side]
    parts = tokenizer.merges[rank][:2]
    there = [pair.ids[1 - side].get(pair.keys[side].get(part, -1)) for part in parts]
    shown = " + ".join(isolated(display_token(tokenizer.content(part))) for part in parts)
    return shown, next((n for n, (a, b, _) in enumerate(other.merges) if [a, b] == there), None)


def _scores(pair: TokenizerPair, own: OwnParts, text: str) -> Blame | None:
    """Blame for the pieces in the text that have different scores or kinds."""
    sources = [_stages(pair, side, text)[0] or "" for side in (0, 1)]
    found = [
        each for each in own.values["scores"] if each.name in sources[0] or each.name in sources[1]
    ]
    if not found:
        return None
    part = Part.vocabulary
    if any("the kind user-defined" in each for each in found):
        part = Part.added_token
    elif all(side.kind == "BPE" for side in pair.sides):
        part = Part.merges
    longest = sorted(found, key=lambda each: -len(each.name))[:2]
    said = [f"{_shown(each.name)} has {each.a} in A, and {each.b} in B" for each in longest]
    return Blame(part, "; ".join(said))


def _vocabulary(pair: TokenizerPair, ids: Sequence[list[int] | None]) -> str:
    for one, letter, other in ((0, "A", "B"), (1, "B", "A")):
        for number in ids[one] or ():
            if pair.keys[one].get(number) not in pair.ids[1 - one]:
                return (
                    f"{letter} has the token {pair.sides[one].tokens.get(number, number)!r}, and"
                    f" {other} does not"
                )
    kinds = [side.kind for side in pair.sides]
    if kinds[0] != kinds[1]:
        return f"The model of A is {kinds[0]}, and that of B {kinds[1]}"
    return (
        f"Both split the text into the same pieces, and have the same tokens, but their {kinds[0]}"
        " models choose differently"
    )
