"""What only one of two tokenizers has: tokens, merges, ids, added tokens and settings."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from bpe_studio.engine.encoding.tokenizer import Tokenizer
from bpe_studio.explain.tokenizer_diff.pair import Key, TokenizerPair
from bpe_studio.files.third_party.tokenizer import ThirdPartyTokenizer

NONE = "–"
IS_ADDED = "an added token"
_CONFIG = {
    "units": "units", "split": "cutting", "normalize": "normalize", "word end": "word_end",
    "word end as": "word_end_as", "continuing": "continuing", "byte fallback": "byte_fallback",
}  # fmt: skip
"""The options of our own tokenizers that ids depend on."""
_EXACT = {"special": True, "lstrip": False, "rstrip": False, "single_word": False, "normalized": False}
"""How our own engine finds added tokens."""


class Unlike(NamedTuple):
    """Something that A and B have with other values: an id, a flag of an added token, a setting."""

    name: str
    a: str
    b: str


class Moved(NamedTuple):
    """A merge that both have, in another order: its two parts, and its rank in A and in B."""

    pair: tuple[Key, Key]
    ranks: tuple[int, int]


@dataclass(frozen=True, eq=False)
class OwnParts:
    """What only one of A and B has.

    Attributes:
        tokens: for A and B, the ids of the tokens that the other does not have.
        merges: for A and B, the ranks of the merges that the other does not have.
        moved: the fewest merges without which those of both are in the same order.
        ids: the tokens with other ids.
        added: the added tokens that only one has, and the flags that differ, as `<|x|>: lstrip`.
        settings: the settings that differ.
    """

    tokens: tuple[list[int], list[int]]
    merges: tuple[list[int], list[int]]
    moved: list[Moved]
    ids: list[Unlike]
    added: list[Unlike]
    settings: list[Unlike]

    @property
    def is_empty(self) -> bool:
        """Whether they have the same."""
        return not any((*self.tokens, *self.merges, self.moved, self.ids, self.added, self.settings))


def own_parts(pair: TokenizerPair) -> OwnParts:
    """Compares what two tokenizers have."""
    ids_a, ids_b = pair.ids
    merges = [_merges(pair, side) for side in (0, 1)]
    common = [Moved(each, (rank, merges[1][each])) for each, rank in merges[0].items() if each in merges[1]]
    flags, settings = [[read(side) for side in pair.sides] for read in (_flags, _settings)]
    # The flags of an added token that only one has say nothing more.
    added = (flags[0] | flags[1]).items()
    named = [name for name, value in added if value == IS_ADDED or (name in flags[0] and name in flags[1])]
    return OwnParts(
        (_only(ids_a, ids_b), _only(ids_b, ids_a)),
        (_only(merges[0], merges[1]), _only(merges[1], merges[0])),
        [common[place] for place in _out_of_order([each.ranks[1] for each in common])],
        [Unlike(pair.sides[0].tokens[ids_a[key]], str(ids_a[key]), str(ids_b[key])) for key in pair.renumbered],
        _unlike(flags[0], flags[1], named),
        _unlike(settings[0], settings[1], [name for name in settings[0] if name in settings[1]]),
    )


def _only(mine: Mapping[Any, int], other: Mapping[Any, int]) -> list[int]:
    return sorted(number for each, number in mine.items() if each not in other)


def _merges(pair: TokenizerPair, side: int) -> dict[tuple[Key, Key], int]:
    """The ranks of the merges, in their order."""
    keys = pair.keys[side]
    found: dict[tuple[Key, Key], int] = {}
    for rank, (left, right, _) in enumerate(pair.sides[side].merges):
        found.setdefault((keys.get(left, left), keys.get(right, right)), rank)
    return found


def _out_of_order(ranks: Sequence[int]) -> list[int]:
    """The places of the fewest numbers without which the others rise.

    >>> _out_of_order([0, 3, 1, 2, 4])
    [1]
    """
    lowest: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for place, rank in enumerate(ranks):
        at = bisect_left(lowest, rank)
        before.append(places[at - 1] if at else -1)
        lowest[at : at + 1], places[at : at + 1] = [rank], [place]
    kept, place = set[int](), places[-1] if places else -1
    while place >= 0:
        kept.add(place)
        place = before[place]
    return [place for place in range(len(ranks)) if place not in kept]


def _unlike(a: Mapping[str, object], b: Mapping[str, object], names: Iterable[str]) -> list[Unlike]:
    found = [(name, a.get(name, NONE), b.get(name, NONE)) for name in names]
    return [Unlike(name, _written(mine), _written(other)) for name, mine, other in found if mine != other]


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _flags(tokenizer: Tokenizer) -> dict[str, object]:
    """The id of each added token, and how it is found in a text."""
    flags = tokenizer.native.added_flags if isinstance(tokenizer, ThirdPartyTokenizer) else {}
    found: dict[str, object] = {}
    for name in tokenizer.added_ids:
        found[name] = IS_ADDED
        found |= {f"{name}: {flag}": value for flag, value in flags.get(name, _EXACT).items()}
    return found


def _settings(tokenizer: Tokenizer) -> dict[str, object]:
    """The settings that ids depend on; tokenizers of different libraries have only some in common."""
    if isinstance(tokenizer, ThirdPartyTokenizer):
        found = dict(tokenizer.native.settings)
    else:
        found = {name: getattr(tokenizer.model.config, field) for name, field in _CONFIG.items()}
    unknown = tokenizer.unknown_id
    found = {
        "model": tokenizer.kind,
        **found,
        "unknown token": NONE if unknown is None else tokenizer.tokens.get(unknown, unknown),
    }
    templates = {"template": template_words(tokenizer, 1), "template of two texts": template_words(tokenizer, 2)}
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
    """What is put around a text, or two: "[CLS] A [SEP]"; "" if the library has no templates."""
    return " ".join("AB"[name] if isinstance(name, int) else name for name, _ in tokenizer.template(n_texts))
