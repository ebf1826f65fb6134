"""Numbers for what has no internal token id, in its place in a text."""

from __future__ import annotations

UNKNOWN = -1
"""A symbol that is not in the alphabet."""
LAST_SPECIAL = -2
"""The first special token. Special tokens have no internal id; number n of the options is
`LAST_SPECIAL - n`.
"""
