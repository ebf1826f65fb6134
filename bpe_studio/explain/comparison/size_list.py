"""Parses lists of vocabulary sizes, and makes the two usual ones: powers of two, and even spacing.

A size counts the alphabet, the special tokens and the merges; a step counts the merges alone. The
window stores steps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bpe_studio.errors import BpeError

if TYPE_CHECKING:
    from bpe_studio.engine.run import Run

MOST_SIZES = 200
"""More sizes than anybody compares, so that a typing error does not make a thousand columns."""
LONGEST_LIST = 4000
_GROUPED = re.compile(r"\d{1,3}(?:[,٬]\d{3})+(?:[kKmM]?)")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kKmM]?)")
_FACTORS = {"": 1, "k": 1000, "m": 1_000_000}


class SizeError(BpeError):
    """A list of sizes that is not valid, or that is outside of the run's sizes."""


@dataclass(frozen=True)
class SizeRange:
    """The vocabulary sizes of a run.

    Attributes:
        base: the alphabet and the special tokens: the size at step 0.
        n_merges: the number of merges.
    """

    base: int
    n_merges: int

    @classmethod
    def of(cls, run: Run, n_merges: int) -> SizeRange:
        """The sizes of a run, up to `n_merges` merges."""
        return cls(int(run.vocab_size_at(0)), n_merges)

    @property
    def top(self) -> int:
        """The greatest size."""
        return self.base + self.n_merges

    def step(self, size: int) -> int:
        """The step whose vocabulary is nearest to a size."""
        return min(max(0, size - self.base), self.n_merges)


def read_sizes(text: str, within: SizeRange) -> list[int]:
    """The steps of a list such as "1000, 2000, 4k", rising and without duplicates.

    Args:
        text: numbers, separated by commas, semicolons or white space; "8k" is 8,000. "1,000" is one
            number if the run is long enough for it, or if its parts would be too small; with a
            space after the comma, it is two.
        within: the sizes of the run.

    Raises:
        SizeError: a part is not a number, or is outside of the run's sizes.

    >>> read_sizes("1000, 2k; 1,500", SizeRange(256, 4000))
    [744, 1244, 1744]
    """
    if len(text) > LONGEST_LIST:
        raise SizeError(
            f"The list is {len(text):,} characters long; write at most {LONGEST_LIST:,}"
        )
    first = within.base
    last = within.top
    numbers: list[int] = []
    for chunk in re.split(r"[\s;،؛、]+", text.strip()):
        numbers += _numbers(chunk, first, last)
    if not numbers:
        raise SizeError("Write one size or more, for example 1000, 2000, 4k")
    if min(numbers) < first:
        raise SizeError(
            f"The alphabet alone has {within.base:,} entries, so {min(numbers):,} is too small:"
            f" write {first:,} or more"
        )
    steps = sorted({number - first for number in numbers})
    if len(steps) > MOST_SIZES:
        raise SizeError(f"These are {len(steps):,} sizes; compare at most {MOST_SIZES} at a time")
    if max(numbers) > last:
        raise SizeError(
            f"The run’s largest vocabulary size is {last:,}, so {max(numbers):,} is out of reach:"
            " train further, or write a smaller one"
        )
    return steps


def doublings(within: SizeRange) -> list[int]:
    """The steps at which the vocabulary size is a power of two, and the last step.

    >>> doublings(SizeRange(256, 4000))
    [256, 768, 1792, 3840]
    """
    steps = []
    size = 1
    while size <= within.top:
        if size > within.base:
            steps.append(size - within.base)
        size *= 2
    return steps or [within.n_merges]


def usual_steps(within: SizeRange, wanted: Sequence[int]) -> list[int]:
    """The steps of the sizes that are compared until the user chooses some.

    These are the sizes that were chosen last, as far as the run has them. If it has none of them,
    two sizes far below its last one; none if the run is short.

    Args:
        within: the sizes of the run, up to the one that it is trained to.
        wanted: the sizes that were chosen last.

    >>> usual_steps(SizeRange(256, 32_512), [])
    [744, 7744]
    >>> usual_steps(SizeRange(256, 32_512), [1000, 16_000, 64_000])
    [744, 15744]
    """
    inside = [size for size in wanted if within.base < size < within.top]
    return [size - within.base for size in inside or _round_sizes(within.base, within.top)]


def _round_sizes(base: int, top: int) -> list[int]:
    """About a thirty-second and a quarter of a size, if the alphabet leaves room for them."""
    found = (_rounded(top // 32), _rounded(top // 4))
    return [size for size in found if size >= 2 * base]


def _rounded(size: int) -> int:
    """The greatest number up to a size that is 1, 2, 4 or 8 times a power of ten."""
    power = 1
    while 10 * power <= size:
        power *= 10
    return max(digit * power for digit in (1, 2, 4, 8) if digit * power <= max(size, 1))


def evenly_spaced(within: SizeRange, n: int) -> list[int]:
    """`n` steps at equal distances, up to the last.

    >>> evenly_spaced(SizeRange(256, 4000), 4)
    [1000, 2000, 3000, 4000]
    """
    return sorted({round(within.n_merges * k / n) for k in range(1, n + 1)})


def _numbers(chunk: str, first: int, last: int) -> list[int]:
    """The numbers in a part without white space: one with grouped digits, or several with commas
    between them.
    """
    parts = [part for part in chunk.split(",") if part]
    if _GROUPED.fullmatch(chunk):
        parts = re.split("[,٬]", chunk)
        number = _number("".join(parts))
        if number <= last or any(part[0] in "0۰٠" or _number(part) < first for part in parts):
            return [number]
    return [_number(part) for part in parts]


def _number(text: str) -> int:
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > 20:
        shown = text if len(text) <= 20 else text[:19] + "…"
        raise SizeError(
            f"“{shown}” is not a size: write numbers such as 8000 or 8k, with commas between them"
        )
    number = float(match[1]) * _FACTORS[match[2].lower()]
    if number != int(number):
        raise SizeError(f"“{text}” is not a whole number of tokens: write 8000 or 8k")
    return int(number)
