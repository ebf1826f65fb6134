"""The count below which a token is rare: one number for the measures of sizes, the vocabulary and
the window.
"""

from __future__ import annotations

RARE_BELOW = 20
"""The default: a token that occurs fewer times than this in the corpus is rare."""
MOST_RARE_BELOW = 1_000_000
"""The greatest number that can be set instead."""
