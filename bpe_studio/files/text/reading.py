"""The user's choices about how files are read.

Imports nothing, so that requests and documents can hold them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """The user's choices about how files are read.

    Attributes:
        encoding: the encoding of texts by name; `None` to detect it.
        column: the column of records that holds the text; `None` to find it.
        is_plain: whether files that hold records are read as plain text.
        is_lenient: whether a file that has records by its name alone, and no column of text, is
            read as plain text.
    """

    encoding: str | None = None
    column: str | None = None
    is_plain: bool = False
    is_lenient: bool = False


DEFAULT_READING = Reading()
LENIENT_READING = Reading(is_lenient=True)
"""For files in the window about which the user has chosen nothing."""
UTF_8 = Reading("utf-8", is_lenient=True)
"""For the samples."""
