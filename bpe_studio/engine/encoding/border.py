"""A border of a text: a place where two symbols meet, known by the pre-token that it is in and not
by its place.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TextBorder:
    """A place in a text where two symbols meet, with no text between them.

    Attributes:
        piece: the pre-token of the first symbol, with the mark that the split puts before it.
        place: the number of its symbols before the border; all of them if the border is its end.
        following: the next pre-token if the border is the end of the piece, else "".
    """

    piece: str
    place: int
    following: str = ""

    @property
    def is_of_split(self) -> bool:
        """Whether two pre-tokens meet there."""
        return bool(self.following)
