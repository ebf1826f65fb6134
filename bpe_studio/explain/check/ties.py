"""Tie rules of trainers: those of the settings, and others in use.

Each is a function of the equally frequent pairs, in the order in which they came up, and the
trainer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bpe_studio.engine.tie_rules import TIE_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.textbook import Pair
    from bpe_studio.explain.check.trainer import Choose, PlainTrainer


def last_seen(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair whose first place in the text is last: `>=` instead of `>` in a search for
    the best.
    """
    return max(pairs, key=trainer.first_place)


def first_counted(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair that came into the table of counts first."""
    return pairs[0]


def last_counted(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair that came into the table of counts last."""
    return pairs[-1]


def greatest_ids(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair with the greatest ids."""
    return max(pairs, key=lambda pair: _ids(pair, trainer))


def smallest_text(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair that sorts first: left tokens first, then right ones."""
    return min(pairs, key=lambda pair: _texts(pair, trainer))


def greatest_token(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair whose new token sorts last, wherever its two parts meet."""
    return max(
        pairs,
        key=lambda pair: (trainer.texts[pair[0]] + trainer.texts[pair[1]], _texts(pair, trainer)),
    )


def longest_text_last(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair whose bytes sort last, but of two tokens that begin alike the shorter: the order of
    negated bytes in a heap.
    """

    def negated(pair: Pair) -> list[list[int]]:
        left, right = _texts(pair, trainer)
        return [_negated_units(left), _negated_units(right)]

    return min(pairs, key=negated)


def by_rule(name: str) -> Choose:
    """A tie rule of the settings."""
    rule = TIE_RULES[name]
    return lambda pairs, trainer: rule.choose(pairs, trainer.compared(rule))


def as_given(merges: Sequence[Pair]) -> Choose:
    """No rule: the pair that was merged, if it is one of them."""

    def choose(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
        rank = len(trainer.merges)
        return merges[rank] if rank < len(merges) and merges[rank] in set(pairs) else pairs[0]

    return choose


def _ids(pair: Pair, trainer: PlainTrainer) -> tuple[int, int]:
    return trainer.ids[pair[0]], trainer.ids[pair[1]]


def _negated_units(text: str | bytes) -> list[int]:
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return [-unit for unit in content]


def _texts(pair: Pair, trainer: PlainTrainer) -> tuple[Any, Any]:
    return trainer.texts[pair[0]], trainer.texts[pair[1]]
