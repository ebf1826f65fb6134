"""A row with a fact: a label, a text and an explanation."""

from __future__ import annotations

from typing import NamedTuple


class Fact(NamedTuple):
    """One row: its label, its text, and a tooltip that says what a number counts and out of
    what.
    """

    label: str
    text: str
    tip: str = ""
