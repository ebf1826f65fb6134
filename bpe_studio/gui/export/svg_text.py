"""The texts of a drawing that Qt made as SVG, so that every program shows them, in some font.

Qt writes the signs that keep directions apart (U+2066 to U+2069) as texts of their own, which some
programs draw as boxes; each run of letters has its place without them.
"""

from __future__ import annotations

import re

_ISOLATES = re.compile("[\u2066-\u2069]")
_EMPTY = re.compile(r"<text\b[^>]*></text>\s*")
_FAMILY = re.compile(r'font-family="([^",]*)"')


def readable(content: bytes) -> bytes:
    """A drawing without signs of direction, and with fonts to fall back on."""
    drawing = _EMPTY.sub("", _ISOLATES.sub("", content.decode("utf-8", "replace")))
    return _FAMILY.sub(_with_fallback, drawing).encode("utf-8")


def _with_fallback(family: re.Match[str]) -> str:
    kind = "monospace" if "mono" in family[1].lower() else "sans-serif"
    return f'font-family="{family[1]}, {kind}"' if family[1] else f'font-family="{kind}"'
