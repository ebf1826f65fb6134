"""Numbers, plurals, times, sizes and JSON as text.

Numbers are English unless `write_numbers_with` changes that: the window uses the number format of
the system.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

NumberFormat = Callable[[float, int], str]
"""Formats a number with a number of decimals, with grouped thousands."""


def english(value: float, n_decimals: int) -> str:
    """A number in English.

    >>> english(12345, 0), english(1234.56, 1)
    ('12,345', '1,234.6')
    """
    return f"{value:,.{n_decimals}f}" if n_decimals or isinstance(value, float) else f"{value:,}"


_format: NumberFormat = english


def write_numbers_with(number_format: NumberFormat) -> None:
    """Let `number_format` write the numbers of this module, in the whole program."""
    global _format
    _format = number_format


def number(value: float, n_decimals: int = 0) -> str:
    """A number with grouped thousands.

    >>> number(5310), number(0.6667, 2)
    ('5,310', '0.67')
    """
    return _format(value, n_decimals)


def plural(n: int, one: str, many: str = "") -> str:
    """A count with its noun; without `many`, the plural is formed with an s.

    >>> plural(1, "merge"), plural(5310, "merge"), plural(0, "entry", "entries")
    ('1 merge', '5,310 merges', '0 entries')
    """
    if n == 1:
        return f"{number(n)} {one}"
    return f"{number(n)} {many or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """Words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def times(n: int) -> str:
    """A count as "once" or "N times".

    >>> times(1), times(5310)
    ('once', '5,310 times')
    """
    return "once" if n == 1 else f"{number(n)} times"


def json_line(value: object) -> str:
    r"""A value as one line of JSON, with its line break.

    Characters are not escaped, unless one of them could be read as a line break or is a lone
    surrogate: then all non-ASCII characters of the line are.

    >>> json_line({"é": 1}), json_line("é\u2028")
    ('{"é": 1}\n', '"\\u00e9\\u2028"\n')
    """
    line = json.dumps(value, ensure_ascii=False)
    if not line.isprintable():
        line = json.dumps(value)
    return f"{line}\n"


def merge_name(rank: int) -> str:
    """The name of a merge for people: rank 0 is merge 1, and step n comes after merge n.

    >>> merge_name(0), merge_name(1203)
    ('merge 1', 'merge 1,204')
    """
    return f"merge {number(rank + 1)}"


def percent(share: float, n_decimals: int | None = None) -> str:
    """A share in percent, with `n_decimals` decimals, or about two significant digits.

    >>> percent(0.123), percent(0.009), percent(0.00012), percent(0.123, 1)
    ('12 %', '0.9 %', '0.012 %', '12.3 %')
    """
    value = 100 * share
    if n_decimals is None:
        n_decimals = 3
        if abs(value) >= 9.95:
            n_decimals = 0
        elif abs(value) >= 0.095:
            n_decimals = 1
    return f"{number(float(value), n_decimals)} %"


def data_size(n_bytes: int) -> str:
    """A size in bytes, kB, MB and so on, in steps of a thousand.

    >>> data_size(512), data_size(38_000_000)
    ('512 bytes', '38.0 MB')
    """
    if n_bytes < 1000:
        return plural(n_bytes, "byte")
    power = min(4, (len(str(n_bytes)) - 1) // 3)
    return f"{number(n_bytes / 1000**power, 1)} {('kB', 'MB', 'GB', 'TB')[power - 1]}"


def part_of(part: str, whole: str) -> str:
    """A part of a whole; a unit that both share is written once.

    >>> part_of("38.0 MB", "40.0 MB"), part_of("950.0 kB", "1.0 MB")
    ('38.0 of 40.0 MB', '950.0 kB of 1.0 MB')
    """
    value, _, unit = part.rpartition(" ")
    return f"{value} of {whole}" if value and whole.endswith(f" {unit}") else f"{part} of {whole}"


def time_text(seconds: float) -> str:
    """A remaining time in a suitable unit.

    >>> [time_text(seconds) for seconds in (0.2, 59, 300, 3 * 3600)]
    ['1 s', '59 s', '5 min', '3 h']
    """
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{round(seconds / 3600)} h"


def progress_text(done: int, total: int, unit: str, seconds_left: float | None = None) -> str:
    """The progress of a job, and its remaining time.

    Args:
        done: the part that is done.
        total: the whole; 0 if it is not known.
        unit: "bytes", "%" or a noun in the plural.
        seconds_left: an estimate; None for none.

    >>> progress_text(12_000_000, 40_000_000, "bytes", 3.2), progress_text(30, 100, "%")
    ('12 of 40 MB, 3 s left', '30 %')
    """
    left = f", {time_text(seconds_left)} left" if seconds_left is not None else ""
    if total <= 0:
        return left.removeprefix(", ")
    if unit == "bytes":
        size, name = (1e6, "MB") if total >= 1_000_000 else (1e3, "kB")
        return f"{number(round(done / size))} of {number(round(total / size))} {name}{left}"
    if unit == "%":
        return f"{done} %{left}"
    return f"{number(done)} of {number(total)} {unit}{left}"
