"""A fact in one row: a label, a sentence and an explanation. Widgets show several below each other."""

from __future__ import annotations

from typing import NamedTuple


class Fact(NamedTuple):
    """One row: what it is about, what is so, and what a number in it counts and over what."""

    label: str
    text: str
    tip: str = ""
