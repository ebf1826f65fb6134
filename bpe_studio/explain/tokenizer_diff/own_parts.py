"""The parts that only one of two tokenizers has: tokens, merges, ids, scores, added tokens and
settings.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.tokenizer_diff.pair import Key, TokenizerPair
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

NONE = "–"
IS_ADDED = "an added token"
_CONFIG = {
    "units": "units",
    "split": "cutting",
    "normalize": "normalize",
    "word end": "word_end",
    "word end as": "word_end_as",
    "continuing": "continuing",
    "byte fallback": "byte_fallback",
}
"""The options of our own tokenizers on which ids depend."""
_EXACT = {
    "special": True,
    "lstrip": False,
    "rstrip": False,
    "single_word": False,
    "normalized": False,
}
"""The flags by which our own engine finds added tokens."""


class Unlike(NamedTuple):
    """Something that has different values in A and B, or is in one only."""

    name: str
    a: str
    b: str


@dataclass(frozen=True, eq=False)
class OwnParts:
    """The parts that only one of A and B has.

    Attributes:
        tokens: for A and B, the ids of the tokens that the other does not have.
        merges: for A and B, the ranks of the merges that the other does not have.
        moved: the ranks, in A and in B, of the fewest merges without which the others are in the
            same order.
        values: the ids, scores, added tokens (with their flags, as `<|x|>: lstrip`) and settings
            that differ.
    """

    tokens: tuple[list[int], list[int]]
    merges: tuple[list[int], list[int]]
    moved: list[tuple[int, int]]
    values: dict[str, list[Unlike]]

    @property
    def is_empty(self) -> bool:
        """Whether both have the same parts."""
        return not any((*self.tokens, *self.merges, self.moved, *self.values.values()))


def own_parts(pair: TokenizerPair) -> OwnParts:
    """Compares the parts of two tokenizers."""
    ids = pair.ids
    merges = [_merges(pair, side) for side in (0, 1)]
    common = [(rank, merges[1][each]) for each, rank in merges[0].items() if each in merges[1]]

    def only(a: Mapping[Any, int], b: Mapping[Any, int]) -> tuple[list[int], list[int]]:
        only_a = sorted(a[each] for each in a if each not in b)
        only_b = sorted(b[each] for each in b if each not in a)
        return only_a, only_b

    def unlike(read: Callable[[Tokenizer], dict[str, object]], *, of_one: bool) -> list[Unlike]:
        a, b = map(read, pair.sides)
        found = [
            (name, a.get(name, NONE), b.get(name, NONE))
            for name in a | b
            if of_one or (name in a and name in b)
        ]
        return [
            Unlike(name, _written(mine), _written(other))
            for name, mine, other in found
            if mine != other
        ]

    names = pair.sides[0].tokens
    renumbered = [
        Unlike(names[ids[0][key]], str(ids[0][key]), str(ids[1][key])) for key in pair.renumbered
    ]
    # Tokenizers of different libraries have only some flags, scores and settings in common.
    scores = unlike(_scores, of_one=False) if pair.is_one_library else []
    values = {
        "ids": renumbered,
        "scores": scores,
        "added_tokens": [*unlike(_added, of_one=True), *unlike(_flags, of_one=False)],
        "settings": unlike(_settings, of_one=False),
    }
    ranks = [rank for _, rank in common]
    moved = [common[place] for place in _out_of_order(ranks)]
    return OwnParts(only(*ids), only(*merges), moved, values)


def _merges(pair: TokenizerPair, side: int) -> dict[tuple[Key, Key], int]:
    """The ranks of the merges, in their order."""
    keys = pair.keys[side]
    found: dict[tuple[Key, Key], int] = {}
    for rank, (left, right, _) in enumerate(pair.sides[side].merges):
        found.setdefault((keys.get(left, left), keys.get(right, right)), rank)
    return found


def _out_of_order(ranks: Sequence[int]) -> list[int]:
    """The places of the fewest numbers without which the others are in rising order.

    >>> _out_of_order([0, 3, 1, 2, 4])
    [1]
    """
    lowest: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for place, rank in enumerate(ranks):
        at = bisect_left(lowest, rank)
        place_before = places[at - 1] if at else -1
        before.append(place_before)
        lowest[at : at + 1] = [rank]
        places[at : at + 1] = [place]
    kept = set[int]()
    place = places[-1] if places else -1
    while place >= 0:
        kept.add(place)
        place = before[place]
    return [place for place in range(len(ranks)) if place not in kept]


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _added(tokenizer: Tokenizer) -> dict[str, object]:
    return dict.fromkeys(tokenizer.added_ids, IS_ADDED)


def _flags(tokenizer: Tokenizer) -> dict[str, object]:
    """The flags by which each added token is found in a text."""
    flags = tokenizer.native.added_flags if isinstance(tokenizer, ThirdPartyTokenizer) else {}
    found: dict[str, object] = {}
    for name in tokenizer.added_ids:
        for flag, value in flags.get(name, _EXACT).items():
            found[f"{name}: {flag}"] = value
    return found


def _scores(tokenizer: Tokenizer) -> dict[str, object]:
    """The score or the kind of each token; no scores if there are merges, whose order says more."""
    found = tokenizer.native.scores if isinstance(tokenizer, ThirdPartyTokenizer) else {}
    has_merges = tokenizer.n_merges > 0
    said: dict[str, object] = {}
    for n, score_or_kind in found.items():
        if isinstance(score_or_kind, str):
            said[tokenizer.tokens[n]] = f"the kind {score_or_kind}"
        elif not has_merges:
            said[tokenizer.tokens[n]] = f"the score {score_or_kind}"
    return said


def _settings(tokenizer: Tokenizer) -> dict[str, object]:
    """The settings on which ids depend."""
    if isinstance(tokenizer, ThirdPartyTokenizer):
        found = dict(tokenizer.native.settings)
    else:
        found = {name: getattr(tokenizer.model.config, field) for name, field in _CONFIG.items()}
    unknown = tokenizer.unknown_id
    unknown_token = NONE if unknown is None else tokenizer.tokens.get(unknown, unknown)
    found = {"model": tokenizer.kind, **found, "unknown token": unknown_token}
    templates = {
        "template": template_words(tokenizer, 1),
        "template of two texts": template_words(tokenizer, 2),
    }
    found |= {name: words for name, words in templates.items() if words}
    if isinstance(tokenizer, ThirdPartyTokenizer) and not tokenizer.says_batches:
        return found
    return found | {
        "pad token": tokenizer.pad_token or NONE,
        "padding side": tokenizer.padding_side,
        "truncation side": tokenizer.truncation_side,
        "maximum length": tokenizer.model_max_length,
    }


def template_words(tokenizer: Tokenizer, n_texts: int) -> str:
    """A template for one text or two: "[CLS] A [SEP]"; "" if the library has no templates."""
    words = []
    for name, _ in tokenizer.template(n_texts):
        word = "AB"[name] if isinstance(name, int) else name
        words.append(word)
    return " ".join(words)
