"""A text and its tokens as HTML: a page of its own, or a fragment with a colour at each token.

The page follows the light or dark theme of the reader's system and loads nothing, not even a
script. Each paragraph has the direction of its text; tokens have no padding, so that letters join
within and across them. A grapheme that several tokens share is written once, with a stripe for
each. The k-th token of a paragraph has colour k mod 6, as in the window. All text is escaped here;
nothing is tokenized.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from bpe_studio.files.exports.colours import GROUND_COLOURS, N_COLOURS, TOKEN_COLOURS


@dataclass(frozen=True)
class CutText:
    """A text and its tokens.

    Attributes:
        text: the text; lone surrogates represent stray bytes.
        starts: the start of each token in code points; a fraction is inside a character.
        ends: the end of each.
        titles: the tooltip of each, such as its id.
        unknown: the indices of tokens outside the alphabet.
        heading: the title of the page.
        facts: the (name, value) pairs above the text, such as ("Step", "1,200").
        colours: the number of each token's colour; `None` where colours go by place.
    """

    text: str
    starts: Sequence[float]
    ends: Sequence[float]
    titles: Sequence[str]
    unknown: frozenset[int] = frozenset()
    heading: str = "Text cut into tokens"
    facts: tuple[tuple[str, str], ...] = ()
    colours: Sequence[int] | None = None

    def colour_of(self, token: int, first: int) -> int:
        """The number of a token's colour, in a paragraph with this first token."""
        return (token - first) % N_COLOURS if self.colours is None else self.colours[token]


@dataclass(frozen=True)
class Piece:
    """A part of a paragraph: of one token, of none, or a grapheme that several tokens share.

    Attributes:
        text: its text.
        tokens: the indices of its tokens.
        shares: the end of each token's part, 0 to 1.
    """

    text: str
    tokens: tuple[int, ...]
    shares: tuple[float, ...] = (1.0,)


def page_in_pieces(cut: CutText) -> Generator[tuple[int, int], None, bytes]:
    """A self-contained page; yields (characters done, characters in all) every few milliseconds."""
    parts = [_head(cut)]
    for done, paragraph in _paragraphs(cut, _with_class):
        parts.append(f'<p dir="auto">{paragraph}</p>\n')
        yield done, len(cut.text)
    parts.append("</div>\n</main>\n</body>\n</html>\n")
    return "".join(parts).encode("utf-8", "replace")


def fragment(cut: CutText, mode: str = "light") -> str:
    """The text for the clipboard: paragraphs whose tokens have colours that word processors keep.

    Word processors support no stripes, so a grapheme that several tokens share has the colour of
    the first.

    Args:
        cut: the text.
        mode: "light" or "dark".
    """

    def styled(piece: Piece, first: int, cut: CutText) -> str:
        if not piece.tokens:
            return _written(piece.text)
        colour = TOKEN_COLOURS[mode][cut.colour_of(piece.tokens[0], first)]
        ink = GROUND_COLOURS[mode]["token-ink"]
        style = f"background-color:{colour};color:{ink}"
        if len(piece.tokens) > 1 or piece.tokens[0] in cut.unknown:
            style += ";text-decoration:underline"
        title = escape("\n".join(cut.titles[token] for token in piece.tokens), quote=True)
        return f'<span style="{style}" title="{title}">{_written(piece.text)}</span>'

    paragraphs = [
        f'<p dir="auto" style="margin:0;white-space:pre-wrap">{paragraph or "<br>"}</p>'
        for _, paragraph in _paragraphs(cut, styled)
    ]
    body = "".join(paragraphs)
    return f'<html><head><meta charset="utf-8"></head><body>{body}</body></html>'


def pieces_of(cut: CutText) -> Iterator[tuple[int, list[Piece], int]]:
    """The paragraphs of a text: (end, pieces, index of the first token) of each."""
    text = cut.text
    starts = cut.starts
    begin = 0
    while True:
        found = text.find("\n", begin)
        end = len(text) if found < 0 else found
        next_begin = len(text) if found < 0 else found + 1
        first = bisect_right(cut.ends, begin)  # the first token that ends behind it
        yield next_begin, _paragraph(cut, begin, end, first), _number_at(starts, begin)
        if found < 0:
            return
        begin = next_begin


def _number_at(starts: Sequence[float], place: int) -> int:
    """The first token that begins at a place or after it, which has the first colour."""
    return bisect_right(starts, place - 1e-9)


