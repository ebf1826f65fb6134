"""The number of times that the text of each file counts: the options `weight` and `alpha`.

Training with weights is training on a text in which each file is repeated. So that all counts stay
whole numbers, weights with a fraction are multiplied by their common denominator first.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from decimal import Context, Decimal
from fnmatch import fnmatchcase
from fractions import Fraction
from glob import escape
from math import lcm

from bpe_studio.engine.config import TrainingConfig
from bpe_studio.errors import ConfigError

_HUNDREDTHS = Decimal("0.01")
_EXACT = Context(prec=40)
"""Gives the same digits on every computer, unlike powers of floats."""


def repetitions(config: TrainingConfig, sizes: Mapping[str, int]) -> dict[str, int]:
    """The number of times that each file counts, by its path.

    Args:
        config: the options with the weights.
        sizes: the size of each file's text in bytes, by its path.

    Raises:
        ConfigError: a pattern fits no file.

    >>> config = TrainingConfig.preset("gpt2", weight=["b.txt=0.5"])
    >>> repetitions(config, {"a.txt": 10, "texts/b.txt": 20})
    {'a.txt': 2, 'texts/b.txt': 1}
    """
    check_patterns(config, sizes)
    weights = {path: weight_of(path, config) for path in sizes}
    if config.alpha != 1:
        largest = max(sizes.values(), default=0)
        for path, size in sizes.items():
            weights[path] *= _smoothing(size, largest, config.alpha)
    common = lcm(*(weight.denominator for weight in weights.values()))
    return {path: int(weight * common) for path, weight in weights.items()}


def weight_of(path: str, config: TrainingConfig) -> Fraction:
    """The weight that the options give a file: that of the last pattern that fits it, or else 1."""
    for pattern, weight in reversed(config.file_weights):
        if fits(pattern, path):
            return weight
    return Fraction(1)


def with_weight(config: TrainingConfig, path: str, name: str, weight: str) -> TrainingConfig:
    """Options in which one file has another weight.

    Args:
        config: the options.
        path: the path of the file.
        name: the end of its path that no other file has.
        weight: the weight, such as "1/3".

    Raises:
        ConfigError: it is not a weight.
    """
    pattern = escape(name)
    entry = f"{pattern}={weight}"
    kept = [each for each in config.weight if each.rpartition("=")[0] != pattern]
    changed = config.replace(weight=kept)
    if weight_of(path, config.replace(weight=[entry])) == weight_of(path, changed):
        return changed
    return config.replace(weight=[*kept, entry])


def fits(pattern: str, path: str) -> bool:
    """Whether a pattern describes a file: its name, its path, or any end of its path.

    The name itself fits even if it has brackets.

    >>> [fits(pattern, "texts/news/b.txt") for pattern in ("b.txt", "news/*", "texts")]
    [True, True, False]
    >>> fits("wiki [de].txt", "texts/wiki [de].txt")
    True
    """
    parts = path.replace(os.sep, "/").split("/")
    ends = ["/".join(parts[place:]) for place in range(len(parts))]
    return pattern in ends or any(fnmatchcase(end, pattern) for end in ends)


def short_names(paths: Iterable[str], patterns: Collection[str] = ()) -> tuple[str, ...]:
    """The names of files, with as much of their folders as it takes to tell them apart, and to let
    the patterns fit that fit the paths.

    >>> short_names(["/texts/en/a.txt", "/texts/de/a.txt", "/texts/b.txt"])
    ('en/a.txt', 'de/a.txt', 'b.txt')
    >>> short_names(["/texts/en/a.txt", "/texts/de/b.txt"], ["de/*"])
    ('a.txt', 'de/b.txt')
    """
    parts = {path: path.replace(os.sep, "/").split("/") for path in paths}
    names: dict[str, str] = {}
    n_parts = 0
    while len(names) < len(parts):
        n_parts += 1
        ends = {path: "/".join(each[-n_parts:]) for path, each in parts.items()}
        n_named = Counter(ends.values())
        for path, end in ends.items():
            if path in names:
                continue
            is_fit = all(fits(each, end) for each in patterns if fits(each, path))
            if (is_fit and n_named[end] == 1) or n_parts >= len(parts[path]):
                names[path] = end
    return tuple(names[path] for path in parts)


def check_patterns(config: TrainingConfig, paths: Iterable[str]) -> None:
    """Check that each weight is that of a file.

    Raises:
        ConfigError: one is not.
    """
    paths = list(paths)
    for pattern, _ in config.file_weights:
        if not any(fits(pattern, path) for path in paths):
            raise ConfigError(
                f"The weight of {pattern!r} fits none of the files; write the end of a path, such"
                " as b.txt or news/*, but not that of a file inside an archive, which has no weight"
                " of its own"
            )


def check_has_no_weights(config: TrainingConfig) -> None:
    """Check that there are no weights, for a text of which the files are not known.

    Raises:
        ConfigError: there are weights.
    """
    if config.is_weighted:
        option = f"weight {config.weight[0]}" if config.weight else f"alpha {config.alpha:g}"
        raise ConfigError(
            f"Nothing says which files this text is from, so they cannot be weighed ({option});"
            " give the files, or drop the weights"
        )


def _smoothing(size: int, largest: int, alpha: float) -> Fraction:
    """The factor by which a file counts more than the largest one, rounded to hundredths."""
    if not size:
        return Fraction(1)
    ratio = _EXACT.divide(Decimal(largest), Decimal(size))
    power = _EXACT.power(ratio, _EXACT.subtract(Decimal(1), Decimal(str(alpha))))
    return Fraction(power.quantize(_HUNDREDTHS))
