"""The lessons that teach a published case."""

from __future__ import annotations

PUBLISHED = {
    "01-hug-pug": "hug pug pun",
    "02-low-lower": "low lower newest widest",
    "03-ababcabcd": "ababcabcd",
    "04-smiley-bytes": "bytes with smileys",
    "05-persian-lines": "two Persian lines",
    "06-ai-headlines": "five AI headlines",
}
"""The lessons whose merges are those of a published case, and its name."""
