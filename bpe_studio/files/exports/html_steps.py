"""A range of steps as one step-through HTML page, which loads nothing and is safe whatever the text contains.

The page contains the tokens of the first step and the rank that closes the gap before each; its script compares ranks
with the step. Everything from the corpus is JSON data, never markup or script, and the page's security policy allows
only its own script and style, by their hashes. Its three templates are in `resources/stepping_page`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import regex

from bpe_studio.engine.kernels.buffers import NEVER
from bpe_studio.errors import SaveError
from bpe_studio.files.exports.step_range import Pieces, StepRange, names_of
from bpe_studio.files.samples import resources_folder

MOST_BYTES = 16_000_000
OPEN = -1
"""In the page: the gap that no merge of the range closes."""
UNKNOWN = 0
"""In the page: the index of the name of tokens outside the alphabet."""

_FOLDER = "stepping_page"
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_GRAPHEME = regex.compile(r"\X")


def steps_page(
    step_range: StepRange,
    name: Callable[[int], str],
    theme: str = "both",
    colour_of: Callable[[str], int] | None = None,
) -> bytes:
    """The bytes of the page.

    Args:
        step_range: the range to show.
        name: gives the shown name of a token, by its id.
        theme: "light", "dark", or "both": that of the reader's system, which they can switch.
        colour_of: gives the number of a token's colour by its name; None where colours go by place.

    Raises:
        SaveError: it would be too large.
    """
    data = as_data(page_data(step_range, name, colour_of))
    style, script = _part("page.css"), _part("page.js")
    title = escape(
        f"Steps {step_range.first:,} to {step_range.last:,} of {_shown(step_range.corpus_name) or 'a corpus'}"
    )
    page = _fill(
        _part("page.html"),
        {
            "policy": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
            "base-uri 'none'; form-action 'none'",
            "theme": "" if theme == "both" else f' data-theme="{escape(theme)}"',
            "title": title,
            "style": style,
            "script": script,
            "data": data,
        },
    ).encode("utf-8")
    if len(page) > MOST_BYTES:
        raise SaveError(
            f"The page would have {len(page) / 1e6:.1f} MB, and at most {MOST_BYTES / 1e6:.0f} MB open well: export "
            "fewer merges, fewer words or a shorter text"
        )
    return page


def page_data(
    step_range: StepRange, name: Callable[[int], str], colour_of: Callable[[str], int] | None = None
) -> dict[str, Any]:
    """The data of the page's script, as JSON values."""
    names: list[str] = ["unknown"]
    numbers: dict[int, int] = {}
    for token, shown in names_of(step_range, name).items():
        numbers[token] = len(names)
        names.append(shown)
    whys: dict[str, int] = {}
    for merge in step_range.merges:
        whys.setdefault(merge.why, len(whys))
    merges = step_range.merges
    return {
        "name": _shown(step_range.corpus_name),
        "first": step_range.first,
        "last": step_range.last,
        "every": step_range.every,
        "vocabSize": step_range.vocab_size,
        "corpusTokens": _exact(step_range.n_corpus_tokens),
        "hasCounts": step_range.has_counts,
        "names": names,
        "colours": None if colour_of is None else [colour_of(shown) for shown in names],
        "whys": list(whys),
        "merges": {
            "left": [numbers[merge.left] for merge in merges],
            "right": [numbers[merge.right] for merge in merges],
            "token": [numbers[merge.token] for merge in merges],
            "count": [_exact(merge.count) for merge in merges],
            "tied": [merge.tied for merge in merges],
            "forced": [int(merge.forced) for merge in merges],
            "tokens": [_exact(merge.n_tokens) for merge in merges],
            "why": [whys[merge.why] for merge in merges],
        },
        "text": step_range.text,
        "pieces": _pieces(step_range.pieces, numbers),
        "paragraphs": paragraphs(step_range.text, step_range.starts.tolist(), step_range.ends.tolist()),
        "changing": step_range.are_words_changing,
        "words": [
            {
                "word": word.content.decode("utf-8", "surrogateescape"),
                "count": _exact(word.count),
                "more": word.is_cut_off,
                **_pieces(word.pieces, numbers),
            }
            for word in step_range.words
        ],
    }


def paragraphs(text: str, starts: Sequence[float], ends: Sequence[float]) -> list[list[list[float]]]:
    """The text in lines, each as parts of whole graphemes, so that no letter, mark or emoji is divided.

    Args:
        text: the text.
        starts: the starts of its pieces in code points, rising; a fraction is a share of a character's bytes.
        ends: their ends.

    Returns:
        A list for each line (a line break belongs to its line) of parts `[n, piece, share, piece, share, ...]`: n is
        the length in UTF-16 units, and the shares of the pieces in a part add up to 1. A part with several pieces is
        one grapheme; a part of length 0 is a mark, which has no width.
    """
    lines: list[list[list[float]]] = [[]]
    piece, n = 0, len(starts)
    for match in _GRAPHEME.finditer(text):
        begin, end = match.span()
        while piece < n and ends[piece] <= begin:
            if starts[piece] == ends[piece]:
                lines[-1].append([0, piece, 1])
            piece += 1
        sharing: list[float] = []
        k = piece
        while k < n and starts[k] < end:
            share = (min(ends[k], end) - max(starts[k], begin)) / (end - begin)
            if share > 0:
                sharing += [k, round(share, 3)]
            k += 1
        n_units = len(match[0].encode("utf-16-le", "surrogatepass")) // 2
        line = lines[-1]
        if len(sharing) == 2 and line and len(line[-1]) == 3 and line[-1][0] and line[-1][1] == sharing[0]:
            line[-1][0] += n_units
        else:
            line.append([n_units, *sharing])
        if match[0].endswith("\n"):
            lines.append([])
    lines[-1] += [[0, k, 1] for k in range(piece, n) if starts[k] == ends[k] and starts[k] >= len(text)]
    return lines


def as_data(values: Any) -> str:
    """Values as JSON that is safe in a page: no character of it can end the element or begin a comment."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _exact(count: int) -> int | str:
    """A count for the page's script, whose numbers have 53 bits."""
    return count if count < 1 << 53 else str(count)


def _pieces(pieces: Pieces, numbers: dict[int, int]) -> dict[str, list[int]]:
    return {
        "ids": [numbers.get(token, UNKNOWN) for token in pieces.ids.tolist()],
        "gaps": [OPEN if gap == NEVER else gap for gap in pieces.gaps.tolist()],
    }


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _hash(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode('utf-8')).digest()).decode('ascii')}'"


def _fill(template: str, values: dict[str, str]) -> str:
    """The template with its placeholders filled in one pass, so that inserted text is never taken for a placeholder."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)


def _part(file: str) -> str:
    return (resources_folder() / _FOLDER / file).read_text(encoding="utf-8")
