"""How trainers choose among pairs that occur equally often: the tie rules of the settings, and
others in use.

Each is a function of the pairs, in the order in which they came up, and the trainer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bpe_studio.engine.textbook import Pair
    from bpe_studio.explain.check.trainer import Choose, PlainTrainer


def first_seen(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair that occurs first in the text as it is cut now."""
    return min(pairs, key=trainer.first_place)


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


def smallest_ids(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair with the smallest ids."""
    return min(pairs, key=lambda pair: _ids(pair, trainer))


def greatest_ids(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair with the greatest ids."""
    return max(pairs, key=lambda pair: _ids(pair, trainer))


def smallest_text(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair that sorts first: left tokens first, then right ones."""
    return min(pairs, key=lambda pair: _texts(pair, trainer))


def greatest_text(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair that sorts last."""
    return max(pairs, key=lambda pair: _texts(pair, trainer))


def greatest_name(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair whose names sort last: for bytes, their printable stand-ins."""
    return max(pairs)


def greatest_token(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair whose new token sorts last, wherever the two parts meet in it."""
    return max(
        pairs,
        key=lambda pair: (trainer.texts[pair[0]] + trainer.texts[pair[1]], _texts(pair, trainer)),
    )


def shortest_token(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
    """The pair that makes the shortest token, then the one whose names sort first."""
    return min(pairs, key=lambda pair: (trainer.n_characters(pair), "".join(pair)))


def as_given(merges: Sequence[Pair]) -> Choose:
    """Whichever pair was merged, if it is one of them: no rule at all."""

    def choose(pairs: list[Pair], trainer: PlainTrainer) -> Pair:
        rank = len(trainer.merges)
        return merges[rank] if rank < len(merges) and merges[rank] in set(pairs) else pairs[0]

    return choose


RULES: dict[str, Choose] = {
    "first-seen": first_seen,
    "huggingface": smallest_ids,
    "raw-ids": smallest_ids,
    "greatest-bytes": greatest_text,
    "subword-nmt": greatest_name,
    "sentencepiece": shortest_token,
}
"""The tie rules of the settings; the settings also decide how the alphabet is numbered."""


def _ids(pair: Pair, trainer: PlainTrainer) -> tuple[int, int]:
    return trainer.ids[pair[0]], trainer.ids[pair[1]]


def _texts(pair: Pair, trainer: PlainTrainer) -> tuple[Any, Any]:
    return trainer.texts[pair[0]], trainer.texts[pair[1]]
