"""The two of all that is compared that are A and B: sentences are about A, compared with B."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpe_studio.explain.comparison.subjects import Subject

CURRENT = "step"
"""The key of the step of the window."""


class Pair:
    """The two, found again whenever other subjects are compared.

    Until two are chosen, A is the step of the window, and B is the run or tokenizer that was added
    last, or else the first size. A run or tokenizer that is added becomes B.
    """

    def __init__(self) -> None:
        self._chosen: tuple[Subject, Subject] | None = None
        self._subjects: tuple[Subject, ...] = ()

    def among(self, subjects: Sequence[Subject]) -> tuple[Subject, Subject] | None:
        """A and B among the subjects; None if there are none."""
        before = self._subjects
        self._subjects = tuple(subjects)
        if not subjects:
            self._chosen = None
            return None
        current = next((each for each in subjects if each.key == CURRENT), subjects[0])
        usual = (current, subjects[-1])
        if not subjects[-1].name:
            usual = (current, subjects[0])
        keys_before = {each.key for each in before}
        added = [each for each in subjects if each.name and each.key not in keys_before]
        if before and added:
            self._chosen = current, added[-1]
        elif self._chosen is not None:
            a, b = (self._again(each, before) for each in self._chosen)
            self._chosen = a or usual[0], b or usual[1]
        return self._chosen or usual

    def _again(self, chosen: Subject, before: Sequence[Subject]) -> Subject | None:
        """The same place in the list, or the same size if sizes were added or removed."""
        has_as_many = self._n_sizes(before) == self._n_sizes(self._subjects)
        if chosen.name or chosen.key == CURRENT or has_as_many:
            return next((each for each in self._subjects if each.key == chosen.key), None)
        return next((each for each in self._subjects if each == chosen), None)

    @staticmethod
    def _n_sizes(subjects: Sequence[Subject]) -> int:
        return sum(not each.name for each in subjects)

    def choose(self, *keys: str) -> None:
        """Choose B, so that the last B becomes A; or choose first A and then B."""
        by_key = {each.key: each for each in self._subjects}
        for key in keys:
            pair = self.among(self._subjects)
            if pair is not None and key in by_key and pair[1].key != key:
                self._chosen = pair[1], by_key[key]
