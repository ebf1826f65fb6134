"""The panels by their keys, and their places in each view.

A view is a tree of splits whose leaves are places; a place holds one panel, or several behind a row
of tabs. A panel may have a place in several views; it is one widget, which is in the view that is
shown. The numbers are shares of the split, in percent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt

PANELS = {
    "text": "Typed text",
    "words": "Words",
    "skyline": "Skyline",
    "growth": "Growth",
    "merges": "Merges",
    "candidates": "Candidates",
    "why": "Why",
    "vocabulary": "Vocabulary",
    "doctor": "Doctor",
    "inspection": "Inspection",
    "enough": "Enough text?",
    "compare": "Compare",
    "branches": "Difference",
    "corpus": "Corpus",
    "lines": "Concordance",
    "learn": "Lessons and game",
    "settings": "Settings",
    "marks": "Stops and bookmarks",
}
"""The title of each panel."""


@dataclass(frozen=True)
class Stack:
    """Panels that share a place; tabs choose the one in front.

    Attributes:
        keys: the keys of the panels; the first one is in front at first.
    """

    keys: tuple[str, ...]


@dataclass(frozen=True)
class Split:
    """Parts next to each other or one above the other, with a handle between two.

    Attributes:
        orientation: horizontal for parts next to each other.
        parts: a panel's key, a stack or another split, each with its share.
    """

    orientation: Qt.Orientation
    parts: tuple[tuple[str | Stack | Split, int], ...]


@dataclass(frozen=True)
class View:
    """One view.

    Attributes:
        title: the text of its button.
        layout: its panels and their places.
    """

    title: str
    layout: Split


def across(*parts: tuple[str | Stack | Split, int]) -> Split:
    """Parts next to each other."""
    return Split(Qt.Orientation.Horizontal, parts)


def down(*parts: tuple[str | Stack | Split, int]) -> Split:
    """Parts one above the other."""
    return Split(Qt.Orientation.Vertical, parts)


_TEXT = down(("text", 60), ("skyline", 40))
_MERGES = down(("merges", 42), (Stack(("candidates", "why")), 58))

VIEWS = {
    "explore": View(
        "Explore",
        across((down((across(("words", 31), (_TEXT, 69)), 76), ("growth", 24)), 68), (_MERGES, 32)),
    ),
    "vocabulary": View("Vocabulary", across((Stack(("vocabulary", "doctor")), 68), ("why", 32))),
    "compare": View("Compare", down(("compare", 100))),
    "corpus": View(
        "Corpus",
        across(
            ("corpus", 20),
            (Stack(("words", "inspection", "enough")), 36),
            (down(("lines", 52), ("why", 48)), 44),
        ),
    ),
    "learn": View("Learn", down(("learn", 100))),
}
"""The views by their keys, in the order of their buttons; the first with a panel is its home."""
EXPLORE = "explore"
TOKENIZER = "tokenizer"
VOCABULARY_ALONE = "vocabulary_alone"
LAYOUTS = {
    **{key: view.layout for key, view in VIEWS.items()},
    TOKENIZER: across(
        (down(("text", 70), ("skyline", 30)), 66),
        (down((Stack(("merges", "vocabulary")), 62), ("why", 38)), 34),
    ),
    VOCABULARY_ALONE: across(("text", 66), (down(("vocabulary", 62), ("why", 38)), 34)),
}
"""All layouts: each view, and Explore for a tokenizer alone, with merges and without."""
DRAWER = Stack(("settings", "marks"))
"""The panels of the drawer, which opens at the side of every view."""
INSIDE = {"branches": "compare"}
"""Panels that are pages of another one, which brings them to the front (`HasPages`)."""
FOLDS = frozenset({"growth"})
"""The panels that fold to their heading."""


def keys_of(part: str | Stack | Split) -> Iterator[str]:
    """The keys of all panels in a part of a view."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, Stack):
        yield from part.keys
    else:
        for inner, _ in part.parts:
            yield from keys_of(inner)


def home_of(key: str) -> str:
    """The first view that shows a panel; "" for a panel of the drawer."""
    key = INSIDE.get(key, key)
    return next((view for view, each in VIEWS.items() if key in keys_of(each.layout)), "")
