"""One fact: a label, a text and an explanation."""

from __future__ import annotations

from typing import NamedTuple


class Fact(NamedTuple):
    """A row in a panel: its label, its text, and a tooltip that explains the numbers."""

    label: str
    text: str
    tip: str = ""
