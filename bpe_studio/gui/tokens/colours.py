"""The colour of a token: by its place in the text, or by its name, which is the same everywhere.

Colours by place keep neighbours apart. Colours by token show where the same token occurs again, and
do not change when the step moves; if two neighbours would have the same colour, the second takes
the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref
from zlib import crc32

from bpe_studio.engine.text.outside_alphabet import UNKNOWN
from bpe_studio.explain.names import display_name
from bpe_studio.files.exports.colours import N_COLOURS, NAME_SEED, apart

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

_MOST_NAMES = 100_000


class _Choice:
    """The choice for the whole program."""

    is_by_token = True


def set_by_token(is_on: bool) -> None:
    """Colour by token from now on, or by place; the caller repaints the window."""
    _Choice.is_by_token = is_on


def is_by_token() -> bool:
    """Whether colours go by token."""
    return _Choice.is_by_token


def by_name() -> Callable[[str], int] | None:
    """A function from a token's name to the number of its colour; None if colours go by place."""
    return _number_of if _Choice.is_by_token else None


def colour_number(place: int, name: str) -> int:
    """The number of a token's colour.

    Args:
        place: the index of the token in its paragraph or word.
        name: the displayed name of the token.
    """
    return _number_of(name) if _Choice.is_by_token else place % N_COLOURS


def colour_numbers(names: Sequence[str]) -> list[int]:
    """The numbers of the colours of a word's tokens, given by their displayed names."""
    return apart(colour_number(place, name) for place, name in enumerate(names))


def _number_of(name: str) -> int:
    return crc32(name.encode("utf-8", "surrogatepass"), NAME_SEED) % N_COLOURS


class ColoursOfRun:
    """The numbers of the colours of neighbouring tokens of a run, by their internal ids.

    It does not keep the run.
    """

    def __init__(self) -> None:
        self._run: ReferenceType[Run] | None = None
        self._numbers: dict[int, int] = {}

    def of(self, run: Run | None, tokens: Iterable[int]) -> list[int] | None:
        """The number of each token's colour; None if colours go by place."""
        if not _Choice.is_by_token or run is None:
            return None
        if self._run is None or run is not self._run() or len(self._numbers) > _MOST_NAMES:
            self._run = ref(run)
            self._numbers = {}
        found = []
        for token in tokens:
            number = self._numbers.get(token)
            if number is None:
                number = 0 if token == UNKNOWN else _number_of(display_name(run, token))
                self._numbers[token] = number
            found.append(number)
        return apart(found)
