"""Checks of what callers of the Python API give.

Each function raises an `ArgumentError`, one sentence that says what to give instead.
"""

from __future__ import annotations

import os
import reprlib
from collections.abc import Collection, Iterable, Iterator
from operator import index
from typing import Any

from bpe_studio.errors import ArgumentError

_LEAST_ALIKE = 0.6
_MOST = 1 << 63


def shown(value: object) -> str:
    """A value for a message, shortened, in one line."""
    try:
        return " ".join(reprlib.repr(value).splitlines())
    except ValueError:  # Python writes no number of more than 4,300 digits
        return "a number of thousands of digits"


def as_text(text: object) -> str:
    """A text; bytes are decoded as UTF-8, and invalid ones become lone surrogates."""
    if isinstance(text, str):
        return text
    if isinstance(text, bytes):
        return text.decode("utf-8", "surrogateescape")
    raise ArgumentError(f"{shown(text)} is not text: give one str")


def each_text(texts: object) -> Iterator[str]:
    """The texts of a list, an array, a column of a table or any other iterable, one by one."""
    if isinstance(texts, str | bytes):
        raise ArgumentError(
            f"{shown(texts)} is one text, and several are wanted: put it into a list"
        )
    if not isinstance(texts, Iterable):
        raise ArgumentError(f"{shown(texts)} is not a list of texts: give a list of str")
    return _each_text(texts)


def _each_text(texts: Iterable[object]) -> Iterator[str]:
    for text in texts:
        if not isinstance(text, str):
            raise ArgumentError(f"{shown(text)} is not text: give a list of nothing but str")
        yield text


def as_ids(ids: Any) -> tuple[list[int], Collection[int]]:
    """Token ids as a list, and the distinct ones."""
    try:
        found = ids.tolist() if hasattr(ids, "tolist") else list(ids)
        distinct = dict.fromkeys(found)
        for number in distinct:
            if abs(index(number)) > _MOST:
                raise TypeError
        return found, distinct
    except TypeError:
        raise ArgumentError(
            f"{shown(ids)} is not a list of token ids: give whole numbers, such as [1, 2]"
        ) from None


def as_number(value: Any, what: str) -> int:
    """A whole number."""
    try:
        number = index(value)
    except TypeError:
        raise ArgumentError(f"{what} is a whole number, not {shown(value)}") from None
    if abs(number) > _MOST:
        raise ArgumentError(f"{what} cannot be {shown(value)}: give a smaller number")
    return number


def as_path(path: object) -> str:
    """The path of a file or folder, or an address."""
    found = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(found, str):
        raise ArgumentError(f"{shown(path)} is not a path: give a str or a pathlib.Path")
    return found


def expect(value: object, kind: Any, hint: str) -> None:
    """Makes sure that a value is of a class."""
    if not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise ArgumentError(f"{shown(value)} is not {article} {kind.__name__}: {hint}")


def no_such(what: str, name: object, names: Iterable[str]) -> str:
    """The message that there is nothing of this name."""
    return f"There is no {what} {shown(name)}{instead(name, names)}"


def instead(name: object, names: Iterable[str]) -> str:
    """The end of a message: the name that resembles a wrong one most, or all names."""
    names = tuple(names)
    return did_you_mean(name, names) or f"; choose one of {', '.join(names)}"


def did_you_mean(name: object, names: Iterable[str]) -> str:
    """The end of a message: the name that resembles a wrong one most; "" if none does."""
    from difflib import get_close_matches  # needed after a mistake only

    if not isinstance(name, str):
        return ""
    found = get_close_matches(name.lower(), tuple(names), 1, _LEAST_ALIKE)
    return f"; did you mean {found[0]!r}?" if found else ""
