"""Finds the text of special tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from os.path import commonprefix

_MAX_DEPTH = 20


def split_at_specials(text: str, specials: Sequence[str]) -> list[str]:
    """The parts of a text between special tokens.

    If one token begins with another, the longer one is matched.
    """
    if not specials:
        return [text]
    return [part for part in specials_pattern(specials).split(text) if part]


def specials_pattern(specials: Iterable[str]) -> re.Pattern[str]:
    """An expression that matches special tokens, the longest one at a place; without any, it
    matches nothing.

    Common prefixes are written once, because 100,000 separate alternatives take half a minute to
    compile.
    """
    names = sorted(set(specials))
    if not names:
        return re.compile("(?!)")
    return re.compile(_any_of(names, _MAX_DEPTH))


def _any_of(names: Sequence[str], depth: int) -> str:
    """An expression for the longest of several sorted texts, with groups nested to a maximum
    depth.
    """
    prefix = commonprefix([names[0], names[-1]])  # noqa: RUF071 (texts, not paths)
    rests = [name[len(prefix) :] for name in names]
    if len(rests) == 1:
        return re.escape(prefix)
    end = ")"
    if not rests[0]:  # the prefix is one of the texts
        rests = rests[1:]
        end = ")?"
    if depth:
        parts = [_any_of(list(group), depth - 1) for _, group in groupby(rests, key=itemgetter(0))]
    else:
        parts = [re.escape(rest) for rest in sorted(rests, key=len, reverse=True)]
    return f"{re.escape(prefix)}(?:{'|'.join(parts)}{end}"
