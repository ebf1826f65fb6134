"""How files are read, as far as a person has chosen it.

Imports nothing, so that requests and documents can hold it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    """How files are read, as far as the user has chosen it.

    Attributes:
        encoding: the encoding of texts by name; None to detect it.
        column: the column of records that holds the text; None to find it.
        is_plain: whether files that hold records are read as the plain text that they are.
        is_lenient: whether a file that has records by its name alone, and no column of text, is
            read as plain text.
    """

    encoding: str | None = None
    column: str | None = None
    is_plain: bool = False
    is_lenient: bool = False


DEFAULT_READING = Reading()
LENIENT_READING = Reading(is_lenient=True)
"""How the window reads what nobody has chosen anything for."""
UTF_8 = Reading("utf-8", is_lenient=True)
"""How the samples are read."""