def _paragraph(cut: CutText, begin: int, end: int, first: int) -> list[Piece]:
    import regex  # when a text is written: the window takes a colour from this module as it starts

    # A piece can only end at a grapheme boundary.
    borders = [
        begin,
        *(begin + match.end() for match in regex.finditer(r"\X", cut.text[begin:end])),
    ]
    pieces: list[Piece] = []
    token = first
    n = len(cut.starts)
    for low, high in pairwise(borders):
        while token < n and cut.ends[token] <= low:
            token += 1
        holders = []
        shares = []
        k = token
        while k < n and cut.starts[k] < high:
            # A mark has no width, and so no share.
            if cut.ends[k] > cut.starts[k]:
                holders.append(k)
                shares.append(min(1.0, (cut.ends[k] - low) / (high - low)))
            k += 1
        shape = cut.text[low:high]
        before = pieces[-1] if pieces else None
        if (
            before is not None
            and len(holders) < 2
            and before.tokens == tuple(holders)
            and len(before.tokens) < 2
        ):
            pieces[-1] = Piece(before.text + shape, before.tokens)
        else:
            shares_of_all = tuple(shares) if len(holders) > 1 else (1.0,)
            pieces.append(Piece(shape, tuple(holders), shares_of_all))
    return pieces


def _paragraphs(
    cut: CutText, write: Callable[[Piece, int, CutText], str]
) -> Iterator[tuple[int, str]]:
    for end, pieces, first in pieces_of(cut):
        yield end, "".join(write(piece, first, cut) for piece in pieces)


def _with_class(piece: Piece, first: int, cut: CutText) -> str:
    if not piece.tokens:
        return _written(piece.text)
    title = escape("\n".join(cut.titles[token] for token in piece.tokens), quote=True)
    if len(piece.tokens) == 1:
        token = piece.tokens[0]
        kind = "u" if token in cut.unknown else f"t{cut.colour_of(token, first)}"
        return f'<span class="{kind}" title="{title}">{_written(piece.text)}</span>'
    stops = []
    before = 0.0
    for token, share in zip(piece.tokens, piece.shares, strict=True):
        colour = f"var(--t{cut.colour_of(token, first)})"
        stops.append(f"{colour} {100 * before:.4g}% {100 * share:.4g}%")
        before = share
    side = "left" if unicodedata.bidirectional(piece.text[0]) in ("R", "AL") else "right"
    style = f"background:linear-gradient(to {side},{','.join(stops)})"
    return f'<span class="part" style="{style}" title="{title}">{_written(piece.text)}</span>'


def _written(text: str) -> str:
    """A text for HTML, with visible signs for control characters and stray bytes."""
    if not text.isprintable():
        text = "".join(map(_shown, text))
    return escape(text, quote=True)


def _shown(char: str) -> str:
    code = ord(char)
    if char == "\t" or (
        code >= 0x20 and code != 0x7F and not 0x80 <= code < 0xA0 and not 0xD800 <= code < 0xE000
    ):
        return "" if 0x2066 <= code <= 0x2069 or 0x202A <= code <= 0x202E else char
    if code < 0x20:
        return chr(0x2400 + code)
    if 0xDC80 <= code <= 0xDCFF:
        return f"⟨{code - 0xDC00:02X}⟩"
    return "␡" if code == 0x7F else "\ufffd"


def _head(cut: CutText) -> str:
    rows = [
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in cut.facts
    ]
    facts = "".join(rows)
    heading = _written(cut.heading)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>\n{_style()}</style>\n</head>\n<body>\n<main>\n"
        f'<h1 dir="auto">{heading}</h1>\n<dl>{facts}</dl>\n<div class="text" lang="">\n'
    )


def _style() -> str:
    def colours(mode: str) -> str:
        tokens = "".join(f"--t{k}:{colour};" for k, colour in enumerate(TOKEN_COLOURS[mode]))
        greys = GROUND_COLOURS[mode]
        return f"{tokens}--ink:{greys['token-ink']};--ground:{greys['sheet']};--muted:{greys['quiet']};"  # noqa: E501

    classes = "".join(f".t{k}{{background:var(--t{k})}}\n" for k in range(N_COLOURS))
    return (
        f":root{{color-scheme:light dark;{colours('light')}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{colours('dark')}}}}}\n"
        "body{margin:0;background:var(--ground);color:var(--ink);font:18px/1.75 "
        "system-ui,sans-serif}\n"
        "main{max-width:60rem;margin:0 auto;padding:24px}\n"
        "h1{font-size:1.2rem;margin:0 0 8px}\n"
        "dl{display:flex;flex-wrap:wrap;gap:4px 24px;margin:0 0 24px;font-size:.85rem}\n"
        "dl div{display:flex;gap:6px}\ndt{color:var(--muted)}\n"
        "dd{margin:0;font-variant-numeric:tabular-nums}\n"
        ".text p{margin:0;min-height:1.75em;white-space:pre-wrap;overflow-wrap:anywhere}\n"
        # Backgrounds in print as well.
        ".text span{border-radius:3px;print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
        f"{classes}"
        ".text .part{border-radius:0;border-bottom:2px solid var(--muted)}\n"
        ".u{background:repeating-linear-gradient(45deg,transparent 0 3px,var(--muted) 3px 4px)}\n"
    )
