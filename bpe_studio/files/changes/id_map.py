"""The ids of a tokenizer before and after it was extended, pruned, or both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bpe_studio.engine.arrays import Int64Array
from bpe_studio.engine.encoding.tokenizer import Tokenizer


@dataclass(frozen=True, eq=False)
class IdMap:
    """The ids of a tokenizer before and after a change.

    Attributes:
        old_ids: (largest new id + 1,) int64, the old id of each token; -1 for a new token, or where
            there is no token.
        removed: the old ids of the tokens that are gone.
        parts: for the id of each new token, the old ids of the tokens that it is made of, in order.
    """

    old_ids: Int64Array
    removed: Sequence[int]
    parts: Mapping[int, Sequence[int]]

    @classmethod
    def of(
        cls,
        before: Tokenizer,
        after: Tokenizer,
        numbers: Mapping[int, int],
        merges: Iterable[tuple[int, int, int]] = (),
    ) -> IdMap:
        """The map of a change.

        Args:
            before: the tokenizer before the change.
            after: the tokenizer after it.
            numbers: the new id of each old token that is kept.
            merges: (left id, right id, new id) of the new merges, in order, as `after` numbers
                them.
        """
        old_ids = np.full(max(after.tokens, default=-1) + 1, -1, np.int64)
        old_ids[list(numbers.values())] = list(numbers)
        made: dict[int, list[int]] = {new: [old] for old, new in numbers.items()}
        parts = {number: list[int]() for number in after.tokens if number not in made}
        for left, right, new in merges:
            if new not in made:
                made[new] = made[left] + made[right]
                parts[new] = made[new]
        removed = sorted(before.tokens.keys() - numbers.keys())
        return cls(old_ids, removed, parts)

    def as_json(self, after: Tokenizer) -> dict[str, Any]:
        """The map as an object of JSON: pairs of ids, ids, and objects."""
        new_ids = np.flatnonzero(self.old_ids >= 0)
        kept = np.stack([self.old_ids[new_ids], new_ids], axis=1)
        new = []
        for number, parts in self.parts.items():
            new.append({"id": number, "token": after.tokens[number], "parts": list(parts)})
        return {"kept": kept.tolist(), "removed": list(self.removed), "new": new}
