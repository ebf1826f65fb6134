"""The texts of a drawing that Qt made as SVG, so that every program shows them in their order and in some font.

Qt writes a text run by run, from the left to the right as on the screen, each run at its place; the signs
that keep directions apart become texts of their own, which some programs draw as boxes. Without them a run says no
longer in which direction it is read: a space before a Persian word would move to its other side, brackets would point
the wrong way. So they are removed, and a run to the left gets the oldest of such signs, which nothing draws, at an
end that would not be taken for a part of it. (`direction="rtl"` would say the same, and move the run: its place would
be its right end, in some programs and not in others.)
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from html import unescape

_ISOLATES = re.compile("[\u2066-\u2069]")
_OPENERS, _FIRST_STRONG, _CLOSER = "\u2066\u2067\u2068", "\u2068", "\u2069"
_TEXT = re.compile(r"(<text\b[^>]*>)([^<]*)(</text>\s*)")
_Y = re.compile(r'\by="([^"]*)"')
_HEX = re.compile("[0-9A-F ]+")
_TO_THE_LEFT = "\u200f"


def readable(content: bytes) -> bytes:
    """A drawing with its texts in their directions, and with fonts to fall back on."""
    drawing = content.decode("utf-8", "replace")
    found = list(_TEXT.finditer(drawing))
    directions = _directions(list(_placed(found)))
    parts, end = [], 0
    for match, runs_left in zip(found, directions, strict=True):
        text = _ISOLATES.sub("", match[2])
        if text:
            text = f"{match[1]}{_leftwards(text) if runs_left else text}{match[3]}"
        parts += [drawing[end : match.start()], text]
        end = match.end()
    drawing = _ISOLATES.sub("", "".join([*parts, drawing[end:]]))
    return re.sub(r'font-family="([^",]*)"', _with_fallback, drawing).encode("utf-8")


def _leftwards(text: str) -> str:
    begin, end = ("" if _is_right_to_left(char) else _TO_THE_LEFT for char in (text[0], text[-1]))
    return begin + text + end


def _placed(found: Sequence[re.Match[str]]) -> Iterator[tuple[object, str]]:
    """Each run with its place: the same for those of one text, on a line with nothing drawn between them."""
    block, end = 0, 0
    for match in found:
        block += match.start() != end
        end = match.end()
        y = _Y.search(match[1])
        yield (block, y[1] if y is not None else ""), unescape(match[2])


def _directions(runs: Sequence[tuple[object, str]]) -> list[bool]:
    """Whether each run is read from the right; a run is its place, and what it says."""
    leftwards = [any(map(_is_right_to_left, text)) for _, text in runs]
    first = 0
    while first < len(runs):
        last = first + 1
        if runs[first][1].startswith(_FIRST_STRONG):
            depth = _depth(runs[first][1])
            while last < len(runs) and depth > 0 and runs[last][0] == runs[first][0]:
                depth += _depth(runs[last][1])
                last += 1
            # The rest of a text may be behind the sign that ends it, as runs are in the order of the screen.
            while last < len(runs) and runs[last][0] == runs[first][0] and not runs[last][1].startswith(_FIRST_STRONG):
                last += 1
            inside = [text for _, text in runs[first:last]]
            if _begins_at_the_right(inside):
                leftwards[first:last] = [
                    each or not any(map(_is_strong, text))
                    for each, text in zip(leftwards[first:last], inside, strict=True)
                ]  # fmt: skip
        first = last
    return leftwards


def _depth(text: str) -> int:
    return sum(text.count(opener) for opener in _OPENERS) - text.count(_CLOSER)


def _begins_at_the_right(runs: Sequence[str]) -> bool:
    """Whether a name that is kept apart is read from the right; bytes in hex decide nothing."""
    strong = [char for run in runs if not _HEX.fullmatch(run) for char in run if _is_strong(char)]
    return bool(strong) and _is_right_to_left(strong[0])


def _is_right_to_left(char: str) -> bool:
    return unicodedata.bidirectional(char) in ("R", "AL")


def _is_strong(char: str) -> bool:
    # Numbers are no letters, and yet are read from the left wherever they are.
    return unicodedata.bidirectional(char) in ("L", "R", "AL", "EN", "AN")


def _with_fallback(family: re.Match[str]) -> str:
    kind = "monospace" if "mono" in family[1].lower() else "sans-serif"
    return f'font-family="{family[1]}, {kind}"' if family[1] else f'font-family="{kind}"'
