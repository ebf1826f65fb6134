"""The numbers that stand in a text in the place of internal token ids, for what has none.

It imports nothing.
"""

from __future__ import annotations

UNKNOWN = -1
"""A symbol that is not in the alphabet."""
LAST_SPECIAL = -2
"""Special tokens have no internal id of a run: in a text, that with number n of the options is
`LAST_SPECIAL - n`.
"""
